/* One model in many runs, in several interpreters, and by several delegates. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_INTERPRETERS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_INTERPRETERS_H

#include "conformance/suite/judge/case_run.h"

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

#endif
