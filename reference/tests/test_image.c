/* The scalar kernels of RESIZE_BILINEAR and TRANSPOSE_CONV: small cases by hand, others against
 * equivalent formulas, and everything that they refuse. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

/* ---- RESIZE_BILINEAR ---- */

static void set_resize(struct op_test *t, bool align, bool half)
{
    TfLiteResizeBilinearParams *p = (void *)t->params.bytes;

    p->align_corners = align;
    p->half_pixel_centers = half;
}

static void begin_resize(struct op_test *t, const int32_t *x_dims, const float *x,
                         const int32_t *size)
{
    op_begin(t, BUILTIN_RESIZE_BILINEAR, kTfLiteFloat32);
    op_input(t, kTfLiteFloat32, 4, x_dims, x);
    op_input(t, kTfLiteInt32, 1, DIMS(2), size);
}

TEST(resize_by_hand)
{
    struct op_test t;

    /* 0, 10, 20 to six: every half cell, and past the last cell its value. */
    begin_resize(&t, DIMS(1, 1, 3, 1), FLOATS(0, 10, 20), INTS(1, 6));
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 6, 1));
    op_gives(&t, 6, FLOATS(0, 5, 10, 15, 20, 20));
    op_detail_is(&t, 1, 5, 10, 3 * 20.0); /* cells 0 to 2 are read around it */
    op_detail_is(&t, 4, 20, 20, 3 * 10.0);
    /* The corners stay: steps of 2/5. */
    set_resize(&t, true, false);
    op_run(&t);
    op_gives(&t, 6, FLOATS(0, 4, 8, 12, 16, 20));
    /* Centres: -1/4, 1/4, 3/4, ...: in front of the first and behind the last its value. */
    set_resize(&t, false, true);
    op_run(&t);
    op_gives(&t, 6, FLOATS(0, 2.5f, 7.5f, 12.5f, 17.5f, 20));
    op_end(&t);

    /* The two axes apart, batch and channels: x is 100 b + 10 y + x, negative in channel 1. */
    begin_resize(&t, DIMS(2, 2, 2, 2),
                 FLOATS(0, 0, 1, -1, 10, -10, 11, -11, 100, -100, 101, -101, 110, -110, 111, -111),
                 INTS(4, 1));
    op_run(&t);
    op_has_shape(&t, 4, DIMS(2, 4, 1, 2));
    op_gives(&t, 16,
             FLOATS(0, 0, 5, -5, 10, -10, 10, -10, 100, -100, 105, -105, 110, -110, 110, -110));
    op_detail_is(&t, 3, -5, 10, 2 * 11.0);
    op_end(&t);

    /* The neighbourhood of a limit: one cell more on either side, of both axes. */
    begin_resize(&t, DIMS(1, 4, 4, 1), FLOATS(9, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, -9),
                 INTS(8, 8));
    op_run(&t);
    op_detail_is(&t, 3 * 8 + 3, 2.5, 4, 4 * 18.0);   /* cells 0 to 3 */
    op_detail_is(&t, 1 * 8 + 1, 2.5, 9, 4 * 9.0);    /* cells 0 to 2 */
    op_detail_is(&t, 5 * 8 + 5, -1.25, 9, 4 * 13.0); /* cells 1 to 3 */
    op_end(&t);

    /* Reduced to one: the first cell, with centres the one in the middle. */
    begin_resize(&t, DIMS(1, 1, 3, 1), FLOATS(4, 5, 9), INTS(1, 1));
    op_run(&t);
    op_gives(&t, 1, FLOATS(4));
    set_resize(&t, true, false);
    op_run(&t);
    op_gives(&t, 1, FLOATS(4));
    set_resize(&t, false, true);
    op_run(&t);
    op_gives(&t, 1, FLOATS(5));
    op_end(&t);
}

/* What is linear in y and x stays so: each output is its own coordinate, clamped. */
TEST(a_plane_stays_a_plane)
{
    for (int32_t in = 1; in <= 7; in++) {
        for (int32_t out = 1; out <= 9; out++) {
            for (int flags = 0; flags < 3; flags++) {
                const double scale =
                    flags == 1 && out > 1 ? (in - 1.0) / (out - 1.0) : (double)in / out;
                float x[49];
                struct op_test t;

                for (int32_t i = 0; i < in * in; i++)
                    x[i] = (float)(100 * (i / in) + i % in);
                begin_resize(&t, DIMS(1, in, in, 1), x, INTS(out, out));
                set_resize(&t, flags == 1, flags == 2);
                op_run(&t);
                for (int32_t i = 0; i < out * out; i++) {
                    double at[2] = { i / out, i % out };

                    for (int a = 0; a < 2; a++) {
                        at[a] = flags == 2 ? (at[a] + 0.5) * scale - 0.5 : at[a] * scale;
                        at[a] = fmin(fmax(at[a], 0), in - 1);
                    }
                    if (fabs((double)t.out[0]->data.f[i] - (100 * at[0] + at[1])) > 1e-3)
                        fail_msg("%d to %d, flags %d: output %d is %g, expected %g", in, out, flags,
                                 i, (double)t.out[0]->data.f[i], 100 * at[0] + at[1]);
                }
                op_end(&t);
            }
        }
    }
}

TEST(resize_waits_for_its_size)
{
    struct op_test t;

    begin_resize(&t, DIMS(1, 1, 2, 1), FLOATS(3, 5), INTS(1, 4));
    t.in[1]->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 4, 1));
    op_gives(&t, 4, FLOATS(3, 4, 5, 5));
    op_end(&t);

    /* No images, no channels. */
    begin_resize(&t, DIMS(0, 1, 2, 1), NULL, INTS(1, 4));
    op_run(&t);
    op_has_shape(&t, 4, DIMS(0, 1, 4, 1));
    op_set_dims(t.in[0], 4, DIMS(1, 1, 2, 0));
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 4, 0));
    op_end(&t);
}

TEST(resize_refuses)
{
    struct op_test t;

    begin_resize(&t, DIMS(1, 2, 2, 1), NULL, INTS(4, 0));
    op_refused(&t, STATUS_INVALID, "input 1 (size): element 1 (width) is 0", NULL);
    memcpy(t.in[1]->data.i32, INTS(-3, 4), 8);
    op_refused(&t, STATUS_INVALID, "input 1 (size): element 0 (height) is -3", NULL);
    set_resize(&t, true, true);
    op_refused(&t, STATUS_INVALID, "align_corners and half_pixel_centers are both 1", NULL);
    set_resize(&t, false, false);
    t.in[1]->bytes = 4;
    op_refused(&t, STATUS_INVALID, "input 1 (size): 4 bytes for 2 elements", NULL);
    op_set_dims(t.in[1], 1, DIMS(3));
    op_refused(&t, STATUS_INVALID, "input 1 (size): 3 elements, expected 2", NULL);
    op_set_dims(t.in[1], 2, DIMS(1, 2));
    op_refused(&t, STATUS_INVALID, "input 1 (size): rank 2", NULL);
    op_set_dims(t.in[1], 1, DIMS(2));
    t.in[1]->type = kTfLiteInt64;
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (size): type i64", NULL);
    t.in[1] = NULL;
    op_refused(&t, STATUS_INVALID, "input 1 (size) is missing", NULL);
    op_end(&t);

    begin_resize(&t, DIMS(1, 2, 0, 1), NULL, INTS(4, 4));
    op_refused(&t, STATUS_INVALID, "input 0 (input): dimension 2 (width) is 0", NULL);
    op_set_dims(t.in[0], 4, DIMS(1, 0, 2, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): dimension 1 (height) is 0", NULL);
    op_set_dims(t.in[0], 4, DIMS(1, -7, 2, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): dimension 1 is -7", NULL);
    t.out[0]->type = kTfLiteInt8;
    op_set_dims(t.in[0], 4, DIMS(1, 2, 2, 1));
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type i8", NULL);
    t.in[0]->type = kTfLiteFloat16;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input): type f16", "f32", NULL);
    op_set_dims(t.in[0], 3, DIMS(2, 2, 1));
    op_refused(&t, STATUS_INVALID, "input 0 (input): rank 3, expected 4", NULL);
    op_end(&t);
}

/* ---- TRANSPOSE_CONV ---- */

static void set_transpose(struct op_test *t, TfLitePadding padding, int sh, int sw)
{
    TfLiteTransposeConvParams *p = (void *)t->params.bytes;

    p->padding = padding;
    p->stride_height = sh;
    p->stride_width = sw;
}

static void begin_transpose(struct op_test *t, const int32_t *shape, const int32_t *w_dims,
                            const float *w, const int32_t *x_dims, const float *x)
{
    op_begin(t, BUILTIN_TRANSPOSE_CONV, kTfLiteFloat32);
    op_input(t, kTfLiteInt32, 1, DIMS(4), shape);
    op_input(t, kTfLiteFloat32, 4, w_dims, w);
    op_input(t, kTfLiteFloat32, 4, x_dims, x);
}

TEST(transpose_conv_by_hand)
{
    struct op_test t;

    /* A row of 1, 10 spread by 2 with 3 taps: they overlap in the middle. */
    begin_transpose(&t, INTS(1, 1, 5, 1), DIMS(1, 1, 3, 1), FLOATS(1, 2, 3), DIMS(1, 1, 2, 1),
                    FLOATS(1, 10));
    set_transpose(&t, kTfLitePaddingValid, 1, 2);
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 5, 1));
    op_gives(&t, 5, FLOATS(1, 2, 13, 20, 30));
    op_detail_is(&t, 2, 13, 13, 2);
    op_detail_is(&t, 1, 2, 2, 1);
    /* SAME to 4 cells: one less at the end; to 3: one less in front, too. */
    set_transpose(&t, kTfLitePaddingSame, 1, 2);
    memcpy(t.in[0]->data.i32, INTS(1, 1, 4, 1), 16);
    op_run(&t);
    op_gives(&t, 4, FLOATS(1, 2, 13, 20));
    memcpy(t.in[0]->data.i32, INTS(1, 1, 3, 1), 16);
    op_run(&t);
    op_gives(&t, 3, FLOATS(2, 13, 20));
    op_end(&t);

    /* Gaps between the windows hold the bias, through the activation; cells that no window reaches
     * at the end, too. */
    begin_transpose(&t, INTS(1, 1, 6, 2), DIMS(2, 1, 1, 1), FLOATS(1, -1), DIMS(1, 1, 2, 1),
                    FLOATS(3, 9));
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(1, -2));
    set_transpose(&t, kTfLitePaddingValid, 1, 3);
    op_run(&t);
    op_gives(&t, 12, FLOATS(4, -5, 1, -2, 1, -2, 10, -11, 1, -2, 1, -2));
    op_detail_is(&t, 1, -5, 5, 2);
    op_detail_is(&t, 3, -2, 2, 1);
    ((TfLiteTransposeConvParams *)(void *)t.params.bytes)->activation = kTfLiteActRelu6;
    op_run(&t);
    op_gives(&t, 12, FLOATS(4, 0, 1, 0, 1, 0, 6, 0, 1, 0, 1, 0));
    op_end(&t);

    /* Channels of the input are summed. */
    begin_transpose(&t, INTS(1, 1, 1, 2), DIMS(2, 1, 1, 3), FLOATS(1, 2, 3, 4, 5, 6),
                    DIMS(1, 1, 1, 3), FLOATS(1, 10, -100));
    op_absent(&t);
    set_transpose(&t, kTfLitePaddingSame, 1, 1);
    op_run(&t);
    op_gives(&t, 2, FLOATS(-279, -546));
    op_detail_is(&t, 0, -279, 321, 3);
    op_end(&t);
}

static int32_t same_out(int32_t in, int32_t stride)
{
    return (in + stride - 1) / stride;
}

/* Every output size that has the input's size, over strides, filters and paddings: the gathering
 * kernel equals the scattered sum of the definition. */
TEST(transpose_conv_equals_the_scattered_sum)
{
    uint64_t random = 7;
    int checked = 0;

    for (int32_t s = 1; s <= 3; s++) {
        for (int32_t f = 1; f <= 4; f++) {
            for (int32_t out = 1; out <= 9; out++) {
                for (int same = 0; same < 2; same++) {
                    const int32_t in = same ? same_out(out, s) : (out - f) / s + 1;
                    const int32_t total = (in - 1) * s + f - out;
                    const int32_t before = same && total > 0 ? total / 2 : 0;
                    float w[2 * 4 * 3], x[9 * 3];
                    double y[9 * 2] = { 0 };
                    struct op_test t;

                    if (!same && out < f)
                        continue;
                    for (int i = 0; i < 2 * f * 3; i++)
                        w[i] = op_random(&random);
                    for (int i = 0; i < in * 3; i++)
                        x[i] = op_random(&random);
                    for (int32_t i = 0; i < in * f * 2 * 3; i++) {
                        const int32_t c = i % 3, o = i / 3 % 2, k = i / 6 % f, at = i / 6 / f;
                        const int32_t to = at * s - before + k;

                        if (to >= 0 && to < out)
                            y[to * 2 + o] += (double)w[(o * f + k) * 3 + c] * x[at * 3 + c];
                    }
                    /* Along the height, and along the width. */
                    for (int axis = 0; axis < 2; axis++) {
                        if (axis == 0) {
                            begin_transpose(&t, INTS(1, out, 1, 2), DIMS(2, f, 1, 3), w,
                                            DIMS(1, in, 1, 3), x);
                            set_transpose(&t, same ? kTfLitePaddingSame : kTfLitePaddingValid, s,
                                          1);
                        } else {
                            begin_transpose(&t, INTS(1, 1, out, 2), DIMS(2, 1, f, 3), w,
                                            DIMS(1, 1, in, 3), x);
                            set_transpose(&t, same ? kTfLitePaddingSame : kTfLitePaddingValid, 1,
                                          s);
                        }
                        op_run(&t);
                        for (int32_t i = 0; i < out * 2; i++) {
                            if (fabs(t.details[0].value[i] - y[i]) > 1e-12)
                                fail_msg("stride %d, filter %d, out %d, same %d, axis %d: output "
                                         "%d is %g, expected %g",
                                         s, f, out, same, axis, i, t.details[0].value[i], y[i]);
                        }
                        op_end(&t);
                        checked++;
                    }
                }
            }
        }
    }
    assert_true(checked > 350);
}

TEST(transpose_conv_waits_for_its_shape)
{
    struct op_test t;

    begin_transpose(&t, INTS(1, 1, 2, 1), DIMS(1, 1, 1, 1), FLOATS(2), DIMS(1, 1, 2, 1),
                    FLOATS(3, 4));
    set_transpose(&t, kTfLitePaddingSame, 1, 1);
    t.in[0]->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_run(&t);
    op_has_shape(&t, 4, DIMS(1, 1, 2, 1));
    op_gives(&t, 2, FLOATS(6, 8));
    memcpy(t.in[0]->data.i32, INTS(1, 1, 3, 1), 16);
    op_refused(&t, STATUS_INVALID, "width 3", NULL);
    op_end(&t);

    begin_transpose(&t, INTS(0, 1, 2, 1), DIMS(1, 1, 1, 1), FLOATS(2), DIMS(0, 1, 2, 1), NULL);
    set_transpose(&t, kTfLitePaddingSame, 1, 1);
    op_run(&t);
    op_has_shape(&t, 4, DIMS(0, 1, 2, 1));
    op_end(&t);
}

TEST(transpose_conv_refuses)
{
    static const struct {
        int32_t shape[4];
        const char *words;
    } shapes[] = {
        { { 1, 4, 4, 3 }, "input 0 (output_shape): element 3 (channels) is 3, expected 2" },
        { { 2, 4, 4, 2 }, "input 0 (output_shape): element 0 (batch) is 2, expected 1" },
        { { 1, 0, 4, 2 }, "input 0 (output_shape): element 1 (height) is 0" },
        { { 1, 4, -4, 2 }, "input 0 (output_shape): element 2 (width) is -4" },
        { { 1, 5, 4, 2 },
          "input 0 (output_shape): height 5 gives an input height of 3, expected 2" },
        { { 1, 4, 2, 2 }, "input 0 (output_shape): width 2 gives an input width of 1, expected 2" },
        { { 1, INT32_MAX, 4, 2 }, "input 0 (output_shape): height 2147483647 gives an input" },
    };
    TfLiteTransposeConvParams *p;
    struct op_test t;

    begin_transpose(&t, INTS(1, 4, 4, 2), DIMS(2, 3, 3, 1), NULL, DIMS(1, 2, 2, 1), NULL);
    p = (void *)t.params.bytes;
    set_transpose(&t, kTfLitePaddingSame, 2, 2);
    assert_int_equal(op_prepare(&t), STATUS_OK);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        memcpy(t.in[0]->data.i32, shapes[i].shape, sizeof shapes[i].shape);
        op_refused(&t, STATUS_INVALID, shapes[i].words, NULL);
    }
    set_transpose(&t, kTfLitePaddingValid, 2, 2);
    memcpy(t.in[0]->data.i32, INTS(1, 2, 5, 2), 16);
    op_refused(&t, STATUS_INVALID, "input 0 (output_shape): height 2, filter height 3", NULL);
    set_transpose(&t, kTfLitePaddingSame, 0, 2);
    op_refused(&t, STATUS_INVALID, "stride height is 0", NULL);
    set_transpose(&t, kTfLitePaddingSame, 2, -1);
    op_refused(&t, STATUS_INVALID, "stride width is -1", NULL);
    set_transpose(&t, kTfLitePaddingUnknown, 2, 2);
    op_refused(&t, STATUS_INVALID, "padding is neither SAME nor VALID", NULL);
    set_transpose(&t, kTfLitePaddingSame, 2, 2);
    p->activation = (TfLiteFusedActivation)99;
    op_refused(&t, STATUS_INVALID, "fused_activation_function 99", NULL);
    p->activation = kTfLiteActNone;

    t.in[0]->bytes = 12;
    op_refused(&t, STATUS_INVALID, "input 0 (output_shape): 12 bytes for 4 elements", NULL);
    op_set_dims(t.in[0], 1, DIMS(3));
    op_refused(&t, STATUS_INVALID, "input 0 (output_shape): 3 elements, expected 4", NULL);
    op_set_dims(t.in[0], 2, DIMS(2, 2));
    op_refused(&t, STATUS_INVALID, "input 0 (output_shape): rank 2, expected 1", NULL);
    op_set_dims(t.in[0], 1, DIMS(4));
    t.in[0]->type = kTfLiteInt64;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (output_shape): type i64", NULL);
    op_end(&t);

    begin_transpose(&t, INTS(1, 4, 4, 2), DIMS(2, 3, 3, 1), NULL, DIMS(1, 2, 2, 3), NULL);
    set_transpose(&t, kTfLitePaddingSame, 2, 2);
    op_refused(&t, STATUS_INVALID, "input 2 (input): 3 channels, expected 1", NULL);
    op_set_dims(t.in[1], 4, DIMS(2, 3, 3, 0));
    op_refused(&t, STATUS_INVALID, "input 1 (weights): dimension 3 (input channels) is 0", NULL);
    op_set_dims(t.in[1], 4, DIMS(2, 3, 0, 3));
    op_refused(&t, STATUS_INVALID, "input 1 (weights): dimension 2 (filter width) is 0", NULL);
    op_set_dims(t.in[1], 4, DIMS(2, 0, 3, 3));
    op_refused(&t, STATUS_INVALID, "input 1 (weights): dimension 1 (filter height) is 0", NULL);
    op_set_dims(t.in[1], 4, DIMS(0, 3, 3, 3));
    op_refused(&t, STATUS_INVALID, "input 1 (weights): dimension 0 (output channels) is 0", NULL);
    op_set_dims(t.in[1], 4, DIMS(2, 3, 3, 3));
    t.in[1]->type = kTfLiteFloat16;
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (weights): type f16", "f32", NULL);
    t.in[1]->type = kTfLiteFloat32;
    op_set_dims(t.in[2], 3, DIMS(2, 2, 3));
    op_refused(&t, STATUS_INVALID, "input 2 (input): rank 3, expected 4", NULL);
    op_set_dims(t.in[2], 4, DIMS(1, 2, 2, 3));
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), NULL);
    op_refused(&t, STATUS_INVALID, "input 3 (bias): 3 elements, expected 2, one for each", NULL);
    t.in[3]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 3 (bias): type i32", NULL);
    t.out[0]->type = kTfLiteFloat16;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type f16", NULL);
    t.in[2] = NULL;
    op_refused(&t, STATUS_INVALID, "input 2 (input) is missing", NULL);
    op_end(&t);
}

TEST(options_become_parameters)
{
    TfLiteTransposeConvParams transpose = { 0 };
    TfLiteResizeBilinearParams resize = { 0 };
    struct options o;

    options_init(&o, OPTIONS_TransposeConvOptions);
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "stride_w", 2);
    options_set_int(&o, "stride_h", 3);
    options_set_int(&o, "fused_activation_function", 1);
    ref_find(BUILTIN_TRANSPOSE_CONV)->read_params(&o, &transpose);
    assert_int_equal(transpose.padding, kTfLitePaddingValid);
    assert_int_equal(transpose.stride_width, 2);
    assert_int_equal(transpose.stride_height, 3);
    assert_int_equal(transpose.activation, kTfLiteActRelu);

    options_init(&o, OPTIONS_ResizeBilinearOptions);
    options_set_int(&o, "half_pixel_centers", 1);
    ref_find(BUILTIN_RESIZE_BILINEAR)->read_params(&o, &resize);
    assert_true(resize.half_pixel_centers && !resize.align_corners);
    options_set_int(&o, "align_corners", 1);
    options_set_int(&o, "half_pixel_centers", 0);
    ref_find(BUILTIN_RESIZE_BILINEAR)->read_params(&o, &resize);
    assert_true(!resize.half_pixel_centers && resize.align_corners);
}
