#include "delegate/ops/product/half_sums.h"

#include "delegate/graph/ranges.h"
#include "reference/base/op_facts.h"

#include <math.h>

/* The largest number of f16 is 65504.  Rounding each weight, product and sum of a run of 32 makes
 * this 61,004 at most (conformance/doc/TOLERANCES.md 13.7). */
static const double sum_max = 60000;

bool half_sums_fit(const struct planner *p, const struct graph_node *n)
{
    const struct op_facts *const facts = op_facts_find(n->code);
    const int data = n->inputs[facts->first], weights = n->inputs[facts->weights];
    const struct reason_of why = planner_reason(p, KERNEL_half_sums, n);
    double sum;

    if (!p->magnitudes || !planner_kernel(p, &why))
        return false;
    if (!p->limits->shader_float16)
        return reasons_add(&why, "the device has no f16 arithmetic (shaderFloat16)");
    if (n->steps.scale > 0)
        return reasons_add(&why, "float view: an error of f16 may be a quantization step");
    if (!graph_is_constant(p->graph, weights))
        return reasons_add(&why, "the weights are computed");
    if (!isfinite(p->magnitudes[data]))
        return reasons_add(&why, "its input is not bounded by an activation: f16 may overflow");
    sum = p->magnitudes[data] * ranges_largest_sum(p->graph, weights);
    if (!(sum <= sum_max))
        return reasons_add(&why, "sums up to %g, more than %g: f16 may overflow", sum, sum_max);
    return true;
}
