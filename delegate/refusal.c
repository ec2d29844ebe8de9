#include "delegate/refusal.h"

#include "delegate/gpu_op.h"
#include "reference/builtin.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *id, *meaning;
    bool warned;
} rules[RULE_COUNT] = {
#define RULE(name, id_, warned_, meaning_)                                                         \
    [RULE_##name] = { .id = (id_), .meaning = (meaning_), .warned = (warned_) },
#include "delegate/rules.def"
#undef RULE
};

const char *rule_id(enum rule rule)
{
    return rules[rule].id;
}

const char *rule_meaning(enum rule rule)
{
    return rules[rule].meaning;
}

bool rule_is_warned(enum rule rule)
{
    return rules[rule].warned;
}

bool refuse(struct check *c, enum rule rule, int tensor, const char *field, const char *hint,
            const char *limit, const char *value_format, ...)
{
    struct refusal *r = c->refusal;
    va_list args;

    r->host_node = c->node->host_node;
    r->code = c->node->code;
    r->version = c->node->version;
    r->id = rule;
    r->rule = rule_id(rule);
    r->tensor = tensor;
    r->hint = hint;
    snprintf(r->op, sizeof r->op, "%s", c->node->name);
    snprintf(r->tensor_name, sizeof r->tensor_name, "%s",
             tensor >= 0 ? c->graph->tensors[tensor].name : "");
    snprintf(r->field, sizeof r->field, "%s", field);
    snprintf(r->limit, sizeof r->limit, "%s", limit);
    va_start(args, value_format);
    vsnprintf(r->value, sizeof r->value, value_format, args);
    va_end(args);
    return false;
}

bool refuse_bytes(struct check *c, enum rule rule, int tensor, uint64_t need)
{
    char limit[64];

    snprintf(limit, sizeof limit, "%llu (maxStorageBufferRange)",
             (unsigned long long)c->limits->max_storage_buffer_range);
    return refuse(c, rule, tensor, "bytes", "the device cannot bind so large a buffer", limit,
                  "%llu", (unsigned long long)need);
}

/* llvmpipe ends an invocation's loops after 65,535 turns, whatever is left to do, and says nothing:
 * an average over 255x256 pixels lacks the last one.  Some turns are left for what is around a sum.
 */
enum { MOST_TURNS = 65000 };

bool check_turns(struct check *c, uint64_t turns)
{
    if (turns <= MOST_TURNS || c->limits->device_class != DEVICE_SOFTWARE)
        return true;
    return refuse(c, RULE_LIMITS_TURNS, -1, "turns of a loop",
                  "the device's driver ends long loops; split the sum, or use another device",
                  "65000", "%llu", (unsigned long long)turns);
}

bool check_counts(struct check *c, int min_inputs, int max_inputs, int outputs)
{
    char limit[32];

    if (c->node->input_count < min_inputs || c->node->input_count > max_inputs) {
        snprintf(limit, sizeof limit, "%d to %d", min_inputs, max_inputs);
        return refuse(c, RULE_NODE_INPUTS, -1, "number of inputs", "the model is malformed", limit,
                      "%d", c->node->input_count);
    }
    if (c->node->output_count != outputs) {
        snprintf(limit, sizeof limit, "%d", outputs);
        return refuse(c, RULE_NODE_OUTPUTS, -1, "number of outputs", "the model is malformed",
                      limit, "%d", c->node->output_count);
    }
    return true;
}

static bool check_rank(struct check *c, int tensor, int min_rank, int max_rank)
{
    const int rank = c->graph->tensors[tensor].rank;
    char limit[32];

    if (rank >= min_rank && rank <= max_rank)
        return true;
    if (min_rank == max_rank)
        snprintf(limit, sizeof limit, "%d", min_rank);
    else
        snprintf(limit, sizeof limit, "%d to %d", min_rank, max_rank);
    return refuse(c, RULE_TENSOR_RANK, tensor, "rank", "reshape the tensor around this node", limit,
                  "%d", rank);
}

static bool check_present(struct check *c, int i)
{
    char field[32];

    if (i < c->node->input_count && c->node->inputs[i] >= 0)
        return true;
    snprintf(field, sizeof field, "input %d", i);
    return refuse(c, RULE_NODE_INPUT_ABSENT, -1, field, "the model is malformed", "a tensor",
                  "absent");
}

/* f32, or f16 for all of the node's tensors where the op may have that. */
static bool check_float_type(struct check *c, int tensor)
{
    const TfLiteType type = c->graph->tensors[tensor].type;
    const TfLiteType wanted = c->graph->tensors[c->node->outputs[0]].type;

    if (type == kTfLiteFloat32 && wanted != kTfLiteFloat16)
        return true;
    if (type == kTfLiteFloat16 && wanted == kTfLiteFloat16 && c->node->op && c->node->op->half)
        return true;
    return refuse(c, RULE_TENSOR_TYPE, tensor, "type",
                  type == kTfLiteFloat16 ? "f16 weights are taken behind a DEQUANTIZE"
                                         : "this version computes float models",
                  c->node->op && c->node->op->half ? "f32, or f16 for all" : "f32", "%s",
                  runtime_type_name(type));
}

bool check_float(struct check *c, int i, int min_rank, int max_rank)
{
    return check_present(c, i) && check_float_type(c, c->node->inputs[i]) &&
           check_rank(c, c->node->inputs[i], min_rank, max_rank);
}

bool check_runtime_float(struct check *c, int i, int min_rank, int max_rank)
{
    if (!check_present(c, i))
        return false;
    if (graph_is_constant(c->graph, c->node->inputs[i]))
        return refuse(c, RULE_INPUT_CONSTANT, c->node->inputs[i], "data",
                      "fold the constant when the model is converted", "computed at run time",
                      "a constant");
    return check_float(c, i, min_rank, max_rank);
}

bool check_storable(struct check *c, int i, uint64_t count)
{
    const int tensor = c->node->inputs[i];
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    const bool half = c->options->precision == PRECISION_FP16;

    if (count > c->limits->max_storage_buffer_range / (half ? 8 : 16))
        return refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, tensor, count * (half ? 8 : 16));
    for (size_t j = 0; j < t->elements && half && graph_is_constant(c->graph, tensor); j++) {
        const float f = graph_constant_float(c->graph, tensor, j);

        if (!(fabsf(f) <= 65504.0f))
            return refuse(c, RULE_CONSTANT_F16_RANGE, tensor, "data", "use precision=fp32",
                          "at most 65504", "%g at element %zu", f, j);
    }
    return true;
}

bool check_output_float(struct check *c, int i, int min_rank, int max_rank)
{
    return check_float_type(c, c->node->outputs[i]) &&
           check_rank(c, c->node->outputs[i], min_rank, max_rank);
}

bool check_activation(struct check *c, int activation)
{
    if (activation >= kTfLiteActNone && activation <= kTfLiteActRelu6)
        return true;
    return refuse(c, RULE_PARAMS_ACTIVATION, -1, "activation",
                  "the CPU kernels ignore this activation; use a node of its own",
                  "0 (none) to 3 (relu6)", "%d", activation);
}

bool check_params(struct check *c)
{
    if (c->node->params)
        return true;
    return refuse(c, RULE_PARAMS_MISSING, -1, "builtin_data", "the model is malformed",
                  "a parameter struct", "NULL");
}
