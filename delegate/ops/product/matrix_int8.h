/* A step of matrix.comp for bytes: CONV_2D with one group, and FULLY_CONNECTED, of i8 tensors by
 * the matrix units of the device.  Sums are exact, whatever their order. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_INT8_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_INT8_H

#include "delegate/ops/int8/matmul_operands.h"
#include "delegate/ops/product/matrix.h"

/* False, with the reason: the product cannot be planned so, or is faster otherwise. */
bool matrix_int8_tile_of(const struct planner *p, const struct graph_node *n, const struct dot *d,
                         const struct matmul_int8 *m, struct matrix_tile *tile);
enum status matrix_int8_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                             const struct matmul_int8 *m, const struct matrix_tile *tile);

#endif
