#include "delegate/ops/reduce/rms_norm.h"

#include "delegate/ops/reduce/rms_norm.args.h"
#include "delegate/ops/reduce/softmax.h"

enum { CHANNELS_MAX = 1 << 20 }; /* a loop that every driver runs */

/* The node that computes the tensor, if it is this op of f32 without an activation; else -1. */
static int producer_of(const struct graph *g, int tensor, int32_t code)
{
    const int i = tensor >= 0 ? g->tensors[tensor].producer : -1;
    const struct graph_node *const n = i >= 0 ? &g->nodes[i] : NULL;

    return n && n->op && n->code == code && gpu_op_activation(n) == kTfLiteActNone &&
                   n->steps.scale == 0 && g->tensors[tensor].type == kTfLiteFloat32
               ? i
               : -1;
}

/* Which input of a node of two is the tensor that this op computes; -1: none. */
static int side_of(const struct graph *g, const struct graph_node *n, int32_t code)
{
    for (int i = 0; i < 2; i++)
        if (producer_of(g, n->inputs[i], code) >= 0)
            return i;
    return -1;
}

/* The mean is over the last dimension, which stays as 1. */
static bool is_of_rows(const struct graph *g, const struct graph_node *mean)
{
    const struct graph_tensor *x = graph_input(g, mean, 0), *axes = graph_input(g, mean, 1);
    const struct graph_tensor *y = graph_output(g, mean, 0);
    int64_t axis;

    if (!axes->data || axes->elements != 1 || x->rank < 1 || y->rank != x->rank)
        return false;
    axis = graph_constant_int(g, mean->inputs[1], 0);
    return axis == -1 || axis == x->rank - 1;
}

/* One number above 0, so that no root is 0. */
static bool read_epsilon(const struct graph *g, int tensor, float *epsilon)
{
    if (!graph_is_constant(g, tensor) || g->tensors[tensor].elements != 1)
        return false;
    *epsilon = graph_constant_float(g, tensor, 0);
    return *epsilon > 0;
}

bool rms_norm_of(const struct graph *g, const struct graph_node *n, struct gpu_norm *norm)
{
    const struct graph_node *scaled, *root, *sum, *mean, *square;
    const struct graph_tensor *x, *w;
    int side, k[GPU_NORM_NODES];

    if (gpu_op_activation(n) != kTfLiteActNone || (side = side_of(g, n, BUILTIN_MUL)) < 0)
        return false;
    norm->weights = n->inputs[1 - side];
    scaled = &g->nodes[k[0] = g->tensors[n->inputs[side]].producer];
    if ((side = side_of(g, scaled, BUILTIN_RSQRT)) < 0)
        return false;
    norm->x = scaled->inputs[1 - side];
    root = &g->nodes[k[1] = g->tensors[scaled->inputs[side]].producer];
    if ((k[2] = producer_of(g, root->inputs[0], BUILTIN_ADD)) < 0)
        return false;
    sum = &g->nodes[k[2]];
    if ((side = side_of(g, sum, BUILTIN_MEAN)) < 0 ||
        !read_epsilon(g, sum->inputs[1 - side], &norm->epsilon))
        return false;
    mean = &g->nodes[k[3] = g->tensors[sum->inputs[side]].producer];
    if (!is_of_rows(g, mean) || (k[4] = producer_of(g, mean->inputs[0], BUILTIN_MUL)) < 0)
        return false;
    square = &g->nodes[k[4]];
    for (int i = 0; i < GPU_NORM_NODES; i++)
        norm->nodes[i] = k[i];
    x = &g->tensors[norm->x];
    w = &g->tensors[norm->weights];
    return square->inputs[0] == norm->x && square->inputs[1] == norm->x &&
           graph_is_constant(g, norm->weights) && w->rank > 0 && x->rank > 0 &&
           w->elements == (size_t)w->dims[w->rank - 1] &&
           w->dims[w->rank - 1] == x->dims[x->rank - 1] && x->dims[x->rank - 1] <= CHANNELS_MAX &&
           graph_same_shape(x, graph_output(g, n, 0));
}

static enum status plan_rms_norm(struct planner *p, const struct graph_node *n)
{
    const struct gpu_norm *const norm = n->params;
    const int src = planner_tensor(p, n->inputs[0]), dst = planner_tensor(p, n->outputs[0]);
    struct rms_norm_args args;
    struct packed weights;
    struct plan_step *s;
    uint32_t width;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    args = (struct rms_norm_args){ .rows = p->plan->tensors[dst].rows,
                                   .channels = p->plan->tensors[dst].channels,
                                   .slices = p->plan->tensors[dst].slices,
                                   .epsilon = norm->epsilon };
    width = softmax_invocations(p->limits, args.slices);
    TRY(planner_pack_bias(p, n->inputs[1], args.channels, &weights));
    if (!(s = planner_step(p, "rms_norm", n, width, 1, 1)))
        return STATUS_NO_MEMORY;
    step_shared(s, width * (uint32_t)sizeof(float));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &weights);
    return step_groups(p, s, args.rows);
}

const struct gpu_op gpu_norm = { .plan = plan_rms_norm };
