/* What the HTML page of a record says of the whole run; each writes one part of the page. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_HTML_HEAD_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_HTML_HEAD_H

#include "reference/base/diag.h"

#include <stdio.h>

/* `record` is a struct record. */
enum status html_head_title(const void *record, FILE *out, struct diag *diag);
/* The verdict, totals, and what is missing from the run. */
enum status html_head_verdict(const void *record, FILE *out, struct diag *diag);
enum status html_head_subjects(const void *record, FILE *out, struct diag *diag);
enum status html_head_run(const void *record, FILE *out, struct diag *diag);

#endif
