/* A comparison as the data of its HTML page, one JSON object of columns (html_columns.h). */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_HTML_COMPARE_DATA_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_HTML_COMPARE_DATA_H

#include "conformance/report/record/compare.h"

#include <jansson.h>

/* NULL when out of memory. */
json_t *html_compare_data(const struct record_comparison *c);

#endif
