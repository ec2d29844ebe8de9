/* DEPTHWISE_CONV_2D: weights [1,KH,KW,C*M], optional bias [C*M], constant or computed.  The
 * multiplier M is that of the shapes; the parameter depth_multiplier is not read, as on the CPU. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/operand.h"
#include "delegate/ops/product/depthwise_conv_2d.args.h"
#include "delegate/ops/product/depthwise_tile.h"
#include "delegate/ops/product/pointwise_depthwise.h"
#include "delegate/ops/window.h"

/* The runtime's kernel reads an input that is listed, and has no i16 sums with an i32 bias. */
static bool check_depthwise_bias(struct check *c, const struct graph_tensor *x,
                                 const struct graph_tensor *w)
{
    const struct graph_tensor *b = graph_input(c->graph, c->node, 2);

    if (!b && c->node->input_count > 2)
        return refuse(c, RULE_DEPTHWISE_CONV_2D_BIAS, -1, "bias", "the model is malformed",
                      "a tensor, or two inputs", "absent (-1)");
    if (b && x->type == kTfLiteInt16 && b->type != kTfLiteInt64)
        return refuse(c, RULE_DEPTHWISE_CONV_2D_BIAS, c->node->inputs[2], "type",
                      "the model is malformed", "i64 with i16", "%s", runtime_type_name(b->type));
    return check_bias(c, 2, w->dims[3], RULE_DEPTHWISE_CONV_2D_BIAS, "dims[3] of the weights");
}

static bool accept_depthwise(struct check *c)
{
    const TfLiteDepthwiseConvParams *params = c->node->params;
    const struct graph_tensor *x, *w, *y;
    struct window window;

    if (!check_conv_operands(c))
        return false;
    x = graph_input(c->graph, c->node, 0);
    w = graph_input(c->graph, c->node, 1);
    y = graph_output(c->graph, c->node, 0);
    window = window_of_depthwise(params, w);
    if (!check_window(c, &window, c->node->inputs[0], c->node->outputs[0]))
        return false;
    if (w->dims[0] != 1)
        return refuse(c, RULE_DEPTHWISE_CONV_2D_WEIGHTS, c->node->inputs[1], "dims[0]",
                      "the model is malformed", "1", "%d", w->dims[0]);
    if (w->dims[3] % x->dims[3] != 0 || y->dims[3] != w->dims[3])
        return refuse(c, RULE_DEPTHWISE_CONV_2D_CHANNELS, c->node->inputs[1], "dims[3]",
                      "the model is malformed",
                      "a multiple of the input's, as many as the output's",
                      "%d, input %d, output %d", w->dims[3], x->dims[3], y->dims[3]);
    if (!check_depthwise_bias(c, x, w))
        return false;
    return check_loop_iterations(c, (uint64_t)w->dims[1] * ((uint64_t)w->dims[2] + 1)) &&
           check_storable(c, 1,
                          (uint64_t)w->dims[1] * (uint64_t)w->dims[2] *
                              (((uint64_t)w->dims[3] + 3) / 4));
}

static bool shape_depthwise(const struct graph *g, const struct graph_node *n, int i,
                            struct graph_shape *s)
{
    const struct graph_tensor *w = graph_input(g, n, 1);
    struct window window;

    (void)i;
    if (w->rank != 4)
        return false;
    window = window_of_depthwise(n->params, w);
    return window_shape(&window, graph_input(g, n, 0), w->dims[3], s);
}

/* The step of depthwise_conv_2d.comp, which has any window and multiplier. */
static enum status plain_step(struct planner *p, const struct graph_node *n,
                              const struct window *window, const struct window_args *w,
                              uint32_t multiplier, uint32_t count, struct plan_step **step)
{
    const TfLiteDepthwiseConvParams *params = n->params;
    const struct depthwise_conv_2d_args args = {
        .count = count,
        .window = *w,
        .in_channels = (uint32_t)graph_input(p->graph, n, 0)->dims[3],
        .steps = n->steps,
    };
    struct plan_step *s = planner_step(p, "depthwise_conv_2d", n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    *step = s;
    window_specs(s, window);
    step_spec(s, DEPTHWISE_CONV_2D_SPEC_MULTIPLIER, multiplier);
    step_spec(s, DEPTHWISE_CONV_2D_SPEC_ACTIVATION, (uint32_t)params->activation);
    step_spec(s, DEPTHWISE_CONV_2D_SPEC_ROUNDED, n->steps.scale > 0);
    step_thawable(s, WINDOW_SPEC_KERNEL_H, DEPTHWISE_CONV_2D_SPEC_ROUNDED);
    step_push(s, &args, sizeof args);
    return step_items(p, s, count);
}

static enum status plan_depthwise_alone(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct window window = window_of_depthwise(n->params, w);
    const uint32_t multiplier = (uint32_t)(w->dims[3] / x->dims[3]), images = (uint32_t)x->dims[0];
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct depthwise_tile tile;
    struct operand weights, bias;
    struct window_args args;
    struct plan_step *s;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    TRY(operand_depthwise(p, n->inputs[1], (uint32_t)(w->dims[1] * w->dims[2]),
                          (uint32_t)w->dims[3], &weights));
    TRY(operand_bias(p, n, graph_input(p->graph, n, 2) ? n->inputs[2] : -1, (uint32_t)w->dims[3],
                     &bias));
    args = window_args_of(p->plan, src, dst, x, graph_output(p->graph, n, 0),
                          window_pads_of_node(p->graph, n, &window));
    if (depthwise_tile_find(p, n, &window, &args, multiplier, images, &tile))
        TRY(depthwise_tile_step(p, n, &tile, &window, &args, images, &s));
    else
        TRY(plain_step(p, n, &window, &args, multiplier,
                       p->plan->tensors[dst].rows * args.out_slices, &s));
    step_products(p, s, dst, src, &weights, &bias);
    return STATUS_OK;
}

static enum status plan_depthwise(struct planner *p, const struct graph_node *n)
{
    bool planned;

    TRY(pointwise_depthwise_plan(p, n, &planned));
    return planned ? STATUS_OK : plan_depthwise_alone(p, n);
}

static bool takes_padding(const struct graph_node *n)
{
    return n->has_pads ||
           ((const TfLiteDepthwiseConvParams *)n->params)->padding == kTfLitePaddingValid;
}

static const struct gpu_op ops[] = {
    { GPU_OP(DEPTHWISE_CONV_2D, 7), GPU_ACTIVATION(TfLiteDepthwiseConvParams),
      .rounds_to_steps = true, .accept = accept_depthwise, .plan = plan_depthwise,
      .shape = shape_depthwise, .exact = &exact_depthwise_conv_2d, .shorts = true, .few_bits = true,
      .takes_padding = takes_padding },
};
const struct gpu_family gpu_depthwise_conv_2d = { ops, sizeof ops / sizeof ops[0] };
