/* CUMSUM: every axis of ranks 1 to 6, exclusive and reverse, sums that do not fit f16. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

enum { EXCLUSIVE = 1, REVERSE = 2 };

struct row {
    struct op_case base;
    struct shape in;
    int32_t axis;
    unsigned flags;
};

/* The bound of a dot product, whose errors are not judged together: results of a row have the same
 * partial sums, so their errors are no independent sample (TOLERANCES.md 4). */
static const struct suite_member members[] = {
    { SUITE_OP("cumsum", CUMSUM, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32),
      .sets = SETS_ALL & ~SET_BIT(SET_POWERS),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 1 } },
};

/* Each axis in all four ways. */
#define WAYS(name, why, shape, along)                                                              \
    { ROW(name, why), .in = shape, .axis = along },                                                \
        { ROW(name "_exclusive", why ", without the element itself"), .in = shape, .axis = along,  \
          .flags = EXCLUSIVE },                                                                    \
        { ROW(name "_reverse", why ", from the end"), .in = shape, .axis = along,                  \
          .flags = REVERSE },                                                                      \
    {                                                                                              \
        ROW(name "_both", why ", exclusive, from the end"), .in = shape, .axis = along,            \
                                                            .flags = EXCLUSIVE | REVERSE           \
    }

/* Their sum is 0, so that long sums repeat, and goldens of them are small. */
static const float balanced[] = { 3, -1, 4, -9, 5, -4, 2 };
static const int32_t balanced_i32[] = { 3, -1, 4, -9, 5, -4, 2 };

static const struct row rows[] = {
    WAYS("c", "over channels", DIMS(2, 3, 6), 2),
    WAYS("w", "over columns", DIMS(2, 3, 4, 5), 2),
    WAYS("n", "over the batch", DIMS(4, 2, 3), 0),
    WAYS("rank1", "a vector", DIMS(11), 0),
    { ROW("negative", "the axis counted from the end"), .in = DIMS(2, 3, 5), .axis = -2 },
    { ROW("negative_last", "axis -1"), .in = DIMS(2, 3, 5), .axis = -1 },
    { ROW("c1", "over one channel"), .in = DIMS(3, 1), .axis = 1 },
    { ROW("c4", "over one slice"), .in = DIMS(3, 4), .axis = 1, .flags = REVERSE },
    { ROW("c67", "over 17 slices"), .in = DIMS(2, 67), .axis = 1 },
    { ROW("rank2_rows", "a matrix over its rows"), .in = DIMS(6, 5), .axis = 0 },
    { ROW("rank5", "five dimensions"), .in = DIMS(2, 1, 3, 2, 5), .axis = 2 },
    { ROW("rank6", "six dimensions"), .in = DIMS(1, 2, 1, 2, 2, 3), .axis = 3, .flags = EXCLUSIVE },
    { ROW("rows65", "one row more than a workgroup of 64"), .in = DIMS(65, 3), .axis = 1 },
    { ROW("long", "1,025 elements of about 300: their sum is beyond f16",
          .types = TYPE_BIT(CASE_F32), .offset = 300, .overflow = true,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1025, 1), .axis = 0 },
    { ROW("v", "the version of the op", .each_version = true), .in = DIMS(2, 3, 4), .axis = 1 },
    { ROW("empty_batch", "no row at all", .types = TYPE_BIT(CASE_F32), EMPTY_TENSOR),
      .in = DIMS(0, 7), .axis = 1 },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum_c", LANES_SUM), .in = SUM_DIMS, .axis = 3 },
    { ROW("lanes_sum_w", LANES_SUM), .in = SUM_DIMS, .axis = 2, .flags = EXCLUSIVE | REVERSE },
    { ROW("lanes_ends", LANES_END(TYPE_BIT(CASE_I32))), .in = END_DIMS, .axis = 3 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("outer66001", "66,001 rows", LARGE_IN(SIZED)), .in = DIMS(66001, 2), .axis = 1 },
    { ROW("axis66001", "66,001 channels", LARGE_IN(SIZED), .refused_by = "limits.turns",
          VALUES(balanced), INTEGERS(balanced_i32)),
      .in = DIMS(1, 66001), .axis = 1 },
    { ROW("axis32003", "as many rows as a loop of our delegate may have", LARGE_IN(SIZED),
          VALUES(balanced), INTEGERS(balanced_i32)),
      .in = DIMS(32003, 1), .axis = 0, .flags = REVERSE },
    { ROW("inner66001", "66,001 columns", LARGE_IN(SIZED)), .in = DIMS(2, 66001), .axis = 0 },
    { ROW("inner66001_rows", "66,001 columns of one channel", LARGE_IN(SIZED)),
      .in = DIMS(2, 66001, 1), .axis = 0 },
    { ROW("i32_exclusive", "integers, without the element itself", .types = TYPE_BIT(CASE_I32)),
      .in = DIMS(3, 5, 6), .axis = 1, .flags = EXCLUSIVE },
    { ROW("i32_both", "integers, exclusive, from the end", .types = TYPE_BIT(CASE_I32)),
      .in = DIMS(3, 5, 6), .axis = 1, .flags = EXCLUSIVE | REVERSE },
    { ROW("i32_both_c", "integers over channels, exclusive, from the end",
          .types = TYPE_BIT(CASE_I32)),
      .in = DIMS(3, 5, 6), .axis = 2, .flags = EXCLUSIVE | REVERSE },
    /* Axes that a workgroup may cut into blocks: each of one element, and of two or three. */
    { ROW("blocks_rows", "131 rows, without the element itself", .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 131, 5), .axis = 1, .flags = EXCLUSIVE },
    { ROW("blocks_reverse", "70 rows from the end", .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 70, 2, 3), .axis = 1, .flags = REVERSE },
    { ROW("blocks_c", "65 slices", .sets = SET_BIT(SET_RANDOM)), .in = DIMS(2, 259), .axis = 1 },
    { ROW("blocks_both_c", "131 slices, exclusive, from the end", .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 521), .axis = 1, .flags = EXCLUSIVE | REVERSE },
    { ROW("blocks_wide", "700 rows", .sets = SET_BIT(SET_RANDOM)), .in = DIMS(700, 3), .axis = 0 },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape scalar = SCALAR;
    const int axis = r->axis < 0 ? r->axis + r->in.rank : r->axis;
    const struct fill fill = {
        .terms = r->in.d[axis], .factors = 1, .pair = PAIR_OPPOSITE, .axis = axis
    };
    struct options options;
    int in[2];

    in[0] = case_input(m, "x", &r->in, &fill);
    in[1] = case_constant_i32(m, "axis", &scalar, &r->axis);
    options_init(&options, OPTIONS_CumsumOptions);
    options_set_int(&options, "exclusive", (r->flags & EXCLUSIVE) != 0);
    options_set_int(&options, "reverse", (r->flags & REVERSE) != 0);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &r->in));
}

SUITE(cumsum, members, rows, build);
