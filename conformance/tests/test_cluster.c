/* Findings: which failures belong together, and what they have in common. */
#include "conformance/report/forms/findings_text.h"
#include "conformance/report/record/cluster.h"
#include "conformance/report/record/facts.h"
#include "conformance/tests/kit/draft_record.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct record record;
static struct arena arena;
static struct finding *findings;
static size_t finding_count;

static int open_record(void **state)
{
    (void)state;
    arena = (struct arena){ .blocks = NULL };
    draft_open(&record);
    draft_subject(&record, "/opt", "libx.so", "fp32");
    draft_subject(&record, "/opt", "libx.so", "fp16");
    return 0;
}

static int close_record(void **state)
{
    (void)state;
    arena_close(&arena);
    record_close(&record);
    return 0;
}

static void find(void)
{
    struct diag diag;

    draft_done(&record);
    if (cluster_findings(&record, &arena, &findings, &finding_count, &diag) != STATUS_OK)
        fail_msg("%s", diag.text);
}

static void expect_normal(const char *reason, const char *normal)
{
    char text[128];

    cluster_normalize(reason, text, sizeof text);
    assert_string_equal(text, normal);
}

TEST(test_normalize)
{
    char small[6];

    expect_normal("got 25.84, want -26, limit 1e-06", "got #, want #, limit #");
    expect_normal("got nan, want -inf: not finite", "got #, want #: not finite");
    expect_normal("SIGABRT in S2: prepare; code 0x1f", "SIGABRT in S#: prepare; code #");
    expect_normal("over the limit (3 of 80 wrong)", "over the limit (# of # wrong)");
    /* Names keep their digits. */
    expect_normal("conv_2d of i8 is infinite on gpu0", "conv_2d of i8 is infinite on gpu0");
    /* Shapes of any rank are alike. */
    expect_normal("shape [1, 4, 4, 5], not [1, 4]", "shape [#], not [#]");
    cluster_normalize("12345 is too long", small, sizeof small);
    assert_string_equal(small, "# is ");
}

static void add_cases(const char *op, const char *type, size_t subject, int first, int last,
                      bool (*fails)(int c, int h))
{
    for (int c = first; c <= last; c++) {
        for (int h = 1; h <= 3; h++) {
            char name[64], inputs[64], what[64];
            struct record_result *r;

            snprintf(name, sizeof name, "%s.%s.h%d_c%d%s", op, type, h, c, c % 3 ? "_same" : "");
            snprintf(inputs, sizeof inputs, "%s [1, %d, 2, %d]", type, h, c);
            r = draft_result(&record, subject, draft_case(&record, name, inputs));
            snprintf(what, sizeof what, "over the limit (%d of %d wrong)", c, c * h);
            if (fails(c, h))
                draft_fail(r, arena_string(&record.arena, what), "got 1, want 2");
        }
    }
}

static bool last_slice(int c, int h)
{
    (void)h;
    return c % 4 != 0;
}

static bool large(int c, int h)
{
    (void)h;
    return c >= 7;
}

static bool both(int c, int h)
{
    return c % 4 != 0 && h >= 2;
}

static bool mostly(int c, int h)
{
    return c % 4 != 0 && !(c == 5 && h == 1);
}

static bool haphazard(int c, int h)
{
    return (c * 7 + h * 5) % 11 < 5;
}

/* Two cases that fail have something in common, whatever they are. */
static bool two(int c, int h)
{
    return c == 5 && h >= 2;
}

static bool never(int c, int h)
{
    (void)c;
    (void)h;
    return false;
}

static bool always(int c, int h)
{
    (void)c;
    (void)h;
    return true;
}

TEST(test_one_cause, .setup = open_record, .teardown = close_record)
{
    add_cases("conv_2d", "f32", 0, 1, 12, last_slice);
    add_cases("softmax", "f32", 0, 1, 12, never);
    find();
    assert_int_equal(finding_count, 1);
    assert_int_equal(findings[0].count, 27);
    assert_int_equal(findings[0].passing, 9);
    assert_int_equal(findings[0].status, CASE_FAIL);
    assert_string_equal(findings[0].op, "conv_2d");
    assert_string_equal(findings[0].types, "f32");
    assert_string_equal(findings[0].what, "over the limit (# of # wrong)");
    assert_string_equal(findings[0].pattern, "channels % 4 != 0");
    assert_int_equal(findings[0].passing_with, 0);
    assert_string_equal(record.cases[record.results[findings[0].smallest].test_case].name,
                        "conv_2d.f32.h1_c1_same");
}

static void expect_pattern(bool (*fails)(int c, int h), const char *pattern, size_t passing_with)
{
    add_cases("conv_2d", "f32", 0, 1, 16, fails);
    find();
    assert_int_equal(finding_count, 1);
    if (!pattern) {
        assert_null(findings[0].pattern);
        return;
    }
    assert_non_null(findings[0].pattern);
    assert_string_equal(findings[0].pattern, pattern);
    assert_int_equal(findings[0].passing_with, passing_with);
}

TEST(test_threshold, .setup = open_record, .teardown = close_record)
{
    expect_pattern(large, "channels >= 7", 0);
}

TEST(test_two_conditions, .setup = open_record, .teardown = close_record)
{
    expect_pattern(both, "channels % 4 != 0 and h != 1 in the name", 0);
}

/* A case that is too small for the fault to reach passes. */
TEST(test_exception, .setup = open_record, .teardown = close_record)
{
    expect_pattern(mostly, "channels % 4 != 0", 1);
}

/* Chance has no pattern. */
TEST(test_no_pattern, .setup = open_record, .teardown = close_record)
{
    expect_pattern(haphazard, NULL, 0);
}

TEST(test_too_few, .setup = open_record, .teardown = close_record)
{
    expect_pattern(two, NULL, 0);
}

TEST(test_nothing_passes, .setup = open_record, .teardown = close_record)
{
    expect_pattern(always, NULL, 0);
    assert_int_equal(findings[0].passing, 0);
}

TEST(test_type, .setup = open_record, .teardown = close_record)
{
    add_cases("add", "f32", 0, 1, 8, never);
    add_cases("add", "i8", 0, 1, 8, always);
    find();
    assert_int_equal(finding_count, 1);
    assert_string_equal(findings[0].pattern, "type i8");
    assert_string_equal(findings[0].types, "i8");
}

/* Without shapes of inputs, as of a crash before them, words of the name remain. */
TEST(test_words_of_the_name, .setup = open_record, .teardown = close_record)
{
    for (int c = 1; c <= 20; c++) {
        char name[64];
        struct record_result *r;

        snprintf(name, sizeof name, "pad.f32.k3x1_c%d%s", c, c % 2 ? "_same" : "");
        r = draft_result(&record, 0, draft_case(&record, name, c == 7 ? "f32 [x" : NULL));
        if (c % 2) {
            draft_fail(r, "SIGSEGV in S0: invoke", "SIGSEGV in S0: invoke");
            r->status = CASE_CRASH;
        }
    }
    find();
    assert_int_equal(finding_count, 1);
    assert_int_equal(findings[0].status, CASE_CRASH);
    assert_string_equal(findings[0].pattern, "word 'same' in the name");
}

/* What the fault depends on may be no input's: broadcasting, weights. */
TEST(test_output_channels, .setup = open_record, .teardown = close_record)
{
    for (int o = 1; o <= 24; o++) {
        char name[64];
        struct record_result *r;

        snprintf(name, sizeof name, "conv_2d.f32.v%d", 100 - o);
        r = draft_result(&record, 0, draft_case(&record, name, "f32 [1, 2, 2, 3]"));
        r->by_channel = "0";
        r->channels = (size_t)o;
        if (o % 4)
            draft_fail(r, o % 3 ? "not equal (1 of 9 wrong)" : "over the limit (1 of 9 wrong)",
                       "got 1");
    }
    find();
    assert_int_equal(finding_count, 1); /* where sums are exact, too */
    assert_string_equal(findings[0].what, "over the limit (# of # wrong)");
    assert_string_equal(findings[0].pattern, "output channels % 4 != 0");
}

/* relu and relu6 are one word. */
TEST(test_stem, .setup = open_record, .teardown = close_record)
{
    static const char *const words[] = { "relu", "relu6", "tanh", "same" };

    for (int i = 0; i < 40; i++) {
        char name[64];
        struct record_result *r;

        snprintf(name, sizeof name, "conv_2d.f32.v%d_%s", i, words[i % 4]);
        r = draft_result(&record, 0, draft_case(&record, name, NULL));
        if (i % 4 < 2)
            draft_fail(r, "over", "over");
    }
    find();
    assert_int_equal(finding_count, 1);
    assert_string_equal(findings[0].pattern, "word 'relu*' in the name");
}

/* Reasons, statuses, ops, titles and subjects part findings; waived and declined are none. */
TEST(test_parts, .setup = open_record, .teardown = close_record)
{
    const size_t a = draft_case(&record, "add.f32.c1", NULL);
    const size_t b = draft_case(&record, "add.f32.c2", NULL);
    const size_t c = draft_case(&record, "gap.f32.add_c2", NULL);
    const size_t d = draft_case(&record, "sub.f32.c2", NULL);

    record.cases[c].op = "add";
    record.cases[c].title = "a known fault";
    draft_fail(draft_result(&record, 0, a), "state is kept", "state is kept");
    draft_fail(draft_result(&record, 0, b), "over the limit", "over the limit");
    draft_fail(draft_result(&record, 0, c), "over the limit", "over the limit");
    draft_fail(draft_result(&record, 1, a), "over the limit", "over the limit");
    draft_fail(draft_result(&record, 1, b), "over the limit", "over the limit");
    draft_result(&record, 1, c)->status = CASE_WAIVED;
    draft_result(&record, 0, d)->status = CASE_DECLINED;
    draft_result(&record, 1, d)->status = CASE_DECLINED;
    record.results[record.result_count - 1].required = true;
    find();
    assert_int_equal(finding_count, 5);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(findings[i].subject, 0);
    assert_int_equal(findings[3].count, 2);
    assert_string_equal(findings[4].op, "sub");
    assert_int_equal(findings[4].status, CASE_DECLINED);
    assert_null(findings[2].op);
    assert_string_equal(findings[2].title, "a known fault");
}

TEST(test_text, .setup = open_record, .teardown = close_record)
{
    struct diag diag;
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    add_cases("conv_2d", "f32", 1, 1, 12, last_slice);
    draft_done(&record);
    assert_non_null(f);
    assert_int_equal(findings_text(&record, f, &diag), STATUS_OK);
    fclose(f);
    assert_string_equal(text, "findings: 27 failed checks, 1 kind of failure\n"
                              "  1. conv_2d f32: fail, 27 cases\n"
                              "     on libx.so precision=fp16\n"
                              "     all of them, and none of the 9 that pass: channels % 4 != 0\n"
                              "     smallest: conv_2d.f32.h1_c1_same\n"
                              "     got 1, want 2\n"
                              "     rerun: assay conformance --filter=one\n");
    free(text);
}

TEST(test_no_text, .setup = open_record, .teardown = close_record)
{
    struct diag diag;
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    add_cases("conv_2d", "f32", 1, 1, 12, never);
    draft_done(&record);
    assert_non_null(f);
    assert_int_equal(findings_text(&record, f, &diag), STATUS_OK);
    fclose(f);
    assert_int_equal(bytes, 0);
    free(text);
}

TEST(test_elements)
{
    assert_true(facts_elements(&(struct record_case){ .inputs = "f32 [1, 4, 4, 5]; i32 [2]" }) ==
                80);
    assert_true(facts_elements(&(struct record_case){ .inputs = "f32 []" }) == 1);
    assert_true(isinf(facts_elements(&(struct record_case){ .inputs = "f32 [1, 4" })));
    assert_true(isinf(facts_elements(&(struct record_case){ .inputs = "f32; i32 [2]" })));
    assert_true(isinf(facts_elements(&(struct record_case){ .inputs = NULL })));
}
