/* Whether the times of one run are longer than those of another, when both are noisy.
 *
 * Each case has one time in each run: the fastest inference of a tiny model.  A line is the cases
 * of an op in a type.  All that is known of a case is log(time in NEW / time in OLD).
 *
 * - The load of the machine moves all cases of a run.  The median over all cases is taken out of
 *   each and shown apart.
 * - A line's shift is the Hodges-Lehmann estimate of its centre: the median of the means of all
 *   pairs of its cases.
 * - Cases of a line scatter by themselves: Wilcoxon's signed-rank test says how probable a shift so
 *   large is by chance.
 * - Cases of a line run one after the other, so a burst of load moves a line as a whole, which no
 *   test within the line can see.  How far lines scatter is estimated from all lines (from the
 *   half, four fifths and nine tenths of them that moved least, so that lines that did become
 *   slower count little), and a shift must stand out of that scatter, too, in Student's t with
 *   TIMES_TAIL degrees of freedom, as bursts have longer tails than a normal distribution.
 * - The larger of both probabilities counts, corrected for the number of lines and both directions
 *   after Holm.
 *
 * Fewer than TIMES_CASES cases are no line, fewer than TIMES_LINES lines have no known scatter:
 * these are not judged. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_TIMES_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_TIMES_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum { TIMES_CASES = 8, TIMES_LINES = 8, TIMES_TAIL = 6 };
#define TIMES_ALPHA 0.01

struct times_line {
    double *logs; /* log(new / old) of its cases; times_judge takes the common part out */
    size_t count;
    /* Results. */
    double shift; /* NaN: not judged */
    double p;     /* two-sided and corrected; NaN: not judged */
};

struct times_run {
    double common; /* the median of all logs; NaN: there are none */
    double noise;  /* of lines: the scale of Student's distribution; NaN: too few lines */
};

/* STATUS_NO_MEMORY. */
enum status times_judge(struct times_line *lines, size_t count, struct times_run *run,
                        struct diag *diag);

/* The probability that the signed-rank sum of count values round 0 is as large as theirs, or larger
 * (of a normal distribution, with correction for ties and continuity); 1 when all are 0. */
double times_wilcoxon(const double *values, size_t count);
/* The Hodges-Lehmann estimate; of more than 512 values the median. */
enum status times_centre(const double *values, size_t count, double *centre, struct diag *diag);
/* P(T > t) of Student's distribution with TIMES_TAIL degrees of freedom. */
double times_student(double t);

#endif
