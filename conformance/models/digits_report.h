/* The results of the digit models, as text and as JSON. */
#ifndef ASSAY_CONFORMANCE_MODELS_DIGITS_REPORT_H
#define ASSAY_CONFORMANCE_MODELS_DIGITS_REPORT_H

#include "conformance/models/digits_result.h"
#include "conformance/subject/subject.h"

#include <jansson.h>
#include <stdio.h>

/* A table of at most 80 columns but for reasons, or the line that says why there is none. */
void digits_print(FILE *f, const struct digits_report *r, const struct subject *subjects);
/* [{"model", "subject", "status", ...}]; empty when skipped. */
json_t *digits_json(const struct digits_report *r);

#endif
