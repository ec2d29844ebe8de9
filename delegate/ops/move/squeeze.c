/* SQUEEZE and EXPAND_DIMS: the same elements; a view where the rows of channels lie the same way,
 * else a repacked copy. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { SQUEEZE, EXPAND };

static bool map_squeeze(const struct graph *g, const struct graph_node *n, int i,
                        struct graph_shape *s, struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const TfLiteSqueezeParams *params = n->params;
    uint32_t dropped = 0;

    (void)i;
    (void)m;
    if (x->rank < 0 || params->num_squeeze_dims < 0 || params->num_squeeze_dims > GRAPH_MAX_RANK)
        return false;
    for (int k = 0; k < params->num_squeeze_dims; k++) {
        const int given = params->squeeze_dims[k], d = given < 0 ? given + x->rank : given;

        if (d < 0 || d >= x->rank || x->dims[d] != 1)
            return false;
        dropped |= 1u << d;
    }
    s->rank = 0;
    for (int d = 0; d < x->rank; d++)
        if (params->num_squeeze_dims == 0 ? x->dims[d] != 1 : !(dropped >> d & 1))
            s->dims[s->rank++] = x->dims[d];
    return true;
}

static bool map_expand(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s, struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    int64_t axis = graph_constant_int(g, n->inputs[1], 0);

    (void)i;
    (void)m;
    if (x->rank < 0 || x->rank == GRAPH_MAX_RANK)
        return false;
    axis += axis < 0 ? x->rank + 1 : 0;
    if (axis < 0 || axis > x->rank)
        return false;
    s->rank = x->rank + 1;
    for (int d = 0; d <= x->rank; d++)
        s->dims[d] = d == axis ? 1 : x->dims[d - (d > axis)];
    return true;
}

static bool accept_squeeze(struct check *c)
{
    return check_counts(c, 1, 1, 1) && check_params(c) && check_moved(c, 0, 0, GRAPH_MAX_RANK) &&
           check_move_map(c, map_squeeze, 0, -1, "squeeze_dims");
}

static bool accept_expand(struct check *c)
{
    if (!check_counts(c, 2, 2, 1) || !check_moved(c, 0, 0, GRAPH_MAX_RANK - 1) ||
        !check_move_constant(c, 1, "axis", true))
        return false;
    if (graph_input(c->graph, c->node, 1)->elements != 1)
        return refuse(c, RULE_MOVE_RANGE, c->node->inputs[1], "elements", "the model is malformed",
                      "1", "%zu", graph_input(c->graph, c->node, 1)->elements);
    return check_move_map(c, map_expand, 0, 1, "axis");
}

static bool shape_squeeze(const struct graph *g, const struct graph_node *n, int i,
                          struct graph_shape *s)
{
    return (n->op->variant == SQUEEZE ? map_squeeze : map_expand)(g, n, i, s, NULL);
}

static enum status plan_squeeze(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const uint32_t channels = y->rank == 0 ? 1 : (uint32_t)y->dims[y->rank - 1];
    const uint32_t rows = y->rank == 0 ? 1 : (uint32_t)(y->elements / channels);
    const int rows_of = planner_rows(p, n, planner_tensor(p, n->inputs[0]), rows, channels);

    return planner_view(p, n->outputs[0], rows_of) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
}

static void fold_squeeze(const struct graph *g, const struct graph_node *n, float *values)
{
    for (size_t i = 0; i < graph_output(g, n, 0)->elements; i++)
        values[i] = graph_constant_float(g, n->inputs[0], i);
}

static const struct gpu_op ops[] = {
    { GPU_OP(SQUEEZE, 2), .variant = SQUEEZE, GPU_MOVES, .accept = accept_squeeze,
      .plan = plan_squeeze, .shape = shape_squeeze, .fold = fold_squeeze,
      .kept_input = gpu_first_input },
    { GPU_OP(EXPAND_DIMS, 1), .variant = EXPAND, GPU_MOVES, .accept = accept_expand,
      .plan = plan_squeeze, .shape = shape_squeeze, .fold = fold_squeeze },
};
const struct gpu_family gpu_squeeze = { ops, sizeof ops / sizeof ops[0] };
