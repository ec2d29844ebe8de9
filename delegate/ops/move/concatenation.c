/* CONCATENATION on any axis.  A step writes up to 3 inputs that are neighbours on the axis,
 * constants among them; one input alone is a view. */
#include "delegate/ops/move/concatenation.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/move/concatenation.args.h"
#include "delegate/ops/move/concatenation_int8.h"
#include "delegate/ops/move/rope.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <limits.h>
#include <string.h>

enum { SOURCES = CONCATENATION_SOURCES };

static int axis_of(const struct graph_node *n, const struct graph_tensor *y)
{
    const int axis = ((const TfLiteConcatenationParams *)n->params)->axis;

    return axis < 0 ? axis + y->rank : axis;
}

static uint64_t slices_of(const struct graph_tensor *t)
{
    const uint64_t channels = t->rank > 0 ? (uint64_t)t->dims[t->rank - 1] : 1;

    return channels ? t->elements / channels * ((channels + 3) / 4) : 0;
}

bool concatenation_check_input(struct check *c, int i, int rank)
{
    const int tensor = i < c->node->input_count ? c->node->inputs[i] : -1;
    const struct graph_tensor *x;

    if (!check_data_input(c, i, rank, rank, CHECK_ALL) ||
        !check_tensor_type(c, tensor, graph_output(c->graph, c->node, 0)->type))
        return false;
    if (!graph_is_constant(c->graph, tensor))
        return true;
    x = &c->graph->tensors[tensor];
    /* A constant has no more slices than the output, which fits. */
    return x->type == kTfLiteInt32 || x->type == kTfLiteBool || check_storable(c, i, slices_of(x));
}

/* Input i has the output's shape but on the axis. */
static bool check_shape(struct check *c, int i, int axis)
{
    const struct graph_tensor *x = graph_input(c->graph, c->node, i);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    for (int d = 0; d < y->rank; d++)
        if (x->dims[d] < 0 || (d != axis && x->dims[d] != y->dims[d]))
            return refuse(c, RULE_CONCATENATION_INPUT_SHAPE, c->node->inputs[i], "dims",
                          "the model is malformed", "the output's on all axes but one",
                          "%d on dim %d, the output has %d, axis %d", x->dims[d], d, y->dims[d],
                          axis);
    return true;
}

static bool accept_concatenation(struct check *c)
{
    const TfLiteConcatenationParams *params = c->node->params;
    const struct graph_tensor *y;
    bool computed = false;
    int64_t sum = 0;
    int axis;

    if (!check_counts(c, 1, INT_MAX, 1) || !check_params(c) ||
        !check_data_output(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL))
        return false;
    if (params->activation != kTfLiteActNone)
        return refuse(c, RULE_CONCATENATION_ACTIVATION, -1, "activation",
                      "the CPU kernel has none; use a node of its own", "0 (none)", "%d",
                      (int)params->activation);
    y = graph_output(c->graph, c->node, 0);
    if (params->axis < -y->rank || params->axis >= y->rank)
        return refuse(c, RULE_CONCATENATION_AXIS, -1, "axis", "the model is malformed",
                      "-rank to rank - 1", "%d, rank %d", params->axis, y->rank);
    axis = axis_of(c->node, y);
    for (int i = 0; i < c->node->input_count; i++) {
        const struct graph_tensor *x = graph_input(c->graph, c->node, i);

        if (!concatenation_check_input(c, i, y->rank) || !check_shape(c, i, axis))
            return false;
        computed |= !graph_is_constant(c->graph, c->node->inputs[i]);
        sum += x->dims[axis];
    }
    if (sum != y->dims[axis])
        return refuse(c, RULE_CONCATENATION_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                      "the model is malformed", "the inputs' sum on the axis",
                      "%d on axis %d, the sum is %lld", y->dims[axis], axis, (long long)sum);
    if (!computed)
        return refuse(c, RULE_CONCATENATION_CONSTANTS, c->node->inputs[0], "data",
                      "the result is a constant: fold it when the model is converted",
                      "an input that is computed at run time", "constants only");
    return true;
}

static bool shape_concatenation(const struct graph *g, const struct graph_node *n, int i,
                                struct graph_shape *s)
{
    const struct graph_tensor *first = graph_input(g, n, 0);
    const int axis = first->rank < 1 ? -1 : axis_of(n, first);
    int64_t sum = 0;

    (void)i;
    if (axis < 0 || axis >= first->rank)
        return false;
    s->rank = first->rank;
    memcpy(s->dims, first->dims, sizeof s->dims);
    for (int k = 0; k < n->input_count; k++) {
        const struct graph_tensor *x = graph_input(g, n, k);

        for (int d = 0; d < s->rank; d++)
            if (x->rank != s->rank || (d != axis && x->dims[d] != s->dims[d]))
                return false;
        sum += x->dims[axis];
    }
    s->dims[axis] = (int32_t)sum;
    return sum <= INT32_MAX;
}

/* Finds the plan tensor of a piece; one of another scale is requantized into a temporary. */
static enum status find_source(struct planner *p, const struct graph_node *n,
                               struct concatenation_piece *piece)
{
    struct byte_table table;
    int from, to;

    piece->source = -1;
    if (graph_is_constant(p->graph, piece->tensor))
        return STATUS_OK;
    if ((from = planner_tensor(p, piece->tensor)) < 0)
        return STATUS_NO_MEMORY;
    piece->source = from;
    if (!concatenation_table(&p->graph->tensors[piece->tensor], graph_output(p->graph, n, 0),
                             &table))
        return STATUS_OK;
    to =
        planner_temp(p, p->plan->tensors[from].rows, p->plan->tensors[from].channels, FORMAT_BYTES);
    piece->source = to;
    return bytes_plan_table(p, n, &table, from, to);
}

/* Packs a constant input as plan tensors are: integers, bytes in the output's scale, or floats in
 * the storage type. */
static enum status bind_constant(struct planner *p, struct plan_step *s, int binding, int tensor,
                                 const struct graph_tensor *y)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];
    struct byte_table table;
    struct packed packed;

    if (t->type == kTfLiteInt32 || t->type == kTfLiteInt16 || t->type == kTfLiteBool)
        TRY(planner_pack_integers(p, tensor, &packed));
    else if (graph_is_8bit(y))
        TRY(bytes_pack_tensor(p, tensor, concatenation_table(t, y, &table) ? &table : NULL,
                              &packed));
    else
        TRY(planner_pack_stored(p, tensor, &packed));
    step_constants(s, binding, &packed);
    return STATUS_OK;
}

static uint32_t slices_at(const struct concatenation_axis *axis, uint32_t position)
{
    return axis->whole ? position * axis->whole : position / 4 + (position % 4 != 0);
}

static enum status plan_pieces(struct planner *p, const struct graph_node *n, int dst,
                               const struct concatenation_axis *axis, uint32_t total,
                               const struct concatenation_piece *pieces, int count)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    struct plan_step *s = planner_step(
        p, planner_moving_shader(p, dst, MOVING_SHADER("concatenation")), n, WORKGROUP, 1, 1);
    const uint32_t first = pieces[0].first, end = pieces[count - 1].end;
    struct concatenation_args args = { .pitch = slices_at(axis, total),
                                       .begin = axis->whole ? first * axis->whole : first / 4 };
    bool split = false;

    if (!s)
        return STATUS_NO_MEMORY;
    for (int k = 0; k < count; k++)
        split |= !axis->whole && pieces[k].first % 4 != 0;
    args.slices = slices_at(axis, end) - args.begin;
    args.count = axis->outer * args.slices;
    args.first = split ? first : args.begin;
    for (int k = 0; k < SOURCES; k++) {
        const struct concatenation_piece *piece = &pieces[k < count ? k : count - 1];

        args.end[k] = split ? piece->end : slices_at(axis, piece->end);
        args.pitch_of[k] = slices_at(axis, piece->end - piece->first);
        if (k >= count)
            continue;
        if (piece->source < 0)
            TRY(bind_constant(p, s, k + 1, piece->tensor, y));
        else
            step_read(p, s, k + 1, piece->source);
    }
    step_spec(s, CONCATENATION_SPEC_SPLIT, split);
    step_thawable(s, CONCATENATION_SPEC_SPLIT, CONCATENATION_SPEC_SPLIT);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    return step_items(p, s, args.count);
}

enum status concatenation_plan(struct planner *p, const struct graph_node *n, int dst,
                               const struct concatenation_axis *axis,
                               const struct concatenation_piece *pieces, int count)
{
    const uint32_t total = pieces[count - 1].end;

    if (dst < 0)
        return STATUS_NO_MEMORY;
    for (int i = 0; i < count; i += SOURCES)
        TRY(plan_pieces(p, n, dst, axis, total, pieces + i,
                        count - i < SOURCES ? count - i : SOURCES));
    return STATUS_OK;
}

static enum status plan_concatenation(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int on = axis_of(n, y);
    struct concatenation_axis axis = { .whole = on < y->rank - 1, .outer = 1 };
    struct concatenation_piece *pieces =
        ARENA_NEW(&p->plan->arena, (size_t)n->input_count, struct concatenation_piece);
    uint32_t at = 0;
    int count = 0;

    if (!pieces)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    for (int d = 0; d < y->rank; d++) {
        if (d < on)
            axis.outer *= (uint32_t)y->dims[d];
        else if (d > on)
            axis.whole *= d < y->rank - 1 ? (uint32_t)y->dims[d] : ((uint32_t)y->dims[d] + 3) / 4;
    }
    for (int i = 0; i < n->input_count; i++) {
        const uint32_t size = (uint32_t)graph_input(p->graph, n, i)->dims[on];

        if (size == 0)
            continue;
        pieces[count] =
            (struct concatenation_piece){ .tensor = n->inputs[i], .first = at, .end = at + size };
        TRY(find_source(p, n, &pieces[count++]));
        at += size;
    }
    if (count == 1 && pieces[0].source >= 0)
        return planner_view(p, n->outputs[0], pieces[0].source) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
    return concatenation_plan(p, n, planner_tensor(p, n->outputs[0]), &axis, pieces, count);
}

static void fold_concatenation(const struct graph *g, const struct graph_node *n, float *values)
{
    const struct graph_tensor *y = graph_output(g, n, 0);
    const int axis = axis_of(n, y);
    size_t outer = 1, inner = 1, at = 0;

    for (int d = 0; d < y->rank; d++)
        *(d < axis ? &outer : &inner) *= d == axis ? 1 : (size_t)y->dims[d];
    for (size_t o = 0; o < outer; o++)
        for (int k = 0; k < n->input_count; k++) {
            const size_t run = (size_t)graph_input(g, n, k)->dims[axis] * inner;

            for (size_t i = 0; i < run; i++)
                values[at++] = graph_constant_float(g, n->inputs[k], o * run + i);
        }
}

static int kept_input(const struct graph *g, const struct graph_node *n)
{
    (void)g;
    return n->input_count == 1 ? 0 : -1;
}

static const struct gpu_op ops[] = {
    { GPU_OP(CONCATENATION, 7), .selects = true, .exact = &exact_concatenation, .shorts = true,
      .accept = accept_concatenation, .plan = plan_concatenation, .shape = shape_concatenation,
      .fold = fold_concatenation, .kept_input = kept_input, .rope = rope_of },
};
const struct gpu_family gpu_concatenation = { ops, sizeof ops / sizeof ops[0] };
