/* What was expected of a run: waivers, a baseline, and ops that must not be declined.
 *
 * A file of waivers has one in a line, three fields between bars; # begins a comment:
 *
 *     conv_2d.*.groups* | *llvmpipe* | mesa issue 1234: wrong with groups of three
 *
 * Cases that match it, on a device whose name does, are waived when they fail, crash or time out,
 * and an unexpected pass when they pass: then the waiver has to go.
 *
 * A baseline is the JSON report of an earlier run: what passed there must pass here, with the same
 * options of the subject. */
#ifndef ASSAY_CONFORMANCE_REPORT_EXPECTATIONS_H
#define ASSAY_CONFORMANCE_REPORT_EXPECTATIONS_H

#include "conformance/report/report.h"

#include <stddef.h>

struct waiver {
    const char *cases, *device; /* globs */
    const char *cause;
};

struct expectations {
    struct arena arena;
    struct waiver *waivers;
    size_t waiver_count;
    struct string_list require; /* globs of cases */
    void *baseline;             /* json_t */
};

/* Either path may be NULL.  STATUS_IO, or STATUS_USAGE with the line that is wrong. */
enum status expectations_open(struct expectations *e, const char *waivers, const char *baseline,
                              const struct string_list *require, struct diag *diag);
void expectations_close(struct expectations *e);

/* Changes the report's results. */
void expectations_apply(const struct expectations *e, struct report *report);

#endif
