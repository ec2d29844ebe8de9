/* What habits have in common: opening, running, comparing with the first results. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_RUN_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_RUN_H

#include "conformance/suite/judge/case_run.h"

#include <stdbool.h>

/* What a frame gave at first, of the graph as it is. */
const struct outputs *habit_first(const struct case_run *run, int frame);

/* The subject did not do what the habit asks of it: ours has failed, another is not judged in it.
 * Returns whether the case goes on. */
bool habit_refuse(struct case_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
/* Opens the model, with its judged node taken.  *e is NULL where that was refused, or failed. */
bool habit_open(struct case_run *run, const struct case_run_setup *setup, struct engine **e);
/* Resets the variables and runs a frame of x. */
bool habit_infer(struct case_run *run, struct engine *e, const struct case_instance *x, int frame,
                 struct outputs *got);
/* Whether `got` is what it has to be: the bits of want or, of others than ours, within the bounds
 * of the graph with these sizes. */
bool habit_same(struct case_run *run, const struct case_run_setup *sizes,
                const struct case_instance *x, int frame, const struct outputs *want,
                const struct outputs *got, const char *what);
/* habit_infer of the case's own inputs, compared with the first results. */
bool habit_repeat(struct case_run *run, struct engine *e, int frame, const char *what);

#endif
