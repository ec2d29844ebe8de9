/* RESHAPE: data that keep their order while slices and padded lanes change under them. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

/* Where the new shape stands. */
enum source {
    SHAPE_BOTH,        /* in the option and in a constant tensor */
    SHAPE_OPTION,      /* in the option alone */
    SHAPE_LEGACY,      /* the option [0] for a scalar, as old converters wrote */
    SHAPE_TENSOR,      /* in the tensor alone: no option table */
    SHAPE_TENSOR_WINS, /* the option says something else */
    SHAPE_OTHER        /* in the result of SHAPE of another input */
};

struct row {
    struct op_case base;
    struct shape in, out;
    enum source source;
    int wildcard; /* 1 + the axis of out that is given as -1; 0: none */
};

/* The largest factor of n that is at most `most`. */
static int32_t factor_below(int32_t n, int32_t most)
{
    while (n % most != 0)
        most--;
    return most;
}

/* Rows; the last two dimensions exchanged or made one; or an image of other channels, whose slices
 * of four hold other elements than before. */
static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const int rank = x.shape.rank;
    const int32_t all = (int32_t)shape_elements(&x.shape), n = rank > 0 ? x.shape.d[0] : 1;
    struct shape to = x.shape;

    switch (random_choice(call, 0, 4)) {
    case 0: to = (struct shape)DIMS(n, all / n); break;
    case 1:
        if (rank < 2)
            return false;
        to.d[rank - 2] = x.shape.d[rank - 1];
        to.d[rank - 1] = x.shape.d[rank - 2];
        break;
    case 2:
        if (rank < 2)
            return false;
        to.rank--;
        to.d[rank - 2] *= x.shape.d[rank - 1];
        break;
    default: {
        const int32_t channels = factor_below(all / n, random_channels(call, 1));
        const int32_t columns = factor_below(all / n / channels, 5);

        to = (struct shape)DIMS(n, all / n / channels / columns, columns, channels);
        break;
    }
    }
    call->out.value = graph_add_reshape(m, x, &to);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("reshape", RESHAPE, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

/* An image of c channels becomes a row, and a row an image. */
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("flat_c" #c, "channels in slices of four become a row"), .in = DIMS(1, 2, 3, c),       \
                                                                     .out = DIMS(1, 6 * (c))       \
    }

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    { ROW("c5_to6", "slices of 5 channels become slices of 6"), .in = DIMS(1, 2, 3, 5),
      .out = DIMS(1, 1, 5, 6) },
    { ROW("c3_to9", "channels of one slice become three slices"), .in = DIMS(1, 3, 3, 3),
      .out = DIMS(1, 1, 3, 9) },
    { ROW("c8_to2", "channels of two slices become half a slice"), .in = DIMS(1, 2, 2, 8),
      .out = DIMS(1, 4, 4, 2) },
    { ROW("c1_to7", "one channel becomes two slices"), .in = DIMS(1, 7, 7, 1),
      .out = DIMS(1, 1, 7, 7) },
    { ROW("c7_to1", "channels become pixels"), .in = DIMS(1, 1, 5, 7), .out = DIMS(1, 5, 7, 1) },
    { ROW("c4_to4", "whole slices: only height and width change"), .in = DIMS(1, 2, 6, 4),
      .out = DIMS(1, 3, 4, 4) },
    { ROW("c5_to5", "equal channels with a tail"), .in = DIMS(1, 2, 6, 5),
      .out = DIMS(1, 4, 3, 5) },
    { ROW("same", "nothing changes"), .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 3, 3, 5) },
    { ROW("pooled", "1x1 image to a row, as before a classifier"), .in = DIMS(1, 1, 1, 1001),
      .out = DIMS(1, 1001) },
    { ROW("unflatten", "a row to an image"), .in = DIMS(1, 90), .out = DIMS(1, 3, 6, 5) },
    { ROW("batch_split", "batch becomes height", .gap = GAP_BATCH), .in = DIMS(6, 2, 2, 5),
      .out = DIMS(1, 12, 2, 5) },
    { ROW("batch_merge", "height becomes batch", .gap = GAP_BATCH), .in = DIMS(1, 6, 2, 5),
      .out = DIMS(3, 2, 2, 5) },
    { ROW("batch2_flat", "images to rows", .gap = GAP_BATCH), .in = DIMS(2, 3, 2, 5),
      .out = DIMS(2, 30) },
    { ROW("batch3", "a batch of more than one image, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .in = DIMS(3, 2, 2, 7), .out = DIMS(3, 4, 7) },
    { ROW("batch7", "odd batch across slices", .gap = GAP_BATCH), .in = DIMS(7, 1, 3, 2),
      .out = DIMS(2, 1, 3, 7) },
    { ROW("ssd", "heads of a detector to one list of boxes"), .in = DIMS(1, 5, 5, 12),
      .out = DIMS(1, 75, 4) },
    { ROW("heads", "split of the last axis, as attention does"), .in = DIMS(1, 6, 20),
      .out = DIMS(1, 6, 4, 5) },
    { ROW("to_rank1", "image to vector", .gap = GAP_RANK), .in = DIMS(1, 2, 3, 5),
      .out = DIMS(30) },
    { ROW("from_rank1", "vector to image", .gap = GAP_RANK), .in = DIMS(30),
      .out = DIMS(1, 2, 3, 5) },
    { ROW("to_rank5", "rank 4 to rank 5", .gap = GAP_RANK), .in = DIMS(1, 4, 6, 5),
      .out = DIMS(1, 2, 2, 6, 5) },
    { ROW("to_rank6", "rank 4 to rank 6", .gap = GAP_RANK), .in = DIMS(1, 4, 6, 4),
      .out = DIMS(1, 2, 2, 3, 2, 4) },
    { ROW("from_rank5", "rank 5 to rank 2", .gap = GAP_RANK), .in = DIMS(1, 2, 3, 2, 5),
      .out = DIMS(6, 10) },
    { ROW("from_rank6", "rank 6 to rank 3", .gap = GAP_RANK), .in = DIMS(1, 2, 1, 3, 2, 7),
      .out = DIMS(2, 3, 14) },
    { ROW("to_scalar", "an empty shape in the option", .gap = GAP_RANK), .in = DIMS(1, 1, 1),
      .out = SCALAR, .source = SHAPE_OPTION },
    { ROW("to_scalar_legacy", "[0] in the option means rank 0", .gap = GAP_RANK), .in = DIMS(1, 1),
      .out = SCALAR, .source = SHAPE_LEGACY },
    { ROW("from_scalar", "rank 0 to rank 3", .gap = GAP_RANK), .in = SCALAR, .out = DIMS(1, 1, 1) },
    { ROW("option", "the shape in the option alone"), .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 30),
      .source = SHAPE_OPTION },
    { ROW("option_wild", "-1 in the option"), .in = DIMS(1, 2, 3, 5), .out = DIMS(2, 15),
      .source = SHAPE_OPTION, .wildcard = 2 },
    { ROW("tensor", "the shape in a tensor alone"), .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 30),
      .source = SHAPE_TENSOR },
    { ROW("tensor_wild0", "-1 in front"), .in = DIMS(2, 2, 3, 5), .out = DIMS(4, 15),
      .source = SHAPE_TENSOR, .wildcard = 1 },
    { ROW("tensor_wild_last", "-1 at the end"), .in = DIMS(2, 2, 3, 5), .out = DIMS(2, 2, 15),
      .source = SHAPE_TENSOR, .wildcard = 3 },
    { ROW("tensor_wins", "tensor and option disagree: the tensor counts"), .in = DIMS(1, 2, 3, 4),
      .out = DIMS(1, 4, 6), .source = SHAPE_TENSOR_WINS },
    { ROW("n65", "one element more than a workgroup of 64 has invocations"), .in = DIMS(1, 65),
      .out = DIMS(1, 5, 13) },
    { ROW("n257", "a prime over a workgroup of 256"), .in = DIMS(1, 257), .out = DIMS(257, 1) },
    { ROW("large", "beyond 65,536 elements across slices", .floats = true),
      .in = DIMS(1, 67, 61, 17), .out = DIMS(1, 17, 61, 67) },
    { ROW("half_max", "near the largest f16: moved as they are", .gap = GAP_HALF_RANGE,
          .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 5, 6) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 30) },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 30) },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("places90300", "90,300 pixels of three channels become others of five", LARGE),
      .in = DIMS(1, 300, 301, 3), .out = DIMS(1, 301, 180, 5) },
    { ROW("rows70000", "rows beyond 65,536", LARGE), .in = DIMS(70000, 3), .out = DIMS(2, 105000) },
    { ROW("full_mantissas", "numbers that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .scale = -1, .full_mantissas = true),
      .in = DIMS(1, 5, 6, 7), .out = DIMS(1, 210) },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all becomes no row", EMPTY), .in = DIMS(0, 2, 3, 5),
      .out = DIMS(0, 30) },
    { ROW("empty_moved", "the dimension of 0 moves to another place", EMPTY), .in = DIMS(2, 0, 3),
      .out = DIMS(6, 0) },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS, .out = DIMS(1, 10, 8, 3) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 2),
      .out = DIMS(1, 66001, 2, 1) },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 2),
      .out = DIMS(66001, 2, 1, 1) },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(2, 66001),
      .out = DIMS(66001, 2) },
    { ROW("channels132002", "channels beyond 65,536", LARGE_IN(TYPES_BYTES | TYPE_BIT(CASE_I32))),
      .in = DIMS(66001, 2), .out = DIMS(1, 132002) },
    { ROW("elements16777280", "elements beyond 2^24", LARGE_IN(TYPE_BIT(CASE_I8))),
      .in = DIMS(262145, 64), .out = DIMS(64, 262145) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("shape_of_rank1", "the shape of another tensor, rank 1",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32))),
      .in = DIMS(6), .out = DIMS(2, 3), .source = SHAPE_OTHER },
    { ROW("shape_of_rank2", "the shape of another tensor, rank 2",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32))),
      .in = DIMS(4, 3), .out = DIMS(2, 6), .source = SHAPE_OTHER },
    { ROW("shape_of_rank3", "the shape of another tensor, rank 3", REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(2, 3, 5), .out = DIMS(6, 5), .source = SHAPE_OTHER },
    { ROW("shape_of_rank4", "the shape of another tensor, rank 4",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 6, 5), .source = SHAPE_OTHER },
    { ROW("shape_of_rank5", "the shape of another tensor, rank 5", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 2, 1, 3, 5), .out = DIMS(1, 6, 5), .source = SHAPE_OTHER },
    { ROW("wild66001", "-1 stands for 66,001", LARGE_F32), .in = DIMS(2, 66001),
      .out = DIMS(66001, 2), .source = SHAPE_TENSOR, .wildcard = 1 },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = { .rank = 1, .d = { r->out.rank } };
    const int32_t elsewhere[] = { -1 }, zero[] = { 0 };
    const bool has_tensor = r->source != SHAPE_OPTION && r->source != SHAPE_LEGACY;
    struct options options;
    struct shape wanted = r->out;
    int in[2];

    if (r->wildcard > 0)
        wanted.d[r->wildcard - 1] = -1;
    options_init(&options, OPTIONS_ReshapeOptions);
    if (r->source == SHAPE_TENSOR_WINS)
        options_set_ints(&options, "new_shape", elsewhere, 1);
    else if (r->source == SHAPE_LEGACY)
        options_set_ints(&options, "new_shape", zero, 1);
    else
        options_set_ints(&options, "new_shape", wanted.d, (size_t)wanted.rank);
    in[0] = case_input(m, "x", &r->in, &any);
    if (r->source == SHAPE_OTHER)
        in[1] = case_shape_of(m, "shape", &r->out);
    else
        in[1] = has_tensor ? case_constant_i32(m, "shape", &vector, wanted.d) : -1;
    case_judged_op(m, r->source == SHAPE_TENSOR ? NULL : &options, has_tensor ? 2 : 1, in,
                   case_output(m, "y", &r->out));
}

/* ---- sweep: channels to channels, across slices ---- */

static const struct pairwise_level from[] = {
    { "c1", 1, 0 }, { "c2", 2, 0 }, { "c3", 3, 0 }, { "c4", 4, 0 },   { "c5", 5, 0 },
    { "c6", 6, 0 }, { "c7", 7, 0 }, { "c8", 8, 0 }, { "c17", 17, 0 },
};
static const struct pairwise_level to[] = {
    { "to1", 1, 0 }, { "to2", 2, 0 }, { "to3", 3, 0 }, { "to4", 4, 0 },   { "to5", 5, 0 },
    { "to6", 6, 0 }, { "to7", 7, 0 }, { "to8", 8, 0 }, { "to16", 16, 0 },
};
static const struct pairwise_level ranks_in[] = {
    { "r4", 4, 0 }, { "r2", 2, 0 }, { "r3", 3, 0 }, { "r5", 5, 0 }, { "r6", 6, 0 }
};
static const struct pairwise_level ranks_out[] = {
    { "", 4, 0 }, { "as2", 2, 0 }, { "as3", 3, 0 }, { "as5", 5, 0 }, { "as6", 6, 0 }
};
static const struct pairwise_level batches[] = { { "", 1, 0 }, { "n2", 2, 0 }, { "n3", 3, 0 } };
static const struct pairwise_level wildcards[] = { { "", false, 0 }, { "wild", true, 0 } };
enum { FROM, TO, RANK_IN, RANK_OUT, BATCH, WILDCARD };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(from),      PAIRWISE_AXIS(to),      PAIRWISE_AXIS(ranks_in),
    PAIRWISE_AXIS(ranks_out), PAIRWISE_AXIS(batches), PAIRWISE_AXIS(wildcards),
};

/* [batch, 1..., pixels, channels] of any rank from 2 on; rank 2 has the batch in its pixels. */
static struct shape image_of(int rank, int32_t batch, int32_t pixels, int32_t channels)
{
    struct shape s = { .rank = rank };

    for (int i = 0; i < rank; i++)
        s.d[i] = 1;
    s.d[rank - 1] = channels;
    s.d[rank - 2] = pixels;
    s.d[0] *= batch;
    return s;
}

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    const int32_t in = level[FROM]->x, out = level[TO]->x, n = level[BATCH]->x;

    return (struct row){
        .base = { .name = p->name,
                  .why = "pairwise: channels to channels, rank to rank",
                  .types = ONE_IN_FOUR_TYPES(p->index) },
        .in = image_of(level[RANK_IN]->x, n, 2 * out, in),
        .out = image_of(level[RANK_OUT]->x, n, 2 * in, out),
        .wildcard = level[WILDCARD]->x ? level[RANK_OUT]->x - 1 : 0,
    };
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))
SUITE_SWEPT(reshape, members, rows, build, sweep);
