/* A part of a record: the results that a reader asks for. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_SELECT_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_SELECT_H

#include "conformance/report/record/record.h"
#include "conformance/util/string_list.h"

struct record_selection {
    struct string_list filters; /* globs of cases; none: all */
    uint32_t statuses;          /* bits 1 << CASE_x; 0: all */
    size_t subject;             /* SIZE_MAX: all */
};

/* Drops what was not asked for: results, missing pairs, minimal forms, and cases that then have
 * neither; whole models by status and subject, and all of them where cases are filtered. */
enum status record_select(struct record *r, const struct record_selection *selection,
                          struct diag *diag);
/* Reads "fail,crash" into bits.  STATUS_USAGE with the word that is no status. */
enum status record_read_statuses(const char *list, uint32_t *bits, struct diag *diag);

#endif
