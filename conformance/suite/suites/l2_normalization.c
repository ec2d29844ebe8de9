/* L2_NORMALIZATION: rows around slices and workgroups, every rank, and the least norm. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in;
};

static const struct suite_member members[] = {
    /* Units of u B, where B = (1 + sqrt n) abs(r): the sum of n squares, all positive, is good to
     * u (1 + 3 sqrt n) S, of which the root takes half.  8 ulp are the root (an inverse root of 2
     * ulp and a quotient), the quotient, 2.5 ulp each, and the store. */
    { SUITE_OP("l2_normalization", L2_NORMALIZATION, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SETS_ALL & ~(SET_BIT(SET_POWERS) | SET_BIT(SET_INTEGERS)),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 8, .units = 1.5 } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(2, 2, c)                             \
    }

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(2),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(5),
    CHANNELS(7),
    CHANNELS(8),
    CHANNELS(17),
    CHANNELS(33),
    CHANNELS(67),
    { ROW("rank1", "a vector"), .in = DIMS(9) },
    { ROW("rank1_long", "a vector of many slices"), .in = DIMS(130) },
    { ROW("rank3", "[B, T, C]"), .in = DIMS(2, 3, 10) },
    { ROW("rank4", "an image"), .in = DIMS(2, 3, 2, 6) },
    { ROW("rank5", "five dimensions"), .in = DIMS(2, 1, 3, 2, 5) },
    { ROW("rank6", "six dimensions"), .in = DIMS(1, 2, 1, 2, 2, 7) },
    { ROW("batch7", "an odd batch"), .in = DIMS(7, 6) },
    { ROW("rows65", "one row more than a workgroup of 64"), .in = DIMS(65, 3) },
    { ROW("c257", "one slice more than a workgroup"), .in = DIMS(2, 257) },
    { ROW("c1001", "the last slice has one lane", .floats = true), .in = DIMS(2, 1001) },
    { ROW("large", "numbers of about 100", .scale = 30, .offset = 100, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 3, 9) },
    { ROW("small", "numbers of about 1/100", .types = TYPE_BIT(CASE_F32), .scale = 0.01,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(3, 11) },
    { ROW("least", "norms below 1e-6", .types = TYPE_BIT(CASE_F32), .scale = 0x1p-24,
          .sets = SET_BIT(SET_POSITIVE)),
      .in = DIMS(3, 4) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(2, 3, 6) },
    { ROW("every_byte", "every byte", .types = TYPES_BYTES, .every_byte = 1), .in = DIMS(8, 32) },
    { ROW("zero_low", "numbers of one sign", .types = TYPES_BYTES,
          .quant = { .in = 0.1, .zero = ZERO_LOW }),
      .in = DIMS(3, 13) },
    { ROW("steps_small", "an input of small steps", .types = TYPES_BYTES, .quant = { .in = 0.004 }),
      .in = DIMS(3, 21) },
    { ROW("steps_large", "an input of large steps", .types = TYPES_BYTES, .quant = { .in = 7 }),
      .in = DIMS(3, 21) },
    { ROW("empty_batch", "no row at all", EMPTY), .in = DIMS(0, 7) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum", LANES_SUM), .in = SUM_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .in = END_DIMS },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("rows4097", "4,097 rows", LARGE_POSITIVE(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(4097, 2) },
    { ROW("c66001", "66,001 channels", LARGE_POSITIVE(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 66001) },
    /* Sums of squares at the end of the range that pass 16, 24 and 30 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPES_BYTES, 0)), .in = DIMS(2, 3) },
    { ROW("sum25", SUM_END(TYPES_BYTES, 0)), .in = DIMS(2, 259) },
    { ROW("sum31", SUM_END(TYPES_BYTES, 0)), .in = DIMS(1, 33001) },
    { ROW("rows66001", "66,001 rows", LARGE_POSITIVE(TYPE_BIT(CASE_I8))), .in = DIMS(66001, 2) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1, .pair = PAIR_FLAT, .axis = r->in.rank - 1 };
    const int in = case_input(m, "x", &r->in, &any);
    struct options options;

    options_init(&options, OPTIONS_L2NormOptions);
    case_judged_op(m, &options, 1, &in,
                   m->c->quantized ? case_output_scaled(m, "y", &r->in, m->c->type, 1. / 128,
                                                        m->c->type == TENSOR_INT8 ? 0 : 128)
                                   : case_output(m, "y", &r->in));
}

SUITE(l2_normalization, members, rows, build);
