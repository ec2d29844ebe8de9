/* CONV_2D and DEPTHWISE_CONV_2D of floats: values, magnitudes and terms against loops in the
 * opposite order, in which each input is scattered to the outputs that it reaches. */
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

struct conv_row {
    const char *why;
    int32_t x[4], w[4]; /* w as the op has it */
    int32_t stride_h, stride_w, dilation_h, dilation_w;
    TfLitePadding padding;
    TfLiteFusedActivation act;
    bool bias;
};

static void set_conv(struct op_test *t, const struct conv_row *r)
{
    *(TfLiteConvParams *)(void *)t->params.bytes = (TfLiteConvParams){
        .padding = r->padding,
        .stride_height = r->stride_h,
        .stride_width = r->stride_w,
        .dilation_height_factor = r->dilation_h,
        .dilation_width_factor = r->dilation_w,
        .activation = r->act,
    };
}

static void set_depthwise(struct op_test *t, const struct conv_row *r)
{
    *(TfLiteDepthwiseConvParams *)(void *)t->params.bytes = (TfLiteDepthwiseConvParams){
        .padding = r->padding,
        .stride_height = r->stride_h,
        .stride_width = r->stride_w,
        .dilation_height_factor = r->dilation_h,
        .dilation_width_factor = r->dilation_w,
        .activation = r->act,
        .depth_multiplier = 77, /* not looked at */
    };
}

/* Output size and padding before, written as the definition has them. */
static void expected_axis(const struct conv_row *r, int32_t in, int32_t filter, int32_t stride,
                          int32_t dilation, int32_t *out, int32_t *before)
{
    const int32_t reach = (filter - 1) * dilation + 1;

    *before = 0;
    if (r->padding == kTfLitePaddingValid) {
        for (*out = 0; *out * stride + reach <= in;)
            ++*out;
        return;
    }
    *out = in / stride + (in % stride != 0);
    if ((*out - 1) * stride + reach > in)
        *before = ((*out - 1) * stride + reach - in) / 2;
}

/* Scatters each input element to the outputs that its taps reach. */
static void check_conv(const struct conv_row *r, bool depthwise)
{
    const size_t nx = (size_t)r->x[0] * (size_t)r->x[1] * (size_t)r->x[2] * (size_t)r->x[3];
    const size_t nw = (size_t)r->w[0] * (size_t)r->w[1] * (size_t)r->w[2] * (size_t)r->w[3];
    const int32_t outputs = depthwise ? r->w[3] : r->w[0];
    const int32_t groups = depthwise ? r->x[3] : r->x[3] / r->w[3];
    const int32_t depth = depthwise ? 1 : r->w[3];
    float *x = mem_alloc(nx, sizeof *x), *w = mem_alloc(nw, sizeof *w);
    float *bias CLOSED_BY(kit_mem_free) = mem_alloc((size_t)outputs, sizeof *bias);
    int32_t oh, ow, top, left;
    uint64_t seed = nx * 31 + nw;
    struct op_test t;
    size_t count;

    assert_true(x && w && bias);
    for (size_t i = 0; i < nx; i++)
        x[i] = op_random(&seed);
    for (size_t i = 0; i < nw; i++)
        w[i] = op_random(&seed);
    for (int32_t o = 0; o < outputs; o++)
        bias[o] = op_random(&seed);

    op_begin(&t, depthwise ? BUILTIN_DEPTHWISE_CONV_2D : BUILTIN_CONV_2D, kTfLiteFloat32);
    t.row = r->why;
    op_input(&t, kTfLiteFloat32, 4, r->x, x);
    op_input(&t, kTfLiteFloat32, 4, r->w, w);
    if (r->bias)
        op_input(&t, kTfLiteFloat32, 1, &outputs, bias);
    (depthwise ? set_depthwise : set_conv)(&t, r);
    op_run(&t);

    expected_axis(r, r->x[1], r->w[1], r->stride_h, r->dilation_h, &oh, &top);
    expected_axis(r, r->x[2], r->w[2], r->stride_w, r->dilation_w, &ow, &left);
    op_has_shape(&t, 4, DIMS(r->x[0], oh, ow, outputs));
    count = (size_t)r->x[0] * (size_t)oh * (size_t)ow * (size_t)outputs;
    double *sum CLOSED_BY(kit_mem_free) = mem_alloc(count, sizeof *sum);
    double *magnitude CLOSED_BY(kit_mem_free) = mem_alloc(count, sizeof *magnitude);
    double *terms CLOSED_BY(kit_mem_free) = mem_alloc(count, sizeof *terms);
    assert_true(sum && magnitude && terms);
    for (size_t i = 0; i < count && r->bias; i++) {
        sum[i] = bias[i % (size_t)outputs];
        magnitude[i] = fabs(sum[i]);
        terms[i] = 1;
    }
    for (size_t i = 0; i < nx; i++) {
        const int32_t c = (int32_t)(i % (size_t)r->x[3]);
        const int32_t ix = (int32_t)(i / (size_t)r->x[3]) % r->x[2];
        const int32_t iy = (int32_t)(i / (size_t)r->x[3]) / r->x[2] % r->x[1];
        const int32_t n = (int32_t)(i / (size_t)r->x[3]) / r->x[2] / r->x[1];

        for (int32_t k = 0; k < r->w[1] * r->w[2]; k++) {
            const int32_t ky = k / r->w[2], kx = k % r->w[2];
            const int32_t y = iy + top - ky * r->dilation_h, z = ix + left - kx * r->dilation_w;

            if (y < 0 || z < 0 || y % r->stride_h || z % r->stride_w || y / r->stride_h >= oh ||
                z / r->stride_w >= ow)
                continue;
            for (int32_t q = 0; q < outputs / groups; q++) {
                const int32_t o = c / depth * (outputs / groups) + q;
                const size_t at =
                    (size_t)(((n * oh + y / r->stride_h) * ow + z / r->stride_w) * outputs + o);
                const size_t wi = depthwise
                                      ? (size_t)(k * outputs + o)
                                      : (size_t)((o * r->w[1] * r->w[2] + k) * depth + c % depth);

                sum[at] += (double)x[i] * w[wi];
                magnitude[at] += fabs((double)x[i] * w[wi]);
                terms[at] += 1;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        double v = sum[i];

        if (r->act == kTfLiteActRelu || r->act == kTfLiteActRelu6)
            v = v > 0 ? v : 0;
        if (r->act == kTfLiteActReluN1To1)
            v = v < -1 ? -1 : v > 1 ? 1 : v;
        op_detail_is(&t, i, v, magnitude[i], terms[i]);
        assert_true(t.out[0]->data.f[i] == (float)t.details[0].value[i]);
    }
    op_end(&t);
    mem_free(x);
    mem_free(w);
}

#define SAME  kTfLitePaddingSame
#define VALID kTfLitePaddingValid

TEST(convolutions_equal_the_scattered_sum)
{
    static const struct conv_row conv[] = {
        { "plain", { 1, 5, 6, 3 }, { 4, 3, 3, 3 }, 1, 1, 1, 1, SAME, 0, true },
        { "1x1", { 2, 3, 4, 5 }, { 7, 1, 1, 5 }, 1, 1, 1, 1, SAME, kTfLiteActRelu, true },
        { "stride 2, odd", { 1, 7, 8, 3 }, { 5, 3, 3, 3 }, 2, 2, 1, 1, SAME, 0, true },
        { "valid", { 1, 7, 8, 2 }, { 3, 3, 2, 2 }, 2, 1, 1, 1, VALID, kTfLiteActReluN1To1, true },
        { "dilated", { 1, 9, 8, 2 }, { 3, 3, 3, 2 }, 1, 1, 2, 3, SAME, 0, true },
        { "dilated, valid", { 1, 9, 9, 2 }, { 3, 3, 2, 2 }, 2, 2, 3, 2, VALID, 0, true },
        { "grouped", { 1, 5, 5, 6 }, { 4, 3, 3, 3 }, 1, 1, 1, 1, SAME, 0, true },
        { "depth 1 groups", { 2, 4, 4, 4 }, { 8, 2, 2, 1 }, 1, 1, 1, 1, SAME, 0, true },
        { "stride above filter", { 1, 10, 9, 2 }, { 2, 2, 1, 2 }, 4, 3, 1, 1, VALID, 0, true },
        { "filter above input", { 1, 2, 3, 2 }, { 2, 5, 7, 2 }, 1, 1, 1, 1, SAME, 0, true },
        { "taps all outside", { 1, 2, 2, 1 }, { 1, 2, 2, 1 }, 1, 1, 5, 5, SAME, 0, true },
        { "one row", { 1, 1, 9, 3 }, { 2, 1, 3, 3 }, 1, 2, 1, 1, SAME, kTfLiteActRelu6, true },
    };
    static const struct conv_row depthwise[] = {
        { "plain", { 1, 5, 6, 3 }, { 1, 3, 3, 3 }, 1, 1, 1, 1, SAME, 0, true },
        { "multiplier 2", { 2, 5, 4, 3 }, { 1, 3, 3, 6 }, 2, 2, 1, 1, SAME, 0, true },
        { "multiplier 3, valid", { 1, 6, 7, 2 }, { 1, 2, 3, 6 }, 1, 2, 1, 1, VALID, 0, false },
        { "dilated", { 1, 9, 9, 2 }, { 1, 3, 3, 2 }, 1, 1, 2, 3, SAME, kTfLiteActRelu, true },
        { "one channel", { 1, 4, 4, 1 }, { 1, 3, 3, 5 }, 1, 1, 1, 1, SAME, 0, true },
        { "filter above input", { 1, 2, 3, 2 }, { 1, 5, 7, 2 }, 1, 1, 1, 1, SAME, 0, true },
        { "uneven", { 1, 8, 5, 4 }, { 1, 4, 2, 4 }, 3, 2, 1, 1, SAME, kTfLiteActRelu6, false },
    };

    for (size_t i = 0; i < sizeof conv / sizeof conv[0]; i++)
        check_conv(&conv[i], false);
    for (size_t i = 0; i < sizeof depthwise / sizeof depthwise[0]; i++)
        check_conv(&depthwise[i], true);
}
