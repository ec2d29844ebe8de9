/* LSTM from the sums that the device itself has stored: TOLERANCES.md 3.8. */
#include "conformance/suite/bounds/bound.h"

#include <math.h>

/* What a logistic function and a tanh of f32 arithmetic are off by, in units of u, whichever of the
 * usual forms computes them. */
static const double logistic_units = 8, tanh_units = 17;

static double logistic(double z)
{
    return 1 / (1 + exp(-z));
}

/* How far the value inside the device may be from the one that it has stored. */
static double stored(enum bounds bounds, double x)
{
    /* Storing toward zero is right in f16, whatever the class. */
    const struct bound_storage *const s = bound_storage((enum bounds)(bounds | BOUNDS_TOWARD_ZERO));

    return s->rounding * fabs(x) + s->step;
}

/* What a function of this slope at x makes of that. */
static double carried(enum bounds bounds, double slope, double x)
{
    return slope > 0 ? slope * stored(bounds, x) : 0; /* x may be infinite there */
}

static double logistic_error(enum bounds bounds, double z)
{
    const double y = logistic(z);

    return logistic_units * bound_unit(bounds) + carried(bounds, y * (1 - y), z);
}

static double tanh_error(enum bounds bounds, double x)
{
    const double y = tanh(x);

    return tanh_units * bound_unit(bounds) + carried(bounds, 1 - y * y, x);
}

struct bound_point bound_lstm_c(enum bounds bounds, const double z[3], double c_prev)
{
    const double i = logistic(z[0]), j = tanh(z[1]), f = logistic(z[2]), u = bound_unit(bounds);
    const double error = logistic_error(bounds, z[0]) * fabs(j) + i * tanh_error(bounds, z[1]) +
                         logistic_error(bounds, z[2]) * fabs(c_prev) +
                         2 * u * (fabs(i * j) + fabs(f * c_prev));

    return (struct bound_point){ .value = i * j + f * c_prev, .magnitude = error / u, .terms = 1 };
}

struct bound_point bound_lstm_h(enum bounds bounds, double z, double c)
{
    const double o = logistic(z), t = tanh(c), u = bound_unit(bounds);
    const double error =
        logistic_error(bounds, z) * fabs(t) + o * tanh_error(bounds, c) + u * fabs(o * t);

    return (struct bound_point){ .value = o * t, .magnitude = error / u, .terms = 1 };
}
