/* PRELU.  Slopes for each channel, one for all, for each pixel; constant or not; both signs. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <string.h>

struct row {
    struct op_case base;
    struct shape in, alpha;
    bool runtime; /* alpha is an input */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    if (call->in[0].value.shape.rank == 0)
        return false;
    call->out.peak *= 4; /* the largest slope */
    call->out.value = graph_add_prelu(m, call->in[0].value);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("prelu", PRELU, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_BYTES,
      .sets =
          SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS) | SET_BIT(SET_POWERS) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 }, .range = case_range_prelu,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(1, 3, 2, c), .alpha = DIMS(1, 1, c)  \
    }

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    { ROW("linear", "a slope for each channel, rank 1"), .in = DIMS(2, 3, 2, 5), .alpha = DIMS(5) },
    { ROW("linear4d", "a slope for each channel, rank 4"), .in = DIMS(2, 3, 2, 6),
      .alpha = DIMS(1, 1, 1, 6) },
    { ROW("one", "one slope"), .in = DIMS(1, 3, 3, 5), .alpha = DIMS(1) },
    { ROW("scalar", "one slope, rank 0"), .in = DIMS(1, 3, 3, 5), .alpha = SCALAR },
    { ROW("full", "a slope for each element of an image"), .in = DIMS(2, 3, 4, 5),
      .alpha = DIMS(3, 4, 5) },
    { ROW("full4d", "a slope for each element of the batch"), .in = DIMS(2, 3, 4, 5),
      .alpha = DIMS(2, 3, 4, 5) },
    { ROW("rows", "a slope for each row"), .in = DIMS(1, 4, 3, 6), .alpha = DIMS(4, 1, 1) },
    { ROW("pixels", "a slope for each pixel"), .in = DIMS(1, 4, 3, 6), .alpha = DIMS(4, 3, 1) },
    { ROW("runtime", "slopes that are no constant", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 3, 3, 7), .alpha = DIMS(1, 1, 7), .runtime = true },
    { ROW("runtime_full", "a slope for each element, no constant", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(2, 3, 3, 5), .alpha = DIMS(2, 3, 3, 5), .runtime = true },
    { ROW("column", "a slope for each column"), .in = DIMS(1, 4, 3, 6), .alpha = DIMS(3, 1) },
    { ROW("images", "a slope for each image"), .in = DIMS(3, 2, 2, 5), .alpha = DIMS(3, 1, 1, 1) },
    { ROW("row_channels", "a slope for each row and channel"), .in = DIMS(1, 4, 3, 5),
      .alpha = DIMS(4, 1, 5) },
    { ROW("n65", "one element more than a workgroup of 64 has invocations"), .in = DIMS(1, 65),
      .alpha = DIMS(65) },
    { ROW("n257", "one element more than a workgroup of 256 has invocations"), .in = DIMS(1, 257),
      .alpha = DIMS(1) },
    { ROW("image_1x1", "one pixel"), .in = DIMS(1, 1, 1, 9), .alpha = DIMS(1, 1, 9) },
    { ROW("batch7_c3", "an odd batch", .gap = GAP_BATCH), .in = DIMS(7, 1, 2, 3),
      .alpha = DIMS(1, 1, 3) },
    { ROW("rank6", "six dimensions", .gap = GAP_RANK), .in = DIMS(2, 1, 3, 1, 2, 3),
      .alpha = DIMS(3, 1, 1, 3) },
    { ROW("rank1", "a vector", .gap = GAP_RANK), .in = DIMS(7), .alpha = DIMS(7) },
    { ROW("rank2", "a matrix", .gap = GAP_RANK), .in = DIMS(3, 5), .alpha = DIMS(5) },
    { ROW("rank3", "[B, T, C]", .gap = GAP_RANK), .in = DIMS(2, 3, 5), .alpha = DIMS(1, 5) },
    { ROW("rank5", "five dimensions", .gap = GAP_RANK), .in = DIMS(2, 2, 3, 2, 3),
      .alpha = DIMS(3, 1, 3) },
    { ROW("batch3", "a batch of more than one image", .gap = GAP_BATCH), .in = DIMS(3, 2, 2, 5),
      .alpha = DIMS(1, 1, 5) },
    { ROW("pixels257", "one pixel more than a workgroup has invocations"), .in = DIMS(1, 257, 1, 2),
      .alpha = DIMS(2) },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 13, 17, 11),
      .alpha = DIMS(1, 1, 11) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 2, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("every_half", "every f16 value, infinities and NaNs too", .every_half = true,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 64, 64, 16), .alpha = DIMS(1, 1, 16) },
    { ROW("every_half_scalar", "every f16 value and one slope", .every_half = true,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 256, 256, 1), .alpha = DIMS(1) },
    { ROW("every_byte", "every byte with every slope", .types = TYPES_BYTES, .every_byte = 1),
      .in = DIMS(1, 1, 256, 67), .alpha = DIMS(1, 1, 67) },
    { ROW("left", "factors over 1", .types = TYPES_BYTES,
          .quant = { .in = 0.3, .in2 = 4, .out = 0.1 }),
      .in = DIMS(1, 4, 4, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("ties", "factors that are powers of two", .types = TYPES_BYTES,
          .quant = { .in = 0.5, .in2 = 0.25, .out = 1 }),
      .in = DIMS(1, 4, 4, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("zero_low", "zero points at the lower end", .types = TYPES_BYTES,
          .quant = { .zero = ZERO_LOW, .zero_out = ZERO_HIGH }),
      .in = DIMS(1, 4, 4, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("zero_high", "zero points at the upper end", .types = TYPES_BYTES,
          .quant = { .zero = ZERO_HIGH, .zero_out = ZERO_LOW }),
      .in = DIMS(1, 4, 4, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("coarse", "results in a part of the range", .types = TYPES_BYTES,
          .quant = { .out_times = 9.3 }),
      .in = DIMS(1, 4, 4, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("saturated", "results beyond the range", .types = TYPES_BYTES,
          .quant = { .out_times = 0.11 }),
      .in = DIMS(1, 4, 4, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 2, 6), .alpha = DIMS(1, 1, 6) },
    { ROW("half_max", "near the largest f16", .scale = 3e4, .overflow = true,
          .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .in = DIMS(1, 3, 3, 5), .alpha = DIMS(1, 1, 5) },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("product_rounded",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED),
      .in = DIMS(1, 8, 8, 8), .alpha = DIMS(1, 1, 8) },
    { ROW("quotient_rounded",
          "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED),
      .in = DIMS(1, 4, 16, 4), .alpha = DIMS(1, 1, 4) },
    { ROW("quotient_rounded_b",
          "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED_B),
      .in = DIMS(1, 4, 16, 4), .alpha = DIMS(1, 1, 4) },
    { ROW("quotient_left", "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_LEFT),
      .in = DIMS(1, 4, 16, 4), .alpha = DIMS(1, 1, 4) },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("places90300", "90,300 places", LARGE), .in = DIMS(1, 300, 301, 3),
      .alpha = DIMS(1, 1, 3) },
    { ROW("full_mantissas", "positive numbers that f16 rounds, and pass as they are",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(1, 5, 5, 13), .alpha = DIMS(1, 1, 13) },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 3, 2, 5),
      .alpha = DIMS(1, 1, 5) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special", LANES_SPECIAL), .in = SPECIAL_DIMS, .alpha = DIMS(5) },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS, .alpha = DENORMAL_DIMS,
      .runtime = true },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .in = END_DIMS, .alpha = DIMS(5) },
    { ROW("lanes_ends_alpha", LANES_END(TYPES_BYTES), .values_of = 1), .in = END_DIMS,
      .alpha = DIMS(6, 5) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places, a slope for each",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(2, 1, 66001, 1), .alpha = DIMS(1, 66001, 1) },
    { ROW("channels66001", "66,001 channels, a slope for each",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 1, 2, 66001), .alpha = DIMS(1, 1, 66001) },
    { ROW("pairs_special", PAIRS_SPECIAL), .in = PAIR_DIMS, .alpha = PAIR_DIMS, .runtime = true },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill factor = { .terms = 1, .factors = 2 };
    const int x = case_input(m, "x", &r->in, &factor);
    const int alpha = case_operand(m, r->runtime, "alpha", &r->alpha, &factor);

    case_judged_op(m, NULL, 2, (int[]){ x, alpha }, case_output(m, "y", &r->in));
}

/* ---- sweep: every way to broadcast alpha, from rank 1 to 6 ---- */

enum { MOST_RANK = 6, FULL_RANK = 5, PATTERNS = 2 + 4 + 8 + 16 + 32 + 12 };

/* Makes the row in which alpha has dimension i, counted from the last, where bit i of `has` is set,
 * and is broadcast along the others. */
static struct row pattern_row(int rank, unsigned has, unsigned number, const char *name)
{
    static const int32_t extents[MOST_RANK] = { 2, 2, 3, 2, 3, 2 };
    static const int32_t last[] = { 5, 3, 4, 6, 9, 1, 7, 8 };
    struct row r = {
        .base = { .name = name, .why = "every way to broadcast alpha" },
        .in.rank = rank,
        .alpha.rank = rank,
        .runtime = number % 3 == 1,
    };

    r.base.floats = number % 2 != 0;

    if (r.runtime)
        r.base.types = TYPE_BIT(CASE_F32);
    for (int i = 0; i < rank; i++) {
        const int32_t n = i == 0 ? last[number % (sizeof last / sizeof last[0])] : extents[6 - i];

        r.in.d[rank - 1 - i] = n;
        r.alpha.d[rank - 1 - i] = has >> i & 1 ? n : 1;
    }
    if (number % 2 == 1) { /* without its first dimensions of 1, alpha has a lower rank */
        int ones = 0;

        while (ones < rank - 1 && r.alpha.d[ones] == 1)
            ones++;
        r.alpha.rank -= ones;
        for (int i = 0; i < r.alpha.rank; i++)
            r.alpha.d[i] = r.alpha.d[i + ones];
    }
    return r;
}

static size_t fill_patterns(struct row *to, size_t position)
{
    static char names[PATTERNS][24];
    size_t count = 0;

    (void)position; /* the only part of the sweep */
    for (int rank = 1; rank <= MOST_RANK && count < PATTERNS; rank++) {
        /* Rank 6 has 12 patterns, every fifth one, among which each dimension occurs both ways. */
        const unsigned step = rank <= FULL_RANK ? 1 : 5;

        for (unsigned has = 0; has < 1u << rank && count < PATTERNS; has += step) {
            char *const name = names[count];

            strcpy(name, "alpha_");
            for (int i = rank - 1; i >= 0; i--)
                strcat(name, has >> i & 1 ? "n" : "1");
            to[count] = pattern_row(rank, has, (unsigned)count, name);
            count++;
        }
    }
    return count;
}
SUITE_SWEEP(sweep, SWEEP_FILL(fill_patterns))

SUITE_SWEPT(prelu, members, rows, build, sweep);
