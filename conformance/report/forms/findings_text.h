/* Findings as text. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_FINDINGS_TEXT_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_FINDINGS_TEXT_H

#include "conformance/report/record/record.h"

#include <stdio.h>

/* The failures of a report, those of one kind together: how many, what they have in common, the
 * smallest and the command that runs it.  Prints nothing when there are none. */
enum status findings_text(const struct record *r, FILE *out, struct diag *diag);

#endif
