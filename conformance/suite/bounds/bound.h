/* How far a result may be off: the bounds of conformance/doc/TOLERANCES.md, sections 3 to 6.
 *
 * A limit follows from the float64 reference of an element (value, magnitude, terms: struct
 * ref_detail), the rule of the op and the class of bounds that the subject is held to.  It never
 * depends on a row.  Units: u = 2^-24 for arithmetic in f32, 2^-11 for arithmetic in f16; storage
 * in f16 adds one rounding, 2^-11 of the result, and half a step of its denormals, 2^-25.  Where
 * every operation rounds toward zero, all of them are twice as much. */
#ifndef ASSAY_CONFORMANCE_SUITE_BOUNDS_BOUND_H
#define ASSAY_CONFORMANCE_SUITE_BOUNDS_BOUND_H

#include "conformance/suite/bounds/classes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of bounds, with their sections of TOLERANCES.md. */
enum bound_kind {
    BOUND_BITS,     /* 3.1: data movement, clamps: equal, but -0 = +0, and 0 for a denormal */
    BOUND_ROUNDED,  /* 3.2: ulps units in the last place, and units of u * magnitude */
    BOUND_DOT,      /* 3.3: sums of products */
    BOUND_AVERAGE,  /* 3.4: sums divided by their count */
    BOUND_SOFTMAX,  /* 3.5 */
    BOUND_EXP,      /* 3.6: magnitude = |x| */
    BOUND_LOGISTIC, /* 3.6: magnitude = |x| */
    BOUND_RESIZE,   /* 3.7: magnitude = largest |corner|, terms = larger side * range nearby */
    BOUND_LSTM,     /* 3.8: h and c; magnitude = limit / u; see bound_rule_of_output */
    BOUND_LSTM_FULL /* 3.11: magnitude = limit / u, terms = what stored states add / a rounding */
};

/* The rule of an op. */
struct bound_rule {
    enum bound_kind kind;
    double ulps, units; /* BOUND_ROUNDED: the roundings of the op, counted */
    /* Which elements beside a NaN count depends on the order in which they are compared, in the
     * runtime, too: where a NaN matters, every result passes (6). */
    bool any_beside_nan;
    /* Where the function is linear near 0: the magnitude is at most so many times the result,
     * unless the subject has class exponentials; 0: it is as the reference says. */
    double relative;
    /* Of an elementwise op of one input that is not monotone: the Lipschitz constant, by which an
     * error of its input grows at most; 0: not known. */
    double lipschitz;
    /* The runtime's kernel for f16 rounds every operation to f16: its own error, in units of
     * u16 * magnitude, which the goldens may have (9); 0: its error is that of `ulps` and `units`.
     */
    double runtime_units;
};

/* The rule of one output of the op: the outputs of LSTM differ. */
const struct bound_rule *bound_rule_of_output(const struct bound_rule *rule, int output);

/* One element of the reference. */
struct bound_point {
    double value, magnitude, terms; /* struct ref_detail */
    double row; /* extent of the last dimension: a row of SOFTMAX, the channels of a convolution */
};

/* The format that results are stored in. */
struct bound_storage {
    double largest; /* finite */
    double smallest_normal;
    int fraction_bits;
    double rounding; /* relative error of storing an f32 result; 0 for f32 */
    double step;     /* absolute error of storing an f32 result: half a step of the denormals */
};
const struct bound_storage *bound_storage(enum bounds bounds);

/* The unit roundoff of the arithmetic: TOLERANCES.md 1. */
double bound_unit(enum bounds bounds);

/* Storing in f16 may round toward zero, too (TOLERANCES.md 3.9).  Returns the middle of what passes
 * then, which stands for value in bound_check, with the same limit. */
double bound_toward_zero(double value);

/* Whether sums inside the op may leave the range of the arithmetic, after which nothing is known.
 */
bool bound_may_overflow(const struct bound_rule *rule, enum bounds bounds,
                        const struct bound_point *p);

/* The largest |got - value| that passes; never NaN.  Infinite where nothing is known (TOLERANCES.md
 * 6): any result passes. */
double bound_limit(const struct bound_rule *rule, enum bounds bounds, const struct bound_point *p);

/* A limit out of parts of which one may be infinite: infinity times 0, or less infinity, is NaN,
 * and says as little as infinity. */
double bound_known(double limit);

/* How much further off the real runtime's own results may be (TOLERANCES.md 9). */
double bound_runtime_error(const struct bound_rule *rule, enum bounds bounds,
                           const struct bound_point *p);

/* The unit in the last place of x as the class stores it. */
double bound_ulp(enum bounds bounds, double x);

struct bound_verdict {
    bool pass;
    /* |got - value| as far as it counts; infinite for a wrong infinity, NaN for NaN. */
    double error;
};
/* What a result is off where the device itself rounds operands of 24 bits to f16, beside its limit,
 * and the share of the magnitude that the sum of such errors may reach (TOLERANCES.md 3.10). */
double bound_rounded_operands(const struct bound_rule *rule, enum bounds bounds,
                              const struct bound_point *p);
double bound_rounded_mean(enum bounds bounds);

/* Compares one element with its limit; special values pass as TOLERANCES.md 6 says. */
struct bound_verdict bound_check(enum bounds bounds, double limit, double value, double got);

/* Compares one element of an elementwise op whose input x is an infinity or a NaN, which Vulkan
 * lets a device assume to be absent (TOLERANCES.md 6). */
struct bound_verdict bound_check_special(enum bounds bounds, double limit, double x, double value,
                                         double got);

/* How far a quantized result of a device that computes in floats may be off before it is rounded to
 * an integer, in steps of the output (TOLERANCES.md 5).  p is in steps, too. */
double bound_steps(const struct bound_rule *rule, enum bounds floats, const struct bound_point *p,
                   double scale, int32_t zero);

/* LSTM, 3.8: value and magnitude of c from the device's own sums of the gates i, j and f, and of h
 * from its sum of the gate o and its c. */
struct bound_point bound_lstm_c(enum bounds bounds, const double z[3], double c_prev);
struct bound_point bound_lstm_h(enum bounds bounds, double z, double c);

/* Why honest results come near the limit of a rule: a report shows it for margins above a half. */
const char *bound_note(const struct bound_rule *rule, enum bounds bounds);

/* The errors of a whole tensor of sums (TOLERANCES.md 4): e = error / (u * magnitude), without the
 * roundings that are no part of the sum. */
struct bound_sums {
    double count;
    double sum, squares, scaled_squares, roots; /* of e; of e / (0.5 + 0.5 sqrt K); of sqrt K */
    double shared; /* of min(1, 2 / sqrt C) * |r| / magnitude; sums of products only */
    bool biased;   /* the arithmetic errs to one side: the mean is not judged */
    /* As many errors are independent, where elements share operands; 0: all `count`. */
    double independent;
};
/* Returns whether the element is one that counts. */
bool bound_sums_add(struct bound_sums *sums, const struct bound_rule *rule, enum bounds bounds,
                    const struct bound_point *p, double got);
struct bound_sums_verdict {
    bool pass;
    double rms, rms_limit; /* of e / (0.5 + 0.5 sqrt K) */
    double mean, mean_limit;
};
struct bound_sums_verdict bound_sums_check(const struct bound_sums *sums);

/* How far the sum of a row of SOFTMAX may be from 1.  small: the sum of those reference values that
 * are below the smallest normal number, and may be flushed to 0. */
double bound_softmax_sum(enum bounds bounds, double row, double small);

#endif
