/* Random graphs of [1,h,w,c] tensors with branches, views, prefixes that are views and
 * concatenations: sizes differ, and lifetimes overlap in many ways. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_DAG_H
#define ASSAY_DELEGATE_TESTS_KIT_DAG_H

#include "delegate/tests/kit/gpu_kit.h"

/* The outputs are the tensors that no node reads; with expose, all. */
void dag_make(struct model *m, uint64_t seed, int nodes, bool expose);
/* Whether the tensor of the binding is in the arena, and not where the host reads or writes it. */
bool dag_in_arena(const struct plan *p, const struct plan_binding *n);
/* Simulates the arena: every read finds the tensor that was written for it. */
void dag_check(const struct plan *p);

#endif
