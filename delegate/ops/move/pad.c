/* PAD with zeros, which are the zero point of 8-bit tensors, PADV2 with a constant value, and
 * MIRROR_PAD; constant paddings. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/pad.args.h"
#include "delegate/ops/move/take.args.h"
#include "delegate/ops/move/take.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { OUTER = PAD_OUTER };

/* Input 1 is constant, at least 0, and gives the shape of the output. */
static bool check_paddings(struct check *c)
{
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);
    const struct graph_tensor *paddings = graph_input(c->graph, c->node, 1);

    if (!paddings || !paddings->data ||
        (paddings->type != kTfLiteInt32 && paddings->type != kTfLiteInt64))
        return refuse(c, RULE_PAD_PADDINGS_CONSTANT, paddings ? c->node->inputs[1] : -1, "paddings",
                      "make the paddings a constant of the model", "constant i32 or i64", "%s",
                      paddings && paddings->data ? "another type" : "not a constant");
    if (paddings->rank != 2 || paddings->dims[0] != x->rank || paddings->dims[1] != 2 ||
        y->rank != x->rank)
        return refuse(c, RULE_PAD_PADDINGS_SHAPE, c->node->inputs[1], "dims",
                      "the model is malformed", "[rank, 2]", "rank %d, %zu elements",
                      paddings->rank, paddings->elements);
    for (int d = 0; d < x->rank; d++) {
        const int64_t before = graph_constant_int(c->graph, c->node->inputs[1], 2 * (size_t)d);
        const int64_t after = graph_constant_int(c->graph, c->node->inputs[1], 2 * (size_t)d + 1);

        /* before is a difference of i32 at most, before it is subtracted. */
        if (before < 0 || after < 0 || before > y->dims[d] ||
            after != (int64_t)y->dims[d] - x->dims[d] - before)
            return refuse(c, RULE_PAD_PADDINGS_RANGE, c->node->inputs[1], "paddings",
                          "the model is malformed", "0 or more, giving the output's shape",
                          "%lld, %lld on dim %d: %d to %d", (long long)before, (long long)after, d,
                          x->dims[d], y->dims[d]);
    }
    return true;
}

static bool accept_pad(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_computed_data(c, 0, 1, OUTER + 1, CHECK_ALL) &&
           check_data_output(c, 0, 1, OUTER + 1, CHECK_ALL) &&
           check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) &&
           check_paddings(c);
}

static bool shape_of(const struct graph *g, const struct graph_node *n, int i,
                     struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);

    (void)i;
    if (x->rank != graph_input(g, n, 1)->dims[0])
        return false;
    s->rank = x->rank;
    for (int d = 0; d < x->rank; d++) {
        const int64_t before = graph_constant_int(g, n->inputs[1], 2 * (size_t)d);
        const int64_t after = graph_constant_int(g, n->inputs[1], 2 * (size_t)d + 1);

        if (before > INT32_MAX - x->dims[d] || after > INT32_MAX - x->dims[d] - before)
            return false;
        s->dims[d] = (int32_t)(x->dims[d] + before + after);
    }
    return true;
}

static enum status plan_pad(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s;
    struct pad_args args;

    if (src < 0 || dst < 0 ||
        !(s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("pad")), n, WORKGROUP, 1,
                           1)))
        return STATUS_NO_MEMORY;
    args = (struct pad_args){
        .count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices,
        .in_channels = p->plan->tensors[src].channels,
        .in_slices = p->plan->tensors[src].slices,
        .out_slices = p->plan->tensors[dst].slices,
        .before_channels =
            (uint32_t)graph_constant_int(p->graph, n->inputs[1], 2 * (size_t)(x->rank - 1)),
    };
    for (int i = 0; i < OUTER; i++) {
        const int d = x->rank - 1 - OUTER + i; /* outer dims at the end of the arrays */

        args.out_size[i] = d < 0 ? 1 : (uint32_t)y->dims[d];
        args.in_size[i] = d < 0 ? 1 : (uint32_t)x->dims[d];
        args.before[i] =
            d < 0 ? 0 : (uint32_t)graph_constant_int(p->graph, n->inputs[1], 2 * (size_t)d);
    }
    if (graph_is_8bit(y) && y->quant.scale)
        args.fill = ((uint32_t)y->quant.zero_point[0] & 0xff) * 0x01010101;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

/* The index in x of element i of y; -1: the element is padding. */
static int64_t source_index(const struct graph_tensor *x, const struct graph_tensor *y,
                            const int64_t before[], size_t i)
{
    int64_t index = 0, pitch = 1;

    for (int d = y->rank - 1; d >= 0; d--) {
        const int64_t k = (int64_t)(i % (size_t)y->dims[d]) - before[d];

        i /= (size_t)y->dims[d];
        if (k < 0 || k >= x->dims[d])
            return -1;
        index += k * pitch;
        pitch *= x->dims[d];
    }
    return index;
}

static void fold_pad(const struct graph *g, const struct graph_node *n, float *values)
{
    const struct graph_tensor *x = graph_input(g, n, 0), *y = graph_output(g, n, 0);
    int64_t before[GRAPH_MAX_RANK];

    for (int d = 0; d < y->rank; d++)
        before[d] = graph_constant_int(g, n->inputs[1], 2 * (size_t)d);
    for (size_t i = 0; i < y->elements; i++) {
        const int64_t from = source_index(x, y, before, i);

        values[i] = from < 0 ? 0 : graph_constant_float(g, n->inputs[0], (size_t)from);
    }
}

static int kept_input(const struct graph *g, const struct graph_node *n)
{
    return graph_constant_ints_are(g, n->inputs[1], 0) ? 0 : -1;
}

/* Zeros before and after H and W only. */
static bool pads_image(const struct graph *g, const struct graph_node *n, int64_t before_hw[2])
{
    int64_t before[4];

    if (graph_input(g, n, 0)->rank != 4)
        return false;
    for (size_t d = 0; d < 4; d++) {
        before[d] = graph_constant_int(g, n->inputs[1], 2 * d);
        if ((d == 0 || d == 3) &&
            (before[d] != 0 || graph_constant_int(g, n->inputs[1], 2 * d + 1) != 0))
            return false;
    }
    before_hw[0] = before[1];
    before_hw[1] = before[2];
    return true;
}

static bool check_operands(struct check *c)
{
    return check_computed_data(c, 0, 1, TAKE_OUTER + 1, CHECK_ALL) &&
           check_data_output(c, 0, 1, TAKE_OUTER + 1, CHECK_ALL) &&
           check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) &&
           check_paddings(c) && take_check(c);
}

static bool accept_padv2(struct check *c)
{
    const struct graph_tensor *value;

    if (!check_counts(c, 3, 3, 1) || !check_operands(c) ||
        !check_data_input(c, 2, 0, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_tensor_type(c, c->node->inputs[2], graph_input(c->graph, c->node, 0)->type))
        return false;
    value = graph_input(c->graph, c->node, 2);
    if (!graph_is_constant(c->graph, c->node->inputs[2]) || value->elements != 1)
        return refuse(c, RULE_PAD_VALUE, c->node->inputs[2], "constant_values",
                      "make the value a constant of the model", "a constant of 1 element",
                      "%zu elements, %s", value->elements,
                      graph_is_constant(c->graph, c->node->inputs[2]) ? "constant"
                                                                      : "computed at run time");
    return (value->type != kTfLiteFloat32 && value->type != kTfLiteFloat16) ||
           check_storable(c, 2, 1);
}

/* Whether MIRROR_PAD repeats the end of the input, as mode SYMMETRIC does. */
static bool repeats_end(const struct graph_node *n)
{
    return ((const TfLiteMirrorPaddingParams *)n->params)->mode == kTfLiteMirrorPaddingSymmetric;
}

static bool accept_mirror_pad(struct check *c)
{
    const struct graph_tensor *x;
    TfLiteMirrorPaddingMode mode;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) || !check_operands(c))
        return false;
    mode = ((const TfLiteMirrorPaddingParams *)c->node->params)->mode;
    x = graph_input(c->graph, c->node, 0);
    if (mode != kTfLiteMirrorPaddingReflect && mode != kTfLiteMirrorPaddingSymmetric)
        return refuse(c, RULE_PAD_MODE, -1, "mode", "the model is malformed",
                      "1 (REFLECT) or 2 (SYMMETRIC) of the runtime", "%d", (int)mode);
    for (int i = 0; i < 2 * x->rank; i++) {
        const int64_t padding = graph_constant_int(c->graph, c->node->inputs[1], (size_t)i);
        const int64_t most = (int64_t)x->dims[i / 2] - !repeats_end(c->node);

        if (padding > most)
            return refuse(c, RULE_PAD_MIRROR, c->node->inputs[1], "paddings",
                          "the model is malformed",
                          "at most the dimension of the input, less 1 with REFLECT",
                          "%lld on dim %d of %d", (long long)padding, i / 2, x->dims[i / 2]);
    }
    return true;
}

static int32_t before_of(const struct graph *g, const struct graph_node *n, int d)
{
    return (int32_t)graph_constant_int(g, n->inputs[1], 2 * (size_t)d);
}

static int32_t padded_index(const struct graph *g, const struct graph_node *n, int d, int32_t i)
{
    const int32_t k = i - before_of(g, n, d);

    return k < graph_input(g, n, 0)->dims[d] ? k : -1;
}

static int32_t mirrored_index(const struct graph *g, const struct graph_node *n, int d, int32_t i)
{
    const int32_t k = i - before_of(g, n, d), last = graph_input(g, n, 0)->dims[d] - 1;
    const int32_t end = repeats_end(n) ? 1 : 0;

    return k < 0 ? -k - end : k > last ? 2 * last - k + end : k;
}

static enum status plan_padv2(struct planner *p, const struct graph_node *n)
{
    return take_plan(p, n, padded_index, n->inputs[2]);
}

static enum status plan_mirror_pad(struct planner *p, const struct graph_node *n)
{
    return take_plan(p, n, mirrored_index, -1);
}

#define MOVES                                                                                      \
    .same_quant = true, .selects = true, .exact = &gpu_exact_moves, .shape = shape_of,             \
    .kept_input = kept_input

static const struct gpu_op ops[] = {
    { GPU_OP(PAD, 6), .shorts = true, .accept = accept_pad, .plan = plan_pad, .fold = fold_pad,
      .pads_image = pads_image, MOVES },
    { GPU_OP(PADV2, 6), .accept = accept_padv2, .plan = plan_padv2, MOVES },
    { GPU_OP(MIRROR_PAD, 3), .shorts = true, .accept = accept_mirror_pad, .plan = plan_mirror_pad,
      MOVES },
};
const struct gpu_family gpu_pad = { ops, sizeof ops / sizeof ops[0] };
