#include "delegate/graph/chain.h"

#include <string.h>

bool chain_is_made(const struct graph_node *n)
{
    return n->op == &gpu_chain;
}

bool chain_is_link(const struct graph *g, const struct graph_node *n)
{
    return (n->op->link || chain_is_made(n)) && graph_output(g, n, 0)->type == kTfLiteFloat32 &&
           n->steps.scale == 0 && !graph_is_quantized(g, n);
}

/* The number of the tensor among the inputs of the chain, which it joins; -1: there are too many.
 */
static int add_input(const struct graph *g, struct chain *c, int tensor)
{
    for (int i = 0; i < c->input_count; i++)
        if (c->inputs[i] == tensor)
            return i;
    if (c->input_count == CHAIN_INPUTS ||
        (!graph_is_constant(g, tensor) && chain_tensors(g, c) == CHAIN_TENSORS))
        return -1;
    c->inputs[c->input_count] = tensor;
    return c->input_count++;
}

bool chain_append(const struct graph *g, struct chain *c, const struct graph_node *n, int i)
{
    struct chain_link link = { .node = *n, .beside = -1 };

    if (n->input_count == 2) {
        link.beside = add_input(g, c, n->inputs[1 - i]);
        link.beside_first = i == 1;
        if (link.beside < 0)
            return false;
    }
    c->links[c->count++] = link;
    return true;
}

struct chain chain_of_node(const struct graph *g, const struct graph_node *n)
{
    struct chain c = { .input_count = 1 };
    int start = 0;

    if (chain_is_made(n)) {
        c = *(const struct chain *)n->params;
        memcpy(c.inputs, n->inputs, (size_t)c.input_count * sizeof c.inputs[0]);
        return c;
    }
    /* Of two operands a constant has no binding of its own. */
    if (n->input_count == 2 && graph_is_constant(g, n->inputs[0]))
        start = 1;
    c.inputs[0] = n->inputs[start];
    (void)chain_append(g, &c, n, start);
    return c;
}

int chain_tensors(const struct graph *g, const struct chain *c)
{
    int count = 0;

    for (int i = 0; i < c->input_count; i++)
        count += !graph_is_constant(g, c->inputs[i]);
    return count;
}

/* ---- layout ---- */

/* Dim d of a tensor that is aligned to `rank` dims at the last one. */
static int32_t dim_at(const struct graph_tensor *t, int rank, int d)
{
    d -= rank - t->rank;
    return d < 0 ? 1 : t->dims[d];
}

static bool has_dims_of(const struct graph_tensor *t, const struct graph_tensor *y)
{
    for (int d = 0; d < y->rank; d++)
        if (dim_at(t, y->rank, d) != y->dims[d])
            return false;
    return true;
}

/* Dim d of y joins the innermost groups, or begins a new one. */
static void add_dim(struct chain_layout *l, const struct graph_tensor *const *inputs, int count,
                    const struct graph_tensor *y, int d, uint32_t pitch[])
{
    const uint32_t size = (uint32_t)y->dims[d], last = l->groups - 1;
    bool joins = l->groups > 0;

    for (int i = 0; i < count && joins; i++)
        joins = (l->stride[i][last] == 0) == (dim_at(inputs[i], y->rank, d) == 1);
    if (joins) {
        l->size[last] *= size;
    } else {
        for (int i = 0; i < count; i++)
            l->stride[i][l->groups] = dim_at(inputs[i], y->rank, d) == 1 ? 0 : pitch[i];
        l->size[l->groups++] = size;
    }
    for (int i = 0; i < count; i++)
        pitch[i] *= (uint32_t)dim_at(inputs[i], y->rank, d);
}

struct chain_layout chain_layout_of(const struct graph *g, const struct chain *c, int result)
{
    const struct graph_tensor *const y = &g->tensors[result], *inputs[CHAIN_INPUTS];
    struct chain_layout l = { .groups = 0 };
    uint32_t pitch[CHAIN_INPUTS];
    bool flat = true;

    for (int i = 0; i < c->input_count; i++) {
        const struct graph_tensor *const t = inputs[i] = &g->tensors[c->inputs[i]];
        const uint32_t channels = t->rank == 0 ? 1 : (uint32_t)t->dims[t->rank - 1];

        l.one_channel[i] = channels == 1 && !has_dims_of(t, y);
        pitch[i] = channels / 4 + (channels % 4 != 0);
        flat &= t->elements == 1 || has_dims_of(t, y);
    }
    for (int d = y->rank - 2; d >= 0 && !flat; d--)
        if (y->dims[d] != 1)
            add_dim(&l, inputs, c->input_count, y, d, pitch);
    return l;
}

int chain_layout_words(const struct chain *c, const struct chain_layout *l)
{
    const int groups = (int)l->groups;

    return (groups > 0 ? groups - 1 : 0) + c->input_count * (groups + 1);
}
