/* What a run keeps of itself while it goes on, and what it takes over from an earlier one: the log
 * beside its report, and --resume. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_CHECKPOINT_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_CHECKPOINT_H

#include "conformance/suite/judge/run_log.h"

#include <limits.h>

struct checkpoint {
    const char *what; /* of the run, for messages */
    struct run_log log;
    char path[PATH_MAX]; /* of the log; empty: none is written */
    struct case_result *known;
    size_t known_count; /* results that were taken over */
    double before_s;    /* that earlier runs took */
};

/* Whether --resume names a log, or a report that a log stands beside; else it is a report alone. */
bool checkpoint_is_log(const char *resume);
/* Prepares the run, whose `known` results, if any, took before_s.  out: the report's file, NULL:
 * there is none, and no log either.  resume: the log of an interrupted run, or the report that it
 * stands beside; "auto": the log beside `out`, where there is one of this run; NULL: none. */
enum status checkpoint_open(struct checkpoint *c, struct run_request *run,
                            const struct judge_device *device, const char *out, const char *resume,
                            double before_s, struct diag *diag);
/* After the run: prints what is missing, and how to go on.  Removes the log of a run that was not
 * cut and whose report was written; keeps any other. */
void checkpoint_close(struct checkpoint *c, const struct run_outcome *outcome, bool reported);

#endif
