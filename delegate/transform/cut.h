/* Constants that exceed a storage buffer of the device, as the weights and the table of a large
 * vocabulary, are cut into runs of rows, each a constant of its own: FULLY_CONNECTED becomes a node
 * for each run, and CONCATENATION; nodes that read rows get the runs as inputs.  The results have
 * the same bits.  No option switches it off: nodes were accepted for its sake. */
#ifndef ASSAY_DELEGATE_TRANSFORM_CUT_H
#define ASSAY_DELEGATE_TRANSFORM_CUT_H

#include "delegate/transform/rewrite.h"

/* The runs of the node's constant; 1: it stays whole. */
int cut_count(const struct graph *g, const struct graph_node *n, const struct gpu_options *options,
              const struct device_limits *limits, struct gpu_table *table);
/* Cuts the constants of all nodes of w, whose arrays have the capacity: for a node that is cut one
 * more node than runs, and 5 tensors a run.  The caller links the graph before and after. */
enum status cut_make(struct rewrite *w);

#endif
