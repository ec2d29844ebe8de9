/* Meaning: reference/ops/reduce.c */
#include "delegate/exact/reduce.h"

#include "delegate/exact/exact.h"
#include "delegate/exact/fixed.h"

static bool accept_mean(struct check *c)
{
    return check_factor(c, c->node->outputs[0], "input scale / output scale",
                        fixed_scale(graph_input(c->graph, c->node, 0)) /
                            fixed_scale(graph_output(c->graph, c->node, 0)));
}

struct quant_multiplier reduce_factor(const struct graph_tensor *x, const struct graph_tensor *y,
                                      uint32_t count)
{
    struct quant_multiplier m = fixed_factor(fixed_scale(x) / fixed_scale(y));
    int shift = 0;

    /* The factor's integer takes in the division, behind a shift to the left by as many bits as
     * there is room for. */
    while (shift < 31 + m.e && (uint64_t)count >> (shift + 1) > 0)
        shift++;
    m.q = (int32_t)(((int64_t)m.q << shift) / (int64_t)count);
    m.e -= shift;
    return m;
}

const struct gpu_exact exact_mean = { accept_mean, NULL };
