/* Products of matrices: CONV_2D with one group, and FULLY_CONNECTED, which is a convolution of 1x1.
 * A step of the first kernel of the device that takes the product, at last of conv_2d.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATMUL_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATMUL_H

#include "delegate/ops/product/matmul_operands.h"

#include <stdbool.h>

/* A kernel for large tiles, or for few rows, takes the product: fully_connected.comp is slower. */
bool matmul_is_tiled(const struct planner *p, const struct graph_node *n, const struct matmul *m);
enum status matmul_plan(struct planner *p, const struct graph_node *n, const struct matmul *m);

#endif
