#include "delegate/runtime/partition.h"

#include "delegate/graph/variables.h"
#include "delegate/plan/memory.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TfLiteIntArray *partition_nodes(const struct graph *g, const struct decision *d)
{
    TfLiteIntArray *nodes =
        mem_alloc(1, sizeof *nodes + (size_t)g->node_count * sizeof nodes->data[0]);

    if (!nodes)
        return NULL;
    for (int i = 0; i < g->node_count; i++)
        if (d->take[i])
            nodes->data[nodes->size++] = g->nodes[i].host_node;
    return nodes;
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return x < y ? -1 : x > y;
}

/* The partition's nodes in execution order, as indices of the graph; returns how many. */
static int order_nodes(const struct graph *g, const TfLiteIntArray *wanted, int *nodes)
{
    int found = 0, kept = 0;

    for (int i = 0; i < wanted->size; i++) {
        const struct graph_node *n = graph_find_node(g, wanted->data[i]);

        if (n)
            nodes[found++] = (int)(n - g->nodes);
    }
    if (found > 1)
        qsort(nodes, (size_t)found, sizeof *nodes, by_value);
    for (int i = 0; i < found; i++)
        if (i == 0 || nodes[i] != nodes[i - 1])
            nodes[kept++] = nodes[i];
    return kept;
}

/* Marks the tensors that the nodes read, or with `outputs` those that they compute. */
static void mark_tensors(const struct graph *g, const int *nodes, int count, bool outputs,
                         bool *marks)
{
    for (int i = 0; i < count; i++) {
        const struct graph_node *n = graph_find_node(g, nodes[i]);
        const int *const tensors = outputs ? n->outputs : n->inputs;

        for (int k = 0; k < (outputs ? n->output_count : n->input_count); k++)
            if (tensors[k] >= 0)
                marks[tensors[k]] = true;
    }
}

/* Of a partition with variables: the inputs (outputs) that the host lists, but for those of the
 * nodes that the host computes, and what these read from variables (assign to them).  marks: by
 * tensor, whether a node on the device reads (computes) it; cleared. */
static int list_tensors(const struct graph *g, const TfLiteIntArray *host,
                        const struct partition_lists *lists, bool outputs, bool *marks, int *list)
{
    int count = 0;

    for (int i = 0; i < host->size + lists->variable_count; i++) {
        int t;

        if (i < host->size) {
            t = host->data[i];
        } else {
            const struct graph_node *n = graph_find_node(g, lists->variables[i - host->size]);

            t = n->variable->assigns == outputs ? variable_tensor(n) : -1;
        }
        if (t < 0 || t >= g->tensor_count || !marks[t])
            continue;
        marks[t] = false;
        list[count++] = t;
    }
    return count;
}

/* Fills in inputs and outputs of a partition with nodes that are not planned. */
static enum status list_ios(struct plan_request *r, const TfLiteDelegateParams *partition,
                            const struct partition_lists *lists, int *room, struct diag *diag)
{
    const struct graph *g = r->graph;
    bool *marks = mem_alloc((size_t)g->tensor_count, sizeof *marks);

    if (!marks)
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    mark_tensors(g, r->nodes, r->node_count, false, marks);
    r->inputs = room;
    r->input_count = list_tensors(g, partition->input_tensors, lists, false, marks, room);
    memset(marks, 0, (size_t)g->tensor_count * sizeof *marks);
    mark_tensors(g, r->nodes, r->node_count, true, marks);
    r->outputs = room += r->input_count;
    r->output_count = list_tensors(g, partition->output_tensors, lists, true, marks, room);
    mem_free(marks);
    return STATUS_OK;
}

/* A node of the partition that is not planned computes the tensor: its value is known. */
static bool is_value(const struct graph *g, const TfLiteIntArray *nodes, int tensor)
{
    const int producer = tensor >= 0 && tensor < g->tensor_count ? g->tensors[tensor].producer : -1;

    if (producer < 0 || !g->nodes[producer].known)
        return false;
    for (int i = 0; i < nodes->size; i++)
        if (nodes->data[i] == g->nodes[producer].host_node)
            return true;
    return false;
}

enum status partition_request(struct plan_request *r, const TfLiteDelegateParams *partition,
                              struct partition_lists *lists, struct diag *diag)
{
    const struct graph *g = r->graph;
    const TfLiteIntArray *const wanted = partition->nodes_to_replace;
    int *order, *nodes, *variables, *values;
    int count;

    *lists = (struct partition_lists){ .memory = NULL };
    if (!wanted || !partition->input_tensors || !partition->output_tensors)
        return diag_fail(
            diag, STATUS_INVALID,
            "TfLiteDelegateParams: nodes_to_replace, input_tensors or output_tensors is NULL");
    /* The order of all nodes, those on the device, those of variables, and a tensor each of them;
     * outputs, and which of them are values. */
    order = mem_alloc(4 * (size_t)wanted->size + (size_t)partition->input_tensors->size +
                          2 * (size_t)partition->output_tensors->size,
                      sizeof *order);
    if (!order)
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    lists->memory = order;
    lists->variables = variables = order + wanted->size;
    r->nodes = nodes = variables + wanted->size;
    lists->values = values =
        order + 4 * wanted->size + partition->input_tensors->size + partition->output_tensors->size;
    r->inputs = partition->input_tensors->data;
    r->input_count = partition->input_tensors->size;
    r->outputs = partition->output_tensors->data;
    r->output_count = partition->output_tensors->size;
    count = order_nodes(g, wanted, order);
    for (int i = 0; i < count; i++) {
        const struct graph_node *const n = &g->nodes[order[i]];

        if (n->variable)
            variables[lists->variable_count++] = n->host_node;
        else if (!n->known)
            nodes[r->node_count++] = n->host_node;
    }
    for (int i = 0; i < r->output_count; i++)
        if (is_value(g, wanted, r->outputs[i]))
            values[lists->value_count++] = r->outputs[i];
    return count == r->node_count ? STATUS_OK
                                  : list_ios(r, partition, lists, nodes + wanted->size, diag);
}

static void refuse_partition(struct decision *d, const struct graph *g,
                             const TfLiteDelegateParams *partition,
                             const struct refusal_reason *why)
{
    const TfLiteIntArray *nodes = partition->nodes_to_replace;

    for (int i = 0; i < nodes->size; i++) {
        const struct graph_node *n = graph_find_node(g, nodes->data[i]);

        if (n)
            decision_refuse(d, g, (int)(n - g->nodes), why);
    }
}

/* A host finds no order of partitions when a node reads what a later one writes, as where a node
 * writes to an input of the graph.  The nodes run on the CPU, one by one. */
static bool reads_later_result(const struct graph *g)
{
    for (int i = 0; i < g->node_count; i++)
        for (int k = 0; k < g->nodes[i].input_count; k++)
            if (g->nodes[i].inputs[k] >= 0 && g->tensors[g->nodes[i].inputs[k]].producer >= i)
                return true;
    return false;
}

static void refuse_all(struct decision *d, const struct graph *g)
{
    static const struct refusal_reason why = { .rule = RULE_GRAPH_ORDER,
                                               .field = "order of the nodes",
                                               .hint = "the model is malformed",
                                               .value = "a tensor that a later node writes",
                                               .limit = "tensors that earlier nodes have written" };

    for (int i = 0; i < g->node_count; i++)
        decision_refuse(d, g, i, &why);
    decision_sort(d);
}

/* ---- memory ---- */

/* A plan without packed constants, whose sizes are not checked against the device's limits. */
static enum status plan_sizes(struct plan *plan, const TfLiteDelegateParams *partition,
                              const struct graph *g, const struct gpu_options *o,
                              const struct device_limits *limits, struct diag *diag)
{
    struct device_limits any = *limits;
    struct plan_request request = { .graph = g, .options = o, .limits = &any, .unpacked = true };
    struct partition_lists lists;
    enum status s;

    any.max_memory_allocation_bytes = UINT64_MAX;
    s = partition_request(&request, partition, &lists, diag);
    if (s == STATUS_OK)
        s = plan_make(plan, &request, diag);
    mem_free(lists.memory);
    return s;
}

/* Refuses the nodes of a partition for which the device lacks memory; else subtracts what the
 * partition needs from *free_bytes, and sets *rule to the rule, RULE_COUNT when it is not refused.
 */
static enum status fit_partition(const TfLiteDelegateParams *partition, const struct graph *g,
                                 const struct gpu_options *o, const struct device_limits *limits,
                                 uint64_t *free_bytes, struct decision *d, enum rule *rule,
                                 struct diag *diag)
{
    struct refusal_reason why = {
        .rule = RULE_LIMITS_PARTITION,
        .field = "device memory",
        .hint = "use precision=fp16, or take fewer nodes (include, exclude)"
    };
    struct plan plan;
    const enum status s = plan_sizes(&plan, partition, g, o, limits, diag);

    *rule = why.rule;
    if (s == STATUS_UNSUPPORTED) { /* for another reason than memory */
        snprintf(why.value, sizeof why.value, "%.*s", (int)sizeof why.value - 1, diag->text);
        snprintf(why.limit, sizeof why.limit, "a plan that the device can run");
        why.field = "plan";
        why.hint = "leave out the node that the value names (exclude)";
        refuse_partition(d, g, partition, &why);
        diag_clear(diag);
        return STATUS_OK;
    }
    if (s != STATUS_OK)
        return s;
    const struct plan_block block = plan_largest_block(&plan);
    const uint64_t need = plan_bytes(&plan);
    plan_close(&plan);
    if (block.bytes > limits->max_memory_allocation_bytes) {
        snprintf(why.value, sizeof why.value, "%zu bytes of %s", block.bytes, block.what);
        snprintf(why.limit, sizeof why.limit, "%llu bytes in one block (maxMemoryAllocationSize)",
                 (unsigned long long)limits->max_memory_allocation_bytes);
        refuse_partition(d, g, partition, &why);
    } else if (need > *free_bytes) {
        snprintf(why.value, sizeof why.value, "%llu bytes", (unsigned long long)need);
        snprintf(why.limit, sizeof why.limit, "%llu bytes, free of %llu",
                 (unsigned long long)*free_bytes, (unsigned long long)plan_memory_limit(o, limits));
        refuse_partition(d, g, partition, &why);
    } else {
        *free_bytes -= need;
        *rule = RULE_COUNT;
    }
    return STATUS_OK;
}

/* ---- choice ---- */

/* Fills d->placements. */
static enum status estimate(const TfLiteDelegateParams *partitions, int count,
                            const struct gpu_options *o, const struct graph *g, struct decision *d,
                            struct diag *diag)
{
    if (!(d->placements = ARENA_NEW(&d->arena, (size_t)count, struct placement)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%d partitions: out of memory", count);
    d->placement_count = count;
    for (int i = 0; i < count; i++)
        d->placements[i] = placement_of(g, &partitions[i], &d->rates.device, o->cpu_rate);
    return STATUS_OK;
}

struct sized {
    double size;
    int index;
};

static int by_size(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->index - y->index;
}

/* The partitions, the largest by the option placement first, equal ones in the host's order. */
static struct sized *order_by_size(const struct decision *d, const struct gpu_options *o)
{
    struct sized *order = mem_alloc((size_t)d->placement_count, sizeof *order);

    for (int i = 0; order && i < d->placement_count; i++) {
        const struct placement *p = &d->placements[i];

        order[i].size = o->placement == PLACEMENT_NODES ? p->nodes : placement_saved_us(p);
        order[i].index = i;
    }
    if (order && d->placement_count > 1)
        qsort(order, (size_t)d->placement_count, sizeof *order, by_size);
    return order;
}

/* The reason of an option for which a partition stays on the CPU; false: there is none.  rank: how
 * many larger ones have passed. */
static bool is_left(const struct graph *g, const struct placement *p, int rank,
                    const struct gpu_options *o, struct refusal_reason *why)
{
    const struct graph_node *first = graph_find_node(g, p->first_node);
    const bool by_cost = o->placement != PLACEMENT_NODES;

    *why = (struct refusal_reason){ .field = "nodes of the partition" };
    snprintf(why->value, sizeof why->value, "%d", p->nodes);
    if (p->nodes == 0) {
        why->rule = first && first->known ? RULE_VALUE_ALONE : RULE_VARIABLE_ALONE;
        why->hint = "the nodes that use the value lie in another partition";
        snprintf(why->limit, sizeof why->limit, "at least 1 beside those of %s",
                 first && first->known ? "shapes" : "variables");
        return true;
    }
    if (p->nodes < o->min_nodes) {
        why->rule = RULE_OPTION_MIN_NODES;
        why->hint = "its partition is smaller than the option min_nodes";
        snprintf(why->limit, sizeof why->limit, "at least %d (min_nodes)", o->min_nodes);
        return true;
    }
    if (by_cost) {
        why->field = "estimated time of the partition on the device";
        snprintf(why->value, sizeof why->value, "%.1f us", p->device_us);
    }
    if (by_cost && placement_saved_us(p) <= 0) {
        why->rule = RULE_OPTION_PLACEMENT;
        why->hint = "cpu_rate says how fast the CPU is; placement=nodes takes the partition";
        snprintf(why->limit, sizeof why->limit, "less than %.1f us, the CPU's", p->cpu_us);
        return true;
    }
    why->rule = RULE_OPTION_MAX_PARTITIONS;
    if (o->max_partitions < 0) {
        why->field = "estimated time of the partition on the device";
        why->hint = "beside the largest it would save no time; max_partitions=0 takes it";
        snprintf(why->value, sizeof why->value, "%.1f us", p->device_us);
        snprintf(why->limit, sizeof why->limit, "less than %.1f us, the CPU's", p->cpu_us);
        return rank > 0 && placement_saved_us(p) <= 0;
    }
    why->hint = by_cost ? "others save more time; raise max_partitions (0: no limit)"
                        : "larger partitions are taken; raise max_partitions (0: no limit)";
    snprintf(why->limit, sizeof why->limit, "one of the %d largest (max_partitions)",
             o->max_partitions);
    return o->max_partitions > 0 && rank >= o->max_partitions;
}

static enum status limit(const TfLiteDelegateParams *partitions, const struct sized *order,
                         const struct gpu_options *o, const struct device_limits *limits,
                         const struct graph *g, struct decision *d, struct diag *diag)
{
    uint64_t free_bytes = plan_memory_limit(o, limits);
    int rank = 0;

    for (int i = 0; i < d->placement_count; i++) {
        const TfLiteDelegateParams *const p = &partitions[order[i].index];
        struct placement *const placement = &d->placements[order[i].index];
        struct refusal_reason why;

        if (is_left(g, placement, rank, o, &why)) {
            refuse_partition(d, g, p, &why);
        } else {
            rank++;
            TRY(fit_partition(p, g, o, limits, &free_bytes, d, &why.rule, diag));
        }
        placement->taken = why.rule == RULE_COUNT;
        placement->rule = why.rule;
    }
    return STATUS_OK;
}

/* *count is -1 when the host has no PreviewDelegatePartitioning.  The host owns *partitions. */
static enum status preview(TfLiteContext *context, const struct graph *g, const struct decision *d,
                           TfLiteDelegateParams **partitions, int *count, struct diag *diag)
{
    TfLiteIntArray *nodes;
    TfLiteStatus status = kTfLiteOk;

    *partitions = NULL;
    *count = -1;
    if (!context->PreviewDelegatePartitioning)
        return STATUS_OK;
    if (!(nodes = partition_nodes(g, d)))
        return diag_fail(diag, STATUS_NO_MEMORY, "partitions: out of memory");
    *count = 0;
    if (nodes->size > 0)
        status = context->PreviewDelegatePartitioning(context, nodes, partitions, count);
    mem_free(nodes);
    if (status != kTfLiteOk)
        return diag_fail(diag, STATUS_INVALID, "PreviewDelegatePartitioning failed");
    for (int i = 0; i < *count; i++)
        if (!(*partitions)[i].nodes_to_replace)
            return diag_fail(diag, STATUS_INVALID,
                             "PreviewDelegatePartitioning: partition %d has no nodes_to_replace",
                             i);
    return STATUS_OK;
}

enum status partition_apply_limits(TfLiteContext *context, const struct gpu_options *o,
                                   const struct device_limits *limits, const struct graph *g,
                                   struct decision *d, struct diag *diag)
{
    TfLiteDelegateParams *partitions;
    struct sized *order;
    enum status s;
    int count;

    if (reads_later_result(g))
        refuse_all(d, g);
    TRY(preview(context, g, d, &partitions, &count, diag));
    if (count <= 0)
        return STATUS_OK;
    TRY(estimate(partitions, count, o, g, d, diag));
    if (!(order = order_by_size(d, o)))
        return diag_fail(diag, STATUS_NO_MEMORY, "partitions: out of memory");
    s = limit(partitions, order, o, limits, g, d, diag);
    decision_sort(d);
    mem_free(order);
    return s;
}

enum status partition_sum_memory(TfLiteContext *context, const struct gpu_options *o,
                                 const struct device_limits *limits, const struct graph *g,
                                 const struct decision *d, struct partition_sums *sums,
                                 struct diag *diag)
{
    TfLiteDelegateParams *partitions;

    *sums = (struct partition_sums){ 0 };
    TRY(preview(context, g, d, &partitions, &sums->count, diag));
    for (int i = 0; i < sums->count; i++) {
        struct plan plan;

        TRY(plan_sizes(&plan, &partitions[i], g, o, limits, diag));
        sums->constant_bytes += plan.constant_bytes;
        sums->activation_bytes += plan.arena_bytes;
        sums->activation_bound += plan.arena_bound;
        sums->staging_bytes += plan.input_bytes + plan.output_bytes;
        plan_close(&plan);
    }
    return STATUS_OK;
}
