/* CUMSUM along a constant axis.
 * Meaning: reference/ops/cumsum.c */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/reduce/cumsum.args.h"
#include "delegate/ops/reduce/softmax.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* Elements or slices along the axis from which a workgroup adds them up, in blocks: 1,024 rows of
 * 64 channels took an H200 67 us by an invocation a column.  It does not depend on how many columns
 * there are, so that an image has the same bits in any batch. */
enum { SCAN_MIN = 64 };

/* The axis as a dim of the input; -1 when it is out of range. */
static int axis_of(const struct graph *g, const struct graph_node *n)
{
    const int rank = graph_input(g, n, 0)->rank;
    const int64_t axis = graph_constant_int(g, n->inputs[1], 0);

    return axis < -rank || axis >= rank ? -1 : (int)(axis < 0 ? axis + rank : axis);
}

static bool accept_cumsum(struct check *c)
{
    const struct graph_tensor *x, *axis;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) ||
        !check_computed_data(c, 0, 1, GRAPH_MAX_RANK, CHECK_VALUES | CHECK_I32) ||
        !check_data_output(c, 0, 1, GRAPH_MAX_RANK, CHECK_VALUES | CHECK_I32) ||
        !check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) ||
        !check_same_shape(c, RULE_TENSOR_SHAPE))
        return false;
    x = graph_input(c->graph, c->node, 0);
    axis = graph_input(c->graph, c->node, 1);
    if (!axis || !axis->data || axis->elements != 1 || axis->type != kTfLiteInt32)
        return refuse(c, RULE_REDUCE_AXES_CONSTANT, axis ? c->node->inputs[1] : -1, "axis",
                      "make the axis a constant of the model", "one constant i32", "%s",
                      axis && axis->data ? "another type or number" : "not a constant");
    if (axis_of(c->graph, c->node) < 0)
        return refuse(c, RULE_REDUCE_AXES_RANGE, c->node->inputs[1], "axis",
                      "the model is malformed", "within the input's rank", "rank %d", x->rank);
    return check_loop_iterations(c, (uint64_t)x->dims[axis_of(c->graph, c->node)] * 2);
}

static enum status plan_cumsum(struct planner *p, const struct graph_node *n)
{
    const TfLiteCumsumParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]), dst = planner_tensor(p, n->outputs[0]);
    const int axis = axis_of(p->graph, n);
    const bool over_channels = axis == x->rank - 1;
    const struct plan_tensor *t;
    struct cumsum_args args;
    struct plan_step *s;
    uint32_t length, invocations;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    t = &p->plan->tensors[dst];
    length = over_channels ? t->slices : (uint32_t)x->dims[axis];
    invocations = length < SCAN_MIN ? WORKGROUP : softmax_invocations(p->limits, length);
    if (!(s = planner_step(p, x->type == kTfLiteInt32 ? "cumsum.word" : "cumsum", n, invocations, 1,
                           1)))
        return STATUS_NO_MEMORY;
    args = (struct cumsum_args){
        .channels = t->channels, .slices = t->slices, .extent = (uint32_t)x->dims[axis], .inner = 1
    };
    args.count = over_channels ? t->rows : t->rows / args.extent * t->slices;
    for (int d = axis + 1; d < x->rank - 1; d++)
        args.inner *= (uint32_t)x->dims[d];
    step_spec(s, CUMSUM_SPEC_OVER_CHANNELS, over_channels);
    step_spec(s, CUMSUM_SPEC_EXCLUSIVE, params->exclusive);
    step_spec(s, CUMSUM_SPEC_REVERSE, params->reverse);
    step_spec(s, CUMSUM_SPEC_SCAN, length >= SCAN_MIN);
    step_thawable(s, CUMSUM_SPEC_OVER_CHANNELS, CUMSUM_SPEC_REVERSE);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    if (length < SCAN_MIN)
        return step_items(p, s, args.count);
    step_shared(s, invocations * 4 * (uint32_t)sizeof(float));
    return step_groups(p, s, args.count);
}

static const struct gpu_op ops[] = {
    { GPU_OP(CUMSUM, 1), .accept = accept_cumsum, .plan = plan_cumsum },
};
const struct gpu_family gpu_cumsum = { ops, sizeof ops / sizeof ops[0] };
