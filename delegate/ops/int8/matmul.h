/* A step of conv_2d_int8.comp: CONV_2D with one group, and FULLY_CONNECTED, which is a convolution
 * of 1x1. */
#ifndef ASSAY_DELEGATE_OPS_INT8_MATMUL_H
#define ASSAY_DELEGATE_OPS_INT8_MATMUL_H

#include "delegate/ops/int8/matmul_operands.h"

enum status matmul_int8_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                             const struct matmul_int8 *m);

#endif
