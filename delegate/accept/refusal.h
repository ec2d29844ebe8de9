/* Why the delegate refuses a node, as data, and the checks that most ops share. */
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
/* The id of a rule, "conv_2d.groups", and the condition that must hold; both static. */
const char *rule_id(enum rule rule);
const char *rule_meaning(enum rule rule);
/* Whether TensorFlow Lite's warning about ops that stay on the CPU names an op that the rule
 * refused. */
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

/* The node in question, and what the answer depends on. */
struct check {
    const struct graph *graph;
    const struct graph_node *node;
    const struct gpu_options *options;
    const struct device_limits *limits;
    struct refusal *refusal; /* filled by the check that fails */
    /* graph_is_quantized of the node, once something has asked: it reads all inputs. */
    enum { QUANTIZED_UNKNOWN, QUANTIZED_NO, QUANTIZED_YES } quantized;
};

/* Fills the refusal and returns false.  tensor: an index of the graph, or -1.  limit: what was
 * expected; value_format: what was found. */
bool refuse(struct check *c, enum rule rule, int tensor, const char *field, const char *hint,
            const char *limit, const char *value_format, ...) PRINTF_LIKE(7, 8);

/* Refuses a buffer of more than maxStorageBufferRange bytes. */
bool refuse_bytes(struct check *c, enum rule rule, int tensor, uint64_t need);

/* Checks that most ops share.  Each returns true, or fills the refusal and returns false.  i is the
 * index of an input (or output) of the node, tensor one of the graph. */

/* The node has min_inputs to max_inputs inputs and so many outputs. */
bool check_counts(struct check *c, int min_inputs, int max_inputs, int outputs);
/* Input i, constant or not, is present, of a rank within [min, max] and of the node's type: f32 (or
 * f16), or in a quantized node 8-bit with valid scales.  The bias of a quantized node is i32, the
 * weights of a hybrid one i8. */
bool check_input(struct check *c, int i, int min_rank, int max_rank);
/* Types of data beside the node's float or 8-bit type, for ops that compute integers or truth
 * values or that move elements of any type. */
enum { CHECK_VALUES = 1, CHECK_I32 = 2, CHECK_BOOL = 4, CHECK_ALL = 7 };
/* Input i is present, of a rank within [min, max], and has one of these types: CHECK_VALUES (what
 * check_input accepts), i32 or bool.  Whether types of several tensors agree is for the op to
 * check, with check_tensor_type. */
bool check_data_input(struct check *c, int i, int min_rank, int max_rank, unsigned types);
/* check_data_input, and input i is no constant. */
bool check_computed_data(struct check *c, int i, int min_rank, int max_rank, unsigned types);
/* The same of output i. */
bool check_data_output(struct check *c, int i, int min_rank, int max_rank, unsigned types);
/* The tensor has this type. */
bool check_tensor_type(struct check *c, int tensor, TfLiteType type);
/* check_input, and input i is no constant. */
bool check_computed_input(struct check *c, int i, int min_rank, int max_rank);
/* An 8-bit tensor has valid scales and zero points: per tensor, or if constant per channel. */
bool check_scales(struct check *c, int tensor);
bool check_rank(struct check *c, int tensor, int min_rank, int max_rank);
/* The weights of input i, packed as count vec4, fit one storage buffer; with precision=fp16
 * constant ones are within +-65504. */
bool check_storable(struct check *c, int i, uint64_t count);
/* The driver of the device runs loops of so many iterations, in all loops of one invocation of the
 * node's shader together. */
bool check_loop_iterations(struct check *c, uint64_t iterations);
/* Output i has a rank within [min, max] and the type of the node. */
bool check_output(struct check *c, int i, int min_rank, int max_rank);
/* Output 0 has the dims of input 0; rule: of the op, for the refusal. */
bool check_same_shape(struct check *c, enum rule rule);
/* The shaders compute the fused activation: none, relu, relu_n1_to_1 or relu6. */
bool check_activation(struct check *c, int activation);
/* The node has a parameter struct. */
bool check_params(struct check *c);

#endif
