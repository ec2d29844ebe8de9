/* A step of fully_connected.comp, for FULLY_CONNECTED and for the gates of LSTM. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_FULLY_CONNECTED_H
#define ASSAY_DELEGATE_OPS_PRODUCT_FULLY_CONNECTED_H

#include "delegate/ops/operand.h"

#include <stdbool.h>
#include <stdint.h>

struct fully_connected {
    int src, dst;                         /* plan tensors [rows,K], [rows,U] */
    const struct operand *weights, *bias; /* packed with whole slices of K */
    uint32_t activation;                  /* TfLiteFusedActivation */
    bool wide;                            /* dst is f32 in both precisions */
    bool has_residual;                    /* what dst holds is added before the activation */
};
enum status fully_connected_plan(struct planner *p, const struct graph_node *n,
                                 const struct fully_connected *f);

/* Of weights [U,K], packed with whole slices of K. */
struct weights_shape fully_connected_weights(const struct graph_tensor *weights);
/* Of the node that is checked: of a run of its weights if they are cut (gpu_op_cut). */
struct weights_shape fully_connected_accepted(const struct check *c);

/* The sum over K is one that an invocation of the shader may compute its share of. */
bool check_fully_connected_loop(struct check *c, uint64_t k);

#endif
