/* ADD, SUB, MUL, MAXIMUM, MINIMUM of i32, as models compute indices with: results that wrap, fused
 * activations, what is broadcast, either operand a constant.  Members of binary in the reference,
 * whose suite has a thousand rows for floats. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

enum constant { CONST_NONE, CONST_A, CONST_B };

struct row {
    struct op_case base;
    struct shape a, b;
    enum constant constant;
    int activation;
    bool same; /* both operands are the tensor a */
};

#define MEMBER(op_, code_)                                                                         \
    {                                                                                              \
        .op = (op_), .code = (code_), .version = 1, .types = TYPE_BIT(CASE_I32),                   \
        .sets = SETS_MOVE, .i32_version = 1, .bound = {                                            \
            .kind = BOUND_BITS                                                                     \
        }                                                                                          \
    }
static const struct suite_member members[] = {
    MEMBER("add", BUILTIN_ADD),         MEMBER("sub", BUILTIN_SUB),
    MEMBER("mul", BUILTIN_MUL),         MEMBER("maximum", BUILTIN_MAXIMUM),
    MEMBER("minimum", BUILTIN_MINIMUM),
};

#define I32 .types = TYPE_BIT(CASE_I32)
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four", I32), .a = DIMS(1, 2, 3, c),                     \
                                                        .b = DIMS(1, 2, 3, c)                      \
    }

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(5),
    { ROW("wraps", "sums and products of all 32 bits wrap around", I32), .a = DIMS(1, 5, 9, 7),
      .b = DIMS(1, 5, 9, 7) },
    { ROW("small", "small numbers", I32, .i32_limit = 100), .a = DIMS(1, 5, 9, 7),
      .b = DIMS(1, 5, 9, 7) },
    { ROW("scalar_b", "rank 0 on the right", I32), .a = DIMS(2, 3, 5), .b = SCALAR },
    { ROW("scalar_a", "rank 0 on the left", I32), .a = SCALAR, .b = DIMS(2, 3, 5) },
    { ROW("linear_b", "a value for each channel", I32), .a = DIMS(2, 3, 2, 7), .b = DIMS(7) },
    { ROW("pixel_a", "a value for each pixel, one channel", I32), .a = DIMS(1, 3, 4, 1),
      .b = DIMS(1, 3, 4, 5) },
    { ROW("both", "each operand is broadcast somewhere", I32), .a = DIMS(2, 1, 3, 1),
      .b = DIMS(1, 4, 1, 5) },
    { ROW("const_b", "a constant scalar, as a stride", I32), .a = DIMS(5, 6), .b = SCALAR,
      .constant = CONST_B },
    { ROW("const_a", "a constant on the left", I32), .a = DIMS(5, 6), .b = DIMS(5, 6),
      .constant = CONST_A },
    { ROW("rank0", "scalar and scalar", I32), .a = SCALAR, .b = SCALAR },
    { ROW("rank6", "six dimensions", I32), .a = DIMS(2, 1, 2, 1, 2, 3),
      .b = DIMS(2, 1, 2, 1, 2, 3) },
    { ROW("self", "one tensor as both operands", I32), .a = DIMS(3, 5), .same = true },
    { ROW("n257", "one element more than a workgroup of 256 has invocations", I32),
      .a = DIMS(1, 257), .b = DIMS(1, 257) },
    { ROW("relu", "fused RELU", I32, .only = "add sub mul"), .a = DIMS(4, 6), .b = DIMS(4, 6),
      .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1", I32, .only = "add sub mul", .i32_limit = 3),
      .a = DIMS(4, 6), .b = DIMS(4, 6), .activation = 2 },
    { ROW("relu6", "fused RELU6", I32, .only = "add sub mul", .i32_limit = 5), .a = DIMS(4, 6),
      .b = DIMS(4, 6), .activation = 3 },
    /* The ends of i32. */
    { ROW("lanes_ends_a", LANES_END(TYPE_BIT(CASE_I32))), .a = END_DIMS, .b = END_DIMS },
    { ROW("lanes_ends_b", LANES_END(TYPE_BIT(CASE_I32)), .values_of = 1), .a = END_DIMS,
      .b = END_DIMS },
    { ROW("pairs_ends", PAIRS_END(TYPE_BIT(CASE_I32))), .a = PAIR_END_DIMS, .b = PAIR_END_DIMS },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", I32, .period = SHORT_PERIOD), .a = DIMS(66001, 1),
      .b = DIMS(66001, 1) },
    { ROW("places66001_pixel", "66,001 places, a value for each", I32, .period = SHORT_PERIOD,
          .only = "sub"),
      .a = DIMS(66001, 2), .b = DIMS(66001, 1) },
    { ROW("channels66001_rows", "66,001 channels, a value for each", I32, .period = SHORT_PERIOD,
          .only = "sub"),
      .a = DIMS(2, 66001), .b = DIMS(66001) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank0_const_b", "a constant, rank 0", REAL(TYPE_BIT(CASE_I32)),
          .only = "add sub mul maximum"),
      .a = SCALAR, .b = SCALAR, .constant = CONST_B },
    { ROW("rank0_const_a", "a constant on the left, rank 0", REAL(TYPE_BIT(CASE_I32)),
          .only = "mul"),
      .a = SCALAR, .b = SCALAR, .constant = CONST_A },
    { ROW("rank1_scalar_const_b", "a vector, a constant of rank 0", REAL(TYPE_BIT(CASE_I32)),
          .only = "add mul maximum minimum"),
      .a = DIMS(3), .b = SCALAR, .constant = CONST_B },
    { ROW("rank1_const_b", "a constant vector", REAL(TYPE_BIT(CASE_I32)), .only = "add"),
      .a = DIMS(3), .b = DIMS(3), .constant = CONST_B },
    { ROW("rank2_const_b", "a constant matrix", REAL(TYPE_BIT(CASE_I32)), .only = "add"),
      .a = DIMS(3, 5), .b = DIMS(3, 5), .constant = CONST_B },
    /* Five dimensions, no two alike; each operand is broadcast over others of them. */
    { ROW("rank5_turns", "operands are broadcast over others of five dimensions", I32,
          .only = "sub", .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(2, 1, 4, 1, 6), .b = DIMS(1, 3, 1, 5, 6) },
    { ROW("rank5_turns_b", "operands are broadcast over others of five dimensions", I32,
          .only = "sub", .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 4, 1, 6), .b = DIMS(2, 3, 1, 5, 1) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape out = r->same ? r->a : shape_broadcast(&r->a, &r->b);
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    int in[2];

    in[0] = case_operand(m, r->constant != CONST_A, "a", &r->a, &any);
    in[1] = r->same ? in[0] : case_operand(m, r->constant != CONST_B, "b", &r->b, &any);
    options_init(&options, ref_find(m->c->code)->options_tag);
    if (op_facts_find(m->c->code)->fused_activation)
        options_set_int(&options, "fused_activation_function", r->activation);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(binary_i32, members, rows, build);
