/* TRANSPOSE_CONV: strides that leave gaps or overlap, both paddings, channels around slices, with
 * and without bias; and MediaPipe's Convolution2DTransposeBias. */
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

struct row {
    struct op_case base;
    struct shape in;  /* N H W C */
    struct shape out; /* N H W C */
    struct {
        int32_t h, w;
    } kernel, stride; /* stride 0: 1 */
    int padding, activation;
    bool bias, runtime_weights, runtime_bias;
    enum bias_scale { OF_PRODUCTS, OTHER_SCALE, NO_SCALE } bias_scale; /* in 8 bits */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    static const struct graph_window windows[] = {
        { .h = 2, .w = 2, .stride = 2 },
        { .h = 3, .w = 3, .stride = 1 },
    };
    struct graph_window w = windows[random_choice(call, 0, sizeof windows / sizeof windows[0])];

    if (!random_window_fits(&call->in[0], &w))
        return false;
    w.out = random_channels(call, 1);
    random_set_dot_peak(call);
    call->out.value = graph_add_transpose_conv(m, call->in[0].value, &w);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("transpose_conv", TRANSPOSE_CONV, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_BYTES | TYPE_BIT(CASE_I8PC) |
               TYPE_BIT(CASE_DYNAMIC),
      .sets = SETS_ALL, .dynamic_by_channel = true, .bound = { .kind = BOUND_DOT },
      .range = case_range_dot, .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("convolution_2d_transpose_bias", CONVOLUTION_2D_TRANSPOSE_BIAS, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16), .sets = SETS_ALL,
      .bound = { .kind = BOUND_DOT }, .named_alone = true },
};
/* Rows of Convolution2DTransposeBias. */
#define BIAS_OP(name, ...)                                                                         \
    ROW(name, __VA_ARGS__, .only = "convolution_2d_transpose_bias"), .bias = true

#define INPUT(c)                                                                                   \
    {                                                                                              \
        ROW("in" #c, "input channels in slices of four"),                                          \
            .in = DIMS(1, 2, 3, c), .out = DIMS(1, 4, 6, 5), .kernel = { 3, 3 }, .stride = {       \
                2,                                                                                 \
                2                                                                                  \
            }                                                                                      \
    }
#define OUTPUT(c)                                                                                  \
    {                                                                                              \
        ROW("out" #c, "output channels in slices of four", .version = 3),                          \
            .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 4, 6, c), .kernel = { 3, 3 },                   \
            .stride = { 2, 2 }, .bias = true                                                       \
    }

static const struct row rows[] = {
    CHANNEL_LIST(INPUT),
    CHANNEL_LIST(OUTPUT),
    { ROW("same3_s2", "doubles an image, as decoders do"), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 6, 8, 6), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("same3_s2_odd", "SAME to an odd size"), .in = DIMS(1, 3, 4, 5), .out = DIMS(1, 5, 7, 3),
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("valid3_s2", "VALID: windows overlap by one"), .in = DIMS(1, 3, 4, 3),
      .out = DIMS(1, 7, 9, 7), .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("valid2_s3", "a stride over the kernel: some outputs are the bias alone", .version = 3),
      .in = DIMS(1, 3, 3, 4), .out = DIMS(1, 9, 8, 5), .kernel = { 2, 2 }, .stride = { 3, 3 },
      .padding = VALID, .bias = true },
    { ROW("k2_s2", "every output has one tap"), .in = DIMS(1, 4, 3, 9), .out = DIMS(1, 8, 6, 4),
      .kernel = { 2, 2 }, .stride = { 2, 2 } },
    { ROW("k4_s2", "even window"), .in = DIMS(1, 3, 3, 8), .out = DIMS(1, 6, 6, 8),
      .kernel = { 4, 4 }, .stride = { 2, 2 } },
    { ROW("s1", "no stride: a convolution with the filter turned"), .in = DIMS(1, 4, 5, 6),
      .out = DIMS(1, 4, 5, 5), .kernel = { 3, 3 } },
    { ROW("bias", "a bias for each channel", .version = 3), .in = DIMS(2, 3, 3, 5),
      .out = DIMS(2, 6, 6, 7), .kernel = { 3, 3 }, .stride = { 2, 2 }, .bias = true },
    { ROW("relu6", "fused RELU6", .version = 4, .scale = 4), .in = DIMS(1, 3, 3, 5),
      .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 }, .bias = true,
      .activation = 3 },
    { ROW("stride1x3", "strides that differ"), .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 4, 9, 5),
      .kernel = { 3, 4 }, .stride = { 1, 3 } },
    { ROW("runtime_weights", "weights are an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .runtime_weights = true },
    { ROW("runtime_both", "weights and bias are inputs of the graph", .gap = GAP_RUNTIME,
          .version = 3, .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(2, 3, 3, 5), .out = DIMS(2, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .bias = true, .runtime_weights = true, .runtime_bias = true },
    { ROW("image_1x1", "one pixel times the kernel", .version = 3), .in = DIMS(1, 1, 1, 9),
      .out = DIMS(1, 4, 5, 3), .kernel = { 4, 5 }, .padding = VALID, .bias = true },
    { ROW("kernel_over_output", "SAME with a kernel larger than the output"),
      .in = DIMS(1, 2, 1, 5), .out = DIMS(1, 3, 2, 4), .kernel = { 7, 7 }, .stride = { 2, 2 } },
    { ROW("k8_s4", "four phases, two taps each, as audio decoders have"), .in = DIMS(1, 1, 9, 4),
      .out = DIMS(1, 1, 36, 5), .kernel = { 1, 8 }, .stride = { 1, 4 } },
    { ROW("w65", "one pixel more than a workgroup of 64"), .in = DIMS(1, 1, 33, 3),
      .out = DIMS(1, 1, 65, 4), .kernel = { 1, 3 }, .stride = { 1, 2 } },
    { ROW("h257", "one pixel more than a workgroup of 256"), .in = DIMS(1, 129, 1, 2),
      .out = DIMS(1, 257, 1, 3), .kernel = { 3, 1 }, .stride = { 2, 1 } },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 7, 9, 11),
      .out = DIMS(1, 13, 17, 7), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("long_4608", "4608 products at most"), .in = DIMS(1, 2, 2, 512), .out = DIMS(1, 2, 2, 5),
      .kernel = { 3, 3 } },
    { ROW("half_overflow", "results around the largest f16", .gap = GAP_HALF_RANGE, .scale = 12000,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 4, 6, 3), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 4, 6, 3), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("bias_other_scale", "a bias with a scale that nobody reads", .version = 3,
          .types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .bias = true, .bias_scale = OTHER_SCALE },
    { ROW("bias_no_scale", "a bias without a scale", .version = 3,
          .types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .bias = true, .bias_scale = NO_SCALE },
    { ROW("ends_1025", "sums of products at the ends of both ranges: beyond 24 bits", .version = 3,
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 30 }),
      .in = DIMS(1, 2, 2, 1025), .out = DIMS(1, 2, 2, 6), .kernel = { 1, 1 }, .bias = true },
    { ROW("ends_k3", "sums of products at the ends of both ranges: beyond 24 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 8 }),
      .in = DIMS(1, 3, 3, 64), .out = DIMS(1, 6, 6, 3), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("low_corner", "bytes near 0 that mean small numbers: as signed bytes all are near -128",
          .types = TYPE_BIT(CASE_U8), .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 0.5, .in2 = 0.5, .out = 0.25, .zero = ZERO_LOW, .zero_out = ZERO_LOW }),
      .in = DIMS(1, 3, 3, 64), .out = DIMS(1, 3, 3, 5), .kernel = { 1, 1 } },
    { ROW("far_left", "a factor of 300: small sums become large results", .types = TYPES_BYTES,
          .byte_sets = SET_BIT(SET_INTEGERS), .quant = { .in = 1.5, .in2 = 0.02, .out = 0.0001 }),
      .in = DIMS(1, 4, 3, 2), .out = DIMS(1, 4, 3, 5), .kernel = { 1, 1 } },
    { ROW("left_30", "a factor of 30: small sums fill the range", .types = TYPES_BYTES,
          .byte_sets = SET_BIT(SET_INTEGERS), .quant = { .in = 1.5, .in2 = 0.02, .out = 0.001 }),
      .in = DIMS(1, 4, 3, 2), .out = DIMS(1, 4, 3, 5), .kernel = { 1, 1 } },
    { ROW("product_rounded",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED),
      .in = DIMS(1, 8, 8, 1), .out = DIMS(1, 8, 8, 16), .kernel = { 1, 1 } },
    { ROW("product_rounded_b",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED_B),
      .in = DIMS(1, 8, 8, 1), .out = DIMS(1, 8, 8, 16), .kernel = { 1, 1 } },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .types = TYPES_BYTES, QUANT_SIX_TIE, .version = 4),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .activation = 3 },
    { ROW("one_tie", "1 and -1 are ties of the result's steps in f32, and below one in double",
          .types = TYPE_BIT(CASE_I8), QUANT_ONE_TIE, .version = 4),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .activation = 2 },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("k9x9_s1", "a kernel of 9, as super-resolution ends", .floats = true),
      .in = DIMS(1, 6, 7, 3), .out = DIMS(1, 6, 7, 3), .kernel = { 9, 9 } },
    { ROW("k16_s8", "eight phases of two taps, as vocoders have", .version = 3, .floats = true),
      .in = DIMS(1, 1, 7, 5), .out = DIMS(1, 1, 56, 4), .kernel = { 1, 16 }, .stride = { 1, 8 },
      .bias = true },
    { ROW("k11x11_s4", "a kernel of 11, stride 4", .floats = true), .in = DIMS(1, 3, 4, 4),
      .out = DIMS(1, 12, 16, 5), .kernel = { 11, 11 }, .stride = { 4, 4 } },
    { ROW("k5x5_s5_valid", "stride 5: every output has one tap", .floats = true),
      .in = DIMS(1, 3, 2, 5), .out = DIMS(1, 15, 10, 3), .kernel = { 5, 5 }, .stride = { 5, 5 },
      .padding = VALID },
    { ROW("k3_s4", "stride 4 over a kernel of 3: outputs of the bias alone", .version = 3,
          .floats = true),
      .in = DIMS(2, 3, 3, 5), .out = DIMS(2, 12, 12, 6), .kernel = { 3, 3 }, .stride = { 4, 4 },
      .bias = true },
    { ROW("k1_s1x2", "one tap, stride in width only", .floats = true), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 3, 8, 4), .kernel = { 1, 1 }, .stride = { 1, 2 } },
    { ROW("places90000", "90,000 places", LARGE, .version = 3), .in = DIMS(1, 150, 150, 4),
      .out = DIMS(1, 300, 300, 3), .kernel = { 2, 2 }, .stride = { 2, 2 }, .bias = true },
    { ROW("rows70002", "batch times height is beyond 65,536", LARGE), .in = DIMS(35001, 1, 1, 3),
      .out = DIMS(35001, 2, 1, 2), .kernel = { 2, 1 }, .stride = { 2, 1 } },
    { ROW("full_mantissas", "operands that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(1, 4, 4, 33), .out = DIMS(1, 8, 8, 9), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 3, 3, 5), .out = DIMS(0, 6, 6, 4),
      .kernel = { 2, 2 }, .stride = { 2, 2 } },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum", LANES_SUM, .values_of = 1), .in = SUM_DIMS, .out = DIMS(1, 10, 12, 3),
      .kernel = { 2, 2 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("lanes_denormal", LANES_DENORMAL, .values_of = 1), .in = DENORMAL_DIMS,
      .out = DIMS(1, 12, 12, 3), .kernel = { 2, 2 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("lanes_ends", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC)), .values_of = 1),
      .in = END_DIMS, .out = DIMS(1, 4, 12, 3), .kernel = { 2, 2 }, .stride = { 2, 2 },
      .padding = VALID },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1),
      .out = DIMS(66001, 1, 1, 1), .kernel = { 1, 1 } },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .out = DIMS(1, 66001, 1, 2), .kernel = { 2, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1),
      .out = DIMS(1, 1, 66001, 1), .kernel = { 1, 2 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 1, 2),
      .out = DIMS(1, 1, 2, 66001), .kernel = { 1, 2 }, .stride = { 1, 2 } },
    { ROW("inputs66001", "66,001 input channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 2, 66001),
      .out = DIMS(1, 1, 2, 3), .kernel = { 1, 1 } },
    { ROW("k1027x1", "a kernel of 1,027 rows", LARGE_F32), .in = DIMS(1, 2, 1, 2),
      .out = DIMS(1, 1028, 1, 1), .kernel = { 1027, 1 }, .padding = VALID },
    { ROW("k1x1027", "a kernel of 1,027 columns", LARGE_IN(SIZED)), .in = DIMS(1, 1, 2, 2),
      .out = DIMS(1, 1, 1028, 1), .kernel = { 1, 1027 }, .padding = VALID },
    { ROW("s4099", "strides of 4,099", LARGE_IN(SIZED)), .in = DIMS(1, 2, 1, 2),
      .out = DIMS(1, 4100, 1, 1), .kernel = { 1, 1 }, .stride = { 4099, 4099 }, .padding = VALID },
    /* Sums at the ends of both ranges that pass 16, 24 and 30 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 8)), .in = DIMS(1, 2, 2, 3),
      .out = DIMS(1, 2, 2, 2), .kernel = { 1, 1 } },
    { ROW("sum25", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 60)), .in = DIMS(1, 2, 2, 521),
      .out = DIMS(1, 2, 2, 2), .kernel = { 1, 1 } },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC), 600)),
      .in = DIMS(1, 1, 1, 66201), .out = DIMS(1, 1, 1, 2), .kernel = { 1, 1 } },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_U8), 600)), .in = DIMS(1, 1, 1, 33001),
      .out = DIMS(1, 1, 1, 2), .kernel = { 1, 1 } },
    { ROW("bias_ends", BIAS_ENDS), .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 4, 6, 12),
      .kernel = { 2, 2 }, .stride = { 2, 2 }, .padding = VALID, .bias = true },
    { BIAS_OP("k2x2_s2", "twice the size, as segmentation models end"), .in = DIMS(1, 4, 4, 8),
      .out = DIMS(1, 8, 8, 2), .kernel = { 2, 2 }, .stride = { 2, 2 } },
    { BIAS_OP("k3x3_s2", "taps that overlap"), .in = DIMS(1, 3, 4, 5), .out = DIMS(1, 6, 8, 6),
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { BIAS_OP("k3x3_s2_odd", "SAME to an odd size, which only the file's shape tells"),
      .in = DIMS(1, 3, 4, 5), .out = DIMS(1, 5, 7, 3), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { BIAS_OP("k4x4_s2", "an even kernel"), .in = DIMS(1, 5, 3, 4), .out = DIMS(1, 10, 6, 9),
      .kernel = { 4, 4 }, .stride = { 2, 2 } },
    { BIAS_OP("k3x3_s1", "no stride"), .in = DIMS(1, 5, 4, 3), .out = DIMS(1, 5, 4, 4),
      .kernel = { 3, 3 } },
    { BIAS_OP("k1x3_s1x2", "a stride in width alone"), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 3, 8, 7), .kernel = { 1, 3 }, .stride = { 1, 2 } },
    { BIAS_OP("k5x5_s3", "a stride of 3"), .in = DIMS(1, 3, 2, 3), .out = DIMS(1, 8, 6, 5),
      .kernel = { 5, 5 }, .stride = { 3, 3 } },
    { BIAS_OP("valid_k2x2_s2", "VALID"), .in = DIMS(1, 3, 4, 6), .out = DIMS(1, 6, 8, 3),
      .kernel = { 2, 2 }, .stride = { 2, 2 }, .padding = VALID },
    { BIAS_OP("valid_k3x3_s2", "VALID, taps that overlap"), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 7, 9, 4), .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID },
    { BIAS_OP("valid_k3x3_s2_rest", "VALID, a row and a column of the bias alone"),
      .in = DIMS(1, 3, 4, 5), .out = DIMS(1, 8, 10, 4), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .padding = VALID },
    { BIAS_OP("valid_k1x1_s2", "VALID, a kernel below the stride: gaps of the bias alone"),
      .in = DIMS(1, 3, 3, 4), .out = DIMS(1, 6, 5, 5), .kernel = { 1, 1 }, .stride = { 2, 2 },
      .padding = VALID },
    { BIAS_OP("batch3", "an odd batch"), .in = DIMS(3, 2, 3, 7), .out = DIMS(3, 4, 6, 5),
      .kernel = { 2, 2 }, .stride = { 2, 2 } },
    { BIAS_OP("c1", "one channel in and out"), .in = DIMS(1, 3, 5, 1), .out = DIMS(1, 6, 10, 1),
      .kernel = { 2, 2 }, .stride = { 2, 2 } },
    { BIAS_OP("c33", "33 channels"), .in = DIMS(1, 2, 3, 33), .out = DIMS(1, 4, 6, 17),
      .kernel = { 2, 2 }, .stride = { 2, 2 } },
    { BIAS_OP("v", "every version of the op", .each_version = true), .in = DIMS(1, 2, 3, 5),
      .out = DIMS(1, 4, 6, 3), .kernel = { 3, 3 }, .stride = { 2, 2 } },
};

static void build_bias_op(struct case_builder *m, const int in[3])
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t options[] = { r->padding == VALID ? kTfLitePaddingValid : kTfLitePaddingSame,
                                window_or_one(r->stride.w), window_or_one(r->stride.h) };
    const int op = case_judged_op(m, NULL, 3, in, case_output(m, "y", &r->out));

    builder_custom_options(&m->builder, op, options, sizeof options);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t channels = r->out.d[3], sh = window_or_one(r->stride.h),
                  sw = window_or_one(r->stride.w);
    const struct shape weights = DIMS(channels, r->kernel.h, r->kernel.w, r->in.d[3]);
    const struct shape vector = DIMS(4), bias = DIMS(channels);
    /* The most taps that one output has. */
    const int32_t taps = ((r->kernel.h + sh - 1) / sh) * ((r->kernel.w + sw - 1) / sw);
    const double terms = (double)taps * r->in.d[3] + 1;
    const struct fill fill_x = { .terms = terms, .factors = 2, .pair = PAIR_EQUAL, .axis = 3 };
    const struct fill fill_w = fill_weights(terms, 3, 0);
    const struct fill fill_b = fill_bias(terms);
    struct options options;
    int in[4];

    options_init(&options, OPTIONS_TransposeConvOptions);
    options_set_int(&options, "padding", r->padding);
    options_set_int(&options, "stride_w", sw);
    options_set_int(&options, "stride_h", sh);
    options_set_int(&options, "fused_activation_function", r->activation);
    if (m->c->code == BUILTIN_TRANSPOSE_CONV)
        in[0] = case_constant_i32(m, "output_shape", &vector, r->out.d);
    in[1] = case_operand(m, r->runtime_weights, "weights", &weights, &fill_w);
    in[2] = case_input(m, "x", &r->in, &fill_x);
    if (r->bias)
        in[3] = case_operand(m, r->runtime_bias, "bias", &bias, &fill_b);
    if (m->c->code == BUILTIN_CONVOLUTION_2D_TRANSPOSE_BIAS) {
        build_bias_op(m, (int[]){ in[2], in[1], in[3] });
        return;
    }
    if (r->bias_scale != OF_PRODUCTS)
        case_set_bias_scale(m, in[3], r->bias_scale == OTHER_SCALE ? 0.75 : 0);
    case_judged_op(m, &options, r->bias ? 4 : 3, in, case_output(m, "y", &r->out));
}

/* ---- sweep: any two circumstances together ---- */

static const struct pairwise_level outs[] = {
    { "o1", 1, 0 }, { "o2", 2, 0 }, { "o3", 3, 0 },   { "o4", 4, 0 },
    { "o5", 5, 0 }, { "o8", 8, 0 }, { "o17", 17, 0 },
};
static const struct pairwise_level images[] = {
    { "i1", 1, 1 },
    { "i2x3", 2, 3 },
    { "i4x2", 4, 2 },
    { "i3x5", 3, 5 },
};
/* As many output extents as the stride have the same input extent: the largest or the smallest. */
static const struct pairwise_level sizes[] = { { "", 0, 0 }, { "odd", 1, 0 } };
static const struct pairwise_level biases[] = { { "", 0, 0 }, { "b", 1, 0 }, { "rb", 1, 1 } };
enum { KERNEL, STRIDE, PADDING, CHANNEL, OUT, BATCH, IMAGE, SIZE, BIAS, ACTIVATION };
static const struct pairwise_axis axes[] = {
    AXIS_KERNELS,          AXIS_STRIDES,     AXIS_PADDINGS,         AXIS_CHANNELS,
    PAIRWISE_AXIS(outs),   AXIS_BATCHES,     PAIRWISE_AXIS(images), PAIRWISE_AXIS(sizes),
    PAIRWISE_AXIS(biases), AXIS_ACTIVATIONS,
};

/* Returns an output extent whose forward convolution has the extent `in`. */
static int32_t enlarged(int32_t in, int32_t kernel, int32_t stride, bool same, bool other)
{
    if (same)
        return other ? (in - 1) * stride + 1 : in * stride;
    return (in - 1) * stride + kernel + (other ? stride - 1 : 0);
}

static struct row swept_row(const struct pairwise_row *p)
{
    const uint32_t more_types = p->index % 4 == 0 ? TYPE_BIT(CASE_F16) : SWEPT_TYPES(p->index);
    const struct pairwise_level *const *const level = p->level;
    const bool same = level[PADDING]->x != VALID, other = level[SIZE]->x;
    struct row r = {
        .base = { .name = p->name, .why = "pairwise: kernel, stride, size, channels, bias" },
        .in = DIMS(level[BATCH]->x, level[IMAGE]->x, level[IMAGE]->y, level[CHANNEL]->x),
        .kernel = { level[KERNEL]->x, level[KERNEL]->y },
        .stride = { level[STRIDE]->x, level[STRIDE]->y },
        .padding = level[PADDING]->x,
        .activation = level[ACTIVATION]->x,
        .bias = level[BIAS]->x,
        .runtime_bias = level[BIAS]->y,
    };

    r.base.types = TYPE_BIT(CASE_F32) | (r.runtime_bias ? 0 : more_types);
    r.base.version = r.activation ? 4 : r.bias ? 3 : 1;
    r.out =
        (struct shape)DIMS(r.in.d[0], enlarged(r.in.d[1], r.kernel.h, r.stride.h, same, other),
                           enlarged(r.in.d[2], r.kernel.w, r.stride.w, same, other), level[OUT]->x);
    return r;
}

/* ---- sweep: scales and zero points ---- */

/* Rows alternate: i8 and u8 with one scale, i8 with a scale for each channel. */
static struct row quantized_row(const struct pairwise_row *p)
{
    static const struct row shapes[] = {
        { .in = DIMS(1, 2, 3, 5),
          .out = DIMS(1, 4, 6, 6),
          .kernel = { 3, 3 },
          .stride = { 2, 2 },
          .bias = true },
        { .in = DIMS(1, 3, 2, 8), .out = DIMS(1, 6, 4, 5), .kernel = { 2, 2 }, .stride = { 2, 2 } },
        { .in = DIMS(2, 2, 2, 3),
          .out = DIMS(2, 5, 5, 9),
          .kernel = { 3, 3 },
          .stride = { 2, 2 },
          .padding = VALID,
          .bias = true },
        { .in = DIMS(1, 3, 3, 17), .out = DIMS(1, 3, 3, 4), .kernel = { 3, 3 } },
    };
    struct row r = shapes[p->index % (sizeof shapes / sizeof shapes[0])];

    r.base = quant_product_case(p);
    r.activation = quant_product_activation(p);
    r.base.version = r.activation ? 4 : r.bias ? 3 : 1;
    return r;
}

/* ---- sweep: every kernel with every stride, in 8 bits ---- */

/* A type a row, and i8pc beside it in one row of three. */
static size_t every_window(struct row *to, size_t position)
{
    const struct window_choice *const w = window_choices(false);

    (void)position; /* the rows have names of their own */
    for (size_t i = 0; i < WINDOW_CHOICES; i++) {
        const bool same = w[i].padding != VALID;
        struct row r = {
            .base = { .name = w[i].name,
                      .why = "every kernel with every stride, for kernels of integers",
                      .types = w[i].type | (i % 3 == 0 ? TYPE_BIT(CASE_I8PC) : 0),
                      .version = i % 2 ? 3 : 1 },
            .in = DIMS(1, 2, 3, w[i].channels),
            .kernel = { w[i].kernel.h, w[i].kernel.w },
            .stride = { w[i].stride.h, w[i].stride.w },
            .padding = w[i].padding,
            .bias = i % 2,
        };

        r.out = (struct shape)DIMS(1, enlarged(2, r.kernel.h, r.stride.h, same, i % 4 == 1),
                                   enlarged(3, r.kernel.w, r.stride.w, same, i % 4 == 1), 5);
        to[i] = r;
    }
    return WINDOW_CHOICES;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART(quantized_row, quant_product_axes),
            SWEEP_FILL(every_window))
SUITE_SWEPT(transpose_conv, members, rows, build, sweep);
