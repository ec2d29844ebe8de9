/* Elementwise ops of one input: RELU, RELU6, EXP, LOGISTIC, HARD_SWISH.  Every rank, slices of
 * four, one element more than a workgroup, and values on both sides of the clamps. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
};

/* SMOOTH: results are rounded. */
enum {
    CLAMPS = SETS_MOVE | SET_BIT(SET_SPREAD),
    SMOOTH = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS)
};

#define CLAMPING    "relu relu6"
#define REQUANTIZED CLAMPING " hard_swish"

/* The least result is -3/8, at -3/2; from 3 on results are the input.  The scale of the result has
 * to exceed that of the input / 128: in random graphs, whose inputs have any range, it does with
 * half of the scale that covers the range. */
static struct case_interval range_hard_swish(struct case_node *n)
{
    const struct case_interval x = case_scale_interval(n->in[0]);
    struct case_interval y = { x.low < -1.5 ? -0.375 : x.low / 2,
                               x.high < 1 ? x.high / 2 : x.high };

    if (n->m->c->row->unit_gain)
        y.high = fmax(y.high, y.low + 5 * n->in[0]->scale);
    return y;
}

/* EXP of what may be large would leave the range of f16. */
enum { EXP_PEAK_MAX = 4, EXP_PEAK = 55 };

/* In random graphs the scale of the input may stand for far larger numbers than it holds. */
static struct case_interval range_exp(struct case_node *n)
{
    struct case_interval y = case_range_exp(n);

    if (n->m->c->row->unit_gain)
        y.high = fmin(y.high, EXP_PEAK);
    return y;
}

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const int32_t code = call->member->code;
    const double peak = call->in[0].peak;

    if (code == BUILTIN_EXP && peak > EXP_PEAK_MAX)
        return false;
    call->out.peak = code == BUILTIN_EXP                   ? EXP_PEAK
                     : code == BUILTIN_LOGISTIC            ? 1
                     : code == BUILTIN_RELU6 && peak > 6.0 ? 6
                                                           : peak;
    call->out.value = graph_add_unary(m, code, call->in[0].value);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("relu", RELU, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES, .sets = CLAMPS,
      .bound = { .kind = BOUND_BITS }, .range = case_range_relu,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("relu6", RELU6, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES, .sets = CLAMPS,
      .bound = { .kind = BOUND_BITS }, .range = case_range_relu6,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("exp", EXP, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .sets = SMOOTH,
      .bound = { .kind = BOUND_EXP }, .range = range_exp,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("logistic", LOGISTIC, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES, .sets = SMOOTH,
      .bound = { .kind = BOUND_LOGISTIC },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    /* Roundings: a quotient, 2.5 ulp, a sum and a product, 2u of the result each, which is at
     * most 4u |x|.  Multiplied out, as (x * x + 3 * x) / 6, the products are off by 2u (x * x +
     * 3 |x|) / 6, at most 2u |x| where |x| < 3, and the sum by 2u of the result: no more.  The
     * slope is (2x + 3) / 6 there, at most 3/2. */
    { SUITE_OP("hard_swish", HARD_SWISH, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SMOOTH, .bound = { .kind = BOUND_ROUNDED, .ulps = 2.5, .units = 4, .lipschitz = 1.5 },
      .range = range_hard_swish, .random = { .operands = RANDOM_ONE, .add = add_random } },
};

/* Values around 3 cross 0 and 6. */
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four", .scale = 4, .offset = 3), .in = DIMS(1, 3, 5, c) \
    }
#define LENGTH(n)                                                                                  \
    {                                                                                              \
        ROW("n" #n, "lengths next to sizes of workgroups", .scale = 4, .offset = 3),               \
            .in = DIMS(1, n)                                                                       \
    }

static const float with_nan[] = { NAN, 1, -2, 0, 7, NAN, NAN, -0.5f, 3, NAN, 6 };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    LENGTH(63),
    LENGTH(64),
    LENGTH(65),
    LENGTH(127),
    LENGTH(129),
    LENGTH(255),
    LENGTH(257),
    LENGTH(1023),
    LENGTH(1025),
    LENGTH(4099),
    { ROW("rank0", "a scalar", .gap = GAP_RANK), .in = SCALAR },
    { ROW("rank1", "a vector that does not fill its last slice", .gap = GAP_RANK), .in = DIMS(7) },
    { ROW("rank1_one", "a vector of one", .gap = GAP_RANK), .in = DIMS(1) },
    { ROW("rank2", "a matrix of odd extents", .gap = GAP_RANK), .in = DIMS(3, 5) },
    { ROW("rank3", "[B, T, C]", .gap = GAP_RANK), .in = DIMS(2, 3, 5) },
    { ROW("rank5", "five dimensions", .gap = GAP_RANK), .in = DIMS(2, 1, 3, 2, 5) },
    { ROW("rank6", "six dimensions", .gap = GAP_RANK), .in = DIMS(2, 1, 3, 1, 2, 7) },
    { ROW("batch2", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(2, 4, 4, 4) },
    { ROW("batch3_c5", "a batch of more than one image, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .in = DIMS(3, 2, 5, 5) },
    { ROW("batch7_c3", "an odd batch", .gap = GAP_BATCH), .in = DIMS(7, 1, 2, 3) },
    { ROW("pixels65", "one pixel more than a workgroup of 64"), .in = DIMS(1, 65, 1, 3) },
    { ROW("pixels257", "one pixel more than a workgroup of 256"), .in = DIMS(1, 1, 257, 2) },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 13, 17, 11) },
    { ROW("large", "beyond 65,536 elements", .floats = true), .in = DIMS(1, 67, 61, 17) },
    { ROW("near_zero", "around 0: the lower clamp", .scale = 1e-3), .in = DIMS(1, 4, 4, 6) },
    { ROW("near_six", "around 6: the upper clamp", .scale = 1e-2, .offset = 6),
      .in = DIMS(1, 4, 4, 6) },
    { ROW("below", "all negative: all zero", .offset = -20), .in = DIMS(1, 3, 3, 5) },
    { ROW("between", "all between the clamps: nothing changes", .scale = 0.25, .offset = 3),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("beyond", "all over 6", .offset = 20), .in = DIMS(1, 3, 3, 5) },
    { ROW("half_max", "near the largest f16", .gap = GAP_HALF_RANGE, .only = CLAMPING,
          .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("huge", "near 2^100 in f32", .only = CLAMPING, .scale = 1e29,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("tiny", "near 2^-90 in f32: normal numbers, not zero", .scale = 1e-27,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("large_results", "near 2^120", .only = "exp", .offset = 80), .in = DIMS(1, 3, 3, 5) },
    { ROW("gate_low", "around -3: the gate opens", .only = "hard_swish", .scale = 1e-2,
          .offset = -3),
      .in = DIMS(1, 4, 4, 6) },
    { ROW("gate_high", "around 3: the gate is open", .only = "hard_swish", .scale = 1e-2,
          .offset = 3),
      .in = DIMS(1, 4, 4, 6) },
    { ROW("dip", "around -1.5: the least result, -3/8", .only = "hard_swish", .scale = 0.5,
          .offset = -1.5),
      .in = DIMS(1, 5, 5, 7) },
    { ROW("tails", "nearly 0 and nearly 1", .only = "logistic", .scale = 10),
      .in = DIMS(1, 5, 5, 7) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 2, 6) },
    { ROW("every_half", "every f16 value, infinities and NaNs too", .every_half = true,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 64, 64, 16) },
    { ROW("every_byte", "every byte", .types = TYPES_BYTES, .every_byte = 1),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("every_byte_fine", "every byte, all near 0", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.0123 }),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("every_byte_coarse", "every byte, far from 0", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.9876, .zero = ZERO_MIDDLE }),
      .in = DIMS(1, 256) },
    { ROW("every_byte_low", "every byte, none below 0", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.0456, .zero = ZERO_LOW }),
      .in = DIMS(1, 1, 256, 1) },
    { ROW("every_byte_high", "every byte, none above 0", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.0456, .zero = ZERO_HIGH }),
      .in = DIMS(1, 2, 64, 2) },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 2, 6) },
    { ROW("half_results", "results around the largest f16", .only = "exp", .scale = 0.2,
          .offset = 11, .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("half_far", "arguments near the largest f16, of both signs", .only = "logistic",
          .scale = 3e4, .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .in = DIMS(1, 3, 3, 5) },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("quotient_rounded",
          "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED, .only = CLAMPING),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("quotient_rounded_b",
          "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED_B, .only = CLAMPING),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("quotient_left", "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_LEFT, .only = CLAMPING),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .only = "relu6", .types = TYPES_BYTES, .every_byte = 1, QUANT_SIX_TIE),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("single_a", "a byte that exp in double, or a quotient by the scale, rounds elsewhere",
          .only = "exp", .types = TYPE_BIT(CASE_I8), .every_byte = 1,
          .quant = { .in = 0.00527064083,
                     .out = 0.00837414246,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_LOW }),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("single_b", "a byte that exp in double, or a quotient by the scale, rounds elsewhere",
          .only = "exp", .types = TYPE_BIT(CASE_I8), .every_byte = 1,
          .quant = { .in = 0.0163973384,
                     .out = 0.258945525,
                     .zero = ZERO_LOW,
                     .zero_out = ZERO_LOW }),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("single_c", "a byte that exp in double, or a quotient by the scale, rounds elsewhere",
          .only = "exp", .types = TYPE_BIT(CASE_I8), .every_byte = 1,
          .quant = { .in = 0.0216828957,
                     .out = 0.00465801498,
                     .zero = ZERO_HIGH,
                     .zero_out = ZERO_LOW }),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("single_a", "a byte that LOGISTIC in double rounds elsewhere", .only = "logistic",
          .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.016147824, .zero = ZERO_MIDDLE }),
      .in = DIMS(1, 4, 16, 4) },
    { ROW("single_b", "a byte that LOGISTIC in double rounds elsewhere", .only = "logistic",
          .types = TYPES_BYTES, .every_byte = 1, .quant = { .in = 0.0170671586, .zero = ZERO_LOW }),
      .in = DIMS(1, 4, 16, 4) },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("slices4198401", "more than 65,535 workgroups of 64, one element in each slice", LARGE,
          .only = "relu"),
      .in = DIMS(1, 2049, 2049, 1) },
    { ROW("places90300", "90,300 places", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .period = LARGE_PERIOD, .scale = 3,
          .only = "relu6 exp logistic hard_swish"),
      .in = DIMS(1, 300, 301, 3) },
    { ROW("nan", "NaN and numbers", .only = CLAMPING, .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(with_nan)),
      .in = DIMS(1, 3, 4, 7) },
    { ROW("full_mantissas", "numbers that f16 rounds: to nearest, not toward zero",
          .only = "relu relu6", .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_POSITIVE),
          .full_mantissas = true),
      .in = DIMS(1, 7, 7, 13) },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 3, 2, 5) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .in = END_DIMS },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .period = SHORT_PERIOD, .scale = 3),
      .in = DIMS(1, 66001) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("bytes_rank3", "rank 3", REAL(TYPE_BIT(CASE_I8)), .only = "logistic"),
      .in = DIMS(2, 3, 5) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct options options = { .tag = m->c->code == BUILTIN_EXP ? OPTIONS_ExpOptions
                                                                      : OPTIONS_HardSwishOptions };
    const bool has_options = m->c->code == BUILTIN_EXP || m->c->code == BUILTIN_HARD_SWISH;
    const int x = case_input(m, "x", &r->in, &any);

    case_judged_op(m, has_options ? &options : NULL, 1, &x, case_output(m, "y", &r->in));
}

/* ---- sweep: ranks, channels, batch ---- */

static const struct pairwise_level ranks[] = {
    { "r2", 2, 0 }, { "r3", 3, 0 }, { "r4", 4, 0 }, { "r5", 5, 0 }, { "r6", 6, 0 }
};
static const struct pairwise_level channels[] = {
    { "c1", 1, 0 }, { "c2", 2, 0 }, { "c3", 3, 0 }, { "c4", 4, 0 },   { "c5", 5, 0 },
    { "c7", 7, 0 }, { "c8", 8, 0 }, { "c9", 9, 0 }, { "c33", 33, 0 },
};
enum { RANK, CHANNEL, BATCH };
static const struct pairwise_axis axes[] = { PAIRWISE_AXIS(ranks), PAIRWISE_AXIS(channels),
                                             AXIS_BATCHES };

static struct row swept_row(const struct pairwise_row *p)
{
    static const int32_t extents[] = { 1, 3, 2, 1, 2 };
    const struct pairwise_level *const *const level = p->level;
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: rank, channels, batch",
                  .scale = 4,
                  .offset = 1,
                  .floats = p->index % 3 != 0 },
        .in.rank = level[RANK]->x,
    };

    for (int i = 0; i < r.in.rank - 1; i++)
        r.in.d[i] = i == 0 ? level[BATCH]->x : extents[i];
    r.in.d[r.in.rank - 1] = level[CHANNEL]->x;
    return r;
}

/* ---- sweep: scales and zero points of what requantizes, every byte each time ---- */

enum { Q_MULTIPLIERS, Q_ZERO, Q_ZERO_OUT };
static const struct pairwise_axis quantized_axes[] = { QUANT_MULTIPLIERS_OF_ONE, QUANT_ZEROS,
                                                       QUANT_ZEROS_OUT };

static struct row quantized_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;

    return (struct row){
        .base = { .name = p->name,
                  .why = "pairwise: multipliers and zero points, every byte",
                  .only = REQUANTIZED,
                  .types = p->index % 2 ? TYPE_BIT(CASE_U8) : TYPE_BIT(CASE_I8),
                  .every_byte = 1,
                  .quant =
                      quant_row_of(level[Q_MULTIPLIERS], level[Q_ZERO], level[Q_ZERO_OUT], NULL) },
        .in = DIMS(1, 4, 16, 4),
    };
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART(quantized_row, quantized_axes))
SUITE_SWEPT(unary, members, rows, build, sweep);
