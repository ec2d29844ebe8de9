/* Times of several runs of the same build. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_FASTEST_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_FASTEST_H

#include "conformance/report/record/record.h"

/* Gives each case of r that passes the shorter of its time in r and that in `more`, another run of
 * the same subjects.  STATUS_USAGE, with the reason, when they have other seeds, or no case that
 * passes in both. */
enum status record_take_fastest(struct record *r, const struct record *more, struct diag *diag);

#endif
