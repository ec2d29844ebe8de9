/* LSTM u8 with the basic kernel (TensorFlow Lite's quantized LSTM of 16-bit gates): inputs and
 * outputs are those of lstm.h, accumulators have 32 bits and gates 16.  Meaning:
 * reference/ops/lstm.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/recurrent/lstm.h"
#include "delegate/ops/recurrent/lstm_full_int8.h"
#include "delegate/ops/recurrent/lstm_product_int8.args.h"

#include <math.h>

/* Scales are fixed by the kernel: x and h u8 in steps of 1/128 with zero point 128, c i16 in steps
 * of 2^-C_BITS, gates i16 in steps of 2^-Z_BITS. */
enum { STEPS_OF_1 = 128, ZERO_POINT = 128, C_BITS = 11, Z_BITS = 12 };

static bool check_type(struct check *c, int tensor, TfLiteType type)
{
    const TfLiteType has = c->graph->tensors[tensor].type;

    return has == type ||
           refuse(c, RULE_LSTM_QUANT, tensor, "type", "the CPU kernel refuses it, too",
                  runtime_type_name(type), "%s", runtime_type_name(has));
}

/* The tensor has the type, and the scale and zero point that the kernel fixes. */
static bool check_quantization(struct check *c, int tensor, TfLiteType type)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];
    const bool bytes = type == kTfLiteUInt8;

    if (!check_type(c, tensor, type))
        return false;
    if (t->quant.scale && tensor_scale(t) == (bytes ? 1. / STEPS_OF_1 : ldexp(1, -C_BITS)) &&
        tensor_zero_point(t) == (bytes ? ZERO_POINT : 0))
        return true;
    return refuse(c, RULE_LSTM_QUANT, tensor, "scale, zero point", "the CPU kernel refuses it, too",
                  bytes ? "1/128, 128" : "1/2048, 0", "%g, %d",
                  t->quant.scale ? tensor_scale(t) : 0, t->quant.scale ? tensor_zero_point(t) : 0);
}

/* The output multiplier of the gates: from accumulators, in steps of the bias, to steps of
 * 2^-Z_BITS. */
static double gate_multiplier(const struct graph_tensor *bias)
{
    return ldexp(tensor_scale(bias), Z_BITS);
}

static bool accept_basic(struct check *c)
{
    const int *in = c->node->inputs, *out = c->node->outputs;
    const struct graph_tensor *bias = &c->graph->tensors[in[LSTM_BIAS]];
    const uint64_t width = (uint64_t)c->graph->tensors[in[LSTM_WEIGHTS]].dims[1];

    if (!check_quantization(c, in[LSTM_X], kTfLiteUInt8) ||
        !check_quantization(c, in[LSTM_H], kTfLiteUInt8) ||
        !check_type(c, in[LSTM_WEIGHTS], kTfLiteUInt8) ||
        !check_type(c, in[LSTM_BIAS], kTfLiteInt32) ||
        !check_quantization(c, in[LSTM_C], kTfLiteInt16) ||
        !check_quantization(c, out[LSTM_OUT_H], kTfLiteUInt8) ||
        !check_quantization(c, out[LSTM_OUT_C], kTfLiteInt16) ||
        !check_quantization(c, out[LSTM_OUT_XH], kTfLiteUInt8) ||
        !check_type(c, out[LSTM_OUT_Z], kTfLiteInt16))
        return false;
    if (bias->quant.count != 1)
        return refuse(c, RULE_LSTM_QUANT, in[LSTM_BIAS], "number of scales",
                      "the CPU kernel refuses it, too", "1", "%zu", bias->quant.count);
    return check_per_tensor(c, in[LSTM_WEIGHTS]) &&
           check_multiplier(c, in[LSTM_BIAS], "bias scale in steps of 2^-12",
                            gate_multiplier(bias)) &&
           check_loop_iterations(c, (width + 3) / 4);
}

static enum status plan_product(struct planner *p, const struct graph_node *n, int xh, int z)
{
    const struct graph_tensor *w = graph_input(p->graph, n, LSTM_WEIGHTS);
    const struct graph_tensor *bias = graph_input(p->graph, n, LSTM_BIAS);
    const struct fixed_multiplier m = requantize_multiplier(gate_multiplier(bias));
    struct packed packed;
    struct plan_step *s;
    struct lstm_product_int8_args args;
    int weights = -1;

    if (!graph_is_constant(p->graph, n->inputs[LSTM_WEIGHTS]) &&
        (weights = planner_tensor(p, n->inputs[LSTM_WEIGHTS])) < 0)
        return STATUS_NO_MEMORY;
    if (!(s = planner_step(p, "lstm_product_int8", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct lstm_product_int8_args){ .count = p->plan->tensors[z].rows *
                                                     p->plan->tensors[z].slices,
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
        TRY(bytes_pack_tensor(p, n->inputs[LSTM_WEIGHTS], NULL, &packed));
        step_constants(s, 2, &packed);
    }
    TRY(planner_pack_words(p, bias->elements, &packed));
    for (size_t i = 0; i < bias->elements && planner_packs(p); i++)
        planner_put_word(p, &packed, i,
                         (uint32_t)graph_constant_int(p->graph, n->inputs[LSTM_BIAS], i));
    step_constants(s, 3, &packed);
    return step_items(p, s, args.count);
}

static bool accept_lstm(struct check *c)
{
    return lstm_is_full(c->node) ? lstm_full_int8_accept(c) : accept_basic(c);
}

static enum status plan_lstm(struct planner *p, const struct graph_node *n)
{
    struct lstm_tensors t;

    if (lstm_is_full(n))
        return lstm_full_int8_plan(p, n);
    TRY(lstm_tensors_of(p, n, &t));
    TRY(lstm_plan_concat(p, n, "concatenation.byte", &t));
    TRY(plan_product(p, n, t.xh, t.z));
    TRY(lstm_plan_gates(p, n, "lstm_int8", &t, t.z));
    return lstm_write_back(p, n, &t);
}

const struct gpu_exact exact_lstm = { accept_lstm, plan_lstm };
