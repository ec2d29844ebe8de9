/* SOFTMAX of 8-bit tensors, also with results of i16, and of i16, in fixed point, and the powers of
 * LOG_SOFTMAX. Meaning: reference/ops/softmax.c, log_softmax.c */
#include "delegate/ops/reduce/softmax_int8.h"

#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/product/conv_2d_int8.args.h"
#include "delegate/ops/reduce/softmax.h"
#include "delegate/ops/reduce/softmax_int16.args.h"
#include "delegate/ops/reduce/softmax_int8.args.h"
#include "delegate/ops/reduce/tail.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <string.h>

enum { EXPONENT_BITS = 26, VALUES = 256 };
/* Of i16: entries of a table; powers of 15 bits that a sum of 32 bits holds. */
enum { ENTRIES = 513, CHANNELS_MAX = 60000 };

/* Real multiplier from a difference of input integers to the argument of exp() in Q5.26, with the
 * bound of TensorFlow Lite's PreprocessSoftmaxScaling. */
static double exponent_multiplier(const struct graph *g, const struct graph_node *n, double beta)
{
    return fmin(beta * tensor_scale(graph_input(g, n, 0)) * ldexp(1, EXPONENT_BITS), INT32_MAX);
}

/* The same of i16, to units of 10/65535. */
static double index_multiplier(const struct graph *g, const struct graph_node *n)
{
    const TfLiteSoftmaxParams *params = n->params;

    return tensor_scale(graph_input(g, n, 0)) * (double)params->beta / (10.0 / 65535.0);
}

static bool accept_short(struct check *c)
{
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const int32_t channels = x->dims[x->rank - 1];

    if (channels > CHANNELS_MAX)
        return refuse(c, RULE_QUANT_SUM, c->node->inputs[0], "channels", "split the sum", "60000",
                      "%d", channels);
    return check_multiplier(c, c->node->inputs[0], "beta * scale / (10 / 65535)",
                            index_multiplier(c->graph, c->node));
}

bool check_exponents(struct check *c, double beta)
{
    const double real = exponent_multiplier(c->graph, c->node, beta);

    return real > 1 ||
           refuse(c, RULE_SOFTMAX_STEP, c->node->inputs[0], "beta * scale",
                  "the model is malformed", "more than 2^-26", "%g", ldexp(real, -EXPONENT_BITS));
}

static double beta_of(const struct graph_node *n)
{
    const TfLiteSoftmaxParams *params = n->params;

    return (double)params->beta;
}

/* Each channel may count as 1, and the CPU's sum has 12 bits before the point. */
static bool accept_wide(struct check *c)
{
    const struct graph_tensor *const x = graph_input(c->graph, c->node, 0);
    const int32_t channels = x->dims[x->rank - 1];

    return channels < 1 << 12 ||
           refuse(c, RULE_QUANT_SUM, c->node->inputs[0], "channels", "the CPU's sum overflows, too",
                  "4095 with an output of i16", "%d", channels);
}

static bool accept_softmax(struct check *c)
{
    if (softmax_is_wide(c->graph, c->node))
        return check_output_steps(c, 1. / 65536, 0.001, INT16_MIN) && accept_wide(c) &&
               check_exponents(c, beta_of(c->node));
    if (!check_unit_output(c, 0.001))
        return false;
    return graph_input(c->graph, c->node, 0)->type == kTfLiteInt16
               ? accept_short(c)
               : check_exponents(c, beta_of(c->node));
}

/* Below it exp() counts as 0: an exponent has 5 integer bits. */
static int32_t least_difference(struct fixed_multiplier m)
{
    return -(int32_t)floor(31 * ldexp(1, EXPONENT_BITS - m.e));
}

/* exp() of the 256 differences, 0 to -255, that 8-bit integers have to the row's maximum, in Q0.31.
 */
static void put_exponentials(struct planner *p, struct fixed_multiplier m,
                             const struct packed *packed)
{
    for (int32_t i = 0; i < VALUES; i++)
        if (-i >= least_difference(m))
            planner_put_word(p, packed, (uint64_t)i, (uint32_t)fixed_exp(fixed_multiply(-i, m)));
}

/* ---- i16 ---- */

static double one_over_one_plus(double x)
{
    return 1 / (1 + x);
}

/* TensorFlow Lite's table of f over [low, high] in Q0.15: an entry is moved by half of what linear
 * interpolation is off in the middle of the interval behind it. */
static void put_table(struct planner *p, const struct packed *packed, uint32_t first,
                      double (*f)(double), double low, double high)
{
    const double step = (high - low) / (ENTRIES - 1);

    for (int i = 0; i < ENTRIES; i++) {
        const double x = low + i * step, value = round(f(x) * 32768);
        const double between = round((f(low + (i + 1) * step) * 32768 + value) / 2);
        const double off = between - round(f(x + step / 2) * 32768);
        const double v = i < ENTRIES - 1 ? value - round(off / 2) : round(f(high) * 32768);

        planner_put_word(p, packed, first + (uint32_t)i, (uint32_t)fmin(v, INT16_MAX));
    }
}

static enum status plan_short(struct planner *p, const struct graph_node *n)
{
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    const struct fixed_multiplier m = requantize_multiplier(index_multiplier(p->graph, n));
    struct plan_step *s = planner_step(p, "softmax_int16.i16", n, WORKGROUP, 1, 1);
    struct softmax_int16_args args;
    struct packed tables;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    TRY(planner_pack_words(p, 2 * ENTRIES, &tables));
    put_table(p, &tables, 0, exp, -10, 0);
    put_table(p, &tables, ENTRIES, one_over_one_plus, 0, 1);
    args = (struct softmax_int16_args){ .count = p->plan->tensors[dst].rows,
                                        .channels = p->plan->tensors[dst].channels,
                                        .slices = p->plan->tensors[dst].slices,
                                        .multiplier = m.q,
                                        .shift = m.e };
    step_shared(s, WORKGROUP * (uint32_t)sizeof(uint32_t));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &tables);
    return step_groups(p, s, args.count);
}

enum status softmax_int8_plan(struct planner *p, const struct graph_node *n, double beta, bool log)
{
    const struct fixed_multiplier to =
        requantize_multiplier(exponent_multiplier(p->graph, n, beta));
    const struct fixed_multiplier from = requantize_multiplier(ldexp(1, 31 - to.e) / to.q);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct softmax_int8_args args;
    struct packed exponentials;
    struct plan_step *s;
    uint32_t width;
    bool alone;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    alone = softmax_alone(p, n, dst);
    width = softmax_invocations(p->limits, p->plan->tensors[dst].slices);
    if (!(s = planner_step(p, "softmax_int8", n, width, 1, 1)))
        return STATUS_NO_MEMORY;
    TRY(planner_pack_words(p, VALUES, &exponentials));
    put_exponentials(p, to, &exponentials);
    args = (struct softmax_int8_args){
        .count = p->plan->tensors[dst].rows,
        .channels = p->plan->tensors[dst].channels,
        .slices = p->plan->tensors[dst].slices,
        .to_q = to.q,
        .to_e = to.e,
        .from_q = from.q,
        .from_e = from.e,
        .least = least_difference(to),
    };
    step_spec(s, SOFTMAX_INT8_SPEC_SIGNED, graph_input(p->graph, n, 0)->type == kTfLiteInt8);
    step_spec(s, SOFTMAX_INT8_SPEC_LOG, log);
    step_spec(s, SOFTMAX_INT8_SPEC_WIDE, softmax_is_wide(p->graph, n));
    step_spec(s, SOFTMAX_INT8_SPEC_ALONE, alone);
    step_thawable(s, SOFTMAX_INT8_SPEC_SIGNED, SOFTMAX_INT8_SPEC_WIDE);
    step_shared(s, width * (uint32_t)sizeof(uint32_t));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &exponentials);
    return step_groups(p, s, alone ? (args.count + width - 1) / width : args.count);
}

/* By the last workgroup of the product: sums are integers, so their order does not matter. */
static enum status plan_tail(struct planner *p, const struct graph_node *n,
                             struct plan_step *product)
{
    const bool is_signed = graph_output(p->graph, n, 0)->type == kTfLiteInt8;
    const uint32_t *const size = product->spec; /* x, y, z */
    struct conv_2d_int8_args args;
    struct packed exponentials;

    memcpy(&args, product->push, sizeof args);
    TRY(tail_plan(p, n, product, VALUES, &args.tail, &exponentials));
    put_exponentials(p, requantize_multiplier(exponent_multiplier(p->graph, n, beta_of(n))),
                     &exponentials);
    step_push(product, &args, sizeof args);
    step_spec(product, CONV_2D_INT8_SPEC_TAIL,
              is_signed ? CONV_2D_INT8_SIGNED_TAIL : CONV_2D_INT8_UNSIGNED_TAIL);
    product->invocation_bytes += (uint32_t)sizeof(uint32_t); /* its part of a sum */
    step_shared(product, size[0] * size[1] * size[2] * product->invocation_bytes);
    return STATUS_OK;
}

static enum status plan_softmax(struct planner *p, const struct graph_node *n)
{
    struct plan_step *product;

    if (graph_input(p->graph, n, 0)->type == kTfLiteInt16)
        return plan_short(p, n);
    product = softmax_is_wide(p->graph, n) ? NULL : tail_product(p, n, "conv_2d_int8", VALUES);
    return product ? plan_tail(p, n, product) : softmax_int8_plan(p, n, beta_of(n), false);
}

const struct gpu_exact exact_softmax = { accept_softmax, plan_softmax };
