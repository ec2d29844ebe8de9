#include "delegate/accept/decide.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/shapes.h"
#include "delegate/graph/variables.h"
#include "reference/base/builtin.h"
#include "reference/base/op_facts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One entry of include= or exclude=: "3", "5-9", "CONV_2D", or a pattern (fnmatch) of the name of
 * an output. */
static bool entry_matches(const struct graph *g, const struct graph_node *n, const char *entry)
{
    char *end;
    const long first = strtol(entry, &end, 10);

    if (end != entry && *end == '\0')
        return n->host_node == first;
    if (end != entry && *end == '-') {
        const char *second = end + 1;
        const long last = strtol(second, &end, 10);

        if (end != second && *end == '\0')
            return n->host_node >= first && n->host_node <= last;
    }
    if (strcmp(entry, n->name) == 0)
        return true;
    for (int i = 0; i < n->output_count; i++)
        if (fnmatch(entry, g->tensors[n->outputs[i]].name, 0) == 0)
            return true;
    return false;
}

static bool list_matches(const struct graph *g, const struct graph_node *n, const char *list)
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        char entry[256];

        if (length > 0 && length < sizeof entry) {
            memcpy(entry, list, length);
            entry[length] = '\0';
            if (entry_matches(g, n, entry))
                return true;
        }
        list += length;
        if (*list == ',')
            list++;
    }
    return false;
}

static bool check_options(struct check *c)
{
    const struct gpu_options *o = c->options;
    const int node = c->node->host_node;
    char limit[32];

    if ((o->first_node >= 0 && node < o->first_node) ||
        (o->last_node >= 0 && node > o->last_node)) {
        snprintf(limit, sizeof limit, "%d to %d", o->first_node < 0 ? 0 : o->first_node,
                 o->last_node);
        return refuse(c, RULE_OPTION_NODE_RANGE, -1, "node",
                      "the options first_node and last_node exclude it", limit, "%d", node);
    }
    if (o->include && !list_matches(c->graph, c->node, o->include))
        return refuse(c, RULE_OPTION_INCLUDE, -1, "node", "the option include does not name it",
                      o->include, "%d", node);
    if (o->exclude && list_matches(c->graph, c->node, o->exclude))
        return refuse(c, RULE_OPTION_EXCLUDE, -1, "node", "the option exclude names it", o->exclude,
                      "%d", node);
    return true;
}

/* Conditions on every tensor that is stored on the device. */
static bool check_tensor(struct check *c, int tensor)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    char limit[64];
    size_t bytes;

    if (t->is_sparse)
        return refuse(c, RULE_TENSOR_SPARSE, tensor, "sparsity",
                      "convert the model with dense weights", "dense, or levels that fit the shape",
                      "sparse");
    if (t->has_wrong_bytes) {
        snprintf(limit, sizeof limit, "%zu elements of %u bits", t->elements,
                 runtime_type_bits(t->type));
        return refuse(c, RULE_TENSOR_BYTES, tensor, "bytes", "the model is malformed", limit, "%zu",
                      t->host_bytes);
    }
    if (t->is_dynamic)
        return refuse(c, RULE_TENSOR_DYNAMIC, tensor, "shape",
                      "make what its shape depends on a constant of the model",
                      "known before invoke", "dynamic");
    if (graph_is_constant(c->graph, tensor))
        return true;
    if (t->rank < 0)
        return refuse(c, RULE_TENSOR_RANK, tensor, "rank", "reshape the tensor around this node",
                      "0 to 8", "above 8, or unknown");
    if (t->elements == 0)
        return refuse(c, RULE_TENSOR_EMPTY, tensor, "elements",
                      "an empty tensor has no elements to compute", "at least 1", "0");
    if (!graph_tensor_fits(t, c->limits, &bytes))
        return refuse_bytes(c, RULE_LIMITS_TENSOR_BYTES, tensor, bytes);
    return true;
}

/* LiteRT computes shapes and what follows from them when it prepares a graph, and later nodes read
 * such a tensor then: it must not wait for an inference. */
static bool check_not_prepared(struct check *c, int tensor)
{
    return !c->graph->tensors[tensor].is_prepared ||
           refuse(c, RULE_TENSOR_PREPARED, tensor, "allocation type",
                  "the host has computed it from shapes alone", "computed in invoke",
                  "computed when the graph is prepared");
}

/* The float view of an op without requantization: an element that is copied keeps its real value
 * only where scale and zero point stay the same. */
static bool check_same_quant(struct check *c)
{
    const struct graph_node *n = c->node;

    for (int i = 0; i < n->input_count && n->op->same_quant; i++) {
        const struct graph_tensor *x = n->inputs[i] >= 0 ? &c->graph->tensors[n->inputs[i]] : NULL;

        /* accept has checked that operands have scales; an input without is no operand. */
        for (int o = 0; x && graph_is_8bit(x) && x->quant.scale && o < n->output_count; o++)
            if (graph_output(c->graph, n, o)->type != kTfLiteInt32 && /* indices */
                !graph_same_quant(x, graph_output(c->graph, n, o)))
                return refuse(c, RULE_QUANT_SAME, n->inputs[i], "scale, zero point",
                              "use quantized=exact", "the output's", "%g, %d",
                              (double)x->quant.scale[0], x->quant.zero_point[0]);
    }
    return true;
}

/* An input (weights, too) or output whose integers count steps; -1: none. */
static int find_steps(const struct graph *g, const struct graph_node *n)
{
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && graph_has_steps(&g->tensors[n->inputs[i]]))
            return n->inputs[i];
    for (int i = 0; i < n->output_count; i++)
        if (graph_has_steps(&g->tensors[n->outputs[i]]))
            return n->outputs[i];
    return -1;
}

static bool accept_quantized(struct check *c)
{
    const struct gpu_op *op = c->node->op;
    const bool exact = c->options->quantized == QUANTIZED_EXACT;

    if (!op->accept(c))
        return false;
    if (exact ? !op->exact : op->no_float_view)
        return refuse(c, RULE_QUANT_MODE, find_steps(c->graph, c->node), "quantized",
                      exact ? "quantized=float_view may take it" : "use quantized=exact",
                      exact ? "float_view" : "exact", exact ? "exact" : "float_view");
    return exact ? !op->exact->accept || op->exact->accept(c) : check_same_quant(c);
}

/* After a resize the shapes of outputs are computed here (graph/shapes.h); they must be those that
 * the host gave before it. */
static bool check_outputs(struct check *c)
{
    for (int i = 0; i < c->node->output_count; i++) {
        const struct graph_tensor *y = graph_output(c->graph, c->node, i);
        struct graph_shape s;

        if (!(shapes_of_output(c->graph, c->node, i, &s) && shapes_are(y, &s)))
            return refuse(c, RULE_TENSOR_SHAPE, c->node->outputs[i], "dims",
                          "the model is malformed", "what follows from the inputs",
                          "another shape of rank %d", y->rank);
    }
    return true;
}

/* The host's kernel computes the node; the value must be one that the device can read or write. */
static bool check_variable(struct check *c)
{
    const struct variable_use *use = c->node->variable;

    if (!use->named)
        return refuse(c, RULE_VARIABLE_HANDLE, c->node->inputs[0], "variable",
                      "the node runs on the CPU", "the result of a VAR_HANDLE", "another tensor");
    if (use->follows_assignment && !use->assigns)
        return refuse(c, RULE_VARIABLE_ORDER, c->node->inputs[0], "variable",
                      "read the variable before the model assigns to it",
                      "no assignment before the node", "an assignment");
    return check_tensor(c, variable_tensor(c->node));
}

static bool check_node(struct check *c)
{
    const struct graph_node *n = c->node;
    char limit[32];

    if (n->code == BUILTIN_DELEGATE)
        return refuse(c, RULE_NODE_DELEGATED, -1, "op", "another delegate runs it", "a builtin op",
                      "%s", n->name);
    if (n->variable)
        return check_options(c) && check_variable(c);
    if (n->known) /* there is nothing to compute on the device */
        return check_options(c);
    if (!n->op)
        return refuse(c, RULE_OP_UNKNOWN, -1, "op", "the node runs on the CPU",
                      "an op of this delegate", "%s", n->name);
    if (n->version < 1 || n->version > n->op->max_version) {
        snprintf(limit, sizeof limit, "1 to %d", n->op->max_version);
        return refuse(c, RULE_OP_VERSION, -1, "version",
                      "the node runs on the CPU; OPS_SUPPORT.md says what the version adds", limit,
                      "%d", n->version);
    }
    if (!check_options(c))
        return false;
    if (!c->options->enable_quantization && find_steps(c->graph, n) >= 0)
        return refuse(c, RULE_OPTION_QUANTIZATION, find_steps(c->graph, n), "enable_quantization",
                      "the option enable_quantization is off", "1", "0");
    if (n->folded) /* fold_constants has called gpu_op.accept */
        return true;
    if (options_half(c->options) && !c->limits->storage_16bit)
        return refuse(c, RULE_LIMITS_STORAGE_16BIT, -1, "storageBuffer16BitAccess",
                      "use precision=fp32", "true", "false");
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && !check_tensor(c, n->inputs[i]))
            return false;
    for (int i = 0; i < n->output_count; i++)
        if (!check_tensor(c, n->outputs[i]) || !check_not_prepared(c, n->outputs[i]))
            return false;
    return (graph_is_quantized(c->graph, n) ? accept_quantized(c) : n->op->accept(c)) &&
           check_outputs(c);
}

bool decision_of_node(const struct graph *g, const struct graph_node *n,
                      const struct gpu_options *options, const struct device_limits *limits,
                      struct refusal *refusal)
{
    struct check c = {
        .graph = g, .node = n, .options = options, .limits = limits, .refusal = refusal
    };

    return check_node(&c);
}

/* A node of the device reads one of its outputs. */
static bool is_read(const struct graph_node *n, const bool *read)
{
    for (int i = 0; i < n->output_count; i++)
        if (read[n->outputs[i]])
            return true;
    return false;
}

/* Refuses the nodes that compute a constant (shape arithmetic, DEQUANTIZE of one, DENSIFY,
 * folded ones) which no node on the device reads.  The loop goes from the last node to the first,
 * since the inputs of a node that is refused may have no other reader.  read: by tensor, false at
 * first.
 */
static void refuse_unread_constants(struct decision *d, const struct graph *g, bool *read)
{
    static const struct refusal_reason unread = { .rule = RULE_DEQUANTIZE_NO_READER,
                                                  .field = "readers on the device",
                                                  .hint = "the nodes that read it run on the CPU",
                                                  .value = "0",
                                                  .limit = "at least 1" };
    struct refusal_reason alone = unread;

    alone.rule = RULE_VALUE_ALONE;
    for (int i = g->node_count - 1; i >= 0; i--) {
        const struct graph_node *n = &g->nodes[i];

        if (d->take[i] && n->known && !is_read(n, read))
            decision_refuse(d, g, i, &alone);
        if (d->take[i] && !n->variable && !n->known &&
            (n->op->dequantizes || n->op->densifies || n->folded) &&
            graph_is_constant(g, n->outputs[0]) && !read[n->outputs[0]])
            decision_refuse(d, g, i, &unread);
        for (int k = 0; k < n->input_count && d->take[i] && !n->variable; k++)
            if (n->inputs[k] >= 0)
                read[n->inputs[k]] = true;
    }
}

static bool is_data(const struct graph_node *n, int i)
{
    const struct op_facts *facts = op_facts_find(n->code);

    return !facts || facts->weights == i || facts->bias == i ||
           (i >= facts->first && (facts->data == OP_ALL || i < facts->first + facts->data));
}

static bool has_integers(const struct graph *g, const struct graph_node *n)
{
    for (int i = 0; i < n->output_count; i++) {
        const TfLiteType type = graph_output(g, n, i)->type;

        if (type != kTfLiteInt32 && type != kTfLiteInt64 && type != kTfLiteBool)
            return false;
    }
    return n->output_count > 0;
}

/* Refuses the nodes of integers whose results, which are not known, reach nothing but shapes, sizes
 * or paddings of nodes that are dynamic for it: a copy to the device and back for a few numbers.
 * marks: by tensor, DATA where a node computes with it, SHAPE where it is no more than a shape. */
static void refuse_shapes(struct decision *d, const struct graph *g, unsigned char *marks)
{
    enum { DATA = 1, SHAPE = 2 };
    static const struct refusal_reason why = { .rule = RULE_VALUE_SHAPES,
                                               .field = "readers of the result",
                                               .hint = "shape arithmetic runs on the CPU",
                                               .value = "shapes, sizes and paddings of nodes on "
                                                        "the CPU",
                                               .limit = "one that computes with it" };

    for (int i = g->node_count - 1; i >= 0; i--) {
        const struct graph_node *n = &g->nodes[i];
        unsigned found = 0;
        bool dynamic = false;

        for (int o = 0; o < n->output_count; o++) {
            found |= marks[n->outputs[o]];
            dynamic |= graph_output(g, n, o)->is_dynamic;
        }
        if (found == SHAPE && has_integers(g, n) && !n->variable && !n->known)
            decision_refuse(d, g, i, &why);
        else
            found = DATA;
        for (int k = 0; k < n->input_count; k++)
            if (n->inputs[k] >= 0)
                marks[n->inputs[k]] |= found == SHAPE || (dynamic && !is_data(n, k)) ? SHAPE : DATA;
    }
}

/* A node of a variable that no node of the device reads or writes gains nothing.  read: by tensor,
 * whether a node on the device does. */
static void refuse_lone_variables(struct decision *d, const struct graph *g, const bool *read)
{
    static const struct refusal_reason why = { .rule = RULE_VARIABLE_ALONE,
                                               .field = "nodes on the device that use the value",
                                               .hint = "the nodes that use it run on the CPU",
                                               .value = "0",
                                               .limit = "at least 1" };

    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *n = &g->nodes[i];
        int t, producer;

        if (!d->take[i] || !n->variable)
            continue;
        t = variable_tensor(n);
        producer = g->tensors[t].producer;
        if (n->variable->assigns ? producer < 0 || !d->take[producer] || g->nodes[producer].variable
                                 : !read[t])
            decision_refuse(d, g, i, &why);
    }
}

enum status decision_make(struct decision *d, const struct graph *g,
                          const struct gpu_options *options, const struct device_limits *limits,
                          struct diag *diag)
{
    unsigned char *marks;
    bool *read;

    *d = (struct decision){ 0 };
    d->take = ARENA_NEW(&d->arena, (size_t)g->node_count, bool);
    d->refusals = ARENA_NEW(&d->arena, (size_t)g->node_count, struct refusal);
    read = ARENA_NEW(&d->arena, (size_t)g->tensor_count, bool);
    marks = ARENA_NEW(&d->arena, (size_t)g->tensor_count, unsigned char);
    if (!d->take || !d->refusals || !read || !marks) {
        decision_close(d);
        return diag_fail(diag, STATUS_NO_MEMORY, "deciding on %d nodes: out of memory",
                         g->node_count);
    }
    for (int i = 0; i < g->node_count; i++) {
        d->take[i] =
            decision_of_node(g, &g->nodes[i], options, limits, &d->refusals[d->refusal_count]);
        if (!d->take[i])
            d->refusal_count++;
    }
    refuse_shapes(d, g, marks);
    refuse_unread_constants(d, g, read);
    refuse_lone_variables(d, g, read);
    decision_sort(d);
    return STATUS_OK;
}

void decision_refuse(struct decision *d, const struct graph *g, int node,
                     const struct refusal_reason *why)
{
    /* A node has one refusal at most, so there is room. */
    struct check c = { .graph = g,
                       .node = &g->nodes[node],
                       .refusal = &d->refusals[d->refusal_count] };

    if (!d->take[node])
        return;
    d->take[node] = false;
    refuse(&c, why->rule, -1, why->field, why->hint, why->limit, "%s", why->value);
    d->refusal_count++;
}

static int by_node(const void *a, const void *b)
{
    const struct refusal *x = a, *y = b;

    return x->host_node < y->host_node ? -1 : x->host_node > y->host_node;
}

void decision_sort(struct decision *d)
{
    if (d->refusal_count > 1)
        qsort(d->refusals, (size_t)d->refusal_count, sizeof d->refusals[0], by_node);
}

void decision_close(struct decision *d)
{
    arena_close(&d->arena);
    *d = (struct decision){ 0 };
}
