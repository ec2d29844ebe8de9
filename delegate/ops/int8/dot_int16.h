/* Sums of products of i16 activations and i8 weights ("16x8"), for CONV_2D, DEPTHWISE_CONV_2D,
 * FULLY_CONNECTED and TRANSPOSE_CONV: one shader computes all of them. */
#ifndef ASSAY_DELEGATE_OPS_INT8_DOT_INT16_H
#define ASSAY_DELEGATE_OPS_INT8_DOT_INT16_H

#include "delegate/ops/int8/dot.h"
#include "delegate/ops/window.h"

#include <stdbool.h>

struct dot_int16 {
    int src, dst; /* plan tensors [.., C], [.., O] */
    const struct window *window;
    struct window_args args; /* of the window */
    struct dot_shape shape;  /* of the weights; inputs: of a group */
    uint32_t channels;       /* C; where it is not `inputs` there are C / inputs groups */
    bool transposed;         /* the window takes dst to src */
};

enum status dot_int16_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                           const struct dot_int16 *m);

#endif
