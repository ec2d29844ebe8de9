/* The table of scalar ops, their helpers, and the ops that work element by element or move data:
 * binary, unary, dequantize, pad, reshape. */
#include "conformance/unit/kit/op_harness.h"

#include "reference/base/half.h"

#include <float.h>

/* ---- table and helpers ---- */

static void table_has_each_op_once(void **state)
{
    static const int32_t codes[] = {
        BUILTIN_ADD,     BUILTIN_MUL,     BUILTIN_CONV_2D,         BUILTIN_DEPTHWISE_CONV_2D,
        BUILTIN_PAD,     BUILTIN_RESHAPE, BUILTIN_FULLY_CONNECTED, BUILTIN_AVERAGE_POOL_2D,
        BUILTIN_SOFTMAX, BUILTIN_RELU,    BUILTIN_RELU6,           BUILTIN_DEQUANTIZE,
        BUILTIN_MEAN
    };
    size_t count = 0;
    const struct ref_op *op;

    (void)state;
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
        assert_true((op->params_bytes > 0) == (op->read_params != NULL));
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

static void windows_follow_same_and_valid(void **state)
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
    };

    (void)state;
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

static void activations_clamp_and_pass_nan(void **state)
{
    (void)state;
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

static void loads_and_stores_round_once(void **state)
{
    struct op_test t;
    const int64_t longs[] = { INT64_MIN, -1, INT64_MAX };
    const int8_t bytes[] = { -128, 127, 0 };
    const uint8_t unsigned_bytes[] = { 0, 255, 3 };
    const int16_t shorts[] = { -32768, 32767, 1 };
    const uint16_t halves[] = { 0x3c00, 0xc000, 0x0001 };
    TfLiteTensor *x;

    (void)state;
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

/* ---- ADD, MUL ---- */

static void set_add(struct op_test *t, TfLiteFusedActivation act)
{
    ((TfLiteAddParams *)(void *)t->params.bytes)->activation = act;
}

static void add_and_mul_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(1, -2, 3, 4.5f));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(10, 20, -30, 0.25f));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_gives(&t, 4, FLOATS(11, 18, -27, 4.75f));
    op_detail_is(&t, 2, -27, 27, 1);
    set_add(&t, kTfLiteActRelu6);
    op_run(&t);
    op_gives(&t, 4, FLOATS(6, 6, 0, 4.75f));
    set_add(&t, kTfLiteActReluN1To1);
    op_run(&t);
    op_gives(&t, 4, FLOATS(1, 1, -1, 1));
    set_add(&t, kTfLiteActTanh);
    op_run(&t);
    op_gives(&t, 4, FLOATS(11, 18, -27, 4.75f));
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, -2, 3));
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(-2));
    ((TfLiteMulParams *)(void *)t.params.bytes)->activation = kTfLiteActRelu;
    op_run(&t);
    op_has_shape(&t, 1, DIMS(3));
    op_gives(&t, 3, FLOATS(0, 4, 0));
    op_end(&t);
}

static void scalars_add_to_a_scalar(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(1.5f));
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(2));
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_gives(&t, 1, FLOATS(3.5f));
    op_end(&t);
}

/* Every pair of shapes of rank up to 4 with dimensions 1, 2 and 3 that broadcasts, against the rule
 * applied to coordinates. */
static void broadcasting_follows_the_coordinates(void **state)
{
    enum { N = 81 };
    size_t checked = 0;

    (void)state;
    for (int pair = 0; pair < N * N; pair += 7) { /* 7 has no factor 3: all residues come */
        const int ra = pair % 4 + 1, rb = pair / 4 % 4 + 1, rank = ra > rb ? ra : rb;
        int32_t da[4], db[4], dy[4];
        float a[81], b[81];
        size_t na = 1, nb = 1, i = 0;
        bool fits = true;
        struct op_test t;

        for (int d = 0, left = pair % N; d < ra; d++, left /= 3)
            na *= (size_t)(da[d] = left % 3 + 1);
        for (int d = 0, left = pair / N; d < rb; d++, left /= 3)
            nb *= (size_t)(db[d] = left % 3 + 1);
        for (int d = 0; d < rank; d++) {
            const int32_t ea = d < rank - ra ? 1 : da[d - (rank - ra)];
            const int32_t eb = d < rank - rb ? 1 : db[d - (rank - rb)];

            fits = fits && (ea == eb || ea == 1 || eb == 1);
            dy[d] = ea > eb ? ea : eb;
        }
        for (i = 0; i < na; i++)
            a[i] = (float)i;
        for (i = 0; i < nb; i++)
            b[i] = (float)(100 * i);
        op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, ra, da, a);
        op_input(&t, kTfLiteFloat32, rb, db, b);
        if (!fits) {
            op_refused(&t, STATUS_INVALID, "broadcast", "dimension", NULL);
            op_end(&t);
            continue;
        }
        op_run(&t);
        op_has_shape(&t, rank, dy);
        for (i = 0; i < ref_elements(t.out[0]); i++) {
            size_t ia = 0, ib = 0, ma = 1, mb = 1, left = i;

            for (int d = rank - 1; d >= 0; d--) {
                const size_t at = left % (size_t)dy[d];

                left /= (size_t)dy[d];
                if (d >= rank - ra) {
                    ia += (da[d - (rank - ra)] == 1 ? 0 : at) * ma;
                    ma *= (size_t)da[d - (rank - ra)];
                }
                if (d >= rank - rb) {
                    ib += (db[d - (rank - rb)] == 1 ? 0 : at) * mb;
                    mb *= (size_t)db[d - (rank - rb)];
                }
            }
            assert_true(t.out[0]->data.f[i] == a[ia] + b[ib]);
        }
        checked++;
        op_end(&t);
    }
    assert_true(checked > 200);
}

static void broadcasting_reaches_rank_8_and_empty_shapes(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 8, DIMS(1, 2, 1, 1, 1, 1, 1, 2), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteFloat32, 8, DIMS(2, 1, 1, 1, 1, 1, 1, 1), FLOATS(10, 20));
    op_run(&t);
    op_has_shape(&t, 8, DIMS(2, 2, 1, 1, 1, 1, 1, 2));
    op_gives(&t, 8, FLOATS(11, 12, 13, 14, 21, 22, 23, 24));
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 3), NULL);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 3), FLOATS(1, 2, 3));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(0, 3));
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(0), NULL);
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, 2, 3));
    op_refused(&t, STATUS_INVALID, "0 and 3", "dimension 0", NULL);
    op_end(&t);
}

static void binary_refuses(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 9, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1), FLOATS(1));
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(1));
    op_refused(&t, STATUS_INVALID, "input 0 (a)", "rank 9", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 3), NULL);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 5), NULL);
    op_refused(&t, STATUS_INVALID, "inputs 0 and 1", "3 and 5", "dimension 1 of 2", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteFloat32);
    op_input(&t, kTfLiteBool, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteBool, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (a)", "type bool", "f32", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_absent(&t);
    op_refused(&t, STATUS_INVALID, "input 1 (b)", "missing", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    set_add(&t, (TfLiteFusedActivation)99);
    op_refused(&t, STATUS_INVALID, "fused_activation_function", "99", NULL);
    t.out[0]->type = kTfLiteInt32;
    set_add(&t, kTfLiteActNone);
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "i32", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(-4), NULL);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_INVALID, "input 0 (a)", "dimension 0", "-4", NULL);
    op_end(&t);
}

/* ---- RELU, RELU6, DEQUANTIZE ---- */

static void relu_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_RELU, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(1, 2, 3), FLOATS(-1, 0, 1, 7, -FLT_MAX, NAN));
    op_run(&t);
    op_has_shape(&t, 3, DIMS(1, 2, 3));
    assert_true(isnan(t.out[0]->data.f[5]));
    t.out[0]->data.f[5] = 0;
    op_gives(&t, 6, FLOATS(0, 0, 1, 7, 0, 0));
    op_detail_is(&t, 3, 7, 7, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_RELU6, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(6.5f));
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_gives(&t, 1, FLOATS(6));
    op_end(&t);

    op_begin(&t, BUILTIN_RELU6, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 0), NULL);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 0));
    op_end(&t);

    op_begin(&t, BUILTIN_RELU, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "f16", NULL);
    op_end(&t);
}

static void dequantize_widens_halves(void **state)
{
    const uint16_t halves[] = { 0x3c00, 0xc500, 0x7bff, 0x0001, 0x8000, 0x7c00 };
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat16, 2, DIMS(2, 3), halves);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 3));
    op_gives(&t, 6, FLOATS(1, -5, 65504, 0x1p-24f, 0, INFINITY));
    op_detail_is(&t, 1, -5, 5, 1);
    assert_true(t.call.op->folds);
    op_end(&t);

    op_begin(&t, BUILTIN_DEQUANTIZE, kTfLiteFloat32);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "type i32", "f16", NULL);
    op_end(&t);
}

/* ---- PAD ---- */

static void pad_by_hand(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 2), INTS(1, 0, 0, 2));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 4));
    op_gives(&t, 12, FLOATS(0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0));
    op_detail_is(&t, 5, 2, 2, 1);
    op_detail_is(&t, 0, 0, 0, 1);
    op_end(&t);
}

static void pad_moves_any_size_and_rank(void **state)
{
    const uint8_t bytes[] = { 7, 8 };
    const int64_t longs[] = { -5, INT64_MAX };
    const uint16_t halves[] = { 0x3c00, 0x4000 };
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_PAD, kTfLiteUInt8);
    op_input(&t, kTfLiteUInt8, 1, DIMS(2), bytes);
    op_input(&t, kTfLiteInt64, 2, DIMS(1, 2), LONGS(1, 1));
    op_run(&t);
    assert_memory_equal(t.out[0]->data.raw, ((const uint8_t[]){ 0, 7, 8, 0 }), 4);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), longs);
    op_input(&t, kTfLiteInt64, 2, DIMS(1, 2), LONGS(2, 0));
    op_run(&t);
    assert_memory_equal(t.out[0]->data.i64, LONGS(0, 0, -5, INT64_MAX), 32);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 6, DIMS(1, 1, 1, 1, 2, 1), halves);
    op_input(&t, kTfLiteInt32, 2, DIMS(6, 2), INTS(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1));
    op_run(&t);
    op_has_shape(&t, 6, DIMS(1, 1, 2, 1, 2, 2));
    assert_memory_equal(t.out[0]->data.raw,
                        ((const uint16_t[]){ 0, 0, 0, 0, 0x3c00, 0, 0x4000, 0 }), 16);
    op_detail_is(&t, 6, 2, 2, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 2), NULL);
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 2), INTS(1, 0, 0, 0));
    op_run(&t);
    op_gives(&t, 2, FLOATS(0, 0));
    op_end(&t);
}

static void pad_waits_for_its_paddings(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(3));
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 2), INTS(1, 1))->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_run(&t);
    op_gives(&t, 3, FLOATS(0, 3, 0));
    op_end(&t);
}

static void pad_refuses(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 2), NULL);
    op_input(&t, kTfLiteInt32, 2, DIMS(2, 2), INTS(0, 0, 1, -1));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "row 1", "-1", NULL);
    memcpy(t.in[1]->data.i32, INTS(0, 0, INT32_MAX, 1), 16);
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "row 1", "2147483647", NULL);
    t.in[1]->bytes = 12;
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "12 bytes for 4 elements", NULL);
    op_set_dims(t.in[1], 2, DIMS(1, 4));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "[1,4]", "[2,2]", NULL);
    op_set_dims(t.in[1], 1, DIMS(4));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "rank 1", NULL);
    t.in[1]->type = kTfLiteInt16;
    op_set_dims(t.in[1], 2, DIMS(2, 2));
    op_refused(&t, STATUS_INVALID, "input 1 (paddings)", "i16", NULL);
    t.in[0]->quantization.type = kTfLiteAffineQuantization;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "quantized", NULL);
    t.in[0]->type = kTfLiteString;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "whole bytes", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_PAD, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteInt64, 2, DIMS(1, 2), LONGS(INT64_MAX, INT64_MAX));
    op_refused(&t, STATUS_INVALID, "row 0", "9223372036854775807", NULL);
    op_end(&t);
}

/* ---- RESHAPE ---- */

static void set_new_shape(struct op_test *t, int count, const int32_t *entries)
{
    TfLiteReshapeParams *p = (void *)t->params.bytes;

    p->num_dimensions = count;
    if (count > 0)
        memcpy(p->shape, entries, (size_t)count * sizeof *entries);
}

static void reshape_by_option(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 3), FLOATS(1, 2, 3, 4, 5, 6));
    set_new_shape(&t, 2, INTS(3, 2));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 2));
    op_gives(&t, 6, FLOATS(1, 2, 3, 4, 5, 6));
    op_detail_is(&t, 5, 6, 6, 1);
    set_new_shape(&t, 3, INTS(1, -1, 2));
    op_run(&t);
    op_has_shape(&t, 3, DIMS(1, 3, 2));
    set_new_shape(&t, 1, INTS(-1));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(6));
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteInt8);
    op_input(&t, kTfLiteInt8, 1, DIMS(1), "x");
    op_run(&t); /* no option, no tensor: a scalar */
    op_has_shape(&t, 0, NULL);
    assert_int_equal(t.out[0]->data.int8[0], 'x');
    set_new_shape(&t, 1, INTS(0)); /* the old spelling */
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 4), NULL);
    set_new_shape(&t, 2, INTS(7, 0));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(7, 0));
    set_new_shape(&t, 2, INTS(4, -1));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(4, 0));
    op_end(&t);
}

static void reshape_by_tensor(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_RESHAPE, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(4), "abcdefgh");
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, -1));
    set_new_shape(&t, 1, INTS(4)); /* the tensor wins */
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    assert_memory_equal(t.out[0]->data.raw, "abcdefgh", 8);
    /* Not a vector: the option is used. */
    op_set_dims(t.in[1], 2, DIMS(1, 2));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(4));
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 1), FLOATS(5));
    op_input(&t, kTfLiteInt32, 1, DIMS(0), NULL);
    op_run(&t); /* a vector without entries: a scalar */
    op_has_shape(&t, 0, NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, 2))->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteInt4);
    op_input(&t, kTfLiteInt4, 1, DIMS(3), "\x21\x03"); /* two a byte, an odd count */
    set_new_shape(&t, 2, INTS(3, 1));
    op_run(&t);
    assert_memory_equal(t.out[0]->data.raw, "\x21\x03", 2);
    op_end(&t);
}

static void reshape_refuses(void **state)
{
    struct op_test t;

    (void)state;
    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(6), NULL);
    set_new_shape(&t, 2, INTS(-1, -1));
    op_refused(&t, STATUS_INVALID, "new shape", "entries 0 and 1", "-1", NULL);
    set_new_shape(&t, 2, INTS(-2, 3));
    op_refused(&t, STATUS_INVALID, "new shape", "entry 0", "-2", NULL);
    set_new_shape(&t, 2, INTS(2, 4));
    op_refused(&t, STATUS_INVALID, "new shape", "8 elements", "expected 6", NULL);
    set_new_shape(&t, 2, INTS(4, -1));
    op_refused(&t, STATUS_INVALID, "entry 1 is -1", "4 of 6", NULL);
    set_new_shape(&t, 2, INTS(0, -1));
    op_refused(&t, STATUS_INVALID, "entry 1 is -1", "0 of 6", NULL);
    set_new_shape(&t, 3, INTS(INT32_MAX, INT32_MAX, INT32_MAX));
    op_refused(&t, STATUS_INVALID, "new shape", "too large", NULL);
    ((TfLiteReshapeParams *)(void *)t.params.bytes)->num_dimensions = 9;
    op_refused(&t, STATUS_INVALID, "new_shape", "more than 8", NULL);
    set_new_shape(&t, 0, NULL);
    op_refused(&t, STATUS_INVALID, "1 elements", "expected 6", NULL);
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(6));
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (shape)", "i64", NULL);
    t.in[1]->type = kTfLiteInt32;
    op_set_dims(t.in[1], 1, DIMS(9));
    op_refused(&t, STATUS_INVALID, "input 1 (shape)", "9 entries", NULL);
    t.out[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteString);
    op_input(&t, kTfLiteString, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "expected one of fixed size", NULL);
    op_end(&t);
}

static void reshape_reads_its_option(void **state)
{
    const int32_t nine[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 6 };
    const struct ref_op *op = ref_find(BUILTIN_RESHAPE);
    TfLiteReshapeParams p = { .num_dimensions = 0 };
    struct options o;

    (void)state;
    options_init(&o, OPTIONS_ReshapeOptions);
    op->read_params(&o, &p);
    assert_int_equal(p.num_dimensions, 0);
    options_set_ints(&o, "new_shape", nine + 6, 3);
    op->read_params(&o, &p);
    assert_int_equal(p.num_dimensions, 3);
    assert_int_equal(p.shape[2], 6);
    options_set_ints(&o, "new_shape", nine, 9);
    op->read_params(&o, &p);
    assert_int_equal(p.num_dimensions, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_each_op_once),
        cmocka_unit_test(windows_follow_same_and_valid),
        cmocka_unit_test(activations_clamp_and_pass_nan),
        cmocka_unit_test(loads_and_stores_round_once),
        cmocka_unit_test(add_and_mul_by_hand),
        cmocka_unit_test(scalars_add_to_a_scalar),
        cmocka_unit_test(broadcasting_follows_the_coordinates),
        cmocka_unit_test(broadcasting_reaches_rank_8_and_empty_shapes),
        cmocka_unit_test(binary_refuses),
        cmocka_unit_test(relu_by_hand),
        cmocka_unit_test(dequantize_widens_halves),
        cmocka_unit_test(pad_by_hand),
        cmocka_unit_test(pad_moves_any_size_and_rank),
        cmocka_unit_test(pad_waits_for_its_paddings),
        cmocka_unit_test(pad_refuses),
        cmocka_unit_test(reshape_by_option),
        cmocka_unit_test(reshape_by_tensor),
        cmocka_unit_test(reshape_refuses),
        cmocka_unit_test(reshape_reads_its_option),
    };

    return cmocka_run_group_tests_name("ref_ops", tests, NULL, NULL);
}
