/* AVERAGE_POOL_2D, MAX_POOL_2D, and MediaPipe's MaxPoolingWithArgmax2D and MaxUnpooling2D.  The
 * indices of these, bits in f32 of the host, are i32 here. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/reduce/pool.args.h"
#include "delegate/ops/reduce/pool_tiles.args.h"
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

/* ---- MaxPoolingWithArgmax2D, MaxUnpooling2D ---- */

/* small: the tensor that has an element for each window of tensor large. */
static bool check_tiles(struct check *c, int large, int small, int indices)
{
    const TfLitePoolParams *params = c->node->params;
    const struct graph_tensor *x = &c->graph->tensors[large], *y = &c->graph->tensors[small];
    const struct graph_tensor *at = &c->graph->tensors[indices];
    const struct window window = window_of(params);

    if (at->type != kTfLiteInt32)
        return refuse(
            c, RULE_TENSOR_TYPE, indices, "type",
            "let MaxPoolingWithArgmax2D write indices, and MaxUnpooling2D alone read them",
            "indices", "%s", runtime_type_name(at->type));
    if (!check_window(c, &window, large, small))
        return false;
    if (params->activation != kTfLiteActNone || params->filter_height != params->stride_height ||
        params->filter_width != params->stride_width || !graph_same_shape(at, y) ||
        x->dims[0] != y->dims[0] || x->dims[3] != y->dims[3])
        return refuse(c, RULE_POOL_TILES, -1, "params", "the CPU kernel refuses it, too",
                      "stride is the filter, no activation, one shape of values and indices",
                      "filter %dx%d, stride %dx%d, activation %d", params->filter_height,
                      params->filter_width, params->stride_height, params->stride_width,
                      (int)params->activation);
    return check_loop_iterations(c, clipped(window.filter_h, x->dims[1]) *
                                        (clipped(window.filter_w, x->dims[2]) + 1));
}

static bool accept_argmax(struct check *c)
{
    return check_counts(c, 1, 1, 2) && check_params(c) && check_computed_input(c, 0, 4, 4) &&
           check_output(c, 0, 4, 4) &&
           check_tiles(c, c->node->inputs[0], c->node->outputs[0], c->node->outputs[1]);
}

static bool accept_unpool(struct check *c)
{
    const TfLitePoolParams *params = c->node->params;
    const struct graph_tensor *x, *y;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) || !check_computed_input(c, 0, 4, 4) ||
        c->node->inputs[1] < 0 || !check_output(c, 0, 4, 4) ||
        !check_tiles(c, c->node->outputs[0], c->node->inputs[0], c->node->inputs[1]))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (params->padding != kTfLitePaddingValid ||
        (int64_t)x->dims[1] * params->filter_height != y->dims[1] ||
        (int64_t)x->dims[2] * params->filter_width != y->dims[2])
        return refuse(c, RULE_POOL_TILES, c->node->outputs[0], "dims",
                      "the CPU kernel refuses it, too", "the input's times the filter", "%dx%d",
                      y->dims[1], y->dims[2]);
    return true;
}

static bool shape_unpool(const struct graph *g, const struct graph_node *n, int i,
                         struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const TfLitePoolParams *params = n->params;
    const int64_t h = x->rank == 4 ? (int64_t)x->dims[1] * params->filter_height : INT64_MAX,
                  w = x->rank == 4 ? (int64_t)x->dims[2] * params->filter_width : INT64_MAX;

    (void)i;
    if (h > INT32_MAX || w > INT32_MAX)
        return false;
    *s = (struct graph_shape){ 4, { x->dims[0], (int32_t)h, (int32_t)w, x->dims[3] } };
    return true;
}

static enum status plan_tiles(struct planner *p, const struct graph_node *n)
{
    const bool unpools = n->op->code == BUILTIN_MAX_UNPOOLING_2D;
    const TfLitePoolParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = window_of(params);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    const int indices = planner_tensor(p, unpools ? n->inputs[1] : n->outputs[1]);
    struct plan_step *s = planner_step(
        p, unpools ? planner_moving_shader(p, dst, MOVING_SHADER("unpool")) : "pool_argmax", n,
        WORKGROUP, 1, 1);
    struct pool_tiles_args args;

    if (src < 0 || dst < 0 || indices < 0 || !s)
        return STATUS_NO_MEMORY;
    args = (struct pool_tiles_args){
        .count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices,
        .slices = p->plan->tensors[dst].slices,
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .filter_h = (uint32_t)params->filter_height,
        .filter_w = (uint32_t)params->filter_width,
    };
    if (!unpools) {
        const struct window_pads pads = window_pads(&window, x, y);

        args.pad_h = pads.top;
        args.pad_w = pads.left;
    }
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    if (unpools)
        step_read(p, s, 2, indices);
    else
        step_write(p, s, 2, indices);
    return step_items(p, s, args.count);
}

static const struct gpu_op ops[] = {
    { GPU_OP(AVERAGE_POOL_2D, 3), GPU_ACTIVATION(TfLitePoolParams), .same_quant = true,
      .within_inputs = true, .exact = &exact_pool, .shorts = true, .accept = accept_pool,
      .plan = plan_pool, .shape = shape_pool, .reduces_as = BUILTIN_MEAN },
    { GPU_OP(MAX_POOL_2D, 3), GPU_ACTIVATION(TfLitePoolParams), .same_quant = true,
      .exact = &exact_pool, .shorts = true, .selects = true, .accept = accept_pool,
      .plan = plan_pool, .shape = shape_pool, .takes_padding = takes_padding },
    { GPU_OP(MAX_POOLING_WITH_ARGMAX_2D, 1), .params_bytes = sizeof(TfLitePoolParams),
      .no_float_view = true, .within_inputs = true, .index_outputs = 1u << 1, .index_bits = true,
      .accept = accept_argmax, .plan = plan_tiles, .shape = shape_pool },
    { GPU_OP(MAX_UNPOOLING_2D, 1), .params_bytes = sizeof(TfLitePoolParams), .no_float_view = true,
      .within_inputs = true, .index_inputs = 1u << 1, .index_bits = true, .accept = accept_unpool,
      .plan = plan_tiles, .shape = shape_unpool },
};
const struct gpu_family gpu_pool = { ops, sizeof ops / sizeof ops[0] };
