/* Makes a plan: steps that load inputs, the steps of the ops, steps that store outputs; then
 * offsets in memory, and a check against the limits of the device. */
#ifndef ASSAY_DELEGATE_PLAN_MAKE_H
#define ASSAY_DELEGATE_PLAN_MAKE_H

#include "delegate/plan/plan.h"

/* A partition: host node indices in execution order, all accepted; its input and output tensors
 * (constants among the inputs are skipped). */
struct plan_request {
    const struct graph *graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    const int *nodes, *inputs, *outputs;
    int node_count, input_count, output_count;
    bool unpacked; /* do not pack constants: they will be read from a file */
    bool again;    /* the shapes changed since the host delegated the graph */
    bool reasons;  /* keep why rewrites did not fire and faster kernels are not used */
};
/* The plan does not refer to the request afterwards.  STATUS_UNSUPPORTED: a limit of the device,
 * with the need and the limit in the message. */
enum status plan_make(struct plan *p, const struct plan_request *request, struct diag *diag);

#endif
