/* Rounding to other formats, and the table of designs. */
#include "conformance/tests/mock/rounding.h"

#include "reference/base/half.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ROUNDING(name_, ...)                                                                       \
    static double name_(double x __attribute__((unused)))                                          \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    struct arithmetic

ROUNDING(single, (float)x);
static double single_cut(double x)
{
    const float y = (float)x;

    return fabs((double)y) > fabs(x) ? nextafterf(y, 0) : y;
}

ROUNDING(single_flushed, fabs(x) < 0x1p-126 ? 0 : (float)x);
ROUNDING(half, half_to_float(float_to_half((float)x)));
static double half_cut(double x)
{
    const double y = fabs(x) < 65504 ? half(x) : copysign(isinf(x) ? INFINITY : 65504, x);
    const double step = ldexp(1, fabs(y) < 0x1p-14 ? -24 : ilogb(fabs(y) * (1 - 0x1p-20)) - 10);

    return isnan(x) ? x : fabs(y) > fabs(x) ? y - copysign(step, y) : y;
}

ROUNDING(half_flushed, fabs(x) < 0x1p-14 ? 0 : half(x));

/* Nearest with `bits` bits behind the first; the exponents are those of f32. */
static double mantissa(double x, int bits)
{
    const double step = x == 0 ? 1 : ldexp(1, ilogb(x) - bits);

    return isfinite(x) ? rint(x / step) * step : x;
}

ROUNDING(tf32, mantissa(x, 10));
ROUNDING(bf16, mantissa(x, 7));

/* A systematic error. */
ROUNDING(skewed, (float)((1 - 0x1p-18) * x));
ROUNDING(ceiling_off, rint(x) + 1);

#define F32        .operand = single, .product = single, .rounded = single, .stored = single
#define F16_STORED .operand = single, .product = single, .rounded = single, .stored = half
#define F16        .operand = half, .product = half, .rounded = half, .stored = half

/* clang-format off */
static const struct arithmetic designs[] = {
    { .name = "f32", F32, .integer = rint },
    { .name = "bias_first", F32, .bias_first = true, .integer = rint },
    { .name = "backward", F32, .order = ORDER_BACKWARD, .integer = rint },
    { .name = "pairs", F32, .order = ORDER_PAIRS, .integer = rint },
    { .name = "lanes16", F32, .order = ORDER_LANES16, .integer = rint },
    { .name = "fma", .operand = single, .rounded = single, .stored = single, .integer = rint },
    { .name = "flushed", .operand = single_flushed, .product = single_flushed,
      .rounded = single_flushed, .stored = single_flushed, .integer = rint },
    { .name = "winograd", F32, .winograd = true, .integer = rint },
    { .name = "rtz", .operand = single_cut, .product = single_cut, .rounded = single_cut,
      .stored = single_cut, .integer = rint },
    { .name = "winograd_rtz", .operand = single_cut, .product = single_cut, .rounded = single_cut,
      .stored = single_cut, .winograd = true, .integer = rint },
    { .name = "exp3", F32, .exp_ulps = 3, .integer = rint },
    { .name = "exp16", F32, .exp_ulps = 16, .integer = rint },
    { .name = "skewed", .operand = single, .product = single, .rounded = single, .stored = skewed,
      .integer = rint },
    /* Coarser formats inside, f32 outside. */
    { .name = "tf32", .operand = tf32, .product = single, .rounded = single, .stored = single,
      .integer = rint },
    { .name = "winograd_tf32", .operand = tf32, .product = single, .rounded = single,
      .stored = single, .winograd = true, .integer = rint },
    { .name = "bf16", .operand = bf16, .product = single, .rounded = single, .stored = single,
      .integer = rint },
    { .name = "bf16x3", .operand = bf16, .product = single, .rounded = single, .stored = single,
      .three = true, .integer = rint },
    { .name = "f16_products", .operand = single, .product = half, .rounded = single,
      .stored = single, .integer = rint },
    { .name = "f16_sums", .operand = half, .product = half, .rounded = half, .stored = single,
      .integer = rint },
    { .name = "f16_chunks", .operand = half, .product = half, .rounded = half, .stored = single,
      .order = ORDER_CHUNKS8, .integer = rint },
    /* f16 outside. */
    { .name = "half_stored", F16_STORED, .integer = rint },
    { .name = "half_stored_cut", .operand = half, .product = single, .rounded = single,
      .stored = half_cut, .integer = rint },
    { .name = "half_stored_sums", F16_STORED, .stores_sums = true, .integer = rint },
    { .name = "half_stored_winograd", F16_STORED, .winograd = true, .integer = rint },
    { .name = "half", F16, .integer = rint },
    { .name = "half_fma", .operand = half, .rounded = half, .stored = half, .integer = rint },
    { .name = "half_pairs", F16, .order = ORDER_PAIRS, .integer = rint },
    { .name = "half_chunks", F16, .order = ORDER_CHUNKS8, .integer = rint },
    { .name = "half_runs", F16, .order = ORDER_RUNS32, .integer = rint },
    { .name = "half_products", .operand = half, .product = half, .rounded = single, .stored = half,
      .integer = rint },
    { .name = "half_flushed", .operand = half_flushed, .product = half_flushed,
      .rounded = half_flushed, .stored = half_flushed, .integer = rint },
    { .name = "half_stores_sums", F16, .stores_sums = true, .integer = rint },
    { .name = "half_winograd", F16, .winograd = true, .integer = rint },
    { .name = "half_cut", .operand = half_cut, .product = half_cut, .rounded = half_cut,
      .stored = half_cut, .integer = rint },
    { .name = "half_bf16", .operand = bf16, .product = half, .rounded = half, .stored = half,
      .integer = rint },
    { .name = "half_drops_last", F16, .drops_last = true, .integer = rint },
    /* 8 bits. */
    { .name = "hybrid", F32, .hybrid = 127, .integer = rint },
    { .name = "hybrid_4bit", F32, .hybrid = 7, .integer = rint },
    { .name = "floor", F32, .integer = floor },
    { .name = "step_off", F32, .integer = ceiling_off },
};
/* clang-format on */

const struct arithmetic *arithmetic_find(const char *name)
{
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++) {
        if (strcmp(designs[i].name, name) == 0)
            return &designs[i];
    }
    return NULL;
}
