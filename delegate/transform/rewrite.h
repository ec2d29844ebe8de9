/* What the transforms do to a graph: change inputs, outputs and parameters of nodes, and remove
 * nodes.
 *
 * The graph is a copy with the nodes of one partition, and the tensors that these nodes name, in
 * the order of the host.  Outputs of the partition (exposed) are always computed. */
#ifndef ASSAY_DELEGATE_TRANSFORM_REWRITE_H
#define ASSAY_DELEGATE_TRANSFORM_REWRITE_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/chain.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/graph/reasons.h"
#include "delegate/graph/transforms.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdbool.h>
#include <stdint.h>

/* An input of a node, in the list of all inputs that are the same tensor. */
struct rewrite_use {
    int node, next, before; /* uses; -1: none */
};

struct rewrite {
    struct graph graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    struct diag *diag;
    int *host_tensor; /* by tensor: its index in the host; larger ones are of the transforms */
    int host_tensors; /* how many tensors are the host's; they come first, and are sorted */
    int *readers;     /* by tensor: how many node inputs it is */
    bool *exposed;    /* by tensor: it is an output of the partition */
    /* Kept when nodes change, so that no transform reads all nodes. */
    bool *overwritten;        /* by tensor: it is the residual of a node */
    int *last_use;            /* by tensor: a use; -1: none */
    int *first_use;           /* by node: the use that is its input 0 */
    struct rewrite_use *uses; /* each node has room for USES_MIN at least */
    int tensor_capacity, node_capacity, use_capacity;
    int applied[TRANSFORM_COUNT];
    int merged;                 /* nodes that were removed */
    struct reasons *reasons;    /* NULL: nobody asks */
    enum transform_id applying; /* what `reasons` are of */
};

/* A transform may give a node so many inputs. */
enum { USES_MIN = CHAIN_INPUTS };

struct transform {
    /* Applies the transform to the node if it can: *fired, and the node may be removed.  Where it
     * cannot, though a node of this kind could be, rewrite_decline says why.  Nothing is changed
     * before rewrite_may has returned true. */
    enum status (*apply)(struct rewrite *w, int node, bool *fired);
    bool backwards; /* from the last node to the first */
    bool last; /* runs once, when all others have reached a fixed point: no other handles its output
                */
};

/* Why the transform leaves the node as it is, if someone asks.  STATUS_OK. */
enum status rewrite_decline(struct rewrite *w, int node, const char *format, ...) PRINTF_LIKE(3, 4);
/* False, with the reason: option no_transform switches the transform off. */
bool rewrite_may(struct rewrite *w, int node);
/* True: the node is the only reader of the tensor, by one of its inputs; else with the reason. */
bool rewrite_reads_alone(struct rewrite *w, int node, int tensor);
/* "CONV_2D 3" of a node, for reasons. */
struct rewrite_node_name {
    char text[96];
};
struct rewrite_node_name rewrite_node_name(const struct rewrite *w, int node);

void rewrite_close(struct rewrite *w);
/* Takes removed nodes out of the list of nodes, and finds readers and producers anew. */
void rewrite_link(struct rewrite *w);
/* The tensor with this index in the host; -1: no node of the partition names it. */
int rewrite_find(const struct rewrite *w, int host_tensor);
/* The node one of whose inputs is the only reader of the tensor; -1: there are none, or several, or
 * the tensor is an output of the partition. */
int rewrite_only_reader(const struct rewrite *w, int tensor);
/* Nodes that read `from` read `to` instead.  Neither is overwritten. */
void rewrite_redirect(struct rewrite *w, int from, int to);
/* Replaces input (output) i of the node. */
void rewrite_input(struct rewrite *w, int node, int i, int tensor);
void rewrite_output(struct rewrite *w, int node, int i, int tensor);
/* Replaces all inputs of the node, which has USES_MIN at most before and after. */
enum status rewrite_inputs(struct rewrite *w, int node, const int *inputs, int count);
/* The node adds the tensor to its result, and overwrites it. */
void rewrite_residual(struct rewrite *w, int node, int tensor);
/* The error of a transform that finds no memory. */
enum status rewrite_no_memory(struct rewrite *w);
/* Adds a tensor with what `like` is, but no producer. */
enum status rewrite_tensor(struct rewrite *w, const struct graph_tensor *like, int *tensor);
/* Adds a constant i32 vector. */
enum status rewrite_constant(struct rewrite *w, const int32_t *values, int count, int *tensor);
/* Replaces the fused activation of the node, whose op must have one. */
enum status rewrite_activation(struct rewrite *w, int node, TfLiteFusedActivation activation);
/* Renames the node to "first+second". */
enum status rewrite_name(struct rewrite *w, int node, const char *first, const char *second);
/* A convolution overwrites the tensor (transform residual): it must get no new readers. */
bool rewrite_is_overwritten(const struct rewrite *w, int tensor);
/* The tensor is computed, or an input of the partition, and keeps its elements until all nodes have
 * read it. */
bool rewrite_stays(const struct rewrite *w, int tensor);
/* Two nodes change places in the order in which nodes are computed; the caller has made sure that
 * each still comes after what it reads, and before its readers. */
void rewrite_swap(struct rewrite *w, int a, int b);
/* The node becomes one of an op that no model has. */
struct rewrite_as {
    const struct gpu_op *op;
    const char *name;   /* static; NULL: that of the node */
    const void *params; /* are copied */
    size_t params_bytes;
    const int *inputs;
    int input_count;
};
enum status rewrite_op(struct rewrite *w, int node, const struct rewrite_as *as);
/* The node and these become one, unless another node reads what one of them computes. */
enum status rewrite_fuse(struct rewrite *w, int node, const struct gpu_fused *fused,
                         const struct rewrite_as *as, bool *fired);
/* The node becomes this chain, whose other nodes are removed. */
enum status rewrite_chain(struct rewrite *w, int node, const struct chain *c);
/* Removes the node: its op is NULL until rewrite_link. */
void rewrite_remove(struct rewrite *w, int node);

#endif
