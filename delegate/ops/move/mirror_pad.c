/* PADV2 with a constant value, and MIRROR_PAD; constant paddings. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/pad.h"
#include "delegate/ops/move/take.args.h"
#include "delegate/ops/move/take.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static bool check_operands(struct check *c)
{
    return check_computed_data(c, 0, 1, TAKE_OUTER + 1, CHECK_ALL) &&
           check_data_output(c, 0, 1, TAKE_OUTER + 1, CHECK_ALL) &&
           check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) &&
           pad_check(c) && take_check(c);
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

static int kept_input(const struct graph *g, const struct graph_node *n)
{
    return graph_constant_ints_are(g, n->inputs[1], 0) ? 0 : -1;
}

/* 8-bit nodes need no check and no plan of their own: bytes are moved as floats are. */
static const struct gpu_exact exact = { NULL, NULL };

#define MOVES                                                                                      \
    .same_quant = true, .selects = true, .exact = &exact, .shape = pad_shape,                      \
    .kept_input = kept_input

static const struct gpu_op ops[] = {
    { .code = BUILTIN_PADV2, .max_version = 6, .accept = accept_padv2, .plan = plan_padv2, MOVES },
    { .code = BUILTIN_MIRROR_PAD,
      .max_version = 3,
      .accept = accept_mirror_pad,
      .plan = plan_mirror_pad,
      MOVES },
};
const struct gpu_family gpu_mirror_pad = { ops, sizeof ops / sizeof ops[0] };
