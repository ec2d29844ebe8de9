/* L2_NORMALIZATION of 8-bit tensors, in fixed point.
 * Meaning: reference/ops/l2_normalization.c */
#include "delegate/accept/refusal.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/reduce/l2_normalization_int8.args.h"
#include "delegate/plan/planner.h"

static bool accept_l2_normalization(struct check *c)
{
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    return check_output_steps(c, 1. / 128, 0, y->type == kTfLiteInt8 ? 0 : 128);
}

static enum status plan_l2_normalization(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, "l2_normalization_int8", n, WORKGROUP, 1, 1);
    struct l2_normalization_int8_args args;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args = (struct l2_normalization_int8_args){
        .count = p->plan->tensors[dst].rows,
        .channels = p->plan->tensors[dst].channels,
        .slices = p->plan->tensors[dst].slices,
        .zero = tensor_zero_point(x),
    };
    step_spec(s, L2_NORMALIZATION_INT8_SPEC_SIGNED, x->type == kTfLiteInt8);
    step_thawable(s, L2_NORMALIZATION_INT8_SPEC_SIGNED, L2_NORMALIZATION_INT8_SPEC_SIGNED);
    step_shared(s, WORKGROUP * (uint32_t)sizeof(int32_t));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_groups(p, s, args.count);
}

const struct gpu_exact exact_l2_normalization = { accept_l2_normalization, plan_l2_normalization };
