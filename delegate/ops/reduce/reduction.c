/* SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY and REDUCE_ALL over constant axes.
 * Meaning: reference/ops/reduction.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/reduce/reduce.h"
#include "delegate/ops/reduce/reduce_int8.h"

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

static enum status plan_reduction(struct planner *p, const struct graph_node *n)
{
    return reduce_plan(p, n, n->op->variant);
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

    if (requantize_multiplier(real).e > 14)
        return refuse(c, RULE_QUANT_SCALE, c->node->outputs[0],
                      "input scale / output scale^(1 / n)", "quantize the node again", "below 2^14",
                      "%g", real);
    /* One invocation makes four products, over channels one after the other. */
    return check_loop_iterations(c, 4 * (uint64_t)(x->elements / y->elements));
}

const struct gpu_exact exact_reduction = { accept_exact, NULL };
static const struct gpu_exact exact_product = { accept_product, NULL };
/* Bytes are compared as they are. */
static const struct gpu_exact exact_extreme = { NULL, NULL };

#define REDUCTION(code_, version, variant_, accept_)                                               \
    .code = (code_), .max_version = (version), .variant = (variant_), .accept = (accept_),         \
    .plan = plan_reduction, .shape = reduce_shape

static const struct gpu_op ops[] = {
    { REDUCTION(BUILTIN_SUM, 2, REDUCE_SUM, accept_sum), .exact = &exact_reduction },
    { REDUCTION(BUILTIN_REDUCE_MAX, 3, REDUCE_MAX, accept_extreme), .exact = &exact_extreme,
      .same_quant = true, .selects = true },
    { REDUCTION(BUILTIN_REDUCE_MIN, 3, REDUCE_MIN, accept_extreme), .exact = &exact_extreme,
      .same_quant = true, .selects = true },
    { REDUCTION(BUILTIN_REDUCE_PROD, 2, REDUCE_PROD, accept_sum), .exact = &exact_product },
    { REDUCTION(BUILTIN_REDUCE_ANY, 1, REDUCE_MAX, accept_truth) },
    { REDUCTION(BUILTIN_REDUCE_ALL, 1, REDUCE_MIN, accept_truth) },
};
const struct gpu_family gpu_reduction = { ops, sizeof ops / sizeof ops[0] };
