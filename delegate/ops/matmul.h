/* A product of rows with a matrix by conv_2d.comp: what a 1x1 convolution is, and a
 * FULLY_CONNECTED of few rows. */
#ifndef ASSAY_DELEGATE_OPS_MATMUL_H
#define ASSAY_DELEGATE_OPS_MATMUL_H

#include "delegate/ops/operand.h"
#include "delegate/plan/planner.h"

struct product {
    int src, dst; /* plan tensors of as many rows */
    const struct operand *weights, *bias;
    uint32_t activation;
};
enum status product_plan(struct planner *p, const struct graph_node *node,
                         const struct product *product);

#endif
