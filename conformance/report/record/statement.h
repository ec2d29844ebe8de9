/* A statement: a directory with all that backs a claim of conformance, for others to check.
 *
 *     statement.json     what was tested, on which device, and what came of it
 *     report.json        the report; with several report-1.json ...
 *     report.html ...    the same in the forms that people and other programs read
 *     cases.txt          the names of all cases, whose hash the reports have
 *     waivers.tsv        the known failures that the run was held against
 *     log-NAME           logs
 *     SHA256SUMS         of every file, as `sha256sum -c` reads it
 *
 * A signature, SHA256SUMS.asc or .sig, may be added. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_H

#include "conformance/report/record/record.h"
#include "conformance/report/record/waiver.h"
#include "conformance/util/notes.h"

#include <jansson.h>

#define STATEMENT_FILE    "statement.json"
#define STATEMENT_SUMS    "SHA256SUMS"
#define STATEMENT_CASES   "cases.txt"
#define STATEMENT_WAIVERS "waivers.tsv"

enum { STATEMENT_FORMAT = 1, STATEMENT_FILE_LIMIT = 1 << 30 };

/* What a statement says of a report; NULL when out of memory. */
json_t *statement_describe(const struct record *r, const char *file);
/* STATUS_USAGE when the report is of a part of a run. */
enum status statement_check_whole(const struct record *r, struct diag *diag);
/* Notes each waived result that no row explains, at most ten; w may be NULL.  Returns how many. */
size_t statement_check_waivers(const struct record *r, const char *file, const struct waivers *w,
                               struct notes *notes);
/* Whether text is the list of cases that the report's hash is of. */
bool statement_list_fits(const struct record *r, const void *text, size_t bytes);

#endif
