/* SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: blocks of every size,
 * and margins of every side. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t block;         /* of ...DEPTH */
    int32_t blocks[2];     /* of H and W, of ...BATCH... */
    int32_t margins[2][2]; /* paddings or crops */
};

static bool add_depth(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const bool to_depth = call->member->code == BUILTIN_SPACE_TO_DEPTH;

    if (x.shape.rank != 4 ||
        (to_depth ? x.shape.d[1] % 2 != 0 || x.shape.d[2] % 2 != 0 : x.shape.d[3] % 4 != 0))
        return false;
    call->out.value = graph_add_space_to_depth(m, call->member->code, x, to_depth);
    return true;
}

#define MEMBER(name, code_, types_, ...)                                                           \
    {                                                                                              \
        .op = name, .code = code_, .version = 1, .sets = SETS_MOVE, .types = types_,               \
        .bound = { .kind = BOUND_BITS }, __VA_ARGS__                                               \
    }
enum {
    TYPES = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32),
    TYPES_ANY = TYPES | TYPE_BIT(CASE_HALF) | TYPE_BIT(CASE_BOOL)
};
static const struct suite_member members[] = {
    MEMBER("space_to_depth", BUILTIN_SPACE_TO_DEPTH, TYPES,
           .random = { .operands = RANDOM_ONE, .add = add_depth }),
    MEMBER("depth_to_space", BUILTIN_DEPTH_TO_SPACE, TYPES,
           .random = { .operands = RANDOM_ONE, .add = add_depth }),
    MEMBER("space_to_batch_nd", BUILTIN_SPACE_TO_BATCH_ND, TYPES_ANY, .bool_version = 1),
    MEMBER("batch_to_space_nd", BUILTIN_BATCH_TO_SPACE_ND, TYPES_ANY, .bool_version = 1),
};

/* An image in pixels of SPACE_TO_DEPTH, and its inverse. */
#define DEPTH(name, why, n, h, w, c, b)                                                            \
    { ROW(name, why, .only = "space_to_depth"), .in = DIMS(n, (h) * (b), (w) * (b), c),            \
      .block = (b) },                                                                              \
    {                                                                                              \
        ROW(name, why, .only = "depth_to_space"), .in = DIMS(n, h, w, (c) * (b) * (b)),            \
                                                  .block = (b)                                     \
    }
/* The image that is padded, and its inverse: the batch of the same blocks. */
#define BATCH(name, why, n, h, w, c, bh, bw, top, bottom, left, right)                             \
    { ROW(name, why, .only = "space_to_batch_nd"),                                                 \
      .in = DIMS(n, (h) * (bh) - (top) - (bottom), (w) * (bw) - (left) - (right), c),              \
      .blocks = { bh, bw }, .margins = { { top, bottom }, { left, right } } },                     \
    {                                                                                              \
        ROW(name, why, .only = "batch_to_space_nd"), .in = DIMS((n) * (bh) * (bw), h, w, c),       \
                                                     .blocks = { bh, bw }, .margins = {            \
                                                         { top, bottom },                          \
                                                         { left, right }                           \
                                                     }                                             \
    }
/* The same of [N,H,C]. */
#define BATCH3(name, why, n, h, c, bh, top, bottom)                                                \
    { ROW(name, why, .only = "space_to_batch_nd", .version = 3),                                   \
      .in = DIMS(n, (h) * (bh) - (top) - (bottom), c), .blocks = { bh },                           \
      .margins = { { top, bottom } } },                                                            \
    {                                                                                              \
        ROW(name, why, .only = "batch_to_space_nd", .version = 3), .in = DIMS((n) * (bh), h, c),   \
                                                                   .blocks = { bh }, .margins = {  \
                                                                       { top, bottom }             \
                                                                   }                               \
    }

static const struct row rows[] = {
    DEPTH("b2_c1", "one channel becomes a slice", 1, 2, 3, 1, 2),
    DEPTH("b2_c2", "pixels of two channels in two slices", 1, 2, 3, 2, 2),
    DEPTH("b2_c3", "pixels of three channels across slices", 1, 2, 3, 3, 2),
    DEPTH("b2_c4", "pixels of a whole slice", 1, 3, 2, 4, 2),
    DEPTH("b2_c5", "pixels of two slices, the second in part", 1, 2, 2, 5, 2),
    DEPTH("b2_c8", "pixels of two whole slices", 1, 2, 2, 8, 2),
    DEPTH("b3_c1", "blocks of nine pixels", 1, 2, 3, 1, 3),
    DEPTH("b3_c3", "blocks of nine pixels of three channels", 1, 2, 1, 3, 3),
    DEPTH("b4_c3", "an image as patches of four by four", 1, 2, 3, 3, 4),
    DEPTH("b4_c4", "patches of whole slices", 1, 1, 2, 4, 4),
    DEPTH("b1", "blocks of one pixel: nothing moves", 1, 2, 3, 5, 1),
    DEPTH("n2", "a batch of two", 2, 2, 3, 3, 2),
    DEPTH("n3_c4", "a batch of three", 3, 1, 2, 4, 2),
    DEPTH("one", "one block", 1, 1, 1, 3, 2),
    DEPTH("row", "a row of blocks", 1, 1, 7, 2, 2),
    DEPTH("n257", "more places than a workgroup has invocations", 1, 17, 16, 1, 2),
    { ROW("v", "every version of the op means the same", .only = "space_to_depth depth_to_space",
          .each_version = true),
      .in = DIMS(1, 2, 4, 8), .block = 2 },
    { ROW("empty", "no image at all", .only = "space_to_depth depth_to_space", EMPTY),
      .in = DIMS(0, 2, 4, 8), .block = 2 },
    { ROW("places90300", "90,300 places", .only = "space_to_depth", LARGE),
      .in = DIMS(1, 600, 602, 1), .block = 2 },

    BATCH("b2", "blocks of two by two", 1, 3, 2, 5, 2, 2, 0, 0, 0, 0),
    BATCH("b2_c4", "blocks of whole slices", 1, 2, 3, 4, 2, 2, 0, 0, 0, 0),
    BATCH("b2_margins", "a margin on every side", 1, 3, 4, 5, 2, 2, 1, 1, 1, 1),
    BATCH("b2_start", "margins above and on the left", 1, 3, 3, 3, 2, 2, 1, 0, 1, 0),
    BATCH("b2_end", "margins below and on the right", 1, 3, 3, 8, 2, 2, 0, 1, 0, 1),
    BATCH("b2_h", "margins above and below", 1, 3, 3, 5, 2, 2, 2, 1, 0, 0),
    BATCH("b2_w", "margins on the left and the right", 1, 3, 3, 5, 2, 2, 0, 0, 1, 2),
    BATCH("b4", "a dilated convolution of rate 4", 1, 3, 3, 6, 4, 4, 2, 3, 3, 2),
    BATCH("b2x3", "blocks that are no squares", 1, 2, 3, 5, 2, 3, 0, 1, 1, 1),
    BATCH("b1x2", "blocks of one row", 1, 3, 2, 5, 1, 2, 0, 0, 0, 0),
    BATCH("b3x1", "blocks of one column", 1, 2, 3, 5, 3, 1, 1, 0, 0, 0),
    BATCH("b1", "blocks of one pixel: nothing moves", 2, 2, 3, 5, 1, 1, 0, 0, 0, 0),
    BATCH("b1_margins", "margins alone", 2, 4, 5, 3, 1, 1, 1, 2, 1, 1),
    BATCH("n2", "a batch of two", 2, 2, 2, 5, 2, 2, 0, 0, 0, 0),
    BATCH("n3_margins", "a batch of three, with margins", 3, 2, 3, 4, 2, 2, 1, 0, 0, 1),
    BATCH("c1", "one channel", 1, 4, 4, 1, 2, 2, 1, 1, 0, 0),
    BATCH("wide_margins", "more margin than a block", 1, 4, 4, 3, 2, 2, 3, 2, 0, 5),
    BATCH3("rank3", "[N,H,C]", 1, 4, 5, 2, 0, 0),
    BATCH3("rank3_margins", "[N,H,C] with margins", 2, 4, 3, 3, 2, 1),
    BATCH3("rank3_c8", "[N,H,C] of whole slices", 1, 3, 8, 2, 1, 0),
    { ROW("v", "every version of the op means the same",
          .only = "space_to_batch_nd batch_to_space_nd", .each_version = true),
      .in = DIMS(4, 2, 4, 3), .blocks = { 2, 2 }, .margins = { { 0, 0 }, { 1, 1 } } },
    { ROW("half_max", "near the largest f16: moved as they are",
          .only = "space_to_batch_nd batch_to_space_nd", .scale = 1000, .offset = 6e4,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(4, 2, 4, 3), .blocks = { 2, 2 }, .margins = { { 0, 0 }, { 1, 1 } } },
    { ROW("empty", "no image at all", .only = "space_to_batch_nd batch_to_space_nd", EMPTY),
      .in = DIMS(0, 2, 4, 3), .blocks = { 2, 2 } },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "space_to_depth"), .in = SPECIAL_DIMS,
      .block = 2 },
    { ROW("lanes_special", LANES_SPECIAL, .only = "depth_to_space"), .in = DIMS(1, 5, 2, 24),
      .block = 2 },
    { ROW("lanes_special", LANES_SPECIAL, .only = "space_to_batch_nd"), .in = SPECIAL_DIMS,
      .blocks = { 2, 2 }, .margins = { { 0, 0 }, { 1, 1 } } },
    { ROW("lanes_special", LANES_SPECIAL, .only = "batch_to_space_nd"), .in = DIMS(4, 4, 3, 5),
      .blocks = { 2, 2 } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32, .only = "space_to_depth"),
      .in = DIMS(66001, 2, 2, 1), .block = 2 },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED), .only = "space_to_depth"),
      .in = DIMS(1, 132002, 2, 1), .block = 2 },
    { ROW("width66001", "a width of 66,001", LARGE_F32, .only = "space_to_depth"),
      .in = DIMS(1, 2, 132002, 1), .block = 2 },
    { ROW("channels66001", "66,001 channels", LARGE_F32, .only = "space_to_depth"),
      .in = DIMS(1, 2, 2, 66001), .block = 2 },
    { ROW("batch66001", "a batch of 66,001", LARGE_F32, .only = "depth_to_space"),
      .in = DIMS(66001, 1, 1, 4), .block = 2 },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED), .only = "depth_to_space"),
      .in = DIMS(1, 66001, 1, 4), .block = 2 },
    { ROW("width66001", "a width of 66,001", LARGE_F32, .only = "depth_to_space"),
      .in = DIMS(1, 1, 66001, 4), .block = 2 },
    { ROW("channels66004", "66,004 channels", LARGE_F32, .only = "depth_to_space"),
      .in = DIMS(1, 1, 1, 66004), .block = 2 },
    { ROW("batch66001", "a batch of 66,001", LARGE_F32, .only = "space_to_batch_nd"),
      .in = DIMS(66001, 2, 1, 1), .blocks = { 2, 1 } },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED), .only = "space_to_batch_nd"),
      .in = DIMS(1, 132002, 1, 1), .blocks = { 2, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32, .only = "space_to_batch_nd"),
      .in = DIMS(1, 1, 132002, 1), .blocks = { 1, 2 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED), .only = "space_to_batch_nd"),
      .in = DIMS(1, 2, 1, 66001), .blocks = { 2, 1 } },
    { ROW("batch66001", "a batch of 66,001", LARGE_F32, .only = "batch_to_space_nd"),
      .in = DIMS(132002, 1, 1, 1), .blocks = { 2, 1 } },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED), .only = "batch_to_space_nd"),
      .in = DIMS(2, 66001, 1, 1), .blocks = { 2, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32, .only = "batch_to_space_nd"),
      .in = DIMS(2, 1, 66001, 1), .blocks = { 1, 2 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED), .only = "batch_to_space_nd"),
      .in = DIMS(2, 1, 1, 66001), .blocks = { 2, 1 } },
};

static struct shape result_of(const struct case_builder *m, const struct row *r)
{
    struct shape out = r->in;
    const int32_t b = r->block;

    switch (m->c->code) {
    case BUILTIN_SPACE_TO_DEPTH:
        return (struct shape)DIMS(out.d[0], out.d[1] / b, out.d[2] / b, out.d[3] * b * b);
    case BUILTIN_DEPTH_TO_SPACE:
        return (struct shape)DIMS(out.d[0], out.d[1] * b, out.d[2] * b, out.d[3] / b / b);
    default: break;
    }
    for (int d = 1; d < out.rank - 1; d++) {
        const int32_t size = r->blocks[d - 1];
        const int32_t margins = r->margins[d - 1][0] + r->margins[d - 1][1];

        if (m->c->code == BUILTIN_SPACE_TO_BATCH_ND) {
            out.d[0] *= size;
            out.d[d] = (out.d[d] + margins) / size;
        } else {
            out.d[0] /= size;
            out.d[d] = out.d[d] * size - margins;
        }
    }
    return out;
}

static void build(struct case_builder *m)
{
    static const uint8_t tags[] = { OPTIONS_SpaceToBatchNDOptions, OPTIONS_BatchToSpaceNDOptions,
                                    OPTIONS_SpaceToDepthOptions, OPTIONS_DepthToSpaceOptions };
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const int32_t spatial = r->in.rank - 2, code = m->c->code;
    const struct shape vector = DIMS(spatial), table = DIMS(spatial, 2), out = result_of(m, r);
    const bool depth = code == BUILTIN_SPACE_TO_DEPTH || code == BUILTIN_DEPTH_TO_SPACE;
    const bool back = code == BUILTIN_DEPTH_TO_SPACE || code == BUILTIN_BATCH_TO_SPACE_ND;
    struct options options;
    int in[3];

    options_init(&options, tags[2 * depth + back]);
    in[0] = case_input(m, "x", &r->in, &any);
    if (depth) {
        options_set_int(&options, "block_size", r->block);
    } else {
        in[1] = case_constant_i32(m, "block_shape", &vector, r->blocks);
        in[2] = case_constant_i32(m, back ? "crops" : "paddings", &table, &r->margins[0][0]);
    }
    case_judged_op(m, &options, depth ? 1 : 3, in, case_output(m, "y", &out));
}

SUITE(space_to_depth, members, rows, build);
