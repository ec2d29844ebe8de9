/* Rotary embeddings of language models, by their nodes. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_ROPE_H
#define ASSAY_DELEGATE_OPS_MOVE_ROPE_H

#include "delegate/graph/gpu_op.h"

/* gpu_op.rope of CONCATENATION. */
bool rope_of(const struct graph *g, const struct graph_node *n, struct gpu_rope *rope);

#endif
