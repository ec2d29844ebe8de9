/* The data of cases: the sets S0-S6. */
#include "conformance/suite/cases/data.h"

#include "reference/base/half.h"

#include <assert.h>
#include <math.h>

const char *data_set_name(enum data_set set)
{
    static const char *const names[SET_COUNT] = { "S0", "S1", "S2", "S3", "S4", "S5", "S6" };

    return (unsigned)set < SET_COUNT ? names[set] : "S?";
}

float data_half(float f)
{
    const float h = half_to_float(float_to_half(f));

    if (isinf(h))
        return copysignf(65504.0f, h);
    return fabsf(h) < 0x1p-14f ? copysignf(0.0f, h) : h;
}

/* The largest n with 2^n <= x, for x >= 1. */
static int floor_log2(double x)
{
    int n = 0;

    for (; x >= 2; x /= 2)
        n++;
    return n;
}

/* The largest integer whose square is at most x; at least 0. */
static int64_t floor_sqrt(double x)
{
    int64_t n = 0;

    while ((double)(n + 1) * (double)(n + 1) <= x && n < 4096)
        n++;
    return n;
}

static double at_least_one(double x)
{
    return x > 1 ? x : 1;
}

/* S2: integers whose products and sums are exact in the type that holds them.  sum |w*x| + |bias|
 * stays within 2^24 (f16: 2^11): always where `largest` is over 1; on the average where sums are so
 * long that even 1 is too large, and most values become zero. */
struct integers {
    int64_t largest;
    uint64_t keep; /* the share of values that are not forced to zero, times 2^32 */
};

static struct integers integers_for(const struct data_spec *spec)
{
    const double limit = spec->half ? 0x1p11 : 0x1p24;
    const double terms = at_least_one(spec->terms);
    struct integers n = { 1, 1ull << 32 };

    if (spec->factors == 2) {
        n.largest = floor_sqrt(limit / (terms + 1));
        if (n.largest > 31)
            n.largest = 31;
    } else {
        n.largest = terms > 1 ? (int64_t)(limit / (terms + 1)) : (int64_t)(limit / 2);
    }
    if (n.largest < 1) {
        double share = limit / (2 * terms); /* the share of products that may be nonzero */

        /* Each factor has the square root of the share, found by bisection without libm. */
        if (spec->factors == 2) {
            double low = 0, high = 1;
            for (int i = 0; i < 40; i++) {
                const double middle = (low + high) / 2;
                if (middle * middle < share)
                    low = middle;
                else
                    high = middle;
            }
            share = low;
        }
        n.largest = 1;
        n.keep = (uint64_t)(share * 0x1p32);
    }
    return n;
}

/* S4, S5: exponents lie within [-e, e].  For f16 results stay below 3e4, which is 2^11.6 times the
 * largest normal deviate to be expected (about 3 for one value, 9 for a product). */
static int exponent_for(const struct data_spec *spec, int most)
{
    int e = most;

    if (spec->half && !spec->overflow) {
        const int room = 11 - floor_log2(at_least_one(spec->terms)) - (spec->terms > 1);
        e = spec->factors == 2 ? room / 2 : room;
        if (e > 8)
            e = 8; /* 2^-e stays normal in f16, too, where the smallest normal number is 2^-14 */
    }
    return e > most ? most : e < 0 ? 0 : e;
}

static double power_of_two(int n)
{
    double x = 1;

    for (; n > 0; n--)
        x *= 2;
    for (; n < 0; n++)
        x /= 2;
    return x;
}

struct generator {
    const struct data_spec *spec;
    struct integers integers;
    int exponent;
};

static double make_value(struct random_stream *s, const struct generator *g)
{
    const uint64_t e = (uint64_t)g->exponent;
    uint64_t bits;

    switch (g->spec->set) {
    case SET_POSITIVE: return fabs(random_normal(s)) + 0x1p-10;
    case SET_INTEGERS:
        bits = random_next(s);
        if ((bits & 0xffffffffu) >= g->integers.keep)
            return 0;
        if (g->integers.keep < 1ull << 32)
            return bits >> 63 ? 1 : -1;
        return (double)((int64_t)((bits >> 32) % (uint64_t)(2 * g->integers.largest + 1)) -
                        g->integers.largest);
    case SET_POWERS:
        bits = random_next(s);
        return (bits & 1 ? -1 : 1) * power_of_two((int)((bits >> 1) % (2 * e + 1)) - (int)e);
    case SET_SPREAD: {
        const double v = random_normal(s);
        return v * power_of_two((int)random_below(s, 2 * e + 1) - (int)e);
    }
    case SET_RANDOM:
    case SET_CANCEL:
    case SET_ENDS: /* of 8-bit tensors only: floats beside them are those of S0 */
    default: return random_normal(s);
    }
}

/* Returns v * (1 + e) with a random |e| < 1 / 21. */
static double near(struct random_stream *s, double v)
{
    return v * (1 + random_normal(s) * 0x1p-7);
}

/* One axis of a tensor. */
struct division {
    size_t count;  /* elements of the tensor */
    size_t length; /* elements along the axis */
    size_t inner;  /* elements of the dimensions after the axis */
};

static struct division divide(const int32_t *dims, int rank, int axis)
{
    struct division d = { 1, 1, 1 };

    for (int i = 0; i < rank; i++) {
        d.count *= (size_t)dims[i];
        if (i == axis)
            d.length = (size_t)dims[i];
        if (i > axis)
            d.inner *= (size_t)dims[i];
    }
    return d;
}

/* Returns the element along the axis from which S3 makes element i; -1: none. */
static ptrdiff_t partner(enum data_pair pair, const struct division *d, size_t i)
{
    const size_t along = i / d->inner % d->length;

    if (pair == PAIR_NONE || pair == PAIR_MIRROR)
        return -1;
    if (pair == PAIR_FLAT)
        return along > 0 ? (ptrdiff_t)(i - along * d->inner) : -1;
    return along % 2 == 1 ? (ptrdiff_t)(i - d->inner) : -1;
}

void data_fill(struct random_stream *s, const struct data_spec *spec, const int32_t *dims, int rank,
               float *out)
{
    const struct generator g = { spec, integers_for(spec),
                                 exponent_for(spec, spec->set == SET_POWERS ? 8 : 10) };
    const double scale = spec->scale != 0 ? spec->scale : 1;
    const enum data_pair pair = spec->set == SET_CANCEL ? spec->pair : PAIR_NONE;
    const struct division d = divide(dims, rank, spec->axis);

    for (size_t i = 0; i < d.count; i++) {
        const ptrdiff_t from = partner(pair, &d, i);
        /* Each element draws once, needed or not, so that tensors of equal shapes draw alike. */
        double v = make_value(s, &g);

        if (spec->set != SET_INTEGERS)
            v = v * scale + spec->offset;
        if (from >= 0)
            v = pair == PAIR_OPPOSITE ? -(double)out[from] : near(s, out[from]);
        else if (pair == PAIR_MIRROR)
            v = -v * (1 + (double)((int64_t)(i % 13) - 6) * 0x1p-8);
        out[i] = (float)v;
        if (spec->half)
            out[i] = data_half(out[i]);
    }
}

/* ---- integers ---- */

static int32_t within(const struct steps_spec *spec, int64_t q)
{
    return q < spec->low ? spec->low : q > spec->high ? spec->high : (int32_t)q;
}

static int64_t make_step(struct random_stream *s, const struct steps_spec *spec)
{
    const uint64_t width = (uint64_t)((int64_t)spec->high - spec->low) + 1;
    const int64_t any = spec->low + (int64_t)random_below(s, width);
    uint64_t bits;

    switch (spec->set) {
    case SET_POSITIVE: /* where the zero point is the highest integer no value is positive */
        return spec->zero < spec->high
                   ? spec->zero + 1 +
                         (int64_t)random_below(s, (uint64_t)((int64_t)spec->high - spec->zero))
                   : any;
    case SET_INTEGERS: return spec->zero + (int64_t)random_below(s, 7) - 3;
    case SET_POWERS:
        bits = random_next(s);
        return spec->zero + (bits & 1 ? -1 : 1) * (1 << (bits >> 1) % 8);
    case SET_SPREAD: return spec->zero + (any - spec->zero) / (1 << random_below(s, 8));
    case SET_RANDOM:
    case SET_CANCEL:
    case SET_ENDS: /* fill_ends */
    default: return any;
    }
}

/* S6.  One row along the axis in four is all low and one all high; the others have pairs. */
static void fill_ends(struct random_stream *s, const struct steps_spec *spec,
                      const struct division *d, int32_t *out)
{
    enum { ALL_LOW, ALL_HIGH, WAYS = 4 };
    const bool pairs = spec->pair == PAIR_EQUAL || spec->pair == PAIR_OPPOSITE;

    for (size_t first = 0; first < d->count; first += d->length * d->inner) {
        const uint64_t way = random_below(s, WAYS);

        for (size_t i = first; i < first + d->length * d->inner; i++) {
            const bool follows = pairs && i / d->inner % d->length % 2 == 1;
            const bool high = random_next(s) >> 63;

            if (way == ALL_LOW || way == ALL_HIGH)
                out[i] = way == ALL_HIGH ? spec->high : spec->low;
            else
                out[i] = follows ? out[i - d->inner] : high ? spec->high : spec->low;
        }
    }
}

void data_fill_steps(struct random_stream *s, const struct steps_spec *spec, const int32_t *dims,
                     int rank, int32_t *out)
{
    const enum data_pair pair = spec->set == SET_CANCEL ? spec->pair : PAIR_NONE;
    const struct division d = divide(dims, rank, spec->axis);

    if (spec->set == SET_ENDS) {
        fill_ends(s, spec, &d, out);
        return;
    }
    for (size_t i = 0; i < d.count; i++) {
        const ptrdiff_t from = partner(pair, &d, i);
        int64_t q = make_step(s, spec);

        if (from >= 0 && pair == PAIR_OPPOSITE)
            q = 2 * (int64_t)spec->zero - out[from];
        else if (from >= 0)
            q = out[from] + q % 4;
        else if (pair == PAIR_MIRROR)
            q = 2 * (int64_t)spec->zero - q + (int64_t)(i % 5) - 2;
        out[i] = within(spec, q);
    }
}
