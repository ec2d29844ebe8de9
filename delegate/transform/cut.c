#include "delegate/transform/cut.h"

#include "delegate/graph/gpu_op.h"
#include "reference/base/builtin.h"

int cut_count(const struct graph *g, const struct graph_node *n, const struct gpu_options *options,
              const struct device_limits *limits, struct gpu_table *table)
{
    return gpu_op_cut(g, n, options, limits, table)
               ? (graph_input(g, n, table->input)->dims[0] - 1) / (int)table->rows + 1
               : 1;
}

/* Adds `rows` rows of a constant from `first` on. */
static enum status add_run(struct rewrite *w, int tensor, uint32_t first, uint32_t rows, int *run)
{
    struct graph_tensor t = w->graph.tensors[tensor];
    const size_t row = t.elements / (size_t)t.dims[0], from = first * row;

    if (t.dequantized_from >= 0)
        TRY(add_run(w, t.dequantized_from, first, rows, &t.dequantized_from));
    if (t.data)
        t.data = (const char *)t.data + from * runtime_type_bits(t.type) / 8;
    if (t.quant.count > 1 && t.quant.dimension == 0) {
        t.quant.scale += first;
        t.quant.zero_point += first;
        t.quant.count = rows;
    }
    if (t.quant.block_scales)
        t.quant.block_scales =
            (const char *)t.quant.block_scales + from / t.quant.block * sizeof(uint16_t);
    t.dims[0] = (int32_t)rows;
    t.elements = rows * row;
    return rewrite_tensor(w, &t, run);
}

static enum status append(struct rewrite *w, struct graph_node n, const int *inputs,
                          const int *outputs)
{
    struct graph *g = &w->graph;

    n.inputs = arena_copy(&g->arena, inputs, (size_t)n.input_count, sizeof *inputs);
    n.outputs = arena_copy(&g->arena, outputs, (size_t)n.output_count, sizeof *outputs);
    if (!n.inputs || !n.outputs || g->node_count == w->node_capacity)
        return rewrite_no_memory(w);
    g->nodes[g->node_count++] = n;
    return STATUS_OK;
}

/* The run `k` of the constant inputs of the node, in *inputs; the rest as they are. */
static enum status cut_inputs(struct rewrite *w, const struct graph_node *n,
                              const struct gpu_table *table, int k, int *inputs)
{
    const uint32_t all = (uint32_t)graph_input(&w->graph, n, table->input)->dims[0];
    const uint32_t first = (uint32_t)k * table->rows;
    const uint32_t rows = all - first < table->rows ? all - first : table->rows;

    for (int i = 0; i < n->input_count; i++) {
        inputs[i] = n->inputs[i];
        if (graph_is_constant(&w->graph, n->inputs[i]) &&
            (table->makes_channels || i == table->input))
            TRY(add_run(w, n->inputs[i], first, rows, &inputs[i]));
    }
    return STATUS_OK;
}

/* A node for each run, and one that puts the channels together. */
static enum status cut_channels(struct rewrite *w, const struct graph_node *n,
                                const struct gpu_table *table, int runs, int *inputs, int *parts)
{
    static const TfLiteConcatenationParams last_axis = { .axis = -1 };
    struct graph_node join = { .host_node = n->host_node,
                               .op = gpu_op_find(BUILTIN_CONCATENATION),
                               .code = BUILTIN_CONCATENATION,
                               .version = 1,
                               .name = "CONCATENATION",
                               .params = &last_axis,
                               .input_count = runs,
                               .output_count = 1 };

    for (int k = 0; k < runs; k++) {
        struct graph_tensor y = *graph_output(&w->graph, n, 0);
        int32_t *const channels = &y.dims[y.rank - 1];

        TRY(cut_inputs(w, n, table, k, inputs));
        y.elements /= (size_t)*channels;
        *channels = w->graph.tensors[inputs[table->input]].dims[0];
        y.elements *= (size_t)*channels;
        TRY(rewrite_tensor(w, &y, &parts[k]));
        TRY(append(w, *n, inputs, &parts[k]));
    }
    return append(w, join, parts, n->outputs);
}

/* The node with all runs. */
static enum status cut_rows(struct rewrite *w, const struct graph_node *n,
                            const struct gpu_table *table, int runs, int *inputs)
{
    struct graph_node with = *n;

    for (int k = runs - 1; k >= 0; k--) { /* the first one stays among the inputs */
        TRY(cut_inputs(w, n, table, k, inputs));
        if (k > 0)
            inputs[n->input_count - 1 + k] = inputs[table->input];
    }
    with.input_count += runs - 1;
    return append(w, with, inputs, n->outputs);
}

enum status cut_make(struct rewrite *w)
{
    struct graph *g = &w->graph;
    const struct graph_node *const old = g->nodes;
    const int count = g->node_count;

    if (!(g->nodes = ARENA_NEW(&g->arena, (size_t)w->node_capacity, struct graph_node)))
        return rewrite_no_memory(w);
    g->node_count = 0;
    for (int i = 0; i < count; i++) {
        struct gpu_table table;
        const int runs = cut_count(g, &old[i], w->options, w->limits, &table);
        int *list;

        if (runs == 1) {
            g->nodes[g->node_count++] = old[i];
            continue;
        }
        if (!(list = ARENA_NEW(&g->arena, (size_t)(old[i].input_count + 2 * runs), int)))
            return rewrite_no_memory(w);
        TRY(table.makes_channels
                ? cut_channels(w, &old[i], &table, runs, list, list + old[i].input_count)
                : cut_rows(w, &old[i], &table, runs, list));
    }
    return STATUS_OK;
}
