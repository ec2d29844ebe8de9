/* Results of an interrupted run, from its JSON report: for a run that goes on from there. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RESUME_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RESUME_H

#include "conformance/report/record/report.h"

/* Reads the report at path for the run r, whose results are not there yet.  *results: as in
 * run_outcome, absent where the report has none, freed with mem_free; *seconds: that it took.
 * STATUS_USAGE, with both values, where it is of another run: version, commit, seed, list of cases,
 * shard, device, subjects. */
enum status resume_from_report(const char *path, const struct report *r,
                               struct case_result **results, double *seconds, struct diag *diag);

#endif
