/* ONE_HOT of computed i32 indices; depth and both values are constants. */
#include "delegate/accept/refusal.h"
#include "delegate/base/stored_half.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/graph/shapes.h"
#include "delegate/ops/move/one_hot.args.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

static int axis_of(const struct graph *g, const struct graph_node *n)
{
    const int axis = ((const TfLiteOneHotParams *)n->params)->axis;

    return axis == -1 ? graph_input(g, n, 0)->rank : axis;
}

static bool shape_one_hot(const struct graph *g, const struct graph_node *n, int i,
                          struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const int axis = axis_of(g, n);
    const int64_t depth = graph_constant_int(g, n->inputs[1], 0);

    (void)i;
    if (x->rank < 0 || x->rank == GRAPH_MAX_RANK || axis < 0 || axis > x->rank || depth < 0)
        return false;
    s->rank = x->rank + 1;
    for (int d = 0; d < s->rank; d++)
        s->dims[d] = d == axis ? (int32_t)depth : x->dims[d - (d > axis)];
    return true;
}

/* Input i is a constant of one element. */
static bool check_scalar(struct check *c, int i, const char *field)
{
    const int tensor = c->node->inputs[i];

    if (tensor >= 0 && c->graph->tensors[tensor].data && c->graph->tensors[tensor].elements == 1)
        return true;
    return refuse(c, RULE_ONE_HOT_CONSTANTS, tensor, field, "make it a constant of the model",
                  "a constant of 1 element", "%s", tensor < 0 ? "absent" : "another tensor");
}

static bool accept_one_hot(struct check *c)
{
    const struct graph_tensor *y;
    struct graph_shape shape;

    if (!check_counts(c, 4, 4, 1) || !check_params(c) ||
        !check_computed_data(c, 0, 0, GRAPH_MAX_RANK - 1, CHECK_I32) ||
        !check_data_output(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL) || !check_scalar(c, 1, "depth") ||
        !check_scalar(c, 2, "on_value") || !check_scalar(c, 3, "off_value"))
        return false;
    y = graph_output(c->graph, c->node, 0);
    if (!check_tensor_type(c, c->node->inputs[1], kTfLiteInt32) ||
        !check_tensor_type(c, c->node->inputs[2], y->type) ||
        !check_tensor_type(c, c->node->inputs[3], y->type) ||
        (y->type == kTfLiteFloat32 && (!check_storable(c, 2, 1) || !check_storable(c, 3, 1))))
        return false;
    if (!(shape_one_hot(c->graph, c->node, 0, &shape) && shapes_are(y, &shape)))
        return refuse(c, RULE_ONE_HOT_SHAPE, c->node->outputs[0], "axis, dims",
                      "the model is malformed", "the indices' dims, with depth at axis",
                      "rank %d, axis %d", y->rank, axis_of(c->graph, c->node));
    return true;
}

/* The element of a constant, as the shader stores it. */
static uint32_t bits_of(const struct planner *p, int tensor)
{
    const struct graph *g = p->graph;
    const struct graph_tensor *t = &g->tensors[tensor];
    uint32_t bits;
    float value;

    if (t->type != kTfLiteFloat32)
        return (uint32_t)graph_constant_int(g, tensor, 0) &
               (t->type == kTfLiteInt32 ? UINT32_MAX : 0xff);
    value = graph_constant_float(g, tensor, 0);
    if (p->plan->half)
        return stored_half(value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static enum status plan_one_hot(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    const int axis = axis_of(p->graph, n);
    struct one_hot_args args;
    struct plan_step *s;

    if (src < 0 || dst < 0 ||
        !(s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("one_hot")), n, WORKGROUP,
                           1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct one_hot_args){ .channels = p->plan->tensors[dst].channels,
                                  .slices = p->plan->tensors[dst].slices,
                                  .index_channels = p->plan->tensors[src].channels,
                                  .index_pitch = 4 * p->plan->tensors[src].slices,
                                  .depth = (uint32_t)y->dims[axis],
                                  .inner = 1,
                                  .on = bits_of(p, n->inputs[2]),
                                  .off = bits_of(p, n->inputs[3]) };
    args.count = p->plan->tensors[dst].rows * args.slices;
    for (int d = axis + 1; d < y->rank; d++)
        args.inner *= (uint32_t)y->dims[d];
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

static const struct gpu_op ops[] = {
    { GPU_OP(ONE_HOT, 1), .accept = accept_one_hot, .plan = plan_one_hot, .shape = shape_one_hot },
};
const struct gpu_family gpu_one_hot = { ops, sizeof ops / sizeof ops[0] };
