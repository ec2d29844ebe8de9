/* Checks that a statement (statement.h) is whole and says what its reports say. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_VERIFY_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_VERIFY_H

#include "conformance/util/notes.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct statement_facts {
    size_t files, reports, results;
    bool passed;    /* its verdict */
    bool is_signed; /* there is a signature, which is not checked */
};

/* Adds what is wrong to `problems`, which stay empty when all is right.  The directory is not
 * trusted.  STATUS_IO when it cannot be read, STATUS_USAGE when it is no statement. */
enum status statement_verify(const char *dir, struct statement_facts *facts, struct notes *problems,
                             struct diag *diag);

#endif
