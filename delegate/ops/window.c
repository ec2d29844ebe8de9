#include "delegate/ops/window.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/plan/planner.h"

/* Pixels from the first tap to the last. */
static int64_t extent(int filter, int dilation)
{
    return ((int64_t)filter - 1) * dilation + 1;
}

static int64_t outputs(TfLitePadding padding, int64_t in, int filter, int stride, int dilation)
{
    const int64_t starts = padding == kTfLitePaddingSame ? in : in - extent(filter, dilation) + 1;

    return starts <= 0 ? 0 : (starts + stride - 1) / stride;
}

static int32_t before(TfLitePadding padding, int64_t in, int64_t out, int filter, int stride,
                      int dilation)
{
    const int64_t total = (out - 1) * stride + extent(filter, dilation) - in;

    return padding == kTfLitePaddingSame && total > 0 ? (int32_t)(total / 2) : 0;
}

struct window_pads window_pads(const struct window *w, const struct graph_tensor *in,
                               const struct graph_tensor *out)
{
    return (struct window_pads){
        before(w->padding, in->dims[1], out->dims[1], w->filter_h, w->stride_h, w->dilation_h),
        before(w->padding, in->dims[2], out->dims[2], w->filter_w, w->stride_w, w->dilation_w)
    };
}

struct window_pads window_pads_of_node(const struct graph *g, const struct graph_node *n,
                                       const struct window *w)
{
    if (n->has_pads)
        return (struct window_pads){ n->pad_top, n->pad_left };
    return window_pads(w, graph_input(g, n, 0), graph_output(g, n, 0));
}

bool window_shape(const struct window *w, const struct graph_tensor *in, int32_t channels,
                  struct graph_shape *s)
{
    int64_t h, width;

    if (in->rank != 4)
        return false;
    h = outputs(w->padding, in->dims[1], w->filter_h, w->stride_h, w->dilation_h);
    width = outputs(w->padding, in->dims[2], w->filter_w, w->stride_w, w->dilation_w);
    *s = (struct graph_shape){ 4, { in->dims[0], (int32_t)h, (int32_t)width, channels } };
    return true;
}

/* The structs of CONV_2D and DEPTHWISE_CONV_2D differ, their members have the same names. */
#define WINDOW_OF_DILATED(params, weights)                                                         \
    {                                                                                              \
        .padding = (params)->padding, .filter_h = (weights)->dims[1],                              \
        .filter_w = (weights)->dims[2], .stride_h = (params)->stride_height,                       \
        .stride_w = (params)->stride_width, .dilation_h = (params)->dilation_height_factor,        \
        .dilation_w = (params)->dilation_width_factor                                              \
    }

struct window window_of_conv(const TfLiteConvParams *params, const struct graph_tensor *weights)
{
    return (struct window)WINDOW_OF_DILATED(params, weights);
}

struct window window_of_depthwise(const TfLiteDepthwiseConvParams *params,
                                  const struct graph_tensor *weights)
{
    return (struct window)WINDOW_OF_DILATED(params, weights);
}

struct window window_of_transpose(const TfLiteTransposeConvParams *params,
                                  const struct graph_tensor *weights)
{
    return (struct window){ .padding = params->padding,
                            .filter_h = weights->dims[1],
                            .filter_w = weights->dims[2],
                            .stride_h = params->stride_height,
                            .stride_w = params->stride_width,
                            .dilation_h = 1,
                            .dilation_w = 1 };
}

const struct window window_1x1 = { .padding = kTfLitePaddingValid,
                                   .filter_h = 1,
                                   .filter_w = 1,
                                   .stride_h = 1,
                                   .stride_w = 1,
                                   .dilation_h = 1,
                                   .dilation_w = 1 };

struct window_args window_args_of(const struct plan *plan, int src, int dst,
                                  const struct graph_tensor *x, const struct graph_tensor *y,
                                  struct window_pads pads)
{
    return (struct window_args){ .in_h = (uint32_t)x->dims[1],
                                 .in_w = (uint32_t)x->dims[2],
                                 .in_slices = plan->tensors[src].slices,
                                 .out_h = (uint32_t)y->dims[1],
                                 .out_w = (uint32_t)y->dims[2],
                                 .out_slices = plan->tensors[dst].slices,
                                 .pad_h = pads.top,
                                 .pad_w = pads.left };
}

struct window_args window_args_1x1(const struct plan *plan, int src, int dst)
{
    return (struct window_args){ .in_h = 1,
                                 .in_w = 1,
                                 .in_slices = plan->tensors[src].slices,
                                 .out_h = 1,
                                 .out_w = 1,
                                 .out_slices = plan->tensors[dst].slices };
}

bool window_is_dense(const struct window *w, const struct window_args *args)
{
    return w->filter_h == 1 && w->filter_w == 1 && w->stride_h == 1 && w->stride_w == 1 &&
           args->pad_h == 0 && args->pad_w == 0 && args->in_h == args->out_h &&
           args->in_w == args->out_w;
}

void window_specs(struct plan_step *s, const struct window *w)
{
    step_spec(s, WINDOW_SPEC_KERNEL_H, (uint32_t)w->filter_h);
    step_spec(s, WINDOW_SPEC_KERNEL_W, (uint32_t)w->filter_w);
    step_spec(s, WINDOW_SPEC_STRIDE_H, (uint32_t)w->stride_h);
    step_spec(s, WINDOW_SPEC_STRIDE_W, (uint32_t)w->stride_w);
    step_spec(s, WINDOW_SPEC_DILATION_H, (uint32_t)w->dilation_h);
    step_spec(s, WINDOW_SPEC_DILATION_W, (uint32_t)w->dilation_w);
}

/* The largest stride and dilation is that of the runtime's convolutions; the largest filter keeps
 * the shaders' coordinates within 32 bits, and with SAME the padding within what the runtime has.
 */
enum { STEP_MAX = INT16_MAX, FILTER_MAX = 1 << 20, FILTER_MAX_SAME = 1 << 16 };

static bool check_step(struct check *c, const char *field, int value)
{
    if (value >= 1 && value <= STEP_MAX)
        return true;
    return refuse(c, RULE_WINDOW_SIZE, -1, field, "the model is malformed", "1 to 32767", "%d",
                  value);
}

static bool check_filter(struct check *c, const struct window *w, const char *field, int filter,
                         int dilation)
{
    const int64_t size = extent(filter, dilation);
    const bool same = w->padding == kTfLitePaddingSame;

    if (filter >= 1 && size <= (same ? FILTER_MAX_SAME : FILTER_MAX))
        return true;
    return refuse(c, RULE_WINDOW_SIZE, -1, field, "the model is malformed",
                  same ? "1 to 65536" : "1 to 1048576", "%lld", (long long)size);
}

bool check_window(struct check *c, const struct window *w, int in, int out)
{
    const struct graph_tensor *x = &c->graph->tensors[in];
    const struct graph_tensor *y = &c->graph->tensors[out];
    int64_t want_h, want_w;

    if (w->padding != kTfLitePaddingSame && w->padding != kTfLitePaddingValid)
        return refuse(c, RULE_WINDOW_PADDING, -1, "padding", "the model is malformed",
                      "1 (SAME), 2 (VALID)", "%d", (int)w->padding);
    if (!check_step(c, "stride_height", w->stride_h) ||
        !check_step(c, "stride_width", w->stride_w) ||
        !check_step(c, "dilation_height_factor", w->dilation_h) ||
        !check_step(c, "dilation_width_factor", w->dilation_w) ||
        !check_filter(c, w, "dilated filter height", w->filter_h, w->dilation_h) ||
        !check_filter(c, w, "dilated filter width", w->filter_w, w->dilation_w))
        return false;
    want_h = outputs(w->padding, x->dims[1], w->filter_h, w->stride_h, w->dilation_h);
    want_w = outputs(w->padding, x->dims[2], w->filter_w, w->stride_w, w->dilation_w);
    if (x->dims[0] != y->dims[0] || y->dims[1] != want_h || y->dims[2] != want_w)
        return refuse(c, RULE_WINDOW_OUTPUT_SHAPE, out, "dims", "the model is malformed",
                      "what the window gives", "[%d,%d,%d,..], the window gives [%d,%lld,%lld,..]",
                      y->dims[0], y->dims[1], y->dims[2], x->dims[0], (long long)want_h,
                      (long long)want_w);
    return true;
}

bool check_conv_operands(struct check *c)
{
    return check_counts(c, 2, 3, 1) && check_params(c) && check_computed_input(c, 0, 4, 4) &&
           check_input(c, 1, 4, 4) && check_output(c, 0, 4, 4) &&
           check_activation(c, (int)gpu_op_activation(c->node));
}
