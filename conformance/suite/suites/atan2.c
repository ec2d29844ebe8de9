/* ATAN2: every octant and both axes, quotients at the ends of the range, zeros of both signs,
 * infinities and NaN, channels in slices, either operand a constant. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

#include <math.h>

enum constant { CONST_NONE, CONST_Y, CONST_X };

struct row {
    struct op_case base;
    struct shape in;
    enum constant constant;
    const float *x; /* the values of x over and over; NULL: drawn */
    size_t x_count;
};

static const struct suite_member members[] = {
    /* A quotient, and six operations: difference and sum of the operands, product and sum of the
     * series, and two sums with parts of pi (TOLERANCES.md 3.2). */
    { SUITE_OP("atan2", ATAN2, 1), .types = TYPE_BIT(CASE_F32),
      .sets =
          SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 2.5, .units = 12 } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(1, 2, 3, c)                          \
    }
/* y has a period of 7, x one of 11, so that all pairs meet. */
#define PAIRS(y_values, x_values)                                                                  \
    .in = DIMS(1, 7, 11), .x = (x_values), .x_count = sizeof(x_values) / sizeof(x_values)[0]

static const float zeros_y[] = { 0, -0.0f, 1, -1, 2, -0.5f, 1e-30f };
static const float zeros_x[] = { 0, -0.0f, 1, -1, 3, -2, 1e-30f, -1e-30f, 0.5f, -0.25f, 7 };
static const float octants_y[] = { 1, -1, 2, -3, 0.41421357f, -0.4142135f, 0.9999999f };
static const float octants_x[] = { 1, -1, 0.41421354f, -2.4142137f, 3, -0.5f,
                                   5, -4, 1.0000001f,  0.1f,        -9 };
static const float far_y[] = { 3e38f, -3e38f, 1e-37f, -1e-37f, 1, 1e20f, -1e-20f };
static const float far_x[] = { 3e38f, -3e38f,  1e-37f, -1e-37f, 1,     -1,
                               1e19f, -1e-19f, 2e38f,  -1e30f,  3e-37f };
static const float special_y[] = { INFINITY, -INFINITY, NAN, 0, -0.0f, 1, -2 };
static const float special_x[] = {
    INFINITY, -INFINITY, NAN, 0, -0.0f, 1, -2, 0.5f, -3, 100, -0.1f
};

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    { ROW("rank0", "scalars"), .in = SCALAR },
    { ROW("rank1", "vectors"), .in = DIMS(7) },
    { ROW("rank2", "matrices"), .in = DIMS(5, 6) },
    { ROW("rank5", "five dimensions"), .in = DIMS(2, 1, 3, 2, 5) },
    { ROW("rank6", "six dimensions"), .in = DIMS(2, 1, 2, 1, 2, 3) },
    { ROW("const_y", "y is a constant"), .in = DIMS(1, 3, 3, 5), .constant = CONST_Y },
    { ROW("const_x", "x is a constant"), .in = DIMS(1, 3, 3, 6), .constant = CONST_X },
    { ROW("batch3", "an odd batch"), .in = DIMS(3, 2, 2, 9) },
    { ROW("n257", "one element more than a workgroup of 256 has invocations"), .in = DIMS(1, 257) },
    { ROW("v", "every version of the op", .each_version = true), .in = DIMS(1, 2, 2, 6) },
    { ROW("zeros", "axes, and zeros of both signs", .sets = SET_BIT(SET_RANDOM), VALUES(zeros_y)),
      PAIRS(zeros_y, zeros_x) },
    { ROW("octants", "the borders of the octants, and of the reduced range",
          .sets = SET_BIT(SET_RANDOM), VALUES(octants_y)),
      PAIRS(octants_y, octants_x) },
    { ROW("far", "sums beyond the largest number, quotients below the least",
          .sets = SET_BIT(SET_RANDOM), .overflow = true, VALUES(far_y)),
      PAIRS(far_y, far_x) },
    { ROW("special", "infinities and NaN", .sets = SET_BIT(SET_RANDOM), VALUES(special_y)),
      PAIRS(special_y, special_x) },
    { ROW("empty_batch", "no image at all", EMPTY_TENSOR), .in = DIMS(0, 3, 2, 5) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", LARGE_F32), .in = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", LARGE_F32), .in = DIMS(1, 66001) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    int in[2];

    in[0] = case_operand(m, r->constant != CONST_Y, "y", &r->in, &any);
    in[1] = r->x ? case_operand_values(m, r->constant != CONST_X, "x", &r->in, r->x, r->x_count)
                 : case_operand(m, r->constant != CONST_X, "x", &r->in, &any);
    options_init(&options, OPTIONS_ATan2Options);
    case_judged_op(m, &options, 2, in, case_output(m, "z", &r->in));
}

SUITE_UNDRAWN(atan2, members, rows, build);
