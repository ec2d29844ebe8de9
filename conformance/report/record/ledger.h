/* The version ledger: for each version of each op, conformance/versions.tsv says what it added,
 * whether the reference and the delegate take it, and which cases prove that.  A row without proof
 * is a failure, and so is a version without a row. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_LEDGER_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_LEDGER_H

#include "conformance/report/record/report.h"
#include "conformance/util/tsv.h"

#include <stdbool.h>
#include <stddef.h>

enum ledger_promise {
    LEDGER_SUPPORTED, /* all that the version added is taken */
    LEDGER_FLOAT,     /* its f32 and f16 models are taken, other types refused */
    LEDGER_REFUSED    /* its models are refused */
};

struct ledger_row {
    const char *op;
    int32_t version;
    const char *added;
    enum ledger_promise reference, delegate;
    const char *rule; /* of the delegate's refusals; NULL when it refuses nothing */
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

/* Where problems are printed, one on each line, and how many there were. */
struct ledger_problems {
    FILE *out;
    size_t count;
};

/* Checks rows against the ops of the reference and the cases of the suite. */
void ledger_check_cases(const struct ledger *l, const struct test_case *cases, size_t count,
                        struct ledger_problems *problems);
/* Checks rows against the results of a run of all cases, on each subject. */
void ledger_check_run(const struct ledger *l, const struct report *r,
                      struct ledger_problems *problems);

#endif
