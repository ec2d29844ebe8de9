/* Hostile models against subjects that do what nobody may do: each is noticed, and what is allowed
 * is not. */
/* Needs: libassay.so mock/tflite.so assay-agent */
#include "conformance/suite/hostile/corpus.h"
#include "conformance/suite/hostile/hostile.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hostile hostile = { .memory_bytes = (uint64_t)16 << 20, .processor_s = 0.2 };
static struct test_case *cases;
static size_t case_count;

FIXTURE(open_corpus)
{
    return corpus_open(&hostile.corpus, NULL) == STATUS_OK &&
                   corpus_cases(&hostile.corpus, &cases, &case_count, NULL) == STATUS_OK
               ? 0
               : -1;
}

FIXTURE(close_corpus)
{
    mem_free(cases);
    corpus_close(&hostile.corpus);
    return 0;
}

TEST_FILE(.setup = open_corpus, .teardown = close_corpus);

static const struct test_case *find(const char *name)
{
    for (size_t i = 0; i < case_count; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    fail_msg("no case %s", name);
    return NULL;
}

enum { MODELS_MAX = 2, SUBJECTS_MAX = 2 };

/* What becomes of models on subjects, one after the other. */
static void run_on(const char *const *subjects, size_t subject_count, const char *const *names,
                   size_t count, double timeout_s, struct case_result *results)
{
    struct test_case some[MODELS_MAX];
    struct subject s[SUBJECTS_MAX];
    struct run_request request = { .subjects = s,
                                   .subject_count = subject_count,
                                   .cases = some,
                                   .case_count = count,
                                   .jobs = 1,
                                   .timeout_s = timeout_s,
                                   .run_case = hostile_judge,
                                   .run_user = &hostile,
                                   .quiet = true };
    struct run_outcome outcome;

    default_signals();
    for (size_t i = 0; i < count; i++)
        some[i] = *find(names[i]);
    for (size_t i = 0; i < subject_count; i++)
        if (subject_parse(&s[i], subjects[i], &err) != STATUS_OK)
            fail_msg("%s: %s", subjects[i], err.text);
    if (runner_run(&request, &outcome, &err) != STATUS_OK)
        fail_msg("%s: %s", subjects[0], err.text);
    memcpy(results, outcome.results, outcome.count * sizeof *results);
    run_outcome_close(&outcome);
    for (size_t i = 0; i < subject_count; i++)
        subject_close(&s[i]);
}

static void run(const char *subject, const char *const *names, size_t count, double timeout_s,
                struct case_result *results)
{
    run_on(&subject, 1, names, count, timeout_s, results);
}

static void expect(const char *subject, const char *name, enum case_status status,
                   const char *reason)
{
    struct case_result r;

    run(subject, &name, 1, 60, &r);
    if (r.status != status || strncmp(r.reason, reason, strlen(reason)) != 0)
        fail_msg("%s: %s: %s: %s", subject, name, case_status_name(r.status), r.reason);
}

/* The library that does what MOCK_TFLITE says; NULL: nothing but run all. */
static const char *library(const char *fault)
{
    static char text[PATH_MAX + 16];

    if (fault)
        setenv("MOCK_TFLITE", fault, 1);
    else
        unsetenv("MOCK_TFLITE");
    snprintf(text, sizeof text, "tflite-c:%s", mock_path("tflite.so"));
    return text;
}

TEST(what_is_right_is_right)
{
    char ours[PATH_MAX + 16];

    snprintf(ours, sizeof ours, "tflite-c:%s", build_path("", "libassay.so"));
    for (int i = 0; i < 2; i++) {
        const char *const subject = i ? ours : "reference";

        expect(subject, "whole.dense", CASE_PASS, "");
        expect(subject, "whole.conv", CASE_PASS, "");
        expect(subject, "reader.version_2", CASE_DECLINED, i ? "open" : "verify");
        expect(subject, "cut.dense.10", CASE_DECLINED, i ? "open" : "verify");
    }
    expect(library("refuse"), "whole.dense", CASE_DECLINED, "open");
}

TEST(what_must_not_be_is_noticed)
{
    expect(library(NULL), "cut.dense.10", CASE_PASS, "");
    expect(library(NULL), "reader.version_2", CASE_FAIL, "accepted: Model.version");
    expect(library(NULL), "whole.conv", CASE_FAIL, "wrong: output 0: 4 bytes");
    expect(library("crash"), "cut.dense.10", CASE_CRASH, "SIGSEGV: invoke");
    expect(library("memory"), "cut.dense.10", CASE_FAIL, "memory: ");
    expect(library("time"), "cut.dense.10", CASE_FAIL, "time: 0.");
    expect(library("unstable"), "cut.dense.10", CASE_FAIL, "unstable: output 0");
    expect(library("written"), "cut.dense.10", CASE_FAIL, "written: the model's");
    if (!KIT_SANITIZED) /* whose malloc has habits of its own */
        expect(library("foreign"), "cut.dense.10", CASE_FAIL, "foreign: output 0, byte 2");
}

/* An agent hands on what it cannot read itself, and its end is the model's. */
TEST(an_agent_hands_files_on)
{
    char agent[2 * PATH_MAX + 64];
    int n = snprintf(agent, sizeof agent, "exec:%s", build_path("", "assay-agent"));

    snprintf(agent + n, sizeof agent - (size_t)n, " --subject=%s", library(NULL));
    expect(agent, "cut.dense.10", CASE_PASS, "");
    expect(agent, "reader.version_2", CASE_FAIL, "accepted: Model.version");
    library("refuse");
    expect(agent, "cut.dense.10", CASE_DECLINED, "open");
    library("crash");
    expect(agent, "cut.dense.10", CASE_CRASH, KIT_SANITIZED ? "" : "SIGSEGV");
    library("unstable");
    expect(agent, "cut.dense.10", CASE_FAIL, "unstable: output 0");
}

/* 1 GiB is not to be had, whoever ran before in the same worker. */
TEST(address_space_is_limited)
{
    char agent[PATH_MAX + 64];
    const char *const subjects[] = { agent, library("space") }, *const name = "cut.dense.10";
    struct case_result r[2];

    if (KIT_SANITIZED) /* there is no limit then */
        skip();
    snprintf(agent, sizeof agent, "exec:%s", build_path("", "assay-agent"));
    run_on(subjects, 2, &name, 1, 60, r);
    assert_int_equal(r[0].status, CASE_DECLINED);
    if (r[1].status != CASE_PASS)
        fail_msg("%s", r[1].reason);
}

/* An agent behind it has a limit of ten digits in KiB, or none. */
TEST(address_space_of_an_agent_is_not_limited)
{
    char agent[2 * PATH_MAX + 96];
    const char *const subjects[] = { library(NULL), agent }, *const name = "cut.dense.10";
    struct case_result r[2];

    snprintf(agent, sizeof agent, "exec:[ $(ulimit -Sv | wc -c) -gt 9 ] && exec %s --subject=%s",
             build_path("", "assay-agent"), subjects[0]);
    run_on(subjects, 2, &name, 1, 60, r);
    for (int i = 0; i < 2; i++)
        if (r[i].status != CASE_PASS)
            fail_msg("%s: %s", case_status_name(r[i].status), r[i].reason);
}

TEST(a_hang_is_a_timeout)
{
    const char *const name = "cut.dense.10";
    struct case_result r;

    run(library("hang"), &name, 1, 0.3, &r);
    assert_int_equal(r.status, CASE_TIMEOUT);
    assert_string_equal(r.reason, "no answer within 0.3 s: invoke");
}

/* The peak of a process stays: a second model would not show in the same worker. */
TEST(each_of_two_shows)
{
    const char *const names[] = { "cut.dense.10", "cut.dense.11" };
    struct case_result r[2];

    run(library("memory"), names, 2, 60, r);
    for (int i = 0; i < 2; i++)
        assert_int_equal(hostile_kind_of(r[i].reason), HOSTILE_MEMORY);
}

TEST(kinds_have_names)
{
    for (int k = 0; k < HOSTILE_KIND_COUNT; k++) {
        char reason[64];

        snprintf(reason, sizeof reason, "%s: and more", hostile_kind_name((enum hostile_kind)k));
        assert_int_equal(hostile_kind_of(reason), k);
        assert_true(strlen(hostile_kind_words((enum hostile_kind)k)) > 10);
    }
    assert_int_equal(hostile_kind_of("memories: none"), HOSTILE_KIND_COUNT);
}

TEST(cases_are_made_from_their_names)
{
    static const char *const wrong[] = { "cut.dense",        "cut.dense.99999",
                                         "cut.dense.1.2",    "flip.dense.1",
                                         "flip.dense.1.100", "flip.none.1.ff",
                                         "reader.none",      "" };
    struct hostile_case sound, flipped, cut;

    assert_true(case_count > 10000);
    assert_int_equal(corpus_make(&hostile.corpus, "whole.dense", &sound, &err), STATUS_OK);
    assert_int_equal(corpus_make(&hostile.corpus, "flip.dense.100.ff", &flipped, &err), STATUS_OK);
    assert_int_equal(corpus_make(&hostile.corpus, "cut.dense.100", &cut, &err), STATUS_OK);
    assert_int_equal(sound.answer, ANSWER_ANY); /* it has a signature */
    assert_int_equal(cut.file.count, 100);
    assert_memory_equal(cut.file.bytes, sound.file.bytes, 100);
    assert_int_equal(flipped.file.count, sound.file.count);
    assert_int_equal(flipped.file.bytes[100], sound.file.bytes[100] ^ 0xff);
    flipped.file.bytes[100] ^= 0xff;
    assert_memory_equal(flipped.file.bytes, sound.file.bytes, sound.file.count);
    mem_free(sound.file.bytes);
    mem_free(flipped.file.bytes);
    mem_free(cut.file.bytes);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(corpus_make(&hostile.corpus, wrong[i], &sound, &err), STATUS_USAGE);
        assert_null(sound.file.bytes);
    }
}

TEST(parts_are_those_of_the_schema)
{
    static const struct {
        const char *name, *part;
    } rows[] = { { "reader.version_2", "Model.version" },
                 { "reader.root_past_end", "header" },
                 { "reader.table_size_3", "vtable" },
                 { "cut.dense.0", "header" },
                 { "flip.dense.4.ff", "header" },
                 { "small.conv_2d.in1_dims_2_3_5_4", "Tensor.shape" } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(find(rows[i].name)->type_name, rows[i].part);
}

static bool is_damaged(const struct test_case *t)
{
    return strcmp(t->op, "cut") == 0 || strcmp(t->op, "flip") == 0;
}

TEST(as_many_are_drawn_as_are_asked_for)
{
    struct test_case *const drawn[2] = { mem_alloc(case_count, sizeof *cases),
                                         mem_alloc(case_count, sizeof *cases) };
    size_t damaged = 0, count, rows;

    for (size_t i = 0; i < case_count; i++)
        damaged += is_damaged(&cases[i]);
    rows = case_count - damaged;
    for (int seed = 0; seed < 2; seed++) {
        memcpy(drawn[seed], cases, case_count * sizeof *cases);
        count = case_count;
        corpus_draw(drawn[seed], &count, 100, (uint64_t)seed);
        assert_int_equal(count, rows + 100);
        for (size_t i = 0; i < count; i++)
            assert_true(is_damaged(&drawn[seed][i]) == (i >= rows));
    }
    assert_memory_equal(drawn[0], drawn[1], rows * sizeof *cases);
    assert_memory_not_equal(drawn[0] + rows, drawn[1] + rows, 100 * sizeof *cases);
    corpus_draw(drawn[0], &count, 0, 1);
    assert_int_equal(count, rows + 100);
    mem_free(drawn[0]);
    mem_free(drawn[1]);
}
