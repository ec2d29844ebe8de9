/* Findings: the failures of a report, those of one kind together.
 *
 * Failures are of one kind when they are of one subject, one op (or title of the gap suite) and one
 * status, and when the reason is the same but for its numbers. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_CLUSTER_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_CLUSTER_H

#include "conformance/report/record/record.h"

struct finding {
    size_t subject;
    const char *op;    /* NULL: of a title */
    const char *title; /* NULL: of an op */
    const char *types; /* "f32 i8", in the order of the run */
    enum case_status status;
    const char *what;      /* the reason, numbers as #: "got #, want #" */
    const size_t *results; /* indices in the record, in order */
    size_t count;
    size_t smallest; /* one of these: its case has the smallest first input */
    size_t passing;  /* cases of the same op or title that the subject passes */
    /* What all of these have, and no passing case, or few: "channels % 4 != 0".  NULL: nothing
     * distinguishes them. */
    const char *pattern;
    size_t passing_with; /* passing cases with the pattern */
};

/* All failures that make the exit code 1, by subject, the largest finding first.  Findings live in
 * `arena`. */
enum status cluster_findings(const struct record *r, struct arena *arena, struct finding **findings,
                             size_t *count, struct diag *diag);

/* Writes a reason with its numbers replaced by #, so that reasons of one kind are equal. */
void cluster_normalize(const char *reason, char *out, size_t bytes);

#endif
