/* MEAN of floats: results by hand, empty and scalar inputs, and what it refuses.  ARG_MAX of
 * floats with NaN (without: test_quant_ops.c). */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

TEST(mean_by_hand)
{
    struct op_test t;

    op_begin(&t, BUILTIN_MEAN, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 2, 2), FLOATS(1, 2, 3, -4, 5, 6, 7, 8));
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(0, 2));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(2));
    op_gives(&t, 2, FLOATS(3.5f, 3.5f));
    op_detail_is(&t, 1, 3.5, 5.5, 4);
    memcpy(t.in[1]->data.i32, INTS(-1, 2), 8); /* negative, and the same twice */
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_gives(&t, 4, FLOATS(1.5f, -0.5f, 5.5f, 7.5f));
    op_detail_is(&t, 1, -0.5, 3.5, 2);
    ((TfLiteReducerParams *)(void *)t.params.bytes)->keep_dims = true;
    op_run(&t);
    op_has_shape(&t, 3, DIMS(2, 2, 1));
    memcpy(t.in[1]->data.i32, INTS(1, -3), 8);
    op_run(&t);
    op_has_shape(&t, 3, DIMS(1, 1, 2));
    op_gives(&t, 2, FLOATS(4, 3));
    op_set_dims(t.in[1], 1, DIMS(0)); /* no axis: as it is */
    op_run(&t);
    op_has_shape(&t, 3, DIMS(2, 2, 2));
    op_gives(&t, 8, FLOATS(1, 2, 3, -4, 5, 6, 7, 8));
    op_detail_is(&t, 3, -4, 4, 1);
    op_end(&t);
}

TEST(mean_of_scalars_and_of_nothing)
{
    struct op_test t;

    op_begin(&t, BUILTIN_MEAN, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(1, 2, 3, 6));
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(0));
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_gives(&t, 1, FLOATS(3));
    op_end(&t);

    op_begin(&t, BUILTIN_MEAN, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 2), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(0));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(2));
    assert_true(isnan(t.out[0]->data.f[0]) && isnan(t.out[0]->data.f[1]));
    memcpy(t.in[1]->data.i32, INTS(1), 4);
    op_run(&t);
    op_has_shape(&t, 1, DIMS(0));
    op_end(&t);

    op_begin(&t, BUILTIN_MEAN, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 8, DIMS(1, 2, 1, 1, 2, 1, 1, 1), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(1, -1));
    op_run(&t);
    op_has_shape(&t, 6, DIMS(1, 1, 1, 2, 1, 1));
    op_gives(&t, 2, FLOATS(2, 3));
    op_end(&t);
}

/* Answers of ai-edge-litert 2.3.0 on x86: over the last axis, and over an axis before it. */
TEST(arg_max_of_nan_is_the_runtimes)
{
    static const struct {
        float x[13];
        int32_t count, last, before;
    } rows[] = {
        { { 1, 2, NAN, 3 }, 4, 1, 3 },
        { { NAN, 2, 3, 4 }, 4, 0, 3 },
        { { 1, NAN, 3, 4 }, 4, 3, 3 },
        { { 1, 2, 3, NAN }, 4, 2, 2 },
        { { 2, NAN, 1, NAN }, 4, 0, 0 },
        { { NAN, 1, 2 }, 3, 2, 2 },
        { { 1, NAN, 2 }, 3, 2, 2 },
        { { NAN, NAN, NAN, NAN, NAN }, 5, 0, 0 },
        { { NAN, -2, 8, 1, 1, -INFINITY }, 6, 4, 2 },
        { { NAN, 5, 5, 7, -INFINITY, -INFINITY, NAN, INFINITY }, 8, 7, 7 },
        { { -INFINITY, -1, NAN, 2, NAN, 2, NAN, 5, 2 }, 9, 5, 7 },
        { { -1, -1, NAN, 8, 8, 8, NAN, 7 }, 8, 3, 3 },
        { { NAN, 3, -INFINITY, -INFINITY, 4, -1, -1, 1, NAN, -2, -INFINITY, -INFINITY }, 12, 4, 4 },
        { { 1, 5, 3, 2, 5, 5, 4, 5, 5 }, 9, 1, 1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float twice[2 * 13];
        struct op_test t;

        op_begin(&t, BUILTIN_ARG_MAX, kTfLiteInt32);
        op_input(&t, kTfLiteFloat32, 2, DIMS(1, rows[i].count), rows[i].x);
        op_input(&t, kTfLiteInt32, 0, NULL, INTS(-1));
        ((TfLiteArgMaxParams *)(void *)t.params.bytes)->output_type = kTfLiteInt32;
        op_run(&t);
        if (t.out[0]->data.i32[0] != rows[i].last)
            fail_msg("row %zu: %d, expected %d", i, t.out[0]->data.i32[0], rows[i].last);
        op_end(&t);

        for (int32_t k = 0; k < rows[i].count; k++)
            twice[2 * k] = twice[2 * k + 1] = rows[i].x[k];
        op_begin(&t, BUILTIN_ARG_MAX, kTfLiteInt32);
        op_input(&t, kTfLiteFloat32, 2, DIMS(rows[i].count, 2), twice);
        op_input(&t, kTfLiteInt32, 0, NULL, INTS(0));
        ((TfLiteArgMaxParams *)(void *)t.params.bytes)->output_type = kTfLiteInt32;
        op_run(&t);
        if (t.out[0]->data.i32[0] != rows[i].before || t.out[0]->data.i32[1] != rows[i].before)
            fail_msg("row %zu, axis 0: %d, expected %d", i, t.out[0]->data.i32[0], rows[i].before);
        op_end(&t);
    }
}

TEST(mean_waits_and_refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_MEAN, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 3), FLOATS(1, 2, 6));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(2))->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_refused(&t, STATUS_INVALID, "input 1 (axes)", "element 0 is 2", "rank 2", NULL);
    memcpy(t.in[1]->data.i32, INTS(-3), 4);
    op_refused(&t, STATUS_INVALID, "input 1 (axes)", "element 0 is -3", NULL);
    memcpy(t.in[1]->data.i32, INTS(-1), 4);
    op_run(&t);
    op_gives(&t, 1, FLOATS(3));
    t.in[1]->bytes = 3;
    op_refused(&t, STATUS_INVALID, "input 1 (axes)", "3 bytes for 1 elements", NULL);
    op_set_dims(t.in[1], 2, DIMS(1, 1)); /* any shape will do */
    op_run(&t);
    op_gives(&t, 1, FLOATS(3));
    t.in[1]->type = kTfLiteInt64;
    op_set_dims(t.in[1], 1, DIMS(1));
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (axes)", "i64", NULL);
    t.in[0]->type = kTfLiteUInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "u32", NULL);
    op_end(&t);
}

TEST(mean_reads_keep_dims)
{
    TfLiteReducerParams reducer = { 0 };
    struct options o;

    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    ref_find(BUILTIN_MEAN)->read_params(&o, &reducer);
    assert_true(reducer.keep_dims);
}
