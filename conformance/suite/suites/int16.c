/* i16 activations with i8 weights ("16x8"): the reference has them bit for bit as the runtime, and
 * with quantized=exact our delegate; its other modes refuse them (rule tensor.type).  Scales are
 * written down, since activations are symmetric and results fill 16 bits. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/base/memory.h"

#define X_SCALE 0.00025 /* of inputs: +-8.19 */
#define W_SCALE 0.01    /* of weights: +-1.27 */

/* Which bias a sum of products has. */
enum bias { BIAS_I64, BIAS_I32, BIAS_NONE };

struct row {
    struct op_case base;
    struct shape in, other, out; /* other: weights, or the second operand */
    enum bias bias;
    bool by_channel;     /* weights have a scale for each output channel */
    int32_t stride, act; /* fused activation */
    int32_t across;      /* the stride of columns; 0: that of rows */
    int32_t dilation;    /* 0: 1 */
    bool valid;          /* no padding, else SAME */
    double scale, scale_b, scale_y;
    int32_t axis, numbers[8];
    void (*build)(struct case_builder *m, const struct row *r);
};

static const struct row *row_of(const struct case_builder *m)
{
    return (const struct row *)m->c->row;
}

static int input(struct case_builder *m, const char *name, const struct shape *shape, double scale)
{
    return case_input_scaled(m, name, shape, TENSOR_INT16, scale, 0);
}

static int output(struct case_builder *m, double scale)
{
    return case_output_scaled(m, "y", &row_of(m)->out, TENSOR_INT16, scale, 0);
}

/* ---- sums of products ---- */

static int weights(struct case_builder *m, const struct row *r, int channel)
{
    const int w = case_constant_scaled(m, "weights", &r->other, TENSOR_INT8, W_SCALE, 0);
    struct case_scale *const info = case_scale_of(m, w);

    if (!r->by_channel || !info)
        return w;
    info->dimension = channel;
    info->count = (size_t)r->other.d[channel];
    info->scales = mem_alloc(info->count, sizeof *info->scales);
    if (!info->scales) {
        case_fail_memory(m);
        return -1;
    }
    for (size_t c = 0; c < info->count; c++)
        info->scales[c] = (float)(W_SCALE * (1 + (double)(c % 7) / 5));
    return w;
}

/* Elements of about the size of the sums. */
static int bias(struct case_builder *m, const struct row *r, int32_t count)
{
    const struct shape shape = DIMS(count);
    int32_t values[16];
    int b;

    for (int32_t i = 0; i < count && i < 16; i++)
        values[i] = (i % 2 ? -1 : 1) * (1000003 + 777777 * i);
    b = r->bias == BIAS_I32 ? case_constant_i32(m, "bias", &shape, values)
                            : case_constant_i64(m, "bias", &shape, values);
    if (!r->by_channel)
        case_set_scale(m, b, r->bias == BIAS_I32 ? TENSOR_INT32 : TENSOR_INT64,
                       (double)((float)X_SCALE * (float)W_SCALE), 0);
    return b;
}

static void set_bias_type(struct options *options, const struct row *r)
{
    if (r->bias == BIAS_I32)
        options_set_int(options, "quantized_bias_type", TENSOR_INT32);
}

static void set_window(struct options *options, const struct row *r)
{
    options_set_int(options, "padding", r->valid);
    options_set_int(options, "stride_w", r->across ? r->across : r->stride);
    options_set_int(options, "stride_h", r->stride);
}

static void set_dilation(struct options *options, const struct row *r)
{
    options_set_int(options, "dilation_w_factor", r->dilation ? r->dilation : 1);
    options_set_int(options, "dilation_h_factor", r->dilation ? r->dilation : 1);
}

static void build_conv(struct case_builder *m, const struct row *r)
{
    const bool depthwise = m->c->code == BUILTIN_DEPTHWISE_CONV_2D;
    const int channel = depthwise ? 3 : 0;
    struct options options;
    int in[3];

    options_init(&options, depthwise ? OPTIONS_DepthwiseConv2DOptions : OPTIONS_Conv2DOptions);
    set_window(&options, r);
    set_dilation(&options, r);
    options_set_int(&options, "fused_activation_function", r->act);
    if (depthwise)
        options_set_int(&options, "depth_multiplier", r->out.d[3] / r->in.d[3]);
    else
        set_bias_type(&options, r);
    in[0] = input(m, "x", &r->in, X_SCALE);
    in[1] = weights(m, r, channel);
    if (r->bias != BIAS_NONE)
        in[2] = bias(m, r, r->out.d[3]);
    case_judged_op(m, &options, r->bias == BIAS_NONE ? 2 : 3, in, output(m, r->scale_y));
}

static void build_fully_connected(struct case_builder *m, const struct row *r)
{
    struct options options;
    int in[3];

    options_init(&options, OPTIONS_FullyConnectedOptions);
    options_set_int(&options, "fused_activation_function", r->act);
    set_bias_type(&options, r);
    in[0] = input(m, "x", &r->in, X_SCALE);
    in[1] = weights(m, r, 0);
    if (r->bias != BIAS_NONE)
        in[2] = bias(m, r, r->other.d[0]);
    case_judged_op(m, &options, r->bias == BIAS_NONE ? 2 : 3, in, output(m, r->scale_y));
}

static void build_transpose_conv(struct case_builder *m, const struct row *r)
{
    const struct shape four = DIMS(4);
    struct options options;
    int in[4];

    options_init(&options, OPTIONS_TransposeConvOptions);
    set_window(&options, r);
    in[0] = case_constant_i32(m, "shape", &four, r->out.d);
    in[1] = weights(m, r, 0);
    in[2] = input(m, "x", &r->in, X_SCALE);
    if (r->bias != BIAS_NONE)
        in[3] = bias(m, r, r->out.d[3]);
    case_judged_op(m, &options, r->bias == BIAS_NONE ? 3 : 4, in, output(m, r->scale_y));
}

/* ---- the others ---- */

/* numbers[0]: the operand that is a constant, from 1 on; 0: none. */
static void build_binary(struct case_builder *m, const struct row *r)
{
    static const struct {
        int32_t code;
        uint8_t tag;
    } tags[] = { { BUILTIN_ADD, OPTIONS_AddOptions },
                 { BUILTIN_SUB, OPTIONS_SubOptions },
                 { BUILTIN_MUL, OPTIONS_MulOptions },
                 { BUILTIN_MAXIMUM, OPTIONS_MaximumMinimumOptions },
                 { BUILTIN_MINIMUM, OPTIONS_MaximumMinimumOptions } };
    struct options options;
    size_t i = 0;
    int in[2];

    while (tags[i].code != m->c->code)
        i++;
    options_init(&options, tags[i].tag);
    if (i < 3)
        options_set_int(&options, "fused_activation_function", r->act);
    if (i < 2)
        options_set_int(&options, "pot_scale_int16", 0);
    in[0] = r->numbers[0] == 1 ? case_constant_scaled(m, "a", &r->in, TENSOR_INT16, r->scale, 0)
                               : input(m, "a", &r->in, r->scale);
    in[1] = r->numbers[0] == 2
                ? case_constant_scaled(m, "b", &r->other, TENSOR_INT16, r->scale_b, 0)
                : input(m, "b", &r->other, r->scale_b);
    case_judged_op(m, &options, 2, in, output(m, r->scale_y));
}

static void build_pool(struct case_builder *m, const struct row *r)
{
    struct options options;
    int in;

    options_init(&options, OPTIONS_Pool2DOptions);
    set_window(&options, r);
    options_set_int(&options, "filter_width", r->numbers[0]);
    options_set_int(&options, "filter_height", r->numbers[1]);
    options_set_int(&options, "fused_activation_function", r->act);
    in = input(m, "x", &r->in, X_SCALE);
    case_judged_op(m, &options, 1, &in, output(m, X_SCALE));
}

static void build_mean(struct case_builder *m, const struct row *r)
{
    const struct shape two = DIMS(2);
    struct options options;
    int in[2];

    options_init(&options, OPTIONS_ReducerOptions);
    options_set_int(&options, "keep_dims", 1);
    in[0] = input(m, "x", &r->in, X_SCALE);
    in[1] = case_constant_i32(m, "axes", &two, r->numbers);
    case_judged_op(m, &options, 2, in, output(m, r->scale_y));
}

/* numbers[0]: the result is the first tensor of the file. */
static void build_softmax(struct case_builder *m, const struct row *r)
{
    const int first = r->numbers[0] ? output(m, 1. / 32768) : -1;
    struct options options;
    int in;

    options_init(&options, OPTIONS_SoftmaxOptions);
    options_set_float(&options, "beta", 1);
    in = input(m, "x", &r->in, r->scale);
    case_judged_op(m, &options, 1, &in, first < 0 ? output(m, 1. / 32768) : first);
}

/* Of 8 bits (numbers[0]: enum tensor_type) to i16 with the least zero point. */
static void build_softmax_of_bytes(struct case_builder *m, const struct row *r)
{
    struct options options;
    int in;

    options_init(&options, OPTIONS_SoftmaxOptions);
    options_set_float(&options, "beta", 1);
    in = case_input_scaled(m, "x", &r->in, r->numbers[0], r->scale, r->numbers[1]);
    case_judged_op(m, &options, 1, &in,
                   case_output_scaled(m, "y", &r->out, TENSOR_INT16, 1. / 65536, INT16_MIN));
}

/* y is of i16, or of i8 where numbers[2] says so; numbers[0], numbers[1]: adj_x, adj_y. */
static void build_batch_matmul(struct case_builder *m, const struct row *r)
{
    struct options options;
    int in[2];

    options_init(&options, OPTIONS_BatchMatMulOptions);
    options_set_int(&options, "adj_x", r->numbers[0]);
    options_set_int(&options, "adj_y", r->numbers[1]);
    in[0] = input(m, "x", &r->in, X_SCALE);
    in[1] = r->numbers[2] ? case_input_scaled(m, "y", &r->other, TENSOR_INT8, W_SCALE, 0)
                          : input(m, "y", &r->other, r->scale_b);
    case_judged_op(m, &options, 2, in, output(m, r->scale_y));
}

/* Roots take what is at least 0: a RELU gives it. */
static void build_root(struct case_builder *m, const struct row *r)
{
    const int x = input(m, "x", &r->in, r->scale);
    const int positive = case_output_scaled(m, "positive", &r->in, TENSOR_INT16, r->scale, 0);

    case_op(m, BUILTIN_RELU, 3, NULL, 1, &x, positive);
    case_judged_op(m, NULL, 1, &positive, output(m, r->scale_y));
}

static void build_reduction(struct case_builder *m, const struct row *r)
{
    const struct shape one = DIMS(1);
    struct options options;
    int in[2];

    options_init(&options, OPTIONS_ReducerOptions);
    in[0] = input(m, "x", &r->in, r->scale);
    in[1] = case_constant_i32(m, "axis", &one, &r->axis);
    case_judged_op(m, &options, 2, in, output(m, r->scale_y));
}

static void build_unary(struct case_builder *m, const struct row *r)
{
    const int in = input(m, "x", &r->in, r->scale);

    case_judged_op(m, NULL, 1, &in, output(m, r->scale_y));
}

static void build_concatenation(struct case_builder *m, const struct row *r)
{
    struct options options;
    int in[2];

    options_init(&options, OPTIONS_ConcatenationOptions);
    options_set_int(&options, "axis", r->axis);
    in[0] = input(m, "a", &r->in, X_SCALE);
    in[1] = input(m, "b", &r->other, X_SCALE);
    case_judged_op(m, &options, 2, in, output(m, X_SCALE));
}

static void build_pad(struct case_builder *m, const struct row *r)
{
    const struct shape table = DIMS(4, 2);
    const struct options options = { .tag = OPTIONS_PadOptions };
    int in[2];

    in[0] = input(m, "x", &r->in, X_SCALE);
    in[1] = case_constant_i32(m, "paddings", &table, r->numbers);
    case_judged_op(m, &options, 2, in, output(m, X_SCALE));
}

static void build_resize(struct case_builder *m, const struct row *r)
{
    const bool nearest = m->c->code == BUILTIN_RESIZE_NEAREST_NEIGHBOR;
    const struct shape two = DIMS(2);
    struct options options;
    int in[2];

    options_init(&options,
                 nearest ? OPTIONS_ResizeNearestNeighborOptions : OPTIONS_ResizeBilinearOptions);
    options_set_int(&options, "half_pixel_centers", r->numbers[0]);
    in[0] = input(m, "x", &r->in, X_SCALE);
    in[1] = case_constant_i32(m, "size", &two, &r->out.d[1]);
    case_judged_op(m, &options, 2, in, output(m, X_SCALE));
}

#define I16       .types = TYPE_BIT(CASE_I16), .sets = SET_BIT(SET_RANDOM), .floats = true
#define AS(op, v) .only = op, .version = v, I16
#define AS_SUM(op, v)                                                                              \
    "a sum of products at the ends of both ranges", AS(op, v), .period = SHORT_PERIOD,             \
                                                               .pairs = true, INTEGERS(sum_ends)

/* Weights at their lower end, inputs above 0; weights are operand 1, of TRANSPOSE_CONV operand 0.
 */
static const int32_t sum_lows[] = { INT32_MIN };
#define AS_LOW(op, v, weights)                                                                     \
    "a sum of products below -2^32",                                                               \
        .only = op, .version = v, .types = TYPE_BIT(CASE_I16), .sets = SET_BIT(SET_POSITIVE),      \
        .byte_sets = SET_BIT(SET_POSITIVE), .floats = true, .values_of = weights,                  \
        INTEGERS(sum_lows)

/* Beyond 16 bits, of kernels that are of i16 alone (test_sizes.c). */
#define AS_LARGE(op, v) AS(op, v), .period = SHORT_PERIOD
/* Both operands at the ends of 16 bits, alike and unlike. */
#define AS_ENDS(op, v)                                                                             \
    "operands at the ends of 16 bits", AS(op, v), .pairs = true, INTEGERS(both_ends)
static const int32_t both_ends[] = { INT32_MIN, INT32_MAX };

#define NEAR_ZERO "results of a few steps of the output"

/* In an image of 3 x 5 values a row: 1 and 0 lie over 0 and -1. */
static const int32_t around_0[] = { 1, 0, 2, -3, -2, 0, -1 };

static const struct row rows[] = {
    { ROW("c3_o5", "a scale for each channel", AS("conv_2d", 4)), .in = DIMS(1, 5, 6, 3),
      .other = DIMS(5, 3, 3, 3), .out = DIMS(1, 5, 6, 5), .by_channel = true, .stride = 1,
      .scale_y = 0.004, .build = build_conv },
    { ROW("c8_o4", "one scale for all weights", AS("conv_2d", 4)), .in = DIMS(1, 5, 6, 8),
      .other = DIMS(4, 3, 3, 8), .out = DIMS(1, 5, 6, 4), .stride = 1, .scale_y = 0.003,
      .build = build_conv },
    { ROW("point", "1x1, stride 2", AS("conv_2d", 4)), .in = DIMS(2, 5, 6, 9),
      .other = DIMS(7, 1, 1, 9), .out = DIMS(2, 3, 3, 7), .by_channel = true, .stride = 2,
      .scale_y = 0.002, .build = build_conv },
    { ROW("clamps", "results beyond 16 bits, RELU6", AS("conv_2d", 4)), .in = DIMS(1, 4, 4, 6),
      .other = DIMS(5, 3, 3, 6), .out = DIMS(1, 4, 4, 5), .by_channel = true, .stride = 1, .act = 3,
      .scale_y = 0.0004, .build = build_conv },
    { ROW("saturates", "results beyond 16 bits", AS("conv_2d", 4)), .in = DIMS(1, 4, 4, 6),
      .other = DIMS(5, 3, 3, 6), .out = DIMS(1, 4, 4, 5), .by_channel = true, .stride = 1,
      .scale_y = 0.0002, .build = build_conv },
    { ROW("bias_i32", "a bias of 32 bits: sums of 32 bits", AS("conv_2d", 8)),
      .in = DIMS(1, 4, 4, 6), .other = DIMS(5, 3, 3, 6), .out = DIMS(1, 4, 4, 5),
      .by_channel = true, .stride = 1, .bias = BIAS_I32, .scale_y = 0.003, .build = build_conv },
    { ROW("c5", "a scale for each channel", AS("depthwise_conv_2d", 5)), .in = DIMS(1, 5, 6, 5),
      .other = DIMS(1, 3, 3, 5), .out = DIMS(1, 5, 6, 5), .by_channel = true, .stride = 1,
      .scale_y = 0.001, .build = build_conv },
    { ROW("m2", "two outputs a channel, stride 2", AS("depthwise_conv_2d", 5)),
      .in = DIMS(1, 7, 6, 3), .other = DIMS(1, 3, 3, 6), .out = DIMS(1, 4, 3, 6),
      .by_channel = true, .stride = 2, .act = 1, .scale_y = 0.001, .build = build_conv },
    { ROW("u5_d9", "a bias of 64 bits", AS("fully_connected", 7)), .in = DIMS(3, 9),
      .other = DIMS(5, 9), .out = DIMS(3, 5), .scale_y = 0.002, .build = build_fully_connected },
    { ROW("u16_d67", "RELU behind the sums", AS("fully_connected", 7)), .in = DIMS(2, 67),
      .other = DIMS(16, 67), .out = DIMS(2, 16), .act = 1, .scale_y = 0.005,
      .build = build_fully_connected },
    { ROW("u4_none", "without a bias", AS("fully_connected", 7)), .in = DIMS(2, 12),
      .other = DIMS(4, 12), .out = DIMS(2, 4), .bias = BIAS_NONE, .scale_y = 0.001,
      .build = build_fully_connected },
    /* A kernel may take what lies far below 1/2 for 0 before it rounds. */
    { ROW("near_zero", NEAR_ZERO, AS("fully_connected", 7)), .in = DIMS(8, 9), .other = DIMS(5, 9),
      .out = DIMS(8, 5), .scale_y = 3, .build = build_fully_connected },
    { ROW("near_zero", NEAR_ZERO, AS("batch_matmul", 3)), .in = DIMS(2, 7, 9),
      .other = DIMS(2, 9, 5), .out = DIMS(2, 7, 5), .scale_b = 0.0001, .scale_y = 3,
      .build = build_batch_matmul },
    { ROW("s2_c3", "stride 2, bias i64", AS("transpose_conv", 3)), .in = DIMS(1, 3, 4, 3),
      .other = DIMS(5, 3, 3, 3), .out = DIMS(1, 6, 8, 5), .by_channel = true, .stride = 2,
      .scale_y = 0.002, .build = build_transpose_conv },
    { ROW("s1_none", "stride 1, no bias", AS("transpose_conv", 2)), .in = DIMS(1, 3, 4, 6),
      .other = DIMS(4, 3, 3, 6), .out = DIMS(1, 3, 4, 4), .stride = 1, .bias = BIAS_NONE,
      .scale_y = 0.003, .build = build_transpose_conv },
    /* Windows that are wider than high, and higher than wide; strides that differ. */
    { ROW("k2x5_s1x2", "a wide window, stride 1x2", AS("conv_2d", 4)), .in = DIMS(1, 5, 9, 3),
      .other = DIMS(5, 2, 5, 3), .out = DIMS(1, 5, 5, 5), .by_channel = true, .stride = 1,
      .across = 2, .scale_y = 0.004, .build = build_conv },
    { ROW("k5x2_s2x1", "a high window, stride 2x1", AS("conv_2d", 4)), .in = DIMS(1, 9, 5, 6),
      .other = DIMS(4, 5, 2, 6), .out = DIMS(1, 5, 5, 4), .stride = 2, .across = 1,
      .scale_y = 0.004, .build = build_conv },
    { ROW("k1x7", "a row of seven", AS("conv_2d", 4)), .in = DIMS(2, 2, 70, 4),
      .other = DIMS(3, 1, 7, 4), .out = DIMS(2, 2, 70, 3), .stride = 1, .scale_y = 0.003,
      .build = build_conv },
    { ROW("k2x5_s1x2", "a wide window, stride 1x2", AS("depthwise_conv_2d", 5)),
      .in = DIMS(1, 5, 9, 5), .other = DIMS(1, 2, 5, 5), .out = DIMS(1, 5, 5, 5),
      .by_channel = true, .stride = 1, .across = 2, .scale_y = 0.001, .build = build_conv },
    { ROW("k5x2_s2x1", "a high window, stride 2x1", AS("depthwise_conv_2d", 5)),
      .in = DIMS(1, 9, 5, 6), .other = DIMS(1, 5, 2, 6), .out = DIMS(1, 5, 5, 6),
      .by_channel = true, .stride = 2, .across = 1, .scale_y = 0.001, .build = build_conv },
    { ROW("k2x5_s1x2", "a wide window, stride 1x2", AS("transpose_conv", 3)),
      .in = DIMS(1, 3, 4, 3), .other = DIMS(5, 2, 5, 3), .out = DIMS(1, 3, 8, 5),
      .by_channel = true, .stride = 1, .across = 2, .scale_y = 0.003,
      .build = build_transpose_conv },
    { ROW("k5x2_s2x1", "a high window, stride 2x1", AS("transpose_conv", 3)),
      .in = DIMS(1, 3, 4, 6), .other = DIMS(4, 5, 2, 6), .out = DIMS(1, 6, 4, 4), .stride = 2,
      .across = 1, .scale_y = 0.003, .build = build_transpose_conv },
    { ROW("k1x7_s1x3", "a row of seven, stride 1x3", AS("transpose_conv", 3)),
      .in = DIMS(2, 2, 23, 4), .other = DIMS(3, 1, 7, 4), .out = DIMS(2, 2, 69, 3), .stride = 1,
      .across = 3, .scale_y = 0.003, .build = build_transpose_conv },
    { ROW("k4x4", "a window of four, stride 1", AS("transpose_conv", 3)), .in = DIMS(1, 6, 7, 5),
      .other = DIMS(9, 4, 4, 5), .out = DIMS(1, 6, 7, 9), .by_channel = true, .stride = 1,
      .scale_y = 0.004, .build = build_transpose_conv },
    { ROW("same", "operands of one shape", AS("add", 3)), .in = DIMS(2, 3, 5),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = 0.0001,
      .scale_y = 0.0003, .build = build_binary },
    { ROW("broadcast", "a channel, RELU", AS("add", 3)), .in = DIMS(2, 3, 5), .other = DIMS(5),
      .out = DIMS(2, 3, 5), .act = 1, .scale = X_SCALE, .scale_b = 0.0007, .scale_y = 0.0008,
      .build = build_binary },
    { ROW("saturates", "results beyond 16 bits", AS("add", 3)), .in = DIMS(2, 3, 5),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = 0.0003,
      .scale_y = 0.0001, .build = build_binary },
    { ROW("same", "operands of one shape", AS("sub", 5)), .in = DIMS(2, 3, 5),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = 0.0001,
      .scale_y = 0.0003, .build = build_binary },
    { ROW("broadcast", "a row of channels", AS("sub", 5)), .in = DIMS(3, 5), .other = DIMS(2, 1, 5),
      .out = DIMS(2, 3, 5), .scale = 0.0011, .scale_b = 0.0001, .scale_y = 0.0012,
      .build = build_binary },
    { ROW("same", "operands of one shape", AS("mul", 4)), .in = DIMS(2, 3, 5),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = 0.0001,
      .scale_y = 0.0004, .build = build_binary },
    { ROW("broadcast", "a channel, RELU6", AS("mul", 4)), .in = DIMS(2, 3, 5), .other = DIMS(5),
      .out = DIMS(2, 3, 5), .act = 3, .scale = X_SCALE, .scale_b = 0.0001, .scale_y = 0.0003,
      .build = build_binary },
    { ROW("same", "operands of one shape", AS("maximum", 4)), .in = DIMS(2, 3, 5),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = X_SCALE,
      .scale_y = X_SCALE, .build = build_binary },
    { ROW("broadcast", "an operand with the channels alone", AS("minimum", 4)), .in = DIMS(2, 3, 5),
      .other = DIMS(5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = X_SCALE,
      .scale_y = X_SCALE, .build = build_binary },
    { ROW("k3", "windows at the border", AS("average_pool_2d", 3)), .in = DIMS(1, 5, 6, 5),
      .out = DIMS(1, 3, 3, 5), .stride = 2, .numbers = { 3, 3 }, .build = build_pool },
    { ROW("k2_relu", "RELU behind the sums", AS("average_pool_2d", 3)), .in = DIMS(1, 4, 6, 3),
      .out = DIMS(1, 2, 3, 3), .stride = 2, .act = 1, .numbers = { 2, 2 }, .build = build_pool },
    { ROW("k3", "windows at the border", AS("max_pool_2d", 3)), .in = DIMS(1, 5, 6, 5),
      .out = DIMS(1, 3, 3, 5), .stride = 2, .numbers = { 3, 3 }, .build = build_pool },
    { ROW("hw", "the mean of an image", AS("mean", 3)), .in = DIMS(1, 5, 6, 5),
      .out = DIMS(1, 1, 1, 5), .numbers = { 1, 2 }, .scale_y = 0.00012, .build = build_mean },
    { ROW("hw_same", "an image, one scale", AS("mean", 3)), .in = DIMS(2, 4, 4, 3),
      .out = DIMS(2, 1, 1, 3), .numbers = { 1, 2 }, .scale_y = X_SCALE, .build = build_mean },
    { ROW("c10", "ten classes", AS("softmax", 3)), .in = DIMS(3, 10), .out = DIMS(3, 10),
      .scale = X_SCALE, .build = build_softmax },
    { ROW("c1001", "a thousand and one classes", AS("softmax", 3)), .in = DIMS(2, 1001),
      .out = DIMS(2, 1001), .scale = X_SCALE, .build = build_softmax },
    { ROW("coarse", "classes that are far apart", AS("softmax", 3)), .in = DIMS(4, 7),
      .out = DIMS(4, 7), .scale = 0.003, .build = build_softmax },
    { ROW("fine", "nearly alike", AS("softmax", 3)), .in = DIMS(4, 7), .out = DIMS(4, 7),
      .scale = 1e-5, .build = build_softmax },
    { ROW("one", "one class alone", AS("softmax", 3)), .in = DIMS(4, 1), .out = DIMS(4, 1),
      .scale = X_SCALE, .build = build_softmax },
    { ROW("pot", "a scale of 2^-12", AS("logistic", 3)), .in = DIMS(16, 31), .out = DIMS(16, 31),
      .scale = 1. / 4096, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("pot11", "a scale of 2^-11", AS("logistic", 3)), .in = DIMS(16, 31), .out = DIMS(16, 31),
      .scale = 1. / 2048, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("scale", "a scale that is no power of two", AS("logistic", 3)), .in = DIMS(16, 31),
      .out = DIMS(16, 31), .scale = X_SCALE, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("coarse", "any scale, far from 0", AS("logistic", 3)), .in = DIMS(16, 31),
      .out = DIMS(16, 31), .scale = 0.0021, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("fine", "any scale, near 0", AS("logistic", 3)), .in = DIMS(16, 31), .out = DIMS(16, 31),
      .scale = 1e-5, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("rescales", "two scales", AS("relu", 3)), .in = DIMS(3, 5), .out = DIMS(3, 5),
      .scale = X_SCALE, .scale_y = 0.0002, .build = build_unary },
    { ROW("rescales", "two scales", AS("relu6", 3)), .in = DIMS(3, 5), .out = DIMS(3, 5),
      .scale = X_SCALE, .scale_y = 0.0002, .build = build_unary },
    { ROW("channels", "joined along the channels", AS("concatenation", 3)), .in = DIMS(2, 3, 5),
      .other = DIMS(2, 3, 2), .out = DIMS(2, 3, 7), .axis = 2, .build = build_concatenation },
    { ROW("image", "around an image", AS("pad", 3)), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 6, 5, 6), .numbers = { 0, 0, 1, 2, 0, 1, 0, 1 }, .build = build_pad },
    { ROW("up", "an image is enlarged", AS("resize_bilinear", 4)), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 7, 9, 5), .build = build_resize },
    { ROW("down_half", "reduced, half-pixel centres", AS("resize_bilinear", 4)),
      .in = DIMS(1, 7, 8, 3), .out = DIMS(1, 3, 3, 3), .numbers = { 1 }, .build = build_resize },
    { ROW("twice", "twice as large: results between two integers", AS("resize_bilinear", 4)),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 4, 6, 5), .build = build_resize },
    { ROW("up", "an image is enlarged", AS("resize_nearest_neighbor", 4)), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 7, 9, 5), .build = build_resize },
    /* Sums at the ends of both ranges that pass 32 bits (test_sizes.c). */
    { ROW("sum33", AS_SUM("conv_2d", 4)), .in = DIMS(1, 1, 1, 1100), .other = DIMS(2, 1, 1, 1100),
      .out = DIMS(1, 1, 1, 2), .stride = 1, .scale_y = 0.4, .build = build_conv },
    { ROW("sum33", AS_SUM("depthwise_conv_2d", 5)), .in = DIMS(1, 33, 34, 1),
      .other = DIMS(1, 33, 34, 1), .out = DIMS(1, 1, 1, 1), .stride = 34, .scale_y = 0.4,
      .build = build_conv },
    { ROW("sum33", AS_SUM("fully_connected", 7)), .in = DIMS(1, 1100), .other = DIMS(2, 1100),
      .out = DIMS(1, 2), .scale_y = 0.4, .build = build_fully_connected },
    { ROW("sum33", AS_SUM("transpose_conv", 3)), .in = DIMS(1, 1, 1, 1100),
      .other = DIMS(2, 1, 1, 1100), .out = DIMS(1, 1, 1, 2), .stride = 1, .scale_y = 0.4,
      .build = build_transpose_conv },
    { ROW("sum25", AS_SUM("average_pool_2d", 3)), .in = DIMS(1, 23, 23, 1), .out = DIMS(1, 1, 1, 1),
      .stride = 23, .numbers = { 23, 23 }, .build = build_pool },
    { ROW("sum31", AS_SUM("mean", 3)), .in = DIMS(1, 256, 255, 1), .out = DIMS(1, 1, 1, 1),
      .numbers = { 1, 2 }, .scale_y = X_SCALE, .build = build_mean },
    { ROW("sum25_same", AS_SUM("average_pool_2d", 3)), .in = DIMS(1, 24, 24, 1),
      .out = DIMS(1, 24, 24, 1), .stride = 1, .numbers = { 23, 23 }, .build = build_pool },
    { ROW("quarters", "four times as large: ties of parts of both signs", AS("resize_bilinear", 4),
          INTEGERS(around_0)),
      .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 16, 12, 5), .build = build_resize },
    { ROW("from_i8", "i8 to i16: scores of a small model", AS("softmax", 2)), .in = DIMS(3, 10),
      .out = DIMS(3, 10), .scale = 0.0625, .numbers = { TENSOR_INT8, 11 },
      .build = build_softmax_of_bytes },
    { ROW("from_i8_c1001", "i8 to i16, a thousand and one classes", AS("softmax", 2)),
      .in = DIMS(2, 1001), .out = DIMS(2, 1001), .scale = 0.0625, .numbers = { TENSOR_INT8, -128 },
      .build = build_softmax_of_bytes },
    { ROW("from_i8_fine", "i8 to i16, nearly alike", AS("softmax", 2)), .in = DIMS(5, 7),
      .out = DIMS(5, 7), .scale = 0.0007, .numbers = { TENSOR_INT8, 0 },
      .build = build_softmax_of_bytes },
    { ROW("from_i8_one", "i8 to i16, one class alone", AS("softmax", 2)), .in = DIMS(3, 1),
      .out = DIMS(3, 1), .scale = 0.0625, .numbers = { TENSOR_INT8, 0 },
      .build = build_softmax_of_bytes },
    { ROW("from_u8", "u8 to i16, far apart", AS("softmax", 2)), .in = DIMS(2, 3, 13),
      .out = DIMS(2, 3, 13), .scale = 0.4, .numbers = { TENSOR_UINT8, 100 },
      .build = build_softmax_of_bytes },
    { ROW("scores", "queries by keys, as attention has them", AS("batch_matmul", 3)),
      .in = DIMS(2, 3, 9), .other = DIMS(2, 5, 9), .out = DIMS(2, 3, 5), .numbers = { 0, 1 },
      .scale_b = X_SCALE, .scale_y = 0.003, .build = build_batch_matmul },
    { ROW("mixed", "one matrix for a batch", AS("batch_matmul", 3)), .in = DIMS(2, 1, 4, 6),
      .other = DIMS(3, 6, 5), .out = DIMS(2, 3, 4, 5), .scale_b = 0.0001, .scale_y = 0.001,
      .build = build_batch_matmul },
    { ROW("adj_x", "x is turned; results beyond 16 bits", AS("batch_matmul", 3)),
      .in = DIMS(2, 7, 4), .other = DIMS(2, 7, 3), .out = DIMS(2, 4, 3), .numbers = { 1 },
      .scale_b = X_SCALE, .scale_y = 0.001, .build = build_batch_matmul },
    { ROW("by_i8", "y is i8", AS("batch_matmul", 3)), .in = DIMS(2, 3, 8), .other = DIMS(2, 8, 5),
      .out = DIMS(2, 3, 5), .numbers = { 0, 0, 1 }, .scale_y = 0.002, .build = build_batch_matmul },
    { ROW("by_i8_adj_y", "y is i8, turned", AS("batch_matmul", 3)), .in = DIMS(3, 13),
      .other = DIMS(4, 13), .out = DIMS(3, 4), .numbers = { 0, 1, 1 }, .scale_y = 0.002,
      .build = build_batch_matmul },
    { ROW("sum33", AS_SUM("batch_matmul", 3)), .in = DIMS(1, 1100), .other = DIMS(1100, 2),
      .out = DIMS(1, 2), .scale_b = X_SCALE, .scale_y = 0.4, .build = build_batch_matmul },
    { ROW("norm", "as a layer norm has it", AS("rsqrt", 3)), .in = DIMS(16, 31),
      .out = DIMS(16, 31), .scale = X_SCALE, .scale_y = 0.002, .build = build_root },
    { ROW("coarse", "large inputs, small results", AS("rsqrt", 3)), .in = DIMS(16, 31),
      .out = DIMS(16, 31), .scale = 0.7, .scale_y = 0.00003, .build = build_root },
    { ROW("pot", "a scale of 2^-12", AS("tanh", 3)), .in = DIMS(16, 31), .out = DIMS(16, 31),
      .scale = 1. / 4096, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("pot11", "a scale of 2^-11", AS("tanh", 3)), .in = DIMS(16, 31), .out = DIMS(16, 31),
      .scale = 1. / 2048, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("scale", "a scale that is no power of two", AS("tanh", 3)), .in = DIMS(16, 31),
      .out = DIMS(16, 31), .scale = X_SCALE, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("coarse", "any scale, far from 0", AS("tanh", 3)), .in = DIMS(16, 31),
      .out = DIMS(16, 31), .scale = 0.0021, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("fine", "any scale, near 0", AS("tanh", 3)), .in = DIMS(16, 31), .out = DIMS(16, 31),
      .scale = 1e-5, .scale_y = 1. / 32768, .build = build_unary },
    { ROW("rows", "of rows", AS("reduce_max", 3)), .in = DIMS(3, 5, 7), .out = DIMS(3, 7),
      .axis = 1, .scale = X_SCALE, .scale_y = X_SCALE, .build = build_reduction },
    { ROW("channels", "of channels", AS("reduce_max", 3)), .in = DIMS(4, 13), .out = DIMS(4),
      .axis = -1, .scale = X_SCALE, .scale_y = X_SCALE, .build = build_reduction },
    { ROW("rows", "of rows", AS("reduce_min", 3)), .in = DIMS(3, 5, 7), .out = DIMS(3, 7),
      .axis = 1, .scale = X_SCALE, .scale_y = X_SCALE, .build = build_reduction },
    { ROW("channels", "of channels", AS("reduce_min", 3)), .in = DIMS(4, 13), .out = DIMS(4),
      .axis = -1, .scale = X_SCALE, .scale_y = X_SCALE, .build = build_reduction },
    { ROW("rows", "of rows", AS("sum", 2)), .in = DIMS(3, 5, 7), .out = DIMS(3, 7), .axis = 1,
      .scale = X_SCALE, .scale_y = 0.0004, .build = build_reduction },
    { ROW("channels", "of channels", AS("sum", 2)), .in = DIMS(4, 13), .out = DIMS(4), .axis = -1,
      .scale = X_SCALE, .scale_y = 0.0007, .build = build_reduction },
    { ROW("rows", "of rows", AS("reduce_prod", 2)), .in = DIMS(3, 3, 7), .out = DIMS(3, 7),
      .axis = 1, .scale = X_SCALE, .scale_y = 0.002, .build = build_reduction },
    { ROW("channels", "of channels", AS("reduce_prod", 2)), .in = DIMS(6, 4), .out = DIMS(6),
      .axis = -1, .scale = X_SCALE, .scale_y = 0.01, .build = build_reduction },
    { ROW("sum33_low", AS_LOW("conv_2d", 4, 1)), .in = DIMS(1, 1, 1, 6000),
      .other = DIMS(2, 1, 1, 6000), .out = DIMS(1, 1, 1, 2), .stride = 1, .scale_y = 1.9,
      .build = build_conv },
    { ROW("sum33_low", AS_LOW("depthwise_conv_2d", 5, 1)), .in = DIMS(1, 100, 60, 1),
      .other = DIMS(1, 100, 60, 1), .out = DIMS(1, 2, 1, 1), .stride = 60, .scale_y = 1.9,
      .build = build_conv },
    { ROW("sum33_low", AS_LOW("fully_connected", 7, 1)), .in = DIMS(1, 6000),
      .other = DIMS(2, 6000), .out = DIMS(1, 2), .scale_y = 1.9, .build = build_fully_connected },
    { ROW("sum33_low", AS_LOW("transpose_conv", 3, 0)), .in = DIMS(1, 1, 1, 6000),
      .other = DIMS(2, 1, 1, 6000), .out = DIMS(1, 1, 1, 2), .stride = 1, .scale_y = 1.9,
      .build = build_transpose_conv },
    { ROW("sum33_low", AS_LOW("batch_matmul", 3, 1)), .in = DIMS(1, 6000), .other = DIMS(6000, 2),
      .out = DIMS(1, 2), .scale_b = X_SCALE, .scale_y = 1.9, .build = build_batch_matmul },
    { ROW("rows257", "many rows: sums of every size", AS("softmax", 3)), .in = DIMS(257, 5),
      .out = DIMS(257, 5), .scale = 0.0002, .build = build_softmax },
    { ROW("rows65_c67", "many rows: sums of every size", AS("softmax", 3)), .in = DIMS(65, 67),
      .out = DIMS(65, 67), .scale = 0.0004, .build = build_softmax },
    { ROW("k5", "windows of five rows and columns", AS("conv_2d", 4)), .in = DIMS(1, 6, 7, 3),
      .other = DIMS(5, 5, 5, 3), .out = DIMS(1, 6, 7, 5), .by_channel = true, .stride = 1,
      .scale_y = 0.006, .build = build_conv },
    { ROW("k5", "windows of five rows and columns", AS("depthwise_conv_2d", 5)),
      .in = DIMS(1, 6, 7, 5), .other = DIMS(1, 5, 5, 5), .out = DIMS(1, 6, 7, 5), .stride = 1,
      .scale_y = 0.003, .build = build_conv },
    { ROW("pixels66001", "66,001 pixels", AS_LARGE("conv_2d", 4)), .in = DIMS(1, 1, 66001, 1),
      .other = DIMS(1, 1, 1, 1), .out = DIMS(1, 1, 66001, 1), .stride = 1, .scale_y = 0.0004,
      .build = build_conv },
    { ROW("pixels66001", "66,001 pixels", AS_LARGE("depthwise_conv_2d", 5)),
      .in = DIMS(1, 66001, 1, 1), .other = DIMS(1, 1, 1, 1), .out = DIMS(1, 66001, 1, 1),
      .stride = 1, .scale_y = 0.0004, .build = build_conv },
    { ROW("rows66001", "66,001 rows", AS_LARGE("fully_connected", 7)), .in = DIMS(66001, 2),
      .other = DIMS(1, 2), .out = DIMS(66001, 1), .scale_y = 0.0007,
      .build = build_fully_connected },
    { ROW("pixels66002", "66,002 pixels", AS_LARGE("transpose_conv", 3)),
      .in = DIMS(1, 1, 33001, 1), .other = DIMS(1, 1, 2, 1), .out = DIMS(1, 1, 66002, 1),
      .stride = 1, .across = 2, .scale_y = 0.0004, .build = build_transpose_conv },
    { ROW("c260_o16", "more than 256 channels", AS_LARGE("conv_2d", 4)), .in = DIMS(1, 1, 3, 260),
      .other = DIMS(16, 1, 1, 260), .out = DIMS(1, 1, 3, 16), .stride = 1, .scale_y = 0.02,
      .build = build_conv },
    { ROW("c1025", "more than 1,024 channels", AS_LARGE("depthwise_conv_2d", 5)),
      .in = DIMS(1, 2, 3, 1025), .other = DIMS(1, 2, 2, 1025), .out = DIMS(1, 2, 3, 1025),
      .bias = BIAS_NONE, .by_channel = true, .stride = 1, .scale_y = 0.001, .build = build_conv },
    { ROW("adj_x_k1025", "x of 1,025 rows is turned", AS_LARGE("batch_matmul", 3)),
      .in = DIMS(1025, 5), .other = DIMS(1025, 3), .out = DIMS(5, 3), .numbers = { 1 },
      .scale_b = X_SCALE, .scale_y = 0.02, .build = build_batch_matmul },
    { ROW("rows66001", "66,001 rows", AS_LARGE("batch_matmul", 3)), .in = DIMS(66001, 2),
      .other = DIMS(2, 1), .out = DIMS(66001, 1), .scale_b = X_SCALE, .scale_y = 0.004,
      .build = build_batch_matmul },
    { ROW("matrices66001", "66,001 matrices", AS_LARGE("batch_matmul", 3)), .in = DIMS(66001, 1, 2),
      .other = DIMS(66001, 2, 1), .out = DIMS(66001, 1, 1), .scale_b = X_SCALE, .scale_y = 0.004,
      .build = build_batch_matmul },
    { ROW("ends", AS_ENDS("add", 3)), .in = DIMS(16), .other = DIMS(16), .out = DIMS(16),
      .scale = X_SCALE, .scale_b = X_SCALE, .scale_y = 0.0005, .build = build_binary },
    { ROW("ends", AS_ENDS("sub", 5)), .in = DIMS(16), .other = DIMS(16), .out = DIMS(16),
      .scale = X_SCALE, .scale_b = X_SCALE, .scale_y = 0.0005, .build = build_binary },
    { ROW("ends", AS_ENDS("mul", 4)), .in = DIMS(16), .other = DIMS(16), .out = DIMS(16),
      .scale = X_SCALE, .scale_b = X_SCALE, .scale_y = 0.0022, .build = build_binary },
    { ROW("c1001_alike", "a thousand and one classes alike: sums beyond 24 bits", AS("softmax", 3)),
      .in = DIMS(2, 1001), .out = DIMS(2, 1001), .scale = 1e-7, .build = build_softmax },
    { ROW("rows66001", "66,001 rows", AS_LARGE("softmax", 3)), .in = DIMS(66001, 2),
      .out = DIMS(66001, 2), .scale = 0.001, .build = build_softmax },
    { ROW("c4101", "4,101 classes", AS_LARGE("softmax", 3)), .in = DIMS(2, 4101),
      .out = DIMS(2, 4101), .scale = 0.001, .build = build_softmax },
    { ROW("result_first", "the result is the first tensor of the file", AS("softmax", 3)),
      .in = DIMS(3, 10), .out = DIMS(3, 10), .scale = X_SCALE, .numbers = { 1 },
      .build = build_softmax },
    /* Attributes that kernels of i16 have, too (conformance/classes.tsv). */
    { ROW("d2_valid", "dilated, VALID, RELU", AS("conv_2d", 4)), .in = DIMS(1, 9, 10, 3),
      .other = DIMS(5, 3, 3, 3), .out = DIMS(1, 5, 6, 5), .by_channel = true, .stride = 1,
      .dilation = 2, .valid = true, .act = 1, .scale_y = 0.004, .build = build_conv },
    { ROW("relu_n1", "RELU_N1_TO_1", AS("conv_2d", 4)), .in = DIMS(2, 4, 3, 5),
      .other = DIMS(4, 2, 2, 5), .out = DIMS(2, 4, 3, 4), .stride = 1, .act = 2, .scale_y = 0.003,
      .build = build_conv },
    { ROW("m3_d2_valid", "three outputs a channel, dilated, VALID, RELU6",
          AS("depthwise_conv_2d", 5)),
      .in = DIMS(2, 7, 8, 2), .other = DIMS(1, 3, 3, 6), .out = DIMS(2, 3, 4, 6),
      .by_channel = true, .stride = 1, .dilation = 2, .valid = true, .act = 3, .scale_y = 0.001,
      .build = build_conv },
    { ROW("m5_relu_n1", "five outputs a channel, RELU_N1_TO_1", AS("depthwise_conv_2d", 5)),
      .in = DIMS(1, 4, 5, 2), .other = DIMS(1, 2, 2, 10), .out = DIMS(1, 4, 5, 10), .stride = 1,
      .act = 2, .scale_y = 0.001, .build = build_conv },
    { ROW("s2_valid", "stride 2, VALID", AS("transpose_conv", 3)), .in = DIMS(2, 3, 4, 3),
      .other = DIMS(5, 3, 3, 3), .out = DIMS(2, 7, 9, 5), .by_channel = true, .stride = 2,
      .valid = true, .scale_y = 0.002, .build = build_transpose_conv },
    { ROW("u6_relu6", "RELU6 behind the sums", AS("fully_connected", 7)), .in = DIMS(2, 11),
      .other = DIMS(6, 11), .out = DIMS(2, 6), .act = 3, .scale_y = 0.002,
      .build = build_fully_connected },
    { ROW("k2x4_valid", "wide windows, VALID, RELU6", AS("average_pool_2d", 3)),
      .in = DIMS(2, 6, 7, 5), .out = DIMS(2, 5, 4, 5), .stride = 1, .valid = true, .act = 3,
      .numbers = { 4, 2 }, .build = build_pool },
    { ROW("k5x1_relu_n1", "high windows, RELU_N1_TO_1", AS("average_pool_2d", 3)),
      .in = DIMS(1, 7, 5, 6), .out = DIMS(1, 7, 3, 6), .stride = 1, .across = 2, .act = 2,
      .numbers = { 1, 5 }, .build = build_pool },
    { ROW("k2x4_valid", "wide windows, VALID, RELU", AS("max_pool_2d", 3)), .in = DIMS(2, 6, 7, 5),
      .out = DIMS(2, 5, 4, 5), .stride = 1, .valid = true, .act = 1, .numbers = { 4, 2 },
      .build = build_pool },
    { ROW("k5x1_relu6", "high windows, RELU6", AS("max_pool_2d", 3)), .in = DIMS(1, 7, 5, 6),
      .out = DIMS(1, 7, 3, 6), .stride = 1, .across = 2, .act = 3, .numbers = { 1, 5 },
      .build = build_pool },
    { ROW("constant", "a constant for each channel, RELU6", AS("add", 3)), .in = DIMS(2, 3, 5),
      .other = DIMS(5), .out = DIMS(2, 3, 5), .act = 3, .scale = X_SCALE, .scale_b = 0.0007,
      .scale_y = 0.0008, .numbers = { 2 }, .build = build_binary },
    { ROW("of_constant", "from a constant, RELU_N1_TO_1", AS("sub", 5)), .in = DIMS(3, 1),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .act = 2, .scale = 0.0011, .scale_b = 0.0001,
      .scale_y = 0.0012, .numbers = { 1 }, .build = build_binary },
    { ROW("constant", "by a constant for each channel, RELU", AS("mul", 4)), .in = DIMS(2, 3, 5),
      .other = DIMS(5), .out = DIMS(2, 3, 5), .act = 1, .scale = X_SCALE, .scale_b = 0.0001,
      .scale_y = 0.0003, .numbers = { 2 }, .build = build_binary },
    { ROW("constant", "a constant for each channel", AS("maximum", 4)), .in = DIMS(2, 3, 5),
      .other = DIMS(5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = X_SCALE,
      .scale_y = X_SCALE, .numbers = { 2 }, .build = build_binary },
    { ROW("constant", "a constant that is the first operand", AS("minimum", 4)), .in = DIMS(3, 1),
      .other = DIMS(2, 3, 5), .out = DIMS(2, 3, 5), .scale = X_SCALE, .scale_b = X_SCALE,
      .scale_y = X_SCALE, .numbers = { 1 }, .build = build_binary },
    { ROW("columns1030", "1,030 columns", AS_LARGE("batch_matmul", 3)), .in = DIMS(2, 5),
      .other = DIMS(5, 1030), .out = DIMS(2, 1030), .scale_b = X_SCALE, .scale_y = 0.01,
      .build = build_batch_matmul },
    { ROW("matrices_2x3", "matrices of two dimensions, whose inner ones are broadcast",
          AS("batch_matmul", 3)),
      .in = DIMS(2, 1, 3, 5), .other = DIMS(2, 3, 5, 9), .out = DIMS(2, 3, 3, 9),
      .scale_b = X_SCALE, .scale_y = 0.01, .build = build_batch_matmul },
    { ROW("matrices_3x2", "matrices of two dimensions, whose outer ones are broadcast",
          AS("batch_matmul", 3)),
      .in = DIMS(3, 2, 2, 5), .other = DIMS(1, 2, 5, 6), .out = DIMS(3, 2, 2, 6),
      .scale_b = X_SCALE, .scale_y = 0.01, .build = build_batch_matmul },
    { ROW("shift33", "a factor below 2^-18: the half that rounds has more than 32 bits",
          AS("batch_matmul", 3)),
      .in = DIMS(5, 9), .other = DIMS(9, 7), .out = DIMS(5, 7), .scale_b = X_SCALE, .scale_y = 0.02,
      .build = build_batch_matmul },
};

static void build(struct case_builder *m)
{
    row_of(m)->build(m, row_of(m));
}

#define MEMBER(name, code_)                                                                        \
    {                                                                                              \
        .op = name, .code = BUILTIN_##code_, .version = 1, .types = TYPE_BIT(CASE_I16),            \
        .sets = SET_BIT(SET_RANDOM), .bound = {                                                    \
            .kind = BOUND_BITS                                                                     \
        }                                                                                          \
    }

static const struct suite_member members[] = {
    MEMBER("conv_2d", CONV_2D),
    MEMBER("depthwise_conv_2d", DEPTHWISE_CONV_2D),
    MEMBER("fully_connected", FULLY_CONNECTED),
    MEMBER("transpose_conv", TRANSPOSE_CONV),
    MEMBER("add", ADD),
    MEMBER("sub", SUB),
    MEMBER("mul", MUL),
    MEMBER("maximum", MAXIMUM),
    MEMBER("minimum", MINIMUM),
    MEMBER("average_pool_2d", AVERAGE_POOL_2D),
    MEMBER("max_pool_2d", MAX_POOL_2D),
    MEMBER("mean", MEAN),
    MEMBER("softmax", SOFTMAX),
    MEMBER("logistic", LOGISTIC),
    MEMBER("relu", RELU),
    MEMBER("relu6", RELU6),
    MEMBER("concatenation", CONCATENATION),
    MEMBER("pad", PAD),
    MEMBER("resize_bilinear", RESIZE_BILINEAR),
    MEMBER("resize_nearest_neighbor", RESIZE_NEAREST_NEIGHBOR),
    MEMBER("batch_matmul", BATCH_MATMUL),
    MEMBER("rsqrt", RSQRT),
    MEMBER("tanh", TANH),
    MEMBER("reduce_max", REDUCE_MAX),
    MEMBER("reduce_min", REDUCE_MIN),
    MEMBER("sum", SUM),
    MEMBER("reduce_prod", REDUCE_PROD),
};

SUITE(int16, members, rows, build);
