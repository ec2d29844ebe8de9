/* TRANSPOSE: which axis becomes the channels, ranks 1 to 8. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t perm[SHAPE_RANK_MAX];
};

/* The last two dimensions exchanged, the first two, or the last one in front. */
static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int rank = x.shape.rank;
    int perm[SHAPE_RANK_MAX];

    if (rank < 2)
        return false;
    for (int d = 0; d < rank; d++)
        perm[d] = d;
    switch (random_choice(call, 0, 3)) {
    case 0:
        perm[rank - 1] = rank - 2;
        perm[rank - 2] = rank - 1;
        break;
    case 1:
        perm[0] = 1;
        perm[1] = 0;
        break;
    default:
        for (int d = 0; d < rank; d++)
            perm[d] = (d + rank - 1) % rank;
    }
    call->out.value = graph_add_transpose(m, x, perm);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("transpose", TRANSPOSE, 1), .bool_version = 3,
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define TO_NCHW(c)                                                                                 \
    {                                                                                              \
        ROW("nchw_c" #c, "channels become rows of rows"), .in = DIMS(1, 3, 5, c), .perm = {        \
            0,                                                                                     \
            3,                                                                                     \
            1,                                                                                     \
            2                                                                                      \
        }                                                                                          \
    }

static const struct row rows[] = {
    TO_NCHW(1),
    TO_NCHW(3),
    TO_NCHW(4),
    TO_NCHW(5),
    TO_NCHW(8),
    TO_NCHW(17),
    { ROW("nhwc", "channels come back"), .in = DIMS(2, 5, 3, 4), .perm = { 0, 2, 3, 1 } },
    { ROW("nhwc_w1", "channels come back from columns of one"), .in = DIMS(1, 6, 7, 1),
      .perm = { 0, 2, 3, 1 } },
    { ROW("hw", "rows and columns, channels kept"), .in = DIMS(2, 3, 4, 5),
      .perm = { 0, 2, 1, 3 } },
    { ROW("batch_hw", "every dimension but the channels moves"), .in = DIMS(2, 3, 4, 8),
      .perm = { 2, 0, 1, 3 } },
    { ROW("reversed", "all dimensions backwards"), .in = DIMS(2, 3, 4, 5), .perm = { 3, 2, 1, 0 } },
    { ROW("same", "nothing moves"), .in = DIMS(2, 3, 4, 5), .perm = { 0, 1, 2, 3 } },
    { ROW("negative", "dimensions counted from the end"), .in = DIMS(2, 3, 4, 5),
      .perm = { -4, -1, -3, -2 } },
    { ROW("ones", "dimensions of 1 move: the elements stay"), .in = DIMS(1, 3, 1, 5),
      .perm = { 2, 1, 0, 3 } },
    { ROW("matrix", "rows and columns of a matrix"), .in = DIMS(9, 13), .perm = { 1, 0 } },
    { ROW("matrix_257", "more columns than a workgroup has invocations"), .in = DIMS(257, 6),
      .perm = { 1, 0 } },
    { ROW("row", "a row becomes a column"), .in = DIMS(1, 7), .perm = { 1, 0 } },
    { ROW("column", "a column becomes a row"), .in = DIMS(7, 1), .perm = { 1, 0 } },
    { ROW("vector", "the only order of a vector"), .in = DIMS(6), .perm = { 0 } },
    { ROW("heads", "heads of an attention in front of the positions"), .in = DIMS(1, 6, 2, 5),
      .perm = { 0, 2, 1, 3 } },
    { ROW("keys", "keys of an attention, transposed"), .in = DIMS(1, 6, 2, 5),
      .perm = { 0, 2, 3, 1 } },
    { ROW("rank3", "the first dimension becomes the channels"), .in = DIMS(5, 3, 7),
      .perm = { 1, 2, 0 } },
    { ROW("rank5", "a shuffle of channels in two groups", .version = 4), .in = DIMS(1, 2, 3, 2, 3),
      .perm = { 0, 1, 2, 4, 3 } },
    { ROW("rank6", "blocks of pixels", .version = 6), .in = DIMS(1, 2, 2, 3, 2, 5),
      .perm = { 0, 1, 3, 2, 4, 5 } },
    { ROW("rank6_c", "channels to the middle", .version = 6), .in = DIMS(1, 2, 3, 2, 2, 5),
      .perm = { 4, 5, 0, 3, 1, 2 } },
    { ROW("rank8", "eight dimensions backwards", .version = 8), .in = DIMS(2, 1, 3, 2, 1, 2, 3, 2),
      .perm = { 7, 6, 5, 4, 3, 2, 1, 0 } },
    { ROW("v", "every version of the op means the same", .each_version = true),
      .in = DIMS(1, 2, 3, 5), .perm = { 0, 3, 1, 2 } },
    { ROW("half_max", "near the largest f16: moved as they are", .scale = 1000, .offset = 6e4,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 4, 4, 7), .perm = { 0, 3, 2, 1 } },
    { ROW("places90300", "90,300 places", LARGE), .in = DIMS(1, 300, 301, 3),
      .perm = { 0, 3, 1, 2 } },
    { ROW("full_mantissas", "numbers that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .scale = -1, .full_mantissas = true),
      .in = DIMS(1, 5, 6, 7), .perm = { 0, 3, 1, 2 } },
    { ROW("empty", "a dimension of 0 moves", EMPTY), .in = DIMS(2, 0, 3), .perm = { 1, 2, 0 } },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS, .perm = { 0, 3, 1, 2 } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch becomes channels", LARGE_IN(SIZED)), .in = DIMS(66001, 1, 1, 2),
      .perm = { 3, 1, 2, 0 } },
    { ROW("height66001", "a height becomes a batch", LARGE_F32), .in = DIMS(1, 66001, 1, 2),
      .perm = { 1, 0, 2, 3 } },
    { ROW("width66001", "a width becomes a height", LARGE_F32), .in = DIMS(1, 1, 66001, 2),
      .perm = { 0, 2, 1, 3 } },
    { ROW("channels66001", "66,001 channels become rows", LARGE_IN(SIZED)), .in = DIMS(2, 66001),
      .perm = { 1, 0 } },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = { .rank = 1, .d = { r->in.rank } };
    const struct options options = { .tag = OPTIONS_TransposeOptions };
    struct shape out = r->in;
    int in[2];

    for (int d = 0; d < r->in.rank; d++)
        out.d[d] = r->in.d[r->perm[d] < 0 ? r->perm[d] + r->in.rank : r->perm[d]];
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] = case_constant_i32(m, "perm", &vector, r->perm);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(transpose, members, rows, build);
