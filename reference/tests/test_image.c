/* The scalar kernels of RESIZE_BILINEAR and TRANSPOSE_CONV against equivalent formulas. */
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

/* What is linear in y and x stays so: each output is its own coordinate, clamped. */
TEST(a_plane_stays_a_plane)
{
    for (int32_t in = 1; in <= 7; in++) {
        for (int32_t out = 1; out <= 9; out++) {
            for (int flags = 0; flags < 3; flags++) {
                const double scale =
                    flags == 1 && out > 1 ? (in - 1.0) / (out - 1.0) : (double)in / out;
                float x[49];
                struct op_test t CLOSED_BY(op_end);

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
            }
        }
    }
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
