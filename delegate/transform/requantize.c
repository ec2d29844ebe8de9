/* A QUANTIZE of what DEQUANTIZE gives reads the 8-bit tensor itself: a table of 256 results (or
 * nothing, by transform identity).  Behind a node that only moves floats, as the MIRROR_PAD of a
 * model of which a converter has quantized what it could, it comes first, so that integers are
 * moved.  In f32 results have the same bits; in f16 nothing is rounded to f16 in between. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

/* The node moves the elements of its only float, whatever they are, and makes none fewer. */
static bool is_move(const struct graph *g, const struct graph_node *n)
{
    if (!n->op->exact || n->op->exact->accept || n->op->exact->plan || !n->op->same_quant ||
        !n->op->selects || n->op->has_activation || n->output_count != 1)
        return false;
    for (int i = 1; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && g->tensors[n->inputs[i]].type == kTfLiteFloat32)
            return false;
    return graph_input(g, n, 0)->elements <= graph_output(g, n, 0)->elements;
}

static enum status swap(struct rewrite *w, int node, int before)
{
    const struct graph *g = &w->graph;
    const int x = g->nodes[before].inputs[0], y = g->nodes[node].outputs[0];
    int moved;

    TRY(rewrite_tensor(w, &g->tensors[x], &moved));
    g->tensors[moved].type = g->tensors[y].type;
    g->tensors[moved].quant = g->tensors[y].quant;
    rewrite_input(w, node, 0, x);
    rewrite_output(w, node, 0, moved);
    rewrite_input(w, before, 0, moved);
    rewrite_output(w, before, 0, y);
    rewrite_swap(w, before, node);
    return STATUS_OK;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    struct graph_node *const n = &w->graph.nodes[node];
    const struct graph_node *before;
    int producer, x;

    if (!n->op->quantizes || graph_input(g, n, 0)->type != kTfLiteFloat32 ||
        !graph_is_8bit(graph_output(g, n, 0)) || (producer = graph_input(g, n, 0)->producer) < 0)
        return STATUS_OK;
    before = &g->nodes[producer];
    x = before->inputs[0];
    if (!before->op->dequantizes && !is_move(g, before))
        return STATUS_OK;
    if (!rewrite_stays(w, x))
        return rewrite_decline(w, node,
                               "the input of %s is overwritten later, a constant, or state",
                               rewrite_node_name(w, producer).text);
    if (before->op->dequantizes) {
        if (!graph_is_8bit(&g->tensors[x]) || !rewrite_may(w, node))
            return STATUS_OK;
        rewrite_input(w, node, 0, x);
        n->in_floats = true;
    } else {
        if (!rewrite_reads_alone(w, node, n->inputs[0]) || !rewrite_may(w, node))
            return STATUS_OK;
        TRY(swap(w, node, producer));
    }
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_requantize = { .apply = apply };
