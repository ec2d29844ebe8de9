/* Steps of gemm.comp: products of matrices in tiles through shared memory. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_GEMM_H
#define ASSAY_DELEGATE_OPS_PRODUCT_GEMM_H

#include "delegate/ops/product/matmul_operands.h"

#include <stdbool.h>
#include <stddef.h>

/* A workgroup has x * y * planes invocations, each with rows * columns sums of 4 outputs.  depth:
 * input slices of a chunk, a multiple of planes. */
struct gemm_tile {
    uint32_t x, y, planes;
    uint32_t rows, columns;
    uint32_t depth;
};
/* Large tiles first. */
extern const struct gemm_tile gemm_tiles[];
extern const size_t gemm_tile_count;

/* Products [rows, depth slices] by [depth slices, columns slices]: one, one for each group of
 * CONV_2D, or one for each phase of TRANSPOSE_CONV, of which this is the largest. */
struct gemm_shape {
    uint64_t rows;
    uint32_t columns, depth;
    uint32_t products;
};
/* A tile for the product: with fewer planes and a lesser depth where that is enough, or all that
 * the device allows.  False: the device does not allow it. */
bool gemm_fit(struct gemm_tile *t, const struct gemm_shape *shape,
              const struct device_limits *limits);
/* Bytes of shared memory of a workgroup. */
uint32_t gemm_shared_bytes(const struct gemm_tile *t);

/* The tile, and in how many parts workgroups share the depth. */
struct gemm_choice {
    struct gemm_tile tile;
    uint32_t parts;
};
/* What is expected to be fastest; false: the device allows none. */
bool gemm_choose(const struct gemm_shape *shape, const struct device_limits *limits,
                 struct gemm_choice *choice);

/* True: the device is one for tiles, the options allow them, and there is a tile for the product.
 */
bool gemm_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m);
/* The step that adds up the sums of so many parts of the depth, [parts, rows] f32, and ends the
 * product. */
enum status gemm_plan_sum(struct planner *p, const struct graph_node *n, const struct matmul *m,
                          uint32_t parts, int sums);
enum status gemm_plan(struct planner *p, const struct graph_node *n, const struct matmul *m);

#endif
