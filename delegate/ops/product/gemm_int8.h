/* Kernel gemm_int8: products of bytes as tiles through shared memory (gemm_int8.comp), in place of
 * conv_2d_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_GEMM_INT8_H
#define ASSAY_DELEGATE_OPS_PRODUCT_GEMM_INT8_H

#include "delegate/ops/int8/matmul_operands.h"

#include <stdbool.h>

/* How a product is shared out. */
struct gemm_int8_tile {
    uint32_t x, y, z; /* of a workgroup: output slices, rows of invocations, shares of a sum */
    uint32_t rows;    /* pixels of an invocation */
    uint32_t chunk;   /* quads of 16 inputs that are staged at once */
};

/* The tile for a product, by the table of tiles and the limits of the device; variant > 0 takes
 * that of the possible ones, for tests.  False, with the reason: the plain kernel is faster,
 * or no tile is possible. */
bool gemm_int8_tile_of(const struct planner *p, const struct matmul_int8 *m, int variant,
                       struct gemm_int8_tile *tile, const struct reason_of *why);
enum status gemm_int8_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                           const struct matmul_int8 *m, const struct gemm_int8_tile *tile);

#endif
