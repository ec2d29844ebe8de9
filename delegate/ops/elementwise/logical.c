/* LOGICAL_AND, LOGICAL_OR of bool: computed by the shader of comparisons. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/binary.h"
#include "delegate/ops/elementwise/compare.args.h"
#include "delegate/ops/elementwise/compare.h"

static bool accept(struct check *c)
{
    return binary_accept_types(c, CHECK_BOOL, CHECK_BOOL);
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    return compare_plan(p, n, n->op->variant);
}

#define LOGICAL(code_, variant_)                                                                   \
    {                                                                                              \
        .code = (code_), .max_version = 1, .variant = (variant_), .accept = accept, .plan = plan,  \
        .shape = binary_shape                                                                      \
    }
static const struct gpu_op ops[] = {
    LOGICAL(BUILTIN_LOGICAL_AND, COMPARE_AND),
    LOGICAL(BUILTIN_LOGICAL_OR, COMPARE_OR),
};
const struct gpu_family gpu_logical = { ops, sizeof ops / sizeof ops[0] };
