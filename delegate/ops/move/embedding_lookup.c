/* EMBEDDING_LOOKUP: rows of a table of f32, constant or computed, or of constants of 8, 4 or 2
 * bits, which become floats.  The latter stay packed on the device if they can, else they are a
 * table of floats, too. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/embedding_lookup.args.h"
#include "delegate/ops/move/gather.args.h"
#include "delegate/ops/operand.h"
#include "delegate/ops/packed_weights.h"
#include "reference/base/builtin.h"

/* Behind the table may be more runs of its rows (gpu_op.table). */
enum { IDS, TABLE };

static uint64_t slices_of(const struct graph_tensor *table)
{
    const uint64_t channels = (uint64_t)table->dims[table->rank - 1];

    return table->elements / (size_t)table->dims[0] / channels * ((channels + 3) / 4);
}

static bool table_of(const struct graph *g, const struct graph_node *n,
                     const struct gpu_options *options, struct gpu_table *table)
{
    *table = (struct gpu_table){ .input = TABLE,
                                 .row_bytes = slices_of(graph_input(g, n, TABLE)) *
                                              (options_half(options) ? 8 : 16),
                                 .step = 4 };
    packed_weights_table(g, options, n->inputs[TABLE], table);
    return graph_is_constant(g, n->inputs[TABLE]);
}

/* A matrix of few bits, of which so many rows fit. */
static bool is_packed(const struct graph *g, const struct gpu_options *options,
                      const struct device_limits *limits, int table, uint32_t rows)
{
    const int of = packed_weights_of(g, table);

    return of >= 0 && g->tensors[of].rank == 2 && options_kernel(options, KERNEL_packed) &&
           packed_weights_fit(g, limits, of, rows);
}

static bool check_table(struct check *c)
{
    const struct graph_tensor *t = graph_input(c->graph, c->node, TABLE);
    const int tensor = c->node->inputs[TABLE];

    if (!t || !graph_has_few_bits(t) || !t->data)
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
    struct gpu_table cut;
    uint32_t rows;

    if (!check_counts(c, 2, 2, 1) || !check_computed_data(c, IDS, 1, 1, CHECK_I32) ||
        !check_table(c) || !check_tensor_type(c, c->node->outputs[0], kTfLiteFloat32))
        return false;
    table = graph_input(c->graph, c->node, TABLE);
    if (table->elements == 0)
        return refuse(c, RULE_TENSOR_EMPTY, c->node->inputs[TABLE], "elements",
                      "an empty table has no rows", "at least 1", "0");
    if (!graph_is_constant(c->graph, c->node->inputs[TABLE]))
        return true;
    rows = gpu_op_cut(c->graph, c->node, c->options, c->limits, &cut) ? cut.rows
                                                                      : (uint32_t)table->dims[0];
    return is_packed(c->graph, c->options, c->limits, c->node->inputs[TABLE], rows) ||
           check_storable(c, TABLE, rows * slices_of(table));
}

/* A run of rows of the table: input `of` of the node. */
struct run {
    int ids, dst; /* plan tensors */
    int table;    /* of the graph */
    uint32_t first, rows, all;
};

/* Whole rows of floats. */
static enum status plan_floats(struct planner *p, const struct graph_node *n, const struct run *r)
{
    const struct graph_tensor *table = &p->graph->tensors[r->table];
    const struct plan_tensor *y = &p->plan->tensors[r->dst], *i = &p->plan->tensors[r->ids];
    const struct gather_args args = { .slices = y->rows * y->slices,
                                      .out_channels = y->channels,
                                      .out_slices = y->slices,
                                      .in_channels = y->channels,
                                      .in_slices = y->slices,
                                      .index_channels = i->channels,
                                      .index_pitch = 4 * i->slices,
                                      .outer = 1,
                                      .first = r->first,
                                      .extent = r->rows,
                                      .count = i->channels,
                                      .inner = (uint32_t)(table->elements / r->rows),
                                      .size = { r->all },
                                      .stride = { 1 } };
    struct plan_step *s = planner_step(p, planner_moving_shader(p, r->dst, MOVING_SHADER("gather")),
                                       n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, GATHER_SPEC_WHOLE, 1);
    step_spec(s, GATHER_SPEC_DEPTH, 1);
    step_thawable(s, GATHER_SPEC_WHOLE, GATHER_SPEC_DEPTH);
    step_write(p, s, 0, r->dst);
    TRY(operand_moved(p, s, 1, r->table, r->dst));
    step_read(p, s, 2, r->ids);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.slices);
}

static enum status plan_packed(struct planner *p, const struct graph_node *n, const struct run *r)
{
    const struct plan_tensor *y = &p->plan->tensors[r->dst];
    struct embedding_lookup_args args;
    struct packed_weights packed;
    struct plan_step *s;

    TRY(packed_weights_pack(p, packed_weights_of(p->graph, r->table), -1, PACKED_COLUMNS_MAX,
                            &packed));
    if (!(s = planner_step(p, "embedding_lookup", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct embedding_lookup_args){
        .count = y->rows * y->slices,
        .slices = y->slices,
        .all = r->all,
        .first = r->first,
        .rows = r->rows,
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
    step_write(p, s, 0, r->dst);
    step_read(p, s, 1, r->ids);
    step_constants(s, 2, &packed.weights);
    step_constants(s, 3, &packed.sides);
    return step_items(p, s, args.count);
}

static enum status plan_embedding_lookup(struct planner *p, const struct graph_node *n)
{
    struct run r = { .ids = planner_tensor(p, n->inputs[IDS]),
                     .dst = planner_tensor(p, n->outputs[0]) };

    if (r.ids < 0 || r.dst < 0)
        return STATUS_NO_MEMORY;
    for (int i = TABLE; i < n->input_count; i++)
        r.all += (uint32_t)graph_input(p->graph, n, i)->dims[0];
    for (int i = TABLE; i < n->input_count; i++, r.first += r.rows) {
        r.table = n->inputs[i];
        r.rows = (uint32_t)p->graph->tensors[r.table].dims[0];
        TRY(is_packed(p->graph, p->options, p->limits, r.table, r.rows) ? plan_packed(p, n, &r)
                                                                        : plan_floats(p, n, &r));
    }
    return STATUS_OK;
}

static const struct gpu_op ops[] = {
    { GPU_OP(EMBEDDING_LOOKUP, 5), .accept = accept_embedding_lookup, .plan = plan_embedding_lookup,
      .table = table_of, .shape = shape_embedding_lookup },
};
const struct gpu_family gpu_embedding_lookup = { ops, sizeof ops / sizeof ops[0] };
