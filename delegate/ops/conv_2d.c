/* CONV_2D: weights [O,KH,KW,I] with I dividing the input's channels (groups), optional bias; both
 * constant or computed. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/matmul.h"
#include "delegate/ops/operand.h"
#include "delegate/ops/window.h"

enum { TILE = 4 }; /* as in conv_2d_grouped.comp */

struct conv_args {
    uint32_t count, pixels;
    uint32_t in_h, in_w, in_channels, in_slices;
    uint32_t out_h, out_w, out_channels, out_slices;
    int32_t pad_h, pad_w;
    uint32_t group_in, group_out;
    struct graph_steps steps;
};
_Static_assert(sizeof(struct conv_args) == 68, "conv_2d.comp, conv_2d_grouped.comp");

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

/* Whole slices of input channels when there is one group. */
static struct weights_shape weights_of(const struct graph_tensor *w, bool grouped)
{
    return (struct weights_shape){ .outputs = (uint32_t)w->dims[0],
                                   .taps = (uint32_t)(w->dims[1] * w->dims[2]),
                                   .inputs = (uint32_t)w->dims[3],
                                   .depth = (uint32_t)(grouped ? w->dims[3]
                                                               : (w->dims[3] + 3) / 4 * 4) };
}

static bool accept_conv(struct check *c)
{
    const TfLiteConvParams *params = c->node->params;
    const struct graph_tensor *x, *w, *y, *b;
    struct weights_shape shape;
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
    if (w->dims[0] < 1 || y->dims[3] != w->dims[0])
        return refuse(c, RULE_CONV_2D_OUT_CHANNELS, c->node->outputs[0], "dims[3]",
                      "the model is malformed", "dims[0] of the weights", "%d, the weights have %d",
                      y->dims[3], w->dims[0]);
    if (w->dims[3] < 1 || x->dims[3] % w->dims[3] != 0 ||
        w->dims[0] % (x->dims[3] / w->dims[3]) != 0)
        return refuse(c, RULE_CONV_2D_GROUPS, c->node->inputs[1], "dims[3]",
                      "the model is malformed",
                      "a divisor of the input's channels, into groups that divide the output's",
                      "%d of %d input channels, %d outputs", w->dims[3], x->dims[3], w->dims[0]);
    if (b && !check_input(c, 2, 1, 1))
        return false;
    if (b && b->dims[0] != w->dims[0])
        return refuse(c, RULE_CONV_2D_BIAS, c->node->inputs[2], "dims[0]", "the model is malformed",
                      "dims[0] of the weights", "%d, the weights have %d", b->dims[0], w->dims[0]);
    shape = weights_of(w, w->dims[3] != x->dims[3]);
    /* Slices of a group, or where they are not shared out, all. */
    return check_loop_iterations(c, (uint64_t)w->dims[1] * (uint64_t)w->dims[2] *
                                        (w->dims[3] != x->dims[3]
                                             ? (uint64_t)w->dims[3] + 1
                                             : ((uint64_t)w->dims[3] + 3) / 4 + 1)) &&
           check_storable(c, 1, weights_vec4s(&shape));
}

/* How a workgroup of conv_2d.comp is laid out: 128 invocations, which every device allows.  More
 * shares of a sum are more work side by side where there are few pixels, as in the last layers. */
struct tile {
    uint32_t x, y, z; /* output slices, runs of pixels, shares of a sum */
    uint32_t rows;    /* pixels of a run */
};
enum { INVOCATIONS = 128, SHARE_MIN = 4, SHARES_MAX = 16, ROWS = 4 };

static uint32_t power_of_two_up_to(uint32_t n, uint32_t most)
{
    uint32_t p = 1;

    while (2 * p <= n && 2 * p <= most)
        p *= 2;
    return p;
}

static struct tile tile_of(const struct plan_tensor *src, const struct plan_tensor *dst)
{
    struct tile t = { .x = dst->slices > 4 ? 8 : 2, .rows = ROWS };
    uint32_t shares = SHARES_MAX;

    if (dst->rows < ROWS) { /* one pixel, as a rule: a product with a vector */
        t.rows = 1;
        t.x /= 2;
        shares *= 2;
    }
    t.z = power_of_two_up_to(src->slices / SHARE_MIN, shares);
    t.y = INVOCATIONS / t.x / t.z;
    return t;
}

static enum status push_product(struct planner *p, struct plan_step *s, struct conv_args *args,
                                const struct tile *tile)
{
    const uint64_t runs = ((uint64_t)args->pixels + tile->rows - 1) / tile->rows;

    step_push(s, args, sizeof *args); /* step_tiles sets the count */
    return step_tiles(p, s, args->out_slices, runs, tile->z > 1 ? 16 * tile->rows : 0);
}

static enum status push_grouped(struct planner *p, struct plan_step *s, struct conv_args *args)
{
    args->count = (args->pixels + TILE - 1) / TILE * args->out_slices;
    step_push(s, args, sizeof *args);
    return step_items(p, s, args->count);
}

enum status product_plan(struct planner *p, const struct graph_node *node,
                         const struct product *product)
{
    const struct plan_tensor *src = &p->plan->tensors[product->src];
    const struct plan_tensor *dst = &p->plan->tensors[product->dst];
    const struct tile tile = tile_of(src, dst);
    struct conv_args args = { .pixels = dst->rows,
                              .in_h = 1,
                              .in_w = 1,
                              .in_channels = src->channels,
                              .in_slices = src->slices,
                              .out_h = 1,
                              .out_w = 1,
                              .out_channels = dst->channels,
                              .out_slices = dst->slices,
                              .group_in = src->channels,
                              .group_out = dst->channels,
                              .steps = node->steps };
    struct plan_step *s = planner_step(p, "conv_2d", node, tile.x, tile.y, tile.z);

    if (!s)
        return STATUS_NO_MEMORY;
    for (uint32_t id = 3; id <= 8; id++) /* kernel, stride, dilation */
        step_spec(s, id, 1);
    step_spec(s, 9, product->activation);
    step_spec(s, 10, tile.rows);
    step_spec(s, 11, true); /* dense */
    step_spec(s, 12, false);
    if (node->steps.scale > 0)
        step_spec(s, 13, true);
    step_write(p, s, 0, product->dst);
    step_read(p, s, 1, product->src);
    step_operand(p, s, 2, product->weights);
    step_operand(p, s, 3, product->bias);
    return push_product(p, s, &args, &tile);
}

static bool is_dense(const struct window *w, const struct window_pads *pads)
{
    return w->filter_h == 1 && w->filter_w == 1 && w->stride_h == 1 && w->stride_w == 1 &&
           pads->top == 0 && pads->left == 0;
}

static enum status plan_conv(struct planner *p, const struct graph_node *n)
{
    const TfLiteConvParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const struct window window = window_of(params, w);
    const struct window_pads pads =
        n->has_pads ? (struct window_pads){ n->pad_top, n->pad_left } : window_pads(&window, x, y);
    const bool grouped = w->dims[3] != x->dims[3];
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = !n->has_residual
                        ? planner_tensor(p, n->outputs[0])
                        : planner_view(p, n->outputs[0], planner_tensor(p, n->residual));
    const struct weights_shape shape = weights_of(w, grouped);
    struct tile tile = { WORKGROUP, 1, 1, TILE };
    struct operand weights, bias;
    struct plan_step *s;
    struct conv_args args;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    TRY(operand_weights(p, n, n->inputs[1], &shape, &weights));
    TRY(operand_bias(p, n, graph_input(p->graph, n, 2) ? n->inputs[2] : -1, shape.outputs, &bias));
    if (!grouped)
        tile = tile_of(&p->plan->tensors[src], &p->plan->tensors[dst]);
    s = planner_step(p, grouped ? "conv_2d_grouped" : "conv_2d", n, tile.x, tile.y, tile.z);
    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, 3, (uint32_t)window.filter_h);
    step_spec(s, 4, (uint32_t)window.filter_w);
    step_spec(s, 5, (uint32_t)window.stride_h);
    step_spec(s, 6, (uint32_t)window.stride_w);
    step_spec(s, 7, (uint32_t)window.dilation_h);
    step_spec(s, 8, (uint32_t)window.dilation_w);
    step_spec(s, 9, (uint32_t)params->activation);
    args = (struct conv_args){
        .pixels = p->plan->tensors[dst].rows,
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .in_channels = (uint32_t)x->dims[3],
        .in_slices = p->plan->tensors[src].slices,
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .out_channels = (uint32_t)y->dims[3],
        .out_slices = p->plan->tensors[dst].slices,
        .pad_h = pads.top,
        .pad_w = pads.left,
        .group_in = (uint32_t)w->dims[3],
        .group_out = (uint32_t)(w->dims[0] / (x->dims[3] / w->dims[3])),
        .steps = n->steps,
    };
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_operand(p, s, 2, &weights);
    step_operand(p, s, 3, &bias);
    if (grouped) {
        if (n->steps.scale > 0)
            step_spec(s, 10, true);
        return push_grouped(p, s, &args);
    }
    step_spec(s, 10, tile.rows);
    step_spec(s, 11, is_dense(&window, &pads));
    step_spec(s, 12, n->has_residual);
    if (n->steps.scale > 0)
        step_spec(s, 13, true);
    return push_product(p, s, &args, &tile);
}

static bool takes_padding(const struct graph_node *n)
{
    return n->has_pads || ((const TfLiteConvParams *)n->params)->padding == kTfLitePaddingValid;
}

/* Grouped convolutions have a shader of their own, which does not add. */
static bool takes_residual(const struct graph *g, const struct graph_node *n)
{
    return graph_input(g, n, 0)->dims[3] == graph_input(g, n, 1)->dims[3] &&
           gpu_op_activation(n) == kTfLiteActNone;
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_CONV_2D,
      .max_version = 8,
      GPU_ACTIVATION(TfLiteConvParams),
      .rounds_to_steps = true,
      .accept = accept_conv,
      .plan = plan_conv,
      .exact = &exact_conv_2d,
      .takes_padding = takes_padding,
      .takes_residual = takes_residual },
};
const struct gpu_family gpu_conv_2d = { ops, sizeof ops / sizeof ops[0] };
