/* A model with its composites as they are, which a subject may compute as a whole or by their
 * decompositions; all that is judged elsewhere has the decompositions in their place.
 *
 * The outputs are held to the decomposition, with the limits of all of its ops added up
 * (hidden_limits.h).  Where they are what the decomposition has before its last op, as in the rows
 * canary_*, the reason says that the subject goes by the name. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_COMPOSITES_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_COMPOSITES_H

#include "conformance/suite/judge/case_run.h"

#include <stdbool.h>

/* plain: what became of the model without composites, of which false is returned as it is.  False,
 * too, where the subject fails with them.  One that takes composites alone, and so declined the
 * model without, passes here.  Nothing is run where the model has no composite, or where the
 * subject took none of its nodes. */
bool composites_check(struct case_run *run, bool plain);

#endif
