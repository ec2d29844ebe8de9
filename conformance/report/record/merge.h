/* Shards of one run as one record. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_MERGE_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_MERGE_H

#include "conformance/report/record/record.h"

struct merge_input {
    const char *path; /* for messages */
    struct record record;
};

/* Merges reports of parts of the same list of cases: the result is the report of the whole list,
 * with the times that the parts took.  It points into the inputs, which have to stay.
 *
 * STATUS_USAGE where inputs are not parts of one run: they differ in version, commit, seed, list of
 * cases, number of shards, subjects or device.  STATUS_MISMATCH where two have another result of
 * the same case.  Shards that are missing are no failure: then out->run.merged names those there
 * are, and out->run.interrupted those that are missing. */
enum status record_merge(struct record *out, const struct merge_input *inputs, size_t count,
                         struct diag *diag);

#endif
