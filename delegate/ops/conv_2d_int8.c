/* CONV_2D of bytes. */
#include "delegate/ops/int8/dot.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/matmul.h"
#include "delegate/ops/window.h"

enum { TILE = 4 }; /* as in conv_2d_grouped_int8.comp */

struct grouped_args {
    uint32_t count, pixels;
    uint32_t in_h, in_w, in_slices;
    uint32_t out_h, out_w, out_channels, out_slices;
    int32_t pad_h, pad_w;
    uint32_t group_in, group_out;
    int32_t x_zero;
    struct dot_output output;
};
_Static_assert(sizeof(struct grouped_args) == 68, "conv_2d_grouped_int8.comp");

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

static struct window window_of(const TfLiteConvParams *params, const struct graph_tensor *w)
{
    return (struct window){ .padding = params->padding,
                            .filter_h = w->dims[1],
                            .filter_w = w->dims[2],
                            .stride_h = params->stride_height,
                            .stride_w = params->stride_width,
                            .dilation_h = params->dilation_height_factor,
                            .dilation_w = params->dilation_width_factor };
}

static enum status plan_grouped(struct planner *p, const struct graph_node *n,
                                const struct window *window, const struct window_pads *pads)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct dot d = dot_of(n);
    const struct dot_shape shape = shape_of(w);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct packed weights, channels;
    struct grouped_args args;
    struct plan_step *s;

    TRY(dot_pack_wide(p, n->inputs[1], &shape, &weights));
    TRY(dot_pack_channels(p, n, &d, false, &channels));
    s = planner_step(p, "conv_2d_grouped_int8", n, WORKGROUP, 1, 1);
    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    window_specs(s, window);
    step_spec(s, 9, dot_flip(x));
    args = (struct grouped_args){
        .pixels = p->plan->tensors[dst].rows,
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .in_slices = p->plan->tensors[src].slices,
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .out_channels = shape.outputs,
        .out_slices = p->plan->tensors[dst].slices,
        .pad_h = pads->top,
        .pad_w = pads->left,
        .group_in = shape.inputs,
        .group_out = shape.outputs / ((uint32_t)x->dims[3] / shape.inputs),
        .x_zero = dot_zero(x),
        .output = dot_output_of(y, d.activation),
    };
    args.count = (args.pixels + TILE - 1) / TILE * args.out_slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &weights);
    step_constants(s, 3, &channels);
    return step_items(p, s, args.count);
}

static enum status plan_conv(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct window window = window_of(n->params, w);
    const struct window_pads pads = n->has_pads
                                        ? (struct window_pads){ n->pad_top, n->pad_left }
                                        : window_pads(&window, x, graph_output(p->graph, n, 0));
    const struct dot d = dot_of(n);
    struct dot_product product = { .window = window, .pads = pads, .shape = shape_of(w) };

    if (is_grouped(p->graph, n))
        return plan_grouped(p, n, &window, &pads);
    product.src = planner_tensor(p, n->inputs[0]);
    product.in_h = (uint32_t)x->dims[1];
    product.in_w = (uint32_t)x->dims[2];
    product.out_h = (uint32_t)graph_output(p->graph, n, 0)->dims[1];
    product.out_w = (uint32_t)graph_output(p->graph, n, 0)->dims[2];
    return dot_product_plan(p, n, &d, &product);
}

const struct gpu_exact exact_conv_2d = { accept_conv, plan_conv };
