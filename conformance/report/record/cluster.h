/* Findings: the failures of a report, those of one kind together.
 *
 * Failures are of one kind when they are of one subject and one status, and when the reason is the
 * same but for its numbers.  Wrong values must also be of one op (or title of the gap suite);
 * crashes, timeouts, refusals and outputs that were not written are of one kind in all ops.  Of a
 * record with an anatomy kinds are parted and joined by what the models have in common: REPORTS.md,
 * "Findings", says how. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_CLUSTER_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_CLUSTER_H

#include "conformance/report/record/finding.h"

/* All failures that make the exit code 1, by subject, what is to be fixed first at the front: by
 * severity, then exposure, then count.  What no real model has comes two severities later. Findings
 * live in `arena`. */
enum status cluster_findings(const struct record *r, struct arena *arena, struct finding **findings,
                             size_t *count, struct diag *diag);

/* The finding of each result; NULL of those that fail nothing.  Lives in `arena`, as findings do.
 */
enum status cluster_by_result(const struct record *r, struct arena *arena,
                              const struct finding *const **of, struct diag *diag);

/* Writes a reason with its numbers replaced by #, so that reasons of one kind are equal. */
void cluster_normalize(const char *reason, char *out, size_t bytes);

#endif
