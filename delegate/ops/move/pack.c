/* PACK: a concatenation along a new axis.  Along a new last axis the inputs are first put one
 * behind the other, and then transposed. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/concatenation.h"
#include "delegate/ops/move/move.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <limits.h>

/* -1: no dim of the output. */
static int axis_of(const struct graph *g, const struct graph_node *n)
{
    const int rank = graph_input(g, n, 0)->rank + 1;
    const int given = ((const TfLitePackParams *)n->params)->axis;
    const int axis = given < 0 ? given + rank : given;

    return axis >= 0 && axis < rank ? axis : -1;
}

static bool accept_pack(struct check *c)
{
    const TfLitePackParams *params = c->node->params;
    const struct graph_tensor *first;
    bool computed = false;

    if (!check_counts(c, 1, INT_MAX, 1) || !check_params(c) ||
        !check_data_output(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_data_input(c, 0, 0, GRAPH_MAX_RANK - 1, CHECK_ALL))
        return false;
    first = graph_input(c->graph, c->node, 0);
    if (params->values_count != c->node->input_count)
        return refuse(c, RULE_PACK_COUNT, -1, "values_count", "the model is malformed",
                      "the number of inputs", "%d of %d inputs", params->values_count,
                      c->node->input_count);
    if (axis_of(c->graph, c->node) < 0)
        return refuse(c, RULE_PACK_AXIS, -1, "axis", "the model is malformed",
                      "-rank to rank - 1 of the output", "%d, rank %d", params->axis,
                      first->rank + 1);
    for (int i = 0; i < c->node->input_count; i++) {
        if (!concatenation_check_input(c, i, first->rank))
            return false;
        if (!graph_same_shape(graph_input(c->graph, c->node, i), first))
            return refuse(c, RULE_PACK_INPUT_SHAPE, c->node->inputs[i], "dims",
                          "the model is malformed", "those of input 0", "others");
        computed |= !graph_is_constant(c->graph, c->node->inputs[i]);
    }
    return computed || refuse(c, RULE_PACK_CONSTANTS, c->node->inputs[0], "data",
                              "the result is a constant: fold it when the model is converted",
                              "an input that is computed at run time", "constants only");
}

static bool shape_pack(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    const int axis = axis_of(g, n);

    (void)i;
    if (x->rank < 0 || x->rank == GRAPH_MAX_RANK || axis < 0)
        return false;
    for (int k = 1; k < n->input_count; k++)
        if (!graph_same_shape(graph_input(g, n, k), x))
            return false;
    s->rank = x->rank + 1;
    for (int d = 0; d < s->rank; d++)
        s->dims[d] = d == axis ? n->input_count : x->dims[d - (d > axis)];
    return true;
}

static enum status find_pieces(struct planner *p, const struct graph_node *n,
                               struct concatenation_piece *pieces)
{
    for (int i = 0; i < n->input_count; i++) {
        const bool constant = graph_is_constant(p->graph, n->inputs[i]);

        pieces[i] = (struct concatenation_piece){
            .tensor = n->inputs[i], .source = -1, .first = (uint32_t)i, .end = (uint32_t)i + 1
        };
        if (!constant && (pieces[i].source = planner_tensor(p, n->inputs[i])) < 0)
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static enum status plan_pack(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int on = axis_of(p->graph, n), count = n->input_count;
    const uint32_t channels = x->rank > 0 ? (uint32_t)x->dims[x->rank - 1] : 1;
    const uint32_t rows = (uint32_t)(x->rank > 0 ? x->elements / channels : 1);
    struct concatenation_axis axis = { .whole = (channels + 3) / 4, .outer = 1 };
    struct concatenation_piece *pieces =
        ARENA_NEW(&p->plan->arena, (size_t)count, struct concatenation_piece);
    const int32_t dims[] = { count, (int32_t)rows, (int32_t)channels };
    struct move m;
    int dst, all;

    if (!pieces)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    TRY(find_pieces(p, n, pieces));
    for (int d = 0; d < x->rank - 1; d++)
        *(on == x->rank || d >= on ? &axis.whole : &axis.outer) *= (uint32_t)x->dims[d];
    if (on < x->rank && count == 1)
        return planner_view(p, n->outputs[0], pieces[0].source) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
    if ((dst = planner_tensor(p, n->outputs[0])) < 0)
        return STATUS_NO_MEMORY;
    if (on < x->rank)
        return concatenation_plan(p, n, dst, &axis, pieces, count);
    all = planner_temp(p, (uint32_t)count * rows, channels, p->plan->tensors[dst].format);
    TRY(concatenation_plan(p, n, all, &axis, pieces, count));
    move_init(&m, 3, dims, false);
    move_dim(&m, rows, 1, 1);
    move_dim(&m, channels, 2, 1);
    move_dim(&m, count, 0, 1);
    return move_plan_step(p, n, dst, all, &m);
}

static const struct gpu_op ops[] = {
    { GPU_OP(PACK, 5), GPU_MOVES, .accept = accept_pack, .plan = plan_pack, .shape = shape_pack },
};
const struct gpu_family gpu_pack = { ops, sizeof ops / sizeof ops[0] };
