/* Findings: which failures belong together, and what they have in common. */
#include "conformance/report/forms/text_kit.h"
#include "conformance/report/record/anatomy.h"
#include "conformance/report/record/cluster.h"
#include "conformance/report/record/exposure.h"
#include "conformance/report/record/facts.h"
#include "conformance/tests/kit/draft_record.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct record record;
static struct arena arena;
static struct finding *findings;
static size_t finding_count;

FIXTURE(open_record)
{
    arena = (struct arena){ .blocks = NULL };
    draft_open(&record);
    draft_subject(&record, "/opt", "libx.so", "fp32");
    draft_subject(&record, "/opt", "libx.so", "fp16");
    return 0;
}

FIXTURE(close_record)
{
    arena_close(&arena);
    record_close(&record);
    return 0;
}

static void find(void)
{
    draft_done(&record);
    KIT_OK(cluster_findings(&record, &arena, &findings, &finding_count, &err));
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
    /* glog tells the time and the thread in front, in columns. */
    expect_normal("SIGABRT in S2: prepare; F0000 00:00:17.51  7054 reader.cc:373] failed: x ",
                  "SIGABRT in S#: prepare; reader.cc:#] failed: x");
    expect_normal("E1127 is a code, IMF0000 another", "E1127 is a code, IMF0000 another");
    expect_normal("aborted; F0000 00:00:17\0behind the end", "aborted;");
    /* Shapes of any rank are alike. */
    expect_normal("shape [1, 4, 4, 5], not [1, 4]", "shape [#], not [#]");
    cluster_normalize("12345 is too long", small, sizeof small);
    assert_string_equal(small, "# is");
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

#define FAILS(name_, ...)                                                                          \
    static bool name_(int c __attribute__((unused)), int h __attribute__((unused)))                \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    struct record

FAILS(last_slice, c % 4 != 0);
FAILS(large, c >= 7);
FAILS(both, c % 4 != 0 && h >= 2);
FAILS(mostly, c % 4 != 0 && !(c == 5 && h == 1));
FAILS(haphazard, (c * 7 + h * 5) % 11 < 5);

/* Two cases that fail have something in common, whatever they are. */
FAILS(two, c == 5 && h >= 2);
FAILS(never, false);
FAILS(always, true);

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
    static const char over[] = "over the limit (1 of 9 wrong)";
    const size_t a = draft_case(&record, "add.f32.c1", NULL);
    const size_t b = draft_case(&record, "add.f32.c2", NULL);
    const size_t c = draft_case(&record, "gap.f32.add_c2", NULL);
    const size_t d = draft_case(&record, "sub.f32.c2", NULL);

    record.cases[c].op = "add";
    record.cases[c].title = "a known fault";
    draft_fail(draft_result(&record, 0, a), "state is kept", "state is kept");
    draft_fail(draft_result(&record, 0, b), over, over);
    draft_fail(draft_result(&record, 0, c), over, over);
    draft_fail(draft_result(&record, 1, a), over, over);
    draft_fail(draft_result(&record, 1, b), over, over);
    draft_result(&record, 1, c)->status = CASE_WAIVED;
    draft_result(&record, 0, d)->status = CASE_DECLINED;
    draft_result(&record, 1, d)->status = CASE_DECLINED;
    record.results[record.result_count - 1].required = true;
    find();
    assert_int_equal(finding_count, 5);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(findings[i].subject, 0);
    assert_int_equal(findings[4].count, 2);
    assert_string_equal(findings[3].op, "sub");
    assert_int_equal(findings[3].status, CASE_DECLINED);
    assert_null(findings[2].op);
    assert_string_equal(findings[2].title, "a known fault");
}

/* One crash is one finding, whatever ops it has and from whichever thread; the passing cases of all
 * of them tell what it needs. */
TEST(test_a_reason_in_all_ops, .setup = open_record, .teardown = close_record)
{
    static const char *const ops[] = { "abs", "add", "gap" };
    char text[128];

    for (int i = 0; i < 60; i++) {
        struct record_result *r;
        size_t c;

        snprintf(text, sizeof text, "%s.f32.v%d_%s", ops[i % 3], i, i % 4 ? "full" : "empty");
        c = draft_case(&record, text, NULL);
        if (i % 3 == 2) {
            record.cases[c].op = "sub";
            record.cases[c].title = "a known fault";
        }
        r = draft_result(&record, 0, c);
        if (i % 4)
            continue;
        snprintf(text, sizeof text, "SIGFPE in S%d: prepare; W%04d 1:2.%d %d x.cc:%d] call", i % 3,
                 i, i * i, i, i);
        draft_fail(r, arena_string(&record.arena, text), "crashed");
        r->status = CASE_CRASH;
    }
    find();
    assert_int_equal(finding_count, 1);
    assert_string_equal(findings[0].name, "SIGFPE in S#: prepare; x.cc:#] call");
    assert_string_equal(findings[0].ops, "abs add sub");
    assert_int_equal(findings[0].op_count, 3);
    assert_int_equal(findings[0].count, 15);
    assert_int_equal(findings[0].passing, 45);
    assert_true(findings[0].by_reason);
    assert_null(findings[0].op);
    assert_null(findings[0].title);
    assert_string_equal(findings[0].pattern, "word 'empty' in the name");
}

/* Floats and integers of one op that are wrong, and nothing tells which: one finding.  A kind with
 * a condition of its own is another. */
TEST(test_wrong_values_join, .setup = open_record, .teardown = close_record)
{
    for (int i = 0; i < 90; i++) {
        const bool is_float = i % 2 == 0, is_odd = i % 3 == 0;
        char name[32];
        struct record_result *r;

        snprintf(name, sizeof name, "add.%s.%s", is_float ? "f32" : "i8", is_odd ? "same" : "v");
        snprintf(name + strlen(name), sizeof name - strlen(name), "_%d", 7919 * i % 90);
        r = draft_result(&record, 0, draft_case(&record, name, NULL));
        if (is_odd)
            draft_fail(r, "NaN from finite input (1 of 2 wrong)", "nan");
        else if ((i * 7 + i / 5) % 11 < 4)
            draft_fail(
                r, is_float ? "over the limit (1 of 2 wrong)" : "not the integer (1 of 2 wrong)",
                "wrong");
    }
    find();
    assert_int_equal(finding_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const bool joined = strcmp(findings[i].what, "wrong values") == 0;

        assert_string_equal(joined ? findings[i].types : "f32 i8", "f32 i8");
        assert_string_equal(joined ? "word 'same' in the name" : findings[i].pattern,
                            "word 'same' in the name");
        assert_int_equal(findings[i].passing + findings[0].count + findings[1].count, 90);
    }
}

/* Nobody wrote it: not a matter of the op's arithmetic. */
TEST(test_not_written_in_all_ops, .setup = open_record, .teardown = close_record)
{
    static const char text[] = "not written: it holds what was there before (3 of 9 wrong)";

    draft_fail(draft_result(&record, 0, draft_case(&record, "add.f32.a", NULL)), text, text);
    draft_fail(draft_result(&record, 0, draft_case(&record, "sub.f32.a", NULL)), text, text);
    draft_fail(draft_result(&record, 0, draft_case(&record, "sub.f32.b", NULL)), "over", "over");
    record.results[2].where = "[0]";
    draft_fail(draft_result(&record, 0, draft_case(&record, "mul.f32.b", NULL)), "over", "over");
    record.results[3].where = "[0]";
    find();
    assert_int_equal(finding_count, 3);
    assert_string_equal(findings[0].ops, "add sub");
    assert_string_equal(findings[1].name, "sub f32");
    assert_string_equal(findings[2].name, "mul f32");
}

TEST(test_text, .setup = open_record, .teardown = close_record)
{
    add_cases("conv_2d", "f32", 1, 1, 12, last_slice);
    draft_done(&record);
    PRINTED(text, f, assert_int_equal(findings_text(&record, f, &err), STATUS_OK));
    assert_string_equal(text, "findings: 27 failed checks, 1 kind of failure, what to fix first "
                              "at the top\n"
                              "  1. marginal: conv_2d f32\n"
                              "     27 of 36 cases\n"
                              "     on libx.so precision=fp16\n"
                              "     all of them, and none of the 9 that pass: channels % 4 != 0\n"
                              "     got 1, want 2\n"
                              "     rerun: assay conformance --filter=one\n");
}

TEST(test_text_of_a_reason, .setup = open_record, .teardown = close_record)
{
    static const char why[] =
        "SIGABRT in S2: prepare; Check failed: a long condition of many words";
    struct record_result *r;

    record.subject_count = 1;
    r = draft_result(&record, 0, draft_case(&record, "add.f32.a", NULL));
    draft_fail(r, why, why);
    r->status = CASE_CRASH;
    r = draft_result(&record, 0, draft_case(&record, "sub.f32.a", NULL));
    draft_fail(r, why, why);
    r->status = CASE_CRASH;
    draft_done(&record);
    PRINTED(text, f, assert_int_equal(findings_text(&record, f, &err), STATUS_OK));
    assert_string_equal(text, "findings: 2 failed checks, 1 kind of failure, what to fix first "
                              "at the top\n"
                              "  1. crash: SIGABRT in S#: prepare; Check failed: a long condition "
                              "of many words\n"
                              "     2 of 2 cases\n"
                              "     2 ops: add sub\n"
                              "     no case of it passes\n"
                              "     rerun: assay conformance --filter=one\n");
}

static struct record_result *add_result(const char *name, const char *inputs,
                                        enum case_status status, const char *what)
{
    struct record_result *const r = draft_result(&record, 0, draft_case(&record, name, inputs));

    if (status != CASE_PASS)
        draft_fail(r, what, what);
    r->status = status;
    return r;
}

/* RELU of f32 and rank 4 is 402 of 19,240 real nodes, and half of its cases fail; no real node has
 * an empty tensor; of an op that the suite does not know nothing is known. */
TEST(test_what_first, .setup = open_record, .teardown = close_record)
{
    static const char wrong[] = "over the limit (1 of 4 wrong)";
    struct record_result *r;
    struct exposure exposure;

    r = add_result("relu.f32.c1", "f32 [1, 2, 2, 1]", CASE_FAIL, wrong);
    r->where = r->worst.where = "[0]";
    r->worst.got = 3;
    r->worst.want = 2;
    r->worst.ratio = 1e6;
    add_result("relu.f32.c3", "f32 [1, 2, 2, 3]", CASE_PASS, NULL);
    /* A text of inputs that begins with a 0 has nothing in front of it. */
    record.cases[1].inputs = &"[0]"[1];
    add_result("abs.f32.empty_batch", "f32 [0, 2, 3]", CASE_CRASH, "SIGFPE: invoke");
    add_result("new_op.f32.c1", "f32 [1]", CASE_FAIL, "state is kept");
    add_result("new_op.f32.c2", "f32 [1]", CASE_TIMEOUT, "no answer in 60 s");
    draft_done(&record);
    assert_int_equal(exposure_open(&exposure, &record, &arena, &err), STATUS_OK);
    find();
    assert_int_equal(finding_count, 4);
    assert_int_equal(findings[0].severity, SEVERITY_CRASH);
    assert_true(isnan(findings[0].exposure));
    assert_int_equal(findings[1].severity, SEVERITY_BROKEN);
    assert_string_equal(findings[2].name, "relu f32");
    assert_int_equal(findings[2].severity, SEVERITY_GROSS);
    assert_true(findings[2].exposure > 0.009 && findings[2].exposure < 0.012);
    assert_int_equal(findings[2].judged, 2);
    assert_true(findings[2].margin == 1e6);
    assert_int_equal(findings[3].severity, SEVERITY_CRASH);
    assert_true(findings[3].exposure == 0);
}

/* ---- causes ---- */

/* A record whose cases are made of given nodes. */
static struct anatomy *made_of(void)
{
    struct anatomy *const a = ARENA_NEW(&arena, DRAFT_CASES, struct anatomy);

    assert_non_null(a);
    record.anatomy = a;
    return a;
}

/* A case of an op alone: f32 of one pixel and 4 channels. */
static void add_made(struct anatomy *a, const char *op, int variant, const char *classes,
                     const char *numbers, const char *what)
{
    char name[64];
    struct record_result *r;

    snprintf(name, sizeof name, "%s.f32.x%d", op, variant);
    r = add_result(arena_string(&record.arena, name), "f32 [1, 1, 1, 4]",
                   what ? CASE_FAIL : CASE_PASS, what);
    a[r->test_case].judged = (struct anatomy_node){ op, classes, numbers };
}

static const char over[] = "over the limit (1 of 4 wrong)";
static const char unequal[] = "not the integer nearest to the exact result (1 of 4 wrong)";

static const struct finding *finding_where(const char *pattern)
{
    for (size_t i = 0; i < finding_count; i++)
        if (pattern ? findings[i].pattern && strcmp(findings[i].pattern, pattern) == 0
                    : !findings[i].pattern)
            return &findings[i];
    fail_msg("no finding with the pattern %s", pattern ? pattern : "none");
    return NULL;
}

/* Two causes in one op are two findings; what neither explains is a third. */
TEST(test_two_causes, .setup = open_record, .teardown = close_record)
{
    struct anatomy *const a = made_of();
    int variant = 0;

    for (int i = 0; i < 12; i++) {
        add_made(a, "conv_2d", variant++, "relu activation", "kernel=9", over);
        add_made(a, "conv_2d", variant++, "groups", "kernel=1", over);
        add_made(a, "conv_2d", variant++, "groups", "kernel=9", NULL);
        add_made(a, "conv_2d", variant++, "same", "kernel=1", NULL);
        add_made(a, "conv_2d", variant++, "same", "kernel=9", NULL);
    }
    add_made(a, "conv_2d", variant++, "same", "kernel=1", over);
    find();
    assert_int_equal(finding_count, 3);
    assert_int_equal(finding_where("a fused activation")->count, 12);
    assert_int_equal(finding_where("kernel == 1 and groups")->count, 12);
    assert_int_equal(finding_where(NULL)->count, 1);
}

/* One condition in ops of a family is one finding, and so is what is special of a model in any;
 * conditions on sizes of strangers are two. */
TEST(test_one_condition, .setup = open_record, .teardown = close_record)
{
    static const struct {
        const char *ops[2], *classes;
        size_t findings;
    } rows[] = {
        { { "add", "mul" }, "batch", 1 },
        { { "conv_2d", "add" }, "activation", 1 },
        { { "conv_2d", "add" }, "batch", 2 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct anatomy *const a = made_of();

        for (int k = 0; k < 24; k++)
            for (int op = 0; op < 2; op++)
                add_made(a, rows[i].ops[op], k, k % 2 ? rows[i].classes : "", "rank=4",
                         k % 2 ? over : NULL);
        find();
        assert_int_equal(finding_count, rows[i].findings);
        close_record(NULL);
        open_record(NULL);
    }
}

/* Ops of a family that fail in the same rows are one finding, without a pattern, too. */
TEST(test_same_rows, .setup = open_record, .teardown = close_record)
{
    struct anatomy *const a = made_of();

    for (int k = 0; k < 20; k++) {
        add_made(a, "less", k, "", "rank=4", strchr("behot", 'a' + k) ? over : NULL);
        add_made(a, "greater", k, "", "rank=4", strchr("behl", 'a' + k) ? over : NULL);
        add_made(a, "equal", k, "", "rank=4", strchr("cjm", 'a' + k) ? over : NULL);
    }
    find();
    assert_int_equal(finding_count, 2);
    assert_string_equal(findings[0].name, "greater less f32");
    assert_int_equal(findings[0].count, 9);
    assert_int_equal(findings[0].judged, 40);
    assert_string_equal(findings[1].name, "equal f32");
}

/* Integers that are off by one step are one finding in all ops, to which a graph of such an op
 * goes, and not to another op's. */
TEST(test_one_step, .setup = open_record, .teardown = close_record)
{
    static const char *const ops[] = { "conv_2d", "add", "softmax" };
    struct anatomy *const a = made_of();
    static const char *const whys[] = { unequal, over };
    struct anatomy_node node = { "add", "", "rank=4" };

    for (int op = 0; op < 3; op++)
        for (int k = 0; k < 4; k++)
            add_made(a, ops[op], k, "", "rank=4", k == 3 ? unequal : NULL);
    for (int i = 0; i < 2; i++) { /* the second graph ends in floats that are off */
        struct record_result *const graph =
            add_result(i ? "gap.f32.floats" : "gap.f32.graph", "f32 [1, 4]", CASE_FAIL, whys[i]);

        record.cases[graph->test_case].title = "a known fault";
        a[graph->test_case].nodes = &node;
        a[graph->test_case].node_count = 1;
    }
    for (size_t i = 0; i < record.result_count; i++)
        record.results[i].error = i == 3 ? 1.6 : 1;
    find();
    assert_int_equal(finding_count, 3);
    assert_string_equal(findings[0].name, "integers that are off by one step");
    assert_string_equal(findings[0].ops, "add softmax");
    assert_int_equal(findings[0].graphs, 1);
    assert_int_equal(findings[0].count, 3);
    assert_string_equal(findings[1].name, "conv_2d f32");
    assert_int_equal(findings[1].graphs, 0);
}

/* Of crashes whose last words say little the signal counts, and what the models have in common. */
TEST(test_signals, .setup = open_record, .teardown = close_record)
{
    struct anatomy *const a = made_of();

    for (int k = 0; k < 40; k++) {
        const bool empty = k % 4 == 0, other = k == 1;

        add_made(a, k % 8 ? "add" : "conv_2d", k, empty ? "empty" : "same", "rank=4",
                 empty ? k % 8 ? "SIGFPE in S0: prepare; one line" : "SIGFPE in S0: prepare; other"
                 : other ? "SIGFPE in S0: prepare; one line"
                         : NULL);
        if (empty || other)
            record.results[record.result_count - 1].status = CASE_CRASH;
    }
    for (int k = 40; k < 44; k++)
        add_made(a, "add", k, "empty", "rank=4", "state is kept");
    find();
    assert_int_equal(finding_count, 2);
    assert_int_equal(finding_where("an empty tensor")->count, 14);
    assert_int_equal(finding_where("an empty tensor")->severity, SEVERITY_CRASH);
    assert_int_equal(finding_where(NULL)->count, 1);
}

/* A graph that fails goes to the finding of an op that it has: by its pattern, or since cases of
 * the op with nearly its classes fail. */
TEST(test_graphs_are_explained, .setup = open_record, .teardown = close_record)
{
    static const struct {
        struct anatomy_node node;
        const char *name;
    } graphs[] = {
        { { "mul", "relu6 activation same rescaled tail", "rank=2" }, "by its pattern" },
        { { "softmax", "tail", "rank=1" }, "by its neighbours" },
        { { "softmax", "tail", "rank=4" }, "of passing neighbours" },
        { { "mul", "tail", "rank=4" }, "of another class" },
        { { "tanh", "activation", "rank=1" }, "of an op that passes" },
    };
    struct anatomy *const a = made_of();
    size_t of[5];

    for (int k = 0; k < 30; k++)
        add_made(a, "mul", k, k % 2 ? "relu activation" : "", "rank=4", k % 2 ? over : NULL);
    for (int k = 0; k < 12; k++)
        add_made(a, "softmax", k, k % 4 ? "" : "tail", k < 3 ? "rank=1" : "rank=4",
                 k < 3 ? over : NULL);
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        struct record_result *r;

        snprintf(name, sizeof name, "gap.f32.mul_g%zu", i);
        r = add_result(arena_string(&record.arena, name), "f32 [1, 4]", CASE_FAIL, over);
        of[i] = r->test_case;
        record.cases[of[i]].title = "ops merged into one give another result";
        a[of[i]].nodes = ARENA_NEW(&arena, 2, struct anatomy_node);
        a[of[i]].nodes[0] = (struct anatomy_node){ "relu", "", "rank=4" };
        a[of[i]].nodes[1] = graphs[i].node;
        a[of[i]].node_count = 2;
    }
    find();
    assert_int_equal(finding_count, 3);
    for (size_t i = 0; i < finding_count; i++) {
        const struct finding *const f = &findings[i];

        if (f->title) {
            assert_int_equal(f->count, 3);
            assert_int_equal(f->graphs, 0);
        } else {
            assert_int_equal(f->graphs, 1);
            assert_int_equal(record.results[f->results[f->count - 1]].test_case,
                             of[strcmp(f->op, "mul") == 0 ? 0 : 1]);
            assert_int_equal(f->judged, strcmp(f->op, "mul") == 0 ? 30 : 12);
        }
    }
}

TEST(test_severity)
{
    static const struct {
        double got, want, margin;
        enum severity severity;
    } rows[] = {
        { 1.02, 1, 9.9, SEVERITY_MARGINAL },     { 1.02, 1, 11, SEVERITY_LARGE },
        { 1.2, 1, 11, SEVERITY_GROSS },          { 1.2, 1, NAN, SEVERITY_GROSS },
        { 1.000001, 1, NAN, SEVERITY_MARGINAL }, { 1.00001, 1, NAN, SEVERITY_LARGE },
        { NAN, 1, 11, SEVERITY_GROSS },          { 1e-9, 0, NAN, SEVERITY_GROSS },
    };
    struct record_result r = { .status = CASE_FAIL, .what = "over the limit (1 of 2 wrong)" };

    r.where = r.worst.where = "[0]";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        r.worst.got = rows[i].got;
        r.worst.want = rows[i].want;
        r.worst.ratio = rows[i].margin;
        assert_int_equal(severity_of(&r), rows[i].severity);
    }
    /* Runs that differ: the margin is the first one's. */
    r = (struct record_result){ .status = CASE_FAIL, .where = "[0]", .want = 13, .limit = 0 };
    r.what = "other bits than when it was judged";
    r.got = 16;
    assert_true(isinf(severity_margin(&r)));
    assert_int_equal(severity_of(&r), SEVERITY_GROSS);
    r.got = 13.000001;
    assert_int_equal(severity_of(&r), SEVERITY_MARGINAL);
    r.what = "frame A gives other bits after frame B: state is kept";
    assert_int_equal(severity_of(&r), SEVERITY_BROKEN);
    /* Values that are judged by the sum of several limits have one. */
    r.what = "over the summed limits, without the intermediates as outputs";
    r.limit = r.margin = 2;
    assert_int_equal(severity_of(&r), SEVERITY_MARGINAL);
    assert_false(isinf(severity_margin(&r)));
    r.what = "not written: it holds what was there before (1 of 2 wrong)";
    assert_int_equal(severity_of(&r), SEVERITY_BROKEN);
    r.status = CASE_DECLINED;
    assert_int_equal(severity_of(&r), SEVERITY_BROKEN);
    r.status = CASE_TIMEOUT;
    assert_int_equal(severity_of(&r), SEVERITY_CRASH);
    r = (struct record_result){ .status = CASE_UNEXPECTED_PASS, .margin = 0.5 };
    assert_int_equal(severity_of(&r), SEVERITY_MARGINAL);
}

/* Ten are told whole, of the next a line each. */
TEST(test_many_findings, .setup = open_record, .teardown = close_record)
{
    char *text CLOSED_BY(kit_free) = NULL, name[96];
    FILE *const f = kit_memory_file(&text);

    for (int i = 0; i < 45; i++) {
        snprintf(name, sizeof name, "op%02d%s.f32.c", i,
                 i == 20 ? "_with_a_name_that_does_not_fit_a_line_and_ends_nowhere" : "");
        add_result(name, "f32 [1]", CASE_FAIL, "over the limit (1 of 4 wrong)");
    }
    add_result("slow.f32.c", "f32 [1]", CASE_TIMEOUT, "no answer in 60 s");
    record.subject_count = 1;
    draft_done(&record);
    assert_int_equal(findings_text(&record, f, &err), STATUS_OK);
    fclose(f);
    assert_non_null(strstr(text, " 10. marginal: op08 f32\n     1 of 1 case\n"));
    assert_non_null(strstr(text, " 11. marginal: op09 f32, 1 of 1 case\n"
                                 " 12. marginal: op10 f32, 1 of 1 case\n"));
    assert_non_null(strstr(text, " 40. marginal: op38 f32, 1 of 1 case\n  and 6 more kinds; "));
    assert_non_null(strstr(text, "\n  1. timeout: no answer in # s\n     1 of 1 case\n"));
    assert_non_null(strstr(text,
                           "\n 22. marginal: op20_with_a_name_that_does_not_fit_a_line_and_end"
                           "..., 1 of 1 case\n"));
}

TEST(test_no_text, .setup = open_record, .teardown = close_record)
{
    add_cases("conv_2d", "f32", 1, 1, 12, never);
    draft_done(&record);
    PRINTED(text, f, KIT_OK(findings_text(&record, f, &err)));
    assert_string_equal(text, "");
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
