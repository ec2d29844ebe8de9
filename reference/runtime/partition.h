/* Partitions: which nodes one delegate kernel may replace. */
#ifndef ASSAY_REFERENCE_RUNTIME_PARTITION_H
#define ASSAY_REFERENCE_RUNTIME_PARTITION_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"
#include "reference/runtime/state.h"

#include <stdbool.h>
#include <stddef.h>

/* A maximal set of nodes that are all taken, or all not, and that can run one after another without
 * a node of another subset in between. */
struct subset {
    bool taken;
    const int *nodes; /* in the order of the plan */
    size_t node_count;
    const int *inputs; /* tensors read and not written here; sorted, each once */
    size_t input_count;
    const int *outputs; /* tensors written here and read elsewhere, or outputs of the graph */
    size_t output_count;
};

/* The subsets in an order in which they can run.  Memory is the arena's. */
enum status partition_plan(const struct interpreter *in, const TfLiteIntArray *taken,
                           struct arena *memory, struct subset **subsets, size_t *count,
                           struct diag *diag);

#endif
