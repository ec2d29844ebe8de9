/* SOFTMAX: rows of every length around slices and workgroups, logits near and far apart. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <float.h>
#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    float beta; /* 0 stands for 1 */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    if (call->in[0].value.shape.rank == 0)
        return false;
    call->out.peak = 1;
    call->out.value = graph_add_softmax(m, call->in[0].value);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("softmax", SOFTMAX, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES,
      .sets =
          SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_SOFTMAX }, .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(1, 3, 2, c)                          \
    }
#define CLASSES(c)                                                                                 \
    {                                                                                              \
        ROW("rank2_c" #c, "a row of classes"), .in = DIMS(1, c)                                    \
    }

/* Rows of eight logits, as attention masks them: none, some, all but one, all. */
#define MASKED(mask)                                                                               \
    {                                                                                              \
        0.5f, -1, 2, 0.25f, 1, 3, -2, 1.5f, 1, 2, mask, 0.5f, mask, mask, -1, 0, mask, mask, mask, \
            mask, mask, -3, mask, mask, mask, mask, mask, mask, mask, mask, mask, mask             \
    }
static const float masks_1e9[] = MASKED(-1e9f), masks_lowest[] = MASKED(-FLT_MAX),
                   masks_65504[] = MASKED(-65504), masks_infinite[] = MASKED(-INFINITY);

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    CLASSES(2),
    CLASSES(10),
    CLASSES(63),
    CLASSES(65),
    CLASSES(127),
    CLASSES(257),
    CLASSES(1000),
    CLASSES(1001),
    { ROW("tail1001_4d", "the last slice has one lane"), .in = DIMS(1, 1, 1, 1001) },
    { ROW("c4099", "more classes than any workgroup has invocations, a prime"),
      .in = DIMS(1, 4099) },
    { ROW("batch2", "one row an image", .gap = GAP_BATCH), .in = DIMS(2, 1, 1, 10) },
    { ROW("batch3_c5", "a batch of more than one row, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .in = DIMS(3, 5) },
    { ROW("batch7_c13", "odd batch, prime row", .gap = GAP_BATCH), .in = DIMS(7, 2, 3, 13) },
    { ROW("rows65", "one row more than a workgroup of 64"), .in = DIMS(65, 7) },
    { ROW("rows257", "one row more than a workgroup of 256"), .in = DIMS(1, 257, 1, 3) },
    { ROW("segment", "a map of 21 classes, as segmentation has"), .in = DIMS(1, 9, 9, 21) },
    { ROW("rank1", "one row", .gap = GAP_RANK), .in = DIMS(19) },
    { ROW("rank1_c1", "one element: always 1", .gap = GAP_RANK), .in = DIMS(1) },
    { ROW("rank3", "attention: [B, T, C]", .gap = GAP_RANK), .in = DIMS(2, 5, 7) },
    { ROW("rank3_wide", "attention with a long row", .gap = GAP_RANK), .in = DIMS(1, 3, 130) },
    { ROW("rank5", "five dimensions", .gap = GAP_RANK), .in = DIMS(2, 1, 3, 2, 5) },
    { ROW("rank6", "six dimensions", .gap = GAP_RANK), .in = DIMS(1, 2, 1, 3, 2, 7) },
    { ROW("beta_half", "beta below 1"), .in = DIMS(1, 2, 2, 9), .beta = 0.5f },
    { ROW("beta2", "beta over 1"), .in = DIMS(1, 2, 2, 9), .beta = 2 },
    { ROW("beta10", "beta large: nearly the maximum alone"), .in = DIMS(2, 33), .beta = 10 },
    { ROW("beta_tenth", "beta small: nearly uniform"), .in = DIMS(2, 33), .beta = 0.1f },
    { ROW("beta_odd", "beta with a full mantissa"), .in = DIMS(3, 17), .beta = 1.2345678f },
    { ROW("wide30", "logits far apart: most results vanish", .scale = 30),
      .in = DIMS(1, 2, 3, 11) },
    { ROW("wide100", "differences that exp() takes below the smallest normal", .scale = 100),
      .in = DIMS(4, 21) },
    { ROW("near", "logits that differ in the last places only", .scale = 1e-3), .in = DIMS(2, 37) },
    { ROW("equal", "all equal: 1/n each", .sets = SET_BIT(SET_RANDOM), .scale = 1e-20),
      .in = DIMS(3, 7) },
    { ROW("high1000", "exp(1000) overflows: the maximum must be subtracted first", .offset = 1000),
      .in = DIMS(2, 2, 2, 6) },
    { ROW("low1000", "exp(-1000) is 0, and so is the sum, unless the maximum is subtracted",
          .offset = -1000),
      .in = DIMS(2, 2, 2, 6) },
    { ROW("high60000", "logits near the largest f16", .gap = GAP_HALF_RANGE, .offset = 6e4,
          .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE)),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("negative", "all logits are negative: padding lanes that hold 0 would be the maximum",
          .offset = -20),
      .in = DIMS(1, 3, 3, 5) },
    { ROW("negative_c1", "one negative class: three padding lanes of 0 are larger", .offset = -50),
      .in = DIMS(1, 2, 2, 1) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 2, 6) },
    { ROW("every_byte", "every byte in a row", .types = TYPES_BYTES, .every_byte = 1),
      .in = DIMS(2, 1, 1, 256) },
    { ROW("every_byte_fine", "every byte, nearly uniform", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.001 }),
      .in = DIMS(1, 1, 1, 256) },
    { ROW("every_byte_coarse", "every byte: one result is 1, the others vanish",
          .types = TYPES_BYTES, .every_byte = 1, .quant = { .in = 3.7 }),
      .in = DIMS(1, 256) },
    { ROW("steps16", "a step of 16: exponents leave the range of fixed point", .types = TYPES_BYTES,
          .quant = { .in = 16 }),
      .in = DIMS(3, 17) },
    { ROW("steps_beta", "beta and scale together", .types = TYPES_BYTES, .quant = { .in = 0.07 }),
      .in = DIMS(4, 3, 2, 21), .beta = 2.5f },
    { ROW("steps_tenth", "beta below 1", .types = TYPES_BYTES, .quant = { .in = 0.2 }),
      .in = DIMS(4, 33), .beta = 0.1f },
    { ROW("zero_high", "the largest zero point", .types = TYPES_BYTES,
          .quant = { .in = 0.11, .zero = ZERO_HIGH }),
      .in = DIMS(5, 13) },
    { ROW("zero_low", "the least zero point", .types = TYPES_BYTES,
          .quant = { .in = 0.11, .zero = ZERO_LOW }),
      .in = DIMS(5, 13) },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 2, 6) },
    { ROW("sum70000", "70,000 classes: each result near the smallest normal f16", .floats = true,
          .gap = GAP_HALF_SUM),
      .in = DIMS(1, 70000), .beta = 0.25f },
    { ROW("sum70001_4d", "70,001 classes in four dimensions", .floats = true, .gap = GAP_HALF_SUM,
          .scale = 2),
      .in = DIMS(1, 1, 1, 70001) },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("rows65537", "more rows than 65,535", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .period = LARGE_PERIOD),
      .in = DIMS(65537, 2) },
    { ROW("mask_1e5", "attention: masked rows are near -1e5, below the lowest f16",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), .offset = -1e5),
      .in = DIMS(2, 3, 5, 7) },
    { ROW("mask_1e9", "attention: masks of -1e9, in whole rows and in a part of them",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), VALUES(masks_1e9)),
      .in = DIMS(1, 8, 8) },
    { ROW("mask_lowest", "attention: masks of the lowest f32, in whole rows and in a part",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), VALUES(masks_lowest)),
      .in = DIMS(1, 8, 8) },
    { ROW("mask_65504", "attention: masks of the lowest f16", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), VALUES(masks_65504)),
      .in = DIMS(1, 8, 8) },
    { ROW("high_1e6", "logits over the largest f16 that differ by ones",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), .offset = 1e6),
      .in = DIMS(2, 3, 9) },
    /* A dimension of 0. */
    { ROW("empty_batch", "no row at all", EMPTY), .in = DIMS(0, 7) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .in = END_DIMS },
    { ROW("mask_infinite", "attention: masks of -infinity, in whole rows and in a part",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM), VALUES(masks_infinite)),
      .in = DIMS(1, 8, 8) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("rows4097", "4,097 rows", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(4097, 2) },
    /* The runtime aborts where the exponentials of a row add up to 256. */
    { ROW("c16385", "16,385 classes", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD,
          .quant = { .in = 0.9 }),
      .in = DIMS(1, 16385) },
    { ROW("rows1025_c13", "1,025 rows of four slices",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(1025, 13) },
    { ROW("rows1025_c13_image", "1,025 rows of four slices in an image",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(1, 1025, 13) },
    { ROW("beta_negative", "beta below 0: the least logit is the likeliest",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 9), .beta = -0.5f },
    { ROW("c1027", "257 slices: one more than 64 invocations hold", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM), .period = SHORT_PERIOD),
      .in = DIMS(1, 1027) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill logits = { .terms = 1, .factors = 1 };
    struct options options;
    const int x = case_input(m, "x", &r->in, &logits);

    options_init(&options, OPTIONS_SoftmaxOptions);
    options_set_float(&options, "beta", r->beta != 0 ? r->beta : 1);
    case_judged_op(m, &options, 1, &x, case_output(m, "y", &r->in));
}

/* ---- sweep: lengths of rows, ranks, beta, and how far apart the logits are ---- */

static const struct pairwise_level ranks[] = {
    { "r1", 1, 0 }, { "r2", 2, 0 }, { "r3", 3, 0 }, { "r4", 4, 0 }
};
static const struct pairwise_level betas[] = { { "", 2, 0 }, { "half", 1, 0 }, { "three", 6, 0 } };
static const struct pairwise_level spreads[] = {
    { "", 1, 0 }, { "far", 12, 0 }, { "high", 1, 400 }, { "low", 2, -60 }
};
enum { CHANNEL, RANK, BATCH, BETA, SPREAD };
static const struct pairwise_axis axes[] = {
    AXIS_CHANNELS, PAIRWISE_AXIS(ranks), AXIS_BATCHES, PAIRWISE_AXIS(betas), PAIRWISE_AXIS(spreads),
};

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    const struct shape image = DIMS(level[BATCH]->x, 3, 2, level[CHANNEL]->x);
    struct row r = {
        .base = { .name = p->name,
                  .why = "pairwise: classes, rank, rows, beta, logits",
                  .scale = level[SPREAD]->x,
                  .offset = level[SPREAD]->y,
                  .types = ONE_IN_FOUR_TYPES(p->index) },
        .in.rank = level[RANK]->x,
        .beta = (float)level[BETA]->x / 2,
    };

    /* A lower rank drops the dimensions before the classes. */
    for (int i = 0; i < r.in.rank; i++)
        r.in.d[i] = i == r.in.rank - 1 ? image.d[3] : image.d[i];
    return r;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))
SUITE_SWEPT(softmax, members, rows, build, sweep);
