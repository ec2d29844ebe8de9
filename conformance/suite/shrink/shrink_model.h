/* Makes a model that fails smaller, with its inputs, as long as it fails the same way.
 *
 * The reductions know no op: they shorten dimensions, drop nodes at either end, set fields of
 * options and values of data to 0, to 1 or to small integers.  What the reference cannot prepare is
 * no reduction. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_MODEL_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_MODEL_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/shrink/shrink.h"
#include "conformance/suite/shrink/shrink_step.h"
#include "reference/base/diag.h"

#include <stddef.h>

enum { SHRINK_STEPS = 300 }; /* unless a flag says otherwise */

struct shrink_model_request {
    const struct case_instance *instance; /* it fails... */
    const struct case_result *result;     /* ... like this */
    /* Judges an instance; crashes and timeouts are results.  A status other than OK ends it. */
    enum status (*judge)(void *user, const struct case_instance *x, struct case_result *result,
                         struct diag *diag);
    void *user;
    size_t step_limit; /* instances that are judged at most, but for repetitions */
    /* Called before each step; may be NULL. */
    void (*progress)(void *user, size_t steps, size_t bytes);
};

struct shrunk {
    struct case_instance instance; /* the smallest that was found; case_instance_close */
    struct case_result result;
    struct shrink_outcome outcome;
};

enum status shrink_model(const struct shrink_model_request *request, struct shrunk *out,
                         struct diag *diag);
void shrunk_close(struct shrunk *m);

/* A copy of an instance. */
enum status instance_copy(const struct case_instance *x, struct case_instance *copy,
                          struct diag *diag);

/* Which reductions an instance has. */

struct shrink_steps {
    struct shrink_step *items;
    size_t count, room;
};

/* The reductions of an instance, which tflite_read accepts, those that remove most first. */
enum status shrink_steps_find(const struct case_instance *x, struct shrink_steps *list,
                              struct diag *diag);
void shrink_steps_close(struct shrink_steps *list);

#endif
