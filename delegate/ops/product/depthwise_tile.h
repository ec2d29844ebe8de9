/* DEPTHWISE_CONV_2D by depthwise_tile.comp, where it is faster than depthwise_conv_2d.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_TILE_H
#define ASSAY_DELEGATE_OPS_PRODUCT_DEPTHWISE_TILE_H

#include "delegate/ops/window.h"
#include "delegate/plan/planner.h"

/* What an invocation and a workgroup of the step compute: rows x columns pixels of one slice, by
 * x slices and y runs of columns. */
struct depthwise_tile {
    uint32_t rows, columns, x, y;
};

/* Shapes that tests choose from (gpu_options.depthwise_tile). */
enum { DEPTHWISE_TILES = 5 };

/* False: the kernel is switched off, does not have the window or the multiplier, is slower on this
 * device, or its grid exceeds the limits. */
bool depthwise_tile_find(const struct planner *p, const struct graph_node *n,
                         const struct window *window, const struct window_args *args,
                         uint32_t multiplier, uint32_t images, struct depthwise_tile *tile);

/* A step with its specialization constants, push constants and grid, but no bindings. */
enum status depthwise_tile_step(struct planner *p, const struct graph_node *n,
                                const struct depthwise_tile *tile, const struct window *window,
                                const struct window_args *args, uint32_t images,
                                struct plan_step **step);

#endif
