/* Comparisons: EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, whose results are bool.
 * What is broadcast, either operand a constant, ranks 0 to 6, neighbours, signed zeros, NaN, all
 * types; in 8 bits operands of one scale and of several. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/kernels/op.h"

#include <math.h>

enum constant { CONST_NONE, CONST_A, CONST_B };

struct row {
    struct op_case base;
    struct shape a, b;
    enum constant constant;
    bool same; /* both operands are the tensor a */
    /* 8 bits: scales and zero points of both operands; scale_a 0: they are drawn. */
    double scale_a, scale_b;
    int32_t zero_a, zero_b;
    /* f32: operand b holds these values over and over. */
    const float *b_values;
    size_t b_count;
    bool longs; /* of i64 and one element */
};

#define ORDERED_TYPES TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32)
#define MEMBER(op_, code_, types_)                                                                 \
    {                                                                                              \
        .op = (op_), .code = (code_), .version = 1, .types = (types_),                             \
        .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS), .i32_version = 1, .bool_version = 1,  \
        .i32_limit = 3, .bound = {                                                                 \
            .kind = BOUND_BITS                                                                     \
        }                                                                                          \
    }
static const struct suite_member members[] = {
    MEMBER("equal", BUILTIN_EQUAL, ORDERED_TYPES | TYPE_BIT(CASE_BOOL)),
    MEMBER("not_equal", BUILTIN_NOT_EQUAL, ORDERED_TYPES | TYPE_BIT(CASE_BOOL)),
    MEMBER("greater", BUILTIN_GREATER, ORDERED_TYPES),
    MEMBER("greater_equal", BUILTIN_GREATER_EQUAL, ORDERED_TYPES),
    MEMBER("less", BUILTIN_LESS, ORDERED_TYPES),
    MEMBER("less_equal", BUILTIN_LESS_EQUAL, ORDERED_TYPES),
};

/* A row of bytes with scales of its own, u8 with zero points that are higher by 128. */
#define SCALES(name, why, types_, a_, b_, za, zb)                                                  \
    {                                                                                              \
        ROW(name, why, .types = (types_)), .a = DIMS(1, 8, 8, 5), .b = DIMS(1, 8, 8, 5),           \
                                           .scale_a = (a_), .scale_b = (b_), .zero_a = (za),       \
                                           .zero_b = (zb)                                          \
    }
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .a = DIMS(1, 2, 3, c), .b = DIMS(1, 2, 3, c)    \
    }
#define BOTH_WAYS(name, why, big, small)                                                           \
    { ROW(name "_b", why ", on the right"), .a = big, .b = small },                                \
    {                                                                                              \
        ROW(name "_a", why ", on the left"), .a = small, .b = big                                  \
    }
#define EVERY ORDERED_TYPES | TYPE_BIT(CASE_BOOL)

static const float values_a[] = { 0, -0.0f, 1, 1.0000001f, NAN, -3, 1e-30f };
static const float values_b[] = { 0,    -0.0f, 1,       NAN, 0.99999994f, -3.0000002f, -3,
                                  1e9f, -1,    -1e-30f, 2 };
static const float infinities[] = { INFINITY, -INFINITY, NAN, 0, 3.4e38f, -3.4e38f, -1 };
static const float against[] = { INFINITY, -INFINITY, NAN,  0,  3.4e38f, -3.4e38f,
                                 -1,       65504,     1e9f, 32, -7 };

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(9),
    BOTH_WAYS("scalar", "rank 0 against an image", DIMS(1, 3, 3, 5), SCALAR),
    BOTH_WAYS("linear", "a value for each channel", DIMS(2, 3, 2, 7), DIMS(7)),
    BOTH_WAYS("pixel", "a value for each pixel, one channel", DIMS(1, 3, 4, 5), DIMS(1, 3, 4, 1)),
    { ROW("both_b", "each operand is broadcast somewhere"), .a = DIMS(2, 1, 3, 1),
      .b = DIMS(1, 4, 1, 5) },
    { ROW("linear_const_b", "a constant for each channel", .types = EVERY), .a = DIMS(1, 3, 3, 6),
      .b = DIMS(6), .constant = CONST_B },
    { ROW("same_const_a", "a constant on the left"), .a = DIMS(1, 3, 3, 5), .b = DIMS(1, 3, 3, 5),
      .constant = CONST_A },
    { ROW("scalar_const_b", "a threshold", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)),
      .a = DIMS(1, 3, 3, 5), .b = SCALAR, .constant = CONST_B },
    { ROW("rank0", "scalar and scalar", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .a = SCALAR, .b = SCALAR },
    { ROW("rank2", "matrix and matrix", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_BOOL)),
      .a = DIMS(5, 6), .b = DIMS(5, 6) },
    { ROW("rank5", "five dimensions, broadcast in the middle"), .a = DIMS(2, 3, 1, 2, 5),
      .b = DIMS(3, 4, 2, 1) },
    { ROW("rank6", "six dimensions, every other one broadcast",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_U8)),
      .a = DIMS(2, 1, 3, 1, 2, 1), .b = DIMS(1, 2, 1, 2, 1, 3) },
    { ROW("self", "one tensor as both operands"), .a = DIMS(1, 3, 3, 5), .same = true },
    { ROW("n257", "one element more than a workgroup of 256 has invocations",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)),
      .a = DIMS(1, 257), .b = DIMS(1, 257) },
    { ROW("full_range", "all 32 bits", .types = TYPE_BIT(CASE_I32), .i32_limit = INT32_MAX),
      .a = DIMS(1, 5, 9, 7), .b = DIMS(5, 9, 7) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .a = DIMS(1, 2, 2, 6), .b = DIMS(1, 2, 2, 6) },
    { ROW("neighbours", "neighbours of a float, signed zeros, NaN", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(values_a)),
      .a = DIMS(1, 7, 11), .b = DIMS(1, 7, 11), .b_values = values_b,
      .b_count = sizeof values_b / sizeof values_b[0] },
    { ROW("infinite", "infinities and NaN", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(infinities)),
      .a = DIMS(1, 7, 11), .b = DIMS(1, 7, 11), .b_values = against,
      .b_count = sizeof against / sizeof against[0] },
    { ROW("every_pair", "every pair of bytes", .only = "less equal", .types = TYPES_BYTES,
          .every_byte = 2),
      .a = DIMS(1, 64, 256, 4), .b = DIMS(1, 64, 256, 4) },
    SCALES("same_scale", "one scale and one zero point", TYPES_BYTES, 0.05, 0.05, -3, -3),
    SCALES("unit_scale", "a scale of 1/256: neighbours are one unit apart", TYPE_BIT(CASE_I8),
           1. / 256, 1. / 256, -128, -128),
    SCALES("fine", "scales below 1/256: neighbours are equal", TYPE_BIT(CASE_U8), 0.001, 0.001, 5,
           5),
    SCALES("other_zero", "one scale, two zero points", TYPE_BIT(CASE_I8), 0.02, 0.02, -100, 90),
    SCALES("other_scale", "one operand has 3 times the scale", TYPES_BYTES, 0.03, 0.09, 0, 0),
    SCALES("coarse", "scales of nearly 1", TYPE_BIT(CASE_U8), 0.97, 0.5, 7, -7),
    { ROW("empty_batch", "no image at all", .types = TYPE_BIT(CASE_F32), EMPTY_TENSOR),
      .a = DIMS(0, 3, 2, 5), .b = DIMS(0, 3, 2, 5) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special_a", LANES_SPECIAL), .a = SPECIAL_DIMS, .b = SPECIAL_DIMS },
    { ROW("lanes_special_b", LANES_SPECIAL, .values_of = 1), .a = SPECIAL_DIMS, .b = SPECIAL_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL), .a = DENORMAL_DIMS, .b = SCALAR, .constant = CONST_B,
      .b_values = &values_a[0], .b_count = 1 },
    { ROW("lanes_ends", LANES_END(END_TYPES), .i32_limit = 99), .a = END_DIMS, .b = END_DIMS,
      .scale_a = 0.05, .scale_b = 0.05, .zero_a = -3, .zero_b = -3 },
    { ROW("pairs_ends", PAIRS_END(END_TYPES)), .a = PAIR_END_DIMS, .b = PAIR_END_DIMS,
      .scale_a = 0.05, .scale_b = 0.05, .zero_a = -3, .zero_b = -3 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32))),
      .a = DIMS(66001, 1), .b = DIMS(66001, 1) },
    { ROW("places66001_pixel", "66,001 places, a value for each",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)), .only = "less"),
      .a = DIMS(66001, 2), .b = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", LARGE_F32), .a = DIMS(1, 66001), .b = DIMS(66001) },
    { ROW("channels66001_rows", "66,001 channels, a value for each",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)), .only = "less"),
      .a = DIMS(2, 66001), .b = DIMS(66001) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank2_const_b", "a constant matrix", REAL(TYPE_BIT(CASE_I32)), .only = "less"),
      .a = DIMS(3, 5), .b = DIMS(3, 5), .constant = CONST_B },
    { ROW("rank0_long", "two numbers of 64 bits", REAL(TYPE_BIT(CASE_I32)), .only = "equal",
          .refused_by = "tensor.type"),
      .a = SCALAR, .b = SCALAR, .longs = true },
    { ROW("rank0_long_const_b", "a constant of 64 bits", REAL(TYPE_BIT(CASE_I32)), .only = "equal",
          .refused_by = "tensor.type"),
      .a = SCALAR, .b = SCALAR, .longs = true, .constant = CONST_B },
    /* Five dimensions, no two alike; each operand is broadcast over others of them. */
    { ROW("rank5_turns", "operands are broadcast over others of five dimensions", .only = "less",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32), .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(2, 1, 4, 1, 6), .b = DIMS(1, 3, 1, 5, 6) },
    { ROW("rank5_turns_b", "operands are broadcast over others of five dimensions", .only = "less",
          .types = TYPES_BYTES, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 4, 1, 6), .b = DIMS(2, 3, 1, 5, 1), .scale_a = 0.05, .scale_b = 0.05,
      .zero_a = -3, .zero_b = -3 },
};

static int operand(struct case_builder *m, const struct row *r, bool is_b)
{
    const char *const name = is_b ? "b" : "a";
    const struct shape *const shape = is_b ? &r->b : &r->a;
    const bool is_input = r->constant != (is_b ? CONST_B : CONST_A);
    const struct fill any = { .terms = 1, .factors = 1 };
    const int32_t zero = is_b ? r->zero_b : r->zero_a;
    static const int32_t numbers[] = { 3, -4 };

    if (r->scale_a != 0)
        return case_input_scaled(m, name, shape, m->c->type, is_b ? r->scale_b : r->scale_a,
                                 m->c->type == TENSOR_UINT8 ? zero + 128 : zero);
    if (r->longs && !is_input)
        return case_constant_i64(m, name, shape, numbers);
    if (r->longs)
        return case_input_values(m, name, shape, TENSOR_INT64, numbers, &numbers[!is_b]);
    if (is_b && r->b_values)
        return case_operand_values(m, is_input, name, shape, r->b_values, r->b_count);
    return case_operand(m, is_input, name, shape, &any);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape out = r->same ? r->a : shape_broadcast(&r->a, &r->b);
    struct options options;
    int in[2];

    in[0] = operand(m, r, false);
    in[1] = r->same ? in[0] : operand(m, r, true);
    options_init(&options, ref_find(m->c->code)->options_tag);
    case_judged_op(m, &options, 2, in, case_output_bool(m, "y", &out));
}

SUITE(compare, members, rows, build);
