/* FILL, ZEROS_LIKE, RANGE, BROADCAST_ARGS and SCATTER_ND: types that the suite does not have,
 * inputs that are known in invoke only, and what is refused. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>

static void invoke_fails(struct op_test *t, const char *words)
{
    const struct ref_shape *const s = &t->shapes[0];

    assert_int_equal(op_prepare(t), STATUS_OK);
    op_set_dims(t->out[0], s->rank, s->dims);
    free(t->out[0]->data.raw);
    t->out[0]->data.raw = calloc(64, 8);
    assert_int_equal(t->call.op->eval(&t->call, &t->diag), STATUS_INVALID);
    if (!strstr(t->diag.text, words))
        fail_msg("%s: not in: %s", words, t->diag.text);
    op_end(t);
}

TEST(fills)
{
    struct op_test t;

    op_begin(&t, BUILTIN_FILL, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(2, 1));
    op_input(&t, kTfLiteInt64, 0, NULL, LONGS(INT64_MIN));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 1));
    op_gives_bytes(&t, 16, LONGS(INT64_MIN, INT64_MIN));
    op_end(&t);
    op_begin(&t, BUILTIN_FILL, kTfLiteInt16);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(3));
    op_input(&t, kTfLiteInt16, 0, NULL, (const int16_t[]){ -300 });
    op_run(&t);
    op_gives_bytes(&t, 6, ((const int16_t[]){ -300, -300, -300 }));
    op_end(&t);
    op_begin(&t, BUILTIN_ZEROS_LIKE, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(7, 8));
    op_run(&t);
    op_gives_bytes(&t, 16, LONGS(0, 0));
    op_end(&t);
}

static void begin_range(struct op_test *t, TfLiteType type, const void *start, const void *limit,
                        const void *delta)
{
    op_begin(t, BUILTIN_RANGE, type);
    op_input(t, type, 0, NULL, start);
    op_input(t, type, 0, NULL, limit);
    op_input(t, type, 0, NULL, delta);
}

TEST(ranges)
{
    struct op_test t;

    begin_range(&t, kTfLiteInt64, LONGS(INT64_MIN), LONGS(INT64_MAX), LONGS(1LL << 62));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(4));
    op_gives_bytes(&t, 32, LONGS(INT64_MIN, -(1LL << 62), 0, 1LL << 62));
    op_end(&t);
    begin_range(&t, kTfLiteInt64, LONGS(5), LONGS(-1), LONGS(INT64_MIN));
    op_run(&t);
    op_gives_bytes(&t, 8, LONGS(5));
    op_end(&t);
    begin_range(&t, kTfLiteFloat32, FLOATS(1), FLOATS(1), FLOATS(-2));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(0));
    op_end(&t);
    /* The bound grows with the elements that were added up. */
    begin_range(&t, kTfLiteFloat32, FLOATS(0), FLOATS(4), FLOATS(1));
    op_run(&t);
    op_gives(&t, 4, FLOATS(0, 1, 2, 3));
    op_detail_is(&t, 3, 3, 6, 1);
    op_end(&t);
}

TEST(wrong_ranges)
{
    struct op_test t;

    begin_range(&t, kTfLiteInt32, INTS(0), INTS(5), INTS(0));
    op_refused(&t, STATUS_INVALID, "delta", "is 0", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteInt32, INTS(0), INTS(5), INTS(-1));
    op_refused(&t, STATUS_INVALID, "below 0, but the limit is above", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteInt32, INTS(5), INTS(0), INTS(1));
    op_refused(&t, STATUS_INVALID, "above 0, but the limit is below", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteInt64, LONGS(INT64_MIN), LONGS(INT64_MAX), LONGS(1));
    op_refused(&t, STATUS_INVALID, "elements, expected at most 2^31 - 1", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteFloat32, FLOATS(0), FLOATS(3e38f), FLOATS(1));
    op_refused(&t, STATUS_INVALID, "elements, expected at most 2^31 - 1", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteFloat32, FLOATS(0), FLOATS(INFINITY), FLOATS(1));
    op_refused(&t, STATUS_INVALID, "expected finite numbers", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteFloat32, FLOATS(0), FLOATS(1), FLOATS(NAN));
    op_refused(&t, STATUS_INVALID, "expected finite numbers", NULL);
    op_end(&t);
    begin_range(&t, kTfLiteInt16, INTS(0), INTS(5), INTS(1));
    op_refused(&t, STATUS_UNSUPPORTED, "i16", NULL);
    op_end(&t);
}

TEST(wrong_fills)
{
    struct op_test t;

    op_begin(&t, BUILTIN_FILL, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, -1));
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(1));
    op_refused(&t, STATUS_INVALID, "element 1 is -1", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_FILL, kTfLiteInt32);
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(1LL << 31));
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(1));
    op_refused(&t, STATUS_INVALID, "element 0 is 2147483648", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_FILL, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(9), INTS(1, 1, 1, 1, 1, 1, 1, 1, 1));
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(1));
    op_refused(&t, STATUS_UNSUPPORTED, "9 elements, expected at most 8", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_FILL, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(2));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    op_refused(&t, STATUS_INVALID, "input 1 (value)", NULL);
    op_end(&t);
    quant_begin(&t, BUILTIN_FILL, kTfLiteInt8);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(2));
    quant_set(op_input(&t, kTfLiteInt8, 0, NULL, BYTES(5)), 0.5, 1);
    quant_set(t.out[0], 0.25, 1);
    op_refused(&t, STATUS_UNSUPPORTED, "0.25", NULL);
    op_end(&t);
}

TEST(broadcast_args)
{
    struct op_test t;

    op_begin(&t, BUILTIN_BROADCAST_ARGS, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(1LL << 40, 1));
    op_input(&t, kTfLiteInt64, 1, DIMS(3), LONGS(2, 1, 3));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(3));
    op_gives_bytes(&t, 24, LONGS(2, 1LL << 40, 3));
    op_end(&t);
    op_begin(&t, BUILTIN_BROADCAST_ARGS, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, 3));
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(3));
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (b)", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_BROADCAST_ARGS, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, 3));
    op_input(&t, kTfLiteInt32, 1, DIMS(3), INTS(4, 1, 2));
    invoke_fails(&t, "dimension 2 of the result: 3 and 2 do not broadcast");
}

static void begin_scatter(struct op_test *t, TfLiteType type, const int32_t *indices,
                          const int32_t *update_dims, int update_rank, const void *updates)
{
    op_begin(t, BUILTIN_SCATTER_ND, type);
    op_input(t, kTfLiteInt32, 2, DIMS(3, 1), indices);
    op_input(t, type, update_rank, update_dims, updates);
    op_input(t, kTfLiteInt32, 1, DIMS(1), INTS(4));
}

TEST(scatters)
{
    struct op_test t;

    begin_scatter(&t, kTfLiteInt8, INTS(1, 3, 1), DIMS(3), 1, BYTES(100, 1, 100));
    op_run(&t);
    op_gives_bytes(&t, 4, BYTES(0, -56, 0, 1));
    op_end(&t);
    begin_scatter(&t, kTfLiteUInt8, INTS(0, 0, 0), DIMS(3), 1, UBYTES(200, 100, 1));
    op_run(&t);
    op_gives_bytes(&t, 4, UBYTES(45, 0, 0, 0));
    op_end(&t);
    begin_scatter(&t, kTfLiteInt64, INTS(2, 2, 0), DIMS(3), 1, LONGS(INT64_MAX, 1, -1));
    op_run(&t);
    op_gives_bytes(&t, 32, LONGS(-1, 0, INT64_MIN, 0));
    op_end(&t);
    begin_scatter(&t, kTfLiteBool, INTS(2, 2, 0), DIMS(3), 1, ((const bool[]){ 1, 1, 0 }));
    op_run(&t);
    op_gives_bytes(&t, 4, ((const bool[]){ 0, 0, 1, 0 }));
    op_end(&t);
    /* 1 + 2 is rounded, and then (1 + 2) + 4; a sum of one is not. */
    begin_scatter(&t, kTfLiteFloat32, INTS(1, 1, 1), DIMS(3), 1, FLOATS(1, -2, 4));
    op_run(&t);
    op_gives(&t, 4, FLOATS(0, 3, 0, 0));
    op_detail_is(&t, 1, 3, 10, 1);
    op_detail_is(&t, 0, 0, 0, 1);
    op_end(&t);
}

TEST(wrong_scatters)
{
    struct op_test t;

    begin_scatter(&t, kTfLiteFloat32, INTS(1, 4, 1), DIMS(3), 1, FLOATS(1, 2, 3));
    invoke_fails(&t, "place 1: index 4 of dimension 0, expected 0 to 3");
    begin_scatter(&t, kTfLiteInt32, INTS(1, 0, -1), DIMS(3), 1, INTS(1, 2, 3));
    invoke_fails(&t, "place 2: index -1 of dimension 0, expected 0 to 3");
    begin_scatter(&t, kTfLiteFloat32, INTS(1, 2, 3), DIMS(2), 1, FLOATS(1, 2));
    op_refused(&t, STATUS_INVALID, "dimension 0 is 2, expected 3", NULL);
    op_end(&t);
    begin_scatter(&t, kTfLiteFloat32, INTS(1, 2, 3), DIMS(3, 1), 2, FLOATS(1, 2, 3));
    op_refused(&t, STATUS_INVALID, "rank 2, expected 1", NULL);
    op_end(&t);
    begin_scatter(&t, kTfLiteInt16, INTS(1, 2, 3), DIMS(3), 1, (const int16_t[]){ 1, 2, 3 });
    op_refused(&t, STATUS_UNSUPPORTED, "i16", NULL);
    op_end(&t);
    quant_begin(&t, BUILTIN_SCATTER_ND, kTfLiteInt8);
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 1), INTS(0));
    quant_set(op_input(&t, kTfLiteInt8, 1, DIMS(1), BYTES(1)), 0.5, 3);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(2));
    quant_set(t.out[0], 0.5, 3);
    op_refused(&t, STATUS_UNSUPPORTED, "quantized", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SCATTER_ND, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 1), INTS(0));
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 2), INTS(5, 6));
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(3, 4));
    op_refused(&t, STATUS_INVALID, "dimension 1 is 2, expected 4", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SCATTER_ND, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 2), INTS(0, 0));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(5));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(3));
    op_refused(&t, STATUS_INVALID, "1 elements, expected 2", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SCATTER_ND, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 1), INTS(0));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(5));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(-3));
    op_refused(&t, STATUS_INVALID, "element 0 is -3", NULL);
    op_end(&t);
}

/* An input that is computed: the output is dynamic, and has its shape when prepare runs again. */
TEST(inputs_that_invoke_knows)
{
    const int32_t codes[] = { BUILTIN_FILL, BUILTIN_RANGE, BUILTIN_RANGE, BUILTIN_SCATTER_ND };
    const int last[] = { 0, 0, 2, 2 };

    for (int i = 0; i < 4; i++) {
        struct op_test t;

        if (codes[i] == BUILTIN_SCATTER_ND) {
            begin_scatter(&t, kTfLiteInt32, INTS(0, 1, 2), DIMS(3), 1, INTS(1, 2, 3));
        } else if (codes[i] == BUILTIN_RANGE) {
            begin_range(&t, kTfLiteInt32, INTS(0), INTS(4), INTS(1));
        } else {
            op_begin(&t, BUILTIN_FILL, kTfLiteInt32);
            op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(4));
            op_input(&t, kTfLiteInt32, 0, NULL, INTS(1));
        }
        t.in[last[i]]->allocation_type = kTfLiteArenaRw;
        assert_int_equal(op_prepare(&t), STATUS_OK);
        assert_true(t.shapes[0].dynamic);
        t.call.late = true;
        assert_int_equal(op_prepare(&t), STATUS_OK);
        assert_false(t.shapes[0].dynamic);
        assert_int_equal(t.shapes[0].rank, 1);
        assert_int_equal(t.shapes[0].dims[0], 4);
        op_end(&t);
    }
}
