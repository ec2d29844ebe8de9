/* A step of conv_2d.comp: CONV_2D with one group, and FULLY_CONNECTED of few rows, which is a
 * convolution of 1x1. */
#ifndef ASSAY_DELEGATE_OPS_MATMUL_H
#define ASSAY_DELEGATE_OPS_MATMUL_H

#include "delegate/ops/operand.h"
#include "delegate/ops/window.h"

#include <stdbool.h>

struct matmul {
    int src, dst; /* plan tensors [.., C], [.., O] */
    const struct window *window;
    struct window_args args;              /* of the window */
    const struct operand *weights, *bias; /* packed with whole slices of C */
    uint32_t activation;                  /* TfLiteFusedActivation */
    bool has_residual;                    /* what dst holds is added before the activation */
};
enum status matmul_plan(struct planner *p, const struct graph_node *n, const struct matmul *m);

#endif
