/* What the transforms do to a graph: change inputs, outputs and parameters of nodes, and remove
 * nodes.
 *
 * The graph is a copy with the nodes of one partition; tensors keep their indices.  Outputs of the
 * partition (exposed) are always computed. */
#ifndef ASSAY_DELEGATE_TRANSFORM_REWRITE_H
#define ASSAY_DELEGATE_TRANSFORM_REWRITE_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/graph/transforms.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdbool.h>
#include <stdint.h>

struct rewrite {
    struct graph graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    struct diag *diag;
    int *readers;  /* by tensor: how many node inputs it is */
    bool *exposed; /* by tensor: it is an output of the partition */
    int tensor_capacity, node_capacity;
    int applied[TRANSFORM_COUNT];
    int merged; /* nodes that were removed */
};

struct transform {
    /* Applies the transform to the node if it can: *fired, and the node may be removed. */
    enum status (*apply)(struct rewrite *w, int node, bool *fired);
};

void rewrite_close(struct rewrite *w);
/* Counts the readers of tensors and finds their producers again, after nodes have changed. */
void rewrite_count_readers(struct rewrite *w);
/* The node one of whose inputs is the only reader of the tensor; -1: there are none, or several, or
 * the tensor is an output of the partition. */
int rewrite_only_reader(const struct rewrite *w, int tensor);
/* Nodes that read `from` read `to` instead. */
enum status rewrite_redirect(struct rewrite *w, int from, int to);
/* Replaces input (output) i of the node. */
enum status rewrite_input(struct rewrite *w, int node, int i, int tensor);
enum status rewrite_output(struct rewrite *w, int node, int i, int tensor);
/* Adds a constant i32 vector. */
enum status rewrite_constant(struct rewrite *w, const int32_t *values, int count, int *tensor);
/* Replaces the fused activation of the node, whose op must have one. */
enum status rewrite_activation(struct rewrite *w, int node, TfLiteFusedActivation activation);
/* Renames the node to "first+second". */
enum status rewrite_name(struct rewrite *w, int node, const char *first, const char *second);
/* A convolution overwrites the tensor (transform residual): it must get no new readers. */
bool rewrite_is_overwritten(const struct rewrite *w, int tensor);
/* Removes the node; indices of later nodes shift by one. */
void rewrite_remove(struct rewrite *w, int node);

#endif
