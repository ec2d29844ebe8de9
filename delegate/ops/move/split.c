/* SPLIT, SPLIT_V and UNPACK along a constant axis.  Each output is a move of its own. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <limits.h>

enum { SPLIT, SPLIT_V, UNPACK };

static int data_input(const struct graph_node *n)
{
    return n->op->variant == SPLIT ? 1 : 0;
}

/* -1: none of the input. */
static int axis_of(const struct graph *g, const struct graph_node *n)
{
    const int rank = graph_input(g, n, data_input(n))->rank;
    const int64_t given =
        n->op->variant == UNPACK
            ? ((const TfLiteUnpackParams *)n->params)->axis
            : graph_constant_int(g, n->inputs[n->op->variant == SPLIT ? 0 : 2], 0);
    const int64_t axis = given < 0 ? given + rank : given;

    return axis >= 0 && axis < rank ? (int)axis : -1;
}

/* The part of the axis that output i has.  False: the sizes do not make up all of it. */
static bool part_of(const struct graph *g, const struct graph_node *n, int i, int64_t all,
                    int64_t *begin, int64_t *size)
{
    int64_t rest = all; /* the size that is given as -1 */
    int open = 0;

    if (n->op->variant != SPLIT_V) {
        *size = all / n->output_count;
        *begin = i * *size;
        return all == *size * n->output_count && (n->op->variant == SPLIT || *size == 1);
    }
    for (int k = 0; k < n->output_count; k++) {
        const int64_t given = graph_constant_int(g, n->inputs[1], (size_t)k);

        if (given < -1 || given > rest)
            return false;
        open += given == -1;
        rest -= given == -1 ? 0 : given;
    }
    *begin = 0;
    for (int k = 0; k <= i; k++) {
        const int64_t given = graph_constant_int(g, n->inputs[1], (size_t)k);

        *begin += k > 0 ? *size : 0;
        *size = given == -1 ? rest : given;
    }
    return open == 1 || (open == 0 && rest == 0);
}

static bool map(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s,
                struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, data_input(n));
    int64_t begin = 0, size = 0;
    int axis;

    if (x->rank < 1 || (axis = axis_of(g, n)) < 0 ||
        !part_of(g, n, i, x->dims[axis], &begin, &size))
        return false;
    if (m) {
        move_init(m, x->rank, x->dims, m->dense);
        move_begin(m, axis, begin);
    }
    s->rank = 0;
    for (int d = 0; d < x->rank; d++) {
        const int64_t length = d == axis ? size : x->dims[d];

        if (m)
            move_dim(m, length, d, 1);
        if (d != axis || n->op->variant != UNPACK)
            s->dims[s->rank++] = (int32_t)length;
    }
    return true;
}

/* The axis, one element. */
static bool check_axis(struct check *c, int i)
{
    const struct graph_tensor *t;

    if (!check_move_constant(c, i, "axis", false))
        return false;
    t = graph_input(c->graph, c->node, i);
    return t->elements == 1 || refuse(c, RULE_MOVE_RANGE, c->node->inputs[i], "elements",
                                      "the model is malformed", "1", "%zu", t->elements);
}

static bool check_outputs(struct check *c, const char *name, int count)
{
    return count == c->node->output_count ||
           refuse(c, RULE_MOVE_RANGE, -1, name, "the model is malformed",
                  "the number of the node's outputs", "%d, the node has %d", count,
                  c->node->output_count);
}

static bool accept_split(struct check *c)
{
    const struct graph_node *n = c->node;

    if (n->output_count < 1)
        return refuse(c, RULE_NODE_OUTPUTS, -1, "number of outputs", "the model is malformed",
                      "at least 1", "%d", n->output_count);
    switch (n->op->variant) {
    case SPLIT:
        return check_counts(c, 2, 2, n->output_count) && check_params(c) &&
               check_moved(c, 1, 1, GRAPH_MAX_RANK) && check_axis(c, 0) &&
               check_outputs(c, "num_splits", ((const TfLiteSplitParams *)n->params)->num_splits) &&
               check_move_map(c, map, 1, 0, "axis");
    case SPLIT_V:
        return check_counts(c, 3, 3, n->output_count) && check_params(c) &&
               check_moved(c, 0, 1, GRAPH_MAX_RANK) && check_axis(c, 2) &&
               check_outputs(c, "num_splits",
                             ((const TfLiteSplitVParams *)n->params)->num_splits) &&
               check_move_constant(c, 1, "size_splits", true) &&
               check_outputs(c, "size_splits", (int)graph_input(c->graph, n, 1)->elements) &&
               check_move_map(c, map, 0, 1, "size_splits");
    default:
        return check_counts(c, 1, 1, n->output_count) && check_params(c) &&
               check_moved(c, 0, 1, GRAPH_MAX_RANK) &&
               check_outputs(c, "num", ((const TfLiteUnpackParams *)n->params)->num) &&
               check_move_map(c, map, 0, -1, "axis, num");
    }
}

static bool shape_split(const struct graph *g, const struct graph_node *n, int i,
                        struct graph_shape *s)
{
    return map(g, n, i, s, NULL);
}

static enum status plan_split(struct planner *p, const struct graph_node *n)
{
    const int src = planner_tensor(p, n->inputs[data_input(n)]);

    for (int i = 0; i < n->output_count; i++) {
        struct graph_shape s;
        struct move m = { .dense = false };

        if (!map(p->graph, n, i, &s, &m))
            return diag_fail(p->diag, STATUS_INVALID, "output %d is no part of the input", i);
        TRY(move_plan_output(p, n, i, src, &m));
    }
    return STATUS_OK;
}

/* One part is all of it. */
static int kept_input(const struct graph *g, const struct graph_node *n)
{
    (void)g;
    return n->output_count == 1 ? data_input(n) : -1;
}

#define ROW(code_, version)                                                                        \
    {                                                                                              \
        GPU_OP(code_, version), .variant = code_, GPU_MOVES, .accept = accept_split,               \
                                .plan = plan_split, .shape = shape_split, .kept_input = kept_input \
    }
static const struct gpu_op ops[] = { ROW(SPLIT, 5), ROW(SPLIT_V, 3), ROW(UNPACK, 6) };
const struct gpu_family gpu_split = { ops, sizeof ops / sizeof ops[0] };
