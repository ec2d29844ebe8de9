/* A run of elementwise nodes of floats, each of which alone reads the result of the one before,
 * becomes one node, a chain: LayerNorm's SUB, MUL, MUL and ADD, or GELU by parts.  The values
 * between stay in registers.  What nodes read beside them are constants, and CHAIN_TENSORS tensors
 * with the one where the chain begins, of the shape of the result or broadcast to it.
 *
 * Results have the same bits in both precisions where the driver compiles an op alike in a chain
 * and alone, as lavapipe does: between two links a value is rounded to f16 where it would have been
 * stored as f16, and no product and sum of two links are rounded as one.
 *
 * The value must have the result's shape from the first link on.  Were it broadcast in between,
 * each element of it would be computed many times. */
#include "delegate/graph/chain.h"
#include "delegate/transform/rewrite.h"

/* Why the links of `before` do not come before node `n`, which reads their result as input i, in a
 * chain; NULL: they do, and *c is the chain. */
static const char *obstacle(const struct rewrite *w, const struct graph_node *before,
                            const struct graph_node *n, int i, struct chain *c)
{
    const struct graph *g = &w->graph;
    struct chain_layout layout;

    if (!graph_same_shape(graph_output(g, before, 0), graph_output(g, n, 0)))
        return "its result is broadcast";
    *c = chain_of_node(g, before);
    for (int k = 0; k < c->input_count; k++)
        if (rewrite_is_overwritten(w, c->inputs[k]) || g->tensors[c->inputs[k]].is_variable)
            return "an operand is overwritten later, or state";
    if (c->count == CHAIN_MAX)
        return "it is a chain of 8 ops";
    if (!chain_append(g, c, n, i))
        return "both have more than 9 inputs, or 2 that are computed";
    layout = chain_layout_of(g, c, n->outputs[0]);
    return chain_layout_words(c, &layout) > CHAIN_LAYOUT_MAX
               ? "operands are broadcast in too many ways"
               : NULL;
}

/* The node that computes input i and joins this one in a chain; -1: none, with the reason. */
static int find_before(struct rewrite *w, int node, int i, struct chain *c)
{
    const struct graph *g = &w->graph;
    const struct graph_node *const n = &g->nodes[node];
    const int before = g->tensors[n->inputs[i]].producer;
    const char *why;

    if (before < 0 || !chain_is_link(g, &g->nodes[before]) ||
        !rewrite_reads_alone(w, node, n->inputs[i]))
        return -1;
    if (!(why = obstacle(w, &g->nodes[before], n, i, c)))
        return before;
    rewrite_decline(w, node, "%s: %s", rewrite_node_name(w, before).text, why);
    return -1;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    struct graph_node *const n = &w->graph.nodes[node];
    int producer = -1;
    struct chain c;

    if (chain_is_made(n) || !chain_is_link(g, n))
        return STATUS_OK;
    for (int i = 0; i < n->input_count && producer < 0; i++)
        producer = find_before(w, node, i, &c);
    if (producer < 0 || !rewrite_may(w, node))
        return STATUS_OK;
    TRY(rewrite_name(w, node, g->nodes[producer].name, n->name));
    rewrite_remove(w, producer);
    TRY(rewrite_chain(w, node, &c));
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_chain = { .apply = apply, .last = true };
