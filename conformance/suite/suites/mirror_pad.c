/* PADV2 and MIRROR_PAD: every axis alone and together, pads that move channels across slices. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t pads[SHAPE_RANK_MAX][2]; /* before, after */
    bool longs;                      /* paddings are int64 */
    bool symmetric;                  /* MIRROR_PAD: the end of the input is repeated */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;

    if (x.shape.rank != 4 || x.shape.d[1] < 2 || x.shape.d[2] < 2)
        return false;
    call->out.value = graph_add_mirror_pad(m, x, 1, random_choice(call, 0, 2));
    return true;
}

static const struct suite_member members[] = {
    { .op = "padv2",
      .code = BUILTIN_PADV2,
      .version = 1,
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
    { .op = "mirror_pad",
      .code = BUILTIN_MIRROR_PAD,
      .version = 1,
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define PADS(...) .pads = { __VA_ARGS__ }
#define MIRROR    .only = "mirror_pad"

static const struct row rows[] = {
    { ROW("image_c1", "rows and columns of an image"), .in = DIMS(1, 3, 4, 1),
      PADS({ 0, 0 }, { 1, 0 }, { 0, 2 }, { 0, 0 }) },
    { ROW("image_c4", "rows and columns of an image"), .in = DIMS(1, 3, 4, 4),
      PADS({ 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 }) },
    { ROW("image_c5", "rows and columns of an image, a slice with one lane"),
      .in = DIMS(1, 3, 4, 5), PADS({ 0, 0 }, { 2, 1 }, { 1, 2 }, { 0, 0 }) },
    { ROW("reflect3", "as style transfer does: three around"), .in = DIMS(1, 5, 6, 3),
      PADS({ 0, 0 }, { 3, 3 }, { 3, 3 }, { 0, 0 }) },
    { ROW("channels_before", "channels move by one lane"), .in = DIMS(1, 2, 2, 5),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 1, 0 }) },
    { ROW("channels_behind", "channels are added behind"), .in = DIMS(1, 2, 2, 6),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 3 }) },
    { ROW("channels_4", "channels move by a slice"), .in = DIMS(1, 2, 2, 8),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 4, 4 }) },
    { ROW("channels_7", "channels move by a slice and three lanes"), .in = DIMS(1, 2, 2, 9),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 7, 2 }) },
    { ROW("batch", "images are added"), .in = DIMS(2, 2, 3, 4),
      PADS({ 1, 1 }, { 0, 0 }, { 0, 0 }, { 0, 0 }) },
    { ROW("all", "every dimension"), .in = DIMS(2, 3, 2, 5),
      PADS({ 1, 0 }, { 2, 1 }, { 1, 1 }, { 3, 2 }) },
    { ROW("all_longs", "paddings of i64"), .in = DIMS(2, 3, 2, 5),
      PADS({ 1, 1 }, { 1, 2 }, { 1, 0 }, { 1, 4 }), .longs = true },
    { ROW("none", "nothing is added"), .in = DIMS(1, 3, 2, 5),
      PADS({ 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }) },
    { ROW("rank1", "a vector"), .in = DIMS(7), PADS({ 2, 3 }) },
    { ROW("rank2", "a matrix"), .in = DIMS(3, 5), PADS({ 1, 1 }, { 2, 1 }) },
    { ROW("rank3", "[B, T, C]"), .in = DIMS(2, 5, 3), PADS({ 0, 1 }, { 2, 2 }, { 1, 0 }) },
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
    { ROW("v", "every version of the op means the same", .each_version = true),
      .in = DIMS(1, 3, 3, 5), PADS({ 0, 0 }, { 1, 2 }, { 2, 1 }, { 0, 0 }) },
    { ROW("empty_batch", "no image at all", .only = "padv2", EMPTY), .in = DIMS(0, 3, 2, 5),
      PADS({ 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 }) },
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
    const bool mirrors = m->c->code == BUILTIN_MIRROR_PAD;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape rows_of_two = DIMS(r->in.rank, 2);
    struct shape out = r->in;
    struct options options;
    int in[3] = { 0, 0, -1 };

    for (int d = 0; d < out.rank; d++)
        out.d[d] += r->pads[d][0] + r->pads[d][1];
    options_init(&options, mirrors ? OPTIONS_MirrorPadOptions : OPTIONS_PadV2Options);
    if (mirrors)
        options_set_int(&options, "mode", r->symmetric);
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] =
        (r->longs ? case_constant_i64 : case_constant_i32)(m, "paddings", &rows_of_two, r->pads[0]);
    if (!mirrors)
        in[2] = constant_value(m, in[0]);
    case_judged_op(m, &options, mirrors ? 2 : 3, in, case_output(m, "y", &out));
}

SUITE(mirror_pad, members, rows, build);
