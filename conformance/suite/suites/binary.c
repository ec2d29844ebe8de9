/* Elementwise ops of two inputs: ADD, SUB, MUL, MAXIMUM, MINIMUM.  Broadcasting with either operand
 * the smaller one, either one a constant, ranks 0-6, channels around slices, all fused activations.
 */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <string.h>

/* Which operand is a constant. */
enum constant { CONST_NONE, CONST_A, CONST_B };

struct row {
    struct op_case base;
    struct shape a, b;
    enum constant constant;
    int activation;
    bool same;  /* both operands are the tensor a */
    bool longs; /* of i64: indices of the largest and of the least element of rows of a */
};

/* A sum whose activation clamps it to a few units can have no scale that is 2^-19 times that of an
 * operand or less, as sums and squares of a graph before it may give. */
enum { RANDOM_SCALE_MAX = 256 };

static bool has_large_scale(struct case_builder *m, const struct random_call *call)
{
    for (size_t i = 0; m->c->quantized && i < call->count; i++) {
        const struct case_scale *const s = case_scale_of(m, call->in[i].value.tensor);

        if (s && s->known && s->scale > RANDOM_SCALE_MAX)
            return true;
    }
    return false;
}

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const int32_t code = call->member->code;
    const double a = call->in[0].peak, b = call->in[1].peak;
    int activation = ACTIVATION_NONE;

    if (!random_can_broadcast(&call->in[0].value.shape, &call->in[1].value.shape))
        return false;
    call->out.peak = code == BUILTIN_MUL                          ? a * b
                     : code == BUILTIN_ADD || code == BUILTIN_SUB ? a + b
                                                                  : call->out.peak;
    if (op_facts_find(code)->fused_activation)
        activation = random_activation(call, 0);
    if (has_large_scale(m, call))
        activation = ACTIVATION_NONE;
    call->out.value = graph_add_binary(m, code, call->in[0].value, call->in[1].value, activation);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("add", ADD, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES,
      .sets =
          SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_CANCEL) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 }, .range = case_range_sum,
      .random = { .operands = RANDOM_BROADCAST, .add = add_random } },
    { SUITE_OP("sub", SUB, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 }, .range = case_range_difference,
      .random = { .operands = RANDOM_BROADCAST, .add = add_random } },
    { SUITE_OP("mul", MUL, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES,
      .sets =
          SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_POWERS) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 }, .range = case_range_product,
      .random = { .operands = RANDOM_BROADCAST, .add = add_random } },
    { SUITE_OP("maximum", MAXIMUM, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES,
      .sets = SETS_MOVE | SET_BIT(SET_SPREAD), .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_BROADCAST, .add = add_random } },
    { SUITE_OP("minimum", MINIMUM, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES,
      .sets = SETS_MOVE | SET_BIT(SET_SPREAD), .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_BROADCAST, .add = add_random } },
};

/* The members that have a fused activation. */
#define FUSING "add sub mul"

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .a = DIMS(1, 2, 3, c), .b = DIMS(1, 2, 3, c)    \
    }
/* The same pattern with either operand the smaller one. */
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

static const float with_nan[] = { NAN, 1, -2, 0, 7, NAN, NAN, -0.5f, 3, NAN, 6 };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    BOTH_WAYS("scalar", "rank 0 against an image", DIMS(1, 3, 3, 5), SCALAR),
    BOTH_WAYS("one", "one element against an image", DIMS(1, 3, 3, 5), DIMS(1)),
    BOTH_WAYS("ones", "1x1x1x1 against an image", DIMS(2, 3, 3, 5), DIMS(1, 1, 1, 1)),
    BOTH_WAYS("linear", "a value for each channel", DIMS(2, 3, 2, 7), DIMS(7)),
    BOTH_WAYS("linear4d", "a value for each channel, rank 4", DIMS(2, 3, 2, 7), DIMS(1, 1, 1, 7)),
    BOTH_WAYS("image", "a value for each channel of each image", DIMS(2, 3, 2, 6),
              DIMS(2, 1, 1, 6)),
    BOTH_WAYS("pixel", "a value for each pixel, one channel", DIMS(1, 3, 4, 5), DIMS(1, 3, 4, 1)),
    BOTH_WAYS("pixel_batch", "one channel, with batch", DIMS(3, 2, 2, 9), DIMS(3, 2, 2, 1)),
    BOTH_WAYS("row", "a value for each row", DIMS(1, 5, 3, 6), DIMS(1, 5, 1, 1)),
    BOTH_WAYS("column", "a value for each column", DIMS(1, 5, 3, 6), DIMS(1, 1, 3, 1)),
    BOTH_WAYS("batch", "a value for each image", DIMS(3, 2, 2, 5), DIMS(3, 1, 1, 1)),
    BOTH_WAYS("map", "one image for all of a batch", DIMS(3, 2, 2, 5), DIMS(2, 2, 5)),
    BOTH_WAYS("both", "each operand is broadcast somewhere", DIMS(2, 1, 3, 1), DIMS(1, 4, 1, 5)),
    BOTH_WAYS("outer", "column times row", DIMS(1, 1, 7, 1), DIMS(1, 1, 1, 9)),
    BOTH_WAYS("rank3", "rank 3 against rank 2", DIMS(2, 3, 5), DIMS(3, 5)),
    BOTH_WAYS("rank2", "matrix against vector", DIMS(4, 6), DIMS(6)),
    BOTH_WAYS("rank5", "five dimensions, broadcast in the middle", DIMS(2, 3, 1, 2, 5),
              DIMS(3, 4, 2, 1)),
    BOTH_WAYS("rank6", "six dimensions, every other one broadcast", DIMS(2, 1, 3, 1, 2, 1),
              DIMS(1, 2, 1, 2, 1, 3)),
    CONSTANT("same", "full shape", DIMS(1, 3, 3, 5), DIMS(1, 3, 3, 5)),
    CONSTANT("linear", "a value for each channel", DIMS(1, 3, 3, 6), DIMS(6)),
    CONSTANT("linear4d", "a value for each channel, rank 4", DIMS(2, 3, 3, 5), DIMS(1, 1, 1, 5)),
    CONSTANT("scalar", "rank 0", DIMS(1, 3, 3, 5), SCALAR),
    CONSTANT("pixel", "a value for each pixel", DIMS(1, 3, 3, 5), DIMS(3, 3, 1)),
    CONSTANT("grow", "the constant is the larger operand", DIMS(1, 1, 1, 5), DIMS(1, 3, 2, 5)),
    { ROW("rank0", "scalar and scalar", .gap = GAP_RANK), .a = SCALAR, .b = SCALAR },
    { ROW("rank1", "vector and vector", .gap = GAP_RANK), .a = DIMS(7), .b = DIMS(7) },
    { ROW("self", "one tensor as both operands"), .a = DIMS(1, 3, 3, 5), .same = true },
    { ROW("batch2", "a batch of more than one image", .gap = GAP_BATCH), .a = DIMS(2, 4, 4, 4),
      .b = DIMS(2, 4, 4, 4) },
    { ROW("batch7_c3", "an odd batch", .gap = GAP_BATCH), .a = DIMS(7, 1, 2, 3),
      .b = DIMS(7, 1, 2, 3) },
    { ROW("n65", "one element more than a workgroup of 64 has invocations"), .a = DIMS(1, 65),
      .b = DIMS(1, 65) },
    { ROW("n257", "one element more than a workgroup of 256 has invocations"), .a = DIMS(1, 257),
      .b = DIMS(1, 257) },
    { ROW("pixels257", "one pixel more than a workgroup has invocations"), .a = DIMS(1, 257, 1, 2),
      .b = DIMS(1, 257, 1, 2) },
    { ROW("prime", "prime extents: no workgroup size divides them"), .a = DIMS(1, 13, 17, 11),
      .b = DIMS(1, 13, 17, 11) },
    { ROW("relu", "fused RELU", .only = FUSING), .a = DIMS(1, 3, 3, 6), .b = DIMS(1, 3, 3, 6),
      .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1", .only = FUSING), .a = DIMS(1, 3, 3, 6),
      .b = DIMS(1, 3, 3, 6), .activation = 2 },
    { ROW("relu6", "fused RELU6", .scale = 4, .only = FUSING), .a = DIMS(1, 3, 3, 6),
      .b = DIMS(1, 3, 3, 6), .activation = 3 },
    { ROW("relu6_linear", "fused RELU6 after broadcasting", .scale = 4, .only = FUSING),
      .a = DIMS(2, 3, 2, 5), .b = DIMS(5), .constant = CONST_B, .activation = 3 },
    { ROW("half_sum", "sums around the largest f16", .gap = GAP_HALF_RANGE, .only = "add maximum",
          .scale = 3000, .offset = 3e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 3, 5), .b = DIMS(1, 3, 3, 5) },
    { ROW("half_product", "products around the largest f16", .gap = GAP_HALF_RANGE, .only = "mul",
          .scale = 30, .offset = 250, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .a = DIMS(1, 3, 3, 5), .b = DIMS(1, 3, 3, 5) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .a = DIMS(1, 2, 2, 6), .b = DIMS(1, 2, 2, 6) },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .a = DIMS(1, 2, 2, 6), .b = DIMS(1, 2, 2, 6) },
    { ROW("half_difference", "differences around the largest f16", .only = "sub minimum",
          .scale = 4e4, .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .a = DIMS(1, 3, 3, 5), .b = DIMS(1, 3, 3, 5) },
    { ROW("every_pair", "every pair of bytes", .types = TYPES_BYTES, .every_byte = 2),
      .a = DIMS(1, 64, 256, 4), .b = DIMS(1, 64, 256, 4) },
    { ROW("every_pair_odd", "every pair of bytes, zero points at the end, other factors",
          .only = FUSING, .types = TYPES_BYTES, .every_byte = 2,
          .quant = { .in = 0.037, .in2 = 0.61, .zero = ZERO_LOW }),
      .a = DIMS(1, 64, 256, 4), .b = DIMS(1, 64, 256, 4) },
    { ROW("half_squares", "products of 1e4 and more: most are beyond f16", .only = "mul",
          .scale = 1e4, .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .a = DIMS(1, 3, 3, 5), .same = true },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("product_rounded",
          "the product of the scales is a power of two in f32, and less in double", .only = "mul",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED),
      .a = DIMS(1, 8, 8, 8), .b = DIMS(1, 8, 8, 8) },
    { ROW("product_rounded_b", "the same for other scales", .only = "mul", .types = TYPES_BYTES,
          QUANT_PRODUCT_ROUNDED_B),
      .a = DIMS(1, 8, 8, 8), .b = DIMS(1, 8, 8, 8) },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .only = FUSING, .types = TYPES_BYTES, QUANT_SIX_TIE),
      .a = DIMS(1, 4, 4, 5), .b = DIMS(1, 4, 4, 5), .activation = 3 },
    { ROW("one_tie", "1 and -1 are ties of the result's steps in f32, and below one in double",
          .only = FUSING, .types = TYPE_BIT(CASE_I8), QUANT_ONE_TIE),
      .a = DIMS(1, 4, 4, 5), .b = DIMS(1, 4, 4, 5), .activation = 2 },
    { ROW("places90300", "90,300 places, a value for each channel", LARGE),
      .a = DIMS(1, 300, 301, 3), .b = DIMS(3) },
    { ROW("places90300_pixel", "90,300 places, a value for each pixel", LARGE, .only = "mul"),
      .a = DIMS(1, 300, 301, 3), .b = DIMS(1, 300, 301, 1) },
    { ROW("columns70001", "columns beyond 65,536, each operand broadcast", LARGE, .only = "sub"),
      .a = DIMS(1, 70001), .b = DIMS(2, 1) },
    { ROW("rows70001", "rows beyond 65,536", LARGE, .only = "add"), .a = DIMS(70001, 3),
      .b = DIMS(70001, 1) },
    { ROW("nan_left", "NaN on the left", .only = "maximum minimum add mul",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .a = DIMS(1, 3, 4, 7), .b = DIMS(1, 3, 4, 7) },
    { ROW("nan_broadcast", "NaN in the operand that is broadcast", .only = "maximum minimum",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .a = DIMS(7), .b = DIMS(1, 3, 4, 7) },
    { ROW("full_mantissas", "operands that f16 rounds: to nearest, not toward zero",
          .only = "maximum minimum", .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_POSITIVE),
          .scale = -1, .full_mantissas = true),
      .a = DIMS(1, 7, 7, 13), .b = DIMS(1, 7, 7, 13) },
    { ROW("full_mantissas_const", "a constant that f16 rounds", .only = "maximum minimum",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .a = DIMS(1, 7, 7, 13), .b = DIMS(1, 7, 7, 13), .constant = CONST_B },
    { ROW("full_mantissas_linear", "a constant for each channel that f16 rounds",
          .only = "maximum minimum", .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_POSITIVE),
          .full_mantissas = true),
      .a = DIMS(1, 2, 2, 131), .b = DIMS(131), .constant = CONST_B },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .a = DIMS(0, 3, 2, 5), .b = DIMS(0, 3, 2, 5) },
    { ROW("empty_broadcast", "one value for each channel of no image", EMPTY),
      .a = DIMS(0, 3, 2, 5), .b = DIMS(1, 1, 1, 5), .constant = CONST_B },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special_a", LANES_SPECIAL), .a = SPECIAL_DIMS, .b = SPECIAL_DIMS },
    { ROW("lanes_special_b", LANES_SPECIAL, .values_of = 1), .a = SPECIAL_DIMS, .b = SPECIAL_DIMS },
    { ROW("pairs_special", PAIRS_SPECIAL), .a = PAIR_DIMS, .b = PAIR_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL), .a = DENORMAL_DIMS, .b = DIMS(5) },
    { ROW("lanes_ends_a", LANES_END(TYPES_BYTES)), .a = END_DIMS, .b = END_DIMS },
    { ROW("lanes_ends_b", LANES_END(TYPES_BYTES), .values_of = 1), .a = END_DIMS, .b = END_DIMS },
    { ROW("pairs_ends", PAIRS_END(TYPES_BYTES)), .a = PAIR_END_DIMS, .b = PAIR_END_DIMS },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .a = DIMS(66001, 1), .b = DIMS(66001, 1) },
    { ROW("places66001_pixel", "66,001 places, a value for each", .types = TYPE_BIT(CASE_I8),
          .period = SHORT_PERIOD, .only = "mul maximum"),
      .a = DIMS(66001, 2), .b = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", LARGE_F32), .a = DIMS(1, 66001), .b = DIMS(66001) },
    { ROW("constant66016", "a constant of 66,016 elements",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)), .only = "add mul"),
      .a = DIMS(4126, 16), .b = DIMS(4126, 16), .constant = CONST_B },
    { ROW("channels66001_rows", "66,001 channels, a value for each",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)), .only = "mul maximum"),
      .a = DIMS(2, 66001), .b = DIMS(66001) },
    { ROW("zero_apart", "zero points at opposite ends: differences and sums as large as they get",
          .types = TYPES_BYTES, .quant = { .in = 0.05, .in2 = 0.05, .zero = ZERO_APART },
          .only = FUSING),
      .a = DIMS(1, 8, 8, 4), .b = DIMS(1, 8, 8, 4) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank3_scalar", "rank 0 against rank 3", REAL(TYPE_BIT(CASE_F32)), .only = "mul"),
      .a = DIMS(2, 3, 5), .b = SCALAR },
    { ROW("rank2_scalar", "rank 0 against a matrix", REAL(TYPE_BIT(CASE_F32)), .only = "mul"),
      .a = DIMS(3, 5), .b = SCALAR },
    { ROW("rank1_scalar", "rank 0 against a vector", REAL(TYPE_BIT(CASE_F32)), .only = "add mul"),
      .a = DIMS(7), .b = SCALAR },
    { ROW("rank3_scalar_const_b", "a constant of rank 0, rank 3",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)), .only = "add mul"),
      .a = DIMS(2, 3, 5), .b = SCALAR, .constant = CONST_B },
    { ROW("rank2_scalar_const_b", "a constant of rank 0, a matrix", REAL(TYPE_BIT(CASE_F32)),
          .only = "mul"),
      .a = DIMS(3, 5), .b = SCALAR, .constant = CONST_B },
    { ROW("rank1_scalar_const_b", "a constant of rank 0, a vector", REAL(TYPE_BIT(CASE_F32)),
          .only = "mul"),
      .a = DIMS(7), .b = SCALAR, .constant = CONST_B },
    { ROW("rank1_scalar_const_a", "a vector from a constant of rank 0", REAL(TYPE_BIT(CASE_F32)),
          .only = "sub"),
      .a = SCALAR, .b = DIMS(7), .constant = CONST_A },
    { ROW("rank0_const_b", "a constant of rank 0, rank 0", REAL(TYPE_BIT(CASE_F32)), .only = "add"),
      .a = SCALAR, .b = SCALAR, .constant = CONST_B },
    { ROW("rank1_const_b", "a constant vector", REAL(TYPE_BIT(CASE_F32)), .only = "mul"),
      .a = DIMS(7), .b = DIMS(7), .constant = CONST_B },
    { ROW("rank2_linear_const_b", "a constant for each channel of rows", REAL(TYPE_BIT(CASE_F32)),
          .only = "add"),
      .a = DIMS(3, 5), .b = DIMS(5), .constant = CONST_B },
    { ROW("rank3_linear", "a value for each channel, rank 3", REAL(TYPE_BIT(CASE_F32)),
          .only = "mul"),
      .a = DIMS(2, 3, 5), .b = DIMS(5) },
    { ROW("image_scalar_const_b", "a constant of rank 0, an image", REAL(TYPE_BIT(CASE_I8)),
          .only = "add mul"),
      .a = DIMS(1, 3, 3, 5), .b = SCALAR, .constant = CONST_B },
    { ROW("image_scalar_const_b_relu6", "a constant of rank 0 and RELU6", REAL(TYPE_BIT(CASE_I8)),
          .only = "add"),
      .a = DIMS(1, 3, 3, 5), .b = SCALAR, .constant = CONST_B, .activation = 3 },
    { ROW("linear_const_b_relu", "a constant for each channel and RELU", REAL(TYPE_BIT(CASE_I8)),
          .only = "add"),
      .a = DIMS(1, 3, 3, 5), .b = DIMS(5), .constant = CONST_B, .activation = 1 },
    { ROW("linear_const_a_bytes", "the image from a constant for each channel",
          REAL(TYPE_BIT(CASE_I8)), .only = "sub"),
      .a = DIMS(5), .b = DIMS(1, 3, 3, 5), .constant = CONST_A },
    { ROW("map_const_b", "a constant image of rank 3", REAL(TYPE_BIT(CASE_I8)), .only = "mul"),
      .a = DIMS(1, 3, 2, 5), .b = DIMS(3, 2, 5), .constant = CONST_B },
    { ROW("rank3_same", "rank 3", REAL(TYPE_BIT(CASE_I8)), .only = "add"), .a = DIMS(2, 3, 5),
      .b = DIMS(2, 3, 5) },
    { ROW("rank3_const_b", "a constant of rank 3", REAL(TYPE_BIT(CASE_I8)), .only = "add"),
      .a = DIMS(2, 3, 5), .b = DIMS(2, 3, 5), .constant = CONST_B },
    { ROW("rank3_const_a", "from a constant of rank 3", REAL(TYPE_BIT(CASE_I8)), .only = "sub"),
      .a = DIMS(2, 3, 5), .b = DIMS(2, 3, 5), .constant = CONST_A },
    { ROW("constant66016_const_a", "from a constant of 66,016 elements", LARGE_F32, .only = "sub"),
      .a = DIMS(4126, 16), .b = DIMS(4126, 16), .constant = CONST_A },
    { ROW("no_scale", WITHOUT_SCALES, .only = "maximum minimum"), .a = DIMS(2, 3, 5),
      .b = DIMS(5) },
    { ROW("longs", "indices of i64", REAL(TYPE_BIT(CASE_F32)), .only = "maximum minimum"),
      .a = DIMS(3, 2, 9), .longs = true },
};

/* How the operands of a member are filled. */
static const struct operands {
    int32_t code;
    struct fill a, b;
} operands[] = {
    /* In S3 the second summand is nearly minus the first. */
    { BUILTIN_ADD,
      { .terms = 2, .factors = 1 },
      { .terms = 2, .factors = 1, .pair = PAIR_MIRROR } },
    { BUILTIN_SUB, { .terms = 2, .factors = 1 }, { .terms = 2, .factors = 1 } },
    { BUILTIN_MUL, { .terms = 1, .factors = 2 }, { .terms = 1, .factors = 2 } },
    { BUILTIN_MAXIMUM, { .terms = 1, .factors = 1 }, { .terms = 1, .factors = 1 } },
    { BUILTIN_MINIMUM, { .terms = 1, .factors = 1 }, { .terms = 1, .factors = 1 } },

};

static void build_longs(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_MaximumMinimumOptions };
    const struct value x = { case_input(m, "x", &r->a, &operands[0].a), r->a, -1 };
    const struct value first =
        graph_add_best(m, BUILTIN_ARG_MAX, OPTIONS_ArgMaxOptions, x, 2, TENSOR_INT64);
    const int in[] = {
        first.tensor,
        graph_add_best(m, BUILTIN_ARG_MIN, OPTIONS_ArgMinOptions, x, 2, TENSOR_INT64).tensor
    };

    case_judged_op(m, &options, 2, in, case_output_of(m, "y", &first.shape, TENSOR_INT64));
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    if (r->longs) {
        build_longs(m, r);
        return;
    }
    const struct shape out = r->same ? r->a : shape_broadcast(&r->a, &r->b);
    const struct operands *k = operands;
    struct options options;
    int in[2];

    while (k->code != m->c->code)
        k++;
    in[0] = case_operand(m, r->constant != CONST_A, "a", &r->a, &k->a);
    if (r->same)
        in[1] = in[0];
    else
        in[1] = case_operand(m, r->constant != CONST_B, "b", &r->b, &k->b);
    options_init(&options, ref_find(m->c->code)->options_tag);
    if (op_facts_find(m->c->code)->fused_activation)
        options_set_int(&options, "fused_activation_function", r->activation);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

/* ---- sweeps: which operand is broadcast in which dimension ---- */

/* One axis for each dimension: x is 1 where operand a has the dimension, y is 1 where b has it.  An
 * operand that has not is broadcast. */
enum { MOST_RANK = 6, PATTERNS = 3 + 9 + 27 + 81 + 243 + 729 };
static const struct pairwise_level sides[] = { { "n", 1, 1 }, { "a", 1, 0 }, { "b", 0, 1 } };
static const struct pairwise_level channels[] = {
    { "c5", 5, 0 }, { "c4", 4, 0 }, { "c3", 3, 0 }, { "c6", 6, 0 }, { "c9", 9, 0 },
};
/* Whether an operand whose first dimensions are 1 has them, or is of a lower rank. */
static const struct pairwise_level ranks[] = { { "", false, 0 }, { "short", true, 0 } };
static const struct pairwise_level constants[] = { { "", CONST_NONE, 0 },
                                                   { "ca", CONST_A, 0 },
                                                   { "cb", CONST_B, 0 } };
enum { CHANNEL, RANKS, CONSTANTS, ACTIVATION, BEHIND }; /* the axes after those of dimensions */
static const struct pairwise_axis axes[MOST_RANK + BEHIND] = {
    PAIRWISE_AXIS(sides),     PAIRWISE_AXIS(sides), PAIRWISE_AXIS(sides),    PAIRWISE_AXIS(sides),
    PAIRWISE_AXIS(sides),     PAIRWISE_AXIS(sides), PAIRWISE_AXIS(channels), PAIRWISE_AXIS(ranks),
    PAIRWISE_AXIS(constants), AXIS_ACTIVATIONS,
};

static void drop_ones(struct shape *s)
{
    int ones = 0;

    while (ones < s->rank - 1 && s->d[ones] == 1)
        ones++;
    s->rank -= ones;
    for (int i = 0; i < s->rank; i++)
        s->d[i] = s->d[i + ones];
}

static void set_shapes(struct row *r, int rank, const struct pairwise_level *const *side,
                       int32_t last)
{
    static const int32_t extents[MOST_RANK] = { 2, 2, 3, 2, 3, 2 };

    r->a.rank = r->b.rank = rank;
    for (int i = 0; i < rank; i++) {
        const int32_t n = i == rank - 1 ? last : extents[MOST_RANK - rank + i];

        r->a.d[i] = side[i]->x ? n : 1;
        r->b.d[i] = side[i]->y ? n : 1;
    }
}

static struct row swept_row(const struct pairwise_row *p, int rank, bool fuses)
{
    const struct pairwise_level *const *const level = &p->level[rank];
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: which operand is broadcast in which dimension",
                  .only = fuses ? FUSING : "maximum minimum",
                  .types = ONE_IN_FOUR_TYPES(p->position) },
        .constant = (enum constant)level[CONSTANTS]->x,
        .activation = fuses ? level[ACTIVATION]->x : 0,
    };

    set_shapes(&r, rank, p->level, level[CHANNEL]->x);
    if (level[RANKS]->x) {
        drop_ones(&r.a);
        drop_ones(&r.b);
    }
    if (r.activation == 3)
        r.base.scale = 4;
    return r;
}

static struct row fusing_row(const struct pairwise_row *p)
{
    return swept_row(p, (int)p->axis_count - BEHIND, true);
}

static struct row plain_row(const struct pairwise_row *p)
{
    return swept_row(p, (int)p->axis_count - ACTIVATION, false);
}

/* The sweep of a rank: the axes of its dimensions, which are the last ones, and those after them.
 */
#define PARTS_OF_RANK(rank)                                                                        \
    SWEEP_PART_OF(plain_row, &axes[MOST_RANK - (rank)], (rank) + ACTIVATION),                      \
        SWEEP_PART_OF(fusing_row, &axes[MOST_RANK - (rank)], (rank) + BEHIND)

/* Every pattern of a rank, for SUB: swapped operands change its result. */
static size_t patterns_of_rank(int rank, char names[][16], size_t position, struct row *out)
{
    static const int32_t last[] = { 5, 4, 3, 6, 9, 2, 7, 8 };
    size_t patterns = 1;

    for (int i = 0; i < rank; i++)
        patterns *= 3;
    for (size_t n = 0; n < patterns; n++) {
        const struct pairwise_level *side[MOST_RANK];
        size_t rest = n;

        strcpy(names[n], "every_");
        for (int i = 0; i < rank; i++, rest /= 3) {
            side[i] = &sides[rest % 3];
            strcat(names[n], side[i]->label);
        }
        out[n] = (struct row){ .base = { .name = names[n],
                                         .why = "every pattern of broadcasting up to rank 6",
                                         .gap = GAP_BROADCAST,
                                         .only = "sub" } };
        if (rank > 4) { /* there are many: two data sets only, and constants in turn */
            out[n].base.sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS);
            out[n].constant = (enum constant)(n % 3);
        }
        out[n].base.types = ONE_IN_FOUR_TYPES(position + n);
        out[n].base.floats = n % 8 != 0;
        set_shapes(&out[n], rank, side, last[n % (sizeof last / sizeof last[0])]);
    }
    return patterns;
}

static size_t every_pattern(struct row *out, size_t position)
{
    static char names[PATTERNS][16];
    size_t count = 0;

    for (int rank = 1; rank <= MOST_RANK; rank++)
        count += patterns_of_rank(rank, &names[count], position + count, &out[count]);
    return count;
}

/* ---- sweep: scales and zero points ---- */

/* One sweep for ADD and SUB, one for MUL, whose multipliers are others. */
enum { Q_MULTIPLIERS, Q_ZERO, Q_ZERO_OUT, Q_ACTIVATION, Q_CONSTANT };
static const struct pairwise_axis sum_axes[] = { QUANT_MULTIPLIERS_OF_SUMS, QUANT_ZEROS,
                                                 QUANT_ZEROS_OUT, AXIS_ACTIVATIONS,
                                                 PAIRWISE_AXIS(constants) };
static const struct pairwise_axis product_axes[] = { QUANT_MULTIPLIERS_OF_PRODUCTS, QUANT_ZEROS,
                                                     QUANT_ZEROS_OUT, AXIS_ACTIVATIONS,
                                                     PAIRWISE_AXIS(constants) };

static struct row quantized_row(const struct pairwise_row *p, const char *only)
{
    const struct pairwise_level *const *const level = p->level;
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: multipliers, zero points, activation",
                  .only = only,
                  .types = TYPES_BYTES,
                  .quant =
                      quant_row_of(level[Q_MULTIPLIERS], level[Q_ZERO], level[Q_ZERO_OUT], NULL) },
        .a = DIMS(1, 3, 4, 5),
        .b = DIMS(1, 3, 4, 5),
        .constant = (enum constant)level[Q_CONSTANT]->x,
        .activation = level[Q_ACTIVATION]->x,
    };

    if (p->index % 3 == 1)
        *(p->index % 2 ? &r.a : &r.b) = (struct shape)DIMS(5);
    return r;
}

static struct row sum_row(const struct pairwise_row *p)
{
    return quantized_row(p, "add sub");
}

static struct row product_row(const struct pairwise_row *p)
{
    struct row r = quantized_row(p, "mul");

    r.base.version = 3; /* the first version that has multipliers over 1 */
    return r;
}

SUITE_SWEEP(sweep, PARTS_OF_RANK(2), PARTS_OF_RANK(3), PARTS_OF_RANK(4), PARTS_OF_RANK(5),
            PARTS_OF_RANK(6), SWEEP_FILL(every_pattern), SWEEP_PART(sum_row, sum_axes),
            SWEEP_PART(product_row, product_axes))
SUITE_SWEPT(binary, members, rows, build, sweep);
