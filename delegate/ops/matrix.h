/* A step of matrix.comp: CONV_2D with one group, and FULLY_CONNECTED, by the matrix units of the
 * device.  With precision=fp16 alone. */
#ifndef ASSAY_DELEGATE_OPS_MATRIX_H
#define ASSAY_DELEGATE_OPS_MATRIX_H

#include "delegate/ops/matmul.h"

/* What a workgroup computes.  The blocks of a subgroup are compiled in (matrix.comp), the rest are
 * specialization constants. */
struct matrix_tile {
    uint32_t block_m, block_n;      /* tiles of a subgroup: pixels, outputs */
    uint32_t rows, columns, shares; /* subgroups: along pixels, along outputs, along the sum */
    uint32_t chunk;                 /* tiles of the sum that are staged at once */
};

/* The tile for a product of pixels x depth x outputs, depth being padded to slices.  False: the
 * device has no matrix units, or its limits allow no tile. */
bool matrix_tile_of(struct matrix_tile *tile, const struct device_limits *limits, uint64_t pixels,
                    uint64_t depth, uint64_t outputs);

/* Whether matrix_plan can plan the product: m->weights is not read. */
bool matrix_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m,
                 int weights, const struct weights_shape *shape);
enum status matrix_plan(struct planner *p, const struct graph_node *n, const struct matmul *m,
                        int weights, const struct weights_shape *shape);

#endif
