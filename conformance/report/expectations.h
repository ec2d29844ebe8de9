/* What is expected of a run: waivers, a baseline, and cases that must not be declined.
 *
 * Each line of a file of waivers has three fields between bars; # begins a comment:
 *
 *     conv_2d.*.groups* | *llvmpipe* | mesa issue 1234: wrong with groups of three
 *
 * A waiver applies to the cases and devices whose names match.  A case that fails, crashes or times
 * out is then waived; one that passes is an unexpected pass, and the waiver has to be removed.
 *
 * A baseline is the JSON report of an earlier run: a case that passed there must pass here, on the
 * subject with the same options. */
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
void expectations_apply(const struct expectations *e, struct report *report);

#endif
