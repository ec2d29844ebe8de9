/* How far a result may be off: the limits of the tolerance policy, sections 5.1-5.4 and 5.6.
 *
 * A limit follows from the float64 reference of an element (value, magnitude, terms: struct
 * ref_detail), the rule of the op and the class of bounds that the subject is held to.  It never
 * depends on a row.  Units: u = 2^-24 for arithmetic in f32; storage in f16 adds one rounding,
 * 2^-11 of the result, and half a step of its denormals, 2^-25. */
#ifndef ASSAY_CONFORMANCE_BOUNDS_BOUND_H
#define ASSAY_CONFORMANCE_BOUNDS_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The class of bounds that a subject is held to: the first two are those of floats, the others of
 * quantized integers. */
enum bounds { BOUNDS_FP32, BOUNDS_FP16, BOUNDS_EXACT, BOUNDS_FLOAT_VIEW, BOUNDS_COUNT };
/* "fp32", "fp16", "exact", "float_view", as --bounds takes them; then NULL. */
extern const char *const bounds_names[BOUNDS_COUNT + 1];

enum bound_kind {
    BOUND_BITS,    /* data movement, clamps: equal, but -0 = +0, and 0 for a denormal */
    BOUND_ROUNDED, /* ulps units in the last place */
    BOUND_DOT,     /* sums of products */
    BOUND_AVERAGE, /* sums divided by their count */
    BOUND_SOFTMAX,
    BOUND_EXP,      /* magnitude = |x| */
    BOUND_LOGISTIC, /* magnitude = |x| */
    BOUND_RESIZE, /* bilinear: magnitude = largest |corner|, terms = larger extent * range nearby */
    BOUND_LSTM    /* h and c: magnitude = limit / u; see bound_rule_of_output */
};

/* The rule of an op. */
struct bound_rule {
    enum bound_kind kind;
    double ulps; /* BOUND_ROUNDED */
    /* Of an elementwise op of one input that is not monotone: the largest slope, by which what its
     * input may be off grows; 0: not known. */
    double lipschitz;
};

/* The rule of one output of the op: the outputs of LSTM differ. */
const struct bound_rule *bound_rule_of_output(const struct bound_rule *rule, int output);

/* One element of the reference. */
struct bound_point {
    double value, magnitude, terms;
    double row; /* the last dimension: what BOUND_SOFTMAX normalizes, the channels of BOUND_DOT */
};

/* The numbers that results are stored as. */
struct bound_storage {
    double largest;
    double smallest_normal;
    int fraction_bits;
    double rounding; /* of storing, beyond that of f32: relative */
    double step;     /* ... absolute: half a step of the denormals */
};
const struct bound_storage *bound_storage(enum bounds bounds);

/* The largest |got - value| that passes. */
double bound_limit(const struct bound_rule *rule, enum bounds bounds, const struct bound_point *p);

/* By how much more the real runtime's own results may be off (5.9). */
double bound_runtime_error(const struct bound_rule *rule, enum bounds bounds,
                           const struct bound_point *p);

/* The unit in the last place of x as the class stores it. */
double bound_ulp(enum bounds bounds, double x);

struct bound_verdict {
    bool pass;
    double
        error; /* |got - value| as far as it counts; infinite for a wrong infinity, NaN for NaN */
};
/* One element against its limit, with the special values of 5.6: overflow may give infinity or the
 * largest finite number, what is too small to be normal may give 0, NaN passes for NaN only. */
struct bound_verdict bound_check(enum bounds bounds, double limit, double value, double got);

/* One element of an elementwise op whose input x is an infinity or a NaN, which devices may take to
 * be absent (5.6).  Of a NaN anything may come; of an infinity the right value, the largest finite
 * number for an infinite one, or NaN. */
struct bound_verdict bound_check_special(enum bounds bounds, double limit, double x, double value,
                                         double got);

/* Integers with a scale, given by a device that computes in floats ("float view"; 5.5): how far a
 * result may be off before it is rounded to an integer, in steps of the output.  p is in steps,
 * too. The terms are those of the op in f32, with one rounding more for each operand, which is made
 * of an integer; f16 rounds operands and result to its own. */
double bound_steps(const struct bound_rule *rule, enum bounds floats, const struct bound_point *p,
                   double scale, int32_t zero);

/* Why honest results come near the limit of a rule: for margins above a half. */
const char *bound_note(const struct bound_rule *rule, enum bounds bounds);

/* Rules over a whole tensor of sums: the rms and the mean of e = error / (u * magnitude), where the
 * error is what the roundings besides the sum's own (f16 storage, division) do not explain.  K may
 * differ from element to element (at the edges of an image): each e is measured by its own.
 *
 * The mean of honest errors goes to 0 where they are independent.  Those of a layer are not quite:
 * all elements of a channel have the bias in common, and adding one constant to sums of one binade
 * rounds all of them by the same part of a unit, which is up to u*|r|, or |r| / magnitude in e.
 * (Seen on f32 sums in plain C: mean 0.72 at K = 64, one channel, 257 rows, all positive.) Channels
 * have different biases, so over C of them this falls as 2 / sqrt C. */
struct bound_sums {
    double count;
    double sum, squares, scaled_squares, roots; /* of e; of e / (0.5 + 0.5 sqrt K); of sqrt K */
    double shared; /* of min(1, 2 / sqrt C) * |r| / magnitude; sums of products only */
};
void bound_sums_add(struct bound_sums *sums, const struct bound_rule *rule, enum bounds bounds,
                    const struct bound_point *p, double got);
struct bound_sums_verdict {
    bool pass;
    double rms, rms_limit; /* of e / (0.5 + 0.5 sqrt K) */
    double mean, mean_limit;
};
struct bound_sums_verdict bound_sums_check(const struct bound_sums *sums);

/* SOFTMAX: how far the sum of a row may be from 1.  small: the sum of those reference values that
 * are below the smallest normal number, and may be stored as 0. */
double bound_softmax_sum(enum bounds bounds, double row, double small);

#endif
