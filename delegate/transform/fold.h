/* Constant folding, before the nodes are decided on. */
#ifndef ASSAY_DELEGATE_TRANSFORM_FOLD_H
#define ASSAY_DELEGATE_TRANSFORM_FOLD_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "reference/base/diag.h"

/* Computes, in f32, the results of the nodes whose data inputs are all constants, in the graph's
 * arena, and sets graph_node.folded.  Does nothing with no_transform=fold. */
enum status fold_constants(struct graph *g, const struct gpu_options *options,
                           const struct device_limits *limits, struct diag *diag);

#endif
