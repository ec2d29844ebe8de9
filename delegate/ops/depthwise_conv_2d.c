/* DEPTHWISE_CONV_2D: weights [1,KH,KW,C*M], optional bias [C*M], constant or computed.  The
 * multiplier M is that of the shapes; the parameter depth_multiplier is not read, as on the CPU. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/operand.h"
#include "delegate/ops/window.h"

struct depthwise_args {
    uint32_t count;
    uint32_t in_h, in_w, in_channels, in_slices;
    uint32_t out_h, out_w, out_slices;
    int32_t pad_h, pad_w;
    struct graph_steps steps;
};
_Static_assert(sizeof(struct depthwise_args) == 52, "depthwise_conv_2d.comp");

static struct window window_of(const TfLiteDepthwiseConvParams *params,
                               const struct graph_tensor *w)
{
    return (struct window){ .padding = params->padding,
                            .filter_h = w->dims[1],
                            .filter_w = w->dims[2],
                            .stride_h = params->stride_height,
                            .stride_w = params->stride_width,
                            .dilation_h = params->dilation_height_factor,
                            .dilation_w = params->dilation_width_factor };
}

static bool accept_depthwise(struct check *c)
{
    const TfLiteDepthwiseConvParams *params = c->node->params;
    const struct graph_tensor *x, *w, *y, *b;
    struct window window;

    if (!check_counts(c, 2, 3, 1) || !check_params(c) || !check_computed_input(c, 0, 4, 4) ||
        !check_input(c, 1, 4, 4) || !check_output(c, 0, 4, 4) ||
        !check_activation(c, params->activation))
        return false;
    x = graph_input(c->graph, c->node, 0);
    w = graph_input(c->graph, c->node, 1);
    b = graph_input(c->graph, c->node, 2);
    y = graph_output(c->graph, c->node, 0);
    window = window_of(params, w);
    if (!check_window(c, &window, c->node->inputs[0], c->node->outputs[0]))
        return false;
    if (w->dims[0] != 1)
        return refuse(c, RULE_DEPTHWISE_CONV_2D_WEIGHTS, c->node->inputs[1], "dims[0]",
                      "the model is malformed", "1", "%d", w->dims[0]);
    if (x->dims[3] < 1 || w->dims[3] < 1 || w->dims[3] % x->dims[3] != 0 ||
        y->dims[3] != w->dims[3])
        return refuse(c, RULE_DEPTHWISE_CONV_2D_CHANNELS, c->node->inputs[1], "dims[3]",
                      "the model is malformed",
                      "a multiple of the input's, as many as the output's",
                      "%d, input %d, output %d", w->dims[3], x->dims[3], y->dims[3]);
    if (b && !check_input(c, 2, 1, 1))
        return false;
    if (b && b->dims[0] != w->dims[3])
        return refuse(c, RULE_DEPTHWISE_CONV_2D_BIAS, c->node->inputs[2], "dims[0]",
                      "the model is malformed", "dims[3] of the weights", "%d, the weights have %d",
                      b->dims[0], w->dims[3]);
    return check_loop_iterations(c, (uint64_t)w->dims[1] * ((uint64_t)w->dims[2] + 1)) &&
           check_storable(c, 1,
                          (uint64_t)w->dims[1] * (uint64_t)w->dims[2] *
                              (((uint64_t)w->dims[3] + 3) / 4));
}

static enum status plan_depthwise(struct planner *p, const struct graph_node *n)
{
    const TfLiteDepthwiseConvParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = window_of(params, w);
    const struct window_pads pads =
        n->has_pads ? (struct window_pads){ n->pad_top, n->pad_left } : window_pads(&window, x, y);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct operand weights, bias;
    struct plan_step *s;
    struct depthwise_args args;

    TRY(operand_depthwise(p, n->inputs[1], (uint32_t)(w->dims[1] * w->dims[2]),
                          (uint32_t)w->dims[3], &weights));
    TRY(operand_bias(p, n, graph_input(p->graph, n, 2) ? n->inputs[2] : -1, (uint32_t)w->dims[3],
                     &bias));
    s = planner_step(p, "depthwise_conv_2d", n, WORKGROUP, 1, 1);
    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    step_spec(s, 3, (uint32_t)window.filter_h);
    step_spec(s, 4, (uint32_t)window.filter_w);
    step_spec(s, 5, (uint32_t)window.stride_h);
    step_spec(s, 6, (uint32_t)window.stride_w);
    step_spec(s, 7, (uint32_t)window.dilation_h);
    step_spec(s, 8, (uint32_t)window.dilation_w);
    step_spec(s, 9, (uint32_t)params->activation);
    step_spec(s, 10, (uint32_t)(w->dims[3] / x->dims[3]));
    if (n->steps.scale > 0)
        step_spec(s, 11, true);
    args = (struct depthwise_args){
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .in_channels = (uint32_t)x->dims[3],
        .in_slices = p->plan->tensors[src].slices,
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .out_slices = p->plan->tensors[dst].slices,
        .pad_h = pads.top,
        .pad_w = pads.left,
        .steps = n->steps,
    };
    args.count = p->plan->tensors[dst].rows * args.out_slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_operand(p, s, 2, &weights);
    step_operand(p, s, 3, &bias);
    return step_items(p, s, args.count);
}

static bool takes_padding(const struct graph_node *n)
{
    return n->has_pads ||
           ((const TfLiteDepthwiseConvParams *)n->params)->padding == kTfLitePaddingValid;
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_DEPTHWISE_CONV_2D,
      .max_version = 7,
      GPU_ACTIVATION(TfLiteDepthwiseConvParams),
      .rounds_to_steps = true,
      .accept = accept_depthwise,
      .plan = plan_depthwise,
      .exact = &exact_depthwise_conv_2d,
      .takes_padding = takes_padding },
};
const struct gpu_family gpu_depthwise_conv_2d = { ops, sizeof ops / sizeof ops[0] };
