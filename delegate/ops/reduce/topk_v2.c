/* TOPK_V2 of few elements of a row, whose number is a constant.
 * Meaning: reference/ops/topk_v2.c */
#include "delegate/ops/reduce/topk_v2.args.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/plan/planner.h"

enum { VALUES, INDICES };
enum { INVOCATIONS = 64 }; /* of a row */

/* k; -1 when it is no constant of one i32. */
static int64_t k_of(const struct graph *g, const struct graph_node *n)
{
    const struct graph_tensor *const k = graph_input(g, n, 1);

    return k && k->data && k->type == kTfLiteInt32 && k->elements == 1
               ? graph_constant_int(g, n->inputs[1], 0)
               : -1;
}

static bool shape_topk(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    const struct graph_tensor *const x = graph_input(g, n, 0);
    const int64_t k = k_of(g, n);

    (void)i;
    if (x->rank < 1 || k < 1 || k > x->dims[x->rank - 1])
        return false;
    s->rank = x->rank;
    for (int d = 0; d < x->rank; d++)
        s->dims[d] = d == x->rank - 1 ? (int32_t)k : x->dims[d];
    return true;
}

static bool accept_topk(struct check *c)
{
    const struct graph_tensor *x;
    int64_t k;

    if (!check_counts(c, 2, 2, 2) ||
        !check_computed_data(c, 0, 1, GRAPH_MAX_RANK, CHECK_VALUES | CHECK_I32))
        return false;
    x = graph_input(c->graph, c->node, 0);
    k = k_of(c->graph, c->node);
    if (!check_tensor_type(c, c->node->outputs[VALUES], x->type) ||
        !check_tensor_type(c, c->node->outputs[INDICES], kTfLiteInt32))
        return false;
    if (k < 1 || k > TOPK_V2_MOST)
        return refuse(c, RULE_TOPK_V2_K, c->node->inputs[1], "k",
                      "let the CPU sort, or make k a small constant of the model",
                      "one constant of 1 to 64", "%lld", (long long)k);
    return check_loop_iterations(c,
                                 (uint64_t)k * ((uint64_t)x->dims[x->rank - 1] / INVOCATIONS + 8));
}

static const char *shader_of(const struct graph_tensor *x)
{
    if (graph_is_8bit(x))
        return "topk_v2.byte";
    return x->type == kTfLiteInt32 ? "topk_v2.word" : "topk_v2";
}

static enum status plan_topk(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *const x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[VALUES]);
    const int indices = planner_tensor(p, n->outputs[INDICES]);
    struct plan_step *s = planner_step(p, shader_of(x), n, INVOCATIONS, 1, 1);
    struct topk_v2_args args;

    if (src < 0 || dst < 0 || indices < 0 || !s)
        return STATUS_NO_MEMORY;
    args = (struct topk_v2_args){
        .count = p->plan->tensors[src].rows,
        .channels = p->plan->tensors[src].channels,
        .slices = p->plan->tensors[src].slices,
        .k = p->plan->tensors[dst].channels,
        .out_slices = p->plan->tensors[dst].slices,
    };
    step_spec(s, TOPK_V2_SPEC_SIGNED, x->type == kTfLiteInt8);
    step_thawable(s, TOPK_V2_SPEC_SIGNED, TOPK_V2_SPEC_SIGNED);
    step_shared(s, INVOCATIONS * 2 * (uint32_t)sizeof(uint32_t));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_write(p, s, 2, indices);
    return step_groups(p, s, args.count);
}

/* Bytes are compared as they are. */
const struct gpu_exact exact_topk_v2 = { NULL, NULL };

static const struct gpu_op ops[] = {
    { GPU_OP(TOPK_V2, 3), .same_quant = true, .within_inputs = true, .exact = &exact_topk_v2,
      .accept = accept_topk, .plan = plan_topk, .shape = shape_topk },
};
const struct gpu_family gpu_topk_v2 = { ops, sizeof ops / sizeof ops[0] };
