/* Attention of language models, by its nodes. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_ATTENTION_H
#define ASSAY_DELEGATE_OPS_PRODUCT_ATTENTION_H

#include "delegate/graph/gpu_op.h"

/* gpu_op.attention of BATCH_MATMUL. */
bool attention_of(const struct graph *g, const struct graph_node *n, struct gpu_attention *a);

#endif
