/* MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY and REDUCE_ALL over constant axes
 * (reference/ops/reduce.c).  Neighbouring dims that are both
 * kept or both reduced are one group, so the dims of a tensor of rank up to 8 but the last, the
 * channels, fall into at most 4 kept and 4 reduced groups in turn. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/reduce/reduce.args.h"
#include "delegate/ops/reduce/reduce_int8.h"
#include "delegate/ops/reduce/softmax.h"
#include "delegate/plan/planner.h"
#include "reference/base/fixed_point16.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { GROUPS = REDUCE_GROUPS, ALONE_ELEMENTS_MAX = 16, ALONE_COUNT_MIN = 1024 };
/* Of a loop over rows: its own, and those of reduced_row() in it. */
enum { TURNS_OF_ROW = 5 };

/* Which dims are reduced; false when an axis is out of range. */
static bool read_axes(const struct graph *g, const struct graph_node *n, bool reduced[])
{
    const int rank = g->tensors[n->inputs[0]].rank;
    const struct graph_tensor *axes = &g->tensors[n->inputs[1]];

    for (int i = 0; i < GRAPH_MAX_RANK; i++)
        reduced[i] = false;
    for (size_t i = 0; i < axes->elements; i++) {
        const int64_t a = graph_constant_int(g, n->inputs[1], i);

        if (a < -rank || a >= rank)
            return false;
        reduced[a < 0 ? a + rank : a] = true;
    }
    return true;
}

/* Slices of a tensor, whose last dim is its channels. */
static uint64_t slices_of(const struct graph_tensor *t)
{
    const uint64_t channels = t->rank > 0 ? (uint64_t)t->dims[t->rank - 1] : 1;

    return channels > 0 ? t->elements / channels * ((channels + 3) / 4) : 0;
}

/* Slices of each image of a result. */
static uint64_t image_slices(const struct graph_tensor *y)
{
    return slices_of(y) / graph_images(y);
}

/* By how many workgroups a slice of the result is made: as many as keep the device busy, with
 * enough to do for each of them. */
static uint32_t parts_of(const struct device_limits *limits, uint64_t slices, uint64_t elements)
{
    const struct device_costs *costs = device_costs_of(limits);
    const uint64_t busy = 2 * (uint64_t)costs->multiprocessors;
    const uint64_t most = elements / costs->reduce_part_min;
    const uint64_t wanted = slices < busy ? (busy + slices - 1) / (slices + !slices) : 1;

    return (uint32_t)(wanted > most ? most + !most : wanted);
}

/* Of a workgroup that combines so many elements: four or more each. */
static uint32_t invocations_of(const struct device_limits *limits, uint64_t elements)
{
    return softmax_invocations(limits, (uint32_t)(elements < 1u << 20 ? elements / 4 : 1u << 18));
}

/* Input, axes and output of a reduction; types: CHECK_VALUES and others. */
static bool check_reduction(struct check *c, unsigned types)
{
    const TfLiteReducerParams *params = c->node->params;
    const struct graph_tensor *x, *y, *axes;
    bool reduced[GRAPH_MAX_RANK];
    uint64_t elements = 1; /* slices that a result is made of */
    uint32_t parts;
    int rank = 0;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) ||
        !check_computed_data(c, 0, 1, GRAPH_MAX_RANK, types) ||
        !check_data_output(c, 0, 0, GRAPH_MAX_RANK, types) ||
        !check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    axes = graph_input(c->graph, c->node, 1);
    if (!axes || !axes->data || axes->type != kTfLiteInt32 || axes->rank > 1)
        return refuse(c, RULE_REDUCE_AXES_CONSTANT, axes ? c->node->inputs[1] : -1, "axes",
                      "make the axes a constant of the model", "a constant i32 vector", "%s",
                      axes && axes->data ? "another type or rank" : "not a constant");
    if (!read_axes(c->graph, c->node, reduced))
        return refuse(c, RULE_REDUCE_AXES_RANGE, c->node->inputs[1], "axes",
                      "the model is malformed", "within the input's rank", "rank %d", x->rank);
    /* The output's shape follows from the axes. */
    for (int i = 0; i < x->rank; i++) {
        if (reduced[i] && !params->keep_dims)
            continue;
        if (rank >= y->rank || y->dims[rank] != (reduced[i] ? 1 : x->dims[i]))
            return refuse(c, RULE_REDUCE_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                          "the model is malformed", "what the axes give", "rank %d", y->rank);
        rank++;
    }
    if (rank != y->rank)
        return refuse(c, RULE_REDUCE_OUTPUT_SHAPE, c->node->outputs[0], "rank",
                      "the model is malformed", "what the axes give", "%d", y->rank);
    for (int i = 0; i < x->rank - 1; i++)
        elements *= reduced[i] ? (uint64_t)x->dims[i] : 1;
    if (reduced[x->rank - 1])
        elements *= ((uint64_t)x->dims[x->rank - 1] + 3) / 4;
    parts = parts_of(c->limits, image_slices(y), elements);
    /* Over channels an invocation makes the sums of four results, one after the other. */
    return check_loop_iterations(c,
                                 (reduced[x->rank - 1] ? 4 : 1) * (elements / parts) / WORKGROUP);
}

static bool accept_mean(struct check *c)
{
    return check_reduction(c, CHECK_VALUES);
}

static bool shape_of(const struct graph *g, const struct graph_node *n, int i,
                     struct graph_shape *s)
{
    const TfLiteReducerParams *params = n->params;
    const struct graph_tensor *x = graph_input(g, n, 0);
    bool reduced[GRAPH_MAX_RANK];

    (void)i;
    if (x->rank < 0 || !read_axes(g, n, reduced))
        return false;
    s->rank = 0;
    for (int d = 0; d < x->rank; d++)
        if (!reduced[d] || params->keep_dims)
            s->dims[s->rank++] = reduced[d] ? 1 : x->dims[d];
    return true;
}

/* Adds dim (size, stride) to the groups from the innermost on; the shader wants them outermost
 * first, at the end of the arrays. */
static void add_dim(uint32_t *size, uint32_t *stride, int *used, bool merge, uint32_t dim,
                    uint32_t pitch)
{
    if (merge) {
        size[GROUPS - *used] *= dim;
        return;
    }
    ++*used;
    size[GROUPS - *used] = dim;
    stride[GROUPS - *used] = pitch;
}

static void set_quantized(struct reduce_args *args, const struct graph_tensor *x,
                          const struct graph_tensor *y, uint32_t op, uint32_t terms)
{
    if (op == REDUCE_MEAN || op == REDUCE_SUM) {
        const struct fixed_multiplier m =
            op == REDUCE_MEAN ? reduce_multiplier(x, y, terms)
                              : requantize_multiplier(tensor_scale(x) / tensor_scale(y));

        args->in_zero = tensor_zero_point(x);
        args->out_zero = tensor_zero_point(y);
        args->multiplier = m.q;
        args->shift = m.e;
    }
    if (op == REDUCE_PROD) {
        const struct fixed_multiplier m = requantize_multiplier(reduce_product_factor(x, y));

        args->in_zero = tensor_zero_point(x);
        args->out_zero = tensor_zero_point(y);
        args->multiplier = fixed16_mantissa(m.q);
        args->shift = 15 - m.e;
    }
    args->low = requantize_range(y, kTfLiteActNone).low - args->out_zero;
    args->high = requantize_range(y, kTfLiteActNone).high - args->out_zero;
}

/* Sets the groups of kept and reduced dims; returns how many elements a result is made of, but for
 * the channels. */
static uint32_t set_groups(struct reduce_args *args, const struct graph_tensor *x,
                           const bool reduced[])
{
    int kept_used = 0, reduced_used = 0, before = -1;
    uint32_t pitch = 1, rows = 1;

    for (int g = 0; g < GROUPS; g++)
        args->kept_size[g] = args->reduced_size[g] = 1;
    for (int d = x->rank - 2; d >= 0; d--) {
        const uint32_t dim = (uint32_t)x->dims[d];

        if (reduced[d]) {
            add_dim(args->reduced_size, args->reduced_stride, &reduced_used, before == 1, dim,
                    pitch);
            rows *= dim;
        } else {
            add_dim(args->kept_size, args->kept_stride, &kept_used, before == 0, dim, pitch);
        }
        before = reduced[d];
        pitch *= dim;
    }
    return rows;
}

/* One step.  from: what it reads; to: what it writes; invocations: of a workgroup. */
static enum status plan_stage(struct planner *p, const struct graph_node *n,
                              const struct reduce_plan *r, uint32_t stage, int from, int to,
                              uint32_t invocations)
{
    struct plan_step *s = planner_step(p, r->shader, n, invocations, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, REDUCE_SPEC_OVER_CHANNELS, r->over_channels);
    step_spec(s, REDUCE_SPEC_OP, r->op);
    step_spec(s, REDUCE_SPEC_STAGE, stage);
    if (r->integers) {
        step_spec(s, REDUCE_SPEC_SIGNED, r->is_signed);
        step_spec(s, REDUCE_SPEC_AVERAGE, r->average);
    }
    step_thawable(s, REDUCE_SPEC_OP, r->integers ? REDUCE_SPEC_AVERAGE : REDUCE_SPEC_STAGE);
    step_shared(s, invocations * 4 * (uint32_t)sizeof(float));
    step_push(s, &r->args, sizeof r->args);
    step_write(p, s, 0, to);
    step_read(p, s, 1, from);
    return step_groups(p, s,
                       stage == REDUCE_ALONE ? (r->args.count + invocations - 1) / invocations
                                             : (uint64_t)r->args.count * r->args.parts);
}

enum status reduce_plan(struct planner *p, const struct graph_node *n, struct reduce_plan *r,
                        int src, int dst)
{
    const struct plan_tensor *t = p->plan->tensors;
    const uint32_t rows = t[dst].rows, channels = t[dst].channels;
    const uint64_t elements = (uint64_t)r->args.rows * (r->over_channels ? t[src].slices : 1);
    /* A product of bytes is requantized after each factor, in the order of src. */
    const bool in_order = r->integers && r->op == REDUCE_PROD;
    const uint64_t slices = image_slices(graph_output(p->graph, n, 0));
    int sums;

    r->args.in_channels = t[src].channels;
    r->args.out_channels = channels;
    r->args.count = rows * t[dst].slices;
    r->args.parts = in_order ? 1 : parts_of(p->limits, slices, elements);
    if (!in_order && elements <= ALONE_ELEMENTS_MAX && slices >= ALONE_COUNT_MIN)
        return plan_stage(p, n, r, REDUCE_ALONE, src, dst, WORKGROUP);
    if (r->args.parts == 1)
        return plan_stage(p, n, r, REDUCE_WHOLE, src, dst,
                          in_order ? WORKGROUP : invocations_of(p->limits, elements));
    sums = planner_temp(p, r->args.parts * rows, channels,
                        r->integers || t[src].format == FORMAT_WORDS ? FORMAT_WORDS : FORMAT_WIDE);
    if (sums < 0)
        return STATUS_NO_MEMORY;
    TRY(plan_stage(p, n, r, REDUCE_PARTS, src, sums,
                   invocations_of(p->limits, elements / r->args.parts)));
    r->args.rows = r->args.parts;
    r->args.parts = 1;
    return plan_stage(p, n, r, REDUCE_OF_PARTS, sums, dst, WORKGROUP);
}

static enum status plan_reduction(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    bool reduced[GRAPH_MAX_RANK];
    struct reduce_plan r = { .op = n->op->variant,
                             .integers = graph_has_steps(x) || x->type == kTfLiteBool,
                             .is_signed = x->type == kTfLiteInt8 };
    uint32_t terms;

    if (src < 0 || dst < 0 || !read_axes(p->graph, n, reduced))
        return STATUS_NO_MEMORY;
    r.shader = r.integers                ? INTEGER_SHADER(x, "reduce_int8")
               : x->type == kTfLiteInt32 ? "reduce.word"
                                         : "reduce";
    r.over_channels = reduced[x->rank - 1];
    r.args.rows = terms = set_groups(&r.args, x, reduced);
    if (r.over_channels)
        terms *= (uint32_t)x->dims[x->rank - 1];
    r.args.terms = (float)terms;
    if (r.integers)
        set_quantized(&r.args, x, graph_output(p->graph, n, 0), r.op, terms);
    return reduce_plan(p, n, &r, src, dst);
}

static bool accept_sum(struct check *c)
{
    return check_reduction(c, CHECK_VALUES | CHECK_I32);
}

static bool accept_extreme(struct check *c)
{
    return check_reduction(c, CHECK_ALL);
}

static bool accept_truth(struct check *c)
{
    return check_reduction(c, CHECK_BOOL);
}

static bool accept_exact(struct check *c)
{
    return check_multiplier(c, c->node->outputs[0], "input scale / output scale",
                            tensor_scale(graph_input(c->graph, c->node, 0)) /
                                tensor_scale(graph_output(c->graph, c->node, 0)));
}

static bool accept_product(struct check *c)
{
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);
    const double real = reduce_product_factor(x, y);
    const uint64_t terms = x->elements / y->elements;
    bool reduced[GRAPH_MAX_RANK];
    uint64_t rows = terms;

    if (requantize_multiplier(real).e > 14)
        return refuse(c, RULE_QUANT_SCALE, c->node->outputs[0],
                      "input scale / output scale^(1 / n)", "quantize the node again", "below 2^14",
                      "%g", real);
    if (!read_axes(c->graph, c->node, reduced) || x->rank == 0 || !reduced[x->rank - 1])
        return check_loop_iterations(c, TURNS_OF_ROW * rows);
    /* One invocation makes four products, over channels one after the other. */
    rows /= (uint64_t)x->dims[x->rank - 1];
    return check_loop_iterations(c, 4 * (terms + TURNS_OF_ROW * rows));
}

static const struct gpu_exact exact_sum = { accept_exact, NULL };
static const struct gpu_exact exact_product = { accept_product, NULL };
/* Bytes are compared as they are. */
static const struct gpu_exact exact_extreme = { NULL, NULL };

#define REDUCTION(code_, version, variant_, accept_)                                               \
    .code = (code_), .max_version = (version), .variant = (variant_), .accept = (accept_),         \
    .plan = plan_reduction, .shape = shape_of

static const struct gpu_op ops[] = {
    { REDUCTION(BUILTIN_MEAN, 3, REDUCE_MEAN, accept_mean), .exact = &exact_reduce, .shorts = true,
      .within_inputs = true },
    { REDUCTION(BUILTIN_SUM, 2, REDUCE_SUM, accept_sum), .exact = &exact_sum, .shorts = true },
    { REDUCTION(BUILTIN_REDUCE_MAX, 3, REDUCE_MAX, accept_extreme), .exact = &exact_extreme,
      .same_quant = true, .selects = true, .shorts = true },
    { REDUCTION(BUILTIN_REDUCE_MIN, 3, REDUCE_MIN, accept_extreme), .exact = &exact_extreme,
      .same_quant = true, .selects = true, .shorts = true },
    { REDUCTION(BUILTIN_REDUCE_PROD, 2, REDUCE_PROD, accept_sum), .exact = &exact_product,
      .shorts = true },
    { REDUCTION(BUILTIN_REDUCE_ANY, 1, REDUCE_MAX, accept_truth) },
    { REDUCTION(BUILTIN_REDUCE_ALL, 1, REDUCE_MIN, accept_truth) },
};
const struct gpu_family gpu_reduce = { ops, sizeof ops / sizeof ops[0] };
