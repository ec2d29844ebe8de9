/* ADD, SUB, MUL, MAXIMUM, MINIMUM: results by hand, broadcasting against coordinates, integers that
 * wrap around, and halves that are rounded once. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

#include "reference/base/half.h"

#include <float.h>

static void set_add(struct op_test *t, TfLiteFusedActivation act)
{
    ((TfLiteAddParams *)(void *)t->params.bytes)->activation = act;
}

TEST(add_and_mul_by_hand)
{
    struct op_test t;

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

TEST(scalars_add_to_a_scalar)
{
    struct op_test t;

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
TEST(broadcasting_follows_the_coordinates)
{
    enum { N = 81 };
    size_t checked = 0;

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

TEST(broadcasting_reaches_rank_8_and_empty_shapes)
{
    struct op_test t;

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

TEST(binary_refuses)
{
    struct op_test t;

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

TEST(sub_by_hand)
{
    struct op_test t;

    op_begin(&t, BUILTIN_SUB, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 2), FLOATS(1, -2, 3, 4.5f));
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(10, 0.25f));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_gives(&t, 4, FLOATS(-9, -2.25f, -7, 4.25f));
    op_detail_is(&t, 2, -7, 7, 1);
    ((TfLiteSubParams *)(void *)t.params.bytes)->activation = kTfLiteActRelu6;
    op_run(&t);
    op_gives(&t, 4, FLOATS(0, 0, 0, 4.25f));
    op_end(&t);

    /* The smaller operand first: a - b, not b - a. */
    op_begin(&t, BUILTIN_SUB, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, DIMS(0), FLOATS(1));
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, 2, 4));
    op_run(&t);
    op_gives(&t, 3, FLOATS(0, -1, -3));
    op_end(&t);
}

TEST(maximum_and_minimum_by_hand)
{
    static const float a[] = { 1, -2, 5, -0.5f }, b[] = { 3, -4, 5, 0.5f };
    struct op_test t;

    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), a);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 4), b);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 4));
    op_gives(&t, 4, FLOATS(3, -2, 5, 0.5f));
    op_detail_is(&t, 1, -2, 2, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_MINIMUM, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), a);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), b);
    op_run(&t);
    op_gives(&t, 4, FLOATS(1, -4, 5, -0.5f));
    op_end(&t);
}

/* As in the runtime: a comparison with NaN is false, so the second operand is taken. */
TEST(nan_gives_the_second_operand)
{
    static const int32_t codes[] = { BUILTIN_MAXIMUM, BUILTIN_MINIMUM };
    struct op_test t;

    for (int i = 0; i < 2; i++) {
        op_begin(&t, codes[i], kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(NAN, 1, NAN));
        op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(1, NAN, NAN));
        op_run(&t);
        assert_true(t.out[0]->data.f[0] == 1);
        assert_true(isnan(t.out[0]->data.f[1]) && isnan(t.out[0]->data.f[2]));
        op_end(&t);

        op_begin(&t, codes[i], kTfLiteFloat16);
        op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x7e00, 0x3c00));
        op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x3c00, 0x7e00));
        op_run(&t);
        assert_int_equal(t.out[0]->data.f16[0].data, 0x3c00);
        assert_true(isnan(half_to_float(t.out[0]->data.f16[1].data)));
        op_end(&t);
    }
}

/* As in the runtime, which clamps to the range of the activation, and without one to that of the
 * finite numbers: where these ops overflow they give the largest number. */
TEST(overflow_gives_the_largest_number)
{
    static const int32_t codes[] = { BUILTIN_ADD, BUILTIN_MUL };
    struct op_test t;

    for (int i = 0; i < 2; i++) {
        op_begin(&t, codes[i], kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(3e38f, -3e38f, INFINITY, NAN));
        op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(3e38f, i ? 3e38f : -3e38f, 1, 1));
        op_run(&t);
        assert_true(t.out[0]->data.f[0] == FLT_MAX && t.out[0]->data.f[1] == -FLT_MAX);
        assert_true(t.out[0]->data.f[2] == FLT_MAX && isnan(t.out[0]->data.f[3]));
        assert_true(t.details[0].value[0] > FLT_MAX); /* the exact sum, from which judges see it */
        set_add(&t, kTfLiteActRelu);
        op_run(&t);
        assert_true(t.out[0]->data.f[0] == FLT_MAX && t.out[0]->data.f[1] == 0);
        op_end(&t);

        op_begin(&t, codes[i], kTfLiteFloat16);
        op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x7b53, 0x7c00)); /* 60000, infinity */
        op_input(&t, kTfLiteFloat16, 1, DIMS(2), HALVES(0x7b53, 0x3c00));
        op_run(&t);
        op_gives_bytes(&t, 4, HALVES(0x7bff, 0x7bff));
        op_end(&t);
    }
    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteFloat32); /* has no activation */
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(INFINITY));
    op_input(&t, kTfLiteFloat32, 1, DIMS(1), FLOATS(1));
    op_run(&t);
    assert_true(isinf(t.out[0]->data.f[0]));
    op_end(&t);
}

static void set_activation(struct op_test *t, TfLiteFusedActivation act)
{
    /* The first field of the parameters of ADD, SUB and MUL. */
    memcpy(t->params.bytes, &act, sizeof act);
}

TEST(integers_wrap_around)
{
    struct op_test t;

    op_begin(&t, BUILTIN_ADD, kTfLiteInt32);
    op_input(&t, kTfLiteInt32, 1, DIMS(3), INTS(INT32_MAX, 4, INT32_MIN));
    op_input(&t, kTfLiteInt32, 1, DIMS(3), INTS(1, 3, -1));
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(INT32_MIN, 7, INT32_MAX));
    op_detail_is(&t, 0, INT32_MIN, 0x1p31, 1);
    set_activation(&t, kTfLiteActRelu); /* after wrapping around */
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(0, 7, INT32_MAX));
    set_activation(&t, kTfLiteActRelu6);
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(0, 6, 6));
    set_activation(&t, kTfLiteActReluN1To1);
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(-1, 1, 1));
    set_activation(&t, kTfLiteActTanh);
    op_run(&t);
    op_gives_bytes(&t, 12, INTS(INT32_MIN, 7, INT32_MAX));
    op_end(&t);

    op_begin(&t, BUILTIN_SUB, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(INT64_MIN, 5));
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(1, 8));
    op_run(&t);
    op_gives_bytes(&t, 16, LONGS(INT64_MAX, -3));
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(2), ((const int16_t[]){ 32767, -3 }));
    op_input(&t, kTfLiteInt16, 1, DIMS(2), ((const int16_t[]){ 2, 5 }));
    op_run(&t);
    op_gives_bytes(&t, 4, ((const int16_t[]){ -2, -15 }));
    op_end(&t);

    op_begin(&t, BUILTIN_MUL, kTfLiteUInt32);
    op_input(&t, kTfLiteUInt32, 1, DIMS(2), ((const uint32_t[]){ UINT32_MAX, 7 }));
    op_input(&t, kTfLiteUInt32, 1, DIMS(2), ((const uint32_t[]){ 1, 6 }));
    op_run(&t);
    op_gives_bytes(&t, 8, ((const uint32_t[]){ UINT32_MAX, 42 }));
    op_detail_is(&t, 0, UINT32_MAX, UINT32_MAX, 1);
    op_end(&t);

    op_begin(&t, BUILTIN_MINIMUM, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(INT64_MIN, INT64_MAX));
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(-7, INT64_MAX - 1));
    op_run(&t);
    op_gives_bytes(&t, 16, LONGS(INT64_MIN, INT64_MAX - 1));
    op_end(&t);

    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteUInt8);
    op_input(&t, kTfLiteUInt8, 1, DIMS(2), ((const uint8_t[]){ 200, 3 }));
    op_input(&t, kTfLiteUInt8, 1, DIMS(2), ((const uint8_t[]){ 100, 4 }));
    op_run(&t);
    op_gives_bytes(&t, 2, ((const uint8_t[]){ 200, 4 }));
    op_end(&t);
}

/* Every sum and product of halves from both signs, denormals and large ones, against the exact
 * result rounded once. */
TEST(halves_are_rounded_once)
{
    static const struct {
        int32_t code;
        double sign; /* of b in a + b; 0: a * b */
    } ops[] = { { BUILTIN_ADD, 1 }, { BUILTIN_MUL, 0 } };
    enum { N = 4096 };
    uint16_t a[N], b[N];

    for (int i = 0; i < N; i++) {
        a[i] = (uint16_t)(i * 40503u >> 1 & 0xfbff); /* no infinity, no NaN */
        b[i] = (uint16_t)(i * 52711u >> 2 & 0xfbff);
        if ((a[i] & 0x7c00) == 0x7c00)
            a[i] &= 0x83ff;
        if ((b[i] & 0x7c00) == 0x7c00)
            b[i] &= 0x83ff;
    }
    for (int o = 0; o < 2; o++) {
        struct op_test t;

        op_begin(&t, ops[o].code, kTfLiteFloat16);
        op_input(&t, kTfLiteFloat16, 1, DIMS(N), a);
        op_input(&t, kTfLiteFloat16, 1, DIMS(N), b);
        op_run(&t);
        for (int i = 0; i < N; i++) {
            const double x = half_to_float(a[i]), z = half_to_float(b[i]);
            const double exact = ops[o].sign != 0 ? x + ops[o].sign * z : x * z;
            const double got = half_to_float(t.out[0]->data.f16[i].data);
            const double up = half_to_float((uint16_t)(t.out[0]->data.f16[i].data + 1));

            assert_true(t.details[0].value[i] == exact);
            if (isfinite(got) && isfinite(up)) /* no more than half a step off */
                assert_true(fabs(got - exact) <= fabs(up - got) / 2);
        }
        op_end(&t);
    }
}

TEST(types_are_one_for_both)
{
    TfLiteFloatArray *scale = mem_alloc(1, sizeof *scale + sizeof(float));
    TfLiteIntArray *zero = mem_alloc(1, sizeof *zero + sizeof(int));
    TfLiteAffineQuantization quantized = { scale, zero, 0 };
    struct op_test t;

    assert_true(scale && zero);
    scale->size = zero->size = 1;
    scale->data[0] = 0.5f;
    op_begin(&t, BUILTIN_SUB, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteFloat16, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (a)", "type f16", "f32, i32, u8, i64, i16, i8",
               NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_MAXIMUM, kTfLiteInt8);
    op_input(&t, kTfLiteInt8, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteUInt8, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (b)", "type u8", "i8", NULL);
    t.in[1]->type = kTfLiteInt8;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    t.in[1]->quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, &quantized };
    op_refused(&t, STATUS_UNSUPPORTED, "input 1", "quantization differs", NULL);
    t.in[0]->quantization = t.out[0]->quantization = t.in[1]->quantization;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    op_end(&t);

    op_begin(&t, BUILTIN_ADD, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(1), NULL);
    op_input(&t, kTfLiteInt16, 1, DIMS(1), NULL)->quantization =
        (TfLiteQuantization){ kTfLiteAffineQuantization, &quantized };
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (b)", "quantized i16", NULL);
    t.in[0]->type = t.in[1]->type = t.out[0]->type = kTfLiteFloat16; /* scales mean nothing there */
    assert_int_equal(op_prepare(&t), STATUS_OK);
    op_end(&t);
    mem_free(scale);
    mem_free(zero);
}
