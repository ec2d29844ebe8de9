/* Why a node is left to the CPU, as data. */
#ifndef ASSAY_DELEGATE_ACCEPT_REFUSAL_H
#define ASSAY_DELEGATE_ACCEPT_REFUSAL_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

enum rule {
#define RULE(name, id, warned, meaning) RULE_##name,
#include "delegate/accept/rules.def"
#undef RULE
    RULE_COUNT
};
/* "conv_2d.groups"; what must hold, in a few words. */
const char *rule_id(enum rule rule);
const char *rule_meaning(enum rule rule);
/* The standard warning names the op. */
bool rule_is_warned(enum rule rule);

struct refusal {
    enum rule id;
    const char *rule; /* rule_id(id): "conv_2d.groups" */
    int host_node;
    int32_t code;
    int version;
    char op[48];
    int tensor; /* -1: not about one tensor */
    char tensor_name[80];
    char field[48];
    char value[160];
    char limit[80];
    const char *hint; /* static */
};

/* What decides about a node: the graph, the options, the device. */
struct check {
    const struct graph *graph;
    const struct graph_node *node;
    const struct gpu_options *options;
    const struct device_limits *limits;
    struct refusal *refusal; /* filled by the check that fails */
};

/* Says no: fills the refusal and returns false.  tensor is an index of the graph or -1. */
bool refuse(struct check *c, enum rule rule, int tensor, const char *field, const char *hint,
            const char *limit, const char *value_format, ...) PRINTF_LIKE(7, 8);

/* Says no to a buffer of more bytes than the device can bind. */
bool refuse_bytes(struct check *c, enum rule rule, int tensor, uint64_t need);

/* Checks that most ops share; each true, or a refusal.  i counts the node's inputs. */
bool check_counts(struct check *c, int min_inputs, int max_inputs, int outputs);
/* Input i is there, a float tensor, of a rank within [min, max]; constant or not.  In a quantized
 * node 8-bit tensors with their scales are float tensors, too, and so is an i32 bias; in a float
 * one the 8-bit weights of a product are. */
bool check_float(struct check *c, int i, int min_rank, int max_rank);
/* A tensor of 8 bits has scales and zero points that can be used: one, or constants one a channel.
 */
bool check_scales(struct check *c, int tensor);
/* As check_float, and it is computed at run time. */
bool check_runtime_float(struct check *c, int i, int min_rank, int max_rank);
/* The values of input i, weights, can be stored in the precision of the device: packed as count
 * vec4 they fit one storage buffer; in fp16 no constant is beyond 65504. */
bool check_storable(struct check *c, int i, uint64_t count);
/* An invocation of the node's shader makes so many turns of its loops, all of them together: within
 * what the device does. */
bool check_loop_iterations(struct check *c, uint64_t turns);
/* Output i is a float tensor of a rank within [min, max]. */
bool check_output_float(struct check *c, int i, int min_rank, int max_rank);
/* A fused activation that the shaders compute: none, relu, relu_n1_to_1, relu6. */
bool check_activation(struct check *c, int activation);
/* The node has its parameter struct. */
bool check_params(struct check *c);

#endif
