/* A baseline: the report of an earlier run, which this one must not fall behind.
 *
 * A case that passed there must pass here, and neither be declined nor fail.  With the same seed,
 * bounds, device and driver its margin must not have grown either. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_BASELINE_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_BASELINE_H

#include "conformance/report/record/record.h"
#include "conformance/report/record/report.h"
#include "conformance/util/notes.h"

/* Zeroed: there is none. */
struct baseline {
    bool is_open;
    const char *path; /* of the caller */
    struct record record;
};

/* STATUS_IO when it cannot be read; STATUS_USAGE when it is no report, or has no subject. */
enum status baseline_open(struct baseline *b, const char *path, struct diag *diag);
void baseline_close(struct baseline *b);

/* STATUS_USAGE when it knows none of the subjects: nothing would be compared. */
enum status baseline_check_subjects(const struct baseline *b, const struct subject *subjects,
                                    size_t count, struct diag *diag);
/* Notes how many of its cases the list of all cases, unfiltered, lacks.  Random graphs are left
 * out, whose names follow from --graphs and --seed. */
void baseline_check_cases(const struct baseline *b, const struct test_case *all, size_t count,
                          struct notes *notes);
/* Sets `regression`, and the reason of a pass with a larger margin; notes what could not be
 * compared. */
void baseline_apply(const struct baseline *b, struct report *report, struct notes *notes);

#endif
