/* Properties that hold for every case, whatever its values: TOLERANCES.md 7.
 *
 * Each check runs the case's model again in another way.  False when the case failed. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_INVARIANTS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_INVARIANTS_H

#include "conformance/suite/judge/case_run.h"
#include "conformance/suite/judge/judge_impl.h"

#include <stdbool.h>

/* Intermediates that are no outputs: the bits of the exposed graph, or, where ops were fused, the
 * propagated limits.  exposed_steps: of the plan of the exposed graph; bare: the graph as it is,
 * opened on the subject. */
bool invariants_check_hidden(struct case_run *run, struct engine *bare, int exposed_steps);
/* Fused ops round at other places: outputs of the graph as it is, in frames A and B, keep the
 * propagated limits of all of them. */
bool invariants_compare_propagated(struct case_run *run, const struct outputs got[2]);
/* Steps of the plan that belong to nodes; -1: the delegate does not say. */
int invariants_count_steps(const struct case_run *run);
/* Poison in padded lanes, arena and outputs does not change the result.  What it asks for, from
 * DELEGATE_x `first` on, can be expected with the frames before it. */
enum { INVARIANTS_POISONS = DELEGATE_POISON_END - DELEGATE_POISON_FIRST };
void invariants_expect_poison(const struct case_run *run, int first, struct engine_expected *list);
bool invariants_check_poison(struct case_run *run);
/* Variables: a sequence without a reset, step by step against the reference. */
bool invariants_check_sequence(struct case_run *run);

#endif
