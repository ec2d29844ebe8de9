/* A step of matrix.comp: CONV_2D with one group, and FULLY_CONNECTED, by the matrix units of the
 * device.  With precision=fp16 alone; products of bytes are planned by matrix_int8.h. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATRIX_H

#include "delegate/ops/product/matmul.h"

/* What a workgroup computes.  The blocks of a subgroup are compiled in (matrix.comp), the rest are
 * specialization constants. */
struct matrix_tile {
    uint32_t block_m, block_n;      /* tiles of a subgroup: pixels, outputs */
    uint32_t rows, columns, shares; /* subgroups: along pixels, along outputs, along the sum */
    uint32_t parts;                 /* workgroups along the sum, whose sums a second step adds up */
    uint32_t chunk;                 /* tiles of the sum that are staged at once */
    uint32_t ahead;                 /* tiles of the sum whose weights a subgroup loads at once */
};

/* A product of pixels x depth x outputs. */
struct matrix_shape {
    uint64_t pixels;
    uint64_t image_pixels; /* of one image of the batch */
    uint64_t depth;        /* of the sum, each tap padded to slices, in pairs of bytes */
    uint64_t outputs;
    uint32_t channels; /* of src */
    bool dense;        /* 1x1, stride 1, no padding */
};
/* False: the device has no matrix units, or its limits allow no tile.  The order of a sum follows
 * from the image, so that a batch has the results of its images. */
bool matrix_tile_of(struct matrix_tile *tile, const struct device_limits *limits,
                    const struct matrix_shape *shape);

/* Sets chunk and ahead of a tile whose other members are given, and parts to 1.  False: it does not
 * fit the device. */
bool matrix_tile_fit(struct matrix_tile *tile, const struct device_limits *limits,
                     const struct matrix_shape *shape);

/* Sets what a step of matrix.comp has for a tile, of f16 and of bytes: specialization constants,
 * shared memory, workgroups.  flags: further MATRIX_... */
void matrix_step(struct planner *p, struct plan_step *s, int dst, const struct matrix_tile *t,
                 const struct matrix_shape *shape, const struct window *window, uint32_t flags);
/* Invocations of a workgroup. */
uint32_t matrix_threads(const struct matrix_tile *t, const struct device_limits *limits);

/* Whether matrix_plan can plan the product: m->weights is not read. */
bool matrix_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m,
                 int weights, const struct weights_shape *shape);
enum status matrix_plan(struct planner *p, const struct graph_node *n, const struct matmul *m,
                        int weights, const struct weights_shape *shape);

#endif
