/* TRANSPOSE_CONV of 8-bit tensors, and of i16 with i8 weights. */
#include "delegate/ops/int8/dot_int16.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/product/transpose_conv.h"
#include "delegate/ops/product/transpose_conv_int8.args.h"

enum { WEIGHTS = 1, X };

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
    const struct window window = window_of_transpose(params, w);
    const struct dot d = dot_of(n);
    const struct dot_shape shape = shape_of(w);
    const int src = planner_tensor(p, n->inputs[X]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct transpose_conv_int8_args args;
    struct packed weights, channels;
    struct plan_step *s;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    if (x->type == kTfLiteInt16)
        return dot_int16_plan(
            p, n, &d,
            &(struct dot_int16){
                .src = src,
                .dst = dst,
                .window = &window,
                .args = window_args_of(p->plan, src, dst, x, y, window_pads(&window, y, x)),
                .shape = shape,
                .channels = shape.inputs,
                .transposed = true });
    TRY(dot_pack_weights(p, n->inputs[WEIGHTS], &shape, &weights));
    TRY(dot_pack_channels(p, n, &d, false, &channels));
    s = planner_step(p, "transpose_conv_int8", n, WORKGROUP, 1, 1);
    if (!s)
        return STATUS_NO_MEMORY;
    step_packed_dot(p, s);
    args = (struct transpose_conv_int8_args){
        .window = window_args_of(p->plan, src, dst, x, y, window_pads(&window, y, x)),
        .in_channels = (uint32_t)x->dims[3],
        .row = transpose_conv_row_of(&window, y),
        .x_zero = dot_zero_point(x),
        .weight_zero = dot_zero_point(w),
        .output_range = dot_output_range(y, d.activation),
    };
    args.count =
        p->plan->tensors[dst].rows / args.window.out_w * args.row.tiles * args.window.out_slices;
    window_specs(s, &window);
    step_spec(s, TRANSPOSE_CONV_INT8_SPEC_SIGN_FLIP, dot_sign_flip(x));
    step_spec(s, TRANSPOSE_CONV_INT8_SPEC_SUM_X, args.weight_zero != 0);
    step_spec(s, TRANSPOSE_CONV_INT8_SPEC_REQUANTIZE, dot_requantize(p->graph, n, &d));
    step_thawable(s, WINDOW_SPEC_KERNEL_H, TRANSPOSE_CONV_INT8_SPEC_REQUANTIZE);
    step_push(s, &args, sizeof args);
    step_dot_products(p, s, dst, src, &weights, &channels);
    return step_items(p, s, args.count);
}

const struct gpu_exact exact_transpose_conv = { accept_transpose_conv, plan_transpose_conv };
