/* Rounds reals to the steps of an 8-bit tensor (float view), as fake quantization does; other GPU
 * delegates call it QuantizeAndDequantize.  It is no op of a model: transform/float_view.c inserts
 * it after nodes, and transform/rounding.c merges it into them where it can. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/simulate.args.h"
#include "delegate/plan/planner.h"
#include "delegate/transform/float_view.h"

static enum status plan(struct planner *p, const struct graph_node *n)
{
    const struct graph_steps steps = float_view_steps(graph_output(p->graph, n, 0));
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, "simulate", n, WORKGROUP, 1, 1);
    struct simulate_args args;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args =
        (struct simulate_args){ .count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices,
                                .scale = steps.scale,
                                .low = steps.low,
                                .high = steps.high };
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_in_place(s, 1);
    return step_items(p, s, args.count);
}

const struct gpu_op gpu_simulate = { .code = BUILTIN_QUANTIZE, .plan = plan };
