#include "delegate/transform/transform.h"

#include "delegate/transform/cut.h"
#include "delegate/transform/float_view.h"

#include <stdlib.h>

#define TRANSFORM(name, meaning) extern const struct transform transform_##name;
#include "delegate/graph/transforms.def"
#undef TRANSFORM

static const struct transform *const transforms[] = {
#define TRANSFORM(name, meaning) &transform_##name,
#include "delegate/graph/transforms.def"
#undef TRANSFORM
};

/* A firing may allow another; a graph that goes on for longer was made for it. */
enum { ROUNDS_MAX = 100 };

static enum status no_memory(const struct rewrite *w, const struct transform_request *r)
{
    return diag_fail(w->diag, STATUS_NO_MEMORY, "transforming %d nodes: out of memory",
                     r->node_count);
}

/* ---- the tensors of the partition ---- */

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return x < y ? -1 : x > y;
}

struct named {
    int *tensors;
    size_t count;
};

static void add_named(struct named *n, const struct graph *g, const int *list, int count)
{
    for (int i = 0; i < count; i++) {
        const int t = list[i];

        if (t < 0 || t >= g->tensor_count)
            continue;
        n->tensors[n->count++] = t;
        if (g->tensors[t].dequantized_from >= 0)
            n->tensors[n->count++] = g->tensors[t].dequantized_from;
    }
}

/* Sets w->host_tensor to the tensors that nodes of the partition name, and its outputs. */
static enum status find_tensors(struct rewrite *w, const struct transform_request *r)
{
    size_t room = (size_t)r->output_count;
    struct named named = { .count = 0 };
    int kept = 0;

    for (int i = 0; i < r->node_count; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);

        if (!n || !n->op)
            return diag_fail(w->diag, STATUS_INVALID,
                             "node %d: expected an accepted node of the graph", r->nodes[i]);
        room += (size_t)n->input_count + (size_t)n->output_count + (size_t)n->intermediate_count;
    }
    if (!(named.tensors = ARENA_NEW(&w->graph.arena, 2 * room, int)))
        return no_memory(w, r);
    add_named(&named, r->graph, r->outputs, r->output_count);
    for (int i = 0; i < r->node_count; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);

        add_named(&named, r->graph, n->inputs, n->input_count);
        add_named(&named, r->graph, n->outputs, n->output_count);
        add_named(&named, r->graph, n->intermediates, n->intermediate_count);
    }
    if (named.count > 1)
        qsort(named.tensors, named.count, sizeof(int), by_value);
    for (size_t i = 0; i < named.count; i++)
        if (kept == 0 || named.tensors[kept - 1] != named.tensors[i])
            named.tensors[kept++] = named.tensors[i];
    w->host_tensor = named.tensors;
    w->host_tensors = kept;
    return STATUS_OK;
}

/* A copy of the list with the indices of w. */
static const int *copy_list(struct rewrite *w, const int *list, int count)
{
    int *copy = arena_copy(&w->graph.arena, list, (size_t)count, sizeof *copy);

    for (int i = 0; copy && i < count; i++)
        copy[i] = copy[i] < 0 ? -1 : rewrite_find(w, copy[i]);
    return copy;
}

static enum status copy_node(struct rewrite *w, const struct transform_request *r,
                             const struct graph_node *n)
{
    struct graph_node *const to = &w->graph.nodes[w->graph.node_count];

    *to = *n;
    to->inputs = copy_list(w, n->inputs, n->input_count);
    to->outputs = copy_list(w, n->outputs, n->output_count);
    to->intermediates = copy_list(w, n->intermediates, n->intermediate_count);
    if (!to->inputs || !to->outputs || !to->intermediates)
        return no_memory(w, r);
    w->graph.node_count++;
    return STATUS_OK;
}

/* A transform adds at most one constant, or tensor, per node; float view adds a bias and unrounded
 * outputs, cuts what cut.h says.  *cuts: there are some. */
static void count_capacity(struct rewrite *w, const struct transform_request *r, bool *cuts)
{
    const bool float_view = r->options->quantized == QUANTIZED_FLOAT_VIEW;

    w->tensor_capacity = w->host_tensors;
    for (int i = 0; i < r->node_count; i++) {
        const struct graph_node *n = graph_find_node(r->graph, r->nodes[i]);
        const int outputs = float_view ? n->output_count : 0;
        struct gpu_table table;
        const int runs = cut_count(r->graph, n, r->options, r->limits, &table);
        const int nodes = runs > 1 ? runs + 1 : 1, inputs = n->input_count + runs - 1;

        *cuts |= runs > 1;
        w->node_capacity += nodes * (1 + outputs);
        w->tensor_capacity += nodes * (float_view ? outputs + 2 : 1) + (runs > 1 ? 5 * runs : 0);
        w->use_capacity += nodes * (inputs > USES_MIN ? inputs : USES_MIN);
        w->use_capacity += nodes * outputs * USES_MIN;
    }
}

static enum status copy_partition(struct rewrite *w, const struct transform_request *r)
{
    struct graph *g = &w->graph;
    bool cuts = false;

    TRY(find_tensors(w, r));
    count_capacity(w, r, &cuts);
    g->tensors = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, struct graph_tensor);
    g->nodes = ARENA_NEW(&g->arena, (size_t)w->node_capacity, struct graph_node);
    w->readers = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, int);
    w->exposed = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, bool);
    w->overwritten = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, bool);
    w->last_use = ARENA_NEW(&g->arena, (size_t)w->tensor_capacity, int);
    w->first_use = ARENA_NEW(&g->arena, (size_t)w->node_capacity, int);
    w->uses = ARENA_NEW(&g->arena, (size_t)w->use_capacity, struct rewrite_use);
    if (!g->tensors || !g->nodes || !w->readers || !w->exposed || !w->overwritten || !w->last_use ||
        !w->first_use || !w->uses)
        return no_memory(w, r);
    for (int i = 0; i < w->host_tensors; i++) {
        struct graph_tensor *const t = &g->tensors[i];

        *t = r->graph->tensors[w->host_tensor[i]];
        if (t->dequantized_from >= 0)
            t->dequantized_from = rewrite_find(w, t->dequantized_from);
    }
    g->tensor_count = w->host_tensors;
    for (int i = 0; i < r->node_count; i++)
        TRY(copy_node(w, r, graph_find_node(r->graph, r->nodes[i])));
    for (int i = 0; i < r->output_count; i++) {
        const int t = rewrite_find(w, r->outputs[i]);

        if (t >= 0)
            w->exposed[t] = true;
    }
    rewrite_link(w);
    if (cuts) {
        TRY(cut_make(w));
        rewrite_link(w);
    }
    return STATUS_OK;
}

/* ---- the transforms ---- */

enum status transform_apply(struct rewrite *w, enum transform_id id, bool *changed)
{
    const struct transform *const t = transforms[id];
    const int count = w->graph.node_count;
    bool any = false;

    w->applying = id;
    for (int k = 0; k < count; k++) {
        const int i = t->backwards ? count - 1 - k : k;
        bool fired = true;

        while (fired && w->graph.nodes[i].op) {
            fired = false;
            TRY(t->apply(w, i, &fired));
            w->applied[id] += fired;
            any |= fired;
        }
    }
    if (any)
        rewrite_link(w);
    *changed |= any;
    return STATUS_OK;
}

static enum status apply_all(struct rewrite *w, bool last, bool *changed)
{
    for (int t = 0; t < TRANSFORM_COUNT; t++)
        if (transforms[t]->last == last && (w->reasons || !(w->options->no_transform & 1u << t)))
            TRY(transform_apply(w, (enum transform_id)t, changed));
    return STATUS_OK;
}

enum status transform_partition(struct rewrite *w, const struct transform_request *request,
                                struct diag *diag)
{
    bool changed = true;
    enum status s;

    *w = (struct rewrite){ .options = request->options,
                           .limits = request->limits,
                           .diag = diag,
                           .reasons = request->reasons };
    s = copy_partition(w, request);
    if (s == STATUS_OK && request->options->quantized == QUANTIZED_FLOAT_VIEW &&
        (s = float_view_make(w)) == STATUS_OK)
        rewrite_link(w);
    /* Each firing removes a node, or changes one in a way that none reverts. */
    for (int round = 0; s == STATUS_OK && changed && round < ROUNDS_MAX; round++) {
        changed = false;
        /* The last round, in which none fires, tells why of each. */
        if (w->reasons)
            reasons_clear(w->reasons);
        s = apply_all(w, false, &changed);
    }
    if (s == STATUS_OK)
        s = apply_all(w, true, &changed);
    if (s != STATUS_OK)
        rewrite_close(w);
    return s;
}
