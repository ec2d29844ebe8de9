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

/* ---- habit_cache.c: starts with files that other starts have written ---- */

/* With serialization_dir: cold, warm, warm from another plan, and with the files of a model that
 * differs in one constant, scale, zero point or option. */
bool habit_check_cache(struct case_run *run);

/* ---- habit_interpreters.c ---- */

/* One model in many runs, in several interpreters, and by several delegates. */

/* 64 inferences in a row, of frame A. */
bool habit_check_runs(struct case_run *run);
/* Two to five alive, by two delegates, asked in turns; the first again after the others were
 * closed. */
bool habit_check_interpreters(struct case_run *run);
/* Two, each with a delegate and a thread of its own, at the same time. */
bool habit_check_threads(struct case_run *run);
/* Prepared a second time by another delegate, of ours with other options. */
bool habit_check_options(struct case_run *run);
/* Each other way to wait for the device. */
bool habit_check_wait(struct case_run *run);

/* ---- habit_places.c ---- */

/* Where tensors and nodes lie: at odd addresses, and in a second partition. */

/* Inputs, outputs and constants at addresses that are aligned to their elements and no more. */
bool habit_check_addresses(struct case_run *run);
/* The graph twice, the second behind nodes that the delegate does not get. */
bool habit_check_partition(struct case_run *run);

/* ---- habit_sizes.c: sizes that change after the delegate was applied ---- */

/* One dimension after the other is made larger, and small again, in one interpreter: each time the
 * results are those of a model that was prepared at the size. */
bool habit_check_resized(struct case_run *run);

#endif
