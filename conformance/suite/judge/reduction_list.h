/* Which reductions an instance has. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_REDUCTION_LIST_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_REDUCTION_LIST_H

#include "conformance/suite/judge/reduction.h"

#include <stddef.h>

struct reduction_list {
    struct reduction *items;
    size_t count, room;
};

/* The reductions of an instance, which tflite_read accepts, those that remove most first. */
enum status reductions_find(const struct case_instance *x, struct reduction_list *list,
                            struct diag *diag);
void reductions_close(struct reduction_list *list);

#endif
