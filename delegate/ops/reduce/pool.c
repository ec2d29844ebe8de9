/* AVERAGE_POOL_2D, MAX_POOL_2D. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/reduce/pool.args.h"
#include "delegate/ops/window.h"
#include "delegate/plan/planner.h"

static struct window window_of(const TfLitePoolParams *params)
{
    return (struct window){ .padding = params->padding,
                            .filter_h = params->filter_height,
                            .filter_w = params->filter_width,
                            .stride_h = params->stride_height,
                            .stride_w = params->stride_width,
                            .dilation_h = 1,
                            .dilation_w = 1 };
}

/* The largest number of rows, or columns, that a window has inside the image. */
static uint64_t clipped(int filter, int32_t extent)
{
    return (uint64_t)(filter < extent ? filter : extent);
}

/* The average of the whole image runs as MEAN, whose sums are made by workgroups (pool_int8.c,
 * transform/mean.c). */
static bool runs_as_mean(const struct check *c, const struct graph_tensor *x,
                         const struct graph_tensor *y)
{
    const TfLitePoolParams *params = c->node->params;

    return c->node->code == BUILTIN_AVERAGE_POOL_2D && y->dims[1] == 1 && y->dims[2] == 1 &&
           params->filter_height == x->dims[1] && params->filter_width == x->dims[2] &&
           ((c->options->quantized == QUANTIZED_EXACT && graph_has_steps(x)) ||
            (params->activation == kTfLiteActNone &&
             !(c->options->no_transform & 1u << TRANSFORM_mean)));
}

static bool accept_pool(struct check *c)
{
    const TfLitePoolParams *params = c->node->params;
    const struct graph_tensor *x, *y;
    struct window window;

    if (!check_counts(c, 1, 1, 1) || !check_params(c) || !check_computed_input(c, 0, 4, 4) ||
        !check_output(c, 0, 4, 4) || !check_activation(c, params->activation))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    window = window_of(params);
    if (!check_window(c, &window, c->node->inputs[0], c->node->outputs[0]))
        return false;
    if (x->dims[3] != y->dims[3])
        return refuse(c, RULE_POOL_CHANNELS, c->node->outputs[0], "dims[3]",
                      "the model is malformed", "the input's", "%d, the input has %d", y->dims[3],
                      x->dims[3]);
    return runs_as_mean(c, x, y) ||
           check_loop_iterations(c, clipped(window.filter_h, x->dims[1]) *
                                        (clipped(window.filter_w, x->dims[2]) + 1));
}

static bool shape_pool(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const struct window window = window_of(n->params);

    (void)i;
    return x->rank == 4 && window_shape(&window, x, x->dims[3], s);
}

static enum status plan_pool(struct planner *p, const struct graph_node *n)
{
    const TfLitePoolParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = window_of(params);
    const struct window_pads pads = window_pads_of_node(p->graph, n, &window);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    const bool integers = graph_has_steps(y);
    struct plan_step *s =
        planner_step(p, integers ? INTEGER_SHADER(y, "pool_int8") : "pool", n, WORKGROUP, 1, 1);
    struct pool_args args;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    step_spec(s, POOL_SPEC_STRIDE_H, (uint32_t)params->stride_height);
    step_spec(s, POOL_SPEC_STRIDE_W, (uint32_t)params->stride_width);
    if (integers)
        step_spec(s, POOL_SPEC_SIGNED, y->type == kTfLiteInt8);
    else
        step_spec(s, POOL_SPEC_ACTIVATION, (uint32_t)params->activation);
    step_spec(s, POOL_SPEC_MAXIMUM, n->op->code == BUILTIN_MAX_POOL_2D);
    if (n->has_pads)
        step_spec(s, POOL_SPEC_ZEROS, true);
    step_thawable(s, POOL_SPEC_STRIDE_H, POOL_SPEC_ZEROS);
    args = (struct pool_args){
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .slices = p->plan->tensors[src].slices,
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .filter_h = (uint32_t)params->filter_height,
        .filter_w = (uint32_t)params->filter_width,
        .pad_h = pads.top,
        .pad_w = pads.left,
    };
    args.count = p->plan->tensors[dst].rows * args.slices;
    if (integers) {
        const struct fixed_range range = requantize_range(y, params->activation);

        args.low = range.low;
        args.high = range.high;
        args.zero = tensor_zero_point(y);
    }
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

static bool takes_padding(const struct graph_node *n)
{
    return n->has_pads || ((const TfLitePoolParams *)n->params)->padding == kTfLitePaddingValid;
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_AVERAGE_POOL_2D,
      .max_version = 3,
      GPU_ACTIVATION(TfLitePoolParams),
      .same_quant = true,
      .within_inputs = true,
      .exact = &exact_pool,
      .shorts = true,
      .accept = accept_pool,
      .plan = plan_pool,
      .shape = shape_pool,
      .reduces_as = BUILTIN_MEAN },
    { .code = BUILTIN_MAX_POOL_2D,
      .max_version = 3,
      GPU_ACTIVATION(TfLitePoolParams),
      .same_quant = true,
      .exact = &exact_pool,
      .shorts = true,
      .selects = true,
      .accept = accept_pool,
      .plan = plan_pool,
      .shape = shape_pool,
      .takes_padding = takes_padding },
};
const struct gpu_family gpu_pool = { ops, sizeof ops / sizeof ops[0] };
