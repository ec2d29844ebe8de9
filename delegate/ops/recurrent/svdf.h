/* SVDF, what its float and its quantized form share: inputs, sizes, and the two steps. */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_SVDF_H
#define ASSAY_DELEGATE_OPS_RECURRENT_SVDF_H

#include "delegate/ops/recurrent/svdf.args.h"
#include "delegate/plan/planner.h"

/* Inputs: x [B,K], feature weights [F,K], time weights [F,M], bias [U] or absent, state [B,F*M]. */
enum svdf_input { SVDF_X, SVDF_FEATURE, SVDF_TIME, SVDF_BIAS, SVDF_STATE, SVDF_INPUTS };

/* The sizes of a node that was accepted; count, factors and zero points are 0. */
struct svdf_args svdf_args_of(const struct graph *g, const struct graph_node *n);

/* One of the two steps: its shader and arguments but for the count, and its constants. */
struct svdf_step {
    const char *shader;
    struct svdf_args args;
    struct packed constants;
    bool activates; /* the shader has SVDF_SPEC_ACTIVATION */
    uint32_t activation;
};
/* The step that moves the state by one result, and the one that sums it up; the next inference
 * reads the new state. */
enum status svdf_plan(struct planner *p, const struct graph_node *n, const struct svdf_step *move,
                      const struct svdf_step *sum);

#endif
