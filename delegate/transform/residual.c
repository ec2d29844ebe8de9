/* ADD becomes part of the product before it, a convolution or FULLY_CONNECTED, which adds the other
 * operand before its activation and writes the sum in the memory of that operand.  That saves a
 * dispatch and the memory of both results.  In fp16 the sum is rounded once instead of twice.
 *
 * The other operand must be computed before the product runs, and not be read after it.  Where two
 * products are added, the end of a residual branch and its shortcut, the one whose inputs are
 * computed last does the addition, and the other one takes its place, should it come later: so the
 * shortcut depends on nothing in the branch, and runs beside it (plan/schedule.c). */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/op_facts.h"

/* Whether the op's output may be a view: share the memory of an input. */
static bool is_view(const struct graph_node *n)
{
    const struct op_facts *facts = op_facts_find(n->code);

    return facts && facts->view;
}

/* Why the ADD is not part of the product that computes one of its operands. */
static bool decline(struct rewrite *w, int add, int conv, const char *why)
{
    rewrite_decline(w, add, "%s: %s", rewrite_node_name(w, conv).text, why);
    return false;
}

/* The last node that computes an input of this one; -1: all are there from the start. */
static int last_producer(const struct graph *g, int node)
{
    int last = -1;

    for (int i = 0; i < g->nodes[node].input_count; i++) {
        const int tensor = g->nodes[node].inputs[i];

        if (tensor >= 0 && g->tensors[tensor].producer > last)
            last = g->tensors[tensor].producer;
    }
    return last;
}

/* What the node reads is the same at any time after it was computed. */
static bool reads_what_stays(const struct rewrite *w, int node)
{
    const struct graph_node *n = &w->graph.nodes[node];

    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 &&
            (rewrite_is_overwritten(w, n->inputs[i]) || w->graph.tensors[n->inputs[i]].is_variable))
            return false;
    return true;
}

/* The product, whose result the ADD alone reads, may come later, and the node that computes the
 * other operand may take its place. */
static bool may_change_places(const struct rewrite *w, int conv, int other)
{
    const struct graph_node *n = &w->graph.nodes[other];

    return n->op->takes_residual && !n->has_residual && last_producer(&w->graph, other) < conv &&
           reads_what_stays(w, conv) && reads_what_stays(w, other);
}

/* Node `conv` may overwrite `tensor`: it is computed before, in its own memory, and from there on
 * only node `add` reads it. */
static bool can_overwrite(struct rewrite *w, int tensor, int conv, int add)
{
    const struct graph *g = &w->graph;
    const struct graph_tensor *t = &g->tensors[tensor];

    if (w->exposed[tensor])
        return decline(w, add, conv, "the other operand is an output of the partition");
    if (graph_is_constant(g, tensor) || t->is_variable)
        return decline(w, add, conv, "the other operand is a constant, or state");
    if (t->producer >= conv && !may_change_places(w, conv, t->producer))
        return decline(w, add, conv, "the other operand is computed after it");
    /* A node with several outputs has state among them, which must stay until the end. */
    if (t->producer >= 0 &&
        (is_view(&g->nodes[t->producer]) || g->nodes[t->producer].output_count != 1))
        return decline(w, add, conv, "the other operand has no memory of its own");
    if (rewrite_is_overwritten(w, tensor))
        return decline(w, add, conv, "another product overwrites the other operand");
    for (int use = w->last_use[tensor], times = 0; use >= 0; use = w->uses[use].next) {
        const int reader = w->uses[use].node;

        if (is_view(&g->nodes[reader]) || (reader == add ? ++times > 1 : reader >= conv))
            return decline(w, add, conv, "the other operand is read by a later node, or by a view");
    }
    return true;
}

/* The product that computes operand i of the ADD and can do the addition; -1: none. */
static int find_conv(struct rewrite *w, int add, int i)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[add];
    const struct graph_tensor *sum = graph_output(g, n, 0);
    const int conv = g->tensors[n->inputs[i]].producer, other = n->inputs[1 - i];

    bool may = true;

    if (conv < 0 || !g->nodes[conv].op->takes_residual)
        return -1;
    if (graph_is_quantized(g, n))
        may = decline(w, add, conv, "quantized: both are computed in integers");
    else if (n->steps.scale > 0 || g->nodes[conv].steps.scale > 0)
        may = decline(w, add, conv, "float view: a result is rounded to quantization steps");
    else if (g->nodes[conv].has_residual)
        may = decline(w, add, conv, "it adds another tensor already");
    else if (!g->nodes[conv].op->takes_residual(g, &g->nodes[conv]))
        may = decline(w, add, conv, "it has an activation, or groups");
    else
        may = rewrite_reads_alone(w, add, n->inputs[i]) && can_overwrite(w, other, conv, add);
    for (int k = 0; k < 2 && may; k++)
        if (g->tensors[n->inputs[k]].type != sum->type ||
            !graph_same_shape(&g->tensors[n->inputs[k]], sum))
            may = decline(w, add, conv, "the operands of the sum have different shapes");
    return may ? conv : -1;
}

/* The operand of the ADD whose producer has its inputs last. */
static int last_operand(const struct graph *g, const struct graph_node *add)
{
    const int a = g->tensors[add->inputs[0]].producer, b = g->tensors[add->inputs[1]].producer;

    return a >= 0 && b >= 0 && last_producer(g, b) > last_producer(g, a);
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    int conv, other, i;

    if (!n->op->adds)
        return STATUS_OK;
    i = last_operand(g, n);
    if ((conv = find_conv(w, node, i)) < 0)
        conv = find_conv(w, node, i = 1 - i);
    if (conv < 0 || !rewrite_may(w, node))
        return STATUS_OK;
    other = g->tensors[n->inputs[1 - i]].producer;
    if (other > conv) {
        rewrite_swap(w, conv, other);
        conv = other;
    }
    TRY(rewrite_activation(w, conv, gpu_op_activation(n)));
    TRY(rewrite_name(w, conv, g->nodes[conv].name, n->name));
    rewrite_output(w, conv, 0, n->outputs[0]);
    rewrite_residual(w, conv, n->inputs[1 - i]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_residual = { .apply = apply };
