/* TRANSPOSE with a constant permutation. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"

static bool map(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s,
                struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    uint32_t seen = 0;

    (void)i;
    if (x->rank < 0 || graph_input(g, n, 1)->elements != (size_t)x->rank)
        return false;
    if (m)
        move_init(m, x->rank, x->dims, m->dense);
    s->rank = x->rank;
    for (int d = 0; d < x->rank; d++) {
        const int64_t given = graph_constant_int(g, n->inputs[1], (size_t)d);
        const int64_t of = given < 0 ? given + x->rank : given;

        if (of < 0 || of >= x->rank || seen >> of & 1)
            return false;
        seen |= 1u << of;
        s->dims[d] = x->dims[of];
        if (m)
            move_dim(m, x->dims[of], (int)of, 1);
    }
    return true;
}

static bool accept_transpose(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_moved(c, 0, 0, GRAPH_MAX_RANK) &&
           check_move_vector(c, 1, "perm", false, graph_input(c->graph, c->node, 0)->rank) &&
           check_move_map(c, map, 0, 1, "perm");
}

static bool shape_transpose(const struct graph *g, const struct graph_node *n, int i,
                            struct graph_shape *s)
{
    return map(g, n, i, s, NULL);
}

static enum status plan_transpose(struct planner *p, const struct graph_node *n)
{
    struct graph_shape s;
    struct move m = { .dense = false };

    if (!map(p->graph, n, 0, &s, &m))
        return diag_fail(p->diag, STATUS_INVALID, "perm does not fit the input");
    return move_plan_output(p, n, 0, planner_tensor(p, n->inputs[0]), &m);
}

static void fold_transpose(const struct graph *g, const struct graph_node *n, float *values)
{
    move_fold(g, n, map, 0, values);
}

static int kept_input(const struct graph *g, const struct graph_node *n)
{
    for (size_t d = 0; d < graph_input(g, n, 1)->elements; d++)
        if (graph_constant_int(g, n->inputs[1], d) != (int64_t)d)
            return -1;
    return 0;
}

static const struct gpu_op ops[] = {
    { GPU_OP(TRANSPOSE, 9), GPU_MOVES, .accept = accept_transpose, .plan = plan_transpose,
      .shape = shape_transpose, .fold = fold_transpose, .kept_input = kept_input },
};
const struct gpu_family gpu_transpose = { ops, sizeof ops / sizeof ops[0] };
