/* The order of steps. */
#ifndef ASSAY_DELEGATE_PLAN_SCHEDULE_H
#define ASSAY_DELEGATE_PLAN_SCHEDULE_H

#include "delegate/plan/plan.h"

/* The arena may grow by this share of the constants. */
enum { PLAN_GROWTH_SHARE = 32 };

/* Brings steps that do not depend on each other side by side, as groups between whose steps no
 * barrier is needed, and assigns memory: tensors of one group do not share any.  The order stays as
 * it is where no group comes of it, or the arena would grow by more: then with the reason. */
enum status plan_schedule(struct plan *plan, bool in_place, const struct reason_of *why,
                          struct diag *diag);

#endif
