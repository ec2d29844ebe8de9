/* quantized=float_view: each 8-bit tensor that is computed becomes an f32 tensor of its real
 * values, and results are rounded to the quantization steps of their tensor before another node
 * reads them. Constants are dequantized when they are packed. */
#ifndef ASSAY_DELEGATE_TRANSFORM_FLOAT_VIEW_H
#define ASSAY_DELEGATE_TRANSFORM_FLOAT_VIEW_H

#include "delegate/transform/rewrite.h"

/* Converts the graph of w, whose arrays have the capacity for new tensors and nodes.  The caller
 * links the graph before and after. */
enum status float_view_make(struct rewrite *w);

/* The node is one that float_view_make has inserted: it only rounds. */
bool float_view_is_rounding(const struct graph_node *n);
/* The quantization steps of a tensor of the float view. */
struct graph_steps float_view_steps(const struct graph_tensor *t);

#endif
