/* What is expected of a run: waivers, a baseline, and cases that must not be declined.
 *
 * A baseline is the JSON report of an earlier run: a case that passed there must pass here, on the
 * subject with the same options. */
#ifndef ASSAY_CONFORMANCE_REPORT_EXPECTATIONS_H
#define ASSAY_CONFORMANCE_REPORT_EXPECTATIONS_H

#include "conformance/report/report.h"
#include "conformance/report/waivers.h"

#include <stddef.h>

struct expectations {
    struct waivers waivers;
    struct string_list require; /* globs of cases */
    bool require_integers;      /* and the quantized cases that reference/ops.def says are taken */
    bool require_supported;     /* and those of floats, unless the device is too small */
    void *baseline;             /* json_t */
};

struct expectation_flags {
    const char *waivers, *baseline; /* paths; may be NULL */
    struct string_list require;
    bool require_integers, require_supported;
};

/* Reads both files.  STATUS_IO when one cannot be read; STATUS_USAGE with the line that is
 * malformed, or the glob of `require` that matches none of the cases. */
enum status expectations_open(struct expectations *e, const struct expectation_flags *flags,
                              const struct test_case *cases, size_t case_count, struct diag *diag);
void expectations_close(struct expectations *e);

/* Sets status and flags of the report's results. */
void expectations_apply(struct expectations *e, struct report *report);

#endif
