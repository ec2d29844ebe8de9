/* ADD becomes part of the convolution before it: the convolution adds the other operand before its
 * activation and writes the sum in the memory of that operand.  That saves a dispatch and the
 * memory of both results.  In fp16 the sum is rounded once instead of twice.
 *
 * The other operand must be computed before the convolution runs, and not be read after it. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/op_facts.h"

/* Whether the op's output may be a view: share the memory of an input. */
static bool is_view(const struct graph_node *n)
{
    const struct op_facts *facts = op_facts_find(n->code);

    return facts && facts->view;
}

/* Why the ADD is not part of the convolution that computes one of its operands. */
static bool decline(struct rewrite *w, int add, int conv, const char *why)
{
    rewrite_decline(w, add, "%s: %s", rewrite_node_name(w, conv).text, why);
    return false;
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
    if (t->producer >= conv)
        return decline(w, add, conv, "the other operand is computed after it");
    /* A node with several outputs has state among them, which must stay until the end. */
    if (t->producer >= 0 &&
        (is_view(&g->nodes[t->producer]) || g->nodes[t->producer].output_count != 1))
        return decline(w, add, conv, "the other operand has no memory of its own");
    if (rewrite_is_overwritten(w, tensor))
        return decline(w, add, conv, "another convolution overwrites the other operand");
    for (int use = w->last_use[tensor], times = 0; use >= 0; use = w->uses[use].next) {
        const int reader = w->uses[use].node;

        if (is_view(&g->nodes[reader]) || (reader == add ? ++times > 1 : reader >= conv))
            return decline(w, add, conv, "the other operand is read by a later node, or by a view");
    }
    return true;
}

/* The convolution that computes operand i of the ADD and can do the addition; -1: none. */
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

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    int conv = -1, i = 0;

    if (!n->op->adds)
        return STATUS_OK;
    for (; i < 2 && (conv = find_conv(w, node, i)) < 0; i++)
        ;
    if (conv < 0 || !rewrite_may(w, node))
        return STATUS_OK;
    TRY(rewrite_activation(w, conv, gpu_op_activation(n)));
    TRY(rewrite_name(w, conv, g->nodes[conv].name, n->name));
    rewrite_output(w, conv, 0, n->outputs[0]);
    rewrite_residual(w, conv, n->inputs[1 - i]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_residual = { .apply = apply };
