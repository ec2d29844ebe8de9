/* The forms of a report: text, JSON, JUnit XML, CSV, HTML, a summary. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_FORMS_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_FORMS_H

#include "conformance/report/record/compare.h"
#include "conformance/report/record/record.h"

#include <stdio.h>

/* STATUS_NO_MEMORY.  Errors of the stream are the caller's to ask for (util/output.h). */
typedef enum status form_write_fn(const struct record *r, FILE *out, struct diag *diag);

form_write_fn form_text;    /* tables at most 80 columns wide; what failed; totals last */
form_write_fn form_json;    /* record_write */
form_write_fn form_junit;   /* a testsuite for each subject, a testcase for each result */
form_write_fn form_csv;     /* RFC 4180: a header, then a line for each result */
form_write_fn form_html;    /* one page that asks for nothing else */
form_write_fn form_summary; /* JSON without cases, for `report site` (record/summary.h) */

/* The name of --format, and its writer.  The first are text and JSON, as in `enum args_format`. */
struct form {
    const char *name;
    form_write_fn *write;
};
extern const struct form forms[];
extern const size_t form_count;

/* The forms of a comparison of two reports: text, JSON, one HTML page. */

/* STATUS_NO_MEMORY.  Errors of the stream are the caller's to ask for. */
typedef enum status compare_write_fn(const struct record_comparison *c, FILE *out,
                                     struct diag *diag);

compare_write_fn compare_text;
compare_write_fn compare_json;
compare_write_fn html_comparison; /* forms/html_compare.c: one page that asks for nothing else */

#endif
