/* The integer kernels of the ops that do not sum products: results computed by hand from the
 * definitions in fixed point, and everything that they refuse. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

/* One of two inputs and an output of a type, all of shape [count]. */
struct scaled {
    double scale;
    int zero;
};

static void begin_two(struct op_test *t, int32_t code, TfLiteType type, int32_t count,
                      const void *a, struct scaled qa, const void *b, struct scaled qb,
                      struct scaled qy)
{
    quant_begin(t, code, type);
    quant_set(op_input(t, type, 1, DIMS(count), a), qa.scale, qa.zero);
    if (b)
        quant_set(op_input(t, type, 1, DIMS(count), b), qb.scale, qb.zero);
    quant_set(t->out[0], qy.scale, qy.zero);
}

static void begin_one(struct op_test *t, int32_t code, TfLiteType type, int32_t count,
                      const void *x, struct scaled qx, struct scaled qy)
{
    begin_two(t, code, type, count, x, qx, NULL, qx, qy);
}

/* ---- elementwise ---- */

static const struct scaled half = { 0.5, 3 }, quarter = { 0.25, -5 }, wide = { 0.75, -1 };

TEST(sums_and_differences)
{
    static const int8_t a[] = { 10, -128, 127, 3 }, b[] = { 20, -128, 127, -5 };
    struct op_test t;

    begin_two(&t, BUILTIN_ADD, kTfLiteInt8, 4, a, half, b, quarter, wide);
    op_run(&t);
    quant_gives(&t, VALUES(12, -128, 126, -1));
    op_detail_is(&t, 0, 12, 9.75 / 0.75, 1);
    op_detail_is(&t, 1, -128, (65.5 + 30.75) / 0.75, 1);
    ((TfLiteAddParams *)(void *)t.params.bytes)->activation = kTfLiteActRelu6;
    op_run(&t);
    quant_gives(&t, VALUES(7, -1, 7, -1));
    op_end(&t);

    begin_two(&t, BUILTIN_SUB, kTfLiteInt8, 4, a, half, b, quarter, wide);
    op_run(&t);
    quant_gives(&t, VALUES(-5, -47, 38, -1));
    op_detail_is(&t, 0, (3.5 - 6.25) / 0.75 - 1, 9.75 / 0.75, 1);
    quant_refuses_scales(&t, t.in[0], "input 0 (a)");
    quant_refuses_scales(&t, t.in[1], "input 1 (b)");
    quant_refuses_scales(&t, t.out[0], "output 0 (output)");
    /* 1 / y has to stay under 2^20, where the runtime aborts. */
    quant_set(t.out[0], 0x1p-20, 0);
    op_refused(&t, STATUS_INVALID, "output 0 (output): scale 9.5", "expected more than", "0.5",
               NULL);
    quant_set(t.out[0], 0x1.000002p-20, 0);
    assert_int_equal(op_prepare(&t), STATUS_OK);
    op_end(&t);
}

TEST(products)
{
    static const int8_t a[] = { 10, -128, 127, 3 }, b[] = { 20, -128, 127, -5 };
    struct op_test t;

    begin_two(&t, BUILTIN_MUL, kTfLiteInt8, 4, a, half, b, quarter, wide);
    op_run(&t);
    quant_gives(&t, VALUES(28, 127, 127, -1));
    op_detail_is(&t, 0, 7 * 25 / 6. - 1, 7 * 25 / 6., 1);
    quant_set(t.in[0], 1e20, 0);
    quant_set(t.in[1], 1e20, 0);
    op_refused(&t, STATUS_INVALID, "scale of a * scale of b / output scale is inf", NULL);
    t.in[1]->quantization = (TfLiteQuantization){ 0 };
    op_refused(&t, STATUS_INVALID, "input 1 (b): i8 without a scale", NULL);
    op_end(&t);

    /* Over 1. */
    begin_two(&t, BUILTIN_MUL, kTfLiteUInt8, 2, UBYTES(13, 5), (struct scaled){ 2, 10 },
              UBYTES(4, 3), (struct scaled){ 3, 0 }, (struct scaled){ 2, 100 });
    op_run(&t);
    quant_gives(&t, VALUES(136, 55));
    op_end(&t);
}

TEST(comparisons_need_one_scale)
{
    struct op_test t;

    begin_two(&t, BUILTIN_MAXIMUM, kTfLiteUInt8, 2, UBYTES(200, 3), (struct scaled){ 1, 128 },
              UBYTES(100, 4), (struct scaled){ 1, 128 }, (struct scaled){ 1, 128 });
    op_run(&t);
    quant_gives(&t, VALUES(200, 4));
    quant_set(t.in[1], 1, 127);
    op_refused(&t, STATUS_UNSUPPORTED, "input 1: quantization differs", NULL);
    op_end(&t);
}

TEST(prelu_has_two_factors)
{
    struct op_test t;

    begin_two(&t, BUILTIN_PRELU, kTfLiteUInt8, 5, UBYTES(200, 127, 100, 120, 255),
              (struct scaled){ 0.5, 120 }, UBYTES(10, 10, 10, 10, 1), (struct scaled){ 0.125, 2 },
              (struct scaled){ 0.25, 100 });
    op_run(&t);
    quant_gives(&t, VALUES(255, 114, 60, 100, 255));
    op_detail_is(&t, 1, 114, 14, 1);
    op_detail_is(&t, 2, 60, 40, 1);
    quant_refuses_scales(&t, t.in[1], "input 1 (alpha)");
    quant_set(t.in[1], 1e38, 2);
    op_refused(&t, STATUS_INVALID, "input scale * alpha scale / output scale", NULL);
    op_end(&t);
}

TEST(clamps_requantize)
{
    static const int8_t x[] = { -128, -10, 5, 6, 40, 127 };
    struct op_test t;

    begin_one(&t, BUILTIN_RELU, kTfLiteInt8, 6, x, (struct scaled){ 0.1, 5 },
              (struct scaled){ 0.07, 7 });
    op_run(&t);
    quant_gives(&t, VALUES(7, 7, 7, 8, 57, 127));
    t.call.op = ref_find(BUILTIN_RELU6);
    op_run(&t);
    quant_gives(&t, VALUES(7, 7, 7, 8, 57, 93));
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    quant_set(t.out[0], 1e-9, 0);
    op_refused(&t, STATUS_INVALID, "scale 1e-09 is too small", NULL);
    quant_set(t.out[0], 1e-12, 0);
    t.call.op = ref_find(BUILTIN_RELU);
    op_refused(&t, STATUS_INVALID, "input scale / output scale is 1e+11", NULL);
    op_end(&t);
}

TEST(tables_are_rounded_once)
{
    struct op_test t;

    begin_one(&t, BUILTIN_LOGISTIC, kTfLiteInt8, 5, BYTES(-128, -7, 0, 50, 127),
              (struct scaled){ 0.05, -7 }, (struct scaled){ 1. / 256, -128 });
    op_run(&t);
    quant_gives(&t, VALUES(-127, 0, 22, 114, 127));
    assert_true(t.details[0].value[1] == 0);
    assert_true(fabs(t.details[0].magnitude[2] - 0.35) < 1e-6);
    quant_refuses_scales(&t, t.out[0], "output 0 (output)");
    quant_set(t.out[0], 1. / 256, 0);
    op_refused(&t, STATUS_INVALID, "zero point 0, expected 1/256 and -128", NULL);
    quant_set(t.out[0], 1.01 / 256, -128);
    op_refused(&t, STATUS_INVALID, "scale 0.00394531", "expected 1/256", NULL);
    op_end(&t);

    begin_one(&t, BUILTIN_LOGISTIC, kTfLiteUInt8, 2, UBYTES(255, 0), (struct scaled){ 1, 128 },
              (struct scaled){ 1. / 256, 0 });
    op_run(&t);
    quant_gives(&t, VALUES(255, 0));
    op_end(&t);

    begin_one(&t, BUILTIN_EXP, kTfLiteInt8, 5, BYTES(-128, 4, 40, 100, 127),
              (struct scaled){ 0.03, 4 }, (struct scaled){ 0.2, -100 });
    op_run(&t);
    quant_gives(&t, VALUES(-100, -95, -85, -11, 100));
    op_end(&t);
}

/* ---- rows and windows ---- */

TEST(softmax_in_fixed_point)
{
    TfLiteSoftmaxParams *p;
    struct op_test t;
    int8_t *many;

    begin_one(&t, BUILTIN_SOFTMAX, kTfLiteInt8, 5, BYTES(10, 20, -30, 20, 107),
              (struct scaled){ 0.1, 50 }, (struct scaled){ 1. / 256, -128 });
    p = (void *)t.params.bytes;
    p->beta = 1;
    op_run(&t);
    quant_gives(&t, VALUES(-128, -128, -128, -128, 127));
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    p->beta = 0;
    op_refused(&t, STATUS_INVALID, "beta 0 times the input scale 0.1", NULL);
    p->beta = 1;
    quant_set(t.out[0], 1. / 256, -127);
    op_refused(&t, STATUS_INVALID, "zero point -127, expected 1/256 and -128", NULL);
    quant_set(t.out[0], 1. / 255, -128);
    op_refused(&t, STATUS_INVALID, "expected 1/256", NULL);
    op_end(&t);

    begin_one(&t, BUILTIN_SOFTMAX, kTfLiteUInt8, 4, UBYTES(0, 1, 2, 3), (struct scaled){ 0.5, 0 },
              (struct scaled){ 1. / 256, 0 });
    ((TfLiteSoftmaxParams *)(void *)t.params.bytes)->beta = 2;
    op_run(&t);
    quant_gives(&t, VALUES(8, 22, 61, 165));
    assert_true(fabs(t.details[0].value[3] - 256 / (1 + exp(-1) + exp(-2) + exp(-3))) < 1e-9);
    op_end(&t);

    /* 511 equal ones are a step each, 512 half of one: none. */
    many = mem_alloc(512, 1);
    assert_non_null(many);
    for (int32_t count = 511; count <= 512; count++) {
        begin_one(&t, BUILTIN_SOFTMAX, kTfLiteInt8, count, many, (struct scaled){ 1, 0 },
                  (struct scaled){ 1. / 256, -128 });
        ((TfLiteSoftmaxParams *)(void *)t.params.bytes)->beta = 1;
        op_run(&t);
        assert_int_equal(t.out[0]->data.int8[0], count == 511 ? -127 : -128);
        assert_int_equal(t.out[0]->data.int8[510], count == 511 ? -127 : -128);
        op_end(&t);
    }
    mem_free(many);
}

TEST(means_of_integers)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_MEAN, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 2, DIMS(2, 3), BYTES(1, 2, 4, -9, 100, 120)), 0.5, -4);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(-1));
    quant_set(t.out[0], 0.3, 9);
    op_run(&t);
    op_has_shape(&t, 1, DIMS(2));
    quant_gives(&t, VALUES(20, 127));
    assert_true(fabs(t.details[0].value[0] - (9 + 19 / 1.8)) < 1e-6);
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    quant_refuses_scales(&t, t.out[0], "output 0 (output)");
    op_end(&t);

    /* Of nothing. */
    quant_begin(&t, BUILTIN_MEAN, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 2, DIMS(2, 0), NULL), 1, 7);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(1));
    quant_set(t.out[0], 1, 7);
    op_run(&t);
    quant_gives(&t, VALUES(0, 0));
    op_end(&t);
}

static void set_output_type(struct op_test *t, TfLiteType type)
{
    ((TfLiteArgMaxParams *)(void *)t->params.bytes)->output_type = type;
}

TEST(arg_max_takes_the_first)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_ARG_MAX, kTfLiteInt64);
    op_input(&t, kTfLiteUInt8, 3, DIMS(1, 3, 2), UBYTES(1, 255, 7, 254, 7, 255));
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(1));
    set_output_type(&t, kTfLiteInt64);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 2));
    quant_gives(&t, VALUES(1, 0));
    t.in[1]->data.i32[0] = -1;
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 3));
    quant_gives(&t, VALUES(1, 1, 1));
    t.in[1]->data.i32[0] = 3;
    op_refused(&t, STATUS_INVALID, "input 1 (axis): 3, expected -rank to rank - 1, rank 3", NULL);
    t.in[1]->data.i32[0] = -4;
    op_refused(&t, STATUS_INVALID, "input 1 (axis): -4", NULL);
    t.in[1]->data.i32[0] = 2;
    op_set_dims(t.in[0], 3, DIMS(1, 3, 0));
    op_refused(&t, STATUS_INVALID, "input 0 (input): dimension 2 (axis) is 0", NULL);
    t.in[1]->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.out[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type i32, expected i64", NULL);
    set_output_type(&t, kTfLiteFloat32);
    op_refused(&t, STATUS_INVALID, "expected i32 or i64", NULL);
    op_set_dims(t.in[1], 1, DIMS(2));
    op_refused(&t, STATUS_INVALID, "input 1 (axis): 2 elements", NULL);
    op_set_dims(t.in[0], 0, NULL);
    op_refused(&t, STATUS_INVALID, "input 0 (input): rank 0", NULL);
    op_end(&t);

    quant_begin(&t, BUILTIN_ARG_MAX, kTfLiteInt32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 3),
             FLOATS(NAN, 2, 1, NAN, NAN, NAN, NAN, -INFINITY, -INFINITY));
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(1));
    set_output_type(&t, kTfLiteInt32);
    op_run(&t);
    quant_gives(&t, VALUES(1, 0, 1));
    op_end(&t);
}

TEST(pools_of_integers)
{
    TfLitePoolParams *p;
    struct op_test t;

    quant_begin(&t, BUILTIN_AVERAGE_POOL_2D, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 4, 2), BYTES(3, -3, 4, -4, 5, 7, -6, 0)), 2,
              -1);
    quant_set(t.out[0], 2, -1);
    p = (void *)t.params.bytes;
    *p = (TfLitePoolParams){ .padding = kTfLitePaddingValid,
                             .stride_height = 1,
                             .stride_width = 2,
                             .filter_height = 1,
                             .filter_width = 2 };
    op_run(&t);
    /* 3.5, -3.5, -0.5, 3.5: away from zero. */
    quant_gives(&t, VALUES(4, -4, -1, 4));
    op_detail_is(&t, 1, -3.5, 3.5, 2);
    p->activation = kTfLiteActRelu6;
    op_run(&t);
    quant_gives(&t, VALUES(2, -1, -1, 2));
    t.call.op = ref_find(BUILTIN_MAX_POOL_2D);
    op_run(&t);
    quant_gives(&t, VALUES(2, -1, 2, 2));
    p->activation = kTfLiteActNone;
    op_run(&t);
    quant_gives(&t, VALUES(4, -3, 5, 7));
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    quant_set(t.out[0], 2, 0);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0: quantization differs", "zero point -1", "and 0",
               NULL);
    op_end(&t);
}

/* ---- moving ---- */

TEST(pad_fills_with_the_zero_point)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_PAD, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 1, DIMS(2), UBYTES(0, 255)), 0.5, 200);
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 2), INTS(1, 2));
    quant_set(t.out[0], 0.5, 200);
    op_run(&t);
    quant_gives(&t, VALUES(200, 0, 255, 200, 200));
    quant_set(t.out[0], 0.5, 201);
    op_refused(&t, STATUS_UNSUPPORTED, "quantization differs", "200", "201", NULL);
    t.out[0]->quantization = (TfLiteQuantization){ 0 };
    op_refused(&t, STATUS_UNSUPPORTED, "quantization differs", NULL);
    op_end(&t);
}

TEST(concatenation_of_u8_rescales)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_CONCATENATION, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 1, DIMS(4), UBYTES(10, 11, 90, 110)), 0.5, 10);
    quant_set(op_input(&t, kTfLiteUInt8, 1, DIMS(2), UBYTES(7, 9)), 0.25, 30);
    quant_set(t.out[0], 0.25, 30);
    op_run(&t);
    quant_gives(&t, VALUES(30, 32, 190, 230, 7, 9));
    op_detail_is(&t, 1, 32, 2, 1);
    op_detail_is(&t, 4, 7, 7, 1);
    quant_refuses_scales(&t, t.in[1], "input 1 (input)");
    op_end(&t);

    quant_begin(&t, BUILTIN_CONCATENATION, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 1, DIMS(1), NULL), 0.5, 10);
    quant_set(t.out[0], 0.25, 10);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0: quantization differs", NULL);
    op_end(&t);
}

/* Half the size twice: the mean of two cells, in f32 for u8, and with coordinates in units of
 * 1/1024 for i8. */
TEST(resize_of_integers)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_RESIZE_BILINEAR, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 4, DIMS(1, 1, 2, 1), UBYTES(10, 13)), 1, 0);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(1, 4));
    quant_set(t.out[0], 1, 0);
    op_run(&t);
    quant_gives(&t, VALUES(10, 12, 13, 13));
    op_detail_is(&t, 1, 11.5, 13, 2 * 3.);
    quant_set(t.out[0], 1, 1);
    op_refused(&t, STATUS_UNSUPPORTED, "quantization differs", NULL);
    op_end(&t);

    quant_begin(&t, BUILTIN_RESIZE_BILINEAR, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 2, 1), BYTES(-10, -13)), 1, 0);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(1, 4));
    quant_set(t.out[0], 1, 0);
    op_run(&t);
    quant_gives(&t, VALUES(-10, -12, -13, -13)); /* away from zero */
    op_end(&t);

    /* 1024 * 3 / 7 is 439 with a rest of -1/7: output 6 lies at 2634/1024. */
    quant_begin(&t, BUILTIN_RESIZE_BILINEAR, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 4, DIMS(1, 1, 3, 1), BYTES(0, 0, 127)), 1, 0);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(1, 7));
    quant_set(t.out[0], 1, 0);
    op_run(&t);
    /* 3 * 439 = 1317: 293 behind cell 1; 4 * 439 = 1756: 732. */
    quant_gives(&t, VALUES(0, 0, 0, 36, 91, 127, 127));
    op_end(&t);
}

/* ---- between numbers and integers ---- */

TEST(quantize_rounds_away_from_zero)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_QUANTIZE, kTfLiteInt8);
    op_input(&t, kTfLiteFloat32, 1, DIMS(8),
             FLOATS(0, 0.25f, -0.25f, 0.24f, 61, -100, 1e30f, -INFINITY));
    quant_set(t.out[0], 0.5, 10);
    op_run(&t);
    quant_gives(&t, VALUES(10, 11, 9, 10, 127, -128, 127, -128));
    op_detail_is(&t, 1, 10.5, 0.5, 1);
    quant_refuses_scales(&t, t.out[0], "output 0 (output)");
    t.out[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0 (output): type i32 of an input of type f32", NULL);
    op_end(&t);

    quant_begin(&t, BUILTIN_QUANTIZE, kTfLiteInt16);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 3), FLOATS(1, 2, 3, 1, 2, 3));
    quant_channels(t.out[0], 3, FLOATS(0.5f, 1, 1e-9f), INTS(0, -7, 0), 1);
    op_run(&t);
    quant_gives(&t, VALUES(2, -5, 32767, 2, -5, 32767));
    quant_of(t.out[0])->quantized_dimension = 0;
    op_refused(&t, STATUS_INVALID, "output 0 (output): 3 scales, expected 1 or 2", NULL);
    quant_of(t.out[0])->quantized_dimension = 2;
    op_refused(&t, STATUS_INVALID, "quantized_dimension is 2, expected 0 to 1", NULL);
    quant_of(t.out[0])->quantized_dimension = -1;
    op_refused(&t, STATUS_INVALID, "quantized_dimension is -1", NULL);
    op_end(&t);
}

TEST(quantize_changes_scales)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_QUANTIZE, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteUInt8, 1, DIMS(5), UBYTES(0, 20, 21, 60, 255)), 0.5, 20);
    quant_set(t.out[0], 0.3, -7);
    op_run(&t);
    quant_gives(&t, VALUES(-40, -7, -5, 60, 127));
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    quant_set(t.in[0], 1e30, 0);
    op_refused(&t, STATUS_INVALID, "input scale / output scale is 3.3", NULL);
    quant_channels(t.in[0], 5, FLOATS(1, 1, 1, 1, 1), INTS(0, 0, 0, 0, 0), 0);
    op_refused(&t, STATUS_INVALID, "input 0 (input): 5 scales", NULL);
    op_end(&t);

    /* Only the sign bit differs. */
    quant_begin(&t, BUILTIN_QUANTIZE, kTfLiteUInt8);
    quant_set(op_input(&t, kTfLiteInt8, 1, DIMS(3), BYTES(-128, 0, 127)), 0.02, -5);
    quant_set(t.out[0], 0.02, 123);
    op_run(&t);
    quant_gives(&t, VALUES(0, 128, 255));
    op_end(&t);

    quant_begin(&t, BUILTIN_QUANTIZE, kTfLiteInt32);
    quant_set(op_input(&t, kTfLiteInt16, 1, DIMS(2), ((const int16_t[]){ -32768, 32767 })), 1, 0);
    quant_set(t.out[0], 0x1p-8, 0);
    op_run(&t);
    quant_gives(&t, VALUES(-32768 * 256, 32767 * 256));
    t.out[0]->type = kTfLiteInt16;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    quant_set(t.out[0], 0x1p-8, 1);
    op_refused(&t, STATUS_INVALID, "i16 has zero point 0", "output's 1", NULL);
    t.out[0]->type = kTfLiteUInt8;
    op_refused(&t, STATUS_UNSUPPORTED, "type u8 of an input of type i16", NULL);
    op_end(&t);
}

TEST(dequantize_by_tensor_and_channel)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    quant_set(op_input(&t, kTfLiteUInt8, 1, DIMS(3), UBYTES(0, 128, 255)), 0.1, 128);
    op_run(&t);
    op_gives(&t, 3, FLOATS(-128 * 0.1f, 0, 127 * 0.1f));
    quant_refuses_scales(&t, t.in[0], "input 0 (input)");
    op_end(&t);

    quant_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    quant_channels(op_input(&t, kTfLiteInt8, 3, DIMS(1, 2, 2), BYTES(1, 2, 3, -128)), 2,
                   FLOATS(0.5f, 3), INTS(1, -8), 1);
    op_run(&t);
    op_gives(&t, 4, FLOATS(0, 0.5f, 33, -360));
    op_end(&t);

    quant_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    quant_set(op_input(&t, kTfLiteInt16, 1, DIMS(2), ((const int16_t[]){ -32768, 3 })), 0x1p-15, 0);
    op_run(&t);
    op_gives(&t, 2, FLOATS(-1, 0x1.8p-14f));
    op_end(&t);
}

/* ---- LSTM ---- */

static void begin_lstm(struct op_test *t)
{
    quant_begin(t, BUILTIN_LSTM, kTfLiteUInt8);
    quant_set(op_input(t, kTfLiteUInt8, 2, DIMS(2, 1), UBYTES(200, 3)), 1. / 128, 128);
    quant_set(op_input(t, kTfLiteUInt8, 2, DIMS(2, 1), UBYTES(100, 255)), 1. / 128, 128);
    quant_set(op_input(t, kTfLiteUInt8, 2, DIMS(4, 2), UBYTES(200, 90, 30, 160, 128, 250, 140, 0)),
              1. / 32, 120);
    quant_set(op_input(t, kTfLiteInt32, 1, DIMS(4), INTS(500, -700, 9000, -20)), 0x1p-12, 0);
    quant_set(op_input(t, kTfLiteInt16, 2, DIMS(2, 1), ((const int16_t[]){ 1500, -32768 })),
              0x1p-11, 0);
    t->in[1]->allocation_type = t->in[4]->allocation_type = kTfLiteArenaRwPersistent;
    quant_set(t->out[0], 1. / 128, 128);
    quant_set(op_output(t, kTfLiteInt16), 0x1p-11, 0);
    quant_set(op_output(t, kTfLiteUInt8), 1. / 128, 128);
    quant_set(op_output(t, kTfLiteInt16), 0x1p-12, 0);
    *(TfLiteLSTMParams *)(void *)t->params.bytes =
        (TfLiteLSTMParams){ .activation = kTfLiteActTanh, .kernel_type = kTfLiteLSTMBasicKernel };
}

TEST(lstm_in_16_bits)
{
    static const int16_t z[] = { 7100, -8300, 5936, 4780, -13310, 15630, 24510, -17760 };
    static const int16_t c[] = { -466, -32606 };
    struct op_test t;

    begin_lstm(&t);
    op_run(&t);
    quant_gives(&t, VALUES(106, 126));
    assert_memory_equal(t.out[1]->data.raw, c, sizeof c);
    assert_memory_equal(t.out[2]->data.raw, UBYTES(200, 100, 3, 255), 4);
    assert_memory_equal(t.out[3]->data.raw, z, sizeof z);
    /* What the numbers give. */
    assert_true(fabs(t.details[0].value[0] - 106.15481212111874) < 1e-9);
    assert_true(fabs(t.details[1].value[1] + 32609.256980212907) < 1e-6);
    assert_true(t.details[3].value[5] == 15630);
    /* The state goes on. */
    assert_memory_equal(t.in[1]->data.raw, UBYTES(106, 126), 2);
    assert_memory_equal(t.in[4]->data.raw, c, sizeof c);
    op_end(&t);
}

/* The zero point of x and h times anything is 0: gates are what the biases are, in quarters. */
TEST(gates_round_up)
{
    static const int16_t z[] = { 1, 0, 2, -1, 1, 0, 2, -1 };
    struct op_test t;

    begin_lstm(&t);
    memset(t.in[0]->data.raw, 128, 2);
    memset(t.in[1]->data.raw, 128, 2);
    memcpy(t.in[3]->data.raw, INTS(2, -2, 6, -6), 16);
    quant_of(t.in[3])->scale->data[0] = 0x1p-14f;
    op_run(&t);
    assert_memory_equal(t.out[3]->data.raw, z, sizeof z);
    op_end(&t);
}

TEST(lstm_refuses_scales)
{
    static const char *const ins[] = { "input 0 (input)", "input 1 (previous activation)",
                                       "input 2 (weights)", "input 3 (bias)",
                                       "input 4 (previous state)" };
    struct op_test t;

    begin_lstm(&t);
    for (int i = 0; i < 5; i++)
        quant_refuses_scales(&t, t.in[i], ins[i]);
    for (int o = 0; o < 3; o++)
        quant_refuses_scales(&t, t.out[o], "(output)");
    quant_set(t.in[0], 1. / 127, 128);
    op_refused(&t, STATUS_INVALID, "input 0: scale 0.00787402 and zero point 128",
               "expected 1/128 and 128", NULL);
    quant_set(t.in[0], 1. / 128, 128);
    quant_set(t.out[1], 1. / 4096, 0);
    op_refused(&t, STATUS_INVALID, "output 1: scale 0.000244141", "expected 1/2048 and 0", NULL);
    quant_set(t.out[1], 1. / 2048, 0);
    quant_set(t.in[3], 1e9, 0);
    op_refused(&t, STATUS_INVALID, "bias scale in steps of 2^-12 is 4.096e+12", NULL);
    t.in[2]->type = kTfLiteInt8;
    op_refused(&t, STATUS_UNSUPPORTED, "input 2 (weights): type i8, expected u8", NULL);
    op_end(&t);
}
