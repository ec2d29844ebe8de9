/* Waivers (conformance/report/record/waiver.h) applied to the results of a run, and written from
 * them. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_WAIVERS_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_WAIVERS_H

#include "conformance/report/record/report.h"
#include "conformance/report/record/waiver.h"
#include "conformance/util/notes.h"

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
