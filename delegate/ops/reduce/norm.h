/* The norms of language models, by their nodes. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_NORM_H
#define ASSAY_DELEGATE_OPS_REDUCE_NORM_H

#include "delegate/graph/gpu_op.h"

/* gpu_op.norm of ADD and MUL. */
bool norm_of(const struct graph *g, const struct graph_node *n, struct gpu_norm *norm);

#endif
