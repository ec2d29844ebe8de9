/* CONV_2D: kernels, strides, dilations and paddings on odd images; channels around slices on both
 * sides; groups; fused activations; long sums; constants that are not constant. */
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
    BIAS_OTHER_SCALE = 4, /* in 8 bits, where nobody reads the scale of a bias */
    BIAS_NO_SCALE = 8
};

struct row {
    struct op_case base;
    struct shape in; /* N H W C */
    int32_t out;     /* channels */
    struct {
        int32_t h, w;
    } kernel, stride, dilation; /* 0: 1 */
    int padding, activation;
    int32_t groups; /* 0: 1 */
    unsigned runtime;
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    static const struct graph_window windows[] = {
        { .h = 1, .w = 1 },
        { .h = 3, .w = 3 },
        { .h = 3, .w = 3, .stride = 2 },
        { .h = 1, .w = 3, .valid = true },
    };
    struct graph_window w = windows[random_choice(call, 0, sizeof windows / sizeof windows[0])];
    const struct value x = call->in[0].value;
    struct graph_conv_constants c;
    struct shape weights;

    if (!random_window_fits(&call->in[0], &w))
        return false;
    /* Often as many channels as before, so that a residual can be added. */
    w.out = random_choice(call, 3, 3) ? x.shape.d[3] : random_channels(call, 1);
    random_set_dot_peak(call);
    w.activation = random_activation(call, 2);
    weights = (struct shape)DIMS(w.out, w.h, w.w, x.shape.d[3]);
    if (random_choice(call, 3, 2) && random_find_shared(call, &weights, &c)) {
        if (m->c->quantized) /* whose scale follows from that of x */
            c.bias = graph_add_conv_bias(m, w.out);
    } else {
        c = graph_add_conv_constants(m, x, &w);
        random_keep_shared(call, &weights, &c);
    }
    call->out.value = graph_add_conv_2d_with(m, x, &w, &c);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("conv_2d", CONV_2D, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_QUANTIZED, .sets = SETS_ALL,
      .bound = { .kind = BOUND_DOT }, .range = case_range_dot,
      .random = { .operands = RANDOM_ONE, .add = add_random },

      .winograd = true },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in and out in slices of four"), .in = DIMS(1, 3, 4, c), .out = c,    \
                                                              .kernel = {                          \
                                                                  3,                               \
                                                                  3                                \
                                                              }                                    \
    }
#define POINTWISE(i, o)                                                                            \
    {                                                                                              \
        ROW("k1_c" #i "_o" #o, "a 1x1 convolution whose channels in and out do not fill a slice"), \
            .in = DIMS(1, 5, 3, i), .out = o, .kernel = {                                          \
                1,                                                                                 \
                1                                                                                  \
            }                                                                                      \
    }

/* A product of the size for which a tile of the matrix units is (test_matrix knows which). */
#define UNITS "pixels, sum and channels end within a tile of matrix units", LARGE_OF(61)

/* One quantity of a pointwise convolution on either side of a tile's edge. */
#define EDGE(what, n, why)                                                                         \
    ROW("edge_" what #n, why " at the edge of a likely tile", LARGE_OF(61)), .kernel = { 1, 1 }
#define EDGE_OUT(n)                                                                                \
    {                                                                                              \
        EDGE("o", n, "output channels"), .in = DIMS(1, 2, 3, 5), .out = n                          \
    }
#define EDGE_IN(n)                                                                                 \
    {                                                                                              \
        EDGE("k", n, "input channels"), .in = DIMS(1, 2, 3, n), .out = 6                           \
    }
#define EDGE_PLACES(n)                                                                             \
    {                                                                                              \
        EDGE("p", n, "places"), .in = DIMS(1, 1, n, 5), .out = 6                                   \
    }
/* A sum of 2,048 and more products for few results, whose depth workgroups share. */
#define SPLIT "a deep sum of few results", LARGE_OF(61)

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    POINTWISE(1, 1),
    POINTWISE(1, 64),
    POINTWISE(64, 1),
    POINTWISE(3, 16),
    POINTWISE(5, 8),
    POINTWISE(8, 5),
    POINTWISE(33, 67),
    POINTWISE(16, 257),
    { ROW("first_layer", "RGB, stride 2, as networks begin"), .in = DIMS(1, 15, 15, 3), .out = 8,
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("same_s2_c5", "stride 2 on an odd image"), .in = DIMS(1, 7, 9, 5), .out = 6,
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("same_s2_even", "stride 2 on an even image: padding at the end only"),
      .in = DIMS(1, 8, 6, 4), .out = 4, .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("valid_s2", "VALID with stride 2: the last rows are in no window"),
      .in = DIMS(1, 8, 8, 5), .out = 3, .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("same_s3", "stride 3"), .in = DIMS(1, 10, 11, 4), .out = 5, .kernel = { 3, 3 },
      .stride = { 3, 3 } },
    { ROW("s1x2", "stride in width only"), .in = DIMS(1, 5, 8, 3), .out = 4, .kernel = { 3, 3 },
      .stride = { 1, 2 } },
    { ROW("s2x1", "stride in height only"), .in = DIMS(1, 8, 5, 3), .out = 4, .kernel = { 3, 3 },
      .stride = { 2, 1 } },
    { ROW("stride_over_kernel", "the stride is larger than the kernel: some pixels are not read"),
      .in = DIMS(1, 9, 9, 3), .out = 4, .kernel = { 2, 2 }, .stride = { 3, 3 } },
    { ROW("k1_s2", "pointwise with stride"), .in = DIMS(1, 7, 7, 6), .out = 5, .kernel = { 1, 1 },
      .stride = { 2, 2 } },
    { ROW("k1_s3_valid", "pointwise with stride 3, VALID"), .in = DIMS(1, 8, 7, 4), .out = 5,
      .kernel = { 1, 1 }, .stride = { 3, 3 }, .padding = VALID },
    { ROW("k1x3", "row kernel"), .in = DIMS(1, 4, 6, 5), .out = 4, .kernel = { 1, 3 } },
    { ROW("k3x1", "column kernel"), .in = DIMS(1, 6, 4, 5), .out = 4, .kernel = { 3, 1 } },
    { ROW("k2x2", "even kernel: SAME pads at the end"), .in = DIMS(1, 5, 5, 4), .out = 4,
      .kernel = { 2, 2 } },
    { ROW("k4x4", "even kernel, one more after than before"), .in = DIMS(1, 6, 7, 3), .out = 5,
      .kernel = { 4, 4 } },
    { ROW("k4x4_s2", "even kernel with stride"), .in = DIMS(1, 9, 7, 3), .out = 5,
      .kernel = { 4, 4 }, .stride = { 2, 2 } },
    { ROW("k2x5", "kernel neither square nor odd"), .in = DIMS(1, 6, 7, 5), .out = 3,
      .kernel = { 2, 5 }, .padding = VALID },
    { ROW("k5x5", "two pixels of padding"), .in = DIMS(1, 7, 7, 4), .out = 4, .kernel = { 5, 5 } },
    { ROW("k7x7_s2", "large kernel with stride, as ResNet begins"), .in = DIMS(1, 13, 13, 3),
      .out = 8, .kernel = { 7, 7 }, .stride = { 2, 2 } },
    { ROW("kernel_over_image", "SAME with a kernel larger than the image"), .in = DIMS(1, 3, 2, 5),
      .out = 4, .kernel = { 7, 7 } },
    { ROW("image_1x1", "an image of one pixel: eight of nine taps read padding"),
      .in = DIMS(1, 1, 1, 5), .out = 5, .kernel = { 3, 3 } },
    { ROW("valid_1x1", "the kernel is the image: one pixel remains"), .in = DIMS(1, 4, 5, 3),
      .out = 7, .kernel = { 4, 5 }, .padding = VALID },
    { ROW("valid", "no padding"), .in = DIMS(1, 6, 5, 5), .out = 4, .kernel = { 3, 3 },
      .padding = VALID },
    { ROW("d2", "dilation 2"), .in = DIMS(1, 7, 8, 4), .out = 4, .kernel = { 3, 3 },
      .dilation = { 2, 2 } },
    { ROW("d2_valid", "dilation 2 without padding"), .in = DIMS(1, 8, 7, 5), .out = 3,
      .kernel = { 3, 3 }, .dilation = { 2, 2 }, .padding = VALID },
    { ROW("d3x1", "dilation in height only"), .in = DIMS(1, 9, 4, 3), .out = 4, .kernel = { 3, 3 },
      .dilation = { 3, 1 } },
    { ROW("d1x2", "dilation in width only"), .in = DIMS(1, 4, 9, 3), .out = 4, .kernel = { 3, 3 },
      .dilation = { 1, 2 } },
    { ROW("d6_over_image", "dilation beyond the image: only the centre tap reads a pixel"),
      .in = DIMS(1, 5, 5, 6), .out = 5, .kernel = { 3, 3 }, .dilation = { 6, 6 } },
    { ROW("batch2", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(2, 4, 4, 4),
      .out = 4, .kernel = { 3, 3 } },
    { ROW("batch3_c5", "a batch of more than one image, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .in = DIMS(3, 3, 5, 5), .out = 7, .kernel = { 3, 3 }, .stride = { 2, 1 } },
    { ROW("batch7", "odd batch of single pixels", .gap = GAP_BATCH), .in = DIMS(7, 1, 1, 9),
      .out = 5, .kernel = { 1, 1 } },
    { ROW("relu", "fused RELU"), .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 },
      .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1"), .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 },
      .activation = 2 },
    { ROW("relu6", "fused RELU6"), .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 },
      .activation = 3 },
    { ROW("relu6_k1", "fused RELU6, pointwise"), .in = DIMS(1, 4, 4, 9), .out = 6,
      .kernel = { 1, 1 }, .activation = 3 },
    { ROW("groups2", "two groups", .version = 6), .in = DIMS(1, 4, 4, 8), .out = 8,
      .kernel = { 3, 3 }, .groups = 2 },
    { ROW("groups4_odd", "groups of three channels in, two out", .version = 6),
      .in = DIMS(1, 4, 5, 12), .out = 8, .kernel = { 3, 3 }, .groups = 4 },
    { ROW("groups_all", "a group for each channel", .version = 6), .in = DIMS(1, 4, 4, 5), .out = 5,
      .kernel = { 3, 3 }, .groups = 5 },
    { ROW("groups3_k1", "a grouped 1x1 convolution is no single matrix product", .version = 6),
      .in = DIMS(1, 1, 1, 9), .out = 6, .kernel = { 1, 1 }, .groups = 3 },
    { ROW("w65", "one pixel more than a workgroup of 64"), .in = DIMS(1, 1, 65, 3), .out = 4,
      .kernel = { 1, 3 } },
    { ROW("h257", "one pixel more than a workgroup of 256"), .in = DIMS(1, 257, 1, 2), .out = 3,
      .kernel = { 3, 1 } },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 13, 17, 7),
      .out = 11, .kernel = { 3, 3 } },
    { ROW("long_4608", "4608 products, as the last layers have"), .in = DIMS(1, 3, 3, 512),
      .out = 5, .kernel = { 3, 3 }, .padding = VALID },
    { ROW("long_k1_1024", "1024 products, pointwise"), .in = DIMS(1, 2, 2, 1024), .out = 6,
      .kernel = { 1, 1 } },
    { ROW("half_overflow", "results around the largest f16", .gap = GAP_HALF_RANGE, .scale = 9000,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5), .out = 6, .kernel = { 3, 3 } },
    { ROW("runtime_weights", "weights are an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 }, .runtime = RUNTIME_WEIGHTS },
    { ROW("runtime_bias", "the bias is an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 }, .runtime = RUNTIME_BIAS },
    { ROW("runtime_both", "weights and bias are inputs of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 1, 1 },
      .runtime = RUNTIME_WEIGHTS | RUNTIME_BIAS },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 3, 3, 4), .out = 4, .kernel = { 3, 3 } },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 3, 3, 4), .out = 4, .kernel = { 3, 3 } },
    { ROW("sum_k1_70001", "70,001 products, pointwise", .gap = GAP_HALF_SUM),
      .in = DIMS(1, 1, 2, 70001), .out = 2, .kernel = { 1, 1 } },
    { ROW("sum_k5_70000", "70,000 products, a kernel of 25", .gap = GAP_HALF_SUM),
      .in = DIMS(1, 5, 5, 2800), .out = 2, .kernel = { 5, 5 }, .padding = VALID },
    { ROW("half_partial", "sums that pass the largest f16 on their way", .offset = 300,
          .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .in = DIMS(1, 3, 3, 1024), .out = 3, .kernel = { 3, 3 }, .padding = VALID },
    { ROW("beyond65536", "columns beyond 65,536"), .in = DIMS(1, 1, 70001, 2), .out = 3,
      .kernel = { 1, 3 }, .stride = { 1, 1000 }, .padding = VALID },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("bias_other_scale", "a bias with a scale that nobody reads",
          .types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 }, .runtime = BIAS_OTHER_SCALE },
    { ROW("bias_no_scale", "a bias without a scale",
          .types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 3, 3 }, .runtime = BIAS_NO_SCALE },
    { ROW("ends_k1_1025", "sums of products at the ends of both ranges: beyond 24 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 30 }),
      .in = DIMS(1, 2, 2, 1025), .out = 6, .kernel = { 1, 1 } },
    { ROW("ends_k1_70001", "sums of products at the ends of both ranges: beyond 30 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 200 }),
      .in = DIMS(1, 2, 2, 70001), .out = 2, .kernel = { 1, 1 } },
    { ROW("ends_k3_64", "sums of products at the ends of both ranges: beyond 24 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 8 }),
      .in = DIMS(1, 4, 4, 64), .out = 8, .kernel = { 3, 3 } },
    { ROW("product_rounded",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED),
      .in = DIMS(1, 8, 8, 1), .out = 16, .kernel = { 1, 1 } },
    { ROW("product_rounded_b",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED_B),
      .in = DIMS(1, 8, 8, 1), .out = 16, .kernel = { 1, 1 } },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .types = TYPES_BYTES, QUANT_SIX_TIE),
      .in = DIMS(1, 4, 4, 3), .out = 6, .kernel = { 3, 3 }, .activation = 3 },
    { ROW("one_tie", "1 and -1 are ties of the result's steps in f32, and below one in double",
          .types = TYPE_BIT(CASE_I8), QUANT_ONE_TIE),
      .in = DIMS(1, 4, 4, 3), .out = 6, .kernel = { 3, 3 }, .activation = 2 },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("k1x9", "a row kernel wider than 7", .floats = true), .in = DIMS(1, 3, 14, 3), .out = 4,
      .kernel = { 1, 9 } },
    { ROW("k9x1_s1x2", "a column kernel higher than 7, stride in width", .floats = true),
      .in = DIMS(1, 14, 5, 5), .out = 3, .kernel = { 9, 1 }, .stride = { 1, 2 } },
    { ROW("k11x11_s4", "AlexNet's first layer", .floats = true), .in = DIMS(1, 35, 31, 3), .out = 6,
      .kernel = { 11, 11 }, .stride = { 4, 4 }, .padding = VALID },
    { ROW("k11x11_s4_same", "AlexNet's first layer with padding", .floats = true),
      .in = DIMS(1, 17, 22, 3), .out = 5, .kernel = { 11, 11 }, .stride = { 4, 4 } },
    { ROW("k1x20", "a filter over time, as speech models have", .floats = true),
      .in = DIMS(1, 2, 49, 2), .out = 5, .kernel = { 1, 20 } },
    { ROW("k20x8_s2x5", "keywords: a kernel of 20 x 8, strides that differ", .floats = true),
      .in = DIMS(1, 49, 40, 1), .out = 5, .kernel = { 20, 8 }, .stride = { 2, 5 },
      .padding = VALID },
    { ROW("k13x2_batch", "13 rows, two images", .floats = true), .in = DIMS(2, 15, 5, 6), .out = 7,
      .kernel = { 13, 2 } },
    { ROW("k31x31", "a kernel of 31", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS)),
      .in = DIMS(1, 32, 33, 2), .out = 2, .kernel = { 31, 31 }, .padding = VALID },
    { ROW("k5x5_s5", "stride 5", .floats = true), .in = DIMS(1, 17, 19, 4), .out = 5,
      .kernel = { 5, 5 }, .stride = { 5, 5 } },
    { ROW("k3x3_s4", "stride 4: some pixels are not read", .floats = true),
      .in = DIMS(1, 14, 15, 5), .out = 4, .kernel = { 3, 3 }, .stride = { 4, 4 } },
    { ROW("patch16", "patches of 16 x 16, as vision transformers begin", .floats = true),
      .in = DIMS(1, 33, 48, 3), .out = 9, .kernel = { 16, 16 }, .stride = { 16, 16 },
      .padding = VALID },
    { ROW("d4", "dilation 4", .floats = true), .in = DIMS(1, 11, 12, 4), .out = 4,
      .kernel = { 3, 3 }, .dilation = { 4, 4 } },
    { ROW("d8", "dilation 8", .floats = true), .in = DIMS(1, 19, 18, 4), .out = 4,
      .kernel = { 3, 3 }, .dilation = { 8, 8 } },
    { ROW("d12", "DeepLab's second rate: dilation 12", .floats = true), .in = DIMS(1, 27, 26, 5),
      .out = 3, .kernel = { 3, 3 }, .dilation = { 12, 12 } },
    { ROW("d18", "DeepLab's third rate: dilation 18", .floats = true), .in = DIMS(1, 38, 39, 3),
      .out = 5, .kernel = { 3, 3 }, .dilation = { 18, 18 } },
    { ROW("d9x1_valid", "dilation 9 in height only", .floats = true), .in = DIMS(1, 21, 5, 6),
      .out = 5, .kernel = { 3, 2 }, .dilation = { 9, 1 }, .padding = VALID },
    { ROW("d1x16_k1x5", "causal filters: dilation 16 in width only", .floats = true),
      .in = DIMS(1, 1, 70, 4), .out = 6, .kernel = { 1, 5 }, .dilation = { 1, 16 } },
    { ROW("d8_s2", "dilation 8 with stride 2", .floats = true), .in = DIMS(1, 20, 21, 3), .out = 4,
      .kernel = { 3, 3 }, .stride = { 2, 2 }, .dilation = { 8, 8 } },
    { ROW("k1_s1x2", "pointwise, stride in width only", .floats = true), .in = DIMS(1, 5, 7, 6),
      .out = 5, .kernel = { 1, 1 }, .stride = { 1, 2 } },
    { ROW("k1_s2x1", "pointwise, stride in height only", .floats = true), .in = DIMS(1, 7, 5, 6),
      .out = 5, .kernel = { 1, 1 }, .stride = { 2, 1 } },
    { ROW("k1_s1x3_valid", "pointwise, stride 3 in width only, VALID", .floats = true),
      .in = DIMS(2, 3, 8, 9), .out = 4, .kernel = { 1, 1 }, .stride = { 1, 3 }, .padding = VALID },
    { ROW("groups2_k1x9", "two groups and a wide kernel", .version = 6, .floats = true),
      .in = DIMS(1, 3, 12, 8), .out = 6, .kernel = { 1, 9 }, .groups = 2 },
    { ROW("groups3_d8", "three groups, dilation 8", .version = 6, .floats = true),
      .in = DIMS(1, 18, 17, 6), .out = 9, .kernel = { 2, 2 }, .dilation = { 8, 8 }, .groups = 3 },
    { ROW("places90000", "90,000 places of 8 channels", LARGE), .in = DIMS(1, 300, 300, 8),
      .out = 8, .kernel = { 3, 3 } },
    { ROW("places70000_k1", "70,000 places, pointwise", LARGE), .in = DIMS(1, 250, 280, 9),
      .out = 5, .kernel = { 1, 1 } },
    { ROW("rows70002", "batch times height is beyond 65,536", LARGE), .in = DIMS(35001, 2, 1, 3),
      .out = 2, .kernel = { 2, 1 } },
    { ROW("batch70001", "a batch beyond 65,536", LARGE), .in = DIMS(70001, 1, 1, 3), .out = 2,
      .kernel = { 1, 1 } },
    { ROW("groups_places70000", "70,000 places, two groups", LARGE, .version = 6),
      .in = DIMS(1, 250, 280, 4), .out = 4, .kernel = { 1, 1 }, .groups = 2 },
    { ROW("full_mantissas", "operands that f16 rounds, a long sum", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(1, 6, 6, 32), .out = 17, .kernel = { 3, 3 } },
    { ROW("full_mantissas_groups", "operands that f16 rounds, grouped", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true, .version = 6),
      .in = DIMS(1, 6, 6, 32), .out = 8, .kernel = { 3, 3 }, .groups = 2 },
    { ROW("units_k3_s2", UNITS), .in = DIMS(1, 141, 161, 3), .out = 61, .kernel = { 3, 3 },
      .stride = { 2, 2 } },
    { ROW("units_parts", UNITS), .in = DIMS(2, 7, 7, 513), .out = 61, .kernel = { 3, 3 } },
    { ROW("units_k3_c33", UNITS), .in = DIMS(1, 28, 29, 33), .out = 130, .kernel = { 3, 3 } },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 4, 4, 3), .out = 5,
      .kernel = { 3, 3 } },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum", LANES_SUM), .in = SUM_DIMS, .out = 6, .kernel = { 1, 1 } },
    { ROW("lanes_sum_k3_s2", LANES_SUM), .in = SUM_DIMS, .out = 6, .kernel = { 3, 3 },
      .stride = { 2, 2 }, .padding = VALID },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS, .out = 6, .kernel = { 1, 1 } },
    { ROW("lanes_ends", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC))), .in = END_DIMS,
      .out = 6, .kernel = { 1, 1 } },
    { ROW("lanes_ends_weights", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC)),
          .values_of = 1),
      .in = DIMS(1, 3, 4, 5), .out = 12, .kernel = { 1, 1 } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1), .out = 1,
      .kernel = { 1, 1 } },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .out = 2, .kernel = { 2, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1), .out = 1,
      .kernel = { 1, 2 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 2, 1),
      .out = 66001, .kernel = { 1, 2 }, .padding = VALID },
    { ROW("inputs66001", "66,001 input channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 2, 66001),
      .out = 3, .kernel = { 1, 1 } },
    { ROW("k4099x1", "a kernel of 4,099 rows", LARGE_IN(SIZED)), .in = DIMS(1, 4101, 1, 1),
      .out = 3, .kernel = { 4099, 1 }, .padding = VALID },
    { ROW("k1x4099", "a kernel of 4,099 columns", LARGE_IN(SIZED)), .in = DIMS(1, 1, 4101, 1),
      .out = 3, .kernel = { 1, 4099 }, .padding = VALID },
    { ROW("s4099", "strides of 4,099", LARGE_IN(SIZED)), .in = DIMS(1, 4100, 2, 1), .out = 3,
      .kernel = { 1, 1 }, .stride = { 4099, 4099 }, .padding = VALID },
    { ROW("d4099", "a dilation of 4,099", LARGE_IN(SIZED)), .in = DIMS(1, 1, 4101, 1), .out = 3,
      .kernel = { 1, 2 }, .dilation = { 4099, 4099 }, .padding = VALID },
    /* Sums at the ends of both ranges that pass 16, 24 and 30 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 8)), .in = DIMS(1, 2, 2, 3), .out = 2,
      .kernel = { 1, 1 } },
    { ROW("sum25", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 60)), .in = DIMS(1, 2, 2, 521),
      .out = 2, .kernel = { 1, 1 } },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC), 600)),
      .in = DIMS(1, 1, 1, 66201), .out = 2, .kernel = { 1, 1 } },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_U8), 600)), .in = DIMS(1, 1, 1, 33001), .out = 2,
      .kernel = { 1, 1 } },
    { ROW("bias_ends", BIAS_ENDS), .in = DIMS(1, 3, 4, 5), .out = 12, .kernel = { 1, 1 } },
    { ROW("bias_ends_k3", BIAS_ENDS), .in = DIMS(1, 4, 4, 5), .out = 12, .kernel = { 3, 3 } },
    { ROW("bias_29", "biases of 29 bits: sums that a shift by two still holds",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC), LANES_ONE_SET, .byte_sets = LANES_RANDOM,
          .values_of = 2, INTEGERS(bias_29),
          .quant = { .in = 0.5,
                     .in2 = 0.5,
                     .out = 1.2e6,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 3, 4, 5), .out = 12, .kernel = { 1, 1 } },
    TILE_LIST(EDGE_OUT),
    TILE_LIST(EDGE_IN),
    TILE_LIST(EDGE_PLACES),
    { ROW("split_k3_c260", SPLIT), .in = DIMS(1, 4, 4, 260), .out = 7, .kernel = { 3, 3 } },
    { ROW("split_k3_c229_o18", SPLIT), .in = DIMS(1, 5, 5, 229), .out = 18, .kernel = { 3, 3 } },
    { ROW("split_n2_c512", SPLIT), .in = DIMS(2, 3, 3, 512), .out = 10, .kernel = { 3, 3 },
      .activation = 1 },
    { ROW("split_k1_c2052", SPLIT), .in = DIMS(1, 2, 2, 2052), .out = 5, .kernel = { 1, 1 } },
    { ROW("split_k2_c603", SPLIT), .in = DIMS(1, 3, 4, 603), .out = 33, .kernel = { 2, 2 },
      .padding = VALID, .activation = 3 },
    { ROW("split_n3_k1_c4100", SPLIT), .in = DIMS(3, 2, 3, 4100), .out = 9, .kernel = { 1, 1 } },
    { ROW("units_bytes", "25 million products, from which on bytes go to matrix units",
          .types = TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_INTEGERS), .period = 61),
      .in = DIMS(1, 15, 17, 260), .out = 384, .kernel = { 1, 1 } },
    { ROW("groups2_c600", "groups of 300 channels", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8),
          LANES_ONE_SET, .byte_sets = LANES_RANDOM, .version = 6),
      .in = DIMS(1, 1, 3, 600), .out = 4, .kernel = { 1, 1 }, .groups = 2 },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("valid_k1", "pointwise, VALID", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 4, 4, 5),
      .out = 6, .kernel = { 1, 1 }, .padding = VALID },
    { ROW("valid_k1_relu", "pointwise, VALID, RELU",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 1, 1 }, .padding = VALID, .activation = 1 },
    { ROW("valid_k1_relu6", "pointwise, VALID, RELU6",
          REAL(TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 1, 1 }, .padding = VALID, .activation = 3 },
    { ROW("k1_relu", "pointwise, RELU", REAL(TYPE_BIT(CASE_F32))), .in = DIMS(1, 4, 4, 5), .out = 6,
      .kernel = { 1, 1 }, .activation = 1 },
    { ROW("k1_s2_bytes", "pointwise, stride 2", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 4, 4, 5),
      .out = 6, .kernel = { 1, 1 }, .stride = { 2, 2 } },
    { ROW("s2_relu6", "stride 2, RELU6", REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 5, 5, 3), .out = 6, .kernel = { 3, 3 }, .stride = { 2, 2 }, .activation = 3 },
    { ROW("valid_s2_relu", "stride 2, VALID, RELU", REAL(TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 5, 5, 3), .out = 6, .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID,
      .activation = 1 },
    { ROW("valid_k2_s2", "patches of 2x2", REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16))),
      .in = DIMS(1, 4, 4, 5), .out = 6, .kernel = { 2, 2 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("valid_k5x1", "times, VALID", REAL(TYPE_BIT(CASE_I8PC))), .in = DIMS(1, 7, 1, 5),
      .out = 6, .kernel = { 5, 1 }, .padding = VALID },
    { ROW("valid_k5x1_relu", "times, VALID, RELU", REAL(TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 7, 1, 5), .out = 6, .kernel = { 5, 1 }, .padding = VALID, .activation = 1 },
    { ROW("valid_k5x1_s3x1_relu", "every third of times, VALID, RELU", REAL(TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 9, 1, 5), .out = 6, .kernel = { 5, 1 }, .stride = { 3, 1 }, .padding = VALID,
      .activation = 1 },
    { ROW("valid_k3x1_relu", "times, VALID, RELU", REAL(TYPE_BIT(CASE_I8PC))),
      .in = DIMS(1, 7, 1, 5), .out = 6, .kernel = { 3, 1 }, .padding = VALID, .activation = 1 },
    { ROW("valid_dynamic", "VALID", REAL(TYPE_BIT(CASE_DYNAMIC))), .in = DIMS(1, 4, 4, 5), .out = 6,
      .kernel = { 3, 3 }, .padding = VALID },
    { ROW("groups2_k5", "two groups, windows of five rows", .version = 6,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(1, 6, 6, 4), .out = 6, .kernel = { 5, 5 }, .groups = 2 },
    { ROW("groups2_o132", "two groups of 66 outputs", .version = 6,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(1, 2, 2, 4), .out = 132, .kernel = { 1, 1 }, .groups = 2 },
    { ROW("groups2_o40", "two groups of whole slices, twenty outputs each", .version = 6,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16)),
      .in = DIMS(1, 5, 7, 16), .out = 40, .kernel = { 3, 3 }, .groups = 2 },
    { ROW("groups3_s2x1", "three groups, stride 2x1", .version = 6, .types = TYPE_BIT(CASE_I8)),
      .in = DIMS(2, 7, 8, 6), .out = 9, .kernel = { 3, 3 }, .stride = { 2, 1 }, .groups = 3 },
    { ROW("groups2_s1x3", "two groups, stride 1x3", .version = 6, .types = TYPE_BIT(CASE_I8PC)),
      .in = DIMS(1, 4, 11, 10), .out = 4, .kernel = { 2, 3 }, .stride = { 1, 3 }, .groups = 2 },
    { ROW("groups2_d2x3", "two groups, dilated", .version = 6, .types = TYPE_BIT(CASE_I8)),
      .in = DIMS(1, 9, 11, 6), .out = 4, .kernel = { 3, 2 }, .dilation = { 2, 3 }, .groups = 2 },
    { ROW("groups2_places70000", "two groups, 70,000 places",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)), .version = 6),
      .in = DIMS(1, 250, 280, 2), .out = 2, .kernel = { 1, 1 }, .groups = 2 },
    { ROW("computed_deep", "weights of 300 inputs and 70 outputs that are an input",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 300), .out = 70, .kernel = { 1, 2 }, .runtime = RUNTIME_WEIGHTS },
    { ROW("computed_k41x7", "a kernel of 287 places that is an input", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 42, 8, 2), .out = 5, .kernel = { 41, 7 }, .padding = VALID,
      .runtime = RUNTIME_WEIGHTS },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool same = r->padding != VALID;
    const int32_t sh = window_or_one(r->stride.h), sw = window_or_one(r->stride.w);
    const int32_t dh = window_or_one(r->dilation.h), dw = window_or_one(r->dilation.w);
    const struct shape weights =
        DIMS(r->out, r->kernel.h, r->kernel.w, r->in.d[3] / window_or_one(r->groups));
    const struct shape bias = DIMS(r->out);
    const struct shape out = DIMS(r->in.d[0], window_out(same, r->in.d[1], r->kernel.h, sh, dh),
                                  window_out(same, r->in.d[2], r->kernel.w, sw, dw), r->out);
    const double terms = (double)(weights.d[1] * weights.d[2] * weights.d[3]) + 1;
    /* In S3 neighbouring channels cancel. */
    const struct fill fill_x = { .terms = terms, .factors = 2, .pair = PAIR_EQUAL, .axis = 3 };
    const struct fill fill_w = fill_weights(terms, 3, 0);
    const struct fill fill_b = fill_bias(terms);
    struct options options;
    int in[3];

    in[0] = case_input(m, "x", &r->in, &fill_x);
    in[1] = case_operand(m, r->runtime & RUNTIME_WEIGHTS, "weights", &weights, &fill_w);
    in[2] = case_operand(m, r->runtime & RUNTIME_BIAS, "bias", &bias, &fill_b);
    if (r->runtime & (BIAS_OTHER_SCALE | BIAS_NO_SCALE))
        case_set_bias_scale(m, in[2], r->runtime & BIAS_OTHER_SCALE ? 0.75 : 0);
    options_init(&options, OPTIONS_Conv2DOptions);
    options_set_int(&options, "padding", r->padding);
    options_set_int(&options, "stride_w", sw);
    options_set_int(&options, "stride_h", sh);
    options_set_int(&options, "dilation_w_factor", dw);
    options_set_int(&options, "dilation_h_factor", dh);
    options_set_int(&options, "fused_activation_function", r->activation);
    case_judged_op(m, &options, 3, in, case_output(m, "y", &out));
}

/* ---- sweeps: any two circumstances together ---- */

static const struct pairwise_level dilations[] = { { "", 1, 1 }, { "d2", 2, 2 }, { "d1x3", 1, 3 } };
static const struct pairwise_level outs[] = {
    { "o1", 1, 0 }, { "o2", 2, 0 },   { "o3", 3, 0 },   { "o4", 4, 0 },   { "o5", 5, 0 },
    { "o8", 8, 0 }, { "o16", 16, 0 }, { "o17", 17, 0 }, { "o33", 33, 0 },
};
static const struct pairwise_level constants[] = { { "", 0, 0 },
                                                   { "rw", RUNTIME_WEIGHTS, 0 },
                                                   { "rb", RUNTIME_BIAS, 0 } };
enum { KERNEL, STRIDE, DILATION, PADDING, CHANNEL, OUT, BATCH, IMAGE, ACTIVATION, CONSTANTS };
static const struct pairwise_axis axes[] = {
    AXIS_KERNELS,
    AXIS_STRIDES,
    PAIRWISE_AXIS(dilations),
    AXIS_PADDINGS,
    AXIS_CHANNELS,
    PAIRWISE_AXIS(outs),
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
        .base = { .name = p->name, .why = "pairwise: kernel, stride, dilation, channels, batch" },
        .in = DIMS(level[BATCH]->x, level[IMAGE]->x, level[IMAGE]->y, level[CHANNEL]->x),
        .out = level[OUT]->x,
        .kernel = { level[KERNEL]->x, level[KERNEL]->y },
        .stride = { level[STRIDE]->x, level[STRIDE]->y },
        .dilation = { level[DILATION]->x, level[DILATION]->y },
        .padding = level[PADDING]->x,
        .activation = level[ACTIVATION]->x,
        .runtime = (unsigned)level[CONSTANTS]->x,
    };

    r.base.types = TYPE_BIT(CASE_F32) | (r.runtime ? 0 : more_types);
    if (r.padding == VALID) {
        r.in.d[1] = window_at_least(r.in.d[1], (r.kernel.h - 1) * r.dilation.h + 1);
        r.in.d[2] = window_at_least(r.in.d[2], (r.kernel.w - 1) * r.dilation.w + 1);
    }
    return r;
}

/* Grouped convolutions: the axis of channels has those of one group. */
static const struct pairwise_level groups[] = {
    { "g2", 2, 0 }, { "g3", 3, 0 }, { "g5", 5, 0 }, { "g8", 8, 0 }
};
static const struct pairwise_level group_channels[] = { { "c1", 1, 0 }, { "c2", 2, 0 },
                                                        { "c3", 3, 0 }, { "c4", 4, 0 },
                                                        { "c5", 5, 0 }, { "c9", 9, 0 } };
static const struct pairwise_level group_outs[] = {
    { "o1", 1, 0 }, { "o2", 2, 0 }, { "o3", 3, 0 }, { "o4", 4, 0 }, { "o6", 6, 0 }
};
static const struct pairwise_level group_kernels[] = { { "k1", 1, 1 },
                                                       { "k3", 3, 3 },
                                                       { "k2x3", 2, 3 } };
enum { G_GROUPS, G_CHANNEL, G_OUT, G_KERNEL, G_STRIDE, G_BATCH, G_ACTIVATION };
static const struct pairwise_axis group_axes[] = {
    PAIRWISE_AXIS(groups),
    PAIRWISE_AXIS(group_channels),
    PAIRWISE_AXIS(group_outs),
    PAIRWISE_AXIS(group_kernels),
    AXIS_STRIDES,
    AXIS_BATCHES,
    AXIS_ACTIVATIONS,
};

static struct row group_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    const int32_t count = level[G_GROUPS]->x;

    return (struct row){
        .base = { .name = p->name,
                  .why = "pairwise: groups across slices",
                  .types = TYPE_BIT(CASE_F32),
                  .version = 6 },
        .in = DIMS(level[G_BATCH]->x, 4, 5, level[G_CHANNEL]->x * count),
        .out = level[G_OUT]->x * count,
        .kernel = { level[G_KERNEL]->x, level[G_KERNEL]->y },
        .stride = { level[G_STRIDE]->x, level[G_STRIDE]->y },
        .activation = level[G_ACTIVATION]->x,
        .groups = count,
    };
}

/* ---- sweep: scales and zero points ---- */

/* Rows alternate: i8 and u8 with one scale, i8 with a scale for each channel. */
static struct row quantized_row(const struct pairwise_row *p)
{
    static const struct row shapes[] = {
        { .in = DIMS(1, 3, 4, 5), .out = 6, .kernel = { 3, 3 } },
        { .in = DIMS(1, 4, 4, 8), .out = 5, .kernel = { 1, 1 } },
        { .in = DIMS(2, 3, 3, 3), .out = 9, .kernel = { 2, 2 }, .padding = VALID },
        { .in = DIMS(1, 1, 2, 17), .out = 33, .kernel = { 1, 1 } },
        { .in = DIMS(1, 5, 5, 1), .out = 4, .kernel = { 3, 3 }, .stride = { 2, 2 } },
    };
    struct row r = shapes[p->index % (sizeof shapes / sizeof shapes[0])];

    r.base = quant_product_case(p);
    r.activation = quant_product_activation(p);
    return r;
}

/* ---- sweep: every kernel with every stride, in 8 bits ---- */

static size_t every_window(struct row *to, size_t position)
{
    const struct window_choice *const w = window_choices(true);

    (void)position; /* the rows have names of their own */
    for (size_t i = 0; i < WINDOW_CHOICES; i++)
        to[i] = (struct row){
            .base = { .name = w[i].name,
                      .why = "every kernel with every stride, for kernels of integers",
                      .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC) },
            .in = DIMS(1, w[i].image.h, w[i].image.w, w[i].channels),
            .out = i % 2 ? 5 : 8,
            .kernel = { w[i].kernel.h, w[i].kernel.w },
            .stride = { w[i].stride.h, w[i].stride.w },
            .dilation = { w[i].dilation.h, w[i].dilation.w },
            .padding = w[i].padding,
        };
    return WINDOW_CHOICES;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART(group_row, group_axes),
            SWEEP_PART(quantized_row, quant_product_axes), SWEEP_FILL(every_window))
SUITE_SWEPT(conv_2d, members, rows, build, sweep);
