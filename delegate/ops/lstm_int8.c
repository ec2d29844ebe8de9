/* LSTM u8 with the basic kernel: the float one's inputs and outputs (delegate/ops/lstm.c), with
 * sums in 32 bits and gates in 16. Meaning: reference/ops/lstm.c */
#include "delegate/ops/concatenation.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"

#include <math.h>

enum { X, H, WEIGHTS, BIAS, C, INPUTS };       /* inputs */
enum { OUT_H, OUT_C, OUT_XH, OUT_Z, OUTPUTS }; /* outputs */
enum { STEPS_OF_1 = 128, ZERO = 128, C_BITS = 11, Z_BITS = 12 };

struct product_args {
    uint32_t count, channels, in_slices, out_slices;
    int32_t weights_zero, factor, shift;
};
_Static_assert(sizeof(struct product_args) == 28, "lstm_product_int8.comp");

struct gates_args {
    uint32_t count, units, slices;
};
_Static_assert(sizeof(struct gates_args) == 12, "lstm_int8.comp");

static bool check_type(struct check *c, int tensor, TfLiteType type)
{
    const TfLiteType has = c->graph->tensors[tensor].type;

    return has == type ||
           refuse(c, RULE_LSTM_QUANT, tensor, "type", "the CPU kernel refuses it, too",
                  runtime_type_name(type), "%s", runtime_type_name(has));
}

/* A tensor has the one scale that the kernel computes with. */
static bool check_fixed(struct check *c, int tensor, TfLiteType type)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    const bool bytes = type == kTfLiteUInt8;

    if (!check_type(c, tensor, type))
        return false;
    if (t->quant.scale && tensor_scale(t) == (bytes ? 1. / STEPS_OF_1 : ldexp(1, -C_BITS)) &&
        tensor_zero_point(t) == (bytes ? ZERO : 0))
        return true;
    return refuse(c, RULE_LSTM_QUANT, tensor, "scale, zero point", "the CPU kernel refuses it, too",
                  bytes ? "1/128, 128" : "1/2048, 0", "%g, %d",
                  t->quant.scale ? tensor_scale(t) : 0, t->quant.scale ? tensor_zero_point(t) : 0);
}

/* From a sum to steps of a gate. */
static double factor_of(const struct graph_tensor *bias)
{
    return ldexp(tensor_scale(bias), Z_BITS);
}

static bool accept_lstm(struct check *c)
{
    const int *in = c->node->inputs, *out = c->node->outputs;
    const struct graph_tensor *bias = &c->graph->tensors[in[BIAS]];
    const uint64_t width = (uint64_t)c->graph->tensors[in[WEIGHTS]].dims[1];

    if (!check_fixed(c, in[X], kTfLiteUInt8) || !check_fixed(c, in[H], kTfLiteUInt8) ||
        !check_type(c, in[WEIGHTS], kTfLiteUInt8) || !check_type(c, in[BIAS], kTfLiteInt32) ||
        !check_fixed(c, in[C], kTfLiteInt16) || !check_fixed(c, out[OUT_H], kTfLiteUInt8) ||
        !check_fixed(c, out[OUT_C], kTfLiteInt16) || !check_fixed(c, out[OUT_XH], kTfLiteUInt8) ||
        !check_type(c, out[OUT_Z], kTfLiteInt16))
        return false;
    if (!bias->quant.scale || bias->quant.count != 1)
        return refuse(c, RULE_LSTM_QUANT, in[BIAS], "number of scales",
                      "the CPU kernel refuses it, too", "1", "%zu", bias->quant.count);
    return check_one_scale(c, in[WEIGHTS]) &&
           check_multiplier(c, in[BIAS], "bias scale in steps of 2^-12", factor_of(bias)) &&
           check_loop_iterations(c, (width + 3) / 4);
}

static enum status plan_joined(struct planner *p, const struct graph_node *n, int x, int h, int xh)
{
    struct plan_step *s = planner_step(p, "concatenation.byte", n, WORKGROUP, 1, 1);
    const struct plan_tensor *t = p->plan->tensors;
    struct concatenation_args args;

    if (!s)
        return STATUS_NO_MEMORY;
    args = (struct concatenation_args){
        .count = t[xh].rows * t[xh].slices,
        .pitch = t[xh].slices,
        .slices = t[xh].slices,
        .end = { t[x].channels, t[xh].channels, t[xh].channels },
        .pitch_of = { t[x].slices, t[h].slices, t[h].slices },
    };
    step_spec(s, CONCATENATION_SPEC_SPLIT, true); /* the inputs may meet inside a slice */
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, xh);
    step_read(p, s, 1, x);
    step_read(p, s, 2, h);
    step_read(p, s, 3, h);
    return step_items(p, s, args.count);
}

static enum status plan_product(struct planner *p, const struct graph_node *n, int xh, int z)
{
    const struct graph_tensor *w = graph_input(p->graph, n, WEIGHTS);
    const struct graph_tensor *bias = graph_input(p->graph, n, BIAS);
    const struct fixed_multiplier m = requantize_multiplier(factor_of(bias));
    struct packed packed;
    struct plan_step *s;
    struct product_args args;
    int weights = -1;

    if (!graph_is_constant(p->graph, n->inputs[WEIGHTS]) &&
        (weights = planner_tensor(p, n->inputs[WEIGHTS])) < 0)
        return STATUS_NO_MEMORY;
    if (!(s = planner_step(p, "lstm_product_int8", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct product_args){ .count = p->plan->tensors[z].rows * p->plan->tensors[z].slices,
                                  .channels = p->plan->tensors[xh].channels,
                                  .in_slices = p->plan->tensors[xh].slices,
                                  .out_slices = p->plan->tensors[z].slices,
                                  .weights_zero = tensor_zero_point(w),
                                  .factor = m.q,
                                  .shift = m.e };
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, z);
    step_read(p, s, 1, xh);
    if (weights >= 0) {
        step_read(p, s, 2, weights);
    } else {
        TRY(bytes_pack_tensor(p, n->inputs[WEIGHTS], NULL, &packed));
        step_constants(s, 2, &packed);
    }
    TRY(planner_pack_words(p, bias->elements, &packed));
    for (size_t i = 0; i < bias->elements && planner_packs(p); i++)
        planner_put_word(p, &packed, i, (uint32_t)graph_constant_int(p->graph, n->inputs[BIAS], i));
    step_constants(s, 3, &packed);
    return step_items(p, s, args.count);
}

static enum status plan_gates(struct planner *p, const struct graph_node *n, int z, int c_prev,
                              int c, int h)
{
    struct plan_step *s = planner_step(p, "lstm_int8", n, WORKGROUP, 1, 1);
    const struct plan_tensor *t = &p->plan->tensors[c];
    struct gates_args args;

    if (!s)
        return STATUS_NO_MEMORY;
    args = (struct gates_args){ t->rows * t->slices, t->channels, t->slices };
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, c);
    step_read(p, s, 1, z);
    step_read(p, s, 2, c_prev);
    step_write(p, s, 3, h);
    return step_items(p, s, args.count);
}

static enum status plan_lstm(struct planner *p, const struct graph_node *n)
{
    const int x = planner_tensor(p, n->inputs[X]);
    const int h_prev = planner_tensor(p, n->inputs[H]);
    const int c_prev = planner_tensor(p, n->inputs[C]);
    const int h = planner_tensor(p, n->outputs[OUT_H]);
    const int c = planner_tensor(p, n->outputs[OUT_C]);
    const int xh = planner_tensor(p, n->outputs[OUT_XH]);
    const int z = planner_tensor(p, n->outputs[OUT_Z]);

    if (x < 0 || h_prev < 0 || c_prev < 0 || h < 0 || c < 0 || xh < 0 || z < 0)
        return STATUS_NO_MEMORY;
    TRY(plan_joined(p, n, x, h_prev, xh));
    TRY(plan_product(p, n, xh, z));
    TRY(plan_gates(p, n, z, c_prev, c, h));
    TRY(planner_write_back(p, n->inputs[H], h));
    return planner_write_back(p, n->inputs[C], c);
}

const struct gpu_exact exact_lstm = { accept_lstm, plan_lstm };
