/* ADD, MUL, SUB, MAXIMUM, MINIMUM; PRELU (prelu.c) is computed by the same shader. */
#include "delegate/ops/elementwise/binary.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/binary.args.h"
#include "delegate/ops/elementwise/binary_i32.args.h"
#include "delegate/ops/elementwise/chain.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/reduce/norm.h"
#include "delegate/shaders/activation.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

enum { OUTER = BINARY_OUTER, MAX_RANK = OUTER + 1 };

/* Dim i of a tensor aligned to `rank` dims at the last one. */
static int32_t dim_at(const struct graph_tensor *t, int rank, int i)
{
    const int d = i - (rank - t->rank);

    return d < 0 ? 1 : t->dims[d];
}

bool binary_accept(struct check *c)
{
    return binary_accept_types(c, CHECK_VALUES, CHECK_VALUES);
}

bool binary_accept_types(struct check *c, unsigned of_operands, unsigned of_result)
{
    const struct graph_tensor *a, *b, *y;
    int constants = 0;

    if (!check_counts(c, 2, 2, 1) || !check_data_output(c, 0, 0, MAX_RANK, of_result) ||
        !check_data_input(c, 0, 0, MAX_RANK, of_operands) ||
        !check_data_input(c, 1, 0, MAX_RANK, of_operands) ||
        !check_tensor_type(c, c->node->inputs[1], graph_input(c->graph, c->node, 0)->type))
        return false;
    for (int i = 0; i < 2; i++)
        constants += graph_is_constant(c->graph, c->node->inputs[i]);
    if (constants == 2)
        return refuse(c, RULE_BINARY_CONSTANTS, c->node->inputs[0], "data",
                      "the result is a constant: fold it when the model is converted",
                      "at most one constant operand", "two");
    a = graph_input(c->graph, c->node, 0);
    b = graph_input(c->graph, c->node, 1);
    y = graph_output(c->graph, c->node, 0);
    for (int i = 0; i < y->rank; i++) {
        const int32_t da = dim_at(a, y->rank, i), db = dim_at(b, y->rank, i);

        if ((da != db && da != 1 && db != 1) || y->dims[i] != (da == 1 ? db : da))
            return refuse(c, RULE_BINARY_BROADCAST, c->node->outputs[0], "dims",
                          "the model is malformed", "the operands' broadcast shape",
                          "dim %d: %d and %d to %d", i, da, db, y->dims[i]);
    }
    if (a->rank > y->rank || b->rank > y->rank)
        return refuse(c, RULE_BINARY_BROADCAST, c->node->outputs[0], "rank",
                      "the model is malformed", "the larger of the operands'", "%d and %d to %d",
                      a->rank, b->rank, y->rank);
    return true;
}

bool binary_shape(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s)
{
    const struct graph_tensor *a = graph_input(g, n, 0), *b = graph_input(g, n, 1);

    (void)i;
    if (a->rank < 0 || b->rank < 0)
        return false;
    s->rank = a->rank > b->rank ? a->rank : b->rank;
    for (int d = 0; d < s->rank; d++) {
        const int32_t da = dim_at(a, s->rank, d), db = dim_at(b, s->rank, d);

        if (da != db && da != 1 && db != 1)
            return false;
        s->dims[d] = da == 1 ? db : da;
    }
    return true;
}

/* Strides of an operand over y's dims but the last, in slices; broadcast dims have 0. */
static void strides(const struct graph_tensor *t, const struct graph_tensor *y, uint32_t out[])
{
    const int32_t channels = dim_at(t, y->rank, y->rank - 1);
    uint32_t pitch = (uint32_t)(channels / 4 + (channels % 4 != 0));

    for (int i = OUTER - 1; i >= 0; i--) {
        const int d = y->rank - 1 - OUTER + i;
        const int32_t dim = d < 0 ? 1 : dim_at(t, y->rank, d);

        out[i] = dim == 1 ? 0 : pitch;
        pitch *= (uint32_t)dim;
    }
}

struct binary_grid binary_grid(const struct planner *p, const struct graph_node *n, int dst)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    struct binary_grid grid = { .slices = p->plan->tensors[dst].slices };

    grid.count = p->plan->tensors[dst].rows * grid.slices;
    for (int i = 0; i < OUTER; i++) {
        const int d = y->rank - 1 - OUTER + i;

        grid.size[i] = d < 0 ? 1 : (uint32_t)y->dims[d];
    }
    strides(graph_input(p->graph, n, 0), y, grid.stride_a);
    strides(graph_input(p->graph, n, 1), y, grid.stride_b);
    return grid;
}

bool binary_broadcasts(const struct planner *p, const struct graph_node *n, int dst, int i)
{
    const struct graph_tensor *t = graph_input(p->graph, n, i);

    /* When the result has one channel, too, the shader has no lane to broadcast to. */
    return (t->rank == 0 || t->dims[t->rank - 1] == 1) && p->plan->tensors[dst].channels != 1;
}

enum status binary_bind_integers(struct planner *p, struct plan_step *s, const struct graph_node *n,
                                 int i)
{
    struct packed packed;
    int src;

    if (graph_is_constant(p->graph, n->inputs[i])) {
        if (graph_is_8bit(graph_input(p->graph, n, i)))
            TRY(bytes_pack_tensor(p, n->inputs[i], NULL, &packed));
        else
            TRY(planner_pack_integers(p, n->inputs[i], &packed));
        step_constants(s, i + 1, &packed);
        return STATUS_OK;
    }
    if ((src = planner_tensor(p, n->inputs[i])) < 0)
        return STATUS_NO_MEMORY;
    step_read(p, s, i + 1, src);
    return STATUS_OK;
}

void binary_spec(const struct planner *p, struct plan_step *s, const struct graph_node *n, int dst,
                 uint32_t op)
{
    step_spec(s, BINARY_SPEC_OP, op);
    step_spec(s, BINARY_SPEC_BROADCAST_A, binary_broadcasts(p, n, dst, 0));
    step_spec(s, BINARY_SPEC_BROADCAST_B, binary_broadcasts(p, n, dst, 1));
}

static enum status plan_i32(struct planner *p, const struct graph_node *n, int dst, uint32_t op,
                            int activation)
{
    struct plan_step *s = planner_step(p, "binary_i32.word", n, WORKGROUP, 1, 1);
    struct binary_i32_args args;

    if (!s)
        return STATUS_NO_MEMORY;
    args.grid = binary_grid(p, n, dst);
    step_write(p, s, 0, dst);
    TRY(binary_bind_integers(p, s, n, 0));
    TRY(binary_bind_integers(p, s, n, 1));
    binary_spec(p, s, n, dst, op);
    step_spec(s, BINARY_I32_SPEC_ACTIVATION, (uint32_t)activation);
    step_thawable(s, BINARY_SPEC_BROADCAST_A, BINARY_I32_SPEC_ACTIVATION);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.grid.count);
}

enum status binary_plan(struct planner *p, const struct graph_node *n, uint32_t op, int activation)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s;
    struct binary_args args;
    struct packed packed;
    uint32_t constant = 0;

    if (dst < 0)
        return STATUS_NO_MEMORY;
    if (p->plan->tensors[dst].format == FORMAT_WORDS)
        return plan_i32(p, n, dst, op, activation);
    if (!(s = planner_step(p, "binary", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct binary_args){ .grid = binary_grid(p, n, dst),
                                 .scale = n->steps.scale,
                                 .low = n->steps.low,
                                 .high = n->steps.high };
    step_write(p, s, 0, dst);
    for (int i = 0; i < 2; i++) {
        if (graph_is_constant(p->graph, n->inputs[i])) {
            TRY(planner_pack_tensor(p, n->inputs[i], &packed));
            step_constants(s, 3, &packed);
            constant = (uint32_t)i + 1;
        } else {
            const int src = planner_tensor(p, n->inputs[i]);

            if (src < 0)
                return STATUS_NO_MEMORY;
            step_read(p, s, i + 1, src);
            if (graph_input(p->graph, n, i)->elements == y->elements) /* not broadcast */
                step_in_place(s, i + 1);
        }
    }
    binary_spec(p, s, n, dst, op);
    step_spec(s, BINARY_SPEC_ACTIVATION, (uint32_t)activation);
    step_spec(s, BINARY_SPEC_CONSTANT, constant);
    if (n->steps.scale > 0)
        step_spec(s, BINARY_SPEC_ROUNDED, true);
    step_thawable(s, BINARY_SPEC_BROADCAST_A, BINARY_SPEC_ROUNDED);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.grid.count);
}

/* MAXIMUM and MINIMUM have no parameters. */
static bool accept(struct check *c)
{
    if (c->node->op->params_bytes > 0 &&
        (!check_params(c) || !check_activation(c, (int)gpu_op_activation(c->node))))
        return false;
    return binary_accept_types(c, CHECK_VALUES | CHECK_I32, CHECK_VALUES | CHECK_I32) &&
           check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type);
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    return binary_plan(p, n, n->op->variant, (int)gpu_op_activation(n));
}

/* The index in operand t of element i of y. */
static size_t operand_index(const struct graph_tensor *t, const struct graph_tensor *y, size_t i)
{
    size_t index = 0, pitch = 1;

    for (int d = y->rank - 1; d >= y->rank - t->rank; d--) {
        const size_t dim = (size_t)t->dims[d - (y->rank - t->rank)];

        index += dim == 1 ? 0 : i % (size_t)y->dims[d] * pitch;
        i /= (size_t)y->dims[d];
        pitch *= dim;
    }
    return index;
}

static float compute(uint32_t op, float a, float b)
{
    switch (op) {
    case BINARY_SUB: return a - b;
    case BINARY_MUL: return a * b;
    case BINARY_MAXIMUM: return a > b ? a : b;
    case BINARY_MINIMUM: return a < b ? a : b;
    case BINARY_PRELU: return a >= 0 ? a : a * b;
    default: return a + b;
    }
}

void binary_fold(const struct graph *g, const struct graph_node *n, float *values)
{
    const struct graph_tensor *y = graph_output(g, n, 0);
    const TfLiteFusedActivation activation = gpu_op_activation(n);

    for (size_t i = 0; i < y->elements; i++) {
        float v[2], result;

        for (int k = 0; k < 2; k++)
            v[k] = graph_constant_float(g, n->inputs[k], operand_index(graph_input(g, n, k), y, i));
        result = compute(n->op->variant, v[0], v[1]);
        values[i] = n->op->has_activation ? gpu_op_activate_fused(activation, result) : result;
    }
}

bool binary_operand_is(const struct graph *g, const struct graph_node *n, int i, float value)
{
    const struct graph_tensor *t = graph_input(g, n, i);

    if (!t || !graph_is_constant(g, n->inputs[i]) || t->type == kTfLiteInt32)
        return false;
    for (size_t k = 0; k < t->elements; k++) {
        const float f = graph_constant_float(g, n->inputs[i], k);

        if (f != value || !signbit(f) != !signbit(value))
            return false;
    }
    return true;
}

/* x * 1, x + -0 and x - 0 are x; x + 0 is not where x is -0. */
static int kept_operand(const struct graph *g, const struct graph_node *n)
{
    const float neutral = n->op->variant == BINARY_MUL   ? 1
                          : n->op->variant == BINARY_ADD ? -0.0f
                                                         : 0;

    if (gpu_op_activation(n) != kTfLiteActNone)
        return -1;
    if (binary_operand_is(g, n, 1, neutral))
        return 0;
    return n->op->variant != BINARY_SUB && binary_operand_is(g, n, 0, neutral) ? 1 : -1;
}

/* The operand that is not a constant of this value; -1: neither operand is one. */
static int operand_beside(const struct graph *g, const struct graph_node *n, float value)
{
    for (int i = 0; i < 2; i++)
        if (binary_operand_is(g, n, 1 - i, value) && !graph_is_constant(g, n->inputs[i]))
            return n->inputs[i];
    return -1;
}

static const struct graph_node *producer_of(const struct graph *g, int tensor)
{
    const int producer = tensor < 0 ? -1 : g->tensors[tensor].producer;

    return producer < 0 ? NULL : &g->nodes[producer];
}

/* min(max(x + 3, 0), 6) * (1 / 6) and x * LOGISTIC(x), with the bits of the nodes. */
static struct gpu_function function_of_product(const struct graph *g, const struct graph_node *n)
{
    const int clamped = operand_beside(g, n, 1.0f / 6.0f);
    const struct graph_node *before = producer_of(g, clamped);
    const bool plain = gpu_op_activation(n) == kTfLiteActNone;

    if (plain && before && before->op->adds && gpu_op_activation(before) == kTfLiteActRelu6 &&
        before->steps.scale == 0) {
        const int x = operand_beside(g, before, 3);

        return (struct gpu_function){ x < 0 ? 0 : ACTIVATION_HARD_SIGMOID, x,
                                      g->tensors[clamped].producer };
    }
    for (int i = 0; i < 2 && plain; i++) {
        const int gate = n->inputs[i], x = n->inputs[1 - i];

        before = producer_of(g, gate);
        if (before && before->op->function && before->inputs[0] == x && gate != x &&
            before->op->function(g, before).activation == ACTIVATION_LOGISTIC)
            return (struct gpu_function){ ACTIVATION_SWISH, x, g->tensors[gate].producer };
    }
    return (struct gpu_function){ .activation = 0 };
}

#define BINARY(code_, version, variant_, ...)                                                      \
    {                                                                                              \
        .code = (code_), .max_version = (version), .variant = (variant_), .rounds_to_steps = true, \
        .accept = accept, .plan = plan, .link = 1 + CHAIN_BINARY + (variant_),                     \
        .shape = binary_shape, .exact = &exact_binary, .shorts = true, .fold = binary_fold,        \
        __VA_ARGS__                                                                                \
    }
static const struct gpu_op ops[] = {
    BINARY(BUILTIN_ADD, 6, BINARY_ADD, GPU_ACTIVATION(TfLiteAddParams), .kept_input = kept_operand,
           .adds = true, .norm = norm_of),
    BINARY(BUILTIN_MUL, 8, BINARY_MUL, GPU_ACTIVATION(TfLiteMulParams), .kept_input = kept_operand,
           .function = function_of_product, .norm = norm_of),
    BINARY(BUILTIN_SUB, 5, BINARY_SUB, GPU_ACTIVATION(TfLiteSubParams), .kept_input = kept_operand),
    BINARY(BUILTIN_MAXIMUM, 4, BINARY_MAXIMUM, .same_quant = true, .selects = true),
    BINARY(BUILTIN_MINIMUM, 4, BINARY_MINIMUM, .same_quant = true, .selects = true),
};
const struct gpu_family gpu_binary = { ops, sizeof ops / sizeof ops[0] };
