/* LSTM; the full kernel is lstm_full.h.  The basic one: x [B,D], h [B,A], weights [4A,D+A], bias
 * [4A], c [B,A] to h, c, the concatenation of x and h, and the gates before their activations.  The
 * new h and c are also written back to the host's tensors of the old ones: the next inference
 * continues the sequence. */
#include "delegate/ops/recurrent/lstm.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/move/concatenation.args.h"
#include "delegate/ops/product/fully_connected.h"
#include "delegate/ops/recurrent/lstm.args.h"
#include "delegate/ops/recurrent/lstm_full.h"
#include "delegate/shaders/count.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static bool check_dims(struct check *c, int tensor, enum rule rule, int32_t d0, int32_t d1)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];

    if (t->dims[0] == d0 && (t->rank == 1 || t->dims[1] == d1))
        return true;
    return refuse(c, rule, tensor, "dims", "the model is malformed",
                  "what batch, depth and units give", "[%d,%d], expected [%d,%d]", t->dims[0],
                  t->rank == 1 ? 0 : t->dims[1], d0, d1);
}

static bool check_lstm_params(struct check *c)
{
    const TfLiteLSTMParams *params = c->node->params;

    if (params->kernel_type != kTfLiteLSTMBasicKernel)
        return refuse(c, RULE_LSTM_KERNEL_TYPE, -1, "kernel_type", "the model is malformed",
                      "0 (full) or 1 (basic)", "%d", (int)params->kernel_type);
    if (params->activation != kTfLiteActTanh)
        return refuse(c, RULE_LSTM_ACTIVATION, -1, "activation", "the basic kernel has TANH",
                      "4 (tanh)", "%d", (int)params->activation);
    if (params->cell_clip != 0 || params->proj_clip != 0)
        return refuse(c, RULE_LSTM_CLIP, -1, "cell_clip, proj_clip",
                      "the basic kernel does not clip", "0", "%g, %g", (double)params->cell_clip,
                      (double)params->proj_clip);
    return true;
}

bool lstm_is_full(const struct graph_node *n)
{
    const TfLiteLSTMParams *params = n->params;

    return params->kernel_type == kTfLiteLSTMFullKernel;
}

static bool shape_lstm(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, LSTM_X), *h = graph_input(g, n, LSTM_H);
    int64_t columns;

    if (lstm_is_full(n))
        return lstm_full_shape(g, n, s);
    if (x->rank != 2 || h->rank != 2)
        return false;
    columns = i == LSTM_OUT_XH  ? (int64_t)x->dims[1] + h->dims[1]
              : i == LSTM_OUT_Z ? 4 * (int64_t)h->dims[1]
                                : h->dims[1];
    *s = (struct graph_shape){ 2, { x->dims[0], (int32_t)columns } };
    return columns <= INT32_MAX;
}

static bool accept_basic(struct check *c)
{
    const int *in = c->node->inputs, *out = c->node->outputs;
    int32_t batch, depth, units;
    struct weights_shape shape;

    if (!check_counts(c, LSTM_INPUTS, LSTM_INPUTS, LSTM_OUTPUTS) || !check_lstm_params(c) ||
        !check_computed_input(c, LSTM_X, 2, 2) || !check_computed_input(c, LSTM_H, 2, 2) ||
        !check_input(c, LSTM_WEIGHTS, 2, 2) || !check_input(c, LSTM_BIAS, 1, 1) ||
        !check_computed_input(c, LSTM_C, 2, 2))
        return false;
    for (int i = 0; i < LSTM_OUTPUTS; i++)
        if (!check_output(c, i, 2, 2))
            return false;
    batch = c->graph->tensors[in[LSTM_X]].dims[0];
    depth = c->graph->tensors[in[LSTM_X]].dims[1];
    units = c->graph->tensors[in[LSTM_H]].dims[1];
    if (units > INT32_MAX / 4)
        return refuse(c, RULE_LSTM_UNITS, in[LSTM_H], "dims[1]", "the model is malformed",
                      "less than 2^29", "%d", units);
    if (!check_dims(c, in[LSTM_H], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, in[LSTM_C], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, in[LSTM_WEIGHTS], RULE_LSTM_SHAPE, 4 * units, depth + units) ||
        !check_dims(c, in[LSTM_BIAS], RULE_LSTM_SHAPE, 4 * units, 0) ||
        !check_dims(c, out[LSTM_OUT_H], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, out[LSTM_OUT_C], RULE_LSTM_SHAPE, batch, units) ||
        !check_dims(c, out[LSTM_OUT_XH], RULE_LSTM_SHAPE, batch, depth + units) ||
        !check_dims(c, out[LSTM_OUT_Z], RULE_LSTM_SHAPE, batch, 4 * units) ||
        !lstm_check_state(c, LSTM_H) || !lstm_check_state(c, LSTM_C))
        return false;
    shape = fully_connected_weights(&c->graph->tensors[in[LSTM_WEIGHTS]]);
    return check_fully_connected_loop(c, (uint64_t)depth + (uint64_t)units) &&
           check_storable(c, LSTM_WEIGHTS, weights_vec4s(&shape));
}

static bool accept_lstm(struct check *c)
{
    return check_params(c) && (lstm_is_full(c->node) ? lstm_full_accept(c) : accept_basic(c));
}

enum status lstm_tensors_of(struct planner *p, const struct graph_node *n, struct lstm_tensors *t)
{
    *t = (struct lstm_tensors){ .x = planner_tensor(p, n->inputs[LSTM_X]),
                                .h_prev = planner_tensor(p, n->inputs[LSTM_H]),
                                .c_prev = planner_tensor(p, n->inputs[LSTM_C]),
                                .h = planner_tensor(p, n->outputs[LSTM_OUT_H]),
                                .c = planner_tensor(p, n->outputs[LSTM_OUT_C]),
                                .xh = planner_tensor(p, n->outputs[LSTM_OUT_XH]),
                                .z = planner_tensor(p, n->outputs[LSTM_OUT_Z]) };
    return t->x < 0 || t->h_prev < 0 || t->c_prev < 0 || t->h < 0 || t->c < 0 || t->xh < 0 ||
                   t->z < 0
               ? STATUS_NO_MEMORY
               : STATUS_OK;
}

enum status lstm_plan_concat(struct planner *p, const struct graph_node *n, const char *shader,
                             const struct lstm_tensors *t)
{
    const struct plan_tensor *x = &p->plan->tensors[t->x], *h = &p->plan->tensors[t->h_prev];
    const struct plan_tensor *xh = &p->plan->tensors[t->xh];
    const struct concatenation_args args = {
        .count = xh->rows * xh->slices,
        .pitch = xh->slices,
        .slices = xh->slices,
        .end = { x->channels, xh->channels, xh->channels },
        .pitch_of = { x->slices, h->slices, h->slices },
    };
    struct plan_step *s = planner_step(p, shader, n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, CONCATENATION_SPEC_SPLIT, true); /* h may begin inside a slice */
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, t->xh);
    step_read(p, s, 1, t->x);
    step_read(p, s, 2, t->h_prev);
    step_read(p, s, 3, t->h_prev); /* the shader has a third input, which is empty */
    return step_items(p, s, args.count);
}

enum status lstm_plan_gates(struct planner *p, const struct graph_node *n, const char *shader,
                            const struct lstm_tensors *t, int z)
{
    const struct plan_tensor *c = &p->plan->tensors[t->c];
    const struct lstm_args args = { .count = c->rows * c->slices,
                                    .units = c->channels,
                                    .slices = c->slices };
    struct plan_step *s = planner_step(p, shader, n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, t->c);
    step_read(p, s, 1, z);
    step_read(p, s, 2, t->c_prev);
    step_write(p, s, 3, t->h);
    return step_items(p, s, args.count);
}

enum status lstm_write_back(struct planner *p, const struct graph_node *n,
                            const struct lstm_tensors *t)
{
    TRY(planner_write_back(p, n->inputs[LSTM_H], t->h));
    return planner_write_back(p, n->inputs[LSTM_C], t->c);
}

/* The gates z, f32 in both precisions: rounded to f16 they would make activations and new state too
 * inexact. */
static enum status plan_product(struct planner *p, const struct graph_node *n, int xh, int z)
{
    const struct weights_shape shape =
        fully_connected_weights(graph_input(p->graph, n, LSTM_WEIGHTS));
    struct operand weights, bias;

    TRY(operand_weights(p, n, n->inputs[LSTM_WEIGHTS], &shape, &weights));
    TRY(operand_bias(p, n, n->inputs[LSTM_BIAS], shape.outputs, &bias));
    return fully_connected_plan(p, n,
                                &(struct fully_connected){
                                    .src = xh,
                                    .dst = z,
                                    .weights = &weights,
                                    .bias = &bias,
                                    .activation = kTfLiteActNone,
                                    .wide = true,
                                });
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
    struct lstm_tensors t;
    int z;

    if (lstm_is_full(n))
        return lstm_full_plan(p, n);
    TRY(lstm_tensors_of(p, n, &t));
    z = t.z;
    if (p->plan->half) {
        z = planner_temp(p, p->plan->tensors[t.z].rows, p->plan->tensors[t.z].channels,
                         FORMAT_WIDE);
        if (z < 0)
            return STATUS_NO_MEMORY;
    }
    TRY(lstm_plan_concat(p, n, "concatenation", &t));
    TRY(plan_product(p, n, t.xh, z));
    TRY(lstm_plan_gates(p, n, "lstm", &t, z));
    if (z != t.z)
        TRY(plan_narrow(p, n, z, t.z));
    return lstm_write_back(p, n, &t);
}

static const struct gpu_op ops[] = {
    { GPU_OP(LSTM, 4), .no_float_view = true, .exact = &exact_lstm, .accept = accept_lstm,
      .plan = plan_lstm, .shape = shape_lstm },
};
const struct gpu_family gpu_lstm = { ops, sizeof ops / sizeof ops[0] };
