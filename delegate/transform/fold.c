/* Nodes whose data inputs are all constants: their results are computed once, in f32, and their
 * readers read constants, as they do after a DEQUANTIZE of f16 weights.  Only ops with
 * gpu_op.fold, whose results are the CPU's bit for bit.
 *
 * This happens before the nodes are decided on, since the ops require an input that is computed at
 * run time.  gpu_op.accept checks shapes and parameters of a node as if its data were. */
#include "delegate/transform/fold.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/graph/shapes.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/limits.h"
#include "reference/base/op_facts.h"

/* How many of the first inputs are data, not a shape or paddings. */
static int data_inputs(const struct graph_node *n)
{
    const struct op_facts *facts = op_facts_find(n->code);

    return !facts ? 0 : facts->data == OP_ALL ? n->input_count : facts->data;
}

static bool is_constant_float(const struct graph *g, int tensor)
{
    return tensor >= 0 && graph_is_constant(g, tensor) && g->tensors[tensor].rank >= 0 &&
           g->tensors[tensor].type == kTfLiteFloat32;
}

/* Whether the op accepts the node as if its data inputs were computed at run time: then its shapes
 * and parameters are valid.  The output of a node behind the delegate's may still have the shape of
 * before a resize: the host prepares that node later. */
static enum status accepts(struct graph *g, const struct graph_node *n,
                           const struct gpu_options *options, const struct device_limits *limits,
                           bool *yes, struct diag *diag)
{
    const size_t count = (size_t)data_inputs(n);
    struct arena arena = { 0 };
    struct graph_tensor *saved = ARENA_NEW(&arena, count, struct graph_tensor);
    struct refusal refusal;
    struct graph_shape shape;
    struct check c = {
        .graph = g, .node = n, .options = options, .limits = limits, .refusal = &refusal
    };

    if (!saved)
        return diag_fail(diag, STATUS_NO_MEMORY, "folding node %d: out of memory", n->host_node);
    /* One tensor may be several inputs: save all before changing any. */
    for (size_t i = 0; i < count; i++)
        saved[i] = g->tensors[n->inputs[i]];
    for (size_t i = 0; i < count; i++) {
        g->tensors[n->inputs[i]].data = NULL;
        g->tensors[n->inputs[i]].dequantized_from = -1;
    }
    *yes = n->op->accept(&c) && shapes_of_output(g, n, 0, &shape) &&
           shapes_are(graph_output(g, n, 0), &shape);
    for (size_t i = 0; i < count; i++)
        g->tensors[n->inputs[i]] = saved[i];
    arena_close(&arena);
    return STATUS_OK;
}

/* *folded: bytes of all constants that were folded; a few bytes of a file can make them huge. */
static bool can_fold(const struct graph *g, const struct graph_node *n,
                     const struct device_limits *limits, uint64_t *folded)
{
    const struct graph_tensor *y;
    size_t bytes;
    int count;

    if (!n->op || !n->op->fold)
        return false;
    count = data_inputs(n);
    if (count == 0 || count > n->input_count || n->output_count != 1 || n->version < 1 ||
        n->version > n->op->max_version)
        return false;
    for (int i = 0; i < count; i++)
        if (!is_constant_float(g, n->inputs[i]))
            return false;
    y = &g->tensors[n->outputs[0]];
    if (y->type != kTfLiteFloat32 || y->elements == 0 || y->is_variable || y->is_dynamic ||
        y->data || !graph_tensor_fits(y, limits, &bytes) ||
        *folded + bytes > limit_of(LIMIT_FOLDED_BYTES))
        return false;
    *folded += bytes;
    return true;
}

enum status fold_constants(struct graph *g, const struct gpu_options *options,
                           const struct device_limits *limits, struct diag *diag)
{
    const float behind = -1.234e-34F;
    uint64_t folded = 0;

    if (options->no_transform & 1u << TRANSFORM_fold)
        return STATUS_OK;
    for (int i = 0; i < g->node_count; i++) {
        struct graph_node *n = &g->nodes[i];
        struct graph_tensor *y;
        float *values;
        bool yes;

        if (!can_fold(g, n, limits, &folded))
            continue;
        TRY(accepts(g, n, options, limits, &yes, diag));
        if (!yes)
            continue;
        y = &g->tensors[n->outputs[0]];
        if (!(values = ARENA_NEW(&g->arena, y->elements + 1, float)))
            return diag_fail(diag, STATUS_NO_MEMORY, "folding node %d: out of memory",
                             n->host_node);
        /* What lies behind is the next array of the arena: no sanitizer sees a write there. */
        values[y->elements] = behind;
        n->op->fold(g, n, values);
        if (values[y->elements] != behind)
            return diag_fail(diag, STATUS_DEVICE,
                             "folding node %d: expected %zu values, found more", n->host_node,
                             y->elements);
        y->data = values;
        n->folded = true;
    }
    return STATUS_OK;
}

/* In a partition, nodes that compute a constant (folded ones, DEQUANTIZE of a constant) have
 * nothing to compute. */
static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph_node *n = &w->graph.nodes[node];

    for (int i = 0; i < n->output_count; i++)
        if (!graph_is_constant(&w->graph, n->outputs[i]))
            return STATUS_OK;
    if (!rewrite_may(w, node))
        return STATUS_OK;
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_fold = { .apply = apply };
