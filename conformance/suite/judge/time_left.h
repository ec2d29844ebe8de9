/* How long a run will take: what cases of an op took so far, times those of it that are left.
 *
 * Ops differ by a factor of a hundred, and their cases are neighbours, so that the number of cases
 * alone says little.  An op without results yet counts as the mean of the others. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_TIME_LEFT_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_TIME_LEFT_H

#include <stddef.h>
#include <stdint.h>

enum { TIME_LEFT_OPS = 256 };

struct time_left {
    struct {
        double seconds; /* of a worker */
        size_t done, left;
    } ops[TIME_LEFT_OPS], all;
};

/* One more check of the op is to be done; it is done, after so many seconds; it is given up. */
void time_left_add(struct time_left *t, int32_t op);
void time_left_done(struct time_left *t, int32_t op, double seconds);
void time_left_drop(struct time_left *t, int32_t op);

/* Seconds with so many workers; negative: not known yet. */
double time_left_seconds(const struct time_left *t, size_t workers);

#endif
