/* The data that cases are run with.
 *
 * A case is run with some of seven data sets, S0 to S6 in reports: each is a way to draw the values
 * of its inputs and constants, and finds other faults.  Every set is drawn in two frames, A and B:
 * two inferences with the same constants and other inputs, so that a delegate which keeps results
 * from one inference to the next gives B what belongs to A; A, B, A again must give the bits of A
 * twice.
 *
 * Every value is made with integer arithmetic and with IEEE additions, products and roundings only,
 * so that each machine and compiler gives the same bits.  Each tensor has a random stream of its
 * own (util/random.h). */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_DATA_H
#define ASSAY_CONFORMANCE_SUITE_CASES_DATA_H

#include "conformance/util/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sets (TOLERANCES.md 11).  In 8 bits S0 takes every integer alike. */
enum data_set {
    SET_RANDOM,   /* S0: random signs, about N(0, 1) */
    SET_POSITIVE, /* S1: all positive, so that sums grow and errors of one sign add up */
    SET_INTEGERS, /* S2: small integers, whose sums of products must be exact */
    SET_CANCEL,   /* S3: pairs that cancel, so that |result| is far below the sum of magnitudes */
    SET_POWERS,   /* S4: powers of two, whose products are exact */
    SET_SPREAD,   /* S5: magnitudes spread over many powers of two */
    SET_ENDS, /* S6, of 8 bits only: the ends of the range, so that sums grow as large as they can
               */
    SET_COUNT
};
const char *data_set_name(enum data_set set); /* "S0" ... */

/* How S3 makes sums cancel: the relation between the values along one axis. */
enum data_pair {
    PAIR_NONE,
    PAIR_EQUAL,    /* of two neighbours the second nearly equals the first */
    PAIR_OPPOSITE, /* of two neighbours the second is exactly minus the first */
    PAIR_FLAT,     /* all values nearly equal the first one */
    PAIR_MIRROR    /* each value is nearly minus that of the tensor filled before this one */
};

struct data_spec {
    enum data_set set;
    bool half;     /* values are rounded to f16, and so small that results stay below 3e4 */
    bool overflow; /* with half: results may be larger, as the row is about overflow */
    double scale;  /* factor of the values of all sets but S2; 0: 1 */
    double offset; /* added after scale */
    double terms;  /* number of products or summands of one result */
    int factors;   /* 2: the values are factors of products, else they are summands */
    enum data_pair pair;
    int axis; /* along which pairs lie */
};

/* Draws all values, in row-major order.  Every dimension is positive. */
void data_fill(struct random_stream *s, const struct data_spec *spec, const int32_t *dims, int rank,
               float *out);

/* How integers of a quantized tensor are drawn: S0 takes all of [low, high] alike, the other sets
 * stay within it.  S6 takes low and high alone: rows along the axis that are all low or all high,
 * so that sums of products become as large as they can, and others in which each two neighbours are
 * at the same end, so that pairs of products become that large while their sum stays in its range.
 */
struct steps_spec {
    enum data_set set;
    int32_t low, high, zero; /* zero point, within the range */
    enum data_pair pair;
    int axis;
};
void data_fill_steps(struct random_stream *s, const struct steps_spec *spec, const int32_t *dims,
                     int rank, int32_t *out);

/* Rounds to the nearest f16 value; denormals become 0, and overflow the largest finite value. */
float data_half(float f);

#endif
