/* Starts with files that other starts have written. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_CACHE_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HABIT_CACHE_H

#include "conformance/suite/judge/case_run.h"

/* With serialization_dir: cold, warm, warm from another plan, and with the files of a model that
 * differs in one constant, one scale or one option. */
bool habit_check_cache(struct case_run *run);

#endif
