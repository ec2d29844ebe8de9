/* DEPTHWISE_CONV_2D: kernels, strides, dilations and paddings on odd images; channels around
 * slices; depth multipliers, whose outputs cross slices; fused activations. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/cases/window.h"
#include "conformance/suite/cases/window_sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

enum {
    RUNTIME_WEIGHTS = 1,
    RUNTIME_BIAS = 2,
    NO_BIAS = 4,
    BIAS_OTHER_SCALE = 8, /* in 8 bits, where nobody reads the scale of a bias */
    BIAS_NO_SCALE = 16
};

struct row {
    struct op_case base;
    struct shape in; /* N H W C */
    struct {
        int32_t h, w;
    } kernel, stride, dilation; /* 0: 1 */
    int32_t multiplier;         /* 0: 1 */
    int padding, activation;
    unsigned flags;
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    static const struct graph_window windows[] = {
        { .h = 3, .w = 3 },
        { .h = 3, .w = 3, .stride = 2 },
        { .h = 2, .w = 1, .valid = true },
    };
    struct graph_window w = windows[random_choice(call, 0, sizeof windows / sizeof windows[0])];

    if (!random_window_fits(&call->in[0], &w))
        return false;
    random_set_dot_peak(call);
    w.activation = random_activation(call, 1);
    call->out.value = graph_add_depthwise_conv_2d(m, call->in[0].value, &w);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("depthwise_conv_2d", DEPTHWISE_CONV_2D, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_QUANTIZED, .sets = SETS_ALL,
      .bound = { .kind = BOUND_DOT }, .range = case_range_dot, .dynamic_by_channel = true,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(1, 4, 5, c), .kernel = { 3, 3 }      \
    }
#define DILATED                                                                                    \
    .version = 2, .sets = SET_BIT(SET_INTEGERS), .period = SHORT_PERIOD,                           \
    .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I8PC)
#define MULTIPLIER(c, m)                                                                           \
    {                                                                                              \
        ROW("c" #c "_m" #m,                                                                        \
            "a multiplier: the outputs of one channel lie in one slice or in two"),                \
            .in = DIMS(1, 3, 4, c), .kernel = { 3, 3 }, .multiplier = m                            \
    }

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    MULTIPLIER(1, 2),
    MULTIPLIER(1, 4),
    MULTIPLIER(1, 8),
    MULTIPLIER(1, 33),
    MULTIPLIER(2, 2),
    MULTIPLIER(3, 2),
    MULTIPLIER(3, 3),
    MULTIPLIER(4, 2),
    MULTIPLIER(5, 3),
    MULTIPLIER(8, 4),
    MULTIPLIER(5, 7),
    { ROW("s2", "stride 2 on an odd image, as MobileNet has"), .in = DIMS(1, 7, 9, 8),
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("s2_even", "stride 2 on an even image: padding at the end only"), .in = DIMS(1, 8, 6, 5),
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("s2_valid", "VALID with stride 2: the last rows are in no window"),
      .in = DIMS(1, 8, 8, 5), .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("s3", "stride 3"), .in = DIMS(1, 10, 11, 4), .kernel = { 3, 3 }, .stride = { 3, 3 } },
    { ROW("s1x2", "stride in width only"), .in = DIMS(1, 5, 8, 3), .kernel = { 3, 3 },
      .stride = { 1, 2 } },
    { ROW("s2x1", "stride in height only"), .in = DIMS(1, 8, 5, 6), .kernel = { 3, 3 },
      .stride = { 2, 1 } },
    { ROW("stride_over_kernel", "the stride is larger than the kernel: some pixels are not read"),
      .in = DIMS(1, 9, 9, 5), .kernel = { 2, 2 }, .stride = { 3, 3 } },
    { ROW("k1", "a 1x1 kernel: one factor for each channel"), .in = DIMS(1, 4, 5, 7),
      .kernel = { 1, 1 } },
    { ROW("k1_s2", "a factor for each channel, with stride"), .in = DIMS(1, 5, 7, 6),
      .kernel = { 1, 1 }, .stride = { 2, 2 } },
    { ROW("k1x3", "row kernel"), .in = DIMS(1, 4, 6, 5), .kernel = { 1, 3 } },
    { ROW("k3x1", "column kernel"), .in = DIMS(1, 6, 4, 5), .kernel = { 3, 1 } },
    { ROW("k2x2", "even kernel: SAME pads at the end"), .in = DIMS(1, 5, 5, 4),
      .kernel = { 2, 2 } },
    { ROW("k4x4_s2", "even kernel with stride"), .in = DIMS(1, 9, 7, 3), .kernel = { 4, 4 },
      .stride = { 2, 2 } },
    { ROW("k2x5_valid", "kernel neither square nor odd"), .in = DIMS(1, 6, 7, 5),
      .kernel = { 2, 5 }, .padding = VALID },
    { ROW("k5x5", "two pixels of padding"), .in = DIMS(1, 7, 7, 6), .kernel = { 5, 5 } },
    { ROW("k7x7_s2", "large kernel with stride"), .in = DIMS(1, 13, 13, 4), .kernel = { 7, 7 },
      .stride = { 2, 2 } },
    { ROW("kernel_over_image", "SAME with a kernel larger than the image"), .in = DIMS(1, 3, 2, 5),
      .kernel = { 7, 7 } },
    { ROW("image_1x1", "an image of one pixel: eight of nine taps read padding"),
      .in = DIMS(1, 1, 1, 5), .kernel = { 3, 3 } },
    { ROW("valid_1x1", "the kernel is the image: one pixel remains"), .in = DIMS(1, 4, 5, 9),
      .kernel = { 4, 5 }, .padding = VALID },
    { ROW("valid", "no padding"), .in = DIMS(1, 6, 5, 5), .kernel = { 3, 3 }, .padding = VALID },
    { ROW("d2", "dilation 2", .version = 2), .in = DIMS(1, 7, 8, 4), .kernel = { 3, 3 },
      .dilation = { 2, 2 } },
    { ROW("d2_valid", "dilation 2 without padding", .version = 2), .in = DIMS(1, 8, 7, 5),
      .kernel = { 3, 3 }, .dilation = { 2, 2 }, .padding = VALID },
    { ROW("d3x1", "dilation in height only", .version = 2), .in = DIMS(1, 9, 4, 3),
      .kernel = { 3, 3 }, .dilation = { 3, 1 } },
    { ROW("d1x2_m2", "dilation in width only, with a multiplier", .version = 2),
      .in = DIMS(1, 4, 9, 3), .kernel = { 3, 3 }, .dilation = { 1, 2 }, .multiplier = 2 },
    { ROW("d6_over_image", "dilation beyond the image: only the centre tap reads a pixel",
          .version = 2),
      .in = DIMS(1, 5, 5, 6), .kernel = { 3, 3 }, .dilation = { 6, 6 } },
    { ROW("batch2", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(2, 4, 4, 4),
      .kernel = { 3, 3 } },
    { ROW("batch3_c5", "a batch of more than one image, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .in = DIMS(3, 3, 5, 5), .kernel = { 3, 3 }, .stride = { 2, 1 } },
    { ROW("batch7", "odd batch of single pixels", .gap = GAP_BATCH), .in = DIMS(7, 1, 1, 9),
      .kernel = { 1, 1 } },
    { ROW("relu", "fused RELU"), .in = DIMS(1, 4, 4, 6), .kernel = { 3, 3 }, .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1"), .in = DIMS(1, 4, 4, 6), .kernel = { 3, 3 },
      .activation = 2 },
    { ROW("relu6", "fused RELU6"), .in = DIMS(1, 4, 4, 6), .kernel = { 3, 3 }, .activation = 3 },
    { ROW("relu6_s2_m2", "fused RELU6 with stride and multiplier"), .in = DIMS(1, 5, 5, 3),
      .kernel = { 3, 3 }, .stride = { 2, 2 }, .multiplier = 2, .activation = 3 },
    { ROW("w65", "one pixel more than a workgroup of 64"), .in = DIMS(1, 1, 65, 3),
      .kernel = { 1, 3 } },
    { ROW("h257", "one pixel more than a workgroup of 256"), .in = DIMS(1, 257, 1, 2),
      .kernel = { 3, 1 } },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 13, 17, 11),
      .kernel = { 3, 3 } },
    { ROW("long_1225", "a kernel of 35x35, as a global average becomes"), .in = DIMS(1, 35, 35, 5),
      .kernel = { 35, 35 }, .padding = VALID },
    { ROW("half_overflow", "results around the largest f16", .gap = GAP_HALF_RANGE, .scale = 20000,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5), .kernel = { 3, 3 } },
    { ROW("no_bias", "two inputs"), .in = DIMS(1, 4, 4, 5), .kernel = { 3, 3 }, .flags = NO_BIAS },
    { ROW("runtime_weights", "weights are an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 4, 4, 5), .kernel = { 3, 3 }, .flags = RUNTIME_WEIGHTS },
    { ROW("runtime_bias", "the bias is an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 4, 4, 5), .kernel = { 3, 3 }, .flags = RUNTIME_BIAS },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 3, 3, 4), .kernel = { 3, 3 } },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 3, 3, 4), .kernel = { 3, 3 } },
    { ROW("one_channel", "one channel: three of the slice's four lanes are padding",
          .gap = GAP_DEPTHWISE),
      .in = DIMS(1, 6, 5, 1), .kernel = { 3, 3 } },
    { ROW("one_channel_s2", "one channel: three of the slice's four lanes are padding",
          .gap = GAP_DEPTHWISE),
      .in = DIMS(1, 7, 9, 1), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("one_channel_k5", "one channel: three of the slice's four lanes are padding",
          .gap = GAP_DEPTHWISE),
      .in = DIMS(1, 6, 7, 1), .kernel = { 5, 5 } },
    { ROW("one_channel_n3", "one channel: three of the slice's four lanes are padding",
          .gap = GAP_DEPTHWISE),
      .in = DIMS(3, 4, 4, 1), .kernel = { 3, 3 } },
    { ROW("one_channel_m5", "one channel: three of the slice's four lanes are padding",
          .gap = GAP_DEPTHWISE),
      .in = DIMS(1, 5, 4, 1), .kernel = { 3, 3 }, .multiplier = 5 },
    { ROW("one_channel_valid_relu6", "one channel: three of the slice's four lanes are padding",
          .gap = GAP_DEPTHWISE),
      .in = DIMS(2, 5, 6, 1), .kernel = { 3, 3 }, .padding = VALID, .activation = 3 },
    { ROW("sum_62500", "250x250 products", .gap = GAP_HALF_SUM), .in = DIMS(1, 250, 250, 1),
      .kernel = { 250, 250 }, .padding = VALID },
    { ROW("beyond65536", "rows beyond 65,536"), .in = DIMS(1, 70001, 1, 3), .kernel = { 3, 1 },
      .stride = { 1000, 1 }, .padding = VALID },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("bias_other_scale", "a bias with a scale that nobody reads",
          .types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 4, 4, 6), .kernel = { 3, 3 }, .flags = BIAS_OTHER_SCALE },
    { ROW("bias_no_scale", "a bias without a scale",
          .types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 4, 4, 6), .kernel = { 3, 3 }, .flags = BIAS_NO_SCALE },
    { ROW("ends_k250", "sums of products at the ends of both ranges: beyond 24 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 40 }),
      .in = DIMS(2, 250, 250, 1), .kernel = { 250, 250 }, .padding = VALID, .multiplier = 2 },
    { ROW("ends_k5", "pairs of products at the ends of both ranges",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS)),
      .in = DIMS(1, 9, 9, 5), .kernel = { 5, 5 } },
    { ROW("low_corner", "bytes near 0 that mean small numbers: as signed bytes all are near -128",
          .types = TYPE_BIT(CASE_U8), .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 0.5, .in2 = 0.5, .out = 0.25, .zero = ZERO_LOW, .zero_out = ZERO_LOW }),
      .in = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .flags = NO_BIAS },
    { ROW("far_left", "a factor of 300: small sums become large results", .types = TYPES_BYTES,
          .byte_sets = SET_BIT(SET_INTEGERS), .quant = { .in = 1.5, .in2 = 0.02, .out = 0.0001 }),
      .in = DIMS(1, 5, 5, 6), .kernel = { 1, 1 }, .flags = NO_BIAS },
    { ROW("left_30", "a factor of 30: small sums fill the range", .types = TYPES_BYTES,
          .byte_sets = SET_BIT(SET_INTEGERS), .quant = { .in = 1.5, .in2 = 0.02, .out = 0.001 }),
      .in = DIMS(1, 5, 5, 6), .kernel = { 1, 1 }, .flags = NO_BIAS },
    { ROW("product_rounded",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED),
      .in = DIMS(1, 8, 8, 4), .kernel = { 1, 1 }, .multiplier = 4 },
    { ROW("product_rounded_b",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED_B),
      .in = DIMS(1, 8, 8, 4), .kernel = { 1, 1 }, .multiplier = 4 },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .types = TYPES_BYTES, QUANT_SIX_TIE),
      .in = DIMS(1, 5, 4, 6), .kernel = { 3, 3 }, .activation = 3 },
    { ROW("one_tie", "1 and -1 are ties of the result's steps in f32, and below one in double",
          .types = TYPE_BIT(CASE_I8), QUANT_ONE_TIE),
      .in = DIMS(1, 5, 4, 6), .kernel = { 3, 3 }, .activation = 2 },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("k1x9", "a row kernel wider than 7", .floats = true), .in = DIMS(1, 3, 14, 5),
      .kernel = { 1, 9 } },
    { ROW("k9x1_s3x1", "a column kernel higher than 7, stride in height", .floats = true),
      .in = DIMS(1, 20, 4, 6), .kernel = { 9, 1 }, .stride = { 3, 1 } },
    { ROW("k11x11", "a kernel of 11", .floats = true), .in = DIMS(1, 13, 14, 5),
      .kernel = { 11, 11 } },
    { ROW("k31x31", "a kernel of 31, as large-kernel networks have", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS)),
      .in = DIMS(1, 9, 16, 5), .kernel = { 31, 31 } },
    { ROW("k10x4_s2", "keywords: a kernel of 10 x 4", .floats = true), .in = DIMS(1, 25, 10, 1),
      .kernel = { 10, 4 }, .stride = { 2, 2 }, .multiplier = 8 },
    { ROW("s4", "stride 4", .floats = true), .in = DIMS(1, 14, 15, 5), .kernel = { 3, 3 },
      .stride = { 4, 4 } },
    { ROW("s5_k7", "stride 5 under a kernel of 7", .floats = true), .in = DIMS(1, 19, 18, 6),
      .kernel = { 7, 7 }, .stride = { 5, 5 }, .padding = VALID },
    { ROW("d8", "dilation 8", .floats = true), .in = DIMS(1, 19, 18, 5), .kernel = { 3, 3 },
      .dilation = { 8, 8 } },
    { ROW("d12_m2", "dilation 12, a multiplier", .floats = true), .in = DIMS(1, 26, 27, 3),
      .kernel = { 3, 3 }, .dilation = { 12, 12 }, .multiplier = 2 },
    { ROW("d18_valid", "dilation 18 without padding", .floats = true), .in = DIMS(1, 38, 39, 4),
      .kernel = { 3, 3 }, .dilation = { 18, 18 }, .padding = VALID },
    { ROW("d1x16", "dilation 16 in width only", .floats = true), .in = DIMS(2, 1, 40, 5),
      .kernel = { 1, 3 }, .dilation = { 1, 16 } },
    { ROW("k1_s1x2", "one tap, stride in width only", .floats = true), .in = DIMS(1, 5, 7, 6),
      .kernel = { 1, 1 }, .stride = { 1, 2 } },
    { ROW("k1_s2x1", "one tap, stride in height only", .floats = true), .in = DIMS(1, 7, 5, 6),
      .kernel = { 1, 1 }, .stride = { 2, 1 } },
    { ROW("places90000", "90,000 places", LARGE), .in = DIMS(1, 300, 300, 5), .kernel = { 3, 3 } },
    { ROW("places70000_m2", "70,000 places, a multiplier", LARGE), .in = DIMS(1, 250, 280, 3),
      .kernel = { 2, 2 }, .multiplier = 2 },
    { ROW("rows70002", "batch times height is beyond 65,536", LARGE), .in = DIMS(35001, 2, 1, 3),
      .kernel = { 2, 1 } },
    { ROW("full_mantissas", "operands that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(1, 9, 9, 19), .kernel = { 5, 5 } },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 4, 4, 5), .kernel = { 3, 3 } },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum", LANES_SUM), .in = SUM_DIMS, .kernel = { 2, 2 }, .padding = VALID },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS, .kernel = { 2, 2 },
      .padding = VALID },
    { ROW("lanes_ends", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC))), .in = END_DIMS,
      .kernel = { 2, 2 }, .padding = VALID },
    { ROW("lanes_ends_weights", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC)),
          .values_of = 1),
      .in = DIMS(1, 3, 4, 5), .kernel = { 3, 2 }, .padding = VALID },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1),
      .kernel = { 1, 1 } },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .kernel = { 2, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1),
      .kernel = { 1, 2 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 2, 66001),
      .kernel = { 1, 2 }, .padding = VALID },
    { ROW("k4099x1", "a kernel of 4,099 rows", LARGE_IN(SIZED)), .in = DIMS(1, 4101, 1, 2),
      .kernel = { 4099, 1 }, .padding = VALID },
    { ROW("k1x4099", "a kernel of 4,099 columns", LARGE_IN(SIZED)), .in = DIMS(1, 1, 4101, 2),
      .kernel = { 1, 4099 }, .padding = VALID },
    { ROW("s4099", "strides of 4,099", LARGE_IN(SIZED)), .in = DIMS(1, 4100, 2, 2),
      .kernel = { 1, 1 }, .stride = { 4099, 4099 }, .padding = VALID },
    { ROW("d4099", "a dilation of 4,099", LARGE_IN(SIZED)), .in = DIMS(1, 1, 4101, 2),
      .kernel = { 1, 2 }, .dilation = { 4099, 4099 }, .padding = VALID },
    /* Sums at the ends of both ranges that pass 16, 24 and 30 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 8)), .in = DIMS(1, 1, 3, 2),
      .kernel = { 1, 3 }, .padding = VALID },
    { ROW("sum25", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 60)), .in = DIMS(1, 23, 23, 2),
      .kernel = { 23, 23 }, .padding = VALID },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC), 600)),
      .in = DIMS(1, 253, 253, 1), .kernel = { 253, 253 }, .padding = VALID },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_U8), 600)), .in = DIMS(1, 181, 181, 1),
      .kernel = { 181, 181 }, .padding = VALID },
    { ROW("bias_ends", BIAS_ENDS), .in = DIMS(1, 4, 4, 13), .kernel = { 3, 3 } },
    /* Kernels that share loads are for images of many slices, or for one dilation of the two. */
    { ROW("tile_d2x1", "many slices, dilation in height", DILATED), .in = DIMS(1, 50, 48, 4),
      .kernel = { 3, 3 }, .dilation = { 2, 1 } },
    { ROW("tile_d1x3", "many slices, dilation in width", DILATED), .in = DIMS(1, 50, 48, 4),
      .kernel = { 3, 3 }, .dilation = { 1, 3 } },
    { ROW("tile_d2_s2x1", "many slices, dilation and a stride in height", DILATED),
      .in = DIMS(1, 90, 48, 5), .kernel = { 2, 3 }, .stride = { 2, 1 }, .dilation = { 2, 2 } },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("valid_s2_relu6", "stride 2, VALID, RELU6",
          REAL(TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 5, 5, 5), .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID,
      .activation = 3 },
    { ROW("s2_bytes", "stride 2", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 5, 5, 5),
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("s2_relu", "stride 2, RELU", REAL(TYPE_BIT(CASE_F32))), .in = DIMS(1, 5, 5, 5),
      .kernel = { 3, 3 }, .stride = { 2, 2 }, .activation = 1 },
    { ROW("s2_relu6", "stride 2, RELU6", REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16))),
      .in = DIMS(1, 5, 5, 5), .kernel = { 3, 3 }, .stride = { 2, 2 }, .activation = 3 },
    { ROW("k5_relu6", "5x5, RELU6", REAL(TYPE_BIT(CASE_F16))), .in = DIMS(1, 4, 4, 5),
      .kernel = { 5, 5 }, .activation = 3 },
    { ROW("k5_s2", "5x5, stride 2",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 5, 5, 5), .kernel = { 5, 5 }, .stride = { 2, 2 } },
    { ROW("k7_relu", "7x7, RELU", REAL(TYPE_BIT(CASE_F32))), .in = DIMS(1, 4, 4, 5),
      .kernel = { 7, 7 }, .activation = 1 },
    { ROW("k1_relu", "a factor for each channel, RELU", REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(1, 4, 4, 5), .kernel = { 1, 1 }, .activation = 1 },
    { ROW("valid_k1", "a factor for each channel, VALID", REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(1, 4, 4, 5), .kernel = { 1, 1 }, .padding = VALID },
    { ROW("d2_relu6", "dilation 2, RELU6", REAL(TYPE_BIT(CASE_F32)), .version = 2),
      .in = DIMS(1, 5, 5, 5), .kernel = { 3, 3 }, .dilation = { 2, 2 }, .activation = 3 },
    { ROW("valid_bytes", "VALID", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 4, 4, 5),
      .kernel = { 3, 3 }, .padding = VALID },
    { ROW("valid_relu6", "VALID, RELU6", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 4, 4, 5),
      .kernel = { 3, 3 }, .padding = VALID, .activation = 3 },
    { ROW("valid_k5x1", "times, VALID", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 7, 1, 5),
      .kernel = { 5, 1 }, .padding = VALID },
    { ROW("valid_k9x1", "times, VALID", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 10, 1, 5),
      .kernel = { 9, 1 }, .padding = VALID },
    { ROW("m6", "six outputs for each channel", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 4, 4, 2),
      .kernel = { 3, 3 }, .multiplier = 6 },
    { ROW("m6_s2", "six outputs for each channel, stride 2", REAL(TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 5, 5, 2), .kernel = { 3, 3 }, .stride = { 2, 2 }, .multiplier = 6 },
    /* More than 65,536 slices, runs of a row, and rows, in numbers that are no powers of two, which
     * kernels divide by. */
    { ROW("slices65", "65 slices, 68,250 in all", LARGE_IN(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 21, 50, 257), .kernel = { 1, 1 } },
    { ROW("width516", "rows of 516 pixels, in 129 runs", LARGE_IN(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 517, 516, 1), .kernel = { 1, 1 } },
    { ROW("height65", "images of 65 rows, 68,250 in all", LARGE_IN(TYPE_BIT(CASE_I8))),
      .in = DIMS(1050, 65, 1, 1), .kernel = { 2, 1 } },
    { ROW("computed_wide", "weights of 1,031 channels that are an input",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 2, 3, 1031), .kernel = { 2, 2 }, .flags = RUNTIME_WEIGHTS },
    { ROW("slices67", "many slices, a prime of them for each pixel", LARGE),
      .in = DIMS(1, 9, 8, 268), .kernel = { 3, 3 } },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool same = r->padding != VALID;
    const int32_t sh = window_or_one(r->stride.h), sw = window_or_one(r->stride.w);
    const int32_t dh = window_or_one(r->dilation.h), dw = window_or_one(r->dilation.w);
    const int32_t channels = r->in.d[3] * window_or_one(r->multiplier);
    const struct shape weights = DIMS(1, r->kernel.h, r->kernel.w, channels);
    const struct shape bias = DIMS(channels);
    const struct shape out = DIMS(r->in.d[0], window_out(same, r->in.d[1], r->kernel.h, sh, dh),
                                  window_out(same, r->in.d[2], r->kernel.w, sw, dw), channels);
    const double terms = (double)(weights.d[1] * weights.d[2]) + 1;
    /* In S3 pixels of a row are nearly equal and neighbouring weights opposite; under a kernel of
     * one column it is pixels of a column. */
    const int axis = r->kernel.w > 1 ? 2 : 1;
    const struct fill fill_x = { .terms = terms, .factors = 2, .pair = PAIR_FLAT, .axis = axis };
    const struct fill fill_w = fill_weights(terms, axis, 3);
    const struct fill fill_b = fill_bias(terms);
    struct options options;
    int in[3];

    in[0] = case_input(m, "x", &r->in, &fill_x);
    in[1] = case_operand(m, r->flags & RUNTIME_WEIGHTS, "weights", &weights, &fill_w);
    if (r->flags & NO_BIAS)
        in[2] = -1;
    else
        in[2] = case_operand(m, r->flags & RUNTIME_BIAS, "bias", &bias, &fill_b);
    if (r->flags & (BIAS_OTHER_SCALE | BIAS_NO_SCALE))
        case_set_bias_scale(m, in[2], r->flags & BIAS_OTHER_SCALE ? 0.75 : 0);
    options_init(&options, OPTIONS_DepthwiseConv2DOptions);
    options_set_int(&options, "padding", r->padding);
    options_set_int(&options, "stride_w", sw);
    options_set_int(&options, "stride_h", sh);
    options_set_int(&options, "depth_multiplier", window_or_one(r->multiplier));
    options_set_int(&options, "dilation_w_factor", dw);
    options_set_int(&options, "dilation_h_factor", dh);
    options_set_int(&options, "fused_activation_function", r->activation);
    case_judged_op(m, &options, r->flags & NO_BIAS ? 2 : 3, in, case_output(m, "y", &out));
}

/* ---- sweep: any two circumstances together ---- */

static const struct pairwise_level dilations[] = { { "", 1, 1 }, { "d2", 2, 2 }, { "d3x1", 3, 1 } };
static const struct pairwise_level multipliers[] = {
    { "", 1, 0 }, { "m2", 2, 0 }, { "m3", 3, 0 }, { "m4", 4, 0 }, { "m5", 5, 0 }, { "m8", 8, 0 },
};
static const struct pairwise_level constants[] = {
    { "", 0, 0 }, { "nb", NO_BIAS, 0 }, { "rw", RUNTIME_WEIGHTS, 0 }, { "rb", RUNTIME_BIAS, 0 }
};
enum {
    KERNEL,
    STRIDE,
    DILATION,
    PADDING,
    CHANNEL,
    MULTIPLIER,
    BATCH,
    IMAGE,
    ACTIVATION,
    CONSTANTS
};
static const struct pairwise_axis axes[] = {
    AXIS_KERNELS,
    AXIS_STRIDES,
    PAIRWISE_AXIS(dilations),
    AXIS_PADDINGS,
    AXIS_CHANNELS,
    PAIRWISE_AXIS(multipliers),
    AXIS_BATCHES,
    AXIS_IMAGES,
    AXIS_ACTIVATIONS,
    PAIRWISE_AXIS(constants),
};

static struct row swept_row(const struct pairwise_row *p)
{
    const uint32_t more_types = p->index % 4 == 0 ? TYPE_BIT(CASE_F16) : SWEPT_TYPES(p->index);
    const struct pairwise_level *const *const level = p->level;
    struct row r = {
        .base = { .name = p->name, .why = "pairwise: kernel, stride, dilation, multiplier, batch" },
        .in = DIMS(level[BATCH]->x, level[IMAGE]->x, level[IMAGE]->y, level[CHANNEL]->x),
        .kernel = { level[KERNEL]->x, level[KERNEL]->y },
        .stride = { level[STRIDE]->x, level[STRIDE]->y },
        .dilation = { level[DILATION]->x, level[DILATION]->y },
        .padding = level[PADDING]->x,
        .activation = level[ACTIVATION]->x,
        .multiplier = level[MULTIPLIER]->x,
        .flags = (unsigned)level[CONSTANTS]->x,
    };

    r.base.types = TYPE_BIT(CASE_F32) | more_types;
    if (r.flags & (RUNTIME_WEIGHTS | RUNTIME_BIAS))
        r.base.types &= ~(uint32_t)TYPES_QUANTIZED;
    r.base.version = r.dilation.h > 1 || r.dilation.w > 1 ? 2 : 1;
    if (r.padding == VALID) {
        r.in.d[1] = window_at_least(r.in.d[1], (r.kernel.h - 1) * r.dilation.h + 1);
        r.in.d[2] = window_at_least(r.in.d[2], (r.kernel.w - 1) * r.dilation.w + 1);
    }
    return r;
}

/* ---- sweep: scales and zero points ---- */

/* Rows alternate: i8 and u8 with one scale, i8 with a scale for each channel. */
static struct row quantized_row(const struct pairwise_row *p)
{
    static const struct row shapes[] = {
        { .in = DIMS(1, 3, 4, 5), .kernel = { 3, 3 } },
        { .in = DIMS(1, 4, 4, 8), .kernel = { 1, 1 } },
        { .in = DIMS(2, 3, 3, 3), .kernel = { 2, 2 }, .padding = VALID, .multiplier = 3 },
        { .in = DIMS(1, 5, 5, 17), .kernel = { 3, 3 }, .stride = { 2, 2 } },
        { .in = DIMS(1, 4, 5, 1), .kernel = { 5, 5 }, .multiplier = 6 },
    };
    struct row r = shapes[p->index % (sizeof shapes / sizeof shapes[0])];

    r.base = quant_product_case(p);
    r.activation = quant_product_activation(p);
    return r;
}

/* ---- sweep: every kernel with every stride, in 8 bits ---- */

/* A type a row, and i8pc beside it in one row of three. */
static size_t every_window(struct row *to, size_t position)
{
    const struct window_choice *const w = window_choices(true);

    (void)position; /* the rows have names of their own */
    for (size_t i = 0; i < WINDOW_CHOICES; i++)
        to[i] = (struct row){
            .base = { .name = w[i].name,
                      .why = "every kernel with every stride, for kernels of integers",
                      .types = w[i].type | (i % 3 == 0 ? TYPE_BIT(CASE_I8PC) : 0),
                      .version = 2 },
            .in = DIMS(1, w[i].image.h, w[i].image.w, w[i].channels),
            .kernel = { w[i].kernel.h, w[i].kernel.w },
            .stride = { w[i].stride.h, w[i].stride.w },
            .dilation = { w[i].dilation.h, w[i].dilation.w },
            .padding = w[i].padding,
            .multiplier = i % 4 == 3 ? 2 : 1,
        };
    return WINDOW_CHOICES;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART(quantized_row, quant_product_axes),
            SWEEP_FILL(every_window))
SUITE_SWEPT(depthwise_conv_2d, members, rows, build, sweep);
