/* ARG_MAX, ARG_MIN along a constant axis; i32 indices, which the host may have in i64.
 * Meaning: reference/ops/arg_max.c */
#include "delegate/ops/reduce/arg_max.args.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { LARGEST, LEAST };

/* The axis as a dim of the input; -1 when it is out of range. */
static int axis_of(const struct graph *g, const struct graph_node *n)
{
    const int rank = graph_input(g, n, 0)->rank;
    const int64_t axis = graph_constant_int(g, n->inputs[1], 0);

    return axis < -rank || axis >= rank ? -1 : (int)(axis < 0 ? axis + rank : axis);
}

static bool check_axis(struct check *c)
{
    const struct graph_tensor *axis = graph_input(c->graph, c->node, 1);

    if (!axis || !axis->data || axis->elements != 1 ||
        (axis->type != kTfLiteInt32 && axis->type != kTfLiteInt64))
        return refuse(c, RULE_REDUCE_AXES_CONSTANT, axis ? c->node->inputs[1] : -1, "axis",
                      "make the axis a constant of the model", "one constant i32 or i64", "%s",
                      axis && axis->data ? "another type or number" : "not a constant");
    return axis_of(c->graph, c->node) >= 0 ||
           refuse(c, RULE_REDUCE_AXES_RANGE, c->node->inputs[1], "axis", "the model is malformed",
                  "within the input's rank", "rank %d", graph_input(c->graph, c->node, 0)->rank);
}

static bool accept_arg_max(struct check *c)
{
    const struct graph_tensor *x;
    TfLiteType type;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) ||
        !check_computed_data(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL))
        return false;
    x = graph_input(c->graph, c->node, 0);
    type = graph_output(c->graph, c->node, 0)->type;
    if (type != kTfLiteInt32)
        return refuse(c, RULE_TENSOR_TYPE, c->node->outputs[0], "type", "the model is malformed",
                      "i32 or i64", "%s", runtime_type_name(type));
    if (!check_axis(c))
        return false;
    /* Along the channels an invocation finds four indices, one after the other. */
    return check_loop_iterations(c, (uint64_t)x->dims[axis_of(c->graph, c->node)] * 2);
}

static bool shape_arg_max(const struct graph *g, const struct graph_node *n, int i,
                          struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const int axis = x->rank < 1 ? -1 : axis_of(g, n);

    (void)i;
    if (axis < 0)
        return false;
    s->rank = 0;
    for (int d = 0; d < x->rank; d++)
        if (d != axis)
            s->dims[s->rank++] = x->dims[d];
    return true;
}

static const char *shader_of(const struct graph_tensor *x)
{
    if (graph_is_8bit(x) || x->type == kTfLiteBool)
        return "arg_max.byte";
    return x->type == kTfLiteInt32 ? "arg_max.word" : "arg_max";
}

static enum status plan_arg_max(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]), dst = planner_tensor(p, n->outputs[0]);
    const int axis = axis_of(p->graph, n);
    struct plan_step *s = planner_step(p, shader_of(x), n, WORKGROUP, 1, 1);
    struct arg_max_args args;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args = (struct arg_max_args){
        .count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices,
        .out_channels = p->plan->tensors[dst].channels,
        .out_slices = p->plan->tensors[dst].slices,
        .in_slices = p->plan->tensors[src].slices,
        .extent = (uint32_t)x->dims[axis],
        .inner = 1,
    };
    for (int d = axis + 1; d < x->rank - 1; d++)
        args.inner *= (uint32_t)x->dims[d];
    step_spec(s, ARG_MAX_SPEC_OVER_CHANNELS, axis == x->rank - 1);
    step_spec(s, ARG_MAX_SPEC_LEAST, n->op->variant == LEAST);
    step_spec(s, ARG_MAX_SPEC_SIGNED, x->type == kTfLiteInt8);
    step_thawable(s, ARG_MAX_SPEC_OVER_CHANNELS, ARG_MAX_SPEC_SIGNED);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

/* Bytes are compared as they are. */
const struct gpu_exact exact_arg_max = { NULL, NULL };

#define ARG(code_, version, variant_)                                                              \
    {                                                                                              \
        .code = (code_), .max_version = (version), .variant = (variant_), .exact = &exact_arg_max, \
        .index_outputs = 1, .accept = accept_arg_max, .plan = plan_arg_max, .shape = shape_arg_max \
    }

static const struct gpu_op ops[] = {
    ARG(BUILTIN_ARG_MAX, 3, LARGEST),
    ARG(BUILTIN_ARG_MIN, 2, LEAST),
};
const struct gpu_family gpu_arg_max = { ops, sizeof ops / sizeof ops[0] };
