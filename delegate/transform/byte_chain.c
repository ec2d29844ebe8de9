/* Elementwise nodes of floats between DEQUANTIZE and QUANTIZE, as SQUARED_DIFFERENCE or RSQRT of a
 * model of which a converter has quantized what it could, become one node, a chain (chain.c) whose
 * tensors are 8-bit ones: floats never leave registers.  Results have the same bits in both
 * precisions, as those of transform chain have. */
#include "delegate/graph/chain.h"
#include "delegate/transform/rewrite.h"

/* The node that dequantizes the tensor; -1: none. */
static int dequantize_of(const struct rewrite *w, int tensor)
{
    const struct graph *g = &w->graph;
    const int producer = g->tensors[tensor].producer;
    int x;

    if (producer < 0 || !g->nodes[producer].op->dequantizes)
        return -1;
    x = g->nodes[producer].inputs[0];
    return graph_is_8bit(&g->tensors[x]) && rewrite_stays(w, x) ? producer : -1;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    int producer, dequantize[CHAIN_INPUTS];
    struct chain c;

    if (!n->op->quantizes || graph_input(g, n, 0)->type != kTfLiteFloat32 ||
        !graph_is_8bit(graph_output(g, n, 0)) || (producer = graph_input(g, n, 0)->producer) < 0 ||
        !chain_is_link(g, &g->nodes[producer]))
        return STATUS_OK;
    c = chain_of_node(g, &g->nodes[producer]);
    for (int k = 0; k < c.input_count; k++) {
        dequantize[k] = -1;
        if (graph_is_constant(g, c.inputs[k]))
            continue;
        if ((dequantize[k] = dequantize_of(w, c.inputs[k])) < 0)
            return rewrite_decline(w, node, "not all operands of %s are dequantized",
                                   rewrite_node_name(w, producer).text);
        c.inputs[k] = g->nodes[dequantize[k]].inputs[0];
    }
    if (!rewrite_reads_alone(w, node, n->inputs[0]) || !rewrite_may(w, node))
        return STATUS_OK;
    TRY(rewrite_name(w, producer, g->nodes[producer].name, n->name));
    TRY(rewrite_chain(w, producer, &c));
    rewrite_output(w, producer, 0, n->outputs[0]);
    rewrite_remove(w, node);
    for (int k = 0; k < c.input_count; k++)
        if (dequantize[k] >= 0) {
            const int floats = g->nodes[dequantize[k]].outputs[0];

            if (w->readers[floats] == 0 && !w->exposed[floats])
                rewrite_remove(w, dequantize[k]);
        }
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_byte_chain = { .apply = apply, .last = true };
