/* Support by class (conformance/suite/judge/case_classes.h): which classes of attributes and shapes
 * a subject takes, of each op in each type, and whether it takes those that it must. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_CLASSES_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_CLASSES_H

#include "conformance/report/record/ledger.h"
#include "conformance/report/record/record.h"
#include "conformance/suite/judge/case_classes.h"
#include "conformance/util/tsv.h"

#include <stdbool.h>
#include <stddef.h>

enum { GROUP_CLASSES_MAX = 128 };

/* How many cases of a class, or of two together, were taken and declined.  limited: declined since
 * the device is too small, of those. */
struct class_count {
    size_t taken, declined, limited;
    size_t example; /* a result that was declined */
};

/* The cases of one op in one type on one subject. */
struct class_group {
    size_t subject;
    const char *op, *type;
    size_t count;
    char names[GROUP_CLASSES_MAX][CASE_CLASS_BYTES];
    /* of[i][i] is about class i, of[i][j], i < j, about cases that are of both */
    struct class_count of[GROUP_CLASSES_MAX][GROUP_CLASSES_MAX];
};

/* Calls see for each group that has results, by subject, op and type; of one subject, SIZE_MAX: of
 * all. */
enum status classes_each(const struct record *r, size_t subject,
                         void see(const struct class_group *, void *user), void *user,
                         struct diag *diag);

/* What must be taken: `taken` has classes, and pairs of them, "offset+rank4".  Two classes of it
 * must be taken together, too, where some case is of both and `declined` does not have the pair. */
struct class_claim {
    const char *op, *type, *bounds; /* "*": all */
    const char *taken, *declined;
    size_t line; /* of the file */
};

struct class_claims {
    struct tsv table;
    struct arena arena; /* of a list */
    struct class_claim *rows;
    size_t count;
    const char *path; /* NULL: a list */
};

/* Reads a file with the columns op, type, bounds, taken, declined, or, where text is no file and
 * has no '/', a list OP.TYPE:CLASS,...  Every name in it is checked: STATUS_USAGE says which one is
 * not known. */
enum status class_claims_open(struct class_claims *c, const char *text, struct diag *diag);
void class_claims_close(struct class_claims *c);

/* Checks a run; a class without a case is a problem, too. */
enum status class_claims_check(const struct class_claims *c, const struct record *r,
                               struct ledger_problems *problems, struct diag *diag);

/* Writes what the run has taken and declined as a file of claims. */
enum status classes_write(const struct record *r, const char *path, struct diag *diag);

#endif
