/* The forms of a comparison of two reports: text, JSON, one HTML page. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_COMPARE_FORMS_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_COMPARE_FORMS_H

#include "conformance/report/record/compare.h"

#include <stdio.h>

/* STATUS_NO_MEMORY.  Errors of the stream are the caller's to ask for. */
typedef enum status compare_write_fn(const struct record_comparison *c, FILE *out,
                                     struct diag *diag);

compare_write_fn compare_text;
compare_write_fn compare_json;
compare_write_fn html_comparison; /* forms/html_compare.c: one page that asks for nothing else */

#endif
