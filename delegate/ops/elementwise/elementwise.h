/* What a chain asks of the nodes of elementwise.c. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H

#include "delegate/graph/graph.h"

#include <stdint.h>

/* What elementwise.glsl computes for the node: ELEMENTWISE_TANH, ... */
uint32_t elementwise_op(const struct graph *g, const struct graph_node *n);
/* Of LEAKY_RELU; 0 for any other node. */
float elementwise_alpha(const struct graph_node *n);

#endif
