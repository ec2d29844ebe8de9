/* Writes statements (statement.h). */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_WRITE_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_WRITE_H

#include "conformance/report/record/record.h"
#include "conformance/util/date.h"
#include "conformance/util/string_list.h"

#include <stdio.h>

/* A form of the report beside JSON. */
struct statement_form {
    const char *suffix; /* "html" */
    enum status (*write)(const struct record *r, FILE *out, struct diag *diag);
};

struct statement_request {
    const char *dir;
    struct string_list reports, logs; /* paths */
    const char *waivers, *cases;      /* paths; may be NULL */
    const struct statement_form *forms;
    size_t form_count;
    /* Writes the names of the cases that this program has for a run, a line each; NULL: it cannot
     * tell. */
    enum status (*list)(const struct record_run *run, FILE *out, struct diag *diag);
    struct date today;
};

/* Makes the directory, whole or not at all.  STATUS_IO when it cannot be written; STATUS_USAGE when
 * it exists and is not empty, or when what it would state is not complete. */
enum status statement_write(const struct statement_request *request, struct diag *diag);

#endif
