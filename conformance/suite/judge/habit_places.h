/* Where tensors and nodes lie: at odd addresses, and in a second partition. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_PLACES_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_PLACES_H

#include "conformance/suite/judge/case_run.h"

/* Inputs, outputs and constants at addresses that are aligned to their elements and no more. */
bool habit_check_addresses(struct case_run *run);
/* The graph twice, the second behind nodes that the delegate does not get. */
bool habit_check_partition(struct case_run *run);

#endif
