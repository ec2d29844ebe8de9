/* Rounding is a node of its own (ops/simulate.c) after the one that computes, until transform
 * rounding merges them.  A tensor that only the host reads has none: the CPU rounds when it
 * converts the output to integers. */
#include "delegate/transform/float_view.h"

#include "delegate/graph/gpu_op.h"
#include "reference/base/op_facts.h"

#include <string.h>

struct graph_steps float_view_steps(const struct graph_tensor *t)
{
    const bool is_signed = t->float_view_of == kTfLiteInt8;
    const int32_t zero = t->quant.zero_point[0];

    return (struct graph_steps){ .scale = t->quant.scale[0],
                                 .low = (float)((is_signed ? -128 : 0) - zero),
                                 .high = (float)((is_signed ? 127 : 255) - zero) };
}

bool float_view_is_rounding(const struct graph_node *n)
{
    return n->op == &gpu_simulate;
}

/* An i32 bias becomes f32.  Its scale is scale(input) * scale(weights[channel]), whatever its own
 * quantization parameters say, as in the CPU kernels. */
static enum status view_bias(struct rewrite *w, int node)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    const struct op_facts *facts = op_facts_find(n->code);
    const struct graph_quant *of_x, *of_w;
    const struct graph_tensor *b;
    float *values;
    int tensor;

    if (!facts || facts->bias == OP_NONE || !(b = graph_input(g, n, facts->bias)) ||
        b->type != kTfLiteInt32)
        return STATUS_OK;
    of_x = &graph_input(g, n, facts->first)->quant;
    of_w = &graph_input(g, n, facts->weights)->quant;
    if (!(values = ARENA_NEW(&w->graph.arena, b->elements, float)))
        return rewrite_no_memory(w);
    for (size_t i = 0; i < b->elements; i++)
        values[i] = (float)((double)of_x->scale[0] * of_w->scale[of_w->count > 1 ? i : 0] *
                            (double)graph_constant_int(g, n->inputs[facts->bias], i));
    TRY(rewrite_tensor(w, b, &tensor));
    g->tensors[tensor].type = kTfLiteFloat32;
    g->tensors[tensor].data = values;
    g->tensors[tensor].quant = (struct graph_quant){ 0 };
    rewrite_input(w, node, facts->bias, tensor);
    return STATUS_OK;
}

/* Whether all results of the node are multiples of the scale of output y without rounding.  RELU
 * clamps at the zero point; 6 and 1 may lie between two steps. */
static bool is_on_steps(const struct graph *g, const struct graph_node *n,
                        const struct graph_tensor *y)
{
    const TfLiteFusedActivation activation = gpu_op_activation(n);

    if (!n->op->selects || (activation != kTfLiteActNone && activation != kTfLiteActRelu))
        return false;
    for (int i = 0; i < n->input_count; i++) {
        const struct graph_tensor *x = n->inputs[i] >= 0 ? &g->tensors[n->inputs[i]] : NULL;

        if (x && x->quant.scale && (x->float_view_of != kTfLiteNoType || graph_is_8bit(x)) &&
            (x->quant.scale[0] != y->quant.scale[0] || x->quant.count != 1 ||
             x->quant.zero_point[0] != y->quant.zero_point[0]))
            return false;
    }
    return true;
}

/* Appends a node that rounds to tensor `rounded`, which `node` writes as output i: from now on
 * `node` writes to a new tensor. */
static enum status add_rounding(struct rewrite *w, int node, int i)
{
    struct graph *g = &w->graph;
    const int rounded = g->nodes[node].outputs[i];
    int unrounded;
    struct graph_node n = { .host_node = g->nodes[node].host_node,
                            .op = &gpu_simulate,
                            .code = gpu_simulate.code,
                            .version = 1,
                            .name = "QUANTIZE",
                            .input_count = 1,
                            .output_count = 1 };

    TRY(rewrite_tensor(w, &g->tensors[rounded], &unrounded));
    if (g->node_count == w->node_capacity)
        return rewrite_no_memory(w);
    n.inputs = arena_copy(&g->arena, &unrounded, 1, sizeof unrounded);
    n.outputs = arena_copy(&g->arena, &rounded, 1, sizeof rounded);
    if (!n.inputs || !n.outputs)
        return rewrite_no_memory(w);
    rewrite_output(w, node, i, unrounded);
    g->nodes[g->node_count++] = n;
    return STATUS_OK;
}

/* Appends the node, and those that round its results: the one of output 0 comes last. */
static enum status copy_rounded(struct rewrite *w, const struct graph_node *n)
{
    struct graph *g = &w->graph;
    const int node = g->node_count;

    g->nodes[g->node_count++] = *n;
    for (int j = 0; j < n->output_count; j++) {
        const int tensor = n->outputs[j];
        const struct graph_tensor *y = &g->tensors[tensor];

        if (y->float_view_of != kTfLiteNoType && w->readers[tensor] > 0 && !is_on_steps(g, n, y))
            TRY(add_rounding(w, node, j));
    }
    for (int a = node + 1, b = g->node_count - 1; a < b; a++, b--) {
        const struct graph_node moved = g->nodes[a];

        g->nodes[a] = g->nodes[b];
        g->nodes[b] = moved;
    }
    return STATUS_OK;
}

enum status float_view_make(struct rewrite *w)
{
    struct graph *g = &w->graph;
    const struct graph_node *const old = g->nodes;
    const int count = g->node_count;

    for (int i = 0; i < count; i++)
        TRY(view_bias(w, i));
    for (int t = 0; t < g->tensor_count; t++)
        if (graph_is_8bit(&g->tensors[t]) && !graph_is_constant(g, t) &&
            g->tensors[t].quant.scale) {
            g->tensors[t].float_view_of = g->tensors[t].type;
            g->tensors[t].type = kTfLiteFloat32;
        }
    if (!(g->nodes = ARENA_NEW(&g->arena, (size_t)w->node_capacity, struct graph_node)))
        return rewrite_no_memory(w);
    g->node_count = 0;
    for (int i = 0; i < count; i++)
        TRY(copy_rounded(w, &old[i]));
    return STATUS_OK;
}
