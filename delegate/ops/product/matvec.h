/* Products of a few rows with a matrix: matvec.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATVEC_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATVEC_H

#include "delegate/ops/product/matmul_operands.h"

#include <stdbool.h>

/* The product has few rows and no window, and the device is one on which the kernel was measured.
 */
bool matvec_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m);
enum status matvec_plan(struct planner *p, const struct graph_node *n, const struct matmul *m);

#endif
