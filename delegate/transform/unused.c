/* Removes nodes whose outputs are not read, but those with state, which the next inference reads.
 */
#include "delegate/transform/rewrite.h"

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph_node *n = &w->graph.nodes[node];

    for (int i = 0; i < n->output_count; i++)
        if (w->readers[n->outputs[i]] > 0 || w->exposed[n->outputs[i]])
            return STATUS_OK;
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && w->graph.tensors[n->inputs[i]].is_variable)
            return rewrite_decline(w, node, "it has state, which the next inference reads");
    if (!rewrite_may(w, node))
        return STATUS_OK;
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

/* Backwards, since the node before may have had no other reader. */
const struct transform transform_unused = { .apply = apply, .backwards = true };
