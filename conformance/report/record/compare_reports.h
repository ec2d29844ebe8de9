/* Compares two reports. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_COMPARE_REPORTS_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_COMPARE_REPORTS_H

#include "conformance/report/record/compare.h"

/* A subject of OLD and one of NEW that are compared though their names differ. */
struct compare_couple {
    size_t old_subject, new_subject;
};

/* Fills c, which keeps pointers to both records.  STATUS_USAGE, with the reason, when the reports
 * cannot be compared: other seeds, no subject in common, no case in common. */
enum status compare_records(struct record_comparison *c, const struct record *was,
                            const struct record *is, const struct compare_limits *limits,
                            const struct compare_couple *couples, size_t couple_count,
                            struct diag *diag);
void compare_close(struct record_comparison *c);

#endif
