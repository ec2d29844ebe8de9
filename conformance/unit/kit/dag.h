/* Random graphs of [1,h,w,c] tensors with branches, views, prefixes that are views, concatenations:
 * sizes that differ, and lifetimes that overlap in many ways. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_DAG_H
#define ASSAY_CONFORMANCE_UNIT_KIT_DAG_H

#include "conformance/unit/kit/gpu_kit.h"

/* The outputs are the tensors that no node reads; with expose, all. */
void dag_make(struct model *m, uint64_t seed, int nodes, bool expose);
void dag_check(const struct plan *p);

#endif
