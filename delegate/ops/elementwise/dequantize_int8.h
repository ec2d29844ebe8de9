/* What DEQUANTIZE and QUANTIZE compute, for nodes that take them in (transforms requantize and
 * byte_chain). */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_INT8_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_INT8_H

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

#include <stdint.h>

/* The real that an integer of x stands for. */
float dequantize_integer(const struct graph_tensor *x, int32_t q);
/* 255 words from word `at` on: the least float of each integer of y but the first, as
 * quantized.glsl compares it. */
void quantize_put_limits(struct planner *p, const struct graph_tensor *y,
                         const struct packed *limits, uint64_t at);
/* gpu_op.kept_input of a QUANTIZE. */
int quantize_kept_input(const struct graph *g, const struct graph_node *n);

#endif
