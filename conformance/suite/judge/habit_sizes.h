/* Sizes that change after the delegate was applied. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_SIZES_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_SIZES_H

#include "conformance/suite/judge/case_run.h"

/* One dimension after the other is made larger, and small again, in one interpreter: each time the
 * results are those of a model that was prepared at the size. */
bool habit_check_resized(struct case_run *run);

#endif
