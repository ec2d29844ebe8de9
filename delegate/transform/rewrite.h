/* Rewrites of one partition's graph before it is planned: fewer nodes, the same results.
 *
 * A rewrite works on a copy of the graph that holds the partition's nodes only; tensors keep their
 * indices.  Which tensors leave the partition is known, and those are always computed. */
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
    int *readers;  /* of a tensor: how many inputs of nodes it is */
    bool *exposed; /* of a tensor: it leaves the partition */
    int tensor_capacity, node_capacity;
    int applied[TRANSFORM_COUNT];
    int merged; /* nodes that became part of another, or went */
};

struct transform {
    /* Tries the node; *fired: the graph has changed, the node may be gone. */
    enum status (*apply)(struct rewrite *w, int node, bool *fired);
};

void rewrite_close(struct rewrite *w);
/* Counts the readers of tensors and finds their producers again, after nodes have changed. */
void rewrite_count_readers(struct rewrite *w);
/* The node that reads the tensor, when one input of one node does and it does not leave the
 * partition; -1: none or more. */
int rewrite_only_reader(const struct rewrite *w, int tensor);
/* Whoever reads `from` reads `to` instead. */
enum status rewrite_redirect(struct rewrite *w, int from, int to);
/* Input (output) i of the node is the tensor from now on. */
enum status rewrite_input(struct rewrite *w, int node, int i, int tensor);
enum status rewrite_output(struct rewrite *w, int node, int i, int tensor);
/* A new constant i32 vector. */
enum status rewrite_constant(struct rewrite *w, const int32_t *values, int count, int *tensor);
/* The node's parameters, which must have a fused activation, get this one. */
enum status rewrite_activation(struct rewrite *w, int node, TfLiteFusedActivation activation);
/* The node is called "first+second" from now on. */
enum status rewrite_name(struct rewrite *w, int node, const char *first, const char *second);
/* A convolution writes its sum in the tensor's place: it must get no new readers. */
bool rewrite_is_overwritten(const struct rewrite *w, int tensor);
/* Removes the node; those behind move up. */
void rewrite_remove(struct rewrite *w, int node);
/* Both tensors have one shape. */
bool rewrite_same_shape(const struct graph_tensor *a, const struct graph_tensor *b);

#endif
