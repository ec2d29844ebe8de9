#include "delegate/graph/shapes.h"

#include "delegate/graph/gpu_op.h"
#include "reference/base/checked.h"

#include <string.h>

bool shapes_of_output(const struct graph *g, const struct graph_node *n, int i,
                      struct graph_shape *s)
{
    const struct graph_tensor *x;

    *s = (struct graph_shape){ 0 };
    if (n->op->shape)
        return n->op->shape(g, n, i, s);
    x = graph_input(g, n, 0);
    if (!x || x->rank < 0)
        return false;
    s->rank = x->rank;
    memcpy(s->dims, x->dims, sizeof s->dims);
    return true;
}

bool shapes_are(const struct graph_tensor *t, const struct graph_shape *s)
{
    return t->rank == s->rank &&
           (s->rank <= 0 || memcmp(t->dims, s->dims, (size_t)s->rank * sizeof s->dims[0]) == 0);
}

static enum status set(struct graph_tensor *t, const struct graph_shape *s,
                       const struct graph_node *n, struct diag *diag)
{
    if (!checked_elements(s->dims, (size_t)s->rank, &t->elements))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "node %d (%s): '%s' has a negative dimension, or more elements than can "
                         "be counted",
                         n->host_node, n->name, t->name);
    t->rank = s->rank;
    memcpy(t->dims, s->dims, sizeof s->dims);
    if (t->quant.count == 1)
        t->quant.inner = t->elements > 0 ? t->elements : 1;
    return STATUS_OK;
}

enum status shapes_infer(struct graph *g, const struct graph_node *n, struct diag *diag)
{
    struct graph_shape s;

    for (int i = 0; i < n->output_count; i++) {
        if (!shapes_of_output(g, n, i, &s))
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "node %d (%s): no output has a shape that follows from these inputs",
                             n->host_node, n->name);
        TRY(set(&g->tensors[n->outputs[i]], &s, n, diag));
    }
    return STATUS_OK;
}
