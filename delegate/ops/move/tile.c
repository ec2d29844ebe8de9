/* TILE and BROADCAST_TO with constant multiples and shape. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"

#include <string.h>

enum { TILE, BROADCAST };

static bool map_tile(const struct graph *g, const struct graph_node *n, int i,
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
        const int64_t times = graph_constant_int(g, n->inputs[1], (size_t)d);

        if (times < 0 || times > INT32_MAX || times * x->dims[d] > INT32_MAX)
            return false;
        s->dims[d] = (int32_t)(times * x->dims[d]);
        if (m) {
            move_repeat(m, times);
            move_dim(m, x->dims[d], d, 1);
        }
    }
    return true;
}

static bool map_broadcast(const struct graph *g, const struct graph_node *n, int i,
                          struct graph_shape *s, struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const int rank = (int)graph_input(g, n, 1)->elements, added = rank - x->rank;

    (void)i;
    if (x->rank < 0 || added < 0)
        return false;
    if (m)
        move_init(m, x->rank, x->dims, m->dense);
    s->rank = rank;
    for (int d = 0; d < rank; d++) {
        const int64_t size = graph_constant_int(g, n->inputs[1], (size_t)d);
        const int32_t own = d < added ? 1 : x->dims[d - added];

        if (size < 0 || size > INT32_MAX || (own != 1 && own != size))
            return false;
        s->dims[d] = (int32_t)size;
        if (m && own == 1)
            move_repeat(m, size);
        else if (m)
            move_dim(m, size, d - added, 1);
    }
    return true;
}

static move_map *map_of(const struct graph_node *n)
{
    return n->op->variant == TILE ? map_tile : map_broadcast;
}

static bool accept_tile(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_moved(c, 0, 0, GRAPH_MAX_RANK) &&
           check_move_vector(c, 1, "multiples", true, graph_input(c->graph, c->node, 0)->rank) &&
           check_move_map(c, map_tile, 0, 1, "multiples");
}

static bool accept_broadcast(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_moved(c, 0, 0, GRAPH_MAX_RANK) &&
           check_move_vector(c, 1, "shape", true, -1) &&
           check_move_map(c, map_broadcast, 0, 1, "shape");
}

static bool shape_tile(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    return map_of(n)(g, n, i, s, NULL);
}

/* Repeats the inner dims, from `half` on, in a temporary, and then the outer ones: a TILE of many
 * dims has more factors than one step can have. */
static enum status plan_twice(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int half = GRAPH_MAX_RANK / 2;
    int32_t dims[GRAPH_MAX_RANK];
    uint32_t rows = 1;
    struct move inner, outer;
    int temp;

    move_init(&inner, x->rank, x->dims, false);
    memcpy(dims, x->dims, sizeof dims);
    for (int d = 0; d < x->rank; d++) {
        const int64_t times = d < half ? 1 : graph_constant_int(p->graph, n->inputs[1], (size_t)d);

        move_repeat(&inner, times);
        move_dim(&inner, x->dims[d], d, 1);
        dims[d] = (int32_t)(x->dims[d] * times);
        rows *= d < x->rank - 1 ? (uint32_t)dims[d] : 1;
    }
    move_init(&outer, x->rank, dims, false);
    for (int d = 0; d < x->rank; d++) {
        move_repeat(&outer, d < half ? graph_constant_int(p->graph, n->inputs[1], (size_t)d) : 1);
        move_dim(&outer, dims[d], d, 1);
    }
    temp = planner_temp(p, rows, (uint32_t)dims[x->rank - 1],
                        p->plan->tensors[planner_tensor(p, n->outputs[0])].format);
    TRY(move_plan_step(p, n, temp, planner_tensor(p, n->inputs[0]), &inner));
    return move_plan_step(p, n, planner_tensor(p, n->outputs[0]), temp, &outer);
}

static enum status plan_tile(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    struct graph_shape s;
    struct move m = { .dense = false };

    if (!map_of(n)(p->graph, n, 0, &s, &m))
        return diag_fail(p->diag, STATUS_INVALID, "the shape does not fit the input");
    if (!move_is_one_step(&m, y->rank > 0 ? (uint32_t)y->dims[y->rank - 1] : 1))
        return planner_tensor(p, n->outputs[0]) < 0 ? STATUS_NO_MEMORY : plan_twice(p, n);
    return move_plan_output(p, n, 0, planner_tensor(p, n->inputs[0]), &m);
}

static void fold_tile(const struct graph *g, const struct graph_node *n, float *values)
{
    move_fold(g, n, map_of(n), 0, values);
}

static const struct gpu_op ops[] = {
    { GPU_OP(TILE, 3), .variant = TILE, GPU_MOVES, .accept = accept_tile, .plan = plan_tile,
      .shape = shape_tile, .fold = fold_tile, .kept_input = gpu_first_input },
    { GPU_OP(BROADCAST_TO, 4), .variant = BROADCAST, GPU_MOVES, .accept = accept_broadcast,
      .plan = plan_tile, .shape = shape_tile, .fold = fold_tile, .kept_input = gpu_first_input },
};
const struct gpu_family gpu_tile = { ops, sizeof ops / sizeof ops[0] };
