#include "delegate/accept/refusal.h"

#include "delegate/graph/gpu_op.h"
#include "reference/base/op_facts.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* All texts in one block: tables of pointers would have a relocation of 24 bytes for each of them
 * in the library. */
static const struct texts {
#define RULE(name, id_, warned, meaning_)                                                          \
    char id_of_##name[sizeof(id_)], meaning_of_##name[sizeof(meaning_)];
#include "delegate/accept/rules.def"
#undef RULE
} texts = {
#define RULE(name, id_, warned, meaning_) .id_of_##name = id_, .meaning_of_##name = meaning_,
#include "delegate/accept/rules.def"
#undef RULE
};

/* Where the texts of a rule begin. */
static const struct {
    uint16_t id, meaning;
    bool warned;
} rules[RULE_COUNT] = {
#define RULE(name, id_, warned_, meaning_)                                                         \
    [RULE_##name] = { .id = offsetof(struct texts, id_of_##name),                                  \
                      .meaning = offsetof(struct texts, meaning_of_##name),                        \
                      .warned = (warned_) },
#include "delegate/accept/rules.def"
#undef RULE
};
_Static_assert(sizeof texts <= UINT16_MAX, "places of texts have 16 bits");

const char *rule_id(enum rule rule)
{
    return (const char *)&texts + rules[rule].id;
}

const char *rule_meaning(enum rule rule)
{
    return (const char *)&texts + rules[rule].meaning;
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
    r->code = builtin_is_custom_row(c->node->code) ? BUILTIN_CUSTOM : c->node->code;
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
    return refuse(c, rule, tensor, "bytes",
                  "the tensor is larger than a storage buffer of the device", limit, "%llu",
                  (unsigned long long)need);
}

/* llvmpipe leaves a loop after 65,535 iterations in one invocation and reports no error: the sum
 * over 255x256 pixels lacks the last one.  The difference is for loops around the sum. */
enum { LOOP_ITERATIONS_MAX = 65000 };

bool check_loop_iterations(struct check *c, uint64_t iterations)
{
    char limit[32];

    if (iterations <= LOOP_ITERATIONS_MAX || c->limits->device_class != DEVICE_SOFTWARE)
        return true;
    snprintf(limit, sizeof limit, "at most %d", LOOP_ITERATIONS_MAX);
    return refuse(c, RULE_LIMITS_LOOP_ITERATIONS, -1, "loop iterations per invocation",
                  "the driver ends long loops; split the sum, or use another device", limit, "%llu",
                  (unsigned long long)iterations);
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

bool check_rank(struct check *c, int tensor, int min_rank, int max_rank)
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
                  "none");
}

static bool is_input(const struct graph_node *n, int i, int tensor)
{
    return i >= 0 && i < n->input_count && n->inputs[i] == tensor;
}

/* Weights may have 4 or 2 bits, or scales of blocks. */
static bool takes_few_bits(const struct graph_node *n)
{
    return n->op && n->op->few_bits;
}

/* The weights of a hybrid node ("dynamic range quantization"), i8, i4 or i2: its activations are
 * f32. */
static bool is_hybrid_weights(const struct check *c, int tensor)
{
    const struct op_facts *facts = op_facts_find(c->node->code);
    const struct graph_tensor *t = &c->graph->tensors[tensor];

    return (t->type == kTfLiteInt8 || (graph_has_few_bits(t) && takes_few_bits(c->node))) &&
           t->data && facts && facts->hybrid != OP_NONE &&
           is_input(c->node, facts->weights, tensor);
}

/* quantized=float_view with precision=fp16 stores the real values of 8-bit tensors in f16: the
 * largest must not overflow, and the scale must be well above the spacing of f16's subnormals,
 * 2^-24, so that their rounding error is at most 1/32 of a quantization step. */
static bool check_f16_steps(struct check *c, int tensor, int32_t low, int32_t high)
{
    const struct graph_quant *q = &c->graph->tensors[tensor].quant;
    const double scale = (double)q->scale[0];
    const double largest = scale * fmax(high - q->zero_point[0], q->zero_point[0] - low);

    if (!options_half(c->options) || c->options->quantized != QUANTIZED_FLOAT_VIEW ||
        graph_is_constant(c->graph, tensor) || (largest <= 65504 && scale >= 0x1p-20))
        return true;
    return refuse(c, RULE_QUANT_F16, tensor, "scale", "use precision=fp32, or quantized=exact",
                  "at least 9.5e-7, real values within +-65504", "%g, real values within +-%g",
                  scale, largest);
}

bool check_scales(struct check *c, int tensor)
{
    static const char *const hint =
        "quantize the tensor per tensor, or constant weights per channel";
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    const bool bytes = graph_is_8bit(t);
    const int32_t low = t->type == kTfLiteInt8 ? -128 : 0;
    const int32_t high = t->type == kTfLiteInt8 ? 127 : bytes ? 255 : 0;

    if (!t->quant.scale)
        return refuse(c, RULE_QUANT_SCALE, tensor, "scale", hint,
                      "positive, finite, one per tensor or per channel", "absent or invalid");
    if (t->quant.count > 1 && !graph_is_constant(c->graph, tensor))
        return refuse(c, RULE_QUANT_SCALE, tensor, "number of scales", hint, "1", "%zu",
                      t->quant.count);
    for (size_t i = 0; i < t->quant.count; i++)
        if (t->quant.zero_point[i] < low || t->quant.zero_point[i] > high)
            return refuse(c, RULE_QUANT_SCALE, tensor, "zero point", hint,
                          low < 0     ? "-128 to 127"
                          : high == 0 ? "0 for i16, i4, i2"
                                      : "0 to 255",
                          "%d", t->quant.zero_point[i]);
    return check_f16_steps(c, tensor, low, high);
}

/* The type that operands share: that of output 0, or where this is an index, a count or a truth
 * value, that of the first operand. */
static TfLiteType type_of_node(const struct check *c)
{
    const struct graph_node *n = c->node;
    const struct op_facts *facts = op_facts_find(n->code);
    const TfLiteType type = c->graph->tensors[n->outputs[0]].type;
    const int first = facts ? facts->first : 0;

    if (type == kTfLiteFloat32 || type == kTfLiteFloat16 || type == kTfLiteInt8 ||
        type == kTfLiteUInt8 || first >= n->input_count || n->inputs[first] < 0)
        return type;
    return c->graph->tensors[n->inputs[first]].type;
}

/* The node has i16 activations: it is computed in integers, by an op that has them. */
static bool check_shorts(struct check *c, int tensor)
{
    const struct gpu_op *op = c->node->op;
    const bool exact = c->options->quantized == QUANTIZED_EXACT;

    if (exact && op && op->shorts)
        return true;
    return refuse(c, RULE_TENSOR_TYPE, tensor, "type",
                  exact ? "the delegate has no i16 arithmetic for this op"
                        : "with quantized=exact the delegate may take i16",
                  "f32, i8 or u8", "%s", runtime_type_name(c->graph->tensors[tensor].type));
}

/* Constant weights of fewer bits than the activations: i8 of i16; i4 and i2, where the op takes
 * them, of i16 and i8. */
static bool is_narrower_weights(const struct check *c, int tensor, TfLiteType activations)
{
    const struct op_facts *facts = op_facts_find(c->node->code);
    const struct graph_tensor *t = &c->graph->tensors[tensor];

    if (!t->data || !graph_has_few_bits(t) || !facts || !is_input(c->node, facts->weights, tensor))
        return false;
    return t->type == kTfLiteInt8 ? activations == kTfLiteInt16
                                  : takes_few_bits(c->node) &&
                                        (activations == kTfLiteInt16 || activations == kTfLiteInt8);
}

/* One type for all tensors of the node, but for a sum of products: narrower weights, a bias of i32,
 * where activations are i16 also i64; and i16 for the state of an op that has one. */
static bool check_quantized_type(struct check *c, int tensor)
{
    const struct op_facts *facts = op_facts_find(c->node->code);
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    const TfLiteType wanted = type_of_node(c);

    if (wanted == kTfLiteInt16 && !check_shorts(c, tensor))
        return false;
    if (is_narrower_weights(c, tensor, wanted))
        return check_scales(c, tensor);
    if (wanted == kTfLiteInt16 && t->type == kTfLiteInt64 && t->data && facts &&
        is_input(c->node, facts->bias, tensor))
        return true;
    if (graph_has_steps(t) && t->type == wanted) {
        /* Elements that are only copied need no scale. */
        return (c->options->quantized == QUANTIZED_EXACT && c->node->op && c->node->op->selects &&
                !t->quant.scale) ||
               check_scales(c, tensor);
    }
    if (t->type == kTfLiteInt32 && t->data && facts && is_input(c->node, facts->bias, tensor))
        return t->quant.count != 1 || t->quant.zero_point[0] == 0 ||
               refuse(c, RULE_QUANT_SCALE, tensor, "zero point", "the model is malformed", "0",
                      "%d", t->quant.zero_point[0]);
    if (t->type == kTfLiteInt16 && facts && facts->state != 0)
        return true;
    return refuse(c, RULE_TENSOR_TYPE, tensor, "type",
                  "quantize all tensors of the node to one type", "the output's type, a bias i32",
                  "%s", runtime_type_name(t->type));
}

static bool is_quantized(struct check *c)
{
    if (c->quantized == QUANTIZED_UNKNOWN)
        c->quantized = graph_is_quantized(c->graph, c->node) ? QUANTIZED_YES : QUANTIZED_NO;
    return c->quantized == QUANTIZED_YES;
}

static bool takes_f16(const struct graph_node *n)
{
    const struct op_facts *facts = op_facts_find(n->code);

    return facts && facts->f16 != OP_NONE;
}

/* All tensors of the node have one type: f32; f16, if the op can; 8-bit in a quantized node. */
static bool check_float_type(struct check *c, int tensor)
{
    const TfLiteType type = c->graph->tensors[tensor].type;
    const TfLiteType wanted = type_of_node(c);

    if (is_quantized(c))
        return check_quantized_type(c, tensor);
    if (is_hybrid_weights(c, tensor))
        return (c->graph->tensors[tensor].quant.block_scales && takes_few_bits(c->node)) ||
               check_scales(c, tensor);
    if (type == kTfLiteFloat32 && wanted != kTfLiteFloat16)
        return true;
    if (type == kTfLiteFloat16 && wanted == kTfLiteFloat16 && takes_f16(c->node))
        return true;
    return refuse(c, RULE_TENSOR_TYPE, tensor, "type",
                  type == kTfLiteFloat16 ? "f16 weights need a DEQUANTIZE"
                                         : "the delegate computes f32, f16, i8 and u8",
                  takes_f16(c->node) ? "f32, or f16 for all tensors" : "f32", "%s",
                  runtime_type_name(type));
}

/* Input i is present. */
static bool check_values(struct check *c, int i, int min_rank, int max_rank)
{
    return check_float_type(c, c->node->inputs[i]) &&
           check_rank(c, c->node->inputs[i], min_rank, max_rank);
}

bool check_input(struct check *c, int i, int min_rank, int max_rank)
{
    return check_present(c, i) && check_values(c, i, min_rank, max_rank);
}

static bool check_computed(struct check *c, int i)
{
    if (!check_present(c, i))
        return false;
    return !graph_is_constant(c->graph, c->node->inputs[i]) ||
           refuse(c, RULE_INPUT_CONSTANT, c->node->inputs[i], "data",
                  "the result is a constant: fold it when the model is converted",
                  "a tensor that is computed at run time", "a constant");
}

bool check_computed_input(struct check *c, int i, int min_rank, int max_rank)
{
    return check_computed(c, i) && check_values(c, i, min_rank, max_rank);
}

bool check_tensor_type(struct check *c, int tensor, TfLiteType type)
{
    const TfLiteType found = c->graph->tensors[tensor].type;

    return found == type || refuse(c, RULE_TENSOR_TYPE, tensor, "type", "the model is malformed",
                                   runtime_type_name(type), "%s", runtime_type_name(found));
}

static bool check_data_type(struct check *c, int tensor, unsigned types)
{
    static const char *const expected[] = {
        "none", "f32, f16 or 8-bit",       "i32",         "f32, f16, 8-bit or i32",
        "bool", "f32, f16, 8-bit or bool", "i32 or bool", "f32, f16, 8-bit, i32 or bool",
    };
    const TfLiteType type = c->graph->tensors[tensor].type;

    if ((type == kTfLiteInt32 && types & CHECK_I32) || (type == kTfLiteBool && types & CHECK_BOOL))
        return true;
    if (types & CHECK_VALUES && type != kTfLiteInt32 && type != kTfLiteBool)
        return check_float_type(c, tensor);
    return refuse(c, RULE_TENSOR_TYPE, tensor, "type", "cast the tensor around this node",
                  expected[types & CHECK_ALL], "%s", runtime_type_name(type));
}

/* Input i is present. */
static bool check_data(struct check *c, int i, int min_rank, int max_rank, unsigned types)
{
    return check_data_type(c, c->node->inputs[i], types) &&
           check_rank(c, c->node->inputs[i], min_rank, max_rank);
}

bool check_data_input(struct check *c, int i, int min_rank, int max_rank, unsigned types)
{
    return check_present(c, i) && check_data(c, i, min_rank, max_rank, types);
}

bool check_computed_data(struct check *c, int i, int min_rank, int max_rank, unsigned types)
{
    return check_computed(c, i) && check_data(c, i, min_rank, max_rank, types);
}

bool check_data_output(struct check *c, int i, int min_rank, int max_rank, unsigned types)
{
    return check_data_type(c, c->node->outputs[i], types) &&
           check_rank(c, c->node->outputs[i], min_rank, max_rank);
}

/* Whether all of some f32 are within +-65504: their bits but for the sign are at most its bits. */
static bool are_halves(const char *values, size_t count)
{
    enum { LARGEST = 0x477fe000 };
    uint32_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, values + i * sizeof bits, sizeof bits);
        wrong |= (bits & 0x7fffffff) > LARGEST;
    }
    return !wrong;
}

/* The first element that f16 cannot hold; else the number of elements.  A model may have many
 * millions of them: those of f32 constants are looked at by blocks. */
static size_t find_beyond_half(const struct graph *g, int tensor)
{
    enum { BLOCK = 1024 };
    const struct graph_tensor *t = &g->tensors[tensor];
    const bool plain = t->type == kTfLiteFloat32 && t->dequantized_from < 0;
    size_t i = 0;

    while (i < t->elements) {
        if (plain && t->elements - i >= BLOCK &&
            are_halves((const char *)t->data + i * sizeof(float), BLOCK))
            i += BLOCK;
        else if (fabsf(graph_constant_float(g, tensor, i)) <= 65504.0f)
            i++;
        else
            break;
    }
    return i;
}

bool check_storable(struct check *c, int i, uint64_t count)
{
    const int tensor = c->node->inputs[i];
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    const bool half = options_half(c->options);

    /* Integer shaders read 4 weights from a word, and no conversion can overflow. */
    if (c->options->quantized == QUANTIZED_EXACT && is_quantized(c))
        return count <= c->limits->max_storage_buffer_range / 4 ||
               refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, tensor, count * 4);
    if (count > c->limits->max_storage_buffer_range / (half ? 8 : 16))
        return refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, tensor, count * (half ? 8 : 16));
    if (half && graph_is_constant(c->graph, tensor)) {
        const size_t j = find_beyond_half(c->graph, tensor);

        if (j < t->elements)
            return refuse(c, RULE_CONSTANT_F16_RANGE, tensor, "data", "use precision=fp32",
                          "within +-65504", "%g at element %zu",
                          graph_constant_float(c->graph, tensor, j), j);
    }
    return true;
}

bool check_output(struct check *c, int i, int min_rank, int max_rank)
{
    assert(i < c->node->output_count); /* the op has checked how many there are */
    return check_float_type(c, c->node->outputs[i]) &&
           check_rank(c, c->node->outputs[i], min_rank, max_rank);
}

/* "[1,2,3]" */
static void print_dims(char *text, size_t size, const struct graph_tensor *t)
{
    size_t used = (size_t)snprintf(text, size, "[");

    for (int d = 0; d < t->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", d ? "," : "", t->dims[d]);
    if (used < size)
        snprintf(text + used, size - used, "]");
}

bool check_same_shape(struct check *c, enum rule rule)
{
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);
    char expected[80], found[112];

    if (graph_same_shape(x, y))
        return true;
    print_dims(expected, sizeof expected, x);
    print_dims(found, sizeof found, y);
    return refuse(c, rule, c->node->outputs[0], "dims", "the model is malformed", expected, "%s",
                  found);
}

bool check_activation(struct check *c, int activation)
{
    if (activation >= kTfLiteActNone && activation <= kTfLiteActRelu6)
        return true;
    return refuse(c, RULE_PARAMS_ACTIVATION, -1, "activation",
                  "the CPU kernels ignore this fused activation; make it a node",
                  "0 (none) to 3 (relu6)", "%d", activation);
}

bool check_params(struct check *c)
{
    if (c->node->params)
        return true;
    return refuse(c, RULE_PARAMS_MISSING, -1, "builtin_data", "the model is malformed",
                  "a parameter struct", "none");
}
