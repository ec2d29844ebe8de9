/* More elementwise ops of one input: TANH, GELU, ABS, ..., LOGICAL_NOT; the others are in unary.c.
 * A few shapes each, values around what each function has of its own, and every byte. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/kernels/op.h"

#include <float.h>
#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    float alpha;      /* LEAKY_RELU; 0: that of most rows */
    bool approximate; /* GELU */
};

enum {
    CLAMPS = SETS_MOVE | SET_BIT(SET_SPREAD),
    SMOOTH = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS),
    FLOATS = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF),
    F32 = TYPE_BIT(CASE_F32),
    I8 = TYPE_BIT(CASE_I8)
};

/* ---- ranges of quantized results ---- */

static struct case_interval range_tanh(struct case_node *n)
{
    (void)n;
    return (struct case_interval){ -1, 127. / 128 };
}

static struct case_interval range_gelu(struct case_node *n)
{
    return (struct case_interval){ -0.17, fmax(0.17, case_scale_interval(n->in[0]).high) };
}

static struct case_interval range_elu(struct case_node *n)
{
    return (struct case_interval){ -1, fmax(0.25, case_scale_interval(n->in[0]).high) };
}

/* Slopes lie within -1 and 2. */
static struct case_interval range_leaky_relu(struct case_node *n)
{
    const struct case_interval x = case_scale_interval(n->in[0]);

    return (struct case_interval){ fmin(x.low, -x.high / 8), fmax(x.high, -x.low / 2) };
}

/* In half of the cases the range ends at the clamps, in the others these lie inside it. */
static struct case_interval range_clamp(struct case_node *n)
{
    const double more = random_next(&n->stream) >> 63 ? 0 : 0.4;
    const double low = n->m->c->code == BUILTIN_RELU_0_TO_1 ? 0 : -1;

    return (struct case_interval){ low - more, 1 + more };
}

static struct case_interval range_abs(struct case_node *n)
{
    const struct case_interval x = case_scale_interval(n->in[0]);

    return (struct case_interval){ 0, fmax(-x.low, x.high) };
}

static struct case_interval range_neg(struct case_node *n)
{
    const struct case_interval x = case_scale_interval(n->in[0]);

    return (struct case_interval){ -x.high, -x.low };
}

static struct case_interval range_sqrt(struct case_node *n)
{
    return (
        struct case_interval){ 0, sqrt(fmax(n->in[0]->scale, case_scale_interval(n->in[0]).high)) };
}

/* The result for two steps and a half; it is larger for one and for none. */
static struct case_interval range_rsqrt(struct case_node *n)
{
    return (struct case_interval){ 0, 1 / sqrt(2.5 * n->in[0]->scale) };
}

static struct case_interval range_log(struct case_node *n)
{
    (void)n;
    return (struct case_interval){ -4, 4 };
}

/* ---- random graphs ---- */

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const int32_t code = call->member->code;
    const double peak = call->in[0].peak;

    if (code == BUILTIN_SQUARE && peak > 8)
        return false;
    call->out.peak = code == BUILTIN_SQUARE                                 ? peak * peak
                     : code == BUILTIN_TANH || code == BUILTIN_RELU_N1_TO_1 ? 1
                                                                            : peak;
    call->out.value = graph_add_unary(m, code, call->in[0].value);
    return true;
}

#define RANDOM .random = { .operands = RANDOM_ONE, .add = add_random }

/* ---- members: TOLERANCES.md 3.11 ---- */

#define BITS .bound = { .kind = BOUND_BITS }
#define ROUNDED(ulps_, units_, slope)                                                              \
    .bound = { .kind = BOUND_ROUNDED, .ulps = (ulps_), .units = (units_), .lipschitz = (slope) }

static const struct suite_member members[] = {
    { SUITE_OP("tanh", TANH, 1), .types = FLOATS | TYPES_BYTES, .sets = SMOOTH,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 16, .relative = 1, .lipschitz = 1 },
      .range = range_tanh, RANDOM },
    { SUITE_OP("gelu", GELU, 1), .types = FLOATS | TYPES_BYTES, .sets = SMOOTH,
      .bound = { .kind = BOUND_ROUNDED,
                 .ulps = 1,
                 .units = 12,
                 .lipschitz = 1.13,
                 .runtime_units = 3.5 },
      .range = range_gelu, RANDOM },
    { SUITE_OP("elu", ELU, 1), .types = F32 | I8, .sets = SMOOTH,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 9, .relative = 3, .lipschitz = 1 },
      .range = range_elu },
    { SUITE_OP("leaky_relu", LEAKY_RELU, 1), .types = F32 | TYPES_BYTES, .sets = CLAMPS,
      ROUNDED(1, 0, 2), .range = range_leaky_relu },
    { SUITE_OP("relu_n1_to_1", RELU_N1_TO_1, 1), .types = F32 | TYPES_BYTES, .sets = CLAMPS, BITS,
      .range = range_clamp, RANDOM },
    { SUITE_OP("relu_0_to_1", RELU_0_TO_1, 1), .types = F32 | TYPES_BYTES, .sets = CLAMPS, BITS,
      .range = range_clamp },
    { SUITE_OP("abs", ABS, 1), .types = F32 | I8 | TYPE_BIT(CASE_I32), .sets = CLAMPS,
      .i32_version = 5, .bound = { .kind = BOUND_BITS, .lipschitz = 1 }, .range = range_abs,
      RANDOM },
    { SUITE_OP("neg", NEG, 1), .types = FLOATS | I8 | TYPE_BIT(CASE_I32), .sets = CLAMPS, BITS,
      .range = range_neg, RANDOM },
    { SUITE_OP("sqrt", SQRT, 1), .types = F32 | I8,
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE), ROUNDED(2.5, 4, 0),
      .range = range_sqrt },
    { SUITE_OP("rsqrt", RSQRT, 1), .types = F32 | I8,
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE), ROUNDED(2.5, 9, 0),
      .range = range_rsqrt },
    { SUITE_OP("square", SQUARE, 1), .types = F32, .sets = SMOOTH, ROUNDED(1, 0, 16), RANDOM },
    { SUITE_OP("log", LOG, 1), .types = F32 | I8,
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE), ROUNDED(4, 8, 0), .range = range_log },
    { SUITE_OP("sin", SIN, 1), .types = FLOATS, .sets = SMOOTH, ROUNDED(0, 8, 1) },
    { SUITE_OP("cos", COS, 1), .types = FLOATS, .sets = SMOOTH, ROUNDED(0, 8, 1) },
    { SUITE_OP("floor", FLOOR, 1), .types = FLOATS, .sets = CLAMPS, BITS },
    { SUITE_OP("ceil", CEIL, 1), .types = F32, .sets = CLAMPS, BITS },
    { SUITE_OP("round", ROUND, 1), .types = FLOATS, .sets = CLAMPS, BITS },
    { SUITE_OP("sign", SIGN, 1), .types = F32 | TYPE_BIT(CASE_I32), .sets = CLAMPS,
      .i32_version = 2, BITS },
    { SUITE_OP("logical_not", LOGICAL_NOT, 1), .types = TYPE_BIT(CASE_BOOL), BITS },
};

/* ---- rows ---- */

/* The shapes that every op is run with: in all types, or in a few. */
#define COMMON(name, why, only_, types_, ...)                                                      \
    {                                                                                              \
        ROW(name, why, .only = only_, .types = types_, .scale = 2), .in = __VA_ARGS__              \
    }
#define COMMON_ROWS(ops, all, few)                                                                 \
    COMMON("c1", "one channel", ops, all, DIMS(1, 3, 5, 1)),                                       \
        COMMON("c3", "channels in slices of four", ops, all, DIMS(1, 3, 5, 3)),                    \
        COMMON("c4", "one slice", ops, all, DIMS(1, 3, 5, 4)),                                     \
        COMMON("c5", "channels in slices of four", ops, all, DIMS(1, 3, 5, 5)),                    \
        COMMON("c8", "two slices", ops, few, DIMS(1, 3, 5, 8)),                                    \
        COMMON("c33", "channels in slices of four", ops, few, DIMS(1, 2, 3, 33)),                  \
        COMMON("n65", "one element more than a workgroup", ops, all, DIMS(1, 65)),                 \
        COMMON("n257", "lengths next to sizes of workgroups", ops, few, DIMS(1, 257)),             \
        COMMON("n1025", "lengths next to sizes of workgroups", ops, few, DIMS(1, 1025)),           \
        COMMON("rank0", "a scalar", ops, all, SCALAR),                                             \
        COMMON("rank1", "a vector that does not fill its last slice", ops, all, DIMS(7)),          \
        COMMON("rank1_one", "a vector of one", ops, few, DIMS(1)),                                 \
        COMMON("rank2", "a matrix of odd extents", ops, few, DIMS(3, 5)),                          \
        COMMON("rank3", "[B, T, C]", ops, all, DIMS(2, 3, 5)),                                     \
        COMMON("rank5", "five dimensions", ops, all, DIMS(2, 1, 3, 2, 5)),                         \
        COMMON("rank6", "six dimensions", ops, few, DIMS(2, 1, 3, 1, 2, 7)),                       \
        COMMON("batch2", "a batch of more than one image", ops, few, DIMS(2, 3, 2, 4)),            \
        COMMON("batch3_c5", "a batch, channels that do not fill a slice", ops, all,                \
               DIMS(3, 2, 2, 5)),                                                                  \
        COMMON("batch7", "an odd batch", ops, few, DIMS(7, 1, 2, 3)),                              \
        COMMON("prime", "prime extents", ops, few, DIMS(1, 5, 7, 11)),                             \
    {                                                                                              \
        ROW("v", "every version of the op means the same", .each_version = true, .only = ops,      \
            .types = all),                                                                         \
            .in = DIMS(1, 2, 3, 6)                                                                 \
    }
#define EVERY_BYTE(name, why, ...)                                                                 \
    ROW(name, why, .types = TYPES_BYTES, .every_byte = 1, __VA_ARGS__), .in = DIMS(1, 4, 16, 4)
/* The types of rows of shapes: where they would leave few cases, all that the op has. */
#define SHAPES                                                                                     \
    "tanh gelu elu leaky_relu relu_n1_to_1 relu_0_to_1 abs neg sqrt rsqrt square log sin "         \
    "cos floor ceil round sign"
#define ROOTS      "sqrt rsqrt"
#define SATURATING "tanh elu gelu"
#define ANGLES     "sin cos"
#define STEPPED    "floor ceil round sign"
#define FIXED      "leaky_relu relu_n1_to_1 relu_0_to_1 abs"

static const float halves[] = { -2.5F, -1.5F,   -0.5F,    0.5F,        1.5F,   2.5F,
                                3.5F,  -3.5F,   -0.0F,    0.25F,       -0.75F, 1023.5F,
                                -1.0F, 2047.0F, -2048.0F, 0.49951172F, 7.0F };
static const float specials[] = {
    NAN, INFINITY, -INFINITY, 1, -2, 0.5F, NAN, 3, -0.75F, INFINITY, 4
};
/* Reduced to near 0 and pi / 2, where the error of a multiple of pi is most of the result. */
static const float multiples[] = { 3.140625F, 1.5703125F, -6.28125F, 22,  355,
                                   -710,      44,         11,        333, -1.5F };
static const float domain[] = { 0, 1, -1, 4, 0.25F, -0.5F, 2, 1024, 0.0009765625F, -64, 9 };

static const struct row rows[] = {
    COMMON_ROWS(SHAPES, 0, F32),
    COMMON_ROWS("logical_not", TYPE_BIT(CASE_BOOL), TYPE_BIT(CASE_BOOL)),
    { ROW("empty_batch", "no image at all", .types = F32, EMPTY_TENSOR, .only = SHAPES),
      .in = DIMS(0, 3, 2, 5) },
    { ROW("small", "near 0, where the digits of a difference would be lost", .scale = 1e-3,
          .types = F32, .only = SHAPES),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("large", "far from 0", .scale = 50, .types = F32, .only = SHAPES),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("large_half", "far from 0, in f16", .scale = 50, .types = TYPE_BIT(CASE_HALF),
          .only = "tanh gelu neg sin cos floor round", .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("specials", "infinities and NaN among numbers", .types = F32, .sets = SET_BIT(SET_RANDOM),
          VALUES(specials),
          .only = "tanh gelu elu leaky_relu relu_n1_to_1 relu_0_to_1 abs neg sqrt rsqrt square log "
                  "sin cos floor ceil round sign"),
      .in = DIMS(1, 3, 4, 7) },
    /* What one op or a few have of their own. */
    { ROW("tails", "results near their limits", .scale = 8, .only = SATURATING, .types = F32,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 5, 5, 7) },
    { ROW("below", "below 0", .offset = -2, .scale = 0.75, .only = SATURATING, .types = F32),
      .in = DIMS(1, 5, 5, 7) },
    { ROW("seam", "around 0.6, where TANH and ELU change their formula", .scale = 0.02,
          .offset = 0.625, .only = SATURATING, .types = F32, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("seam_below", "around -0.5", .scale = 0.02, .offset = -0.5, .only = SATURATING,
          .types = F32, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("approximate", "GELU by tanh", .only = "gelu"), .in = DIMS(1, 3, 5, 7),
      .approximate = true },
    { ROW("approximate_large", "GELU by tanh, far from 0", .only = "gelu", .types = F32,
          .scale = 40),
      .in = DIMS(1, 3, 5, 7), .approximate = true },
    { EVERY_BYTE("approximate_bytes", "GELU by tanh of every byte", .only = "gelu",
                 .quant = { .in = 0.0371 }),
      .approximate = true },
    { ROW("alpha_negative", "a negative slope", .only = "leaky_relu", .types = F32 | TYPES_BYTES),
      .in = DIMS(1, 3, 5, 7), .alpha = -0.5F },
    { ROW("alpha_steep", "a slope above 1", .only = "leaky_relu", .types = F32 | TYPES_BYTES),
      .in = DIMS(1, 3, 5, 7), .alpha = 1.75F },
    { ROW("alpha_tiny", "a slope of 1e-6", .only = "leaky_relu", .types = F32 | TYPES_BYTES),
      .in = DIMS(1, 3, 5, 7), .alpha = 1e-6F },
    { ROW("domain", "0, and numbers below it", .only = "sqrt log rsqrt", .types = F32,
          .sets = SET_BIT(SET_RANDOM), VALUES(domain)),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("near_one", "around 1, where LOG is near 0", .only = "log sqrt rsqrt", .types = F32,
          .scale = 1e-3, .offset = 1),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("huge", "near 1e30", .only = "log sqrt rsqrt abs neg", .types = F32, .scale = 1e30,
          .overflow = true),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("tiny", "near 1e-30", .only = "log sqrt rsqrt abs neg", .types = F32, .scale = 1e-30,
          .overflow = true),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("overflow", "squares beyond f32", .only = "square", .types = F32, .scale = 1e20,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("turns", "many turns", .only = ANGLES, .types = F32, .scale = 1000,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 5, 5, 7) },
    { ROW("turns_far", "angles up to 25,000", .only = ANGLES, .types = F32, .scale = 6000,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 5, 5, 7) },
    { ROW("multiples", "next to multiples of pi / 2", .only = ANGLES, .types = F32,
          .sets = SET_BIT(SET_RANDOM), VALUES(multiples)),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("one_turn", "from -pi to pi", .only = ANGLES, .types = FLOATS, .scale = 1.2,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 9, 9, 7) },
    { ROW("halves", "ties and whole numbers", .only = STEPPED " abs neg", .types = F32,
          .sets = SET_BIT(SET_RANDOM), VALUES(halves)),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("whole", "numbers without a fraction", .only = STEPPED, .types = F32, .scale = 1e8),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("halves", "ties and whole numbers", .only = "floor round neg",
          .types = TYPE_BIT(CASE_HALF), .sets = SET_BIT(SET_RANDOM), VALUES(halves)),
      .in = DIMS(1, 3, 5, 7) },
    { ROW("fractions", "many fractions", .only = STEPPED, .types = F32, .scale = 10),
      .in = DIMS(1, 9, 9, 7) },
    { ROW("image", "an image", .only = "logical_not", .types = TYPE_BIT(CASE_BOOL)),
      .in = DIMS(1, 9, 11, 3) },
    { ROW("n63", "lengths next to sizes of workgroups", .only = "logical_not",
          .types = TYPE_BIT(CASE_BOOL)),
      .in = DIMS(1, 63) },
    { ROW("rank8", "eight dimensions", .only = "square ceil", .types = F32),
      .in = DIMS(1, 2, 1, 3, 1, 2, 1, 5) },
    { ROW("rank8", "eight dimensions", .only = "logical_not", .types = TYPE_BIT(CASE_BOOL)),
      .in = DIMS(1, 2, 1, 3, 1, 2, 1, 5) },
    { ROW("any_i32", "any 32 bits", .only = "abs neg sign", .types = TYPE_BIT(CASE_I32)),
      .in = DIMS(1, 5, 7, 9) },
    { ROW("n257_whole", "an odd number of elements", .only = "abs neg sign logical_not",
          .types = TYPES_WHOLE),
      .in = DIMS(1, 257) },
    { ROW("c2_whole", "half a slice", .only = "abs neg sign logical_not", .types = TYPES_WHOLE),
      .in = DIMS(2, 3, 3, 2) },
    /* 8 bits. */
    { EVERY_BYTE("every_byte", "every byte", .quant = { .in = 0.0371 }) },
    { EVERY_BYTE("every_byte_coarse", "every byte, a scale over 1", .quant = { .in = 1.3 }) },
    { EVERY_BYTE("every_byte_low", "every byte, none below 0",
                 .quant = { .in = 0.02, .zero = ZERO_LOW }) },
    { EVERY_BYTE("every_byte_high", "every byte, none above 0",
                 .quant = { .in = 0.02, .zero = ZERO_HIGH },
                 .only = "tanh gelu elu leaky_relu relu_n1_to_1 relu_0_to_1 abs neg log") },
    { EVERY_BYTE("same_scale", "one scale for x and y", .quant = { .in = 0.05, .out = 0.05 }) },
    { EVERY_BYTE("quotient_rounded",
                 "the quotient of the scales makes another factor in f32 than in double",
                 QUANT_QUOTIENT_ROUNDED, .only = FIXED) },
    { EVERY_BYTE("quotient_left",
                 "the quotient of the scales makes another factor in f32 than in double",
                 QUANT_QUOTIENT_LEFT, .only = FIXED) },
    { EVERY_BYTE("ties", "half of the results are ties", .quant = { .in = 0.25, .out = 0.5 },
                 .only = FIXED " sqrt rsqrt log") },
    { EVERY_BYTE("finer", "results that saturate", .quant = { .in = 0.5, .out = 0.0123 }) },
    { EVERY_BYTE("root_a", "results that f32 and fixed point round apart",
                 .quant = { .in = 0.02521557, .out = 0.023990504 }, .only = ROOTS) },
    { EVERY_BYTE("one_tie", "1 is a tie of the result's steps in f32, and below one in double",
                 .quant = { .in = 0.05, .out = 0.0307692308, .zero_out = ZERO_MIDDLE },
                 .only = "relu_n1_to_1 relu_0_to_1") },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special", LANES_SPECIAL, .only = SHAPES), .in = SPECIAL_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL, .only = SHAPES), .in = DENORMAL_DIMS },
    { ROW("lanes_ends", LANES_END(END_TYPES)), .in = END_DIMS },
    { ROW("tiny", "below 1e-3, most below 1e-6, where results are nearly the inputs", .scale = 1e-6,
          .types = F32, .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_SPREAD),
          .only = SATURATING " sin"),
      .in = DIMS(1, 5, 5, 7) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", .types = F32 | I8 | TYPE_BIT(CASE_I32),
          .sets = SET_BIT(SET_POSITIVE), .period = SHORT_PERIOD, .only = SHAPES),
      .in = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", .types = F32, .sets = SET_BIT(SET_POSITIVE),
          .period = SHORT_PERIOD, .only = SHAPES),
      .in = DIMS(1, 66001) },
    { ROW("bytes_channels66001", "66,001 channels", .types = I8, .period = SHORT_PERIOD,
          .only = "tanh"),
      .in = DIMS(1, 66001) },
    { ROW("places66001", "66,001 places", .types = TYPE_BIT(CASE_BOOL), .period = SHORT_PERIOD,
          .only = "logical_not"),
      .in = DIMS(66001, 1) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("alpha_models", "the usual slope of 0.3", REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
          .only = "leaky_relu"),
      .in = DIMS(1, 3, 5, 7), .alpha = 0.3F },
};

/* Inputs of 8-bit roots begin at 0: the runtime fails below. */
static int add_input(struct case_builder *m, const struct row *r)
{
    const struct fill any = { .terms = 1, .factors = 1 };
    const bool is_root = m->c->code == BUILTIN_SQRT || m->c->code == BUILTIN_RSQRT;

    if (!is_root || !m->c->quantized)
        return case_input(m, "x", &r->in, &any);
    return case_input_scaled(m, "x", &r->in, m->c->type,
                             r->base.quant.in != 0 ? r->base.quant.in : 0.0313, INT8_MIN);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    struct options options;
    int x;

    options_init(&options, ref_find(m->c->code)->options_tag);
    if (m->c->code == BUILTIN_GELU)
        options_set_int(&options, "approximate", r->approximate);
    if (m->c->code == BUILTIN_LEAKY_RELU)
        options_set_float(&options, "alpha", r->alpha != 0 ? r->alpha : 0.2F);
    x = add_input(m, r);
    case_judged_op(m, options.tag ? &options : NULL, 1, &x, case_output(m, "y", &r->in));
}

SUITE(elementwise, members, rows, build);
