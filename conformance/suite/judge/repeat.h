/* A case run many times (--repeat): faults that show in one of a hundred runs, under load, or at
 * some addresses.  conformance/doc/REPEAT.md has the arithmetic. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_REPEAT_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_REPEAT_H

#include "conformance/suite/judge/case_run.h"

#include <stdbool.h>

/* Runs the graph as often as the judge's options say, in an order, under a load and at addresses
 * that the seed draws.  Each run has to give the bits that were judged before, which *run holds;
 * where `judged` is false, as some of them were wrong, those of the first run within its limits.
 * The counts are in the result, and in the judge's stage while it goes on.  False when a run was
 * wrong: the result says how the first one was. */
bool repeat_runs(struct case_run *run, bool judged);

#endif
