/* CAST between f32, f16, i32, i8, u8 and bool.  Of 8-bit tensors the integers are converted, not
 * what they stand for: float view, which has no integers, does not take them.  f16 tensors are
 * loaded into the storage type of floats, so that CAST between f32 and f16 is a view. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/cast.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/plan/planner.h"
#include "delegate/shaders/count.args.h"

static bool is_float(TfLiteType type)
{
    return type == kTfLiteFloat32 || type == kTfLiteFloat16;
}

static bool has_type(TfLiteType type)
{
    return is_float(type) || type == kTfLiteInt32 || type == kTfLiteInt8 || type == kTfLiteUInt8 ||
           type == kTfLiteBool;
}

static const char *name_of(TfLiteType type)
{
    const char *const name = runtime_type_name(type);

    return name ? name : "unknown";
}

static bool accept_cast(struct check *c)
{
    const struct graph_tensor *x, *y;

    if (!check_counts(c, 1, 1, 1))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (!x || !has_type(x->type) || !has_type(y->type))
        return refuse(c, RULE_CAST_TYPES, c->node->inputs[0], "types",
                      "cast on the CPU, where the values are used",
                      "f32, f16, i32, i8, u8 and bool", "%s to %s", x ? name_of(x->type) : "absent",
                      name_of(y->type));
    if (graph_is_constant(c->graph, c->node->inputs[0]))
        return refuse(c, RULE_INPUT_CONSTANT, c->node->inputs[0], "data",
                      "the result is a constant: fold it when the model is converted",
                      "a tensor that is computed at run time", "a constant");
    return check_same_shape(c, RULE_CAST_OUTPUT_SHAPE);
}

/* How elements of the type lie in memory. */
static uint32_t elements_of(const struct planner *p, TfLiteType type)
{
    switch (type) {
    case kTfLiteInt32: return CAST_I32;
    case kTfLiteInt8: return CAST_I8;
    case kTfLiteUInt8: return CAST_U8;
    case kTfLiteBool: return CAST_BOOL;
    default: return p->plan->half ? CAST_F16 : CAST_F32;
    }
}

static enum status plan_cast(struct planner *p, const struct graph_node *n)
{
    const TfLiteType from = graph_input(p->graph, n, 0)->type,
                     to = graph_output(p->graph, n, 0)->type;
    const int src = planner_tensor(p, n->inputs[0]);
    struct count_args args;
    struct plan_step *s;
    int dst;

    if (src < 0)
        return STATUS_NO_MEMORY;
    if (is_float(from) && is_float(to))
        return planner_view(p, n->outputs[0], src) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
    dst = planner_tensor(p, n->outputs[0]);
    s = planner_step(p, "cast_int8", n, WORKGROUP, 1, 1);
    if (dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices;
    step_spec(s, CAST_SPEC_FROM, elements_of(p, from));
    step_spec(s, CAST_SPEC_TO, elements_of(p, to));
    step_thawable(s, CAST_SPEC_FROM, CAST_SPEC_TO);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

/* plan_cast converts integers. */
static const struct gpu_exact exact_cast_integers = { NULL, NULL };

static const struct gpu_op ops[] = {
    { GPU_OP(CAST, 9), .no_float_view = true, .exact = &exact_cast_integers, .accept = accept_cast,
      .plan = plan_cast },
};
const struct gpu_family gpu_cast = { ops, sizeof ops / sizeof ops[0] };
