/* FULLY_CONNECTED of 8-bit tensors, and of i16 with i8 weights: a convolution of 1x1 over rows of
 * the weights' depth, whose output multipliers are doubles. */
#include "delegate/ops/int8/dot_int16.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/matmul.h"
#include "delegate/ops/product/fully_connected.h"

static struct dot dot_of(const struct graph_node *n)
{
    const TfLiteFullyConnectedParams *params = n->params;

    return (struct dot){
        .x = 0, .weights = 1, .bias = 2, .activation = (int)params->activation, .in_double = true
    };
}

static struct dot_shape shape_of(const struct weights_shape *w)
{
    return (struct dot_shape){ .outputs = w->outputs, .taps = 1, .inputs = w->inputs };
}

static bool accept_fully_connected(struct check *c)
{
    const struct dot d = dot_of(c->node);
    const struct weights_shape weights = fully_connected_accepted(c);
    const struct dot_shape shape = shape_of(&weights);

    return check_dot(c, &d, dot_words(&shape));
}

static enum status plan_fully_connected(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const uint32_t rows = (uint32_t)(x->elements / (size_t)w->dims[1]);
    const struct weights_shape weights = fully_connected_weights(w);
    const struct dot d = dot_of(n);
    struct matmul_int8 m = {
        .src = planner_rows(p, n, planner_tensor(p, n->inputs[0]), rows, (uint32_t)w->dims[1]),
        .dst = planner_tensor(p, n->outputs[0]),
        .window = &window_1x1,
        .shape = shape_of(&weights),
    };

    if (m.src < 0 || m.dst < 0)
        return STATUS_NO_MEMORY;
    m.args = window_args_1x1(p->plan, m.src, m.dst);
    if (x->type == kTfLiteInt16)
        return dot_int16_plan(p, n, &d,
                              &(struct dot_int16){ .src = m.src,
                                                   .dst = m.dst,
                                                   .window = m.window,
                                                   .args = m.args,
                                                   .shape = m.shape,
                                                   .channels = m.shape.inputs });
    return matmul_int8_plan(p, n, &d, &m);
}

const struct gpu_exact exact_fully_connected = { accept_fully_connected, plan_fully_connected };
