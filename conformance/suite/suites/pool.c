/* Pools: AVERAGE_POOL_2D, MAX_POOL_2D, MediaPipe's MaxPoolingWithArgmax2D and MaxUnpooling2D.
 * Windows that reach over the edge count what is inside the image only, and find no zeros outside.
 */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/cases/window.h"
#include "conformance/suite/cases/window_sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

struct row {
    struct op_case base;
    struct shape in; /* N H W C */
    struct {
        int32_t h, w;
    } filter, stride; /* stride 0: 1 */
    int padding, activation;
    /* The indices are results; else MaxUnpooling2D reads them, and where values went shows them:
     * to those who take them for floats they are denormals. */
    bool indices;
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    static const struct graph_window windows[] = {
        { .h = 2, .w = 2, .stride = 2, .valid = true },
        { .h = 3, .w = 3 },
        { .h = 2, .w = 3, .stride = 2 },
    };
    struct graph_window w = windows[random_choice(call, 0, sizeof windows / sizeof windows[0])];

    if (!random_window_fits(&call->in[0], &w))
        return false;
    w.activation = random_activation(call, 1);
    call->out.value = graph_add_pool(m, call->member->code, call->in[0].value, &w);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("average_pool_2d", AVERAGE_POOL_2D, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SETS_ALL & ~SET_BIT(SET_POWERS), .bound = { .kind = BOUND_AVERAGE },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("max_pool_2d", MAX_POOL_2D, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SETS_MOVE | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_BITS, .any_beside_nan = true },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("max_pooling_with_argmax_2d", MAX_POOLING_WITH_ARGMAX_2D, 1),
      .types = TYPE_BIT(CASE_F32), .sets = SETS_MOVE | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_BITS }, .named_alone = true },
    { SUITE_OP("max_unpooling_2d", MAX_UNPOOLING_2D, 1), .types = TYPE_BIT(CASE_F32),
      .sets = SETS_MOVE | SET_BIT(SET_SPREAD), .bound = { .kind = BOUND_BITS },
      .named_alone = true },
};
/* Rows of both, whose strides are their filters. */
#define ARGMAX(name, ...)                                                                          \
    ROW(name, __VA_ARGS__, .only = "max_pooling_with_argmax_2d max_unpooling_2d")

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(1, 4, 5, c), .filter = { 2, 2 },     \
                                                   .stride = {                                     \
                                                       2,                                          \
                                                       2                                           \
                                                   }                                               \
    }

/* The same of windows with indices. */
#define ARGMAX_CHANNELS(c)                                                                         \
    {                                                                                              \
        ARGMAX("k2_c" #c, "channels in slices of four"), .in = DIMS(1, 4, 6, c), .filter = {       \
            2,                                                                                     \
            2                                                                                      \
        }                                                                                          \
    }
static const float tied[] = { 2, 2, -1, 2, 2, 2, -1 };
static const float with_nan[] = { 1, -2, NAN, 0.5f, 3, -1, 2, NAN, NAN, -0.25f, 4, 0, 1.5f };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    { ROW("global7", "the whole image, as before a classifier"), .in = DIMS(1, 7, 7, 32),
      .filter = { 7, 7 }, .padding = VALID },
    { ROW("global7_same", "SAME, stride of the image"), .in = DIMS(1, 7, 7, 9), .filter = { 7, 7 },
      .stride = { 7, 7 } },
    { ROW("global_odd", "the whole image, neither square nor even"), .in = DIMS(1, 5, 3, 5),
      .filter = { 5, 3 }, .padding = VALID },
    { ROW("same3", "SAME: windows at the edge have fewer elements"), .in = DIMS(1, 5, 6, 5),
      .filter = { 3, 3 } },
    { ROW("same3_s2", "SAME with stride 2 on an odd image"), .in = DIMS(1, 7, 9, 5),
      .filter = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("same3_s2_even", "SAME with stride 2 on an even image"), .in = DIMS(1, 8, 6, 4),
      .filter = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("same2", "even window: padding at the end only"), .in = DIMS(1, 5, 5, 6),
      .filter = { 2, 2 } },
    { ROW("same4", "even window, one more after than before"), .in = DIMS(1, 6, 7, 3),
      .filter = { 4, 4 } },
    { ROW("same5_s3", "stride 3"), .in = DIMS(1, 10, 11, 4), .filter = { 5, 5 },
      .stride = { 3, 3 } },
    { ROW("valid3", "no padding"), .in = DIMS(1, 6, 5, 5), .filter = { 3, 3 }, .padding = VALID },
    { ROW("valid3_s2", "VALID with stride 2: the last rows are in no window"),
      .in = DIMS(1, 8, 8, 5), .filter = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("valid2x5", "window neither square nor odd"), .in = DIMS(1, 6, 7, 5), .filter = { 2, 5 },
      .padding = VALID },
    { ROW("f1x3", "row window"), .in = DIMS(1, 4, 6, 5), .filter = { 1, 3 } },
    { ROW("f3x1", "column window"), .in = DIMS(1, 6, 4, 5), .filter = { 3, 1 } },
    { ROW("f1", "one element: nothing changes"), .in = DIMS(1, 4, 5, 7), .filter = { 1, 1 } },
    { ROW("f1_s2", "one element with stride: every other pixel"), .in = DIMS(1, 5, 7, 6),
      .filter = { 1, 1 }, .stride = { 2, 2 } },
    { ROW("stride_over_window", "the stride is larger than the window: some pixels are not read"),
      .in = DIMS(1, 9, 9, 5), .filter = { 2, 2 }, .stride = { 3, 3 } },
    { ROW("s1x2", "stride in width only"), .in = DIMS(1, 5, 8, 3), .filter = { 3, 3 },
      .stride = { 1, 2 } },
    { ROW("s2x1", "stride in height only"), .in = DIMS(1, 8, 5, 6), .filter = { 3, 3 },
      .stride = { 2, 1 } },
    { ROW("window_over_image", "SAME with a window larger than the image"), .in = DIMS(1, 3, 2, 5),
      .filter = { 7, 7 } },
    { ROW("image_1x1", "an image of one pixel: the rest of the window is outside"),
      .in = DIMS(1, 1, 1, 5), .filter = { 3, 3 } },
    { ROW("batch2", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(2, 4, 4, 4),
      .filter = { 2, 2 }, .stride = { 2, 2 } },
    { ROW("batch3_c5", "a batch of more than one image, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .in = DIMS(3, 3, 5, 5), .filter = { 3, 3 } },
    { ROW("batch7", "an odd batch", .gap = GAP_BATCH), .in = DIMS(7, 2, 2, 3), .filter = { 2, 2 },
      .padding = VALID },
    { ROW("relu", "fused RELU"), .in = DIMS(1, 4, 4, 6), .filter = { 2, 2 }, .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1", .scale = 2), .in = DIMS(1, 4, 4, 6), .filter = { 2, 2 },
      .activation = 2 },
    { ROW("relu6", "fused RELU6", .scale = 8), .in = DIMS(1, 4, 4, 6), .filter = { 2, 2 },
      .activation = 3 },
    { ROW("w65", "one pixel more than a workgroup of 64"), .in = DIMS(1, 1, 65, 3),
      .filter = { 1, 3 } },
    { ROW("h257", "one pixel more than a workgroup of 256"), .in = DIMS(1, 257, 1, 2),
      .filter = { 3, 1 } },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 13, 17, 11),
      .filter = { 3, 3 } },
    { ROW("large_window", "2,500 elements of 300: their sum is beyond f16", .gap = GAP_HALF_SUM,
          .offset = 300, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 50, 50, 5), .filter = { 50, 50 }, .padding = VALID },
    { ROW("half_max", "elements near the largest f16: any sum is beyond it", .gap = GAP_HALF_RANGE,
          .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 4, 4, 5), .filter = { 2, 2 }, .padding = VALID },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 4, 4, 4), .filter = { 2, 2 }, .stride = { 2, 2 } },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 4, 4, 4), .filter = { 2, 2 }, .stride = { 2, 2 } },
    { ROW("long_62500", "250x250 elements", .gap = GAP_HALF_SUM), .in = DIMS(1, 250, 250, 1),
      .filter = { 250, 250 }, .padding = VALID },
    { ROW("beyond65536", "columns beyond 65,536"), .in = DIMS(1, 1, 70001, 3), .filter = { 1, 3 },
      .stride = { 1, 1000 }, .padding = VALID },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("global_2_n3", "a global average of two pixels: half of the sums are ties",
          .types = TYPES_BYTES),
      .in = DIMS(3, 1, 2, 9), .filter = { 1, 2 }, .padding = VALID },
    { ROW("global_16_n3", "a global average of an even count, of a batch", .types = TYPES_BYTES),
      .in = DIMS(3, 4, 4, 17), .filter = { 4, 4 }, .padding = VALID },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .types = TYPES_BYTES, .quant = { .in = 0.196721315, .zero = ZERO_MIDDLE }),
      .in = DIMS(1, 4, 4, 6), .filter = { 2, 2 }, .activation = 3 },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("f9x9", "a window of 9, as spatial pyramids have", .floats = true),
      .in = DIMS(1, 13, 13, 5), .filter = { 9, 9 } },
    { ROW("f13x13", "a window of 13, as large as the image", .floats = true),
      .in = DIMS(1, 13, 13, 6), .filter = { 13, 13 } },
    { ROW("f1x16_s1x8", "a window over time, 16 wide", .floats = true), .in = DIMS(1, 2, 50, 3),
      .filter = { 1, 16 }, .stride = { 1, 8 } },
    { ROW("f11_s4", "stride 4", .floats = true), .in = DIMS(1, 21, 19, 5), .filter = { 11, 11 },
      .stride = { 4, 4 }, .padding = VALID },
    { ROW("f5_s5", "stride 5", .floats = true), .in = DIMS(2, 12, 14, 6), .filter = { 5, 5 },
      .stride = { 5, 5 } },
    { ROW("f1_s1x2", "one element, stride in width only", .floats = true), .in = DIMS(1, 5, 7, 6),
      .filter = { 1, 1 }, .stride = { 1, 2 } },
    { ROW("f1_s2x1", "one element, stride in height only", .floats = true), .in = DIMS(1, 7, 5, 6),
      .filter = { 1, 1 }, .stride = { 2, 1 } },
    { ROW("places90000", "90,000 places", LARGE), .in = DIMS(1, 300, 300, 3), .filter = { 2, 2 } },
    { ROW("rows70002", "batch times height is beyond 65,536", LARGE), .in = DIMS(35001, 2, 1, 3),
      .filter = { 2, 1 } },
    { ROW("nan", "NaN among the elements", .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM),
          VALUES(with_nan)),
      .in = DIMS(1, 5, 7, 5), .filter = { 2, 2 } },
    { ROW("nan_global", "one NaN in the whole image", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(1, 4, 3, 3), .filter = { 4, 3 }, .padding = VALID },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 5, 4, 5), .filter = { 2, 2 } },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "max_pool_2d"), .in = SPECIAL_DIMS,
      .filter = { 1, 2 } },
    { ROW("lanes_sum", LANES_SUM, .only = "average_pool_2d"), .in = SUM_DIMS, .filter = { 1, 2 } },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS, .filter = { 1, 2 } },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .in = END_DIMS, .filter = { 1, 2 } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 2, 1),
      .filter = { 1, 2 }, .padding = VALID },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .filter = { 2, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1),
      .filter = { 1, 2 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 2, 66001),
      .filter = { 1, 2 }, .padding = VALID },
    { ROW("f4099x1", "a window of 4,099 rows", LARGE_IN(SIZED), .ramp = 1),
      .in = DIMS(1, 4101, 1, 2), .filter = { 4099, 1 }, .padding = VALID },
    { ROW("f1x4099", "a window of 4,099 columns", LARGE_IN(SIZED), .ramp = 1),
      .in = DIMS(1, 1, 4101, 2), .filter = { 1, 4099 }, .padding = VALID },
    { ROW("f257x257", "a window of 66,049 places", .refused_by = "limits.turns", LARGE_IN(SIZED),
          .ramp = 1),
      .in = DIMS(1, 257, 258, 1), .filter = { 257, 257 }, .padding = VALID },
    { ROW("s4099", "strides of 4,099", LARGE_IN(SIZED)), .in = DIMS(1, 4100, 2, 2),
      .filter = { 1, 1 }, .stride = { 4099, 4099 }, .padding = VALID },
    /* Sums at the end of the range that pass 16 and 24 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPES_BYTES, 0), .only = "average_pool_2d"), .in = DIMS(1, 23, 24, 2),
      .filter = { 23, 23 }, .padding = VALID },
    { ROW("sum25", SUM_END(TYPES_BYTES, 0), .only = "average_pool_2d"), .in = DIMS(1, 364, 364, 1),
      .filter = { 364, 364 }, .padding = VALID },
    CHANNEL_LIST(ARGMAX_CHANNELS),
    { ARGMAX("c1", "one channel"), .in = DIMS(1, 4, 6, 1), .filter = { 2, 2 }, .padding = VALID },
    { ARGMAX("c3", "three channels"), .in = DIMS(1, 6, 4, 3), .filter = { 2, 2 },
      .padding = VALID },
    { ARGMAX("c5", "a slice and a channel"), .in = DIMS(1, 4, 4, 5), .filter = { 2, 2 } },
    { ARGMAX("c16", "whole slices"), .in = DIMS(1, 6, 8, 16), .filter = { 2, 2 } },
    { ARGMAX("c33", "33 channels"), .in = DIMS(1, 4, 4, 33), .filter = { 2, 2 } },
    { ARGMAX("k3x2", "columns of the window first, then rows"), .in = DIMS(1, 6, 6, 6),
      .filter = { 3, 2 }, .padding = VALID },
    { ARGMAX("k2x5", "a wide window"), .in = DIMS(1, 4, 10, 4), .filter = { 2, 5 } },
    { ARGMAX("k1x1", "windows of one element"), .in = DIMS(1, 3, 4, 5), .filter = { 1, 1 },
      .padding = VALID },
    { ARGMAX("batch3", "an odd batch"), .in = DIMS(3, 4, 6, 7), .filter = { 2, 2 },
      .padding = VALID },
    { ARGMAX("valid_odd", "VALID, elements that no window has"), .in = DIMS(1, 5, 7, 5),
      .filter = { 2, 2 }, .padding = VALID },
    { ARGMAX("same_odd", "SAME, windows that end behind the image"), .in = DIMS(1, 5, 7, 5),
      .filter = { 2, 2 } },
    { ARGMAX("same_k3", "SAME, windows that begin before the image"), .in = DIMS(1, 4, 7, 5),
      .filter = { 3, 3 } },
    { ARGMAX("ties", "of equal elements the first", .sets = SET_BIT(SET_RANDOM), VALUES(tied)),
      .in = DIMS(1, 6, 6, 5), .filter = { 3, 2 }, .padding = VALID },
    { ARGMAX("v", "every version of the op", .each_version = true), .in = DIMS(1, 4, 4, 6),
      .filter = { 2, 2 } },
    { ROW("indices", "the indices are results", .only = "max_pooling_with_argmax_2d"),
      .in = DIMS(1, 6, 6, 6), .filter = { 3, 2 }, .padding = VALID, .indices = true },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("same_f5", "5x5, as pyramids of scales have", REAL(TYPE_BIT(CASE_I8)),
          .only = "max_pool_2d"),
      .in = DIMS(1, 6, 6, 5), .filter = { 5, 5 } },
    { ROW("valid_f2_s2", "2x2, stride 2, VALID", REAL(TYPE_BIT(CASE_I8)), .only = "max_pool_2d"),
      .in = DIMS(1, 4, 4, 5), .filter = { 2, 2 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("valid_f16_s16", "16x16, stride 16, VALID", REAL(TYPE_BIT(CASE_F32)),
          .only = "average_pool_2d"),
      .in = DIMS(1, 16, 32, 3), .filter = { 16, 16 }, .stride = { 16, 16 }, .padding = VALID },
    /* SAME windows of the image's size, of which most reach over its edges: no means of it all. */
    { ROW("same_f1x17", "a window as wide as an image of one row", .only = "average_pool_2d"),
      .in = DIMS(1, 1, 17, 5), .filter = { 1, 17 } },
    { ROW("same_f17x1", "a window as high as an image of one column", .only = "average_pool_2d"),
      .in = DIMS(1, 17, 1, 5), .filter = { 17, 1 } },
    /* Windows with indices of more than a few elements. */
    { ARGMAX("width132002", "66,001 windows", LARGE_F32), .in = DIMS(1, 1, 132002, 1),
      .filter = { 1, 2 }, .padding = VALID },
    { ARGMAX("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 2, 1, 1),
      .filter = { 2, 1 }, .padding = VALID },
    { ARGMAX("channels66001", "66,001 channels", LARGE_F32), .in = DIMS(1, 2, 2, 66001),
      .filter = { 2, 2 }, .padding = VALID },
    { ARGMAX("k37x9_n2", "a window of 333 elements that begins before the image",
             .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 41, 20, 5), .filter = { 37, 9 } },
};

/* Both ops, of which one is judged. */
static void build_argmax(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t fh = r->filter.h, fw = r->filter.w;
    int32_t pool[] = { r->padding == VALID ? kTfLitePaddingValid : kTfLitePaddingSame,
                       fw,
                       fh,
                       fw,
                       fh,
                       kTfLiteActNone };
    const bool same = r->padding != VALID, judged = m->c->code == BUILTIN_MAX_UNPOOLING_2D;
    const struct shape small = DIMS(r->in.d[0], window_out(same, r->in.d[1], fh, fh, 1),
                                    window_out(same, r->in.d[2], fw, fw, 1), r->in.d[3]);
    const struct shape large = DIMS(small.d[0], small.d[1] * fh, small.d[2] * fw, small.d[3]);
    const struct fill any = { .terms = 1, .factors = 1 };
    const int x = case_input(m, "x", &r->in, &any);
    /* XNNPACK crashes where nobody reads the maxima. */
    const int out[] = {
        judged || r->indices ? case_output(m, "values", &small) : case_tensor(m, "values", &small),
        r->indices ? case_output(m, "indices", &small) : case_tensor(m, "indices", &small)
    };
    int op = builder_op(&m->builder, BUILTIN_MAX_POOLING_WITH_ARGMAX_2D, 1, NULL, 1, &x, 2, out);

    builder_custom_options(&m->builder, op, pool, sizeof pool);
    if (!judged)
        case_set_judged(m, op);
    if (r->indices)
        return;
    const int in[] = { judged ? case_input(m, "other", &small, &any) : out[0], out[1] };
    const int y = case_output(m, "y", &large);

    op = builder_op(&m->builder, BUILTIN_MAX_UNPOOLING_2D, 1, NULL, 2, in, 1, &y);
    pool[0] = kTfLitePaddingValid;
    builder_custom_options(&m->builder, op, pool, sizeof pool);
    if (judged)
        case_set_judged(m, op);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool same = r->padding != VALID;
    const int32_t sh = r->stride.h > 0 ? r->stride.h : 1, sw = r->stride.w > 0 ? r->stride.w : 1;
    const struct shape out = DIMS(r->in.d[0], window_out(same, r->in.d[1], r->filter.h, sh, 1),
                                  window_out(same, r->in.d[2], r->filter.w, sw, 1), r->in.d[3]);
    const struct fill fill = { .terms = (double)(r->filter.h * r->filter.w),
                               .factors = 1,
                               .pair = PAIR_OPPOSITE,
                               .axis = r->filter.w > 1 ? 2 : 1 };
    struct options options;
    int x;

    if (builtin_is_custom_row(m->c->code)) {
        build_argmax(m);
        return;
    }
    x = case_input(m, "x", &r->in, &fill);
    options_init(&options, OPTIONS_Pool2DOptions);
    options_set_int(&options, "padding", r->padding);
    options_set_int(&options, "stride_w", sw);
    options_set_int(&options, "stride_h", sh);
    options_set_int(&options, "filter_width", r->filter.w);
    options_set_int(&options, "filter_height", r->filter.h);
    options_set_int(&options, "fused_activation_function", r->activation);
    case_judged_op(m, &options, 1, &x, case_output(m, "y", &out));
}

/* ---- sweep: any two circumstances together ---- */

static const struct pairwise_level filters[] = {
    { "f1", 1, 1 }, { "f2", 2, 2 },   { "f3", 3, 3 },
    { "f5", 5, 5 }, { "f1x3", 1, 3 }, { "f4x2", 4, 2 },
};
enum { FILTER, STRIDE, PADDING, CHANNEL, BATCH, IMAGE, ACTIVATION };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(filters), AXIS_STRIDES, AXIS_PADDINGS,    AXIS_CHANNELS,
    AXIS_BATCHES,           AXIS_IMAGES,  AXIS_ACTIVATIONS,
};

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: window, stride, channels, batch, image",
                  .floats = p->index % 3 != 0 },
        .in = DIMS(level[BATCH]->x, level[IMAGE]->x, level[IMAGE]->y, level[CHANNEL]->x),
        .filter = { level[FILTER]->x, level[FILTER]->y },
        .stride = { level[STRIDE]->x, level[STRIDE]->y },
        .padding = level[PADDING]->x,
        .activation = level[ACTIVATION]->x,
    };

    if (r.activation == 3)
        r.base.scale = 6; /* both clamps of RELU6 */
    if (r.padding == VALID) {
        r.in.d[1] = window_at_least(r.in.d[1], r.filter.h);
        r.in.d[2] = window_at_least(r.in.d[2], r.filter.w);
    }
    return r;
}

/* ---- sweep: every window with every stride, in 8 bits ---- */

static size_t every_window(struct row *to, size_t position)
{
    const struct window_choice *const w = window_choices(false);

    (void)position; /* the rows have names of their own */
    for (size_t i = 0; i < WINDOW_CHOICES; i++)
        to[i] = (struct row){
            .base = { .name = w[i].name,
                      .why = "every window with every stride, for kernels of integers",
                      .types = w[i].type },
            .in = DIMS(1, w[i].image.h, w[i].image.w, w[i].channels),
            .filter = { w[i].kernel.h, w[i].kernel.w },
            .stride = { w[i].stride.h, w[i].stride.w },
            .padding = w[i].padding,
        };
    return WINDOW_CHOICES;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_FILL(every_window))
SUITE_SWEPT(pool, members, rows, build, sweep);
