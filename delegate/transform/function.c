/* HARD_SWISH, LOGISTIC, x * LOGISTIC(x), and the hard sigmoid that Keras makes of ADD, RELU6 and
 * MUL become the activation of the node that computes their input, if no other node reads it.  fp32
 * has the same bits; in fp16 what lies between is not rounded to f16.  On an H200 each dispatch
 * that is saved is 2 us at least. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

/* Nothing but the function reads its tensor. */
static bool only_reader(const struct rewrite *w, int node, const struct gpu_function *f)
{
    int readers = 0;

    for (int use = w->last_use[f->of]; use >= 0; use = w->uses[use].next, readers++)
        if (w->uses[use].node != node && w->uses[use].node != f->through)
            return false;
    if (f->through >= 0 && rewrite_only_reader(w, w->graph.nodes[f->through].outputs[0]) != node)
        return false;
    return readers == w->readers[f->of] && !w->exposed[f->of];
}

/* The node that computes the tensor can apply a function to it. */
static bool takes_function(const struct graph *g, const struct graph_node *n, int tensor)
{
    return n->op->has_activation && gpu_op_activation(n) == kTfLiteActNone &&
           n->output_count == 1 && n->steps.scale == 0 && !graph_is_quantized(g, n) &&
           g->tensors[tensor].type == kTfLiteFloat32;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    const struct graph_tensor *y = graph_output(g, n, 0);
    struct gpu_function f;
    int producer;

    if (!n->op->function)
        return STATUS_OK;
    if (graph_is_quantized(g, n) || n->steps.scale > 0)
        return rewrite_decline(w, node, "quantized: it is computed, or rounded, in integers");
    f = n->op->function(g, n);
    if (f.activation == 0)
        return STATUS_OK;
    if ((producer = g->tensors[f.of].producer) < 0)
        return rewrite_decline(w, node, "no node of the partition computes its input");
    if (!takes_function(g, &g->nodes[producer], f.of))
        return rewrite_decline(w, node, "%s takes no activation, or has one",
                               rewrite_node_name(w, producer).text);
    if (!only_reader(w, node, &f))
        return rewrite_decline(w, node, "the result of %s is read elsewhere, too",
                               rewrite_node_name(w, producer).text);
    if (y->type != g->tensors[f.of].type || !graph_same_shape(&g->tensors[f.of], y))
        return rewrite_decline(w, node, "its input has another shape");
    if (!rewrite_may(w, node))
        return STATUS_OK;
    TRY(rewrite_activation(w, producer, (TfLiteFusedActivation)f.activation));
    TRY(rewrite_name(w, producer, g->nodes[producer].name,
                     f.through < 0 ? n->name : g->nodes[f.through].name));
    if (f.through >= 0)
        TRY(rewrite_name(w, producer, g->nodes[producer].name, n->name));
    rewrite_output(w, producer, 0, n->outputs[0]);
    if (f.through >= 0)
        rewrite_remove(w, f.through);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_function = { .apply = apply };
