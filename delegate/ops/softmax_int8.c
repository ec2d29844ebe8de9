/* SOFTMAX in fixed point.
 * Meaning: reference/ops/softmax.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/softmax_int8.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

enum { EXPONENT_BITS = 26, VALUES = 256 };

/* From a difference of integers to an exponent. */
static double factor_of(const struct graph *g, const struct graph_node *n)
{
    const TfLiteSoftmaxParams *params = n->params;
    const double scale = tensor_scale(graph_input(g, n, 0));

    return fmin((double)params->beta * scale * ldexp(1, EXPONENT_BITS), INT32_MAX);
}

static bool accept_softmax(struct check *c)
{
    const double real = factor_of(c->graph, c->node);

    if (!check_unit_output(c, 0.001))
        return false;
    return real > 1 ||
           refuse(c, RULE_SOFTMAX_STEP, c->node->inputs[0], "beta * scale",
                  "the model is malformed", "more than 2^-26", "%g", ldexp(real, -EXPONENT_BITS));
}

/* The powers of the differences that 8-bit numbers have, in units of 2^-31. */
static enum status pack_powers(struct planner *p, const struct graph_node *n, struct packed *packed)
{
    const struct fixed_multiplier m = requantize_multiplier(factor_of(p->graph, n));
    /* Differences below count as nothing: -31 is as far as an exponent goes. */
    const int32_t least = -(int32_t)floor(31 * ldexp(1, EXPONENT_BITS - m.e));

    TRY(planner_pack_words(p, VALUES, packed));
    for (int32_t i = 0; i < VALUES; i++)
        if (-i >= least)
            planner_put_word(p, packed, (uint64_t)i, (uint32_t)fixed_exp(fixed_multiply(-i, m)));
    return STATUS_OK;
}

static enum status plan_softmax(struct planner *p, const struct graph_node *n)
{
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, "softmax_int8", n, WORKGROUP, 1, 1);
    struct softmax_int8_args args;
    struct packed powers;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    TRY(pack_powers(p, n, &powers));
    args = (struct softmax_int8_args){
        .count = p->plan->tensors[dst].rows,
        .channels = p->plan->tensors[dst].channels,
        .slices = p->plan->tensors[dst].slices,
    };
    step_spec(s, SOFTMAX_INT8_SPEC_SIGNED, graph_output(p->graph, n, 0)->type == kTfLiteInt8);
    step_shared(s, WORKGROUP * (uint32_t)sizeof(uint32_t));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &powers);
    return step_groups(p, s, args.count);
}

const struct gpu_exact exact_softmax = { accept_softmax, plan_softmax };
