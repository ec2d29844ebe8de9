/* DIV, SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD, POW, comparisons, logical ops and SELECT by hand:
 * integers that wrap, divisors of 0, shapes that do not fit. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

#include "reference/base/builtin.h"

static TfLiteDivParams *set_div(struct op_test *t)
{
    TfLiteDivParams *p = (TfLiteDivParams *)t->params.bytes;

    *p = (TfLiteDivParams){ .activation = kTfLiteActNone };
    t->call.params = p;
    return p;
}

static void begin_i32(struct op_test *t, int32_t code, int32_t count, const int32_t *a,
                      const int32_t *b)
{
    op_begin(t, code, kTfLiteInt32);
    if (code == BUILTIN_DIV)
        set_div(t);
    op_input(t, kTfLiteInt32, 1, DIMS(count), a);
    op_input(t, kTfLiteInt32, 1, DIMS(count), b);
}

static void expect_i32(int32_t code, int32_t count, const int32_t *a, const int32_t *b,
                       const int32_t *y)
{
    struct op_test t;

    begin_i32(&t, code, count, a, b);
    op_run(&t);
    op_gives_bytes(&t, (size_t)count * sizeof *y, y);
    op_end(&t);
}

TEST(integers)
{
    expect_i32(BUILTIN_DIV, 6, INTS(7, -7, 7, -7, 6, INT32_MIN), INTS(2, 2, -2, -2, 3, -1),
               INTS(3, -3, -3, 3, 2, INT32_MAX));
    expect_i32(BUILTIN_FLOOR_DIV, 6, INTS(7, -7, 7, -7, 6, INT32_MIN), INTS(2, 2, -2, -2, 3, -1),
               INTS(3, -4, -4, 3, 2, INT32_MIN));
    expect_i32(BUILTIN_FLOOR_MOD, 6, INTS(7, -7, 7, -7, 6, INT32_MIN), INTS(4, 4, -4, -4, 3, -1),
               INTS(3, 1, -1, -3, 0, 0));
    expect_i32(BUILTIN_POW, 5, INTS(3, -2, 0, 2, 3), INTS(4, 3, 0, 31, 21),
               INTS(81, -8, 1, INT32_MIN, 1870418611));
    expect_i32(BUILTIN_SQUARED_DIFFERENCE, 3, INTS(3, -2, 65536), INTS(5, 4, 0), INTS(4, 36, 0));
}

static void fails(struct op_test *t, const char *text)
{
    assert_int_equal(op_prepare(t), STATUS_OK);
    assert_int_equal(t->call.op->eval(&t->call, &t->diag), STATUS_INVALID);
    if (!strstr(t->diag.text, text))
        fail_msg("\"%s\" lacks \"%s\"", t->diag.text, text);
    op_end(t);
}

TEST(operands_that_fail)
{
    struct op_test t;

    begin_i32(&t, BUILTIN_DIV, 3, INTS(1, 2, 3), INTS(1, 2, 0));
    fails(&t, "input 1 (b): element 2 is 0");
    begin_i32(&t, BUILTIN_FLOOR_DIV, 2, INTS(1, 2), INTS(0, 2));
    fails(&t, "input 1 (b): element 0 is 0");
    begin_i32(&t, BUILTIN_FLOOR_MOD, 2, INTS(1, 2), INTS(0, 2));
    fails(&t, "input 1 (b): element 0 is 0");
    begin_i32(&t, BUILTIN_POW, 2, INTS(1, 2), INTS(3, -2));
    fails(&t, "element 1 is -2, expected an exponent of 0 or more");
    op_begin(&t, BUILTIN_FLOOR_DIV, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(1));
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(-0.0f));
    fails(&t, "input 1 (b): element 0 is 0");
}

TEST(floats)
{
    struct op_test t;

    op_begin(&t, BUILTIN_DIV, kTfLiteFloat32);
    set_div(&t);
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, -1, 1));
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(0, 0, 3));
    op_run(&t);
    op_gives(&t, 3, FLOATS(3.402823466e38f, -3.402823466e38f, 0.33333334f));
    op_end(&t);

    op_begin(&t, BUILTIN_FLOOR_MOD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(5.5f, -5.5f, 5.5f, -4));
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(2, 2, -2, 2));
    op_run(&t);
    op_gives(&t, 4, FLOATS(1.5f, 0.5f, -0.5f, -0.0f));
    op_end(&t);
}

TEST(comparisons)
{
    static const uint8_t equal[] = { 1, 0, 0, 1 }, less[] = { 0, 1, 0, 0 };
    struct op_test t;

    for (int i = 0; i < 2; i++) {
        op_begin(&t, i ? BUILTIN_LESS : BUILTIN_EQUAL, kTfLiteBool);
        op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(2, 1, NAN, 0));
        op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(2, 2, NAN, -0.0f));
        op_run(&t);
        op_gives_bytes(&t, 4, i ? less : equal);
        op_end(&t);
    }
    op_begin(&t, BUILTIN_LESS, kTfLiteBool);
    op_input(&t, kTfLiteBool, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteBool, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (a)", "type bool", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_LESS, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "bool", NULL);
    op_end(&t);
}

TEST(logical)
{
    static const uint8_t a[] = { 0, 1, 2, 0 }, b[] = { 0, 4, 0, 1 }, both[] = { 0, 1, 0, 0 },
                         any[] = { 0, 1, 1, 1 };
    struct op_test t;

    for (int i = 0; i < 2; i++) {
        op_begin(&t, i ? BUILTIN_LOGICAL_OR : BUILTIN_LOGICAL_AND, kTfLiteBool);
        op_input(&t, kTfLiteBool, 1, DIMS(4), a);
        op_input(&t, kTfLiteBool, 1, DIMS(4), b);
        op_run(&t);
        op_gives_bytes(&t, 4, i ? any : both);
        op_end(&t);
    }
}

static void begin_select(struct op_test *t, int32_t code, int rank, const int32_t *dims)
{
    static const uint8_t yes_no[] = { 1, 0, 1, 1, 0, 0 };

    op_begin(t, code, kTfLiteFloat32);
    op_input(t, kTfLiteBool, rank, dims, yes_no);
    op_input(t, kTfLiteFloat32, 2, DIMS(2, 3), FLOATS(1, 2, 3, 4, 5, 6));
    op_input(t, kTfLiteFloat32, 2, DIMS(2, 3), FLOATS(-1, -2, -3, -4, -5, -6));
}

TEST(selections)
{
    struct op_test t;

    begin_select(&t, BUILTIN_SELECT, 1, DIMS(2));
    op_run(&t);
    op_gives(&t, 6, FLOATS(1, 2, 3, -4, -5, -6));
    op_end(&t);
    begin_select(&t, BUILTIN_SELECT_V2, 1, DIMS(3));
    op_run(&t);
    op_gives(&t, 6, FLOATS(1, -2, 3, 4, -5, 6));
    op_end(&t);
    begin_select(&t, BUILTIN_SELECT, 2, DIMS(2, 3));
    op_run(&t);
    op_gives(&t, 6, FLOATS(1, -2, 3, 4, -5, -6));
    op_end(&t);
    begin_select(&t, BUILTIN_SELECT, 1, DIMS(3));
    op_refused(&t, STATUS_INVALID, "input 0 (condition)", "rank 1 with 3 elements", NULL);
    op_end(&t);
    begin_select(&t, BUILTIN_SELECT, 2, DIMS(2, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (condition)", NULL);
    op_end(&t);
    begin_select(&t, BUILTIN_SELECT_V2, 1, DIMS(2));
    op_refused(&t, STATUS_INVALID, "inputs 0 to 2", "2 and 3", "dimension 1 of 2", NULL);
    op_end(&t);
    begin_select(&t, BUILTIN_SELECT, 1, DIMS(2));
    op_set_dims(t.in[2], 2, DIMS(1, 3));
    op_refused(&t, STATUS_INVALID, "input 2 (b)", NULL);
    op_end(&t);
}
