/* A log of results beside the report of a run, so that a run that is cut short, even by a power
 * failure, loses no more than the last cases, and another can go on from there.
 *
 * It is text: a line that says which run it is, then a line of JSON for each result.  The file is
 * begun whole, under another name, and then only appended to; it reaches the disk once a second. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_RUN_LOG_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_RUN_LOG_H

#include "conformance/suite/judge/result.h"
#include "conformance/suite/judge/runner.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Which run it is: what must be equal for results to be taken over. */
enum { RUN_KEYS_MAX = 66 };
struct run_keys {
    struct run_key {
        char name[64], value[256];
    } items[RUN_KEYS_MAX];
    size_t count;
};
/* Fills *keys: version and program, seed, list of cases, device, and subjects with their options,
 * hashes and bounds. */
enum status run_keys_make(struct run_keys *keys, const struct run_request *run,
                          const struct judge_device *device, struct diag *diag);

struct run_log {
    const struct run_request *run;
    const char *path; /* "report.json.partial" */
    FILE *file;       /* NULL: there is none */
    double begun_s, synced_s;
    double before_s;    /* that earlier runs took */
    struct diag broken; /* why nothing is written any more */
};

/* Begins a log at path with the results that are known. */
enum status run_log_open(struct run_log *log, const char *path, const struct run_request *run,
                         const struct run_keys *keys, double before_s, struct diag *diag);
/* Appends a result; the `stored` of a run_request, for which user is the log.  A log that cannot be
 * written, as on a full disk, does not end the run: `broken` says so. */
void run_log_store(void *user, size_t subject, size_t test_case, const struct case_result *result);
/* Closes it; removes the file unless it is to be kept. */
void run_log_close(struct run_log *log, bool keep);

/* Reads a log: results in the order of run_outcome, absent where it has none, which is freed by
 * mem_free.  STATUS_USAGE where it is of another run, with both values.  A last line that was cut
 * is left out. */
enum status run_log_read(const char *path, const struct run_request *run,
                         const struct run_keys *keys, struct case_result **results, double *seconds,
                         struct diag *diag);

/* A result as one JSON object that gives every field back, to the last bit: for logs of runs, which
 * only this program reads.  Reports for others are made elsewhere (conformance/report/record). */

/* NULL: out of memory. */
json_t *result_to_json(const struct case_result *r);
/* STATUS_INVALID with the field that is missing, or holds something else than expected. */
enum status result_from_json(const json_t *o, struct case_result *r, struct diag *diag);

#endif
