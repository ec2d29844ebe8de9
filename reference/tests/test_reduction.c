/* SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL: answers of ai-edge-litert 2.3.0
 * in types that the suite does not have, NaN, results of nothing, and what is refused. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

#include <float.h>

static const int32_t whole[] = { INT32_MAX, 2, -7, INT32_MIN, -1, 65537 };

static void run_i32(int32_t code, const int32_t *expected)
{
    struct op_test t;

    op_begin(&t, code, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 3), whole);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(2));
    op_gives_bytes(&t, 8, expected);
    op_end(&t);
}

TEST(whole_numbers_wrap)
{
    run_i32(BUILTIN_SUM, INTS(INT32_MAX - 5, INT32_MIN + 65536));
    run_i32(BUILTIN_REDUCE_PROD, INTS(14, INT32_MIN));
    run_i32(BUILTIN_REDUCE_MAX, INTS(INT32_MAX, 65537));
    run_i32(BUILTIN_REDUCE_MIN, INTS(-7, INT32_MIN));
}

static void run_i64(int32_t code, int64_t expected)
{
    struct op_test t;

    op_begin(&t, code, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(3), LONGS(INT64_MAX, -3, INT64_MAX - 1));
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(-1));
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_gives_bytes(&t, 8, &expected);
    op_end(&t);
}

TEST(long_numbers)
{
    struct op_test t;

    run_i64(BUILTIN_REDUCE_MAX, INT64_MAX); /* a double would round both to 2^63 */
    run_i64(BUILTIN_REDUCE_MIN, -3);
    run_i64(BUILTIN_SUM, -6);
    run_i64(BUILTIN_REDUCE_PROD, INT64_MAX - 5); /* -3 times 2^63 + 2, modulo 2^64 */
    op_begin(&t, BUILTIN_MEAN, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 2, DIMS(2, 3), LONGS(-7, 2, -1, 7, 7, -8));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    op_run(&t);
    op_gives_bytes(&t, 16, LONGS(-2, 2));
    op_end(&t);
}

TEST(bytes_as_the_runtime)
{
    struct op_test t;

    /* The optimized kernel: the reference kernel is wrong. */
    quant_begin(&t, BUILTIN_SUM, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(2, 4), BYTES(-128, -7, 100, 3, 5, 127, 127, 90)),
              0.1, 3);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    quant_set(t.out[0], 0.25, -5);
    op_run(&t);
    quant_gives(&t, VALUES(-23, 127));
    op_detail_is(&t, 0, -5 - 44 * ((double)0.1f / 0.25), 238 * ((double)0.1f / 0.25), 4);
    op_detail_is(&t, 1, 127, 337 * ((double)0.1f / 0.25), 4);
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    op_end(&t);

    quant_begin(&t, BUILTIN_REDUCE_PROD, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(2, 3), BYTES(-12, 7, 10, 50, -27, 33)), 0.1, 3);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    quant_set(t.out[0], 0.125, -5);
    op_run(&t);
    quant_gives(&t, VALUES(-8, -128));
    quant_set(t.out[0], 1e-6, 0);
    op_set_dims(t.in[0], 2, DIMS(6, 1));
    op_refused(&t, STATUS_INVALID, "input scale / output scale^(1 / 1)", "expected less than 2^14",
               NULL);
    op_end(&t);
}

TEST(nan_and_infinity)
{
    struct op_test t;

    op_begin(&t, BUILTIN_REDUCE_MAX, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 3),
             FLOATS(NAN, 1, 2, -INFINITY, -INFINITY, -INFINITY, 3, NAN, -INFINITY));
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    op_run(&t);
    op_gives(&t, 3, FLOATS(2, -FLT_MAX, 3));
    op_set_dims(t.in[1], 1, DIMS(2));
    mem_free(t.in[1]->data.raw);
    t.in[1]->data.raw = mem_alloc(2, 4);
    memcpy(t.in[1]->data.raw, INTS(0, 1), 8);
    t.in[1]->bytes = 8;
    op_run(&t);
    assert_true(isnan(t.out[0]->data.f[0])); /* the first of all elements */
    op_end(&t);
}

TEST(of_nothing)
{
    static const struct {
        int32_t code;
        float result;
    } rows[] = { { BUILTIN_SUM, 0 },
                 { BUILTIN_REDUCE_PROD, 1 },
                 { BUILTIN_REDUCE_MAX, -FLT_MAX },
                 { BUILTIN_REDUCE_MIN, FLT_MAX } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct op_test t;

        op_begin(&t, rows[i].code, kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 2, DIMS(2, 0), NULL);
        op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
        op_run(&t);
        op_gives(&t, 2, FLOATS(rows[i].result, rows[i].result));
        op_end(&t);
    }
}

TEST(refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_REDUCE_ANY, kTfLiteBool);
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(0));
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type f32, expected bool", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SUM, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(0, 2));
    op_refused(&t, STATUS_INVALID, "input 1 (axes): element 1 is 2", "rank 2", NULL);
    t.in[1]->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.in[1]->type = kTfLiteInt64;
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (axes): type i64, expected i32", NULL);
    t.out[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0 (output): type i32, expected f32", NULL);
    op_end(&t);
    /* The integers are compared as they are. */
    quant_begin(&t, BUILTIN_REDUCE_MAX, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 1, DIMS(2), BYTES(1, 2)), 0.5, 0);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(0));
    quant_set(t.out[0], 0.25, 0);
    op_refused(&t, STATUS_UNSUPPORTED, "scale 0.5", "expected 0.25", NULL);
    op_end(&t);
}
