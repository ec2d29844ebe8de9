/* The bounds of conformance/doc/TOLERANCES.md: per element (3), of f16 storage (3.9), of a whole
 * tensor (4), of quantized integers (5), special values (6).  The derivations are there. */
#include "conformance/suite/bounds/bound.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double unit32 = 0x1p-24, unit16 = 0x1p-11; /* u and u16 */
/* m: the smallest normal numbers, below which a device may flush. */
static const double floor32 = 0x1p-126, floor16 = 0x1p-14;
/* Class fp16_runs: as many products at most are added up in f16. */
static const double run_terms = 32;

static bool is_arith16(enum bounds bounds)
{
    return (bounds & BOUNDS_FP16_ARITH) == BOUNDS_FP16_ARITH;
}

const struct bound_storage *bound_storage(enum bounds bounds)
{
    static const struct bound_storage single = { FLT_MAX, 0x1p-126, 23, 0, 0 };
    static const struct bound_storage half = { 65504, 0x1p-14, 10, 0x1p-11, 0x1p-25 };
    static const struct bound_storage half_cut = { 65504, 0x1p-14, 10, 0x1p-10, 0x1p-24 };

    return !bounds_half(bounds) ? &single : bounds & BOUNDS_TOWARD_ZERO ? &half_cut : &half;
}

double bound_unit(enum bounds bounds)
{
    return (is_arith16(bounds) ? unit16 : unit32) * (bounds & BOUNDS_TOWARD_ZERO ? 2 : 1);
}

/* The unit in the last place: 2^(exponent of x - fraction_bits), where the exponent is at least
 * that of the smallest normal number. */
static double ulp_of(const struct bound_storage *s, double x)
{
    int exponent, smallest;

    frexp(s->smallest_normal, &smallest);
    frexp(x, &exponent);
    if (x == 0 || !isfinite(x) || exponent < smallest)
        exponent = smallest;
    return ldexp(1, exponent - 1 - s->fraction_bits);
}

const struct bound_rule *bound_rule_of_output(const struct bound_rule *rule, int output)
{
    /* Output 2 is x and h side by side, a copy; output 3 is z, sums of products. */
    static const struct bound_rule copy = { .kind = BOUND_BITS }, sums = { .kind = BOUND_DOT };

    if (rule->kind != BOUND_LSTM)
        return rule;
    return output == 2 ? &copy : output == 3 ? &sums : rule;
}

double bound_ulp(enum bounds bounds, double x)
{
    return ulp_of(bound_storage(bounds), x);
}

/* Sums of products in runs, of which each is added up in f16. */
static bool has_runs(const struct bound_rule *rule, enum bounds bounds)
{
    return (bounds & BOUNDS_STORAGE) == BOUNDS_FP16_RUNS && rule->kind == BOUND_DOT;
}

/* The unit roundoff of the sums of an op, and how many terms are added in it. */
static double sum_unit(const struct bound_rule *rule, enum bounds bounds)
{
    return has_runs(rule, bounds) ? unit16 * (bounds & BOUNDS_TOWARD_ZERO ? 2 : 1)
                                  : bound_unit(bounds);
}

static double sum_terms(const struct bound_rule *rule, enum bounds bounds, double terms)
{
    return has_runs(rule, bounds) ? fmin(terms, run_terms) : terms;
}

/* How the errors of n additions grow: TOLERANCES.md 3.3.  Roundings toward zero do not cancel, and
 * neither do those of long sums in f16, to which small terms are lost. */
static double growth(enum bounds bounds, double n)
{
    const bool grows = bounds & BOUNDS_TOWARD_ZERO || (is_arith16(bounds) && n > 1024);

    return grows ? n : fmin(n, 3 * sqrt(n));
}

/* The sum of a row of SOFTMAX. */
static double row_growth(enum bounds bounds, double n)
{
    return fmax(3 * sqrt(n), growth(bounds, n));
}

static double dot_units(enum bounds bounds, double terms)
{
    return 2 + growth(bounds, terms);
}

/* What flushed denormals cost a sum: each product may be one, and the result. */
static double flushed(const struct bound_rule *rule, enum bounds bounds,
                      const struct bound_point *p)
{
    return is_arith16(bounds) || has_runs(rule, bounds)
               ? fmin(p->magnitude, p->terms * floor16)
               : floor32 + fmin(p->magnitude, p->terms * floor32);
}

/* Class fp16_runs: what the f16 sums of runs add to the limit of their f32 sum (TOLERANCES.md
 * 13.7). */
static double run_limit(const struct bound_rule *rule, enum bounds bounds,
                        const struct bound_point *p)
{
    return has_runs(rule, bounds)
               ? sum_unit(rule, bounds) * dot_units(bounds, sum_terms(rule, bounds, p->terms)) *
                     p->magnitude
               : 0;
}

/* The limit before a result is stored in f16 storage; with f16 arithmetic the whole limit. */
static double limit_unstored(const struct bound_rule *rule, enum bounds bounds,
                             const struct bound_point *p)
{
    const bool half = is_arith16(bounds);
    const double u = bound_unit(bounds), r = fabs(p->value);
    /* Whatever rounds one operation keeps an ulp, and an exponential its own. */
    const double own = half ? unit16 : unit32, least = half ? floor16 : floor32;
    /* The argument of EXP and LOGISTIC: beyond this their results are 0, 1 or infinite. */
    const double x = fmin(p->magnitude, 0x1p10);

    switch (rule->kind) {
    case BOUND_BITS: return 0;
    case BOUND_ROUNDED: {
        const bool shrinks = rule->relative > 0 && !half && !(bounds & BOUNDS_EXPONENTIALS);
        const double magnitude = shrinks ? fmin(p->magnitude, rule->relative * r) : p->magnitude;
        const double more = rule->units > 0 ? own * rule->units * magnitude : 0;

        return rule->ulps * bound_ulp(half ? BOUNDS_FP16 : BOUNDS_FP32, p->value) + more;
    }
    case BOUND_DOT:
        return p->magnitude == 0 ? 0
                                 : u * dot_units(bounds, p->terms) * p->magnitude + 2 * u * r +
                                       flushed(rule, bounds, p) + run_limit(rule, bounds, p);
    case BOUND_AVERAGE:
        return p->magnitude == 0 ? 0
                                 : u * dot_units(bounds, p->terms) * p->magnitude + 8 * u * r +
                                       flushed(rule, bounds, p);
    case BOUND_SOFTMAX:
        return u * r * (21 + row_growth(bounds, p->row) + 8 * p->magnitude) + 2 * least;
    case BOUND_EXP: return 2 * own * r * ((half ? 2 : 4) + 2 * x) + 2 * least;
    case BOUND_LOGISTIC:
        return 2 * own * r * 8 + 2.5e-7 * (own / unit32) * (3 + 2 * x) * exp(-x) + 2 * least;
    case BOUND_RESIZE: /* coordinates are f32 in f16 arithmetic, too */
        return p->magnitude == 0
                   ? 0
                   : 8 * u * p->magnitude +
                         4 * unit32 * (bounds & BOUNDS_TOWARD_ZERO ? 2 : 1) * p->terms + least;
    case BOUND_LSTM: return u * p->magnitude + least;
    case BOUND_LSTM_FULL: /* storing toward zero is right in f16, whatever the class */
        return u * p->magnitude + least +
               bound_storage((enum bounds)(bounds | BOUNDS_TOWARD_ZERO))->rounding * p->terms;
    }
    assert(!"a kind of bound");
    return 0;
}

double bound_known(double limit)
{
    return isnan(limit) ? INFINITY : limit;
}

double bound_limit(const struct bound_rule *rule, enum bounds bounds, const struct bound_point *p)
{
    const struct bound_storage *const s = bound_storage(bounds);
    const double limit = limit_unstored(rule, bounds, p);

    if (limit == 0 || s->rounding == 0 || is_arith16(bounds))
        return bound_known(limit);
    return bound_known(limit * (1 + 0x1p-10) + s->rounding * fabs(p->value) + s->step);
}

double bound_toward_zero(double value)
{
    const struct bound_storage *const s = bound_storage(BOUNDS_FP16);

    return value == 0 || !isfinite(value)
               ? value
               : value - copysign(s->rounding * fabs(value) + s->step, value);
}

bool bound_may_overflow(const struct bound_rule *rule, enum bounds bounds,
                        const struct bound_point *p)
{
    const double sum = rule->kind == BOUND_DOT       ? p->magnitude
                       : rule->kind == BOUND_AVERAGE ? p->magnitude * p->terms
                                                     : 0;

    return is_arith16(bounds) && sum * 1.01 >= bound_storage(bounds)->largest;
}

double bound_steps(const struct bound_rule *rule, enum bounds floats, const struct bound_point *p,
                   double scale, int32_t zero)
{
    const struct bound_storage *const s = bound_storage(floats);
    const double unit = bound_unit(floats);
    const double r = fabs(p->value - zero), x = fmin(p->magnitude, 0x1p10);
    double off;      /* the op's own error */
    double operands; /* what a relative error of all operands makes of the result */

    switch (rule->kind) {
    case BOUND_DOT:
        operands = 2 * p->magnitude;
        off = unit * (dot_units(floats, p->terms) * p->magnitude + 2 * r);
        break;
    case BOUND_AVERAGE: /* a pool's magnitude leaves the zero point out */
        operands = p->magnitude + abs(zero);
        off = unit * (dot_units(floats, p->terms) * operands + 8 * r);
        break;
    case BOUND_SOFTMAX: /* the difference of two logits, each of which may be large */
        operands = r * (512 + p->magnitude);
        off = unit * r * (21 + row_growth(floats, p->row) + 8 * p->magnitude);
        break;
    case BOUND_EXP:
        operands = r * x;
        off = 2 * unit * r * (4 + 2 * x);
        break;
    case BOUND_LOGISTIC:
        operands = x * exp(-x) / scale;
        off = 2 * unit * r * 8 + 2.5e-7 * (3 + 2 * x) * exp(-x) / scale;
        break;
    case BOUND_RESIZE:
        operands = p->magnitude + abs(zero);
        off = unit * (8 * operands + 4 * p->terms);
        break;
    case BOUND_LSTM:
    case BOUND_LSTM_FULL:
        operands = 0;
        off = unit * p->magnitude;
        break;
    case BOUND_BITS:
    case BOUND_ROUNDED:
    default:
        operands = 2 * (p->magnitude + r);
        off = 4 * unit * (p->magnitude + r);
        break;
    }
    off += unit * operands;
    if (s->rounding == 0)
        return off;
    return off * (1 + 0x1p-10) + s->rounding * (operands + r) + s->step / scale;
}

double bound_runtime_error(const struct bound_rule *rule, enum bounds bounds,
                           const struct bound_point *p)
{
    const struct bound_storage *const s = bound_storage(bounds);

    /* SOFTMAX in f16 keeps exponentials as f16 between the sum and the quotient: one rounding of
     * the numerator and the average of those of the summands, each 2^-11 at most, and half a step
     * where it is denormal (the sum is at least 1).  The goldens need 1.7 * 2^-11. */
    if (rule->kind == BOUND_SOFTMAX)
        return 2 * s->rounding * fabs(p->value) + s->step;
    if (rule->runtime_units > 0 && bounds_half(bounds))
        return rule->runtime_units * s->rounding * p->magnitude + s->step;
    /* LOGISTIC below -9 is e^x instead of e^x / (1 + e^x). */
    return rule->kind == BOUND_LOGISTIC && p->value < 0.5 && p->magnitude > 9 ? 2e-8 : 0;
}

double bound_rounded_operands(const struct bound_rule *rule, enum bounds bounds,
                              const struct bound_point *p)
{
    const struct bound_storage *const s = bound_storage(bounds);

    if (rule->kind == BOUND_BITS)
        return s->rounding * fabs(p->value) + s->step;
    return s->rounding * (2 + s->rounding) * p->magnitude;
}

double bound_rounded_mean(enum bounds bounds)
{
    return 0.35 * bound_storage(bounds)->rounding;
}

static bool is_overflow(const struct bound_storage *s, double limit, double value)
{
    return fabs(value) + limit >= s->largest + ulp_of(s, s->largest) / 2;
}

struct bound_verdict bound_check(enum bounds bounds, double limit, double value, double got)
{
    const struct bound_storage *const s = bound_storage(bounds);
    const double error = fabs(got - value);

    if (isnan(value))
        return (struct bound_verdict){ isnan(got), isnan(got) ? 0 : INFINITY };
    if (isfinite(value) && !isfinite(limit))
        return (struct bound_verdict){ true, 0 };
    if (isnan(got))
        return (struct bound_verdict){ false, NAN };
    if (is_overflow(s, limit, value) && signbit(got) == signbit(value) &&
        (isinf(got) || fabs(got) == s->largest))
        return (struct bound_verdict){ true, 0 };
    if (isinf(got) || isinf(value))
        return (struct bound_verdict){ got == value, got == value ? 0 : INFINITY };
    /* A flushed denormal is no error, and tells nothing about the margin. */
    if (got == 0 && value != 0 && fabs(value) < s->smallest_normal)
        return (struct bound_verdict){ true, 0 };
    if (error <= limit)
        return (struct bound_verdict){ true, error };
    if (got == 0 && fabs(value) - limit < s->smallest_normal)
        return (struct bound_verdict){ true, 0 };
    return (struct bound_verdict){ false, error };
}

struct bound_verdict bound_check_special(enum bounds bounds, double limit, double x, double value,
                                         double got)
{
    if (isnan(x) || isnan(got))
        return (struct bound_verdict){ true, 0 };
    return bound_check(bounds, isnan(limit) ? 0 : limit, value, got);
}

/* The error that is left without what is no part of the sum's roundings: storing as f16, dividing
 * by the count, flushed products. */
static double residual(const struct bound_rule *rule, enum bounds bounds,
                       const struct bound_point *p, double got)
{
    const struct bound_storage *const s = bound_storage(bounds);
    const double r = fabs(p->value), error = got - p->value;
    double explained = s->rounding * r + s->step;

    if (is_arith16(bounds) || has_runs(rule, bounds))
        explained += flushed(rule, bounds, p);
    if (rule->kind == BOUND_AVERAGE)
        explained += 6 * bound_unit(bounds) * r;
    if (got == 0 && r < s->smallest_normal)
        return 0;
    return fabs(error) <= explained ? 0 : copysign(fabs(error) - explained, error);
}

/* What the rms of honest errors reaches at most, in units of u * magnitude (TOLERANCES.md 4). */
static double usual_error(enum bounds bounds, const struct bound_point *p, double k)
{
    if (bounds & BOUNDS_TOWARD_ZERO)
        return 1 + 2 * sqrt(k) + 0.5 * k * fmin(1, fabs(p->value) / p->magnitude);
    if (is_arith16(bounds) && k > 1024)
        return k;
    return 0.5 + 0.5 * sqrt(k);
}

bool bound_sums_add(struct bound_sums *sums, const struct bound_rule *rule, enum bounds bounds,
                    const struct bound_point *p, double got)
{
    const double limit = bound_limit(rule, bounds, p);
    const double k = sum_terms(rule, bounds, p->terms);
    double e, scaled;

    /* Below m / u the roundings of a sum are those of denormals. */
    if (p->magnitude * unit32 < floor32 || !isfinite(got) ||
        is_overflow(bound_storage(bounds), limit, p->value) || bound_may_overflow(rule, bounds, p))
        return false;
    e = residual(rule, bounds, p, got) / (sum_unit(rule, bounds) * p->magnitude);
    scaled = e / usual_error(bounds, p, k);
    sums->count++;
    sums->sum += e;
    sums->squares += e * e;
    sums->scaled_squares += scaled * scaled;
    sums->roots += sqrt(k);
    sums->biased = bounds & BOUNDS_TOWARD_ZERO || (is_arith16(bounds) && p->terms > 256);
    if (rule->kind == BOUND_DOT)
        sums->shared += fmin(1, 2 / sqrt(p->row)) * fabs(p->value) / p->magnitude;
    return true;
}

const char *bound_note(const struct bound_rule *rule, enum bounds bounds)
{
    if (rule->kind == BOUND_BITS)
        return "its own results are equal bits; the margin is that of the ops behind it";
    if (bounds_half(bounds))
        return "storing as f16 rounds by up to half a unit in the last place, nearly all of the "
               "limit";
    switch (rule->kind) {
    case BOUND_ROUNDED:
        return rule->units > 0
                   ? "few roundings, which may all go the same way"
                   : "the limit is one unit in the last place; a correct rounding takes half of it";
    case BOUND_DOT:
        return "few products: the limit is a few roundings, or the mean of many like sums";
    case BOUND_AVERAGE:
        return "few elements: the limit is a few roundings and those of the division";
    case BOUND_SOFTMAX:
        return "the exponential's own error, or the row's sum, which few terms make up";
    case BOUND_EXP:
        return "drivers may be off by 3 + 2|x| units in the last place, the limit is 4 + 2|x|";
    case BOUND_LOGISTIC:
        return "the exponential inside may be off by 3 + 2|x| units in the last place";
    case BOUND_RESIZE:
        return "a flat or small image: four products with weights that were rounded themselves";
    case BOUND_LSTM:
        return "four sums, five exponentials and their products, each near its own limit";
    case BOUND_LSTM_FULL:
        return "few steps: four sums, five exponentials and their products, each near its limit";
    case BOUND_BITS: break;
    }
    return "";
}

struct bound_sums_verdict bound_sums_check(const struct bound_sums *sums)
{
    const double independent = sums->independent > 0 ? sums->independent : sums->count;
    struct bound_sums_verdict v = { .pass = true };

    if (sums->count == 0)
        return v;
    v.rms = sqrt(sums->scaled_squares / sums->count);
    v.rms_limit = 1 + 2 / sqrt(independent);
    v.mean = sums->sum / sums->count;
    v.mean_limit = 4 * sqrt(sums->squares / sums->count) / sqrt(independent) +
                   (0.05 * sums->roots + sums->shared) / sums->count;
    if (sums->biased)
        v.mean_limit = INFINITY;
    v.pass = v.rms <= v.rms_limit && fabs(v.mean) <= v.mean_limit;
    return v;
}

double bound_softmax_sum(enum bounds bounds, double row, double small)
{
    const struct bound_storage *const s = bound_storage(bounds);
    const bool cut = bounds & BOUNDS_TOWARD_ZERO;
    const double limit = bound_unit(bounds) * ((cut ? row : 4 * sqrt(row)) + 4);

    return s->rounding == 0 ? limit : limit + s->rounding + row * s->step + small;
}
