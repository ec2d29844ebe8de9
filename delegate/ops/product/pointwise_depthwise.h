/* A step of pointwise_depthwise.comp: a 1x1 CONV_2D and the DEPTHWISE_CONV_2D behind it in one, by
 * the matrix units of the device.  With precision=fp16 alone. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_POINTWISE_DEPTHWISE_H
#define ASSAY_DELEGATE_OPS_PRODUCT_POINTWISE_DEPTHWISE_H

#include "delegate/ops/window.h"
#include "delegate/plan/planner.h"

/* What a workgroup computes. */
struct pointwise_depthwise {
    uint32_t out_rows;          /* whole rows of the result */
    uint32_t subgroups, shares; /* subgroups along pixels, along the sum */
};

/* False, with the reason: the device has no matrix units, its limits allow no such workgroup, or
 * two steps are faster.  The window is that of the depthwise, and channels are the inputs of the
 * 1x1. */
bool pointwise_depthwise_of(struct pointwise_depthwise *t, const struct device_limits *limits,
                            const struct window *window, const struct window_args *args,
                            uint32_t channels, uint64_t images, const struct reason_of *why);

/* Whether the node is a 1x1 convolution that is planned with the depthwise one behind it. */
bool pointwise_depthwise_is_first(const struct planner *p, const struct graph_node *conv);
/* Plans both, if the node is such a depthwise convolution, which *planned tells. */
enum status pointwise_depthwise_plan(struct planner *p, const struct graph_node *depthwise,
                                     bool *planned);

#endif
