/* CONV_2D of 8-bit tensors, and of i16 with i8 weights. */
#include "delegate/ops/int8/dot_int16.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/matmul.h"
#include "delegate/ops/product/conv_2d_grouped_int8.args.h"

static struct dot dot_of(const struct graph_node *n)
{
    const TfLiteConvParams *params = n->params;

    return (struct dot){ .x = 0, .weights = 1, .bias = 2, .activation = (int)params->activation };
}

static struct dot_shape shape_of(const struct graph_tensor *w)
{
    return (struct dot_shape){ .outputs = (uint32_t)w->dims[0],
                               .taps = (uint32_t)(w->dims[1] * w->dims[2]),
                               .inputs = (uint32_t)w->dims[3] };
}

static bool is_grouped(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 1)->dims[3] != graph_input(g, n, 0)->dims[3];
}

static bool accept_conv(struct check *c)
{
    const struct dot d = dot_of(c->node);
    const struct dot_shape shape = shape_of(graph_input(c->graph, c->node, 1));

    return check_dot(c, &d,
                     is_grouped(c->graph, c->node) ? dot_wide_words(&shape) : dot_words(&shape));
}

static enum status plan_grouped(struct planner *p, const struct graph_node *n, const struct dot *d,
                                const struct matmul_int8 *m)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    struct packed weights, channels;
    struct conv_2d_grouped_int8_args args;
    struct plan_step *s;

    TRY(dot_pack_wide(p, n->inputs[1], &m->shape, &weights));
    TRY(dot_pack_channels(p, n, d, false, &channels));
    if (!(s = planner_step(p, "conv_2d_grouped_int8", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    window_specs(s, m->window);
    step_spec(s, CONV_2D_GROUPED_INT8_SPEC_SIGN_FLIP, dot_sign_flip(x));
    step_spec(s, CONV_2D_GROUPED_INT8_SPEC_REQUANTIZE, dot_requantize(p->graph, n, d));
    step_thawable(s, WINDOW_SPEC_KERNEL_H, CONV_2D_GROUPED_INT8_SPEC_REQUANTIZE);
    args = (struct conv_2d_grouped_int8_args){
        .pixels = p->plan->tensors[m->dst].rows,
        .window = m->args,
        .out_channels = m->shape.outputs,
        .group_in = m->shape.inputs,
        .group_out = m->shape.outputs / ((uint32_t)x->dims[3] / m->shape.inputs),
        .x_zero = dot_zero_point(x),
        .output_range = dot_output_range(graph_output(p->graph, n, 0), d->activation),
    };
    args.count =
        (args.pixels + CONV_2D_GROUPED_TILE - 1) / CONV_2D_GROUPED_TILE * args.window.out_slices;
    step_push(s, &args, sizeof args);
    step_dot_products(p, s, m->dst, m->src, &weights, &channels);
    return step_items(p, s, args.count);
}

static enum status plan_conv(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct window window = window_of_conv(n->params, w);
    const struct dot d = dot_of(n);
    struct matmul_int8 m = { .src = planner_tensor(p, n->inputs[0]),
                             .dst = planner_tensor(p, n->outputs[0]),
                             .window = &window,
                             .shape = shape_of(w) };

    if (m.src < 0 || m.dst < 0)
        return STATUS_NO_MEMORY;
    m.args =
        window_args_of(p->plan, m.src, m.dst, graph_input(p->graph, n, 0),
                       graph_output(p->graph, n, 0), window_pads_of_node(p->graph, n, &window));
    if (graph_input(p->graph, n, 0)->type == kTfLiteInt16)
        return dot_int16_plan(p, n, &d,
                              &(struct dot_int16){
                                  .src = m.src,
                                  .dst = m.dst,
                                  .window = &window,
                                  .args = m.args,
                                  .shape = m.shape,
                                  .channels = (uint32_t)graph_input(p->graph, n, 0)->dims[3],
                              });
    return is_grouped(p->graph, n) ? plan_grouped(p, n, &d, &m) : matmul_int8_plan(p, n, &d, &m);
}

const struct gpu_exact exact_conv_2d = { accept_conv, plan_conv };
