/* DEPTHWISE_CONV_2D of 8-bit tensors, and of i16 with i8 weights.  There are no sums over channels:
 * weights are packed as tensors are. */
#include "delegate/ops/divisor.h"
#include "delegate/ops/int8/dot_int16.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/product/depthwise_conv_2d_int8.args.h"
#include "delegate/ops/product/depthwise_run_int8.args.h"
#include "delegate/ops/window.h"

enum {
    RUN_FILTER_MAX = 7 /* rows and columns whose loads are in registers */
};

static struct dot dot_of(const struct graph_node *n)
{
    const TfLiteDepthwiseConvParams *params = n->params;

    return (struct dot){
        .x = 0, .weights = 1, .bias = 2, .channel = 3, .activation = (int)params->activation
    };
}

static uint64_t words_of(const struct graph_tensor *w)
{
    return (uint64_t)w->dims[1] * (uint64_t)w->dims[2] * (((uint64_t)w->dims[3] + 3) / 4);
}

static bool accept_depthwise(struct check *c)
{
    const struct dot d = dot_of(c->node);

    return check_dot(c, &d, words_of(graph_input(c->graph, c->node, 1)));
}

static enum status pack_weights(struct planner *p, const struct graph_node *n,
                                struct packed *packed)
{
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const uint32_t taps = (uint32_t)(w->dims[1] * w->dims[2]), outputs = (uint32_t)w->dims[3];
    const uint32_t slices = (outputs + 3) / 4;

    TRY(planner_pack_words(p, words_of(w), packed));
    for (uint32_t k = 0; k < taps && planner_packs(p); k++)
        for (uint32_t s = 0; s < slices; s++) {
            uint32_t word = 0;

            for (uint32_t o = 4 * s; o < outputs && o < 4 * s + 4; o++)
                word |=
                    ((uint32_t)graph_constant_int(p->graph, n->inputs[1], (size_t)k * outputs + o) &
                     0xff)
                    << 8 * (o % 4);
            planner_put_word(p, packed, (uint64_t)k * slices + s, word ^ dot_sign_flip(w));
        }
    return STATUS_OK;
}

/* A convolution with a group for each input channel. */
static enum status plan_int16(struct planner *p, const struct graph_node *n, const struct dot *d)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct window window = window_of_depthwise(n->params, w);
    struct dot_int16 m = { .src = planner_tensor(p, n->inputs[0]),
                           .dst = planner_tensor(p, n->outputs[0]),
                           .window = &window,
                           .shape = { .outputs = (uint32_t)w->dims[3],
                                      .taps = (uint32_t)(w->dims[1] * w->dims[2]),
                                      .inputs = 1 },
                           .channels = (uint32_t)x->dims[3] };

    if (m.src < 0 || m.dst < 0)
        return STATUS_NO_MEMORY;
    m.args = window_args_of(p->plan, m.src, m.dst, x, graph_output(p->graph, n, 0),
                            window_pads_of_node(p->graph, n, &window));
    return dot_int16_plan(p, n, d, &m);
}

/* Kernel depthwise_int8, in place of the plain one.  Invocations of several pixels would share
 * loads, but more invocations were faster on an H200. */
static bool has_runs(const struct planner *p, const struct graph_node *n, const struct window *w)
{
    const bool single =
        graph_input(p->graph, n, 1)->dims[3] == graph_input(p->graph, n, 0)->dims[3];
    const struct reason_of why = planner_reason(p, KERNEL_depthwise_int8, n);

    if (!planner_kernel(p, &why))
        return false;
    return (single && w->dilation_w == 1 && w->filter_h <= RUN_FILTER_MAX &&
            w->filter_w <= RUN_FILTER_MAX && w->stride_w <= w->filter_w) ||
           reasons_add(&why,
                       "several results of a channel, dilation, a window of more than %d x %d "
                       "or narrower than its stride",
                       RUN_FILTER_MAX, RUN_FILTER_MAX);
}

struct run {
    int src, dst;
    const struct window *window;
    struct window_args args;
    const struct packed *weights, *channels;
};

static enum status plan_run(struct planner *p, const struct graph_node *n, const struct dot *d,
                            const struct run *r)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *w = graph_input(p->graph, n, 1);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct depthwise_run_int8_args args = {
        .count = (uint32_t)y->dims[0] * r->args.out_h * r->args.out_w * r->args.out_slices,
        .window = r->args,
        .slices = divisor_of(r->args.out_slices),
        .columns = divisor_of(r->args.out_w),
        .rows = divisor_of(r->args.out_h),
        .padding = dot_padding(x),
        .weight_zero = dot_zero_point(w),
        .output_range = dot_output_range(y, d->activation),
    };
    struct plan_step *s;

    if (!(s = planner_step(p, "depthwise_run_int8", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    step_packed_dot(p, s);
    window_specs(s, r->window);
    step_spec(s, DEPTHWISE_RUN_INT8_SPEC_SIGN_FLIP, dot_sign_flip(x));
    step_spec(s, DEPTHWISE_RUN_INT8_SPEC_SUM_X, args.weight_zero != 0);
    step_spec(s, DEPTHWISE_RUN_INT8_SPEC_REQUANTIZE, dot_requantize(p->graph, n, d));
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_dot_products(p, s, r->dst, r->src, r->weights, r->channels);
    return step_items(p, s, args.count);
}

static enum status plan_depthwise(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = window_of_depthwise(n->params, w);
    const struct dot d = dot_of(n);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct packed weights, channels;
    struct depthwise_conv_2d_int8_args args;
    struct plan_step *s;
    struct run r;

    if (x->type == kTfLiteInt16)
        return plan_int16(p, n, &d);
    TRY(pack_weights(p, n, &weights));
    TRY(dot_pack_channels(p, n, &d, true, &channels));
    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    r = (struct run){
        .src = src,
        .dst = dst,
        .window = &window,
        .args = window_args_of(p->plan, src, dst, x, y, window_pads_of_node(p->graph, n, &window)),
        .weights = &weights,
        .channels = &channels,
    };
    if (has_runs(p, n, &window))
        return plan_run(p, n, &d, &r);
    if (!(s = planner_step(p, "depthwise_conv_2d_int8", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    step_packed_dot(p, s);
    window_specs(s, &window);
    step_spec(s, DEPTHWISE_CONV_2D_SPEC_MULTIPLIER, (uint32_t)(w->dims[3] / x->dims[3]));
    step_spec(s, DEPTHWISE_CONV_2D_INT8_SPEC_SIGN_FLIP, dot_sign_flip(x));
    step_spec(s, DEPTHWISE_CONV_2D_INT8_SPEC_SUM_X, dot_zero_point(w) != 0);
    step_spec(s, DEPTHWISE_CONV_2D_INT8_SPEC_REQUANTIZE, dot_requantize(p->graph, n, &d));
    step_thawable(s, WINDOW_SPEC_KERNEL_H, DEPTHWISE_CONV_2D_INT8_SPEC_REQUANTIZE);
    args = (struct depthwise_conv_2d_int8_args){
        .window = r.args,
        .in_channels = (uint32_t)x->dims[3],
        .padding = dot_padding(x),
        .weight_zero = dot_zero_point(w),
        .output_range = dot_output_range(y, d.activation),
    };
    args.count = p->plan->tensors[dst].rows * args.window.out_slices;
    step_push(s, &args, sizeof args);
    step_dot_products(p, s, dst, src, &weights, &channels);
    return step_items(p, s, args.count);
}

const struct gpu_exact exact_depthwise_conv_2d = { accept_depthwise, plan_depthwise };
