/* A record as the data of its HTML page, one JSON object of columns (html_columns.h). */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_HTML_DATA_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_HTML_DATA_H

#include "conformance/report/record/record.h"

#include <jansson.h>

/* NULL when out of memory. */
json_t *html_data(const struct record *r);

#endif
