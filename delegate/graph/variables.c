#include "delegate/graph/variables.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdlib.h>
#include <string.h>

enum status variables_import(struct graph *g, struct graph_node *n, const TfLiteNode *node,
                             const TfLiteRegistration *registration, struct diag *diag)
{
    const bool reads = n->code == BUILTIN_READ_VARIABLE && n->input_count == 1 &&
                       n->output_count == 1 && n->inputs[0] >= 0;
    const bool assigns = n->code == BUILTIN_ASSIGN_VARIABLE && n->input_count == 2 &&
                         n->output_count == 0 && n->inputs[0] >= 0 && n->inputs[1] >= 0;

    if ((!reads && !assigns) || !registration->invoke)
        return STATUS_OK;
    if (!(n->variable = ARENA_NEW(&g->arena, 1, struct variable_use)))
        return diag_fail(diag, STATUS_NO_MEMORY, "node %d: out of memory", n->host_node);
    *n->variable =
        (struct variable_use){ .assigns = assigns, .node = *node, .registration = *registration };
    return STATUS_OK;
}

/* A VAR_HANDLE with its names. */
struct handle {
    const char *container, *name;
    int node;
};

static int by_names(const void *a, const void *b)
{
    const struct handle *x = a, *y = b;
    const int order = strcmp(x->container, y->container);

    return order ? order : strcmp(x->name, y->name);
}

static const char *text(const char *s)
{
    return s ? s : "";
}

/* Fills in the handles of the graph, sorted, and returns how many there are. */
static int find_handles(const struct graph *g, struct handle *handles)
{
    int count = 0;

    for (int i = 0; i < g->node_count; i++) {
        const TfLiteVarHandleParams *const p = g->nodes[i].params;

        if (g->nodes[i].code == BUILTIN_VAR_HANDLE && p)
            handles[count++] = (struct handle){ text(p->container), text(p->shared_name), i };
    }
    if (count > 1)
        qsort(handles, (size_t)count, sizeof *handles, by_names);
    return count;
}

enum status variables_link(struct graph *g, struct diag *diag)
{
    struct handle *handles = mem_alloc((size_t)g->node_count, sizeof *handles);
    /* By node, the variable that it is the handle of, numbered from 1; 0: no handle. */
    int *of = mem_alloc((size_t)g->node_count, sizeof *of);
    bool *assigned = mem_alloc((size_t)g->node_count + 1, sizeof *assigned);

    if (!handles || !of || !assigned) {
        mem_free(handles);
        mem_free(of);
        mem_free(assigned);
        return diag_fail(diag, STATUS_NO_MEMORY, "graph of %d nodes: out of memory", g->node_count);
    }
    const int count = find_handles(g, handles);
    int variables = 0;

    for (int i = 0; i < count; i++) {
        if (i == 0 || by_names(&handles[i - 1], &handles[i]) != 0)
            variables++;
        of[handles[i].node] = variables;
    }
    for (int i = 0; i < g->node_count; i++) {
        struct variable_use *const use = g->nodes[i].variable;
        const int handle = use ? g->tensors[g->nodes[i].inputs[0]].producer : -1;
        const int variable = handle >= 0 && handle < i ? of[handle] : 0;

        if (!use)
            continue;
        use->named = variable > 0;
        use->follows_assignment = assigned[variable];
        assigned[variable] |= use->assigns;
    }
    mem_free(handles);
    mem_free(of);
    mem_free(assigned);
    return STATUS_OK;
}

int variable_tensor(const struct graph_node *n)
{
    return n->variable->assigns ? n->inputs[1] : n->outputs[0];
}
