/* AVERAGE_POOL_2D, MAX_POOL_2D in integers, which are taken as they are.
 * Meaning: reference/ops/pool.c */
#include "delegate/exact/exact.h"
#include "delegate/exact/fixed.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* Cells of one 8-bit sum. */
enum { MOST = INT32_MAX / 256 };

static bool accept_pool(struct check *c)
{
    const TfLitePoolParams *params = c->node->params;
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const int64_t h = params->filter_height < x->dims[1] ? params->filter_height : x->dims[1];
    const int64_t w = params->filter_width < x->dims[2] ? params->filter_width : x->dims[2];

    if (c->node->code == BUILTIN_AVERAGE_POOL_2D && h * w > MOST)
        return refuse(c, RULE_POOL_SUM, -1, "window", "pool in two steps", "8388607 pixels", "%lld",
                      (long long)(h * w));
    return check_steps(c, 0, params->activation);
}

const struct gpu_exact exact_pool = { accept_pool, NULL };
