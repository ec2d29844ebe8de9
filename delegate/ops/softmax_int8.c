/* SOFTMAX of 8-bit tensors, in fixed point.
 * Meaning: reference/ops/softmax.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/softmax_int8.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

enum { EXPONENT_BITS = 26, VALUES = 256 };

/* Real multiplier from a difference of input integers to the argument of exp() in Q5.26, with the
 * bound of TensorFlow Lite's PreprocessSoftmaxScaling. */
static double exponent_multiplier(const struct graph *g, const struct graph_node *n)
{
    const TfLiteSoftmaxParams *params = n->params;
    const double scale = tensor_scale(graph_input(g, n, 0));

    return fmin((double)params->beta * scale * ldexp(1, EXPONENT_BITS), INT32_MAX);
}

static bool accept_softmax(struct check *c)
{
    const double real = exponent_multiplier(c->graph, c->node);

    if (!check_unit_output(c, 0.001))
        return false;
    return real > 1 ||
           refuse(c, RULE_SOFTMAX_STEP, c->node->inputs[0], "beta * scale",
                  "the model is malformed", "more than 2^-26", "%g", ldexp(real, -EXPONENT_BITS));
}

/* exp() of the 256 differences, 0 to -255, that 8-bit integers have to the row's maximum, in Q0.31.
 */
static enum status pack_exponentials(struct planner *p, const struct graph_node *n,
                                     struct packed *packed)
{
    const struct fixed_multiplier m = requantize_multiplier(exponent_multiplier(p->graph, n));
    /* Below it exp() counts as 0: an exponent has 5 integer bits. */
    const int32_t diff_min = -(int32_t)floor(31 * ldexp(1, EXPONENT_BITS - m.e));

    TRY(planner_pack_words(p, VALUES, packed));
    for (int32_t i = 0; i < VALUES; i++)
        if (-i >= diff_min)
            planner_put_word(p, packed, (uint64_t)i, (uint32_t)fixed_exp(fixed_multiply(-i, m)));
    return STATUS_OK;
}

static enum status plan_softmax(struct planner *p, const struct graph_node *n)
{
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, "softmax_int8", n, WORKGROUP, 1, 1);
    struct softmax_int8_args args;
    struct packed exponentials;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    TRY(pack_exponentials(p, n, &exponentials));
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
    step_constants(s, 2, &exponentials);
    return step_groups(p, s, args.count);
}

const struct gpu_exact exact_softmax = { accept_softmax, plan_softmax };
