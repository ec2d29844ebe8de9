/* TRANSPOSE_CONV of bytes. */
#include "delegate/ops/int8/dot.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/window.h"

enum { TILE = 4 }; /* as in transpose_conv_int8.comp */
enum { WEIGHTS = 1, X };

struct transpose_conv_args {
    uint32_t count;
    uint32_t in_h, in_w, in_channels, in_slices;
    uint32_t out_h, out_w, out_slices;
    uint32_t tiles, phases;
    uint32_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    int32_t x_zero, weight_zero;
    struct dot_output output;
};
_Static_assert(sizeof(struct transpose_conv_args) == 84, "transpose_conv_int8.comp");

static struct dot dot_of(const struct graph_node *n)
{
    const TfLiteTransposeConvParams *params = n->params;

    return (
        struct dot){ .x = X, .weights = WEIGHTS, .bias = 3, .activation = (int)params->activation };
}

static struct dot_shape shape_of(const struct graph_tensor *w)
{
    return (struct dot_shape){ .outputs = (uint32_t)w->dims[0],
                               .taps = (uint32_t)(w->dims[1] * w->dims[2]),
                               .inputs = (uint32_t)w->dims[3] };
}

static bool accept_transpose_conv(struct check *c)
{
    const struct dot d = dot_of(c->node);
    const struct dot_shape shape = shape_of(graph_input(c->graph, c->node, WEIGHTS));

    return check_dot(c, &d, dot_words(&shape));
}

static enum status plan_transpose_conv(struct planner *p, const struct graph_node *n)
{
    const TfLiteTransposeConvParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, X);
    const struct graph_tensor *w = graph_input(p->graph, n, WEIGHTS);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = { .padding = params->padding,
                                   .filter_h = w->dims[1],
                                   .filter_w = w->dims[2],
                                   .stride_h = params->stride_height,
                                   .stride_w = params->stride_width,
                                   .dilation_h = 1,
                                   .dilation_w = 1 };
    const struct window_pads pads = window_pads(&window, y, x);
    const struct dot d = dot_of(n);
    const struct dot_shape shape = shape_of(w);
    const int src = planner_tensor(p, n->inputs[X]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct transpose_conv_args args;
    struct packed weights, channels;
    struct plan_step *s;

    TRY(dot_pack_weights(p, n->inputs[WEIGHTS], &shape, &weights));
    TRY(dot_pack_channels(p, n, &d, false, &channels));
    s = planner_step(p, "transpose_conv_int8", n, WORKGROUP, 1, 1);
    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    step_dot(p, s);
    args = (struct transpose_conv_args){
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .in_channels = (uint32_t)x->dims[3],
        .in_slices = p->plan->tensors[src].slices,
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .out_slices = p->plan->tensors[dst].slices,
        .kernel_h = (uint32_t)window.filter_h,
        .kernel_w = (uint32_t)window.filter_w,
        .stride_h = (uint32_t)window.stride_h,
        .stride_w = (uint32_t)window.stride_w,
        .pad_h = (uint32_t)pads.top,
        .pad_w = (uint32_t)pads.left,
        .x_zero = dot_zero(x),
        .weight_zero = dot_zero(w),
        .output = dot_output_of(y, d.activation),
    };
    args.phases = args.stride_w < args.out_w ? args.stride_w : args.out_w;
    args.tiles = (args.out_w + TILE * args.stride_w - 1) / (TILE * args.stride_w) * args.phases;
    args.count = p->plan->tensors[dst].rows / args.out_w * args.tiles * args.out_slices;
    step_spec(s, 3, dot_flip(x));
    step_spec(s, 4, args.weight_zero != 0);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &weights);
    step_constants(s, 3, &channels);
    return step_items(p, s, args.count);
}

const struct gpu_exact exact_transpose_conv = { accept_transpose_conv, plan_transpose_conv };
