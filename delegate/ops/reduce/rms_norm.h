/* The root mean square norm of language models, by its nodes. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_RMS_NORM_H
#define ASSAY_DELEGATE_OPS_REDUCE_RMS_NORM_H

#include "delegate/graph/gpu_op.h"

/* gpu_op.norm of MUL. */
bool rms_norm_of(const struct graph *g, const struct graph_node *n, struct gpu_norm *norm);

#endif
