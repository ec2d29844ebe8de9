#include "delegate/tests/kit/dots_net.h"

#include "reference/tests/kit/graph_kit.h"

#include <math.h>

enum { SAME, VALID }; /* as in the file */

static int pick(struct net *n, int count, const int *values)
{
    return values[kit_below(&n->seed, count)];
}
#define PICK(n, ...)                                                                               \
    pick((n), (int)(sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int)),                           \
         (const int[]){ __VA_ARGS__ })

/* At times an end of the type's range, mostly not: then sums would be large. */
static int64_t random_zero(struct net *n)
{
    const int low = n->is_unsigned ? 0 : -128;

    switch (kit_below(&n->seed, 8)) {
    case 0: return low;
    case 1: return low + 255;
    default: return low + 108 + kit_below(&n->seed, 40);
    }
}

static int32_t byte_type(const struct net *n)
{
    return n->is_unsigned ? TENSOR_UINT8 : TENSOR_INT8;
}

static int32_t activation_type(const struct net *n)
{
    return n->shorts ? TENSOR_INT16 : byte_type(n);
}

/* For sums of so many terms.  Most results are within the range; small whole scales make sums that
 * lie between two steps of the output; some factors are above 1, some far below. */
static void random_scales(struct net *n, int terms)
{
    static const float whole[] = { 1, 2, 3, 5, 7, 0.5f };
    const double spread = 75 * sqrt(terms) * (1.5 + (double)kit_float(&n->seed));
    double factor = 1 / spread;

    n->x_scale = ldexpf(1.25f + 0.5f * kit_float(&n->seed), -7);
    n->y_scale = ldexpf(1.25f + 0.5f * kit_float(&n->seed), -5);
    switch (n->ordinary ? 9 : kit_below(&n->seed, 10)) {
    case 0: factor = 0x1p8; break;
    case 1: factor = 0x1p-40; break;
    case 2:
    case 3:
        n->x_scale = whole[kit_below(&n->seed, 6)];
        n->w_scale = whole[kit_below(&n->seed, 6)];
        n->y_scale = 10 * (float)ceil((double)n->x_scale * (double)n->w_scale * spread / 10);
        return;
    default: break;
    }
    n->w_scale = (float)(factor * (double)n->y_scale / (double)n->x_scale);
}

void net_begin(struct net *n, uint64_t seed, bool shorts)
{
    *n = (struct net){ .seed = seed, .is_unsigned = !shorts && seed % 2, .shorts = shorts };
    builder_init(&n->b);
    n->x_zero = shorts ? 0 : random_zero(n);
    n->w_zero = n->is_unsigned ? random_zero(n) : 0;
    n->y_zero = shorts ? 0 : random_zero(n);
    n->batch = 1 + kit_below(&n->seed, 2);
    n->height = 1 + kit_below(&n->seed, 7);
    n->width = 1 + kit_below(&n->seed, 9);
    n->channels = PICK(n, 1, 2, 3, 4, 5, 7, 8, 16, 19, 32, 64, 67);
    n->outputs = PICK(n, 1, 3, 4, 5, 8, 17, 33, 67);
    n->kernel_h = n->kernel_w = n->stride_h = n->stride_w = n->dilation_h = n->dilation_w = 1;
    if (kit_below(&n->seed, 3) != 0) {
        n->kernel_h = PICK(n, 1, 2, 3);
        n->kernel_w = PICK(n, 3, 2);
        n->stride_h = PICK(n, 1, 2);
        n->stride_w = PICK(n, 1, 2, 3);
        if (kit_below(&n->seed, 3) == 0)
            n->dilation_h = n->dilation_w = 2;
    }
    n->padding = kit_below(&n->seed, 2);
    n->activation = PICK(n, 0, 0, 0, 1, 2, 3);
    n->biased = kit_below(&n->seed, 4) != 0;
}

/* An activation. */
static int bytes_tensor(struct net *n, const char *name, int rank, const int32_t *dims, float scale,
                        int64_t zero)
{
    const int t = builder_tensor(&n->b, activation_type(n), name, (size_t)rank, dims);

    builder_quantization(&n->b, t, 1, &scale, &zero, 0);
    return t;
}

/* Constants; i8 has one scale a channel of a dimension, or one; the first of them may be tiny. */
static int weights_tensor(struct net *n, int rank, const int32_t *dims, int dimension)
{
    static uint8_t bytes[1 << 20];
    static const int64_t zeros[256];
    const int channels = dims[dimension];
    float scales[256];
    size_t count = 1;
    int t;

    assert_true(channels <= 256);
    for (int i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    assert_true(count <= sizeof bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(kit_below(&n->seed, 16) == 0 ? (n->is_unsigned ? 255 : 128)
                                                          : kit_below(&n->seed, 256));
    t = builder_constant(&n->b, byte_type(n), "w", (size_t)rank, dims, bytes, count);
    for (int i = 0; i < channels; i++)
        scales[i] = n->w_scale * (1.5f + 0.5f * kit_float(&n->seed));
    if (kit_below(&n->seed, 2))
        scales[0] *= 0x1p-30f;
    if (n->is_unsigned || kit_below(&n->seed, 3) == 0)
        builder_quantization(&n->b, t, 1, &n->w_scale, &n->w_zero, 0);
    else
        builder_quantization(&n->b, t, (size_t)channels, scales, zeros, dimension);
    return t;
}

/* A bias of 64 bits, as large as the sums, or as large as it may be. */
static int wide_bias(struct net *n, int channels)
{
    const int64_t limit = INT64_C(1) << 46;
    int64_t values[256];

    for (int i = 0; i < channels; i++) {
        values[i] = (int64_t)kit_below(&n->seed, 1 << 24) - (1 << 23);
        if (kit_below(&n->seed, 16) == 0)
            values[i] = kit_below(&n->seed, 2) ? limit : -limit;
        else if (kit_below(&n->seed, 8) == 0)
            values[i] *= 1 << kit_below(&n->seed, 20);
    }
    return builder_constant(&n->b, TENSOR_INT64, "bias", 1, (int32_t[]){ channels }, values,
                            (size_t)channels * sizeof values[0]);
}

/* i16 has an i64 bias, or an i32 one, which DEPTHWISE_CONV_2D does not take. */
static int bias_tensor(struct net *n, int channels, bool depthwise)
{
    const float scale = n->x_scale * n->w_scale;
    static const int64_t zero;
    int32_t values[256];
    int t;

    if (!n->biased)
        return -1;
    if (n->shorts && (depthwise || kit_below(&n->seed, 4) != 0))
        return wide_bias(n, channels);
    for (int i = 0; i < channels; i++)
        values[i] = kit_below(&n->seed, 16) == 0 ? INT32_MAX - kit_below(&n->seed, 9)
                                                 : kit_below(&n->seed, 8001) - 4000;
    t = builder_constant(&n->b, TENSOR_INT32, "bias", 1, (int32_t[]){ channels }, values,
                         (size_t)channels * sizeof values[0]);
    builder_quantization(&n->b, t, 1, &scale, &zero, 0);
    return t;
}

/* Outputs of a window; 0: it does not fit. */
static int window(int padding, int in, int kernel, int stride, int dilation)
{
    const int room = padding == SAME ? in : in - (kernel - 1) * dilation;

    return room <= 0 ? 0 : (room + stride - 1) / stride;
}

static void window_options(const struct net *n, struct options *options)
{
    options_set_int(options, "padding", n->padding);
    options_set_int(options, "stride_h", n->stride_h);
    options_set_int(options, "stride_w", n->stride_w);
    options_set_int(options, "fused_activation_function", n->activation);
}

/* From the tensors to the model; the node reads the bias behind its other inputs. */
static void net_end(struct net *n, struct model *m, int32_t code, const struct options *options,
                    int count, const int *inputs, int x, int y)
{
    struct diag diag = { 0 };

    builder_op(&n->b, code, 1, options, (size_t)count, inputs, 1, &y);
    builder_inputs(&n->b, 1, &x);
    builder_outputs(&n->b, 1, &y);
    KIT_OK(builder_finish(&n->b, m, &diag));
}

static bool make_convolution(struct net *n, struct model *m, int groups)
{
    const int depth = n->channels, channels = depth * groups, outputs = n->outputs * groups;
    const int h = window(n->padding, n->height, n->kernel_h, n->stride_h, n->dilation_h);
    const int w = window(n->padding, n->width, n->kernel_w, n->stride_w, n->dilation_w);
    struct options options;
    int t[3], y;

    if (h == 0 || w == 0 || outputs > 256) {
        builder_close(&n->b);
        return false;
    }
    n->biased = true; /* CONV_2D has one always */
    random_scales(n, n->kernel_h * n->kernel_w * depth);
    t[0] = bytes_tensor(n, "x", 4, (int32_t[]){ n->batch, n->height, n->width, channels },
                        n->x_scale, n->x_zero);
    t[1] = weights_tensor(n, 4, (int32_t[]){ outputs, n->kernel_h, n->kernel_w, depth }, 0);
    t[2] = bias_tensor(n, outputs, false);
    y = bytes_tensor(n, "y", 4, (int32_t[]){ n->batch, h, w, outputs }, n->y_scale, n->y_zero);
    options_init(&options, OPTIONS_Conv2DOptions);
    window_options(n, &options);
    options_set_int(&options, "dilation_h_factor", n->dilation_h);
    options_set_int(&options, "dilation_w_factor", n->dilation_w);
    net_end(n, m, BUILTIN_CONV_2D, &options, n->biased ? 3 : 2, t, t[0], y);
    return true;
}

bool net_make_conv(struct net *n, struct model *m)
{
    return make_convolution(n, m, 1);
}

bool net_make_grouped(struct net *n, struct model *m)
{
    return make_convolution(n, m, PICK(n, 2, 3, 5));
}

bool net_make_depthwise(struct net *n, struct model *m)
{
    const int picked = PICK(n, 1, 1, 1, 2, 3);
    const int outputs = n->channels * (n->multiplier > 0 ? n->multiplier : picked);
    const int h = window(n->padding, n->height, n->kernel_h, n->stride_h, n->dilation_h);
    const int w = window(n->padding, n->width, n->kernel_w, n->stride_w, n->dilation_w);
    struct options options;
    int t[3], y;

    if (h == 0 || w == 0) {
        builder_close(&n->b);
        return false;
    }
    random_scales(n, n->kernel_h * n->kernel_w);
    t[0] = bytes_tensor(n, "x", 4, (int32_t[]){ n->batch, n->height, n->width, n->channels },
                        n->x_scale, n->x_zero);
    t[1] = weights_tensor(n, 4, (int32_t[]){ 1, n->kernel_h, n->kernel_w, outputs }, 3);
    t[2] = bias_tensor(n, outputs, true);
    y = bytes_tensor(n, "y", 4, (int32_t[]){ n->batch, h, w, outputs }, n->y_scale, n->y_zero);
    options_init(&options, OPTIONS_DepthwiseConv2DOptions);
    window_options(n, &options);
    options_set_int(&options, "depth_multiplier", outputs / n->channels);
    options_set_int(&options, "dilation_h_factor", n->dilation_h);
    options_set_int(&options, "dilation_w_factor", n->dilation_w);
    net_end(n, m, BUILTIN_DEPTHWISE_CONV_2D, &options, n->biased ? 3 : 2, t, t[0], y);
    return true;
}

/* A PAD before it, which the delegate makes part of the window: what is outside is then zero. */
bool net_make_padded(struct net *n, struct model *m)
{
    const bool depthwise = kit_below(&n->seed, 2);
    const int32_t before[] = { kit_below(&n->seed, 3), kit_below(&n->seed, 3) };
    const int32_t pads[] = {
        0, 0, before[0], kit_below(&n->seed, 3), before[1], kit_below(&n->seed, 3), 0, 0
    };
    const int height = n->height + pads[2] + pads[3], width = n->width + pads[4] + pads[5];
    const int h = window(VALID, height, n->kernel_h, n->stride_h, n->dilation_h);
    const int w = window(VALID, width, n->kernel_w, n->stride_w, n->dilation_w);
    const int outputs = depthwise ? n->channels : n->outputs;
    struct options options;
    int x, p, t[3], y;

    if (h == 0 || w == 0) {
        builder_close(&n->b);
        return false;
    }
    n->padding = VALID;
    n->biased |= !depthwise;
    random_scales(n, n->kernel_h * n->kernel_w * (depthwise ? 1 : n->channels));
    x = bytes_tensor(n, "x", 4, (int32_t[]){ n->batch, n->height, n->width, n->channels },
                     n->x_scale, n->x_zero);
    p = builder_constant(&n->b, TENSOR_INT32, "p", 2, (int32_t[]){ 4, 2 }, pads, sizeof pads);
    t[0] = bytes_tensor(n, "padded", 4, (int32_t[]){ n->batch, height, width, n->channels },
                        n->x_scale, n->x_zero);
    builder_op(&n->b, BUILTIN_PAD, 1, NULL, 2, (int[]){ x, p }, 1, &t[0]);
    t[1] = depthwise ? weights_tensor(n, 4, (int32_t[]){ 1, n->kernel_h, n->kernel_w, outputs }, 3)
                     : weights_tensor(
                           n, 4, (int32_t[]){ outputs, n->kernel_h, n->kernel_w, n->channels }, 0);
    t[2] = bias_tensor(n, outputs, depthwise);
    y = bytes_tensor(n, "y", 4, (int32_t[]){ n->batch, h, w, outputs }, n->y_scale, n->y_zero);
    options_init(&options, depthwise ? OPTIONS_DepthwiseConv2DOptions : OPTIONS_Conv2DOptions);
    window_options(n, &options);
    options_set_int(&options, "dilation_h_factor", n->dilation_h);
    options_set_int(&options, "dilation_w_factor", n->dilation_w);
    if (depthwise)
        options_set_int(&options, "depth_multiplier", 1);
    net_end(n, m, depthwise ? BUILTIN_DEPTHWISE_CONV_2D : BUILTIN_CONV_2D, &options,
            n->biased ? 3 : 2, t, x, y);
    return true;
}

/* x of any shape, taken as rows. */
bool net_make_dense(struct net *n, struct model *m)
{
    const int rows = n->batch * n->height, depth = n->channels * n->width;
    const bool keep = kit_below(&n->seed, 2);
    struct options options;
    int t[3], y;

    random_scales(n, depth);
    t[0] = bytes_tensor(n, "x", 3,
                        keep ? (int32_t[]){ n->batch, n->height, depth }
                             : (int32_t[]){ rows, n->width, n->channels },
                        n->x_scale, n->x_zero);
    t[1] = weights_tensor(n, 2, (int32_t[]){ n->outputs, depth }, 0);
    t[2] = bias_tensor(n, n->outputs, false);
    y = bytes_tensor(n, "y", keep ? 3 : 2,
                     keep ? (int32_t[]){ n->batch, n->height, n->outputs }
                          : (int32_t[]){ rows, n->outputs },
                     n->y_scale, n->y_zero);
    options_init(&options, OPTIONS_FullyConnectedOptions);
    options_set_int(&options, "fused_activation_function", n->activation);
    options_set_int(&options, "keep_num_dims", keep);
    net_end(n, m, BUILTIN_FULLY_CONNECTED, &options, n->biased ? 3 : 2, t, t[0], y);
    return true;
}

/* x is what a window makes of y. */
bool net_make_transpose(struct net *n, struct model *m)
{
    const int h = window(n->padding, n->height, n->kernel_h, n->stride_h, 1);
    const int w = window(n->padding, n->width, n->kernel_w, n->stride_w, 1);
    const int32_t shape[] = { n->batch, n->height, n->width, n->outputs };
    struct options options;
    int t[4], y;

    if (h == 0 || w == 0) {
        builder_close(&n->b);
        return false;
    }
    random_scales(n, n->kernel_h * n->kernel_w * n->channels);
    t[0] = builder_constant(&n->b, TENSOR_INT32, "shape", 1, (int32_t[]){ 4 }, shape, sizeof shape);
    t[1] =
        weights_tensor(n, 4, (int32_t[]){ n->outputs, n->kernel_h, n->kernel_w, n->channels }, 0);
    t[2] =
        bytes_tensor(n, "x", 4, (int32_t[]){ n->batch, h, w, n->channels }, n->x_scale, n->x_zero);
    t[3] = bias_tensor(n, n->outputs, false);
    y = bytes_tensor(n, "y", 4, shape, n->y_scale, n->y_zero);
    options_init(&options, OPTIONS_TransposeConvOptions);
    window_options(n, &options);
    net_end(n, m, BUILTIN_TRANSPOSE_CONV, &options, n->biased ? 4 : 3, t, t[2], y);
    return true;
}
