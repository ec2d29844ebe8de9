/* A product of rows with a matrix of bytes by exact_conv_2d.comp: CONV_2D, and FULLY_CONNECTED,
 * which is one of 1x1. */
#ifndef ASSAY_DELEGATE_EXACT_DOT_PRODUCT_H
#define ASSAY_DELEGATE_EXACT_DOT_PRODUCT_H

#include "delegate/exact/dot.h"
#include "delegate/window.h"

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
