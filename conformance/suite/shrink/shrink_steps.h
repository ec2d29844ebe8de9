/* Which reductions an instance has. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_STEPS_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_STEPS_H

#include "conformance/suite/shrink/shrink_step.h"

#include <stddef.h>

struct shrink_steps {
    struct shrink_step *items;
    size_t count, room;
};

/* The reductions of an instance, which tflite_read accepts, those that remove most first. */
enum status shrink_steps_find(const struct case_instance *x, struct shrink_steps *list,
                              struct diag *diag);
void shrink_steps_close(struct shrink_steps *list);

#endif
