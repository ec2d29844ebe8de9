/* The graph rewrites of one partition, before it is planned: fewer nodes, the same results. */
#ifndef ASSAY_DELEGATE_TRANSFORM_TRANSFORM_H
#define ASSAY_DELEGATE_TRANSFORM_TRANSFORM_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/graph/transforms.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/diag.h"

#include <stdbool.h>

/* A partition: host node indices in execution order, and its output tensors. */
struct transform_request {
    const struct graph *graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    const int *nodes, *outputs;
    int node_count, output_count;
    struct reasons *reasons; /* why nodes were left as they are; NULL: nobody asks */
};
/* Copies the partition and applies all transforms but those of no_transform until none fires. */
enum status transform_partition(struct rewrite *w, const struct transform_request *request,
                                struct diag *diag);
/* Applies one transform to every node; *changed is set when it fires.  Any order is valid. */
enum status transform_apply(struct rewrite *w, enum transform_id id, bool *changed);

#endif
