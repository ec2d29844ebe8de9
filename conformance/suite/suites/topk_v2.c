/* TOPK_V2: every count of a row, equal elements, ranks 1 to
 * 5. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

#include <float.h>
#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    int32_t k;
    bool vector; /* k is a tensor of rank 1 */
};

static const struct suite_member members[] = {
    { SUITE_OP("topk_v2", TOPK_V2, 1),
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

#define COUNT(n)                                                                                   \
    {                                                                                              \
        ROW("k" #n, "so many of a row"), .in = DIMS(3, 9), .k = n                                  \
    }

static const float ends[] = { 1, -INFINITY, 0, INFINITY, -0.0F, -FLT_MAX, FLT_MAX };

static const struct row rows[] = {
    COUNT(1),
    COUNT(2),
    COUNT(3),
    COUNT(4),
    COUNT(5),
    COUNT(8),
    COUNT(9),
    { ROW("c1", "rows of one"), .in = DIMS(4, 1), .k = 1 },
    { ROW("c5", "rows that fill no slice"), .in = DIMS(4, 5), .k = 3 },
    { ROW("rank1", "a vector"), .in = DIMS(13), .k = 5 },
    { ROW("rank3", "[B, T, C]"), .in = DIMS(2, 3, 7), .k = 2 },
    { ROW("rank4", "an image"), .in = DIMS(1, 2, 3, 6), .k = 3 },
    { ROW("rank5", "five dimensions"), .in = DIMS(2, 1, 2, 1, 5), .k = 2 },
    { ROW("vector", "k as a vector of one"), .in = DIMS(2, 6), .k = 2, .vector = true },
    { ROW("classes", "the best five of a thousand and one"), .in = DIMS(1, 1001), .k = 5 },
    { ROW("v", "every version of the op means the same", .each_version = true), .in = DIMS(2, 7),
      .k = 3 },
    { ROW("every_byte", "every byte", .types = TYPES_BYTES, .every_byte = 1), .in = DIMS(8, 32),
      .k = 4 },
    /* The ends of each type, without NaN: its place is not defined. */
    { ROW("ends", "infinities, the ends of f32, zeros of both signs", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), .specials = true, VALUES(ends)),
      .in = DIMS(9, 6), .k = 5 },
    { ROW("lanes_ends", LANES_END(END_TYPES)), .in = END_DIMS, .k = 4 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("rows66001", "66,001 rows", LARGE_F32), .in = DIMS(66001, 2), .k = 1 },
    { ROW("c66001", "66,001 classes", LARGE_F32), .in = DIMS(1, 66001), .k = 5 },
    { ROW("c4099", "the best anywhere in 4,099 classes", .types = SIZED, LANES_ONE_SET),
      .in = DIMS(2, 4099), .k = 33 },
    { ROW("c66001_rising", "66,001 classes, the last ones are the largest",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)), .ramp = 1),
      .in = DIMS(1, 66001), .k = 5 },
    { ROW("c1100_k64", "the best 64 of 1,100 classes", .types = SIZED, LANES_ONE_SET),
      .in = DIMS(1, 1100), .k = 64 },
    { ROW("rows301_k7", "two slices of places in 301 rows", .types = SIZED, LANES_ONE_SET),
      .in = DIMS(301, 9), .k = 7 },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape one = { .rank = r->vector, .d = { 1 } };
    const struct fill any = { .terms = 1, .factors = 1 };
    struct shape shape = r->in;
    struct options options;
    int in[2], out[2];

    shape.d[shape.rank - 1] = r->k;
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] = case_constant_i32(m, "k", &one, &r->k);
    options_init(&options, OPTIONS_TopKV2Options);
    out[0] = case_output(m, "values", &shape);
    out[1] = case_output_i32(m, "indices", &shape);
    case_judged_op_outputs(m, &options, 2, in, 2, out);
}

SUITE(topk_v2, members, rows, build);
