/* CONCATENATION: channels that do not fill their slices, every axis, many inputs, constants. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* NO_LENGTH: an input that has no element. */
enum { INPUTS_MAX = 16, NO_LENGTH = -1 };

struct row {
    struct op_case base;
    struct shape in;             /* the shape of input 0 */
    int32_t lengths[INPUTS_MAX]; /* extents along the axis, one for each input, up to a 0 */
    int32_t axis;
    unsigned constants; /* bit i: input i is a constant */
};

/* The dimension in which two shapes differ: -1 for none, -2 where they differ otherwise. */
static int differing_axis(const struct shape *a, const struct shape *b)
{
    int axis = -1;

    if (a->rank != b->rank)
        return -2;
    for (int i = 0; i < a->rank; i++) {
        if (a->d[i] != b->d[i])
            axis = axis == -1 ? i : -2;
        if (axis == -2)
            return axis;
    }
    return axis;
}

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct shape *const first = &call->in[0].value.shape;
    struct value values[RANDOM_OPERANDS_MAX];
    int axis = -1;

    if (first->rank == 0)
        return false;
    for (size_t i = 0; i < call->count; i++) {
        const int own = differing_axis(first, &call->in[i].value.shape);

        if (own == -2 || (own >= 0 && axis >= 0 && own != axis))
            return false;
        axis = own >= 0 ? own : axis;
        values[i] = call->in[i].value;
    }
    if (axis < 0) /* the last one by default */
        axis = first->rank - 1 - (int)random_choice(call, 0, (uint32_t)first->rank);
    call->out.value = graph_add_concatenation(m, call->count, values, axis);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("concatenation", CONCATENATION, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS }, .rescales_u8 = true,
      .random = { .operands = RANDOM_JOINED, .add = add_random } },
};

/* Two inputs: the second one begins in any lane. */
#define BEHIND(c)                                                                                  \
    {                                                                                              \
        ROW("c" #c "_3", "the second input begins in any lane"), .in = DIMS(1, 2, 3, c),           \
                                                                 .axis = 3, .lengths = {           \
                                                                     c,                            \
                                                                     3                             \
                                                                 }                                 \
    }
#define BELOW(c)                                                                                   \
    {                                                                                              \
        ROW("height_c" #c, "rows of any count of channels"), .in = DIMS(1, 2, 2, c), .axis = 1,    \
                                                             .lengths = {                          \
                                                                 2,                                \
                                                                 1                                 \
                                                             }                                     \
    }

static const struct row rows[] = {
    CHANNEL_LIST(BEHIND),
    CHANNEL_LIST(BELOW),
    { ROW("c1_2", "two inputs share a slice"), .in = DIMS(1, 2, 3, 1), .axis = 3,
      .lengths = { 1, 2 } },
    { ROW("c5_1_2", "three inputs of unequal channels"), .in = DIMS(1, 2, 3, 5), .axis = 3,
      .lengths = { 5, 1, 2 } },
    { ROW("c4_8", "whole slices"), .in = DIMS(1, 3, 2, 4), .axis = 3, .lengths = { 4, 8 } },
    { ROW("inputs16", "16 inputs of one channel to three"), .in = DIMS(1, 2, 2, 1), .axis = -1,
      .lengths = { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1 } },
    { ROW("height", "one image below the other"), .in = DIMS(1, 2, 3, 5), .axis = 1,
      .lengths = { 2, 3 } },
    { ROW("width", "one image beside the other"), .in = DIMS(1, 2, 3, 5), .axis = -2,
      .lengths = { 3, 1, 2 } },
    { ROW("batch", "images one after the other", .gap = GAP_BATCH), .in = DIMS(2, 2, 3, 5),
      .axis = 0, .lengths = { 2, 1 } },
    { ROW("one", "one input: nothing changes"), .in = DIMS(1, 2, 3, 5), .axis = 3,
      .lengths = { 5 } },
    { ROW("constant", "a constant between two inputs"), .in = DIMS(1, 2, 3, 3), .axis = 3,
      .lengths = { 3, 2, 6 }, .constants = 2 },
    { ROW("rank2", "rows of unequal length", .gap = GAP_RANK), .in = DIMS(3, 7), .axis = 1,
      .lengths = { 7, 67 } },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 2, 3), .axis = 3, .lengths = { 3, 2 } },
    { ROW("rescaled", "inputs of other scales", .types = TYPE_BIT(CASE_U8),
          .quant = { .in = 0.013, .in2 = 0.29, .out = 0.031 }),
      .in = DIMS(1, 4, 4, 3), .axis = 3, .lengths = { 3, 6, 2 } },
    { ROW("rescaled_every", "inputs of other scales, every byte", .types = TYPE_BIT(CASE_U8),
          .every_byte = 1, .quant = { .in = 0.05, .in2 = 0.29, .out = 0.031 }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 5 } },
    { ROW("rescaled_ties", "a scale of half the result's", .types = TYPE_BIT(CASE_U8),
          .every_byte = 1, .quant = { .in = 0.25, .in2 = 0.125, .out = 0.5 }),
      .in = DIMS(1, 8, 8, 4), .axis = 2, .lengths = { 8, 2, 1 } },
    { ROW("rescaled_constant", "a constant of another scale", .types = TYPE_BIT(CASE_U8),
          .quant = { .in = 0.05, .in2 = 0.29, .out = 0.1 }),
      .in = DIMS(1, 3, 5, 4), .axis = 1, .lengths = { 3, 2, 1 }, .constants = 2 },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 2, 3), .axis = 3, .lengths = { 3, 2 } },
    { ROW("half_max", "near the largest f16: moved as they are", .scale = 1000, .offset = 6e4,
          .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .in = DIMS(1, 2, 3, 3), .axis = 3, .lengths = { 3, 6, 2 } },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("ratio_a", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.0285299513,
                     .in2 = 0.05,
                     .out = 0.0135972537,
                     .zero = ZERO_LOW,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_b", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.260601372,
                     .in2 = 0.05,
                     .out = 0.178533539,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_c", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.0237053428,
                     .in2 = 0.05,
                     .out = 0.138109386,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_d", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.278265297,
                     .in2 = 0.05,
                     .out = 0.186582506,
                     .zero = ZERO_HIGH,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_e", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.0156850833,
                     .in2 = 0.05,
                     .out = 0.0441309139,
                     .zero = ZERO_HIGH,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_f", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.178997651,
                     .in2 = 0.05,
                     .out = 0.179746598,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_g", "a byte that a quotient by the scale, or a ratio in double, rounds elsewhere",
          .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.0156850833,
                     .in2 = 0.05,
                     .out = 0.0441309139,
                     .zero = ZERO_LOW,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4, 1 } },
    { ROW("ratio_one", "one input, of another scale", .types = TYPE_BIT(CASE_U8), .every_byte = 1,
          .quant = { .in = 0.0237053428, .in2 = 0.05, .out = 0.0138109386, .zero = ZERO_LOW }),
      .in = DIMS(1, 8, 8, 4), .axis = 3, .lengths = { 4 } },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("places90300", "90,300 places: the second input begins in lane 3", LARGE),
      .in = DIMS(1, 300, 301, 3), .axis = 3, .lengths = { 3, 2 } },
    { ROW("rows70003", "rows beyond 65,536", LARGE), .in = DIMS(35000, 3), .axis = 0,
      .lengths = { 35000, 35003 } },
    { ROW("columns70003", "columns beyond 65,536", LARGE), .in = DIMS(2, 35000), .axis = -1,
      .lengths = { 35000, 35003 } },
    { ROW("negative_first", "axis -rank is the first", .floats = true), .in = DIMS(2, 2, 3, 5),
      .axis = -4, .lengths = { 2, 1, 3 } },
    { ROW("negative_first_rank2", "axis -rank of a matrix", .floats = true), .in = DIMS(3, 7),
      .axis = -2, .lengths = { 3, 2 } },
    { ROW("negative_first_rank5", "axis -rank of five dimensions", .floats = true),
      .in = DIMS(2, 1, 2, 3, 5), .axis = -5, .lengths = { 2, 1 } },
    { ROW("full_mantissas", "an input and a constant that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .scale = -1, .full_mantissas = true),
      .in = DIMS(1, 5, 5, 13), .axis = 3, .lengths = { 13, 7 }, .constants = 2 },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 2, 3, 5), .axis = 3,
      .lengths = { 5, 3 } },
    { ROW("empty_input", "an input of no channels between two others", EMPTY),
      .in = DIMS(1, 2, 3, 5), .axis = 3, .lengths = { 5, NO_LENGTH, 3 } },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special_a", LANES_SPECIAL), .in = SPECIAL_DIMS, .axis = 3, .lengths = { 5, 3 } },
    { ROW("lanes_special_b", LANES_SPECIAL, .values_of = 1), .in = DIMS(1, 8, 6, 3), .axis = 3,
      .lengths = { 3, 5 } },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1), .axis = 0,
      .lengths = { 66001, 1 } },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .axis = 1, .lengths = { 66001, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1), .axis = 2,
      .lengths = { 66001, 1 } },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 1, 66001),
      .axis = 3, .lengths = { 66001, 1 } },
    { ROW("zero_moves", "inputs of the result's scale and of other zero points: clamped",
          .types = TYPE_BIT(CASE_U8),
          .quant = { .in = 0.1,
                     .in2 = 0.1,
                     .out = 0.1,
                     .zero = ZERO_APART,
                     .zero_out = ZERO_MIDDLE }),
      .in = DIMS(1, 4, 4, 3), .axis = 3, .lengths = { 3, 6, 2 } },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank3_x3", "inputs of models, as heads of detectors have",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 4, 3), .axis = 1, .lengths = { 4, 2, 1 } },
    { ROW("rank3_x3_last", "inputs of models, as heads of detectors have", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 4, 3), .axis = 2, .lengths = { 3, 5, 1 } },
    { ROW("rank3_x4", "inputs of models, as heads of detectors have", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 4, 3), .axis = 1, .lengths = { 4, 2, 1, 3 } },
    { ROW("rank3_x5", "inputs of models, as heads of detectors have", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 4, 3), .axis = 1, .lengths = { 4, 2, 1, 3, 1 } },
    { ROW("rank3_x6", "inputs of models, as heads of detectors have",
          REAL(TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_U8))),
      .in = DIMS(1, 4, 3), .axis = 1, .lengths = { 4, 2, 1, 3, 1, 1 } },
    { ROW("height_x6", "inputs of models, as heads of detectors have", REAL(TYPE_BIT(CASE_U8))),
      .in = DIMS(1, 2, 2, 3), .axis = 1, .lengths = { 2, 2, 1, 3, 1, 1 } },
    { ROW("last", "inputs of models, as heads of detectors have", REAL(TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 2, 3, 5), .axis = -1, .lengths = { 5, 3 } },
    { ROW("sizes_between", "a size between constants", REAL(TYPE_BIT(CASE_I32))), .in = DIMS(1),
      .axis = 0, .lengths = { 1, 1, 1 }, .constants = 5 },
    { ROW("rank2_const", "a constant column of i32", REAL(TYPE_BIT(CASE_I32))), .in = DIMS(3, 2),
      .axis = 1, .lengths = { 2, 1 }, .constants = 2 },
    { ROW("long_3", "three long rows of unequal lengths", LARGE_IN(SIZED)), .in = DIMS(2, 5),
      .axis = 1, .lengths = { 5, 4099, 1027 } },
    { ROW("long_2", "behind a long row a longer one", LARGE_IN(SIZED)), .in = DIMS(2, 1027),
      .axis = 1, .lengths = { 1027, 4099 } },
    { ROW("no_scale", WITHOUT_SCALES), .in = DIMS(2, 5), .axis = 1, .lengths = { 5, 3 } },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int axis = r->axis < 0 ? r->axis + r->in.rank : r->axis;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    struct shape out = r->in;
    int in[INPUTS_MAX];
    size_t count = 0;

    assert(axis >= 0 && axis < r->in.rank && r->lengths[0] == r->in.d[axis]);
    out.d[axis] = 0;
    for (; count < INPUTS_MAX && r->lengths[count] != 0; count++) {
        struct shape shape = r->in;
        char name[16];

        snprintf(name, sizeof name, "x%zu", count);
        shape.d[axis] = r->lengths[count] == NO_LENGTH ? 0 : r->lengths[count];
        out.d[axis] += shape.d[axis];
        in[count] = r->constants >> count & 1 ? case_constant(m, name, &shape, &any)
                                              : case_input(m, name, &shape, &any);
    }
    options_init(&options, OPTIONS_ConcatenationOptions);
    options_set_int(&options, "axis", r->axis);
    case_judged_op(m, &options, count, in, case_output(m, "y", &out));
}

/* ---- sweep: lengths of the inputs on every axis of every rank, constants among them ---- */

static const int32_t tuples[][INPUTS_MAX] = {
    { 1, 2 },          { 3, 3 },
    { 5, 1, 2 },       { 4, 4 },
    { 1, 1, 1, 1 },    { 7, 9 },
    { 8, 5, 3 },       { 67, 1 },
    { 2, 3, 4, 5, 6 }, { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1 },
};
static const struct pairwise_level lengths[] = {
    { "1_2", 0, 0 }, { "3_3", 1, 0 },   { "5_1_2", 2, 0 }, { "4_4", 3, 0 },    { "1_1_1_1", 4, 0 },
    { "7_9", 5, 0 }, { "8_5_3", 6, 0 }, { "67_1", 7, 0 },  { "2_to_6", 8, 0 }, { "x16", 9, 0 },
};
/* Rank and axis. */
static const struct pairwise_level places[] = {
    { "r4_0", 4, 0 },   { "r4_1", 4, 1 },   { "r4_2", 4, 2 },   { "r4_3", 4, 3 },
    { "r4_m1", 4, -1 }, { "r4_m2", 4, -2 }, { "r4_m3", 4, -3 }, { "r4_m4", 4, -4 },
    { "r1_0", 1, 0 },   { "r2_1", 2, 1 },   { "r2_m2", 2, -2 }, { "r3_1", 3, 1 },
    { "r5_m1", 5, -1 }, { "r5_2", 5, 2 },   { "r6_m1", 6, -1 }, { "r6_3", 6, 3 },
};
static const struct pairwise_level channels[] = {
    { "c3", 3, 0 }, { "c4", 4, 0 }, { "c1", 1, 0 }, { "c5", 5, 0 }, { "c17", 17, 0 },
};
static const struct pairwise_level batches[] = { { "", 1, 0 }, { "n2", 2, 0 }, { "n3", 3, 0 } };
/* Which inputs are constants; never all of them. */
static const struct pairwise_level masks[] = { { "", 0, 0 }, { "k0", 1, 0 }, { "k1", 2, 0 } };
enum { LENGTHS, PLACE, CHANNEL, BATCH, MASK };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(lengths), PAIRWISE_AXIS(places), PAIRWISE_AXIS(channels),
    PAIRWISE_AXIS(batches), PAIRWISE_AXIS(masks),
};

static struct row swept_row(const struct pairwise_row *p)
{
    static const int32_t extents[] = { 1, 2, 3, 2, 1, 1 }; /* from the last but one */
    const struct pairwise_level *const *const level = p->level;
    const int rank = level[PLACE]->x;
    const int32_t axis = level[PLACE]->y;
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: lengths, axis, rank, channels, constants",
                  .types = ONE_IN_FOUR_TYPES(p->index) },
        .in.rank = rank,
        .axis = axis,
        .constants = (unsigned)level[MASK]->x,
    };

    for (int i = 1; i < rank; i++)
        r.in.d[rank - 1 - i] = extents[i];
    if (rank > 1)
        r.in.d[0] = level[BATCH]->x;
    r.in.d[rank - 1] = level[CHANNEL]->x;
    memcpy(r.lengths, tuples[level[LENGTHS]->x], sizeof r.lengths);
    r.in.d[axis < 0 ? axis + rank : axis] = r.lengths[0];
    return r;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))
SUITE_SWEPT(concatenation, members, rows, build, sweep);
