/* The float view of 8-bit nodes: each 8-bit tensor that is computed becomes an f32 one that holds
 * the reals which its integers mean, and what a node computes is rounded to the steps of its output
 * before another node reads it.  Constants are dequantized when they are packed. */
#ifndef ASSAY_DELEGATE_TRANSFORM_FLOAT_VIEW_H
#define ASSAY_DELEGATE_TRANSFORM_FLOAT_VIEW_H

#include "delegate/transform/rewrite.h"

/* Makes a partition of floats of the copied graph, whose arrays have room for it:
 * w->tensor_capacity, w->node_capacity.  Readers are to be counted again. */
enum status float_view_make(struct rewrite *w);

/* The node rounds its input to the steps of its output, and does nothing else. */
bool float_view_is_rounding(const struct graph_node *n);
/* The steps of a tensor of the float view. */
struct graph_steps float_view_steps(const struct graph_tensor *t);

#endif
