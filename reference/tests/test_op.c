/* The table of scalar ops, and what their kernels share: windows, activations, loads and stores. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

TEST(table_has_each_op_once)
{
    static const int32_t codes[] = {
        BUILTIN_ADD,     BUILTIN_MUL,     BUILTIN_CONV_2D,         BUILTIN_DEPTHWISE_CONV_2D,
        BUILTIN_PAD,     BUILTIN_RESHAPE, BUILTIN_FULLY_CONNECTED, BUILTIN_AVERAGE_POOL_2D,
        BUILTIN_SOFTMAX, BUILTIN_RELU,    BUILTIN_RELU6,           BUILTIN_DEQUANTIZE,
        BUILTIN_MEAN
    };
    size_t count = 0;
    const struct ref_op *op;

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        op = ref_find(codes[i]);
        assert_non_null(op);
        assert_int_equal(op->code, codes[i]);
        assert_ptr_equal(ref_find_name(op->name), op);
    }
    for (; (op = ref_at(count)) != NULL; count++) {
        assert_ptr_equal(ref_find(op->code), op);
        assert_ptr_equal(ref_find_name(op->name), op);
        assert_true(op->params_bytes <= REF_PARAMS_MAX_BYTES);
        /* A custom op's parameters are the bytes of its options. */
        assert_true((op->params_bytes > 0 && !builtin_is_custom_row(op->code)) ==
                    (op->read_params != NULL));
        assert_non_null(op->prepare);
        assert_non_null(op->eval);
        assert_true(op->max_version >= 1);
        assert_true(op->max_inputs < 0 || op->min_inputs <= op->max_inputs);
        if (op->options_tag != 0)
            assert_non_null(option_table_find(op->options_tag));
    }
    assert_true(count >= sizeof codes / sizeof codes[0]);
    assert_null(ref_find(BUILTIN_COUNT));
    assert_null(ref_find(-1));
    assert_null(ref_find_name("conv"));
}

TEST(windows_follow_same_and_valid)
{
    static const struct {
        TfLitePadding padding;
        int32_t in, filter, stride, dilation;
        bool fits;
        int32_t out, before;
    } rows[] = {
        { kTfLitePaddingSame, 8, 3, 1, 1, true, 8, 1 },
        { kTfLitePaddingSame, 8, 3, 2, 1, true, 4, 0 }, /* one cell in all, at the end */
        { kTfLitePaddingSame, 7, 3, 2, 1, true, 4, 1 },
        { kTfLitePaddingSame, 5, 2, 1, 1, true, 5, 0 },
        { kTfLitePaddingSame, 5, 3, 1, 2, true, 5, 2 },
        { kTfLitePaddingSame, 4, 1, 3, 1, true, 2, 0 }, /* stride above filter */
        { kTfLitePaddingSame, 2, 7, 1, 1, true, 2, 3 }, /* filter above input */
        { kTfLitePaddingSame, 0, 3, 1, 1, true, 0, 0 },
        { kTfLitePaddingValid, 8, 3, 1, 1, true, 6, 0 },
        { kTfLitePaddingValid, 8, 3, 2, 1, true, 3, 0 },
        { kTfLitePaddingValid, 8, 3, 1, 3, true, 2, 0 },
        { kTfLitePaddingValid, 3, 3, 1, 1, true, 1, 0 },
        { kTfLitePaddingValid, 2, 3, 1, 1, false, 0, 0 },
        { kTfLitePaddingValid, 5, 3, 1, 3, false, 0, 0 },
        { kTfLitePaddingUnknown, 8, 3, 1, 1, false, 0, 0 },
        { kTfLitePaddingSame, 8, 3, 0, 1, false, 0, 0 },
        { kTfLitePaddingSame, 8, 3, 1, 0, false, 0, 0 },
        { kTfLitePaddingSame, 8, 0, 1, 1, false, 0, 0 },
        { kTfLitePaddingSame, 8, 3, -1, 1, false, 0, 0 },
        { kTfLitePaddingValid, INT32_MAX, INT32_MAX, 1, INT32_MAX, false, 0, 0 },
        { kTfLitePaddingSame, 1, INT32_MAX, INT32_MAX, INT32_MAX, false, 0, 0 },
        { kTfLitePaddingSame, INT32_MAX, 1, 1, 1, true, INT32_MAX, 0 },
        { kTfLitePaddingSame, 4, 65536, 1, 1, true, 4, 32767 }, /* the runtime's largest */
        { kTfLitePaddingSame, 4, 65537, 1, 1, false, 0, 0 },
        { kTfLitePaddingSame, 4, 65539, 65536, 1, true, 1, 32767 },
        { kTfLitePaddingSame, 4, 65540, 65536, 1, false, 0, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ref_window w = { -1, -1 };

        assert_int_equal(ref_window(rows[i].padding, rows[i].in, rows[i].filter, rows[i].stride,
                                    rows[i].dilation, &w),
                         rows[i].fits);
        if (rows[i].fits) {
            assert_int_equal(w.out, rows[i].out);
            assert_int_equal(w.before, rows[i].before);
        }
    }
    assert_int_equal(ref_padding(0), kTfLitePaddingSame);
    assert_int_equal(ref_padding(1), kTfLitePaddingValid);
    assert_int_equal(ref_padding(7), kTfLitePaddingUnknown);
    assert_int_equal(ref_padding(-1), kTfLitePaddingUnknown);
}

TEST(activations_clamp_and_pass_nan)
{
    assert_true(ref_activation(kTfLiteActNone, -9) == -9);
    assert_true(ref_activation(kTfLiteActRelu, -9) == 0);
    assert_true(ref_activation(kTfLiteActRelu, 9) == 9);
    assert_true(ref_activation(kTfLiteActReluN1To1, -9) == -1);
    assert_true(ref_activation(kTfLiteActReluN1To1, 9) == 1);
    assert_true(ref_activation(kTfLiteActReluN1To1, 0.5) == 0.5);
    assert_true(ref_activation(kTfLiteActRelu6, 9) == 6);
    assert_true(ref_activation(kTfLiteActRelu6, -9) == 0);
    assert_true(ref_activation(kTfLiteActTanh, -9) == -9); /* ignored, as in the runtime */
    assert_true(ref_activation(kTfLiteActSignBit, 9) == 9);
    for (int act = kTfLiteActNone; act <= kTfLiteActSigmoid; act++)
        assert_true(isnan(ref_activation((TfLiteFusedActivation)act, NAN)));
}

TEST(loads_and_stores_round_once)
{
    struct op_test t;
    const int64_t longs[] = { INT64_MIN, -1, INT64_MAX };
    const int8_t bytes[] = { -128, 127, 0 };
    const uint8_t unsigned_bytes[] = { 0, 255, 3 };
    const int16_t shorts[] = { -32768, 32767, 1 };
    const uint16_t halves[] = { 0x3c00, 0xc000, 0x0001 };
    TfLiteTensor *x;

    op_begin(&t, BUILTIN_RELU, kTfLiteFloat16);
    x = op_input(&t, kTfLiteInt64, 1, DIMS(3), longs);
    assert_true(ref_load_int(x, 0) == INT64_MIN && ref_load_int(x, 2) == INT64_MAX);
    x = op_input(&t, kTfLiteInt8, 1, DIMS(3), bytes);
    assert_true(ref_load_int(x, 0) == -128 && ref_load_int(x, 1) == 127);
    x = op_input(&t, kTfLiteUInt8, 1, DIMS(3), unsigned_bytes);
    assert_true(ref_load_int(x, 1) == 255);
    op_end(&t);

    op_begin(&t, BUILTIN_RELU, kTfLiteFloat16);
    x = op_input(&t, kTfLiteInt16, 1, DIMS(3), shorts);
    assert_true(ref_load_int(x, 0) == -32768 && ref_load_int(x, 1) == 32767);
    x = op_input(&t, kTfLiteFloat16, 1, DIMS(3), halves);
    assert_true(ref_load(x, 0) == 1 && ref_load(x, 1) == -2 && ref_load(x, 2) == 0x1p-24);
    x = op_input(&t, kTfLiteBool, 1, DIMS(3), unsigned_bytes);
    assert_true(ref_load_int(x, 0) == 0 && ref_load_int(x, 1) == 1);

    op_set_dims(t.out[0], 1, DIMS(1));
    t.out[0]->data.raw = mem_alloc(t.out[0]->bytes, 1);
    /* Just above the middle of 1 and the next half: one rounding goes up, two (through f32) would
     * meet a tie and stay at 1. */
    ref_store(&t.call, 0, 0, 1 + 0x1p-11 + 0x1p-40, 0, 0);
    assert_int_equal(t.out[0]->data.f16[0].data, 0x3c01);
    op_end(&t);
}

/* What rows of reference/tests/ops cannot tell, since no kernel acts on it. */
TEST(options_that_delegates_read_become_parameters)
{
    TfLiteDepthwiseConvParams depthwise = { 0 };
    TfLiteConvParams conv = { 0 };
    struct options o;

    options_init(&o, OPTIONS_Conv2DOptions);
    ref_find(BUILTIN_CONV_2D)->read_params(&o, &conv);
    assert_int_equal(conv.quantized_bias_type, kTfLiteFloat32);
    options_init(&o, OPTIONS_DepthwiseConv2DOptions);
    options_set_int(&o, "depth_multiplier", 5);
    ref_find(BUILTIN_DEPTHWISE_CONV_2D)->read_params(&o, &depthwise);
    assert_int_equal(depthwise.depth_multiplier, 5);
    assert_int_equal(ref_find(BUILTIN_DEQUANTIZE)->folds, REF_FOLD_WEIGHTS);
}
