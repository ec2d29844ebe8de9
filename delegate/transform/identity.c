/* Removes nodes whose result equals an input bit for bit, as gpu_op.kept_input says, and a RESHAPE
 * that only another RESHAPE reads. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/float_view.h"
#include "delegate/transform/rewrite.h"

/* The input that equals the result in bits, shape, type and scale; -1: none. */
static int kept_input(struct rewrite *w, int node)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    int i;

    if (!n->op->kept_input || n->steps.scale > 0 ||
        (graph_is_quantized(g, n) && !n->op->same_quant && !n->op->selects && !n->in_floats))
        return -1;
    i = n->op->kept_input(g, n);
    if (i < 0 || graph_input(g, n, i)->type != graph_output(g, n, 0)->type ||
        !graph_same_shape(graph_input(g, n, i), graph_output(g, n, 0)))
        return -1;
    if (graph_is_quantized(g, n) &&
        !graph_same_quant(graph_input(g, n, i), graph_output(g, n, 0))) {
        rewrite_decline(w, node, "its input has another scale or zero point");
        return -1;
    }
    if (graph_is_constant(g, n->inputs[i])) {
        rewrite_decline(w, node, "its input is a constant");
        return -1;
    }
    return i;
}

/* Removes a RESHAPE that only another RESHAPE reads. */
static enum status skip_reshape(struct rewrite *w, int node, bool *fired)
{
    const struct graph_node *n = &w->graph.nodes[node];
    const int reader = rewrite_only_reader(w, n->outputs[0]);

    if (!n->op->reshapes || reader < 0 || !w->graph.nodes[reader].op->reshapes ||
        w->graph.nodes[reader].inputs[0] != n->outputs[0])
        return STATUS_OK;
    if (rewrite_is_overwritten(w, n->inputs[0]))
        return rewrite_decline(w, node, "a convolution overwrites its input");
    if (!rewrite_may(w, node))
        return STATUS_OK;
    rewrite_input(w, reader, 0, n->inputs[0]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    const int i = kept_input(w, node);
    int from, to;

    if (i < 0)
        return skip_reshape(w, node, fired);
    from = n->inputs[i];
    to = n->outputs[0];
    if (rewrite_is_overwritten(w, from) || rewrite_is_overwritten(w, to))
        return rewrite_decline(w, node, "a convolution overwrites its input, or its result");
    if (!w->exposed[to]) {
        if (!rewrite_may(w, node))
            return STATUS_OK;
        rewrite_redirect(w, to, from);
    } else {
        /* The result is an output of the partition: the producer of the input writes it instead. */
        const int producer = g->tensors[from].producer;
        int output = 0;

        if (producer < 0 || w->exposed[from])
            return rewrite_decline(w, node,
                                   "its input and its result are inputs or outputs of the "
                                   "partition");
        /* A rounding takes its steps from its output, which would now be those of the result. */
        if (float_view_is_rounding(&g->nodes[producer]) &&
            !graph_same_quant(&g->tensors[from], &g->tensors[to]))
            return rewrite_decline(w, node, "float view: its input is rounded to other steps");
        if (!rewrite_may(w, node))
            return STATUS_OK;
        while (g->nodes[producer].outputs[output] != from)
            output++;
        rewrite_output(w, producer, output, to);
        rewrite_redirect(w, from, to);
    }
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_identity = { .apply = apply };
