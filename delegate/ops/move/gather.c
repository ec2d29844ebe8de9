/* GATHER and GATHER_ND: indices are i32 or i64, or constants of any integer type; one of the two
 * inputs may be a constant, as the table of an embedding is. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/gather.args.h"
#include "delegate/ops/operand.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* Whose dimensions the tensors have: [batches, outer, extent, inner] of the source, [batches,
 * count, depth] of the indices. */
struct gather {
    int axis, batch; /* of GATHER: as indices of dimensions */
    int depth;
    struct graph_shape shape; /* of the result */
    uint32_t outer, extent, count, inner;
};

static bool is_nd(const struct graph_node *n)
{
    return n->code == BUILTIN_GATHER_ND;
}

static bool append(struct graph_shape *s, const struct graph_tensor *t, int first, int last)
{
    for (int d = first; d < last; d++) {
        if (s->rank == GRAPH_MAX_RANK)
            return false;
        s->dims[s->rank++] = t->dims[d];
    }
    return true;
}

/* All fit 32 bits, since they count elements of tensors that do. */
static uint32_t product(const struct graph_tensor *t, int first, int last)
{
    uint32_t n = 1;

    for (int d = first; d < last; d++)
        n *= (uint32_t)t->dims[d];
    return n;
}

/* False: options and shapes do not fit together. */
static bool gather_of(const struct graph *g, const struct graph_node *n, struct gather *out)
{
    const TfLiteGatherParams *params = n->params;
    const struct graph_tensor *x = graph_input(g, n, 0), *indices = graph_input(g, n, 1);

    *out = (struct gather){ .depth = 1 };
    if (x->rank < 1 || indices->rank < 0)
        return false;
    if (is_nd(n)) {
        out->depth = indices->rank > 0 ? indices->dims[indices->rank - 1] : -1;
        if (out->depth < 1 || out->depth > x->rank)
            return false;
        out->outer = 1;
        out->extent = product(x, 0, out->depth);
        out->count = product(indices, 0, indices->rank - 1);
        out->inner = product(x, out->depth, x->rank);
        return append(&out->shape, indices, 0, indices->rank - 1) &&
               append(&out->shape, x, out->depth, x->rank);
    }
    out->axis = params->axis < 0 ? params->axis + x->rank : params->axis;
    out->batch = params->batch_dims < 0 ? params->batch_dims + indices->rank : params->batch_dims;
    if (out->axis < 0 || out->axis >= x->rank || out->batch < 0 || out->batch > out->axis ||
        out->batch > indices->rank)
        return false;
    for (int d = 0; d < out->batch; d++)
        if (x->dims[d] != indices->dims[d])
            return false;
    out->outer = product(x, out->batch, out->axis);
    out->extent = (uint32_t)x->dims[out->axis];
    out->count = product(indices, out->batch, indices->rank);
    out->inner = product(x, out->axis + 1, x->rank);
    return append(&out->shape, x, 0, out->axis) &&
           append(&out->shape, indices, out->batch, indices->rank) &&
           append(&out->shape, x, out->axis + 1, x->rank);
}

/* The dimension of the source that index k of a tuple is in. */
static int dimension_of(const struct graph_node *n, const struct gather *gather, int k)
{
    return is_nd(n) ? k : gather->axis;
}

/* Constant indices lie within the source. */
static bool check_indices(struct check *c, const struct gather *gather)
{
    const int tensor = c->node->inputs[1];
    const struct graph_tensor *indices = &c->graph->tensors[tensor];
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);

    if (!indices->data)
        return indices->type == kTfLiteInt64 || check_tensor_type(c, tensor, kTfLiteInt32);
    if (indices->elements > c->limits->max_storage_buffer_range / 4)
        return refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, tensor, 4 * (uint64_t)indices->elements);
    for (size_t i = 0; i < indices->elements; i++) {
        const int d = dimension_of(c->node, gather, (int)(i % (size_t)gather->depth));
        const int64_t index = graph_constant_int(c->graph, tensor, i);

        if (index < 0 || index >= x->dims[d])
            return refuse(c, RULE_GATHER_INDICES, tensor, "indices", "the model is malformed",
                          "0 to the dimension of the input, less 1", "%lld in dim %d of %d",
                          (long long)index, d, x->dims[d]);
    }
    return true;
}

/* Bytes of a slice of a constant source. */
static uint32_t slice_bytes(const struct graph *g, const struct graph_node *n,
                            const struct gpu_options *options)
{
    const struct graph_tensor *x = graph_input(g, n, 0);

    if (x->type != kTfLiteFloat32 && !graph_is_8bit(x))
        return 4 * (runtime_type_bits(x->type) / 8);
    if (options->quantized == QUANTIZED_EXACT && graph_is_quantized(g, n))
        return 4;
    return options_half(options) ? 8 : 16;
}

/* Rows of a table, as of an embedding. */
static bool table_of(const struct graph *g, const struct graph_node *n,
                     const struct gpu_options *options, struct gpu_table *table)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    struct gather gather;
    uint64_t channels;

    if (!graph_is_constant(g, n->inputs[0]) || x->rank < 2 || x->elements == 0 || is_nd(n) ||
        !gather_of(g, n, &gather) || gather.axis != 0)
        return false;
    channels = (uint64_t)x->dims[x->rank - 1];
    *table = (struct gpu_table){ .input = 0,
                                 .row_bytes = gather.inner / channels * ((channels + 3) / 4) *
                                              slice_bytes(g, n, options),
                                 .step = 4 };
    return true;
}

/* A constant source has elements, and fits one buffer, or some of its rows do, in the form of a
 * tensor of the device. */
static bool check_table(struct check *c)
{
    const int tensor = c->node->inputs[0];
    const struct graph_tensor *x = &c->graph->tensors[tensor];
    const uint64_t channels = (uint64_t)x->dims[x->rank - 1];
    struct gpu_table table;
    uint64_t slices, bytes;

    if (!graph_is_constant(c->graph, tensor))
        return true;
    if (x->elements == 0)
        return refuse(c, RULE_TENSOR_EMPTY, tensor, "elements",
                      "an empty tensor has no elements to gather", "at least 1", "0");
    slices = x->elements / channels * ((channels + 3) / 4);
    if (gpu_op_cut(c->graph, c->node, c->options, c->limits, &table))
        slices = slices / (size_t)x->dims[0] * table.rows;
    if (x->type == kTfLiteFloat32 || graph_is_8bit(x))
        return check_storable(c, 0, slices);
    bytes = slices * slice_bytes(c->graph, c->node, c->options);
    return bytes <= c->limits->max_storage_buffer_range ||
           refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, tensor, bytes);
}

static bool accept_gather(struct check *c)
{
    const struct graph_tensor *x, *y, *indices;
    struct gather gather;

    if (!check_counts(c, 2, 2, 1) || (!is_nd(c->node) && !check_params(c)) ||
        !(graph_is_constant(c->graph, c->node->inputs[1])
              ? check_computed_data(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL)
              : check_data_input(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL)) ||
        !check_data_output(c, 0, 0, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    indices = graph_input(c->graph, c->node, 1);
    if (!indices || (indices->type != kTfLiteInt32 && indices->type != kTfLiteInt64 &&
                     indices->type != kTfLiteInt16))
        return refuse(c, RULE_TENSOR_TYPE, indices ? c->node->inputs[1] : -1, "type",
                      "the model is malformed", "i32, i64, or a constant of i16", "%s",
                      indices ? runtime_type_name(indices->type) : "absent");
    if (!gather_of(c->graph, c->node, &gather) || gather.shape.rank != y->rank)
        return refuse(c, RULE_GATHER_SHAPES, c->node->outputs[0], "axis, batch_dims, dims",
                      "the model is malformed", "what params and indices give",
                      "rank %d from ranks %d and %d", y->rank, x->rank, indices->rank);
    for (int d = 0; d < y->rank; d++)
        if (y->dims[d] != gather.shape.dims[d])
            return refuse(c, RULE_GATHER_SHAPES, c->node->outputs[0], "dims",
                          "the model is malformed", "what params and indices give",
                          "%d on dim %d, expected %d", y->dims[d], d, gather.shape.dims[d]);
    return check_indices(c, &gather) && check_table(c);
}

static bool shape_gather(const struct graph *g, const struct graph_node *n, int i,
                         struct graph_shape *s)
{
    struct gather gather;

    (void)i;
    if (!gather_of(g, n, &gather))
        return false;
    *s = gather.shape;
    return true;
}

/* Binds the indices: constant ones as one row. */
static enum status bind_indices(struct planner *p, struct plan_step *s, const struct graph_node *n,
                                struct gather_args *args)
{
    const struct graph_tensor *indices = graph_input(p->graph, n, 1);
    struct packed packed;
    int tensor;

    if (!indices->data) {
        if ((tensor = planner_tensor(p, n->inputs[1])) < 0)
            return STATUS_NO_MEMORY;
        args->index_channels = p->plan->tensors[tensor].channels;
        args->index_pitch = 4 * p->plan->tensors[tensor].slices;
        step_read(p, s, 2, tensor);
        return STATUS_OK;
    }
    TRY(planner_pack_words(p, indices->elements, &packed));
    for (size_t i = 0; i < indices->elements && planner_packs(p); i++)
        planner_put_word(p, &packed, i, (uint32_t)graph_constant_int(p->graph, n->inputs[1], i));
    args->index_channels = args->index_pitch = (uint32_t)indices->elements;
    step_constants(s, 2, &packed);
    return STATUS_OK;
}

/* From input `from`: the source, or a run of its rows. */
static enum status plan_source(struct planner *p, const struct graph_node *n, int from, int dst,
                               struct gather_args args)
{
    const struct graph_tensor *indices = graph_input(p->graph, n, 1);
    struct plan_step *s =
        planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("gather")), n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, GATHER_SPEC_WHOLE,
              args.inner % args.in_channels == 0 && args.out_channels == args.in_channels);
    step_spec(s, GATHER_SPEC_DEPTH, is_nd(n) ? (uint32_t)indices->dims[indices->rank - 1] : 1);
    step_thawable(s, GATHER_SPEC_WHOLE, GATHER_SPEC_DEPTH);
    step_write(p, s, 0, dst);
    TRY(operand_moved(p, s, 1, n->inputs[from], dst));
    TRY(bind_indices(p, s, n, &args));
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.slices);
}

static enum status plan_gather(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const uint32_t channels = (uint32_t)x->dims[x->rank - 1];
    const int dst = planner_tensor(p, n->outputs[0]);
    struct gather_args args = { 0 };
    struct gather gather;
    uint32_t stride = 1;

    if (!gather_of(p->graph, n, &gather))
        return diag_fail(p->diag, STATUS_INVALID, "params and indices do not fit together");
    if (dst < 0)
        return STATUS_NO_MEMORY;
    args = (struct gather_args){ .out_channels = p->plan->tensors[dst].channels,
                                 .out_slices = p->plan->tensors[dst].slices,
                                 .in_channels = channels,
                                 .in_slices = channels / 4 + (channels % 4 != 0),
                                 .outer = gather.outer,
                                 .extent = gather.extent,
                                 .count = gather.count,
                                 .inner = gather.inner };
    args.slices = p->plan->tensors[dst].rows * args.out_slices;
    for (int k = gather.depth - 1; k >= 0; k--) {
        args.size[k] = (uint32_t)x->dims[dimension_of(n, &gather, k)];
        args.stride[k] = stride;
        stride *= args.size[k];
    }
    for (int i = 2; i < n->input_count; i++) /* more runs of a table */
        args.size[0] += (uint32_t)graph_input(p->graph, n, i)->dims[0];
    TRY(plan_source(p, n, 0, dst, args));
    for (int i = 2; i < n->input_count; i++) {
        args.first += args.extent;
        args.extent = (uint32_t)graph_input(p->graph, n, i)->dims[0];
        TRY(plan_source(p, n, i, dst, args));
    }
    return STATUS_OK;
}

#define GATHERS                                                                                    \
    GPU_MOVES, .accept = accept_gather, .plan = plan_gather, .shape = shape_gather,                \
               .table = table_of

static const struct gpu_op ops[] = {
    { GPU_OP(GATHER, 8), GATHERS },
    { GPU_OP(GATHER_ND, 5), GATHERS },
};
const struct gpu_family gpu_gather = { ops, sizeof ops / sizeof ops[0] };
