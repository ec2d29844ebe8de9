/* PAD, PADV2 and MIRROR_PAD: every axis alone and together, pads that move channels across slices,
 * ranks 1-5. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <float.h>

#include <assert.h>

struct row {
    struct op_case base;
    struct shape in;
    int32_t pads[SHAPE_RANK_MAX][2]; /* before, after */
    bool longs;                      /* paddings are int64 */
    bool symmetric;                  /* MIRROR_PAD: the end of the input is repeated */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    static const struct {
        int32_t around, channels;
    } menu[] = { { 1, 0 }, { 0, 1 }, { 1, 2 } };
    const uint32_t i = random_choice(call, 0, sizeof menu / sizeof menu[0]);

    if (call->in[0].value.shape.rank != 4)
        return false;
    call->out.value = graph_add_pad(m, call->in[0].value, menu[i].around, menu[i].channels);
    return true;
}

static bool add_mirrored(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;

    if (x.shape.rank != 4 || x.shape.d[1] < 2 || x.shape.d[2] < 2)
        return false;
    call->out.value = graph_add_mirror_pad(m, x, 1, random_choice(call, 0, 2));
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("pad", PAD, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("padv2", PADV2, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS }, .draws_apart = true },
    { SUITE_OP("mirror_pad", MIRROR_PAD, 1),
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS }, .random = { .operands = RANDOM_ONE, .add = add_mirrored } },
};

#define PADS(...)   .pads = { __VA_ARGS__ }
#define ZEROS(...)  ROW(__VA_ARGS__, .only = "pad")
#define OTHERS(...) ROW(__VA_ARGS__, .only = "padv2 mirror_pad")
#define MIRROR      .only = "mirror_pad"

/* Pads rows and columns of an image; channels stay. */
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ZEROS("c" #c, "channels in slices of four"), .in = DIMS(1, 2, 3, c), .pads = {             \
            { 0, 0 },                                                                              \
            { 1, 0 },                                                                              \
            { 0, 2 },                                                                              \
            { 0, 0 }                                                                               \
        }                                                                                          \
    }
/* Pads channels only: each one moves to another lane. */
#define LANES(name, c, before, after)                                                              \
    {                                                                                              \
        ZEROS(name, "channels move between lanes"), .in = DIMS(1, 2, 2, c), .pads = {              \
            { 0, 0 },                                                                              \
            { 0, 0 },                                                                              \
            { 0, 0 },                                                                              \
            { before, after }                                                                      \
        }                                                                                          \
    }

static const float least[] = { -FLT_MAX };
static const int32_t lowest[] = { INT32_MIN };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    LANES("c1_to4", 1, 1, 2),
    LANES("c3_to4", 3, 0, 1),
    LANES("c3_shift1", 3, 1, 0),
    LANES("c4_shift1", 4, 1, 0),
    LANES("c4_to5", 4, 0, 1),
    LANES("c5_shift3", 5, 3, 0),
    LANES("c5_shift4", 5, 4, 0),
    LANES("c6_both", 6, 2, 3),
    LANES("c7_odd", 7, 5, 9),
    LANES("c16_half", 16, 8, 8),
    LANES("c33_shift2", 33, 2, 1),
    { ZEROS("hw1", "one pixel all round, as before a convolution"), .in = DIMS(1, 4, 4, 8),
      .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("hw_end", "bottom and right only, as converters emit for stride 2"),
      .in = DIMS(1, 5, 5, 3), .pads = { { 0, 0 }, { 0, 1 }, { 0, 1 }, { 0, 0 } } },
    { ZEROS("hw_start", "top and left only"), .in = DIMS(1, 5, 5, 3),
      .pads = { { 0, 0 }, { 1, 0 }, { 1, 0 }, { 0, 0 } } },
    { ZEROS("h_only", "rows only"), .in = DIMS(1, 3, 4, 5),
      .pads = { { 0, 0 }, { 2, 1 }, { 0, 0 }, { 0, 0 } } },
    { ZEROS("w_only", "columns only"), .in = DIMS(1, 3, 4, 5),
      .pads = { { 0, 0 }, { 0, 0 }, { 1, 2 }, { 0, 0 } } },
    { ZEROS("batch_only", "whole images of zeros", .gap = GAP_BATCH), .in = DIMS(2, 2, 3, 5),
      .pads = { { 1, 2 }, { 0, 0 }, { 0, 0 }, { 0, 0 } } },
    { ZEROS("all", "every axis, all different"), .in = DIMS(2, 3, 2, 5),
      .pads = { { 1, 0 }, { 0, 2 }, { 3, 1 }, { 1, 2 } } },
    { ZEROS("none", "nothing is added"), .in = DIMS(1, 3, 3, 5),
      .pads = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } } },
    { ZEROS("more_than_image", "more padding than image"), .in = DIMS(1, 1, 1, 2),
      .pads = { { 0, 0 }, { 7, 5 }, { 3, 9 }, { 0, 0 } } },
    { ZEROS("batch2", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(2, 3, 3, 4),
      .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("batch3_c5", "a batch of more than one image, channels that do not fill a slice",
            .gap = GAP_BATCH),
      .in = DIMS(3, 2, 2, 5), .pads = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 0 } } },
    { ZEROS("batch7", "an odd batch", .gap = GAP_BATCH), .in = DIMS(7, 1, 2, 3),
      .pads = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 0, 0 } } },
    { ZEROS("rank1", "a vector", .gap = GAP_RANK), .in = DIMS(5), .pads = { { 2, 1 } } },
    { ZEROS("rank1_one", "a vector of one", .gap = GAP_RANK), .in = DIMS(1), .pads = { { 0, 3 } } },
    { ZEROS("rank2", "a matrix", .gap = GAP_RANK), .in = DIMS(3, 5),
      .pads = { { 1, 0 }, { 0, 2 } } },
    { ZEROS("rank2_wide", "a matrix, columns over a workgroup", .gap = GAP_RANK),
      .in = DIMS(2, 255), .pads = { { 0, 1 }, { 1, 1 } } },
    { ZEROS("rank3", "[B, T, C]", .gap = GAP_RANK), .in = DIMS(2, 3, 5),
      .pads = { { 0, 0 }, { 1, 2 }, { 0, 1 } } },
    { ZEROS("rank3_b", "rank 3, first axis too", .gap = GAP_RANK), .in = DIMS(2, 3, 4),
      .pads = { { 1, 1 }, { 0, 1 }, { 2, 0 } } },
    { ZEROS("rank5", "five dimensions", .gap = GAP_RANK, .version = 4), .in = DIMS(1, 2, 3, 2, 5),
      .pads = { { 0, 1 }, { 1, 0 }, { 0, 0 }, { 1, 1 }, { 0, 2 } } },
    { ZEROS("rank5_spatial", "five dimensions, three of them padded", .gap = GAP_RANK,
            .version = 4),
      .in = DIMS(1, 2, 2, 3, 4), .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("pixels257", "one pixel more than a workgroup has invocations"),
      .in = DIMS(1, 1, 255, 3), .pads = { { 0, 0 }, { 0, 0 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 11, 13, 7),
      .pads = { { 0, 0 }, { 3, 3 }, { 2, 2 }, { 0, 0 } } },
    { ZEROS("int64", "paddings of 64 bits"), .in = DIMS(1, 3, 3, 5),
      .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } }, .longs = true },
    { ZEROS("half_max", "near the largest f16: moved as they are", .gap = GAP_HALF_RANGE,
            .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5), .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 2, 6), .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("version", "newer converters write higher versions of the op", .each_version = true,
            .gap = GAP_VERSION),
      .in = DIMS(1, 2, 2, 6), .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ZEROS("places91506", "91,506 places", LARGE), .in = DIMS(1, 300, 301, 3),
      .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("rows70002", "rows beyond 65,536", LARGE), .in = DIMS(70000, 3),
      .pads = { { 1, 1 }, { 0, 2 } } },
    { ZEROS("rank5_outer", "whole volumes of zeros before and after the first dimension",
            .gap = GAP_RANK, .version = 4, .floats = true),
      .in = DIMS(2, 2, 3, 2, 5), .pads = { { 2, 1 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } } },
    { ZEROS("full_mantissas", "numbers that f16 rounds", .types = TYPE_BIT(CASE_F32),
            .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(1, 5, 5, 13), .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    /* A dimension of 0. */
    { ZEROS("empty_batch", "no image at all: none is padded", EMPTY), .in = DIMS(0, 3, 2, 5),
      .pads = { { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 } } },
    { ZEROS("empty_filled", "no row at all: the result is padding alone", EMPTY),
      .in = DIMS(1, 0, 2, 5), .pads = { { 0, 0 }, { 1, 2 }, { 1, 1 }, { 0, 0 } } },
    { OTHERS("image_c1", "rows and columns of an image"), .in = DIMS(1, 3, 4, 1),
      PADS({ 0, 0 }, { 1, 0 }, { 0, 2 }, { 0, 0 }) },
    { OTHERS("image_c4", "rows and columns of an image"), .in = DIMS(1, 3, 4, 4),
      PADS({ 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 }) },
    { OTHERS("image_c5", "rows and columns of an image, a slice with one lane"),
      .in = DIMS(1, 3, 4, 5), PADS({ 0, 0 }, { 2, 1 }, { 1, 2 }, { 0, 0 }) },
    { OTHERS("reflect3", "as style transfer does: three around"), .in = DIMS(1, 5, 6, 3),
      PADS({ 0, 0 }, { 3, 3 }, { 3, 3 }, { 0, 0 }) },
    { OTHERS("channels_before", "channels move by one lane"), .in = DIMS(1, 2, 2, 5),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 1, 0 }) },
    { OTHERS("channels_behind", "channels are added behind"), .in = DIMS(1, 2, 2, 6),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 3 }) },
    { OTHERS("channels_4", "channels move by a slice"), .in = DIMS(1, 2, 2, 8),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 4, 4 }) },
    { OTHERS("channels_7", "channels move by a slice and three lanes"), .in = DIMS(1, 2, 2, 9),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 7, 2 }) },
    { OTHERS("batch", "images are added"), .in = DIMS(2, 2, 3, 4),
      PADS({ 1, 1 }, { 0, 0 }, { 0, 0 }, { 0, 0 }) },
    { OTHERS("all", "every dimension"), .in = DIMS(2, 3, 2, 5),
      PADS({ 1, 0 }, { 2, 1 }, { 1, 1 }, { 3, 2 }) },
    { OTHERS("all_longs", "paddings of i64"), .in = DIMS(2, 3, 2, 5),
      PADS({ 1, 1 }, { 1, 2 }, { 1, 0 }, { 1, 4 }), .longs = true },
    { OTHERS("none", "nothing is added"), .in = DIMS(1, 3, 2, 5),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }) },
    { OTHERS("rank1", "a vector"), .in = DIMS(7), PADS({ 2, 3 }) },
    { OTHERS("rank2", "a matrix"), .in = DIMS(3, 5), PADS({ 1, 1 }, { 2, 1 }) },
    { OTHERS("rank3", "[B, T, C]"), .in = DIMS(2, 5, 3), PADS({ 0, 1 }, { 2, 2 }, { 1, 0 }) },
    { ROW("rank5", "five dimensions", .only = "padv2", .version = 4), .in = DIMS(2, 2, 3, 2, 5),
      PADS({ 0, 1 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 1, 2 }) },
    { ROW("rank5", "five dimensions", MIRROR), .in = DIMS(2, 2, 3, 2, 5),
      PADS({ 0, 1 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 1, 2 }) },
    { ROW("sym_image", "the end is repeated", MIRROR), .in = DIMS(1, 3, 4, 5),
      PADS({ 0, 0 }, { 3, 2 }, { 4, 1 }, { 0, 0 }), .symmetric = true },
    { ROW("sym_channels", "the end is repeated, channels move", MIRROR), .in = DIMS(1, 2, 2, 6),
      PADS({ 0, 0 }, { 0, 0 }, { 2, 0 }, { 5, 6 }), .symmetric = true },
    { ROW("sym_all", "the end is repeated in every dimension", MIRROR), .in = DIMS(2, 3, 2, 5),
      PADS({ 1, 2 }, { 3, 1 }, { 2, 2 }, { 3, 5 }), .symmetric = true },
    { ROW("sym_one", "a dimension of one is repeated", MIRROR), .in = DIMS(1, 1, 3, 4),
      PADS({ 1, 1 }, { 1, 0 }, { 0, 0 }, { 0, 0 }), .symmetric = true },
    { ROW("sym_rank1", "a vector", MIRROR), .in = DIMS(5), PADS({ 5, 4 }), .symmetric = true },
    { ROW("reflect_most", "as much as can be mirrored", MIRROR), .in = DIMS(1, 4, 3, 5),
      PADS({ 0, 0 }, { 3, 3 }, { 2, 2 }, { 4, 4 }) },
    { OTHERS("v", "every version of the op means the same", .each_version = true),
      .in = DIMS(1, 3, 3, 5), PADS({ 0, 0 }, { 1, 2 }, { 2, 1 }, { 0, 0 }) },
    { ROW("empty_batch", "no image at all", .only = "padv2", EMPTY), .in = DIMS(0, 3, 2, 5),
      PADS({ 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 }) },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS,
      .pads = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 2 } } },
    { ROW("value_lowest", "padding with the lowest number", .only = "padv2",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), .values_of = 1, VALUES(least)),
      .in = DIMS(1, 3, 2, 5), .pads = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 2 } } },
    { ROW("value_lowest", "padding with the lowest integer", .only = "padv2", .types = END_TYPES,
          .sets = SET_BIT(SET_RANDOM), .values_of = 1, INTEGERS(lowest)),
      .in = DIMS(1, 3, 2, 5), .pads = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 2 } } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1),
      PADS({ 1, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }) },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      PADS({ 0, 0 }, { 1, 0 }, { 0, 0 }, { 0, 0 }) },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1),
      PADS({ 0, 0 }, { 0, 0 }, { 1, 0 }, { 0, 0 }) },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 1, 66001),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 1, 0 }) },
    { ROW("rows66001", "channels of 66,001 rows get one more on each side", LARGE_F32),
      .in = DIMS(1, 66001, 1, 3), PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 1, 1 }) },
    { ROW("no_scale", WITHOUT_SCALES, .only = "pad"), .in = DIMS(3, 5), PADS({ 1, 0 }, { 0, 2 }) },
};

/* The value of PADV2: a constant with the type, and in 8 bits the scale and zero point, of x. */
static int constant_value(struct case_builder *m, int x)
{
    const struct shape scalar = SCALAR;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct case_scale *info;
    const uint8_t byte = 37;
    int value;

    if (!m->c->quantized)
        return case_constant(m, "value", &scalar, &any);
    if (m->status != STATUS_OK || !(info = case_scale_of(m, x)))
        return -1;
    value = builder_constant(&m->builder, m->c->type, "value", 0, NULL, &byte, sizeof byte);
    case_set_scale(m, value, m->c->type, info->scale, info->zero);
    return value;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool mirrors = m->c->code == BUILTIN_MIRROR_PAD, valued = m->c->code == BUILTIN_PADV2;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape rows_of_two = DIMS(r->in.rank, 2);
    struct shape out = r->in;
    struct options options;
    int in[3] = { 0, 0, -1 };

    for (int d = 0; d < out.rank; d++)
        out.d[d] += r->pads[d][0] + r->pads[d][1];
    options_init(&options, mirrors  ? OPTIONS_MirrorPadOptions
                           : valued ? OPTIONS_PadV2Options
                                    : OPTIONS_PadOptions);
    if (mirrors)
        options_set_int(&options, "mode", r->symmetric);
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] =
        (r->longs ? case_constant_i64 : case_constant_i32)(m, "paddings", &rows_of_two, r->pads[0]);
    if (valued)
        in[2] = constant_value(m, in[0]);
    case_judged_op(m, &options, valued ? 3 : 2, in, case_output(m, "y", &out));
}

/* ---- sweep: pads of any two dimensions together, for any count of channels ---- */

static const struct pairwise_level pads[] = {
    { "00", 0, 0 }, { "10", 1, 0 }, { "02", 0, 2 }, { "31", 3, 1 }
};
static const struct pairwise_level images[] = { { "i1", 1, 1 },
                                                { "i2x3", 2, 3 },
                                                { "i5x2", 5, 2 } };
static const struct pairwise_level integers[] = { { "", false, 0 }, { "int64", true, 0 } };
enum { PADS_N, PADS_H, PADS_W, PADS_C, CHANNEL, BATCH, IMAGE, INTEGERS };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(pads), PAIRWISE_AXIS(pads), PAIRWISE_AXIS(pads),   PAIRWISE_AXIS(pads),
    AXIS_CHANNELS,       AXIS_BATCHES,        PAIRWISE_AXIS(images), PAIRWISE_AXIS(integers),
};

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    struct row r = {
        .base = { .name = p->name,
                  .only = "pad",
                  .why = "pairwise: before and after each dimension, channels",
                  .types = ONE_IN_FOUR_TYPES(p->position) },
        .in = DIMS(level[BATCH]->x, level[IMAGE]->x, level[IMAGE]->y, level[CHANNEL]->x),
        .longs = level[INTEGERS]->x,
    };

    for (int i = PADS_N; i <= PADS_C; i++) {
        r.pads[i][0] = level[i]->x;
        r.pads[i][1] = level[i]->y;
    }
    return r;
}

/* The sweeps of ranks 1 to 3 and 5 use the first axes, one for each dimension. */
static const struct pairwise_axis dims_axes[] = {
    PAIRWISE_AXIS(pads), PAIRWISE_AXIS(pads), PAIRWISE_AXIS(pads),
    PAIRWISE_AXIS(pads), PAIRWISE_AXIS(pads),
};

static struct row rank_row(const struct pairwise_row *p)
{
    static const int32_t extents[] = { 5, 2, 3, 1, 2 }; /* from the last */
    const int rank = (int)p->axis_count;
    struct row r = {
        .base = { .name = p->name,
                  .only = "pad",
                  .why = "pairwise: before and after each dimension of ranks 2, 3 and 5",
                  .version = rank > 4 ? 4 : 1,
                  .types = ONE_IN_FOUR_TYPES(p->position) },
        .in.rank = rank,
    };

    for (int i = 0; i < rank; i++) {
        r.in.d[i] = extents[rank - 1 - i];
        r.pads[i][0] = p->level[i]->x;
        r.pads[i][1] = p->level[i]->y;
    }
    return r;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART_OF(rank_row, dims_axes, 2),
            SWEEP_PART_OF(rank_row, dims_axes, 3), SWEEP_PART_OF(rank_row, dims_axes, 5))
SUITE_SWEPT(pad, members, rows, build, sweep);
