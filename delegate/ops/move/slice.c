/* SLICE and REVERSE_V2 with constant ranges and axes. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"

enum { SLICE, REVERSE };

static bool map_slice(const struct graph *g, const struct graph_node *n, int i,
                      struct graph_shape *s, struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);

    (void)i;
    if (x->rank < 0 || graph_input(g, n, 1)->elements != (size_t)x->rank)
        return false;
    if (m)
        move_init(m, x->rank, x->dims, m->dense);
    s->rank = x->rank;
    for (int d = 0; d < x->rank; d++) {
        const int64_t begin = graph_constant_int(g, n->inputs[1], (size_t)d);
        const int64_t size = graph_constant_int(g, n->inputs[2], (size_t)d);

        if (begin < 0 || begin > x->dims[d] || size < -1 || size > x->dims[d] - begin)
            return false;
        s->dims[d] = (int32_t)(size < 0 ? x->dims[d] - begin : size);
        if (m) {
            move_begin(m, d, begin);
            move_dim(m, s->dims[d], d, 1);
        }
    }
    return true;
}

static bool map_reverse(const struct graph *g, const struct graph_node *n, int i,
                        struct graph_shape *s, struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    uint32_t reversed = 0;

    (void)i;
    if (x->rank < 0)
        return false;
    for (size_t k = 0; k < graph_input(g, n, 1)->elements; k++) {
        const int64_t given = graph_constant_int(g, n->inputs[1], k);
        const int64_t axis = given < 0 ? given + x->rank : given;

        if (axis < 0 || axis >= x->rank || reversed >> axis & 1)
            return false;
        reversed |= 1u << axis;
    }
    /* The CPU takes axes that follow each other: adding the lowest bit leaves one bit, or none. */
    if (((reversed + (reversed & -reversed)) & reversed) != 0)
        return false;
    s->rank = x->rank;
    if (m)
        move_init(m, x->rank, x->dims, m->dense);
    for (int d = 0; d < x->rank; d++) {
        const bool back = reversed >> d & 1;

        s->dims[d] = x->dims[d];
        if (m && back)
            move_begin(m, d, x->dims[d] - 1);
        if (m)
            move_dim(m, x->dims[d], d, back ? -1 : 1);
    }
    return true;
}

static move_map *map_of(const struct graph_node *n)
{
    return n->op->variant == SLICE ? map_slice : map_reverse;
}

static bool accept_slice(struct check *c)
{
    int rank;

    if (!check_counts(c, 3, 3, 1) || !check_moved(c, 0, 0, GRAPH_MAX_RANK))
        return false;
    rank = graph_input(c->graph, c->node, 0)->rank;
    if (!check_move_vector(c, 1, "begin", true, rank) ||
        !check_move_vector(c, 2, "size", true, rank))
        return false;
    return check_move_map(c, map_slice, 0, 1, "begin");
}

static bool accept_reverse(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_moved(c, 0, 0, GRAPH_MAX_RANK) &&
           check_move_vector(c, 1, "axes", false, -1) &&
           check_move_map(c, map_reverse, 0, 1, "axes");
}

static bool shape_slice(const struct graph *g, const struct graph_node *n, int i,
                        struct graph_shape *s)
{
    return map_of(n)(g, n, i, s, NULL);
}

static enum status plan_slice(struct planner *p, const struct graph_node *n)
{
    struct graph_shape s;
    struct move m = { .dense = false };

    if (!map_of(n)(p->graph, n, 0, &s, &m))
        return diag_fail(p->diag, STATUS_INVALID, "the range does not fit the input");
    return move_plan_output(p, n, 0, planner_tensor(p, n->inputs[0]), &m);
}

static void fold_slice(const struct graph *g, const struct graph_node *n, float *values)
{
    move_fold(g, n, map_of(n), 0, values);
}

static const struct gpu_op ops[] = {
    { GPU_OP(SLICE, 8), .variant = SLICE, GPU_MOVES, .accept = accept_slice, .plan = plan_slice,
      .shape = shape_slice, .fold = fold_slice, .kept_input = gpu_first_input },
    { GPU_OP(REVERSE_V2, 4), .variant = REVERSE, GPU_MOVES, .accept = accept_reverse,
      .plan = plan_slice, .shape = shape_slice, .fold = fold_slice },
};
const struct gpu_family gpu_slice = { ops, sizeof ops / sizeof ops[0] };
