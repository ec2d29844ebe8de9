/* AVERAGE_POOL_2D, MAX_POOL_2D of 8-bit and i16 tensors: input and output have one scale and zero
 * point. Meaning: reference/ops/pool.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/reduce/reduce_int8.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum {
    PIXELS_MAX = INT32_MAX / 256, /* of a window: its sum has 32 bits */
    PIXELS_MAX_16 = INT32_MAX / 32768,
    WORKGROUP_PIXELS_MIN = 16 /* from here on a workgroup makes the sum of a window */
};

static bool accept_pool(struct check *c)
{
    const TfLitePoolParams *params = c->node->params;
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const int64_t h = params->filter_height < x->dims[1] ? params->filter_height : x->dims[1];
    const int64_t w = params->filter_width < x->dims[2] ? params->filter_width : x->dims[2];

    const bool shorts = x->type == kTfLiteInt16;

    if (c->node->code == BUILTIN_AVERAGE_POOL_2D && h * w > (shorts ? PIXELS_MAX_16 : PIXELS_MAX))
        return refuse(c, RULE_POOL_SUM, -1, "window", "pool in two steps",
                      shorts ? "65535 pixels" : "8388607 pixels", "%lld", (long long)(h * w));
    return check_activation_range(c, 0, params->activation);
}

/* An average over the whole image, with a sum for a workgroup. */
static bool is_global_average(const struct graph *g, const struct graph_node *n)
{
    const TfLitePoolParams *params = n->params;
    const struct graph_tensor *x = graph_input(g, n, 0), *y = graph_output(g, n, 0);

    return n->code == BUILTIN_AVERAGE_POOL_2D && y->dims[1] == 1 && y->dims[2] == 1 &&
           params->filter_height == x->dims[1] && params->filter_width == x->dims[2] &&
           (int64_t)x->dims[1] * x->dims[2] >= WORKGROUP_PIXELS_MIN;
}

static enum status plan_pool(struct planner *p, const struct graph_node *n)
{
    const TfLitePoolParams *params = n->params;

    if (is_global_average(p->graph, n))
        return reduce_plan_average(
            p, n, requantize_range(graph_output(p->graph, n, 0), params->activation));
    return n->op->plan(p, n);
}

const struct gpu_exact exact_pool = { accept_pool, plan_pool };
