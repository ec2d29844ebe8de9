/* Making a plan: inputs are loaded, the ops add their steps, outputs are stored; then memory. */
#ifndef ASSAY_DELEGATE_PLAN_MAKE_H
#define ASSAY_DELEGATE_PLAN_MAKE_H

#include "delegate/plan/plan.h"

/* Plans one partition.  nodes are host node indices in execution order; inputs and outputs the
 * partition's tensors (constants among the inputs are skipped).  All nodes were accepted. */
struct plan_request {
    const struct graph *graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    const int *nodes, *inputs, *outputs;
    int node_count, input_count, output_count;
    bool unpacked; /* without the work of packing constants: they will come from a file */
};
enum status plan_make(struct plan *p, const struct plan_request *request, struct diag *diag);

#endif
