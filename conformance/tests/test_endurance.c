/* Which series of `assay endurance` are flat, and what it sees of an agent. */
/* Needs: assay-agent */
/* Needs: mock/delegate.so */
#include "reference/tests/kit/test.h"

#include "conformance/tests/kit/judge_kit.h"
#include "conformance/tools/bench/endurance.h"
#include "reference/tests/kit/mock_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MIB = 1 << 20 };

static struct endurance_series series(size_t count)
{
    struct endurance_series s = { .count = 1000, .sample_count = count, .same_bits = true };

    for (size_t i = 0; i < count; i++)
        s.samples[i] = (struct endurance_sample){ .done = 25 * (i + 1),
                                                  .rss_bytes = 50 * MIB,
                                                  .held_bytes = 4 * MIB,
                                                  .held_blocks = 7,
                                                  .used_bytes = 9 * MIB };
    return s;
}

TEST(flat_is_flat)
{
    for (size_t n = 0; n <= ENDURANCE_SAMPLES; n++) {
        const struct endurance_series s = series(n);
        const struct endurance_verdict v = endurance_judge(&s);

        assert_true(v.rss_flat && v.device_flat);
        if (n > 0)
            assert_int_equal(v.rss_last, 50 * MIB);
    }
}

TEST(what_a_start_costs_is_no_leak)
{
    struct endurance_series s = series(ENDURANCE_SAMPLES);

    for (size_t i = 0; i < ENDURANCE_SAMPLES / 5; i++) {
        s.samples[i].rss_bytes = 10 * MIB;
        s.samples[i].held_bytes = MIB;
    }
    assert_true(endurance_judge(&s).rss_flat && endurance_judge(&s).device_flat);
    for (size_t i = 0; i < ENDURANCE_SAMPLES; i++) /* breathing */
        s.samples[i].rss_bytes += i % 2 * 300000;
    assert_true(endurance_judge(&s).rss_flat);
}

/* A page a start. */
TEST(growing_is_seen)
{
    struct endurance_series s = series(ENDURANCE_SAMPLES);

    for (size_t i = 0; i < ENDURANCE_SAMPLES; i++)
        s.samples[i].rss_bytes += 4096 * 25 * i;
    assert_false(endurance_judge(&s).rss_flat);
    for (size_t field = 0; field < 3; field++) {
        s = series(ENDURANCE_SAMPLES);
        for (size_t i = ENDURANCE_SAMPLES / 2; i < ENDURANCE_SAMPLES; i++) {
            s.samples[i].held_bytes += field == 0;
            s.samples[i].held_blocks += field == 1;
            s.samples[i].used_bytes += field == 2 ? 1 << 16 : 0;
        }
        assert_false(endurance_judge(&s).device_flat);
    }
}

/* Memory and end are the agent's, not this process's. */
TEST(an_agent_lasts_or_not)
{
    static const struct {
        const char *fault;
        bool flat;
        enum case_status status;
        const char *reason;
    } rows[] = {
        { "none", true, CASE_PASS, "" },
        { "leak", false, CASE_PASS, "" },
        { "crash&node=70", true, CASE_CRASH, "SIG" },
    };

    /* A sanitizer keeps what was freed, and ends in its own way. */
    judge_kit_add_asan_options(
        "handle_segv=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char agent[PATH_MAX], spec[3 * PATH_MAX];
        const struct endurance_request q = {
            .subject = spec, .seed = 1, .quiet = true, .starts = 40, .runs = 80
        };
        struct endurance_result r CLOSED_BY(endurance_close);

        snprintf(agent, sizeof agent, "%s", build_path("", "assay-agent"));
        snprintf(spec, sizeof spec, "exec:exec %s --subject=delegate:%s?fault=%s", agent,
                 mock_path("delegate.so"), rows[i].fault);
        if (endurance_run(&r, &q, &err) != STATUS_OK)
            fail_msg("%s: %s", rows[i].fault, err.text);
        if (r.status != rows[i].status || !strstr(r.reason, rows[i].reason))
            fail_msg("%s: expected '%s', found '%s'", rows[i].fault, rows[i].reason, r.reason);
        assert_int_equal(endurance_judge(&r.starts).rss_flat, rows[i].flat);
        assert_int_equal(r.starts.count, 40);
        assert_true(r.starts.same_bits && r.starts.samples[0].rss_bytes > MIB / 2);
    }
}
