/* A run as a record, from which all forms of its report are written. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_FROM_RUN_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_FROM_RUN_H

#include "conformance/report/record/record.h"
#include "conformance/report/record/report.h"

/* Copies all that a report needs; record_close frees it.  Figures are rounded to the nine digits
 * that JSON keeps, and strings to UTF-8, so that a report that was written and read says the same.
 */
enum status record_from_run(struct record *out, const struct report *r, struct diag *diag);

#endif
