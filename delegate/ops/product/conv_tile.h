/* How conv_2d.comp and conv_2d_int8.comp share out a matrix product (conv_tile.glsl), for CONV_2D
 * and for the ops that are a convolution of 1x1. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_CONV_TILE_H
#define ASSAY_DELEGATE_OPS_PRODUCT_CONV_TILE_H

#include "delegate/ops/window.h"
#include "delegate/plan/planner.h"

struct conv_tile {
    uint32_t x, y, z; /* of a workgroup: output slices, runs of pixels, shares of a sum */
    uint32_t rows;    /* pixels of a run */
    uint32_t columns; /* output slices of an invocation */
};
/* src, dst: plan tensors. */
struct conv_tile conv_tile_of(const struct planner *p, int src, int dst);

/* Sets the specialization constants of window.glsl and conv_tile.glsl. */
void conv_tile_specs(struct plan_step *s, const struct conv_tile *tile, const struct window *window,
                     const struct window_args *args);
/* Sets the grid, and args.count with it: called after step_push.  dst: a plan tensor. */
enum status conv_tile_grid(struct planner *p, struct plan_step *s, const struct conv_tile *tile,
                           int dst);

#endif
