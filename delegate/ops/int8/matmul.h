/* A product of rows with a matrix of bytes by conv_2d_int8.comp: CONV_2D, and FULLY_CONNECTED,
 * which is one of 1x1. */
#ifndef ASSAY_DELEGATE_OPS_INT8_MATMUL_H
#define ASSAY_DELEGATE_OPS_INT8_MATMUL_H

#include "delegate/ops/int8/dot.h"
#include "delegate/ops/window.h"

struct dot_product {
    int src; /* plan tensor */
    uint32_t in_h, in_w, out_h, out_w;
    struct window window;
    struct window_pads pads;
    struct dot_shape shape;
};
/* The output is the node's. */
enum status dot_product_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                             const struct dot_product *product);

/* Specialization constants 3 to 8: kernel, stride, dilation. */
void window_specs(struct plan_step *s, const struct window *w);

#endif
