/* Compares one output tensor with its reference, element by element and as a whole. */
#ifndef ASSAY_CONFORMANCE_SUITE_BOUNDS_COMPARE_H
#define ASSAY_CONFORMANCE_SUITE_BOUNDS_COMPARE_H

#include "conformance/suite/bounds/bound.h"
#include "reference/kernels/op.h"

#include <stdbool.h>
#include <stddef.h>

/* How a quantized output is compared: TOLERANCES.md 5. */
struct compare_steps {
    enum bounds bounds;    /* exact, one_step or float_view */
    const void *reference; /* the reference's integers */
    double scale;
    int32_t zero;
    /* Results are also held to the reference's, which is within 0.75 of a step of the exact ones.
     */
    bool within_reference;
    double max_mismatch_share; /* of elements that may differ from the reference's; 1: all */
};

struct compare_request {
    const struct bound_rule *rule;
    enum bounds bounds;
    bool integers; /* the data are set S2: sums that fit the arithmetic are exact */
    bool runtime;  /* the results are the real runtime's: limits of TOLERANCES.md 9, and none that
                    * is infinite */
    /* What activations that are rounded to 8 bits add to the limit of each element (dynamic range
     * in class hybrid, and the real runtime).  These are no roundings of a sum: rms and mean are
     * not judged.  NULL: nothing. */
    const double *added;
    /* What the dequantization of weights of less than 8 bits adds, in units of u * magnitude
     * (TOLERANCES.md 13.9). */
    double weight_units;
    bool tiles; /* magnitude and terms are those of Winograd's tiles (TOLERANCES.md 13.2) */
    TfLiteType type;
    const void *got;
    /* The reference's results, which integers without a scale must equal: i64 does not fit the
     * doubles of `detail`.  NULL: those are compared. */
    const void *whole;
    const int *dims;
    int rank;
    const struct compare_steps *steps; /* NULL: floats, or integers without a scale */
    const struct ref_detail *detail;   /* value, magnitude and terms of every element */
    /* The input of an elementwise op, an element for each of the output, where infinities and NaNs
     * are among them; NULL: all inputs are finite. */
    const float *special;
    /* What each element would be if the inputs' NaNs were -infinity, or +infinity, or denormals 0,
     * or infinities the largest f16: a device that assumes there are no NaNs, flushes, or caps may
     * give these, too (TOLERANCES.md 6).  NULL: there are none. */
    const struct ref_detail *read_as[4];
    bool has_nan; /* the first two of these are about NaNs */
    /* There are infinities among the inputs: where the runtime clamps one to the largest number, an
     * infinity is right, too. */
    bool has_infinity;
    /* These are numbers that the device had in f16: NaN is no result of them, unless it is one of
     * the largest f16, too. */
    bool from_overflow;
    /* In class fp16 the device, not the runner, rounded inputs and constants (TOLERANCES.md 3.10).
     */
    bool full_mantissas;
    /* Where the reference's value and limit of every element are written, an element for each of
     * the output; NULL: nowhere. */
    double *wants, *limits;
};

/* Most runs of elements, and of channels, that a comparison keeps the largest error / limit of. */
enum { COMPARE_RUNS = 32 };

struct comparison {
    bool pass;
    double max_abs; /* |got - want|; infinite when a result is NaN or a wrong infinity */
    double max_ulp; /* |got - want| in units in the last place of the class's storage format */
    double margin;  /* the largest error / limit, of elements, rms, mean and row sums */
    double bias;    /* sums: mean of error / (u * magnitude); else mean of error / limit */
    size_t elements, wrong;
    size_t not_judged; /* numbers whose limit is infinite: any other number passes */
    size_t unequal;    /* quantized elements that differ from the reference's integers */
    size_t untied; /* those of them whose exact result is no tie, which may be rounded either way */
    /* The first wrong element, or sum of a row.  Not set when only rms or mean fail. */
    bool has_element;
    size_t index;
    char where[64]; /* "n 0 h 1 w 2 c 3", "[4, 5]" */
    double got, want, error, limit;
    char text[160]; /* what is wrong, in words; empty on a pass */
    /* The wrong element, or row, with the largest error / limit. */
    struct comparison_worst {
        double ratio; /* 0: no element is wrong */
        char where[64];
        double got, want, error, limit;
    } worst;
    /* The largest error / limit in each of min(elements, COMPARE_RUNS) runs of elements, and
     * likewise of channels, which are the last dimension.  Sums are not part of it. */
    double by_element[COMPARE_RUNS], by_channel[COMPARE_RUNS];
    size_t channels;
};

/* The limit of an element of floats, without `added` and what sets and rows make of it. */
double compare_limit(const struct compare_request *request, const struct bound_point *p);

/* An element as a number; false: of a type that is not compared so. */
bool compare_number(TfLiteType type, const void *data, size_t i, double *value);
/* Fills *out.  STATUS_UNSUPPORTED for a type that has no rule. */
enum status compare_tensor(const struct compare_request *request, struct comparison *out,
                           struct diag *diag);

/* The index of element i: "n 0 h 1 w 2 c 3" for rank 4, "[4, 5]" for others. */
void compare_where(const int *dims, int rank, size_t i, char *out, size_t bytes);

#endif
