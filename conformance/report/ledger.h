/* The version ledger: conformance/versions.tsv says of each version of each op what it added,
 * whether the reference and the delegate take it, and which cases prove it.  A row that has lost
 * its proof is a failure, and so is a version that has no row. */
#ifndef ASSAY_CONFORMANCE_REPORT_LEDGER_H
#define ASSAY_CONFORMANCE_REPORT_LEDGER_H

#include "conformance/report/report.h"
#include "conformance/util/tsv.h"

#include <stdbool.h>
#include <stddef.h>

enum ledger_promise {
    LEDGER_SUPPORTED, /* all that the version added */
    LEDGER_FLOAT,     /* its f32 and f16 models; other types are refused */
    LEDGER_REFUSED    /* none of its models */
};

struct ledger_row {
    const char *op;
    int32_t version;
    const char *added;
    enum ledger_promise reference, delegate;
    const char *rule; /* by which the delegate refuses; NULL: it refuses nothing */
    const char *cases;
};

struct ledger {
    struct tsv table;
    struct ledger_row *rows;
    size_t count;
};

/* STATUS_IO, or STATUS_USAGE with the line that is malformed. */
enum status ledger_open(struct ledger *l, const char *path, struct diag *diag);
void ledger_close(struct ledger *l);

/* What is wrong, a sentence each. */
struct ledger_problems {
    FILE *out;
    size_t count;
};

/* Rows against the ops that the reference has and the cases that there are. */
void ledger_check_cases(const struct ledger *l, const struct test_case *cases, size_t count,
                        struct ledger_problems *problems);
/* Rows against what a run of all cases came to, on each subject. */
void ledger_check_run(const struct ledger *l, const struct report *r,
                      struct ledger_problems *problems);

#endif
