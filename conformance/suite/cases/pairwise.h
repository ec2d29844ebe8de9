/* Pairwise sweeps: few rows in which every level of each axis occurs together with every level of
 * each other axis.
 *
 * Most faults need one or two circumstances at once (a stride and an odd channel, a padding and a
 * batch), so a table that has each pair finds about what the full product finds.  The rows depend
 * on the axes alone: the same on every machine and in every run.  A level has a label, and a row is
 * named by its labels: "k3_s2_valid_c5_o8_n3".
 *
 *     static const struct pairwise_level kernels[] = { { "k1", 1, 1 }, { "k3", 3, 3 } };
 *     static const struct pairwise_axis axes[] = { PAIRWISE_AXIS(kernels), ... };
 *
 * A suite makes rows of it in its sweep function, out of levels that are valid in any combination.
 */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_PAIRWISE_H
#define ASSAY_CONFORMANCE_SUITE_CASES_PAIRWISE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PAIRWISE_AXES_MAX = 10,
    PAIRWISE_LEVELS_MAX = 24,
    PAIRWISE_ROWS_MAX = 576,
    PAIRWISE_NAME_BYTES = 64
};

struct pairwise_level {
    const char *label; /* part of a row's name; "" for the usual level */
    int32_t x, y;      /* values whose meaning the suite defines */
};

struct pairwise_axis {
    const struct pairwise_level *levels;
    size_t count;
};
#define PAIRWISE_AXIS(levels_)                                                                     \
    {                                                                                              \
        (levels_), sizeof(levels_) / sizeof(levels_)[0]                                            \
    }

struct pairwise_row {
    const struct pairwise_level *level[PAIRWISE_AXES_MAX]; /* one of each axis */
    size_t axis_count;
    char name[PAIRWISE_NAME_BYTES];
    size_t index;    /* of the row among those of these axes */
    size_t position; /* of the row among all of a sweep (sweep.h) */
};

/* Fills rows and returns their number.  With a single axis each level is a row. */
size_t pairwise_rows(const struct pairwise_axis *axes, size_t axis_count,
                     struct pairwise_row rows[PAIRWISE_ROWS_MAX]);

#endif
