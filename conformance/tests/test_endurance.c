/* Which series of `assay endurance` are flat. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/bench/endurance.h"

#include <stdint.h>
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
