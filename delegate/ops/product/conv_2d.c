/* CONV_2D: weights [O,KH,KW,I] with I dividing the input's channels (groups), optional bias; both
 * constant or computed. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/product/conv_2d_grouped.args.h"
#include "delegate/ops/product/gemm.h"
#include "delegate/ops/product/matmul.h"
#include "delegate/ops/product/matrix.h"
#include "delegate/ops/product/pointwise_depthwise.h"

/* Whole slices of input channels when there is one group. */
static struct weights_shape weights_of(const struct graph_tensor *w, bool grouped)
{
    return (struct weights_shape){ .outputs = (uint32_t)w->dims[0],
                                   .taps = (uint32_t)(w->dims[1] * w->dims[2]),
                                   .inputs = (uint32_t)w->dims[3],
                                   .depth = (uint32_t)(grouped ? w->dims[3]
                                                               : (w->dims[3] + 3) / 4 * 4) };
}

static bool accept_conv(struct check *c)
{
    const TfLiteConvParams *params = c->node->params;
    const struct graph_tensor *x, *w, *y;
    struct weights_shape shape;
    struct window window;

    if (!check_conv_operands(c))
        return false;
    x = graph_input(c->graph, c->node, 0);
    w = graph_input(c->graph, c->node, 1);
    y = graph_output(c->graph, c->node, 0);
    window = window_of_conv(params, w);
    if (!check_window(c, &window, c->node->inputs[0], c->node->outputs[0]))
        return false;
    if (y->dims[3] != w->dims[0])
        return refuse(c, RULE_CONV_2D_OUT_CHANNELS, c->node->outputs[0], "dims[3]",
                      "the model is malformed", "dims[0] of the weights", "%d, the weights have %d",
                      y->dims[3], w->dims[0]);
    if (w->dims[3] < 1 || x->dims[3] % w->dims[3] != 0 ||
        w->dims[0] % (x->dims[3] / w->dims[3]) != 0)
        return refuse(c, RULE_CONV_2D_GROUPS, c->node->inputs[1], "dims[3]",
                      "the model is malformed",
                      "a divisor of the input's channels, into groups that divide the output's",
                      "%d of %d input channels, %d outputs", w->dims[3], x->dims[3], w->dims[0]);
    if (!graph_input(c->graph, c->node, 2))
        return refuse(c, RULE_CONV_2D_BIAS, -1, "bias", "the model is malformed", "a tensor",
                      "none");
    if (!check_bias(c, 2, w->dims[0], RULE_CONV_2D_BIAS, "dims[0] of the weights"))
        return false;
    shape = weights_of(w, w->dims[3] != x->dims[3]);
    /* Channels of a group; slices of channels where there is one group, all in one share. */
    return check_loop_iterations(c, (uint64_t)w->dims[1] * (uint64_t)w->dims[2] *
                                        (w->dims[3] != x->dims[3]
                                             ? (uint64_t)w->dims[3] + 1
                                             : ((uint64_t)w->dims[3] + 3) / 4 + 1)) &&
           check_storable(c, 1, weights_vec4s(&shape));
}

static bool shape_conv(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    const struct graph_tensor *w = graph_input(g, n, 1);
    struct window window;

    (void)i;
    if (w->rank != 4)
        return false;
    window = window_of_conv(n->params, w);
    return window_shape(&window, graph_input(g, n, 0), w->dims[0], s);
}

static enum status plan_grouped(struct planner *p, const struct graph_node *n,
                                const struct matmul *m)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    struct conv_2d_grouped_args args = {
        .pixels = p->plan->tensors[m->dst].rows,
        .window = m->args,
        .out_channels = (uint32_t)w->dims[0],
        .group_in = (uint32_t)w->dims[3],
        .group_out = (uint32_t)(w->dims[0] / (x->dims[3] / w->dims[3])),
        .steps = n->steps,
    };
    struct plan_step *s = planner_step(p, "conv_2d_grouped", n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    args.count =
        (args.pixels + CONV_2D_GROUPED_TILE - 1) / CONV_2D_GROUPED_TILE * args.window.out_slices;
    window_specs(s, m->window);
    step_spec(s, CONV_2D_GROUPED_SPEC_ACTIVATION, m->activation);
    step_spec(s, CONV_2D_GROUPED_SPEC_ROUNDED, n->steps.scale > 0);
    step_thawable(s, WINDOW_SPEC_KERNEL_H, CONV_2D_GROUPED_SPEC_ROUNDED);
    step_push(s, &args, sizeof args);
    step_products(p, s, m->dst, m->src, m->weights, m->bias);
    return step_items(p, s, args.count);
}

static enum status plan_conv_alone(struct planner *p, const struct graph_node *n)
{
    const TfLiteConvParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct window window = window_of_conv(params, w);
    const bool grouped = w->dims[3] != x->dims[3];
    const struct weights_shape shape = weights_of(w, grouped);
    struct operand weights, bias;
    struct matmul m = { .src = planner_tensor(p, n->inputs[0]),
                        .dst = n->has_residual
                                   ? planner_view(p, n->outputs[0], planner_tensor(p, n->residual))
                                   : planner_tensor(p, n->outputs[0]),
                        .window = &window,
                        .weights = &weights,
                        .bias = &bias,
                        .activation = (uint32_t)params->activation,
                        .has_residual = n->has_residual,
                        .groups = (uint32_t)(x->dims[3] / w->dims[3]) };

    if (m.src < 0 || m.dst < 0)
        return STATUS_NO_MEMORY;
    m.args = window_args_of(p->plan, m.src, m.dst, x, graph_output(p->graph, n, 0),
                            window_pads_of_node(p->graph, n, &window));
    TRY(operand_bias(p, n, graph_input(p->graph, n, 2) ? n->inputs[2] : -1, shape.outputs, &bias));
    if (!grouped && matrix_fits(p, n, &m, n->inputs[1], &shape))
        return matrix_plan(p, n, &m, n->inputs[1], &shape);
    TRY(operand_weights(p, n, n->inputs[1], &shape, &weights));
    if (!grouped)
        return matmul_plan(p, n, &m);
    return gemm_fits(p, n, &m) ? gemm_plan(p, n, &m) : plan_grouped(p, n, &m);
}

static enum status plan_conv(struct planner *p, const struct graph_node *n)
{
    return pointwise_depthwise_is_first(p, n) ? STATUS_OK : plan_conv_alone(p, n);
}

static bool takes_padding(const struct graph_node *n)
{
    return n->has_pads || ((const TfLiteConvParams *)n->params)->padding == kTfLitePaddingValid;
}

/* conv_2d_grouped.comp does not add. */
static bool takes_residual(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->dims[3] == graph_input(g, n, 1)->dims[3] &&
           gpu_op_activation(n) == kTfLiteActNone;
}

static const struct gpu_op ops[] = {
    { GPU_OP(CONV_2D, 8), GPU_ACTIVATION(TfLiteConvParams), .few_bits = true,
      .rounds_to_steps = true, .accept = accept_conv, .plan = plan_conv, .shape = shape_conv,
      .exact = &exact_conv_2d, .shorts = true, .takes_padding = takes_padding,
      .takes_residual = takes_residual },
};
const struct gpu_family gpu_conv_2d = { ops, sizeof ops / sizeof ops[0] };
