/* The plan is cut into subsets that are taken, or not taken, as a whole.  The real runtime finds
 * them in epochs: of the nodes that can run, the first in the plan decides whether this epoch is a
 * taken one; all nodes of its kind whose inputs are written, or written in this epoch, belong to
 * it; then the next epoch begins.  Since a plan is in topological order, the first node that is
 * left can always run, so kinds alternate, and the epoch of a node follows from those of its
 * producers alone: the latest of them, or one later where that is of the other kind. */
#include "reference/runtime/delegate_kernel.h"

#include <stdlib.h>
#include <string.h>

struct partition {
    const struct interpreter *in;
    bool *taken;    /* per node */
    int *of_tensor; /* epoch in which a tensor is written; NONE, NOT_YET */
    int *of_step;
    bool *read_elsewhere; /* per tensor */
    int epochs;
};

enum { NONE = -1, NOT_YET = -2 };

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "no memory to partition the graph");
}

static const TfLiteNode *step_node(const struct partition *p, size_t step)
{
    return &p->in->nodes[p->in->plan[step]]->abi;
}

static enum status mark_taken(struct partition *p, const TfLiteIntArray *taken, struct diag *diag)
{
    const struct interpreter *in = p->in;

    for (int i = 0; i < taken->size; i++) {
        const int n = taken->data[i];

        if (n < 0 || (size_t)n >= in->node_count)
            return diag_fail(diag, STATUS_USAGE, "no such node: %d", n);
        if (!in->nodes[n]->op || in->nodes[n]->kernel >= 0)
            return diag_fail(diag, STATUS_USAGE,
                             "node %d, expected one that no delegate has replaced", n);
        p->taken[n] = true;
    }
    return STATUS_OK;
}

/* Delegates may have changed the inputs of nodes that they take, so indices are not trusted. */
static enum status check_tensors(const struct partition *p, size_t step, const TfLiteIntArray *a,
                                 struct diag *diag)
{
    for (int i = 0; i < a->size; i++)
        if (a->data[i] < kTfLiteOptionalTensor ||
            (a->data[i] >= 0 && (size_t)a->data[i] >= p->in->tensor_count))
            return diag_fail(diag, STATUS_USAGE, "node %d: no such tensor: %d", p->in->plan[step],
                             a->data[i]);
    return STATUS_OK;
}

/* Nodes with side effects keep their order: a variable is read after it was assigned. */
static enum status find_epochs(struct partition *p, struct diag *diag)
{
    const struct interpreter *in = p->in;
    int last_effect = 0;
    const bool first = in->plan_count > 0 && p->taken[in->plan[0]];

    for (size_t i = 0; i < in->tensor_count; i++)
        p->of_tensor[i] = NONE;
    for (size_t step = 0; step < in->plan_count; step++) {
        const TfLiteNode *node = step_node(p, step);

        TRY(check_tensors(p, step, node->inputs, diag));
        TRY(check_tensors(p, step, node->outputs, diag));
        for (int i = 0; i < node->outputs->size; i++)
            if (node->outputs->data[i] >= 0)
                p->of_tensor[node->outputs->data[i]] = NOT_YET;
    }
    for (size_t step = 0; step < in->plan_count; step++) {
        const TfLiteNode *node = step_node(p, step);
        int epoch = node->might_have_side_effect ? last_effect : 0;

        for (int i = 0; i < node->inputs->size; i++) {
            const int t = node->inputs->data[i];
            if (t < 0)
                continue;
            if (p->of_tensor[t] == NOT_YET)
                return diag_fail(diag, STATUS_USAGE, "node %d reads tensor %d before it is written",
                                 in->plan[step], t);
            if (p->of_tensor[t] > epoch)
                epoch = p->of_tensor[t];
        }
        if ((epoch % 2 == 0) != (p->taken[in->plan[step]] == first))
            epoch++;
        p->of_step[step] = epoch;
        if (node->might_have_side_effect)
            last_effect = epoch;
        for (int i = 0; i < node->outputs->size; i++)
            if (node->outputs->data[i] >= 0)
                p->of_tensor[node->outputs->data[i]] = epoch;
        if (epoch >= p->epochs)
            p->epochs = epoch + 1;
    }
    return STATUS_OK;
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return x < y ? -1 : x > y;
}

static size_t sort_unique(int *list, size_t count)
{
    size_t kept = 0;

    if (count)
        qsort(list, count, sizeof *list, by_value);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

/* The lists are filled twice: the first time only counts. */
struct lists {
    int *nodes, *inputs, *outputs;
};

static void fill_subset_lists(const struct partition *p, struct subset *subsets,
                              const struct lists *lists)
{
    for (size_t step = 0; step < p->in->plan_count; step++) {
        const TfLiteNode *node = step_node(p, step);
        const int epoch = p->of_step[step];
        struct subset *s = &subsets[epoch];

        s->taken = p->taken[p->in->plan[step]];
        if (lists)
            lists[epoch].nodes[s->node_count] = p->in->plan[step];
        s->node_count++;
        for (int i = 0; i < node->inputs->size; i++) {
            const int t = node->inputs->data[i];
            if (t < 0 || p->of_tensor[t] == epoch)
                continue;
            p->read_elsewhere[t] = true;
            if (lists)
                lists[epoch].inputs[s->input_count] = t;
            s->input_count++;
        }
        for (int i = 0; i < node->outputs->size; i++) {
            const int t = node->outputs->data[i];
            if (t < 0 || (lists && !p->read_elsewhere[t]))
                continue;
            if (lists)
                lists[epoch].outputs[s->output_count] = t;
            s->output_count++;
        }
    }
}

static enum status make_subsets(const struct partition *p, struct arena *memory,
                                struct subset **subsets, struct diag *diag)
{
    const size_t count = (size_t)p->epochs;
    struct subset *s = ARENA_NEW(memory, count, struct subset);
    struct lists *lists = ARENA_NEW(memory, count, struct lists);

    if (!s || !lists)
        return no_memory(diag);
    for (size_t i = 0; i < p->in->output_count; i++)
        p->read_elsewhere[p->in->outputs[i]] = true;
    fill_subset_lists(p, s, NULL);
    for (size_t i = 0; i < count; i++) {
        lists[i].nodes = ARENA_NEW(memory, s[i].node_count, int);
        lists[i].inputs = ARENA_NEW(memory, s[i].input_count, int);
        lists[i].outputs = ARENA_NEW(memory, s[i].output_count, int);
        if (!lists[i].nodes || !lists[i].inputs || !lists[i].outputs)
            return no_memory(diag);
        s[i] = (struct subset){ .nodes = lists[i].nodes,
                                .inputs = lists[i].inputs,
                                .outputs = lists[i].outputs };
    }
    fill_subset_lists(p, s, lists);
    for (size_t i = 0; i < count; i++) {
        s[i].input_count = sort_unique(lists[i].inputs, s[i].input_count);
        s[i].output_count = sort_unique(lists[i].outputs, s[i].output_count);
    }
    *subsets = s;
    return STATUS_OK;
}

enum status partition_plan(const struct interpreter *in, const TfLiteIntArray *taken,
                           struct arena *memory, struct subset **subsets, size_t *count,
                           struct diag *diag)
{
    struct partition p = { .in = in,
                           .taken = ARENA_NEW(memory, in->node_count, bool),
                           .of_tensor = ARENA_NEW(memory, in->tensor_count, int),
                           .of_step = ARENA_NEW(memory, in->plan_count, int),
                           .read_elsewhere = ARENA_NEW(memory, in->tensor_count, bool) };

    *subsets = NULL;
    *count = 0;
    if (!p.taken || !p.of_tensor || !p.of_step || !p.read_elsewhere)
        return no_memory(diag);
    TRY(mark_taken(&p, taken, diag));
    TRY(find_epochs(&p, diag));
    TRY(make_subsets(&p, memory, subsets, diag));
    *count = (size_t)p.epochs;
    return STATUS_OK;
}
