/* The minimal forms of the failures of a run. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_FORMS_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_FORMS_H

#include "conformance/suite/judge/runner.h"
#include "conformance/suite/shrink/shrink_model.h"

#include <stddef.h>

enum { SHRUNK_FORMS_MAX = 20 };

struct shrunk_form {
    size_t result;  /* its index in the outcome */
    size_t similar; /* further failures of this subject, op and type that fail alike */
    struct shrunk shrunk;
};

struct shrunk_forms {
    struct shrunk_form items[SHRUNK_FORMS_MAX];
    size_t count;
    size_t left_out; /* failures of other kinds, beyond SHRUNK_FORMS_MAX */
};

/* Minimizes one failure, crash or timeout of each subject, op, type and kind.  Where the run has a
 * directory for failures, the minimal model lies there, in a directory `minimal` below that of the
 * case.  Random graphs are left out: report/record/shrunk_graphs.h makes these smaller.  A status
 * other than OK: this program failed. */
enum status shrunk_forms_find(const struct run_request *run, const struct run_outcome *outcome,
                              size_t step_limit, struct shrunk_forms *forms, struct diag *diag);
void shrunk_forms_close(struct shrunk_forms *forms);

#endif
