/* What wrong outputs look like, and what failures have in common. */
#include "conformance/report/record/how.h"
#include "conformance/suite/judge/looks.h"
#include "conformance/tests/kit/draft_record.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <math.h>

/* Of 4 or 6 results of the first node, as the device has them. */
static void expect_look(const char *model, const void *got, const void *before, const double *want,
                        size_t count, const char *look)
{
    struct interpreter *in;
    struct model m CLOSED_BY(model_close);
    struct looks_request q = { .got = got, .before = before, .want = want, .count = count };
    const char *found;
    TfLiteTensor *x;

    kit_text(&m, "%s", model);
    in = kit_interpreter(&m, NULL);
    assert_int_equal(interpreter_allocate(in, &err), STATUS_OK);
    q.in = in;
    x = interpreter_tensor(in, interpreter_node(in, 0)->inputs->data[0]);
    for (size_t i = 0; x->type == kTfLiteFloat32 && i < x->bytes / sizeof(float); i++)
        x->data.f[i] = (float)(10 + i);
    found = looks_like(&q);
    if (!look)
        assert_null(found);
    else
        assert_string_equal(found, look);
    interpreter_close(in);
}

TEST(test_looks)
{
    static const char add[] = "ADD {} x:f32[4] f32[4]=1,2,3,4 -> y";
    static const char dense[] = "FULLY_CONNECTED {} x:f32[2,1] f32[3,1]=1,2,3 f32[3]=7,8,9 -> y";
    static const char bytes[] = "RELU x:i8[4]q(0.5,3) -> y:i8[4]q(0.5,3)";
    const double want[] = { 1, 2, 3, 5, 6, 7 };

    expect_look(add, (float[]){ 1, 9, 3, 5 }, (float[]){ 1, 9, 3, 6 }, want, 4, NULL);
    expect_look(add, (float[]){ 1, 9, 3, 5 }, (float[]){ 1, 9, 3, 5 }, want, 4, "frame A's answer");
    expect_look(add, (float[]){ 10, 11, 12, 13 }, NULL, want, 4, "the input");
    expect_look(dense, (float[]){ 0, 0, 0, 0, 0, 0 }, NULL, want, 6, "zero");
    expect_look(dense, (float[]){ 7, 8, 9, 7, 8, 9 }, NULL, want, 6, "the bias alone");
    expect_look(dense, (float[]){ 7, 8, 9, 7, 8, 8 }, NULL, want, 6, NULL);
    expect_look(add, (float[]){ 2, 3, 5, 0 }, NULL, want, 4, "shifted by one place");
    expect_look(add, (float[]){ 2.0001F, 3, 5, 0 }, NULL, want, 4, "shifted by one place");
    expect_look(add, (float[]){ 2.001F, 3, 5, 0 }, NULL, want, 4, NULL);
    expect_look(add, (float[]){ 0, 1, 2, 3 }, NULL, want, 4, "shifted by one place");
    expect_look(add, (float[]){ 0, 1, 1, 1 }, NULL, (double[]){ 1, 1, 1, 1 }, 4, NULL);
    expect_look(add, (float[]){ NAN, NAN, NAN, NAN }, NULL, want, 4, NULL);
    expect_look(add, (float[]){ 0 }, NULL, want, 1, "zero");
    expect_look(add, (float[]){ 0 }, (float[]){ 0 }, want, 0, NULL);
    expect_look(bytes, (int8_t[]){ 3, 3, 3, 3 }, NULL, want, 4, "zero");
}

static struct record_result *add_failing(struct record *r, const char *name)
{
    struct record_result *const x = draft_result(r, 0, draft_case(r, name, "f32 [1, 2, 2, 6]"));

    draft_fail(x, "over the limit (1 of 24 wrong)", "over the limit");
    x->where = "n 0 h 1 w 0 c 5";
    x->by_channel = "00000z";
    x->channels = 6;
    return x;
}

static void expect_how(struct record *r, const char *text)
{
    static const size_t results[] = { 0, 1, 2 };
    char found[HOW_BYTES];

    how_text(r, results, 3, found);
    assert_string_equal(found, text);
}

TEST(test_how)
{
    struct record r CLOSED_BY(record_close);
    struct record_result *x[3];

    draft_open(&r);
    draft_subject(&r, "/opt", "libx.so", "fp32");
    x[0] = add_failing(&r, "add.f32.a");
    x[1] = add_failing(&r, "add.f32.b");
    x[2] = add_failing(&r, "add.f32.c");
    for (int i = 0; i < 3; i++) {
        x[i]->frame = 'A';
        x[i]->got = i;
    }
    expect_how(&r, "only the last slice of 4 channels is wrong; only rows over 0 are wrong");
    x[1]->by_channel = "0z0000";
    expect_how(&r, "only channels over 0 are wrong; only rows over 0 are wrong");
    x[1]->by_channel = "z00000";
    x[2]->where = "[1]";
    expect_how(&r, "");
    for (int i = 0; i < 3; i++) {
        x[i]->frame = 'B';
        x[i]->got = -10000;
        x[i]->want = i;
    }
    expect_how(&r, "right in frame A, wrong in frame B; -10000 where other values are expected");
    for (int i = 0; i < 3; i++)
        x[i]->equals = "frame A's answer";
    expect_how(&r, "right in frame A, wrong in frame B; equals frame A's answer");
    x[1]->equals = "zero";
    x[2]->frame = 'A';
    x[2]->got = 1;
    expect_how(&r, "");
    for (int i = 0; i < 3; i++) {
        x[i]->repeats.asked = x[i]->repeats.runs = 10;
        x[i]->repeats.wrong = 3;
        x[i]->got = NAN;
        x[i]->want = -INFINITY;
    }
    expect_how(&r, "in a part of its runs; NaN where -inf is expected");
}
