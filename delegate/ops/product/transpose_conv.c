/* TRANSPOSE_CONV, and MediaPipe's Convolution2DTransposeBias, which has no output_shape: weights
 * [O,KH,KW,I], optional bias, constant or computed.  The convolution whose
 * gradient this is takes the output to the input: padding and sizes are those of that window. */
#include "delegate/ops/product/transpose_conv.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/product/gemm.h"
#include "delegate/ops/product/transpose_conv.args.h"

enum { SHAPE = 0, WEIGHTS = 1 };
enum { TFLITE, MEDIAPIPE }; /* gpu_op.variant */

static int x_of(const struct graph_node *n)
{
    return n->op->variant == MEDIAPIPE ? 0 : 2;
}

static int bias_of(const struct graph_node *n)
{
    return n->op->variant == MEDIAPIPE ? 2 : 3;
}

static struct weights_shape weights_of(const struct graph_tensor *w)
{
    return (struct weights_shape){ .outputs = (uint32_t)w->dims[0],
                                   .taps = (uint32_t)w->dims[1] * (uint32_t)w->dims[2],
                                   .inputs = (uint32_t)w->dims[3],
                                   .depth = ((uint32_t)w->dims[3] + 3) / 4 * 4 };
}

static bool check_shape(struct check *c)
{
    const struct graph_tensor *shape = graph_input(c->graph, c->node, SHAPE);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    if (!shape || !shape->data || shape->type != kTfLiteInt32)
        return refuse(c, RULE_TRANSPOSE_CONV_SHAPE_CONSTANT, shape ? c->node->inputs[SHAPE] : -1,
                      "output_shape", "make it a constant of the model", "constant i32", "%s",
                      !shape         ? "absent"
                      : !shape->data ? "computed at run time"
                                     : runtime_type_name(shape->type));
    if (shape->rank != 1 || shape->dims[0] != 4)
        return refuse(c, RULE_TRANSPOSE_CONV_SHAPE_SHAPE, c->node->inputs[SHAPE], "dims",
                      "the model is malformed", "[4]", "rank %d, %zu elements", shape->rank,
                      shape->elements);
    for (int d = 0; d < 4; d++) {
        const int64_t value = graph_constant_int(c->graph, c->node->inputs[SHAPE], (size_t)d);

        if (value != y->dims[d])
            return refuse(c, RULE_TRANSPOSE_CONV_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                          "the model is malformed", "output_shape", "%d on dim %d, not %lld",
                          y->dims[d], d, (long long)value);
    }
    return true;
}

static bool shape_transpose_conv(const struct graph *g, const struct graph_node *n, int i,
                                 struct graph_shape *s)
{
    (void)i;
    s->rank = 4;
    for (int d = 0; d < 4; d++) {
        const int64_t size = graph_constant_int(g, n->inputs[SHAPE], (size_t)d);

        if (size < 0 || size > INT32_MAX)
            return false;
        s->dims[d] = (int32_t)size;
    }
    return true;
}

/* Sizes that a stride maps to one input are told apart by what the model's shape exceeds a multiple
 * of the stride, as in the runtime (reference/ops/transpose_conv.c). */
static bool shape_mediapipe(const struct graph *g, const struct graph_node *n, int i,
                            struct graph_shape *s)
{
    const TfLiteTransposeConvParams *const params = n->params;
    const struct graph_tensor *const x = graph_input(g, n, 0), *const w =
                                                                   graph_input(g, n, WEIGHTS);
    const struct graph_tensor *const y = graph_output(g, n, i);
    const struct window window = window_of_transpose(params, w);
    const int32_t strides[] = { window.stride_h, window.stride_w };
    const int32_t filters[] = { window.filter_h, window.filter_w };

    if (x->rank != 4 || y->rank != 4)
        return false;
    *s = (struct graph_shape){ 4, { x->dims[0], 0, 0, w->dims[0] } };
    for (int d = 1; d <= 2; d++) {
        const int64_t stride = strides[d - 1], filter = filters[d - 1];
        const int64_t least = params->padding == kTfLitePaddingSame
                                  ? (x->dims[d] - (int64_t)1) * stride + 1
                                  : (x->dims[d] - (int64_t)1) * stride + filter;
        const int64_t out = least + ((y->dims[d] - least) % stride + stride) % stride;

        if (x->dims[d] < 1 || out > INT32_MAX)
            return false;
        s->dims[d] = (int32_t)out;
    }
    return true;
}

/* Most taps of an output along one axis. */
static uint64_t taps(int filter, int stride)
{
    return ((uint64_t)filter - 1) / (uint64_t)stride + 1;
}

static bool accept_transpose_conv(struct check *c)
{
    const TfLiteTransposeConvParams *params = c->node->params;
    const struct graph_tensor *x, *w, *y;
    const bool is_tflite = c->node->op->variant == TFLITE;
    const int in = x_of(c->node);
    struct weights_shape weights;
    struct window window;

    if (!check_counts(c, 3, is_tflite ? 4 : 3, 1) || !check_params(c) ||
        !check_computed_input(c, in, 4, 4) || !check_input(c, WEIGHTS, 4, 4) ||
        !check_output(c, 0, 4, 4) ||
        (is_tflite && (!check_activation(c, params->activation) || !check_shape(c))))
        return false;
    x = graph_input(c->graph, c->node, in);
    w = graph_input(c->graph, c->node, WEIGHTS);
    y = graph_output(c->graph, c->node, 0);
    window = window_of_transpose(params, w);
    if (!check_window(c, &window, c->node->outputs[0], c->node->inputs[in]))
        return false;
    if (y->dims[3] != w->dims[0])
        return refuse(c, RULE_TRANSPOSE_CONV_OUT_CHANNELS, c->node->outputs[0], "dims[3]",
                      "the model is malformed", "dims[0] of the weights", "%d, the weights have %d",
                      y->dims[3], w->dims[0]);
    if (x->dims[3] != w->dims[3])
        return refuse(c, RULE_TRANSPOSE_CONV_IN_CHANNELS, c->node->inputs[in], "dims[3]",
                      "the model is malformed", "dims[3] of the weights", "%d, the weights have %d",
                      x->dims[3], w->dims[3]);
    if (!check_bias(c, bias_of(c->node), w->dims[0], RULE_TRANSPOSE_CONV_BIAS,
                    "dims[0] of the weights"))
        return false;
    weights = weights_of(w);
    return check_loop_iterations(c, taps(window.filter_h, window.stride_h) *
                                        taps(window.filter_w, window.stride_w) *
                                        (((uint64_t)w->dims[3] + 3) / 4 + 1)) &&
           check_storable(c, WEIGHTS, weights_vec4s(&weights));
}

struct transpose_conv_row transpose_conv_row_of(const struct window *w,
                                                const struct graph_tensor *y)
{
    const uint32_t out_w = (uint32_t)y->dims[2], stride = (uint32_t)w->stride_w;
    const uint32_t phases = stride < out_w ? stride : out_w, pixels = TRANSPOSE_CONV_TILE * stride;

    return (struct transpose_conv_row){ .tiles = (out_w + pixels - 1) / pixels * phases,
                                        .phases = phases };
}

static enum status plan_plain(struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    struct transpose_conv_args args = {
        .window = m->args,
        .in_channels = p->plan->tensors[m->src].channels,
        .row = transpose_conv_row_of(m->window, graph_output(p->graph, n, 0)),
    };
    struct plan_step *s = planner_step(p, "transpose_conv", n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    args.count =
        p->plan->tensors[m->dst].rows / args.window.out_w * args.row.tiles * args.window.out_slices;
    window_specs(s, m->window);
    step_spec(s, TRANSPOSE_CONV_SPEC_ACTIVATION, m->activation);
    step_thawable(s, WINDOW_SPEC_KERNEL_H, TRANSPOSE_CONV_SPEC_ACTIVATION);
    step_push(s, &args, sizeof args);
    step_products(p, s, m->dst, m->src, m->weights, m->bias);
    return step_items(p, s, args.count);
}

static enum status plan_transpose_conv(struct planner *p, const struct graph_node *n)
{
    const TfLiteTransposeConvParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, x_of(n));
    const struct graph_tensor *w = graph_input(p->graph, n, WEIGHTS);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = window_of_transpose(params, w);
    const struct weights_shape shape = weights_of(w);
    const int src = planner_tensor(p, n->inputs[x_of(n)]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct operand weights, bias;
    struct matmul m;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    TRY(operand_weights(p, n, n->inputs[WEIGHTS], &shape, &weights));
    TRY(operand_bias(p, n, graph_input(p->graph, n, bias_of(n)) ? n->inputs[bias_of(n)] : -1,
                     shape.outputs, &bias));
    m = (struct matmul){ .src = src,
                         .dst = dst,
                         .window = &window,
                         .args =
                             window_args_of(p->plan, src, dst, x, y, window_pads(&window, y, x)),
                         .weights = &weights,
                         .bias = &bias,
                         .activation = n->op->variant == TFLITE ? (uint32_t)params->activation : 0,
                         .transposed = true };
    return gemm_fits(p, n, &m) ? gemm_plan(p, n, &m) : plan_plain(p, n, &m);
}

static const struct gpu_op ops[] = {
    { GPU_OP(TRANSPOSE_CONV, 5), GPU_ACTIVATION(TfLiteTransposeConvParams),
      .accept = accept_transpose_conv, .plan = plan_transpose_conv, .shape = shape_transpose_conv,
      .exact = &exact_transpose_conv, .shorts = true },
    { GPU_OP(CONVOLUTION_2D_TRANSPOSE_BIAS, 1), .variant = MEDIAPIPE,
      .params_bytes = sizeof(TfLiteTransposeConvParams), .accept = accept_transpose_conv,
      .plan = plan_transpose_conv, .shape = shape_mediapipe, .no_float_view = true },
};
const struct gpu_family gpu_transpose_conv = { ops, sizeof ops / sizeof ops[0] };
