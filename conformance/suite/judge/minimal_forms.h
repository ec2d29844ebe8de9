/* The minimal forms of the failures of a run. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_MINIMAL_FORMS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_MINIMAL_FORMS_H

#include "conformance/suite/judge/minimize.h"
#include "conformance/suite/judge/runner.h"

#include <stddef.h>

enum { MINIMAL_FORMS_MAX = 20 };

struct minimal_form {
    size_t result;  /* its index in the outcome */
    size_t similar; /* further failures of this subject, op and type that fail alike */
    struct minimized minimized;
};

struct minimal_forms {
    struct minimal_form items[MINIMAL_FORMS_MAX];
    size_t count;
    size_t left_out; /* failures of other kinds, beyond MINIMAL_FORMS_MAX */
};

/* Minimizes one failure, crash or timeout of each subject, op, type and kind.  Where the run has a
 * directory for failures, the minimal model lies there, in a directory `minimal` below that of the
 * case.  Random graphs are left out: report/minimal_graphs.h makes these smaller.  A status other
 * than OK: this program failed. */
enum status minimal_forms_find(const struct run_request *run, const struct run_outcome *outcome,
                               size_t step_limit, struct minimal_forms *forms, struct diag *diag);
void minimal_forms_close(struct minimal_forms *forms);

#endif
