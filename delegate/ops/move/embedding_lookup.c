/* EMBEDDING_LOOKUP: rows of a table of f32, constant or computed, or of constants of 8, 4 or 2
 * bits, which become floats.  The latter stay packed on the device if they can, else they are a
 * table of floats, too. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/embedding_lookup.args.h"
#include "delegate/ops/move/gather.args.h"
#include "delegate/ops/packed_weights.h"
#include "reference/base/builtin.h"

enum { IDS, TABLE };

enum { COLUMNS = 8 }; /* that products with the same weights may have, too */

/* A matrix of few bits, which fits. */
static bool is_packed(const struct graph *g, const struct gpu_options *options,
                      const struct device_limits *limits, int table)
{
    const int of = packed_weights_of(g, table);

    return of >= 0 && g->tensors[of].rank == 2 && options_kernel(options, KERNEL_packed) &&
           packed_weights_fit(g, limits, of, COLUMNS);
}

static bool has_few_bits(const struct graph_tensor *t)
{
    return t->type == kTfLiteInt8 || t->type == kTfLiteInt4 || t->type == kTfLiteInt2;
}

static bool check_table(struct check *c)
{
    const struct graph_tensor *t = graph_input(c->graph, c->node, TABLE);
    const int tensor = c->node->inputs[TABLE];

    if (!t || !has_few_bits(t) || !t->data)
        return check_input(c, TABLE, 2, GRAPH_MAX_RANK);
    if (!check_rank(c, tensor, 2, GRAPH_MAX_RANK))
        return false;
    return t->quant.block_scales || packed_weights_of(c->graph, tensor) >= 0 ||
           refuse(c, RULE_EMBEDDING_LOOKUP_SCALES, tensor, "scale, zero point",
                  "quantize the table symmetrically, by rows",
                  "one scale, or one a row, and zero points of 0", "others");
}

static bool shape_embedding_lookup(const struct graph *g, const struct graph_node *n, int i,
                                   struct graph_shape *s)
{
    const struct graph_tensor *ids = graph_input(g, n, IDS), *table = graph_input(g, n, TABLE);

    (void)i;
    if (ids->rank != 1 || table->rank < 2)
        return false;
    s->rank = table->rank;
    for (int d = 0; d < s->rank; d++)
        s->dims[d] = d == 0 ? ids->dims[0] : table->dims[d];
    return true;
}

static bool accept_embedding_lookup(struct check *c)
{
    const struct graph_tensor *table;
    uint64_t rows, channels;

    if (!check_counts(c, 2, 2, 1) || !check_computed_data(c, IDS, 1, 1, CHECK_I32) ||
        !check_table(c) || !check_tensor_type(c, c->node->outputs[0], kTfLiteFloat32))
        return false;
    table = graph_input(c->graph, c->node, TABLE);
    if (table->elements == 0)
        return refuse(c, RULE_TENSOR_EMPTY, c->node->inputs[TABLE], "elements",
                      "an empty table has no rows", "at least 1", "0");
    if (!graph_is_constant(c->graph, c->node->inputs[TABLE]) ||
        is_packed(c->graph, c->options, c->limits, c->node->inputs[TABLE]))
        return true;
    channels = (uint64_t)table->dims[table->rank - 1];
    rows = table->elements / channels;
    return check_storable(c, TABLE, rows * ((channels + 3) / 4));
}

/* Whole rows of floats. */
static enum status plan_floats(struct planner *p, const struct graph_node *n, int ids, int dst)
{
    const struct graph_tensor *table = graph_input(p->graph, n, TABLE);
    const struct plan_tensor *y = &p->plan->tensors[dst], *i = &p->plan->tensors[ids];
    const struct gather_args args = { .slices = y->rows * y->slices,
                                      .out_channels = y->channels,
                                      .out_slices = y->slices,
                                      .in_channels = y->channels,
                                      .in_slices = y->slices,
                                      .index_channels = i->channels,
                                      .index_pitch = 4 * i->slices,
                                      .outer = 1,
                                      .extent = (uint32_t)table->dims[0],
                                      .count = i->channels,
                                      .inner = (uint32_t)(table->elements / (size_t)table->dims[0]),
                                      .size = { (uint32_t)table->dims[0] },
                                      .stride = { 1 } };
    struct plan_step *s =
        planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("gather")), n, WORKGROUP, 1, 1);
    struct packed packed;

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, GATHER_SPEC_WHOLE, 1);
    step_spec(s, GATHER_SPEC_DEPTH, 1);
    step_thawable(s, GATHER_SPEC_WHOLE, GATHER_SPEC_DEPTH);
    step_write(p, s, 0, dst);
    if (graph_is_constant(p->graph, n->inputs[TABLE])) {
        TRY(planner_pack_stored(p, n->inputs[TABLE], &packed));
        step_constants(s, 1, &packed);
    } else {
        const int source = planner_tensor(p, n->inputs[TABLE]);

        if (source < 0)
            return STATUS_NO_MEMORY;
        step_read(p, s, 1, source);
    }
    step_read(p, s, 2, ids);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.slices);
}

static enum status plan_embedding_lookup(struct planner *p, const struct graph_node *n)
{
    const int ids = planner_tensor(p, n->inputs[IDS]), dst = planner_tensor(p, n->outputs[0]);
    const int table = packed_weights_of(p->graph, n->inputs[TABLE]);
    struct embedding_lookup_args args;
    struct packed_weights packed;
    struct plan_step *s;

    if (ids < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    if (!is_packed(p->graph, p->options, p->limits, n->inputs[TABLE]))
        return plan_floats(p, n, ids, dst);
    TRY(packed_weights_pack(p, table, -1, COLUMNS, &packed));
    if (!(s = planner_step(p, "embedding_lookup", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct embedding_lookup_args){
        .count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices,
        .slices = p->plan->tensors[dst].slices,
        .rows = (uint32_t)p->graph->tensors[table].dims[0],
        .columns = packed.columns,
        .chunks = packed.chunks,
        .scales_at = packed.scales_at,
        .block = packed.block,
        .row_scales = packed.row_scales,
    };
    step_spec(s, EMBEDDING_LOOKUP_SPEC_BITS, packed.bits);
    step_spec(s, EMBEDDING_LOOKUP_SPEC_BLOCKS, packed.has_blocks);
    step_thawable(s, EMBEDDING_LOOKUP_SPEC_BLOCKS, EMBEDDING_LOOKUP_SPEC_BLOCKS);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, ids);
    step_constants(s, 2, &packed.weights);
    step_constants(s, 3, &packed.sides);
    return step_items(p, s, args.count);
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_EMBEDDING_LOOKUP,
      .max_version = 5,
      .accept = accept_embedding_lookup,
      .plan = plan_embedding_lookup,
      .shape = shape_embedding_lookup },
};
const struct gpu_family gpu_embedding_lookup = { ops, sizeof ops / sizeof ops[0] };
