/* Elementwise ops of two inputs, second part: DIV, SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD, POW.
 * What is broadcast, either operand a constant, ranks 0 to 6, quotients at the edge of an integer,
 * signs, zeros, infinities and NaN, every pair of bytes. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <math.h>

enum constant { CONST_NONE, CONST_A, CONST_B };

struct row {
    struct op_case base;
    struct shape a, b;
    enum constant constant;
    int activation;
    bool same; /* both operands are the tensor a */
    /* Of f32: operand b holds these values over and over, and zeros if they are any. */
    const float *b_values;
    size_t b_count;
    bool lowest;         /* i32: a is a constant with the lowest numbers, b has 1 and -1 */
    bool long_exponents; /* b is that list */
    bool any_bytes; /* dividends near 0, too, for which the runtime's results of DIV are wrong */
};

/* A quotient of steps is multiplied by 16 or more: the runtime shifts those of small multipliers by
 * more than 31 bits (TOLERANCES.md 9). */
static struct case_interval range_quotient(struct case_node *n)
{
    const struct case_interval a = case_scale_interval(n->in[0]);
    const double most = fmax(-a.low, a.high) / (32 * n->in[1]->scale);

    return (struct case_interval){ -most, most };
}

static struct case_interval range_square(struct case_node *n)
{
    const struct case_interval d = case_range_difference(n);
    const double most = fmax(-d.low, d.high);

    return (struct case_interval){ 0, 0.7 * most * most };
}

/* An infinite quotient has no place in a graph of many ops, so of these ops random graphs have
 * SQUARED_DIFFERENCE alone. */
static bool add_random(struct case_builder *m, struct random_call *call)
{
    const double peak = call->in[0].peak + call->in[1].peak;

    /* The peak of sums of products is an estimate, whose error is squared, too. */
    if (peak > 10 || !random_can_broadcast(&call->in[0].value.shape, &call->in[1].value.shape))
        return false;
    call->out.peak = peak * peak;
    call->out.value =
        graph_add_binary(m, call->member->code, call->in[0].value, call->in[1].value, 0);
    return true;
}

static const struct suite_member members[] = {
    /* Vulkan's division is off by 2.5 ulp at most. */
    { SUITE_OP("div", DIV, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_SPREAD), .i32_version = 1,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 2.5 }, .range = range_quotient },
    /* The rounding of the difference counts twice in its square: 2u of the result, or 4u where it
     * is toward zero, and that of the product is an ulp. */
    { SUITE_OP("squared_difference", SQUARED_DIFFERENCE, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_SPREAD), .i32_version = 1,
      .i32_limit = 30000, .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 4 },
      .range = range_square, .random = { .operands = RANDOM_BROADCAST, .add = add_random } },
    /* The floor is that of the exact quotient.  From 2^23 on all quotients are integers, and one
     * has the error of the division. */
    { SUITE_OP("floor_div", FLOOR_DIV, 2), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_SPREAD), .i32_version = 1,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 2.5 } },
    /* The remainder is exact, and the sum of remainder and divisor is rounded. */
    { SUITE_OP("floor_mod", FLOOR_MOD, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_SPREAD), .i32_version = 1,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 } },
    { SUITE_OP("pow", POW, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE), .i32_version = 1, .i32_limit = 9,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 3 } },
};

#define DIVIDING "div floor_div floor_mod"
#define FLOORING "floor_div floor_mod"
#define EVERY    TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32)
#define FLOATS   TYPE_BIT(CASE_F32)

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .a = DIMS(1, 2, 3, c), .b = DIMS(1, 2, 3, c)    \
    }
#define BOTH_WAYS(name, why, big, small)                                                           \
    { ROW(name "_b", why ", on the right"), .a = big, .b = small },                                \
    {                                                                                              \
        ROW(name "_a", why ", on the left"), .a = small, .b = big                                  \
    }
#define CONSTANT(name, why, big, small)                                                            \
    { ROW(name "_const_b", why ", a constant on the right"), .a = big, .b = small,                 \
      .constant = CONST_B },                                                                       \
    {                                                                                              \
        ROW(name "_const_a", why ", a constant on the left"), .a = small, .b = big,                \
                                                              .constant = CONST_A                  \
    }

/* Operand a repeats with a period of 7, b with one of 11 (or 13), so that all pairs meet. */
#define PAIRS(a_values, b_list)                                                                    \
    .a = DIMS(1, 7, 11), .b = DIMS(1, 7, 11), .b_values = (b_list),                                \
    .b_count = sizeof(b_list) / sizeof(b_list)[0]

static const float dividends[] = { 3, -3, 0, -0.0f, 0.5f, -7, 1e30f };
static const float with_zeros[] = { 0, -0.0f, 1, -2, 4, 0.25f, -1, 3, -0.5f, 8, -16 };
/* Thirds and tenths: a multiple of them is a little more or less than the float nearest to it. */
static const float edges[] = { 1, 3, 0.3f, 0.9f, -6, -0.7f, 2.1f };
static const float steps[] = {
    0.1f, 0.3f, 0.7f, -0.1f, -0.3f, 3, 1e-3f, -7, 1e4f, 2.5f, 0.33333334f
};
static const float large[] = { 1e30f, -1e30f, 16777215, -16777216, 1e9f, 3.4e38f, 1e-30f };
static const float bases[] = { 1, -1, 0, -0.0f, 2, -2, 0.5f };
static const float integers[] = { 0, 1, -1, 2, 3, -3, 0.5f, 24, -0.0f, 1.5f, 127 };
static const float near_one[] = { 1.0000001f, 0.99999994f, 1.001f, 0.999f, 1, 1.5f, 0.7f };
static const float far_exponents[] = { 1e6f, -1e6f, 123.456f, -87.25f, 3e7f,  -3e7f,
                                       1000, -1000, 0.001f,   80,      -1e-6f };
static const float odd_exponents[] = { 8388607,  8388608,  8388609,   12582913, 16777215, 16777216,
                                       16777218, -8388609, -16777215, 33554432, 3 };
static const int32_t long_exponents[] = { 65536, 131072, 3 << 16, 1 << 30, INT32_MAX, 65537, 0 };
static const float specials[] = { INFINITY, -INFINITY, NAN, 0, 1, -1, -0.5f };
static const float orders[] = { INFINITY, -INFINITY, NAN, 0, -0.0f, 1, -1, 3, -2, 0.5f, -0.5f };

static const int32_t lowest[] = { INT32_MIN, INT32_MIN + 1, INT32_MAX, -1, 0, 1, 7 };

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(5),
    CHANNELS(17),
    BOTH_WAYS("scalar", "rank 0 against an image", DIMS(1, 3, 3, 5), SCALAR),
    BOTH_WAYS("linear", "a value for each channel", DIMS(2, 3, 2, 7), DIMS(7)),
    BOTH_WAYS("pixel", "a value for each pixel, one channel", DIMS(1, 3, 4, 5), DIMS(1, 3, 4, 1)),
    BOTH_WAYS("both", "each operand is broadcast somewhere", DIMS(2, 1, 3, 1), DIMS(1, 4, 1, 5)),
    { ROW("rank3_b", "rank 3 against rank 2"), .a = DIMS(2, 3, 5), .b = DIMS(3, 5) },
    CONSTANT("same", "full shape", DIMS(1, 3, 3, 5), DIMS(1, 3, 3, 5)),
    CONSTANT("linear", "a value for each channel", DIMS(1, 3, 3, 6), DIMS(6)),
    CONSTANT("scalar", "rank 0", DIMS(1, 3, 3, 5), SCALAR),
    { ROW("rank0", "scalar and scalar"), .a = SCALAR, .b = SCALAR },
    { ROW("rank1", "vector and vector", .types = FLOATS | TYPE_BIT(CASE_I32)), .a = DIMS(7),
      .b = DIMS(7) },
    { ROW("rank2", "matrix and matrix", .types = FLOATS | TYPE_BIT(CASE_I8)), .a = DIMS(5, 6),
      .b = DIMS(5, 6) },
    { ROW("rank5", "five dimensions, broadcast in the middle", .only = "div"),
      .a = DIMS(2, 3, 1, 2, 5), .b = DIMS(3, 4, 2, 1) },
    { ROW("rank6", "six dimensions, every other one broadcast", .only = "div"),
      .a = DIMS(2, 1, 3, 1, 2, 1), .b = DIMS(1, 2, 1, 2, 1, 3) },
    { ROW("rank6_same", "six dimensions", .types = FLOATS | TYPE_BIT(CASE_U8)),
      .a = DIMS(2, 1, 2, 1, 2, 3), .b = DIMS(2, 1, 2, 1, 2, 3) },
    { ROW("self", "one tensor as both operands", .types = EVERY, .only = "squared_difference"),
      .a = DIMS(1, 3, 3, 5), .same = true },
    { ROW("n257", "one element more than a workgroup of 256 has invocations",
          .types = FLOATS | TYPE_BIT(CASE_I32), .i32_limit = 9),
      .a = DIMS(1, 257), .b = DIMS(1, 257) },
    { ROW("batch3", "an odd batch", .types = FLOATS | TYPES_BYTES), .a = DIMS(3, 2, 2, 9),
      .b = DIMS(3, 2, 2, 1) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .a = DIMS(1, 2, 2, 6), .b = DIMS(1, 2, 2, 6) },
    { ROW("relu", "fused RELU", .only = "div", .types = EVERY), .a = DIMS(1, 3, 3, 6),
      .b = DIMS(1, 3, 3, 6), .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1", .only = "div", .types = FLOATS | TYPE_BIT(CASE_I32)),
      .a = DIMS(1, 3, 3, 6), .b = DIMS(1, 3, 3, 6), .activation = 2 },
    { ROW("relu6_linear", "fused RELU6 after broadcasting", .only = "div", .types = EVERY,
          .scale = 4),
      .a = DIMS(2, 3, 2, 5), .b = DIMS(5), .constant = CONST_B, .activation = 3 },
    /* 8 bits. */
    { ROW("every_pair", "every pair of bytes", .only = "squared_difference", .types = TYPES_BYTES,
          .every_byte = 2),
      .a = DIMS(1, 64, 256, 4), .b = DIMS(1, 64, 256, 4) },
    { ROW("zero_low", "the zero points are the lowest integers", .types = TYPES_BYTES,
          .quant = { .zero = ZERO_LOW, .zero_out = ZERO_LOW }),
      .a = DIMS(1, 8, 8, 4), .b = DIMS(1, 8, 8, 4) },
    { ROW("zero_high", "the zero points are the highest integers", .types = TYPES_BYTES,
          .quant = { .in = 0.037, .in2 = 0.61, .zero = ZERO_HIGH }),
      .a = DIMS(1, 8, 8, 4), .b = DIMS(1, 8, 8, 4) },
    { ROW("scales_far", "one scale is 100 times the other", .types = TYPES_BYTES,
          .quant = { .in = 0.003, .in2 = 0.3 }),
      .a = DIMS(1, 8, 8, 4), .b = DIMS(1, 8, 8, 4) },
    { ROW("near_zero", "quotients of less than half a step", .only = "div", .types = TYPES_BYTES,
          .quant = { .in = 0.01,
                     .in2 = 0.02,
                     .out = 0.3,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_MIDDLE }),
      .a = DIMS(1, 8, 8, 4), .b = DIMS(1, 8, 8, 4), .any_bytes = true },
    /* i32. */
    { ROW("full_range", "all 32 bits", .only = DIVIDING, .types = TYPE_BIT(CASE_I32)),
      .a = DIMS(1, 5, 9, 7), .b = DIMS(1, 5, 9, 7) },
    { ROW("small", "quotients of small numbers, many exact", .only = DIVIDING,
          .types = TYPE_BIT(CASE_I32), .i32_limit = 6),
      .a = DIMS(1, 5, 9, 7), .b = DIMS(1, 5, 9, 7) },
    { ROW("lowest", "the lowest and the highest numbers by 1 and -1", .only = "div floor_div",
          .types = TYPE_BIT(CASE_I32), .i32_limit = 1, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(7), .b = DIMS(9, 7), .lowest = true },
    /* Floats at the edge. */
    { ROW("by_zero", "zeros as divisors", .only = "div floor_mod", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), VALUES(dividends)),
      PAIRS(dividends, with_zeros) },
    { ROW("edges", "quotients that are nearly integers", .only = DIVIDING, .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), VALUES(edges)),
      PAIRS(edges, steps) },
    { ROW("large", "quotients beyond 2^24", .only = FLOORING, .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), .overflow = true, VALUES(large)),
      PAIRS(large, steps) },
    { ROW("large_square", "squares around the largest f16", .only = "squared_difference",
          .scale = 150, .overflow = true, .types = FLOATS, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 3, 5), .b = DIMS(1, 3, 3, 5) },
    { ROW("cancel", "operands that are nearly equal", .only = "squared_difference", .types = FLOATS,
          .scale = 1e-3, .offset = 1, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 3, 5), .b = DIMS(1, 3, 3, 5) },
    { ROW("powers", "powers of 0, 1, -1 and small integers", .only = "pow", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), .overflow = true, VALUES(bases)),
      PAIRS(bases, integers) },
    { ROW("near_one", "bases near 1, large exponents", .only = "pow", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), .overflow = true, VALUES(near_one)),
      PAIRS(near_one, far_exponents) },
    { ROW("far", "results from 2^-149 to infinity", .only = "pow", .types = FLOATS, .scale = 30,
          .overflow = true, .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE)),
      .a = DIMS(1, 9, 8, 7), .b = DIMS(1, 9, 8, 7) },
    { ROW("square", "a constant exponent of 2", .only = "pow", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 3, 5), .b = SCALAR, .constant = CONST_B, .b_values = &integers[3],
      .b_count = 1 },
    { ROW("root", "a constant exponent of 1/2", .only = "pow", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE)),
      .a = DIMS(1, 3, 3, 5), .b = SCALAR, .constant = CONST_B, .b_values = &integers[6],
      .b_count = 1 },
    { ROW("special", "infinities and NaN", .only = "div pow floor_mod", .types = FLOATS,
          .sets = SET_BIT(SET_RANDOM), VALUES(specials)),
      PAIRS(specials, orders) },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", .types = FLOATS, EMPTY_TENSOR), .a = DIMS(0, 3, 2, 5),
      .b = DIMS(0, 3, 2, 5) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special_a", LANES_SPECIAL), .a = SPECIAL_DIMS, .b = SPECIAL_DIMS },
    { ROW("lanes_special_b", LANES_SPECIAL, .values_of = 1,
          .only = "div squared_difference floor_mod pow"),
      .a = SPECIAL_DIMS, .b = SPECIAL_DIMS },
    { ROW("pairs_special", PAIRS_SPECIAL, .only = "div squared_difference floor_mod pow"),
      .a = PAIR_DIMS, .b = PAIR_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL), .a = DENORMAL_DIMS, .b = DIMS(5) },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .a = END_DIMS, .b = END_DIMS },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", .types = FLOATS | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32),
          .sets = SET_BIT(SET_RANDOM), .period = SHORT_PERIOD),
      .a = DIMS(66001, 1), .b = DIMS(66001, 1) },
    { ROW("places66001_pixel", "66,001 places, a value for each",
          .types = FLOATS | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32), .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD, .only = "div"),
      .a = DIMS(66001, 2), .b = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", .types = FLOATS, .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD),
      .a = DIMS(1, 66001), .b = DIMS(66001) },
    { ROW("channels66001_rows", "66,001 channels, a value for each",
          .types = FLOATS | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32), .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD, .only = "div"),
      .a = DIMS(2, 66001), .b = DIMS(66001) },
    { ROW("odd_exponents", "exponents of 24 bits, odd and even", .only = "pow",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), .overflow = true,
          VALUES(bases)),
      PAIRS(bases, odd_exponents) },
    { ROW("long_exponents", "exponents beyond 16 bits", .only = "pow", .types = TYPE_BIT(CASE_I32),
          .i32_limit = 1, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(9, 7), .b = DIMS(7), .constant = CONST_B, .long_exponents = true },
    { ROW("zero_apart", "zero points at opposite ends: differences and sums as large as they get",
          .types = TYPES_BYTES, .quant = { .in = 0.05, .in2 = 0.05, .zero = ZERO_APART }),
      .a = DIMS(1, 8, 8, 4), .b = DIMS(1, 8, 8, 4) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank3_same", "rank 3", REAL(TYPE_BIT(CASE_F32)), .only = "squared_difference"),
      .a = DIMS(2, 3, 5), .b = DIMS(2, 3, 5) },
    { ROW("rank3_const_b", "a constant of rank 3", REAL(TYPE_BIT(CASE_F32)),
          .only = "div squared_difference"),
      .a = DIMS(2, 3, 5), .b = DIMS(2, 3, 5), .constant = CONST_B },
    { ROW("rank2_scalar_const_b", "a matrix by a constant of rank 0", REAL(TYPE_BIT(CASE_F32)),
          .only = "div"),
      .a = DIMS(3, 5), .b = SCALAR, .constant = CONST_B },
    { ROW("rank0_const_b", "a constant, rank 0", REAL(TYPE_BIT(CASE_I32)), .only = "floor_div"),
      .a = SCALAR, .b = SCALAR, .constant = CONST_B },
    { ROW("rank1_const_b", "a constant vector", REAL(TYPE_BIT(CASE_I32)), .only = "floor_mod"),
      .a = DIMS(3), .b = DIMS(3), .constant = CONST_B },
};

static int operand_b(struct case_builder *m, const struct row *r)
{
    const struct fill nonzero = { .terms = 1, .factors = 1, .least = 1 };
    const struct fill any = { .terms = 1, .factors = 1 };
    const bool divides = m->c->code != BUILTIN_SQUARED_DIFFERENCE && m->c->code != BUILTIN_POW;

    if (r->b_values)
        return case_operand_values(m, r->constant != CONST_B, "b", &r->b, r->b_values, r->b_count);
    if (r->long_exponents)
        return case_constant_i32(m, "b", &r->b, long_exponents);
    /* Exponents of i32 are 0 to 6. */
    if (m->c->code == BUILTIN_POW && m->c->type == TENSOR_INT32)
        return r->constant == CONST_B ? case_constant_drawn_i32(m, "b", &r->b, 3, 3)
                                      : case_input_i32(m, "b", &r->b, 3, 3);
    return case_operand(m, r->constant != CONST_B, "b", &r->b, divides ? &nonzero : &any);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape out = r->same ? r->a : shape_broadcast(&r->a, &r->b);
    const struct fill any = { .terms = 1, .factors = 1 },
                      apart = { .terms = 1, .factors = 1, .least = 8 };
    const bool is_apart = m->c->quantized && m->c->code == BUILTIN_DIV && !r->any_bytes;
    struct options options;
    int in[2];

    in[0] = r->lowest
                ? case_constant_i32(m, "a", &r->a, lowest)
                : case_operand(m, r->constant != CONST_A, "a", &r->a, is_apart ? &apart : &any);
    in[1] = r->same ? in[0] : operand_b(m, r);
    options_init(&options, ref_find(m->c->code)->options_tag);
    if (op_facts_find(m->c->code)->fused_activation)
        options_set_int(&options, "fused_activation_function", r->activation);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(arithmetic, members, rows, build);
