/* The data of cases: the sets S0-S5 of TOLERANCES.md 11.
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

/* Data sets (TOLERANCES.md 11). */
enum data_set {
    SET_RANDOM,   /* S0: random signs, about N(0,1) */
    SET_POSITIVE, /* S1: all positive */
    SET_INTEGERS, /* S2: small integers: dot products are exact */
    SET_CANCEL,   /* S3: cancelling pairs: |result| far below the sum of magnitudes */
    SET_POWERS,   /* S4: powers of two */
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
    bool half;     /* round to f16; magnitudes are kept so that results stay below 3e4 */
    bool overflow; /* ... unless the row is about overflow */
    double scale;  /* of all sets but S2; 0: 1 */
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
