/* The data that cases are run with.
 *
 * A case is run with some of six data sets, S0 to S5 in reports: each is a way to draw the values
 * of its inputs and constants, and finds other faults.  Every set is drawn in two frames, A and B:
 * two inferences with the same constants and other inputs, so that a delegate which keeps results
 * from one inference to the next gives B what belongs to A; A, B, A again must give the bits of A
 * twice.
 *
 * Every value is made with integer arithmetic and with IEEE additions, products and roundings only,
 * so that each machine and compiler gives the same bits.  Each tensor has a random stream of its
 * own (util/random.h). */
#ifndef ASSAY_CONFORMANCE_CASES_DATA_H
#define ASSAY_CONFORMANCE_CASES_DATA_H

#include "conformance/util/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sets (TOLERANCES.md 11).  In 8 bits S0 takes every integer alike. */
enum data_set {
    SET_RANDOM,   /* S0: random signs, about N(0, 1) */
    SET_POSITIVE, /* S1: all positive: sums grow, and errors of one sign add up */
    SET_INTEGERS, /* S2: small integers: sums of products are exact, each result must be, too */
    SET_CANCEL,   /* S3: pairs that cancel: |result| is far below the sum of magnitudes */
    SET_POWERS,   /* S4: powers of two: products are exact, whatever their order is */
    SET_SPREAD,   /* S5: magnitudes spread over many powers of two */
    SET_COUNT
};
const char *data_set_name(enum data_set set); /* "S0" ... */

/* How S3 makes sums cancel: what the values along one axis have to do with each other. */
enum data_pair {
    PAIR_NONE,
    PAIR_EQUAL,    /* the second of each pair is about the first */
    PAIR_OPPOSITE, /* the second of each pair is minus the first, exactly */
    PAIR_FLAT,     /* all are about the first one */
    PAIR_MIRROR    /* every value is about minus that of the tensor filled before this one */
};

struct data_spec {
    enum data_set set;
    bool half;     /* round to f16; magnitudes are such that results stay below 3e4 */
    bool overflow; /* with half: the row is about overflow, results may be larger */
    double scale;  /* factor of the values of all sets but S2; 0: 1 */
    double offset; /* added after scale */
    double terms;  /* products or summands of one result */
    int factors;   /* 2: the values are factors of products, 1: they are summands */
    enum data_pair pair;
    int axis; /* of pair */
};

/* Row-major, outermost first; every dimension is positive. */
void data_fill(struct random_stream *s, const struct data_spec *spec, const int32_t *dims, int rank,
               float *out);

/* The integers of a quantized tensor: S0 takes the whole range, in which the others stay. */
struct steps_spec {
    enum data_set set;
    int32_t low, high, zero; /* zero point, within the range */
    enum data_pair pair;
    int axis;
};
void data_fill_steps(struct random_stream *s, const struct steps_spec *spec, const int32_t *dims,
                     int rank, int32_t *out);

/* To the nearest f16 value, denormals to 0, overflow to the largest. */
float data_half(float f);

#endif
