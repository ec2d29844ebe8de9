/* Norms of rows, of which transform `norm` makes one node:
 *
 *     root mean square    x * r * w, r = RSQRT(MEAN(x * x) + epsilon)
 *     layer norm          d * r * w + b, d = x - m, r = RSQRT(MEAN(d * d) + epsilon), m = MEAN(x)
 *     the same            x * (r * w) + (b - m * (r * w)), as Keras spells it
 *
 * w and b may be absent.  d * d is a product, or the SQUARED_DIFFERENCE of x and m. */
#include "delegate/ops/reduce/norm.h"

#include "delegate/ops/reduce/norm.args.h"
#include "delegate/ops/reduce/softmax.h"

enum { CHANNELS_MAX = 1 << 20 }; /* a loop that every driver runs */

struct match {
    const struct graph *g;
    struct gpu_norm *norm;
};

/* The node that computes the tensor, if it is this op; it becomes part of the norm. */
static const struct graph_node *take(struct match *m, int tensor, int32_t code)
{
    const int node = gpu_op_producer(m->g, tensor, code);

    return node >= 0 && gpu_fused_add(&m->norm->fused, node) ? &m->g->nodes[node] : NULL;
}

/* The same of one of two operands; *other is the other one. */
static const struct graph_node *take_operand(struct match *m, const struct graph_node *n,
                                             int32_t code, int *other)
{
    for (int i = 0; i < 2; i++) {
        *other = n->inputs[1 - i];
        if (gpu_op_producer(m->g, n->inputs[i], code) >= 0)
            return take(m, n->inputs[i], code);
    }
    return NULL;
}

static bool is_computed_by(const struct match *m, int tensor, int32_t code)
{
    return gpu_op_producer(m->g, tensor, code) >= 0;
}

/* Numbers for the channels of the result. */
static bool is_vector(const struct match *m, int tensor)
{
    const struct graph_tensor *const x = &m->g->tensors[m->norm->x], *const w =
                                                                         &m->g->tensors[tensor];

    return graph_is_constant(m->g, tensor) && w->rank > 0 && x->rank > 0 &&
           w->elements == (size_t)w->dims[w->rank - 1] &&
           w->dims[w->rank - 1] == x->dims[x->rank - 1];
}

/* The mean of this tensor over the last dimension, which stays as 1. */
static const struct graph_node *take_mean(struct match *m, int tensor)
{
    const struct graph_node *const mean = take(m, tensor, BUILTIN_MEAN);
    const struct graph_tensor *x, *axes, *y;
    int64_t axis;

    if (!mean)
        return NULL;
    x = graph_input(m->g, mean, 0);
    axes = graph_input(m->g, mean, 1);
    y = graph_output(m->g, mean, 0);
    if (!axes->data || axes->elements != 1 || x->rank < 1 || y->rank != x->rank)
        return NULL;
    axis = graph_constant_int(m->g, mean->inputs[1], 0);
    return (axis == -1 || axis == x->rank - 1) && x->dims[x->rank - 1] <= CHANNELS_MAX ? mean
                                                                                       : NULL;
}

/* The tensor is the mean of the norm's x. */
static bool match_mean(struct match *m, int tensor)
{
    const struct graph_node *const mean = take_mean(m, tensor);

    return mean && mean->inputs[0] == m->norm->x;
}

/* RSQRT of a mean and one number above 0, so that no root is 0.  *squares: what the mean is of. */
static bool match_root(struct match *m, int tensor, int *squares)
{
    const struct graph_node *const root = take(m, tensor, BUILTIN_RSQRT);
    const struct graph_node *const sum = root ? take(m, root->inputs[0], BUILTIN_ADD) : NULL;
    const struct graph_node *mean;

    for (int i = 0; sum && i < 2; i++) {
        const int epsilon = sum->inputs[1 - i];

        if (!graph_is_constant(m->g, epsilon) || m->g->tensors[epsilon].elements != 1 ||
            !(mean = take_mean(m, sum->inputs[i])))
            continue;
        m->norm->epsilon = graph_constant_float(m->g, epsilon, 0);
        *squares = mean->inputs[0];
        return m->norm->epsilon > 0;
    }
    return false;
}

/* The squares are those of `of`, or, if `mean` is a tensor, of the norm's x less that. */
static bool match_squares(struct match *m, int squares, int of, int mean)
{
    const struct graph_node *n;

    if (of >= 0 && is_computed_by(m, squares, BUILTIN_MUL)) {
        n = take(m, squares, BUILTIN_MUL);
        return n && n->inputs[0] == of && n->inputs[1] == of;
    }
    if (of >= 0 && is_computed_by(m, squares, BUILTIN_SQUARE))
        return (n = take(m, squares, BUILTIN_SQUARE)) && n->inputs[0] == of;
    n = mean >= 0 ? take(m, squares, BUILTIN_SQUARED_DIFFERENCE) : NULL;
    return n && ((n->inputs[0] == m->norm->x && n->inputs[1] == mean) ||
                 (n->inputs[1] == m->norm->x && n->inputs[0] == mean));
}

/* x * r, or d * r. */
static bool match_unit(struct match *m, const struct graph_node *n)
{
    struct gpu_norm *const norm = m->norm;
    const struct graph_node *difference;
    int of = -1, squares, root;

    norm->centered = false;
    for (int i = 0; i < 2 && of < 0; i++)
        if (is_computed_by(m, root = n->inputs[i], BUILTIN_RSQRT))
            of = n->inputs[1 - i];
    if (of < 0 || !match_root(m, root, &squares))
        return false;
    norm->x = of;
    if (is_computed_by(m, of, BUILTIN_SUB)) {
        const struct gpu_fused before = norm->fused;

        difference = take(m, of, BUILTIN_SUB);
        norm->x = difference->inputs[0];
        norm->centered = true;
        if (match_mean(m, difference->inputs[1]))
            return match_squares(m, squares, of, difference->inputs[1]);
        norm->fused = before;
        norm->x = of;
        norm->centered = false;
    }
    return match_squares(m, squares, of, -1);
}

/* The unit, or the unit times the weights. */
static bool match_scaled(struct match *m, const struct graph_node *n)
{
    const struct gpu_fused before = m->norm->fused;
    const struct graph_node *const unit = take_operand(m, n, BUILTIN_MUL, &m->norm->weights);

    if (unit && graph_is_constant(m->g, m->norm->weights) && match_unit(m, unit))
        return is_vector(m, m->norm->weights);
    m->norm->fused = before;
    m->norm->weights = -1;
    return match_unit(m, n);
}

static bool match_biased(struct match *m, const struct graph_node *n)
{
    const struct graph_node *const scaled = take_operand(m, n, BUILTIN_MUL, &m->norm->bias);

    return scaled && graph_is_constant(m->g, m->norm->bias) && match_scaled(m, scaled) &&
           is_vector(m, m->norm->bias);
}

/* m * f, -m * f or b - m * f, with the factor of x. */
static bool match_shift(struct match *m, int tensor, int factor, int *mean)
{
    const struct graph_node *n;
    bool negative = false;

    if (is_computed_by(m, tensor, BUILTIN_SUB)) {
        if (!(n = take(m, tensor, BUILTIN_SUB)))
            return false;
        m->norm->bias = n->inputs[0];
        tensor = n->inputs[1];
        negative = true;
    }
    n = take(m, tensor, BUILTIN_MUL);
    if (!n || (n->inputs[0] != factor && n->inputs[1] != factor))
        return false;
    *mean = n->inputs[n->inputs[0] == factor];
    if (negative)
        return true;
    n = take(m, *mean, BUILTIN_NEG);
    *mean = n ? n->inputs[0] : -1;
    return n;
}

/* x * f + shift, f the root, or times the weights; x and product are operands 0 or 1. */
static bool match_keras(struct match *m, const struct graph_node *n, int product, int x)
{
    struct gpu_norm *const norm = m->norm;
    const struct graph_node *const scaled = take(m, n->inputs[product], BUILTIN_MUL);
    int factor, root, mean, squares;

    if (!scaled)
        return false;
    norm->x = scaled->inputs[x];
    norm->centered = true;
    factor = root = scaled->inputs[1 - x];
    if (is_computed_by(m, factor, BUILTIN_MUL)) {
        const struct graph_node *const f = take(m, factor, BUILTIN_MUL);
        const int side = f && is_computed_by(m, f->inputs[1], BUILTIN_RSQRT);

        if (!f || !is_vector(m, norm->weights = f->inputs[1 - side]))
            return false;
        root = f->inputs[side];
    }
    return match_root(m, root, &squares) && match_shift(m, n->inputs[1 - product], factor, &mean) &&
           match_mean(m, mean) && match_squares(m, squares, -1, mean) &&
           (norm->bias < 0 || is_vector(m, norm->bias));
}

/* One way of several to read the node as a norm's last. */
static bool match_last(struct match *m, const struct graph_node *n, int way)
{
    *m->norm = (struct gpu_norm){ .weights = -1, .bias = -1 };
    if (n->code == BUILTIN_MUL)
        return way == 0 && match_scaled(m, n);
    return way == 0 ? match_biased(m, n) : match_keras(m, n, way / 2 % 2, way % 2);
}

bool norm_of(const struct graph *g, const struct graph_node *n, struct gpu_norm *norm)
{
    const struct graph_tensor *const y = graph_output(g, n, 0);
    struct match m = { g, norm };

    if (gpu_op_activation(n) != kTfLiteActNone || y->type != kTfLiteFloat32)
        return false;
    for (int way = 0; way <= 4; way++)
        if (match_last(&m, n, way))
            return graph_same_shape(&g->tensors[norm->x], y);
    return false;
}

static enum status plan_norm(struct planner *p, const struct graph_node *n)
{
    const struct gpu_norm *const norm = n->params;
    const int src = planner_tensor(p, n->inputs[0]), dst = planner_tensor(p, n->outputs[0]);
    struct norm_args args;
    struct packed factors;
    struct plan_step *s;
    uint32_t width;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    args = (struct norm_args){ .rows = p->plan->tensors[dst].rows,
                               .channels = p->plan->tensors[dst].channels,
                               .slices = p->plan->tensors[dst].slices,
                               .epsilon = norm->epsilon };
    width = softmax_invocations(p->limits, args.slices);
    TRY(planner_pack(p, 2 * (uint64_t)args.slices, false, &factors));
    for (uint32_t i = 0; i < args.channels && planner_packs(p); i++) {
        const float weight = n->inputs[1] < 0 ? 1 : graph_constant_float(p->graph, n->inputs[1], i);

        planner_put(p, &factors, i, weight);
        if (n->inputs[2] >= 0)
            planner_put(p, &factors, 4 * (uint64_t)args.slices + i,
                        graph_constant_float(p->graph, n->inputs[2], i));
    }
    if (!(s = planner_step(p, "norm", n, width, 1, 1)))
        return STATUS_NO_MEMORY;
    step_spec(s, NORM_SPEC_CENTERED, norm->centered);
    step_thawable(s, NORM_SPEC_CENTERED, NORM_SPEC_CENTERED);
    step_shared(s, width * (uint32_t)sizeof(float));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &factors);
    return step_groups(p, s, args.rows);
}

const struct gpu_op gpu_norm = { .plan = plan_norm };
