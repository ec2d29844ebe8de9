/* LSTM with the basic kernel: x [B,D], h [B,A], weights [4A,D+A], bias [4A], c [B,A] to h, c, the
 * two inputs side by side and the gates before their functions.  The new h and c are also written
 * back to the host's memory of the old ones: the next invoke continues the sequence. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/operand.h"
#include "delegate/plan/shader_args.h"
#include "delegate/shaders/count.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { X, H, WEIGHTS, BIAS, C, INPUTS };       /* inputs */
enum { OUT_H, OUT_C, OUT_XH, OUT_Z, OUTPUTS }; /* outputs */
enum { SLICES_X = 8, SHARES_Y = 8 };           /* of a workgroup of fully_connected.comp */

struct concat_args {
    uint32_t count, x_channels, x_slices, h_channels, h_slices, slices;
};
_Static_assert(sizeof(struct concat_args) == 24, "lstm_concat.comp");

struct gates_args {
    uint32_t count, units, slices;
};
_Static_assert(sizeof(struct gates_args) == 12, "lstm.comp");

static bool check_dims(struct check *c, int tensor, enum rule rule, int32_t d0, int32_t d1)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];

    if (t->dims[0] == d0 && (t->rank == 1 || t->dims[1] == d1))
        return true;
    return refuse(c, rule, tensor, "dims", "the model is malformed",
                  "what batch, depth and units give", "[%d,%d], expected [%d,%d]", t->dims[0],
                  t->rank == 1 ? 0 : t->dims[1], d0, d1);
}

/* The host's memory of a state is read and written once an invoke. */
static bool check_state(struct check *c, int input)
{
    const int tensor = c->node->inputs[input];
    int readers = 0;

    if (c->graph->tensors[tensor].producer >= 0)
        return refuse(c, RULE_LSTM_STATE, tensor, "producer", "make the state a variable tensor",
                      "a variable or an input of the graph", "computed by node %d",
                      c->graph->nodes[c->graph->tensors[tensor].producer].host_node);
    for (int i = 0; i < c->graph->node_count; i++)
        for (int j = 0; j < c->graph->nodes[i].input_count; j++)
            readers += c->graph->nodes[i].inputs[j] == tensor;
    if (readers != 1)
        return refuse(c, RULE_LSTM_STATE_READERS, tensor, "readers",
                      "give each LSTM a state of its own", "1", "%d", readers);
    return true;
}

static bool check_lstm_params(struct check *c)
{
    const TfLiteLSTMParams *params = c->node->params;

    if (!check_params(c))
        return false;
    if (params->kernel_type != kTfLiteLSTMBasicKernel)
        return refuse(c, RULE_LSTM_KERNEL_TYPE, -1, "kernel_type",
                      "only the basic kernel is computed here", "1 (basic)", "%d",
                      (int)params->kernel_type);
    if (params->activation != kTfLiteActTanh)
        return refuse(c, RULE_LSTM_ACTIVATION, -1, "activation", "the basic kernel has TANH",
                      "4 (tanh)", "%d", (int)params->activation);
    if (params->cell_clip != 0 || params->proj_clip != 0)
        return refuse(c, RULE_LSTM_CLIP, -1, "cell_clip, proj_clip",
                      "the basic kernel does not clip", "0", "%g, %g", (double)params->cell_clip,
                      (double)params->proj_clip);
    return true;
}

static struct weights_shape weights_of(const struct graph_tensor *w)
{
    return (struct weights_shape){ .outputs = (uint32_t)w->dims[0],
                                   .taps = 1,
                                   .inputs = (uint32_t)w->dims[1],
                                   .depth = (uint32_t)(w->dims[1] + 3) / 4 * 4 };
}

static bool accept_lstm(struct check *c)
{
    const int *in = c->node->inputs, *out = c->node->outputs;
    int32_t batch, depth, units;
    struct weights_shape shape;

    if (!check_counts(c, INPUTS, INPUTS, OUTPUTS) || !check_lstm_params(c) ||
        !check_computed_input(c, X, 2, 2) || !check_computed_input(c, H, 2, 2) ||
        !check_input(c, WEIGHTS, 2, 2) || !check_input(c, BIAS, 1, 1) ||
        !check_computed_input(c, C, 2, 2))
        return false;
    for (int i = 0; i < OUTPUTS; i++)
        if (!check_output(c, i, 2, 2))
            return false;
    batch = c->graph->tensors[in[X]].dims[0];
    depth = c->graph->tensors[in[X]].dims[1];
    units = c->graph->tensors[in[H]].dims[1];
    if (units > INT32_MAX / 4 || depth > INT32_MAX - units)
        return refuse(c, RULE_LSTM_UNITS, in[H], "dims[1]", "the model is malformed",
                      "less than 2^29", "%d", units);
    if (!check_dims(c, in[H], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, in[C], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, in[WEIGHTS], RULE_LSTM_SHAPE, 4 * units, depth + units) ||
        !check_dims(c, in[BIAS], RULE_LSTM_SHAPE, 4 * units, 0) ||
        !check_dims(c, out[OUT_H], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, out[OUT_C], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, out[OUT_XH], RULE_LSTM_SHAPE, batch, depth + units) ||
        !check_dims(c, out[OUT_Z], RULE_LSTM_SHAPE, batch, 4 * units) || !check_state(c, H) ||
        !check_state(c, C))
        return false;
    shape = weights_of(&c->graph->tensors[in[WEIGHTS]]);
    return check_loop_iterations(c, ((uint64_t)depth + (uint64_t)units + 3) / 4 / SHARES_Y) &&
           check_storable(c, WEIGHTS, weights_vec4s(&shape));
}

static enum status plan_concat(struct planner *p, const struct graph_node *n, int x, int h, int xh)
{
    struct plan_step *s = planner_step(p, "lstm_concat", n, WORKGROUP, 1, 1);
    const struct plan_tensor *t = p->plan->tensors;
    struct concat_args args;

    if (!s)
        return STATUS_NO_MEMORY;
    args = (struct concat_args){ t[xh].rows * t[xh].slices,
                                 t[x].channels,
                                 t[x].slices,
                                 t[h].channels,
                                 t[h].slices,
                                 t[xh].slices };
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, xh);
    step_read(p, s, 1, x);
    step_read(p, s, 2, h);
    return step_items(p, s, args.count);
}

/* z, f32 in both precisions: the gates' functions and the new state are computed from it, and must
 * not suffer from a rounding to f16. */
static enum status plan_product(struct planner *p, const struct graph_node *n, int xh, int z)
{
    const struct weights_shape shape = weights_of(&p->graph->tensors[n->inputs[WEIGHTS]]);
    struct fully_connected_args args;
    struct operand weights, bias;
    struct plan_step *s;

    TRY(operand_weights(p, n, n->inputs[WEIGHTS], &shape, &weights));
    TRY(operand_bias(p, n, n->inputs[BIAS], shape.outputs, &bias));
    if (!(s = planner_step(p, "fully_connected", n, SLICES_X, SHARES_Y, 1)))
        return STATUS_NO_MEMORY;
    step_spec(s, 3, kTfLiteActNone);
    step_spec(s, 4, true);
    step_shared(s, SLICES_X * SHARES_Y * 4 * (uint32_t)sizeof(float));
    args = (struct fully_connected_args){ .in_channels = shape.inputs,
                                          .in_slices = p->plan->tensors[xh].slices,
                                          .out_slices = p->plan->tensors[z].slices };
    args.count = p->plan->tensors[z].rows * ((args.out_slices + SLICES_X - 1) / SLICES_X);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, z);
    step_read(p, s, 1, xh);
    step_operand(p, s, 2, &weights);
    step_operand(p, s, 3, &bias);
    return step_groups(p, s, args.count);
}

static enum status plan_gates(struct planner *p, const struct graph_node *n, int z, int c_prev,
                              int c, int h)
{
    struct plan_step *s = planner_step(p, "lstm", n, WORKGROUP, 1, 1);
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

static enum status plan_narrow(struct planner *p, const struct graph_node *n, int from, int to)
{
    struct plan_step *s = planner_step(p, "narrow", n, WORKGROUP, 1, 1);
    struct count_args args;

    if (!s)
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[to].rows * p->plan->tensors[to].slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, to);
    step_read(p, s, 1, from);
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
    int wide = z;

    if (x < 0 || h_prev < 0 || c_prev < 0 || h < 0 || c < 0 || xh < 0 || z < 0)
        return STATUS_NO_MEMORY;
    if (p->plan->half) {
        wide = planner_temp(p, p->plan->tensors[z].rows, p->plan->tensors[z].channels, FORMAT_WIDE);
        if (wide < 0)
            return STATUS_NO_MEMORY;
    }
    TRY(plan_concat(p, n, x, h_prev, xh));
    TRY(plan_product(p, n, xh, wide));
    TRY(plan_gates(p, n, wide, c_prev, c, h));
    if (wide != z)
        TRY(plan_narrow(p, n, wide, z));
    TRY(planner_write_back(p, n->inputs[H], h));
    return planner_write_back(p, n->inputs[C], c);
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_LSTM,
      .max_version = 4,
      .no_float_view = true,
      .exact = &exact_lstm,
      .accept = accept_lstm,
      .plan = plan_lstm },
};
const struct gpu_family gpu_lstm = { ops, sizeof ops / sizeof ops[0] };
