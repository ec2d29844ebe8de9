#include "delegate/transform/rewrite.h"

#include "delegate/graph/gpu_op.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status rewrite_no_memory(struct rewrite *w)
{
    return diag_fail(w->diag, STATUS_NO_MEMORY, "transforming %d nodes: out of memory",
                     w->graph.node_count);
}

/* ---- reasons ---- */

enum status rewrite_decline(struct rewrite *w, int node, const char *format, ...)
{
    const struct graph_node *const n = &w->graph.nodes[node];
    const struct reason_of of = {
        w->reasons,
        { .kind = REASON_TRANSFORM, .id = (int)w->applying, .node = n->host_node, .op = n->name }
    };
    va_list args;

    if (!w->reasons)
        return STATUS_OK;
    va_start(args, format);
    reasons_add_list(&of, format, args);
    va_end(args);
    return STATUS_OK;
}

bool rewrite_may(struct rewrite *w, int node)
{
    /* Unless someone asks, a transform that is switched off is not applied. */
    if (!w->reasons || !(w->options->no_transform & 1u << w->applying))
        return true;
    rewrite_decline(w, node, "option no_transform=%s", transform_name(w->applying));
    return false;
}

bool rewrite_reads_alone(struct rewrite *w, int node, int tensor)
{
    const int producer = w->graph.tensors[tensor].producer;

    if (rewrite_only_reader(w, tensor) == node)
        return true;
    if (!w->reasons || producer < 0)
        return false;
    if (w->exposed[tensor])
        rewrite_decline(w, node, "the result of %s is an output of the partition",
                        rewrite_node_name(w, producer).text);
    else
        rewrite_decline(w, node, "the result of %s is read %d times",
                        rewrite_node_name(w, producer).text, w->readers[tensor]);
    return false;
}

struct rewrite_node_name rewrite_node_name(const struct rewrite *w, int node)
{
    const struct graph_node *const n = &w->graph.nodes[node];
    struct rewrite_node_name name;

    snprintf(name.text, sizeof name.text, "%.80s %d", n->name, n->host_node);
    return name;
}

/* ---- uses ---- */

static void link_use(struct rewrite *w, int node, int i)
{
    const int tensor = w->graph.nodes[node].inputs[i], use = w->first_use[node] + i;

    if (tensor < 0)
        return;
    w->uses[use] = (struct rewrite_use){ node, w->last_use[tensor], -1 };
    if (w->last_use[tensor] >= 0)
        w->uses[w->last_use[tensor]].before = use;
    w->last_use[tensor] = use;
    w->readers[tensor]++;
}

static void unlink_use(struct rewrite *w, int node, int i)
{
    const int tensor = w->graph.nodes[node].inputs[i];
    const struct rewrite_use *use = &w->uses[w->first_use[node] + i];

    if (tensor < 0)
        return;
    if (use->before >= 0)
        w->uses[use->before].next = use->next;
    else
        w->last_use[tensor] = use->next;
    if (use->next >= 0)
        w->uses[use->next].before = use->before;
    w->readers[tensor]--;
}

void rewrite_link(struct rewrite *w)
{
    struct graph *g = &w->graph;
    int kept = 0, use = 0;

    for (int t = 0; t < g->tensor_count; t++) {
        w->readers[t] = 0;
        w->overwritten[t] = false;
        w->last_use[t] = -1;
        g->tensors[t].producer = -1;
    }
    for (int i = 0; i < g->node_count; i++)
        if (g->nodes[i].op)
            g->nodes[kept++] = g->nodes[i];
    g->node_count = kept;
    for (int i = 0; i < kept; i++) {
        const struct graph_node *n = &g->nodes[i];

        w->first_use[i] = use;
        use += n->input_count > USES_MIN ? n->input_count : USES_MIN;
        for (int j = 0; j < n->input_count; j++)
            link_use(w, i, j);
        if (n->has_residual) {
            w->readers[n->residual]++;
            w->overwritten[n->residual] = true;
        }
        for (int j = 0; j < n->output_count; j++)
            g->tensors[n->outputs[j]].producer = i;
    }
}

void rewrite_close(struct rewrite *w)
{
    graph_close(&w->graph);
    *w = (struct rewrite){ 0 };
}

int rewrite_find(const struct rewrite *w, int host_tensor)
{
    int low = 0, high = w->host_tensors;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (w->host_tensor[middle] < host_tensor)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->host_tensors && w->host_tensor[low] == host_tensor ? low : -1;
}

int rewrite_only_reader(const struct rewrite *w, int tensor)
{
    if (w->readers[tensor] != 1 || w->exposed[tensor] || w->last_use[tensor] < 0)
        return -1;
    return w->uses[w->last_use[tensor]].node;
}

bool rewrite_is_overwritten(const struct rewrite *w, int tensor)
{
    return w->overwritten[tensor];
}

bool rewrite_stays(const struct rewrite *w, int tensor)
{
    return !graph_is_constant(&w->graph, tensor) && !w->graph.tensors[tensor].is_variable &&
           !w->overwritten[tensor];
}

/* ---- changes ---- */

/* The lists of nodes are copies in the arena of the graph. */
static int *writable(const int *list)
{
    return (int *)(uintptr_t)list;
}

void rewrite_input(struct rewrite *w, int node, int i, int tensor)
{
    unlink_use(w, node, i);
    writable(w->graph.nodes[node].inputs)[i] = tensor;
    link_use(w, node, i);
}

enum status rewrite_inputs(struct rewrite *w, int node, const int *inputs, int count)
{
    struct graph_node *n = &w->graph.nodes[node];
    const int *copy = arena_copy(&w->graph.arena, inputs, (size_t)count, sizeof *copy);

    assert(n->input_count <= USES_MIN && count <= USES_MIN);
    if (!copy)
        return rewrite_no_memory(w);
    for (int i = 0; i < n->input_count; i++)
        unlink_use(w, node, i);
    n->inputs = copy;
    n->input_count = count;
    for (int i = 0; i < count; i++)
        link_use(w, node, i);
    return STATUS_OK;
}

void rewrite_output(struct rewrite *w, int node, int i, int tensor)
{
    const struct graph_node *n = &w->graph.nodes[node];
    struct graph_tensor *tensors = w->graph.tensors;

    tensors[n->outputs[i]].producer = -1;
    writable(n->outputs)[i] = tensor;
    tensors[tensor].producer = node;
}

void rewrite_residual(struct rewrite *w, int node, int tensor)
{
    w->graph.nodes[node].has_residual = true;
    w->graph.nodes[node].residual = tensor;
    w->overwritten[tensor] = true;
    w->readers[tensor]++;
}

void rewrite_redirect(struct rewrite *w, int from, int to)
{
    int use;

    assert(!w->overwritten[from] && !w->overwritten[to]);
    while ((use = w->last_use[from]) >= 0)
        rewrite_input(w, w->uses[use].node, use - w->first_use[w->uses[use].node], to);
}

enum status rewrite_tensor(struct rewrite *w, const struct graph_tensor *like, int *tensor)
{
    struct graph *g = &w->graph;

    if (g->tensor_count == w->tensor_capacity)
        return rewrite_no_memory(w);
    *tensor = g->tensor_count++;
    g->tensors[*tensor] = *like;
    g->tensors[*tensor].producer = -1;
    w->last_use[*tensor] = -1;
    return STATUS_OK;
}

enum status rewrite_constant(struct rewrite *w, const int32_t *values, int count, int *tensor)
{
    const int32_t *data = arena_copy(&w->graph.arena, values, (size_t)count, sizeof *data);
    const struct graph_tensor like = { .name = "",
                                       .type = kTfLiteInt32,
                                       .rank = 1,
                                       .dims = { count },
                                       .elements = (size_t)count,
                                       .data = data,
                                       .dequantized_from = -1 };

    return data ? rewrite_tensor(w, &like, tensor) : rewrite_no_memory(w);
}

enum status rewrite_activation(struct rewrite *w, int node, TfLiteFusedActivation activation)
{
    struct graph_node *n = &w->graph.nodes[node];
    uint8_t *params = arena_copy(&w->graph.arena, n->params, 1, n->op->params_bytes);

    if (!params)
        return rewrite_no_memory(w);
    memcpy(params + n->op->activation_at, &activation, sizeof activation);
    n->params = params;
    return STATUS_OK;
}

enum status rewrite_op(struct rewrite *w, int node, const struct rewrite_as *as)
{
    struct graph_node *n = &w->graph.nodes[node];

    if (!(n->params = arena_copy(&w->graph.arena, as->params, 1, as->params_bytes)))
        return rewrite_no_memory(w);
    n->op = as->op;
    n->name = as->name ? as->name : n->name;
    return rewrite_inputs(w, node, as->inputs, as->input_count);
}

/* How often these nodes, and `node`, read the tensor. */
static int reads_of(const struct rewrite *w, int node, const struct gpu_fused *fused, int tensor)
{
    int reads = 0;

    for (int use = w->last_use[tensor]; use >= 0; use = w->uses[use].next) {
        bool inside = w->uses[use].node == node;

        for (int i = 0; i < fused->count && !inside; i++)
            inside = fused->nodes[i] == w->uses[use].node;
        reads += inside;
    }
    return reads;
}

enum status rewrite_fuse(struct rewrite *w, int node, const struct gpu_fused *fused,
                         const struct rewrite_as *as, bool *fired)
{
    for (int i = 0; i < fused->count; i++) {
        const int result = w->graph.nodes[fused->nodes[i]].outputs[0];

        if (w->exposed[result])
            return rewrite_decline(w, node, "the result of %s is an output of the partition",
                                   rewrite_node_name(w, fused->nodes[i]).text);
        if (reads_of(w, node, fused, result) != w->readers[result])
            return rewrite_decline(w, node, "the result of %s is read elsewhere, too",
                                   rewrite_node_name(w, fused->nodes[i]).text);
    }
    if (!rewrite_may(w, node))
        return STATUS_OK;
    for (int i = 0; i < fused->count; i++)
        rewrite_remove(w, fused->nodes[i]);
    *fired = true;
    return rewrite_op(w, node, as);
}

enum status rewrite_chain(struct rewrite *w, int node, const struct chain *c)
{
    return rewrite_op(
        w, node, &(struct rewrite_as){ &gpu_chain, NULL, c, sizeof *c, c->inputs, c->input_count });
}

enum status rewrite_name(struct rewrite *w, int node, const char *first, const char *second)
{
    char text[192];
    const char *name;

    snprintf(text, sizeof text, "%s+%s", first, second);
    if (!(name = arena_string(&w->graph.arena, text)))
        return rewrite_no_memory(w);
    w->graph.nodes[node].name = name;
    return STATUS_OK;
}

/* The uses and results of a node that has come to this place. */
static void renumber(struct rewrite *w, int node)
{
    const struct graph_node *n = &w->graph.nodes[node];

    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0)
            w->uses[w->first_use[node] + i].node = node;
    for (int i = 0; i < n->output_count; i++)
        w->graph.tensors[n->outputs[i]].producer = node;
}

void rewrite_swap(struct rewrite *w, int a, int b)
{
    const struct graph_node node = w->graph.nodes[a];
    const int first = w->first_use[a];

    w->graph.nodes[a] = w->graph.nodes[b];
    w->first_use[a] = w->first_use[b];
    w->graph.nodes[b] = node;
    w->first_use[b] = first;
    renumber(w, a);
    renumber(w, b);
}

void rewrite_remove(struct rewrite *w, int node)
{
    struct graph_node *n = &w->graph.nodes[node];

    for (int i = 0; i < n->input_count; i++)
        unlink_use(w, node, i);
    for (int i = 0; i < n->output_count; i++)
        if (w->graph.tensors[n->outputs[i]].producer == node)
            w->graph.tensors[n->outputs[i]].producer = -1;
    if (n->has_residual) {
        w->readers[n->residual]--;
        w->overwritten[n->residual] = false;
    }
    n->op = NULL;
    w->merged++;
}
