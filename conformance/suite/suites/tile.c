/* TILE and BROADCAST_TO: every dimension repeated, channels that are repeated inside a slice. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t to[SHAPE_RANK_MAX]; /* multiples of TILE, or the shape of BROADCAST_TO */
    int32_t rank;               /* of that shape; 0: the input's */
    bool wide;                  /* they are int64 */
    bool shaped;                /* of a constant, by the shape of an input */
};

static bool add_tile(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int axis = x.shape.rank - 1 - (int)random_choice(call, 0, 3);

    if (axis < 0 || shape_elements(&x.shape) > 2000)
        return false;
    call->out.value = graph_add_tile(m, x, axis, 2 + (int32_t)random_choice(call, 1, 2));
    return true;
}

#define TYPES (TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE)
static const struct suite_member members[] = {
    { SUITE_OP("tile", TILE, 1), .types = TYPES, .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_tile } },
    { SUITE_OP("broadcast_to", BROADCAST_TO, 2), .types = TYPES, .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define TILE(name, why, shape, times, ...)                                                         \
    {                                                                                              \
        ROW(name, why, .only = "tile", __VA_ARGS__), .in = shape, .to = times                      \
    }
#define BROADCAST(name, why, shape, to_, ...)                                                      \
    {                                                                                              \
        ROW(name, why, .only = "broadcast_to", __VA_ARGS__),                                       \
            .in = shape, .to = to_, .rank = sizeof((const int32_t[])to_) / sizeof(int32_t)         \
    }

static const struct row rows[] = {
    TILE("channels", "channels of less than a slice", DIMS(1, 2, 3, 3), LIST(1, 1, 1, 2),
         .types = 0),
    TILE("channels_5", "channels across slices", DIMS(1, 2, 3, 5), LIST(1, 1, 1, 3), .types = 0),
    TILE("channels_4", "whole slices", DIMS(1, 2, 3, 4), LIST(1, 1, 1, 3), .types = 0),
    TILE("channel", "one channel becomes nine", DIMS(1, 2, 3, 1), LIST(1, 1, 1, 9), .types = 0),
    TILE("columns", "columns", DIMS(1, 2, 3, 5), LIST(1, 1, 2, 1), .types = 0),
    TILE("rows", "rows of an image", DIMS(1, 2, 3, 8), LIST(1, 3, 1, 1), .types = 0),
    TILE("batch", "images", DIMS(2, 2, 3, 5), LIST(2, 1, 1, 1), .types = 0),
    TILE("pixel", "a pixel to an image", DIMS(1, 1, 1, 6), LIST(1, 4, 5, 1), .types = 0),
    TILE("image", "rows and columns", DIMS(1, 2, 3, 5), LIST(1, 2, 3, 1), .types = 0),
    TILE("all", "every dimension", DIMS(2, 2, 3, 5), LIST(2, 3, 2, 2), .types = 0),
    TILE("ones", "nothing is repeated", DIMS(2, 3, 5), LIST(1, 1, 1), .types = 0),
    TILE("vector", "a vector", DIMS(6), LIST(4), .types = 0),
    TILE("matrix", "a matrix in both directions", DIMS(3, 7), LIST(2, 3), .types = 0),
    TILE("rank3", "rank 3", DIMS(2, 1, 5), LIST(1, 7, 1), .types = 0),
    TILE("rank5", "five dimensions", DIMS(1, 2, 2, 1, 3), LIST(2, 1, 2, 3, 2), .types = 0),
    TILE("rank6", "every one of six dimensions", DIMS(2, 2, 2, 2, 2, 3), LIST(2, 2, 2, 2, 2, 2),
         .types = 0),
    TILE("rank8", "eight dimensions", DIMS(2, 1, 2, 1, 2, 1, 2, 3), LIST(1, 2, 2, 1, 2, 2, 1, 2),
         .types = 0),
    TILE("n257", "more places than a workgroup has invocations", DIMS(1, 3), LIST(257, 1),
         .types = 0),
    TILE("v", "every version of the op means the same", DIMS(2, 5), LIST(2, 2),
         .each_version = true),
    TILE("half_max", "near the largest f16: moved as they are", DIMS(2, 7), LIST(2, 2),
         .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
    TILE("places90300", "90,300 places", DIMS(1, 150, 301, 3), LIST(1, 2, 1, 1), LARGE),
    TILE("empty", "repeated 0 times", DIMS(2, 3), LIST(2, 0), EMPTY),
    { ROW("wide", "multiples of 64 bits", .only = "tile"), .in = DIMS(2, 3, 5), .to = { 2, 1, 2 },
      .wide = true },

    BROADCAST("channel", "one channel becomes five", DIMS(2, 3, 1), LIST(2, 3, 5), .types = 0),
    BROADCAST("columns", "one column", DIMS(2, 1, 5), LIST(2, 4, 5), .types = 0),
    BROADCAST("rows", "one row", DIMS(1, 3, 8), LIST(4, 3, 8), .types = 0),
    BROADCAST("pixel", "a pixel to an image", DIMS(1, 1, 1, 6), LIST(1, 4, 5, 6), .types = 0),
    BROADCAST("outer", "new dimensions in front", DIMS(3, 5), LIST(2, 4, 3, 5), .types = 0),
    BROADCAST("outer_ones", "new dimensions of 1", DIMS(3, 5), LIST(1, 1, 3, 5), .types = 0),
    BROADCAST("vector", "a vector to rows", DIMS(6), LIST(4, 6), .types = 0),
    BROADCAST("scalar", "a scalar to a matrix", SCALAR, LIST(3, 7), .types = 0),
    BROADCAST("one", "one element to an image", DIMS(1), LIST(1, 3, 2, 5), .types = 0),
    BROADCAST("same", "the shape that it has", DIMS(2, 3, 5), LIST(2, 3, 5), .types = 0),
    BROADCAST("outer_product", "a column to a matrix, with a batch", DIMS(1, 7, 1), LIST(3, 7, 9),
              .types = 0),
    BROADCAST("alternating", "every other dimension", DIMS(1, 3, 1, 5), LIST(2, 3, 4, 5),
              .types = 0),
    BROADCAST("alternating_c", "the other ones", DIMS(2, 1, 4, 1), LIST(2, 3, 4, 5), .types = 0),
    BROADCAST("rank5", "five dimensions", DIMS(2, 1, 3, 1, 5), LIST(2, 2, 3, 2, 5), .types = 0),
    BROADCAST("rank8", "eight dimensions", DIMS(2, 1, 2, 1, 2, 1, 3), LIST(1, 2, 2, 2, 2, 2, 2, 3),
              .types = 0),
    BROADCAST("n257", "more places than a workgroup has invocations", DIMS(1, 3), LIST(257, 3),
              .types = 0),
    BROADCAST("v", "every version of the op means the same", DIMS(2, 1), LIST(2, 5),
              .each_version = true),
    BROADCAST("half_max", "near the largest f16: moved as they are", DIMS(2, 1, 7), LIST(2, 3, 7),
              .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
    BROADCAST("empty", "to a dimension of 0", DIMS(2, 1, 3), LIST(2, 0, 3), EMPTY),
    { ROW("wide", "a shape of 64 bits", .only = "broadcast_to"), .in = DIMS(3, 1),
      .to = { 2, 3, 5 }, .rank = 3, .wide = true },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "tile"), .in = SPECIAL_DIMS,
      .to = { 1, 1, 1, 2 } },
    { ROW("lanes_special", LANES_SPECIAL, .only = "broadcast_to"), .in = SPECIAL_DIMS,
      .to = { 2, 8, 6, 5 }, .rank = 4 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    TILE("batch66001", "a batch of 66,001", DIMS(66001, 1, 1, 1), LIST(1, 1, 1, 2), LARGE_F32),
    TILE("height66001", "a height of 66,001", DIMS(1, 66001, 1, 1), LIST(1, 1, 1, 2),
         LARGE_IN(SIZED)),
    TILE("width66001", "a width of 66,001", DIMS(1, 1, 66001, 1), LIST(1, 1, 1, 2), LARGE_F32),
    TILE("channels66001", "66,001 channels", DIMS(1, 66001), LIST(2, 1), LARGE_IN(SIZED)),
    TILE("times66001", "66,001 times", DIMS(1, 2), LIST(66001, 1), LARGE_F32),
    BROADCAST("batch66001", "a batch of 66,001", DIMS(66001, 1, 1, 1), LIST(66001, 1, 1, 2),
              LARGE_F32),
    BROADCAST("height66001", "a height of 66,001", DIMS(1, 66001, 1, 1), LIST(1, 66001, 1, 2),
              LARGE_IN(SIZED)),
    BROADCAST("width66001", "a width of 66,001", DIMS(1, 1, 66001, 1), LIST(1, 1, 66001, 2),
              LARGE_F32),
    BROADCAST("channels66001", "66,001 channels", DIMS(1, 66001), LIST(2, 66001), LARGE_IN(SIZED)),
    BROADCAST("to66001", "to 66,001 rows", DIMS(1, 2), LIST(66001, 2), LARGE_F32),
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("shape_of", "a constant by the shape of another tensor", REAL(TYPE_BIT(CASE_I8)),
          .refused_by = "value.alone", .only = "tile"),
      .in = DIMS(1, 2, 1, 1, 3), .to = { 1, 1, 2, 3, 1 }, .shaped = true },
    TILE("times66001_within", "66,001 times, within a batch", DIMS(2, 1, 2), LIST(1, 66001, 1),
         LARGE_F32),
    BROADCAST("to66001_within", "to 66,001 rows, within a batch", DIMS(2, 1, 2), LIST(2, 66001, 2),
              LARGE_F32),
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool tiles = m->c->code == BUILTIN_TILE;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct shape like = { .rank = r->in.rank };
    struct shape out = { .rank = tiles ? r->in.rank : r->rank };
    const struct shape vector = { .rank = 1, .d = { out.rank } };
    const struct options options = { .tag =
                                         tiles ? OPTIONS_TileOptions : OPTIONS_BroadcastToOptions };
    int in[2];

    for (int d = 0; d < out.rank; d++)
        out.d[d] = tiles ? r->in.d[d] * r->to[d] : r->to[d];
    for (int d = 0; d < like.rank; d++)
        like.d[d] = r->to[d];
    in[0] = case_operand(m, !r->shaped, "x", &r->in, &any);
    if (r->shaped)
        in[1] = case_shape_of(m, "multiples", &like);
    else
        in[1] = (r->wide ? case_constant_i64 : case_constant_i32)(m, tiles ? "multiples" : "shape",
                                                                  &vector, r->to);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(tile, members, rows, build);
