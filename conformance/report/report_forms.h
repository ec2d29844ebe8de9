/* Minimal forms of failures in reports. */
#ifndef ASSAY_CONFORMANCE_REPORT_REPORT_FORMS_H
#define ASSAY_CONFORMANCE_REPORT_REPORT_FORMS_H

#include "conformance/report/report.h"

#include <jansson.h>
#include <stdio.h>

/* Nothing where the report has none. */
void report_forms_text(const struct report *r, FILE *out);
/* An array: subject, case, status, reason, similar, steps, reductions, limited, flaky, text. */
json_t *report_forms_json(const struct report *r);

#endif
