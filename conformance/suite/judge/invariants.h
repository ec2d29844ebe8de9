/* Properties that hold for every case, whatever its values: TOLERANCES.md 7.
 *
 * Each check runs the case's model again in another way.  False when the case failed. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_INVARIANTS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_INVARIANTS_H

#include "conformance/suite/judge/case_run.h"

#include <stdbool.h>

/* Intermediates that are no outputs: the bits of the exposed graph, or, where ops were fused, the
 * propagated limits.  exposed_steps: of the plan of the exposed graph; bare: the graph as it is,
 * opened on the subject. */
bool invariants_check_hidden(struct case_run *run, struct engine *bare, int exposed_steps);
/* Steps of the plan that belong to nodes; -1: the delegate does not say. */
int invariants_count_steps(const struct case_run *run);
/* Poison in padded lanes, arena and outputs does not change the result. */
bool invariants_check_poison(struct case_run *run);
/* Variables: a sequence without a reset, step by step against the reference. */
bool invariants_check_sequence(struct case_run *run);

#endif
