/* What a new baseline gives up against the one before. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_ACCEPT_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_ACCEPT_H

#include "conformance/report/record/compare.h"
#include "conformance/report/record/record.h"
#include "conformance/util/string_list.h"

#include <stdio.h>

/* X(name, key, title) */
#define ACCEPT_KIND_LIST(X)                                                                        \
    X(FAILS, "fails", "passed, and fails")                                                         \
    X(SUPPORT, "lost_support", "passed, and is declined")                                          \
    X(WAIVED, "waived", "passed, and is waived")                                                   \
    X(WORSE, "worse", "failed, and fails in a worse way")                                          \
    X(MARGIN, "margin", "the margin grew")                                                         \
    X(CASE, "case_gone", "the case is gone")                                                       \
    X(SUBJECT, "subject_gone", "the subject is gone")                                              \
    X(MODEL, "model", "a whole model passed, and does not")

enum accept_kind {
#define X(name, key, title) ACCEPT_##name,
    ACCEPT_KIND_LIST(X)
#undef X
        ACCEPT_KIND_COUNT
};

/* One thing that is given up.  The strings are those of the records. */
struct accept_loss {
    enum accept_kind kind;
    const char *name;    /* of the case, the model, or the subject that is gone */
    const char *subject; /* label; NULL where name is a subject */
    const char *reason;  /* NULL: none */
    double was, is;      /* margins */
    bool given_up;       /* the user named it */
};

struct acceptance {
    struct record_comparison comparison;
    struct accept_loss *losses; /* by kind */
    size_t count;
    size_t by_kind[ACCEPT_KIND_COUNT];
    size_t refused; /* losses that the user did not name */
};

struct accept_options {
    struct string_list give_up; /* globs of names */
    bool allow_worse;           /* everything is given up that has to be */
};

/* Compares NEW, `is`, with the baseline before it.  STATUS_USAGE when NEW is not complete, when the
 * two cannot be compared, or when a glob of give_up names nothing that is given up. */
enum status accept_open(struct acceptance *a, const struct record *was, const struct record *is,
                        const struct accept_options *options, struct diag *diag);
void accept_close(struct acceptance *a);

/* What is given up, a paragraph for each kind, and one line that says whether that is accepted. */
void accept_print(const struct acceptance *a, FILE *out);
/* The same as one JSON object; STATUS_NO_MEMORY. */
enum status accept_json(const struct acceptance *a, FILE *out, struct diag *diag);

#endif
