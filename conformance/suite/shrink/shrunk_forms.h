/* The minimal forms of the failures of a run. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_FORMS_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRUNK_FORMS_H

#include "conformance/suite/cases/data.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/suite/subject/subject.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
/* Writes one failure to the run's directory, and its minimal form, which shrunk_close frees. */
enum status shrunk_forms_save(const struct run_request *run, const struct run_outcome *outcome,
                              size_t result, size_t step_limit, struct shrunk *out,
                              struct diag *diag);
void shrunk_forms_close(struct shrunk_forms *forms);

/* ---- shrunk_print.c: A minimal form in words ---- */

/* The nodes with their options and shapes, the inputs and constants where they are small, and how
 * it fails. */
enum status shrunk_print(FILE *f, const struct shrunk *m, struct diag *diag);

/* ---- shrunk_save.c: files of a minimal form ---- */

struct shrunk_save_request {
    const char *directory; /* that of the run's failures */
    const struct test_case *test_case;
    struct subject *subject;
    enum data_set set;
    uint64_t seed;
    double timeout_s;
    const char *below; /* a directory in that of the case; NULL: the form is the case itself */
};

/* Before why files could not be written, in the reason of a result; a ")" ends it. */
#define SHRUNK_SAVE_FAILED " (--repro-dir: "
#define SHRUNK_SAVE_BELOW  "minimal" /* where minimal forms lie */

/* Judges the form once more, in another process, which writes what repro.h describes to
 * DIR/<case>@<subject>, and below; of a form that crashes or hangs only model, inputs and command.
 */
enum status shrunk_save(const struct shrunk_save_request *request, const struct shrunk *m,
                        struct diag *diag);

#endif
