/* What is expected of a run: waivers, a baseline, and cases that must not be declined.
 *
 * A baseline is the JSON report of an earlier run: a case that passed there must pass here, with a
 * margin that has not grown (conformance/report/record/baseline.h). */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_EXPECTATIONS_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_EXPECTATIONS_H

#include "conformance/report/record/baseline.h"
#include "conformance/report/record/report.h"
#include "conformance/report/record/waiver.h"
#include "conformance/util/notes.h"

#include <stddef.h>

struct expectations {
    struct waivers waivers;
    struct string_list require; /* globs of cases */
    bool require_integers;      /* and the quantized cases that reference/ops.def says are taken */
    bool require_supported;     /* and those of floats, unless the device is too small */
    struct baseline baseline;
    struct date today;
    struct notes notes; /* what is to be said beside the report, filled on the way */
};

struct expectation_flags {
    const char *waivers, *baseline; /* paths; may be NULL */
    struct string_list require;
    bool require_integers, require_supported;
    bool strict_waivers; /* a waiver that matches no case is an error */
    const char *today; /* "2027-01-31", the day that waivers are held against; NULL: the clock's */
};

/* Reads both files.  STATUS_IO when one cannot be read; STATUS_USAGE with the line that is
 * malformed, or the glob of `require` or row of waivers that matches no case. */
enum status expectations_open(struct expectations *e, const struct expectation_flags *flags,
                              const struct test_case *cases, size_t case_count, struct diag *diag);
void expectations_close(struct expectations *e);

/* Before the run: STATUS_USAGE when the baseline knows none of its subjects. */
enum status expectations_check_subjects(const struct expectations *e,
                                        const struct subject *subjects, size_t count,
                                        struct diag *diag);
/* Sets status and flags of the report's results. */
void expectations_apply(struct expectations *e, struct report *report);

/* A waiver is mentioned this many days before it expires. */
enum { WAIVER_DAYS_AHEAD = 14 };

/* Sets the status of results that a waiver applies to, and notes the waivers that have expired or
 * soon will.  The results' `waiver` is a string of *w. */
void waivers_apply(struct waivers *w, struct report *report, struct date today,
                   struct notes *notes);
/* Notes each row whose pattern matches none of the names, which are those of the unfiltered list;
 * rows of random graphs are left out, whose names follow from --graphs and --seed.  Returns how
 * many there are. */
size_t waivers_check_cases(const struct waivers *w, const struct test_case *cases, size_t count,
                           struct notes *notes);
/* Writes a file of waivers that this run passes with: the rows that waived a case or whose cases
 * may pass, and a row for every other failure, with its reason. */
enum status waivers_write(const struct waivers *w, const struct report *report, const char *path,
                          struct date today, struct diag *diag);

#endif
