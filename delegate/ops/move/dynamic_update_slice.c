/* DYNAMIC_UPDATE_SLICE: the start is i32 or i64, computed or constant; operand and update may be
 * constants, but not both with a constant start. */
#include "delegate/ops/move/dynamic_update_slice.args.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/concatenation.h"
#include "delegate/ops/operand.h"
#include "delegate/plan/planner.h"

enum { OPERAND, UPDATE, START };

/* Whether the update lies inside the operand, wherever it begins. */
static bool fits(const struct graph *g, const struct graph_node *n, int *dim)
{
    const struct graph_tensor *x = graph_input(g, n, OPERAND), *u = graph_input(g, n, UPDATE);

    *dim = 0;
    if (x->rank < 1 || u->rank != x->rank)
        return false;
    for (; *dim < x->rank; (*dim)++)
        if (u->dims[*dim] > x->dims[*dim])
            return false;
    return true;
}

static bool check_start(struct check *c)
{
    const int tensor = c->node->inputs[START];
    const struct graph_tensor *t = tensor >= 0 ? &c->graph->tensors[tensor] : NULL;

    if (!t || (t->type != kTfLiteInt32 && t->type != kTfLiteInt64))
        return refuse(c, RULE_TENSOR_TYPE, tensor, "type", "the model is malformed", "i32 or i64",
                      "%s", t ? runtime_type_name(t->type) : "absent");
    return (t->rank == 1 && t->elements == (size_t)graph_input(c->graph, c->node, OPERAND)->rank) ||
           refuse(c, RULE_MOVE_RANGE, tensor, "start", "the model is malformed",
                  "a vector with the rank of the operand", "rank %d, %zu elements", t->rank,
                  t->elements);
}

static bool accept(struct check *c)
{
    const struct graph_tensor *x;
    int dim;

    if (!check_counts(c, 3, 3, 1) || !check_data_output(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL) ||
        !concatenation_check_input(c, OPERAND, graph_output(c->graph, c->node, 0)->rank) ||
        !concatenation_check_input(c, UPDATE, graph_output(c->graph, c->node, 0)->rank) ||
        !check_same_shape(c, RULE_TENSOR_SHAPE) || !check_start(c))
        return false;
    x = graph_input(c->graph, c->node, OPERAND);
    if (!fits(c->graph, c->node, &dim))
        return refuse(c, RULE_MOVE_RANGE, c->node->inputs[UPDATE], "dims", "the model is malformed",
                      "at most those of the operand", "%d on dim %d of %d",
                      graph_input(c->graph, c->node, UPDATE)->dims[dim], dim, x->dims[dim]);
    for (int i = 0; i < 3; i++)
        if (!graph_is_constant(c->graph, c->node->inputs[i]))
            return true;
    return check_computed_data(c, OPERAND, 1, GRAPH_MAX_RANK, CHECK_ALL);
}

static bool shape(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, OPERAND);
    int dim;

    (void)i;
    if (!fits(g, n, &dim) || graph_input(g, n, START)->elements != (size_t)x->rank)
        return false;
    s->rank = x->rank;
    for (int d = 0; d < x->rank; d++)
        s->dims[d] = x->dims[d];
    return true;
}

/* The dims, of which those that the update fills lie in the one before; returns their number. */
static uint32_t find_dims(const struct graph_tensor *x, const struct graph_tensor *u,
                          struct dynamic_update_slice_args *args)
{
    uint32_t count = 0;

    for (int d = 0; d < x->rank; d++) {
        const uint32_t size = (uint32_t)x->dims[d], update = (uint32_t)u->dims[d];

        if (size == update && count > 0) {
            args->size[count - 1] *= size;
            args->update[count - 1] *= size;
            args->unit[count - 1] *= size;
            continue;
        }
        args->start_of |= (uint32_t)d << 4 * count;
        args->size[count] = size;
        args->update[count] = update;
        args->unit[count++] = 1;
    }
    return count;
}

static enum status bind_start(struct planner *p, struct plan_step *s, const struct graph_node *n)
{
    const struct graph_tensor *start = graph_input(p->graph, n, START);
    struct packed packed;
    int tensor;

    if (!start->data) {
        if ((tensor = planner_tensor(p, n->inputs[START])) < 0)
            return STATUS_NO_MEMORY;
        step_read(p, s, 3, tensor);
        return STATUS_OK;
    }
    TRY(planner_pack_words(p, start->elements, &packed));
    for (size_t i = 0; i < start->elements && planner_packs(p); i++) {
        const int64_t at = graph_constant_int(p->graph, n->inputs[START], i);

        planner_put_word(p, &packed, i,
                         (uint32_t)(int32_t)(at < 0           ? 0
                                             : at > INT32_MAX ? INT32_MAX
                                                              : at));
    }
    step_constants(s, 3, &packed);
    return STATUS_OK;
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, OPERAND);
    const struct graph_tensor *u = graph_input(p->graph, n, UPDATE);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct dynamic_update_slice_args args = { 0 };
    struct plan_step *s;
    uint32_t dims;

    if (dst < 0 ||
        !(s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("dynamic_update_slice")),
                           n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    dims = find_dims(x, u, &args);
    args.out_channels = p->plan->tensors[dst].channels;
    args.out_slices = p->plan->tensors[dst].slices;
    args.in_channels = (uint32_t)u->dims[u->rank - 1];
    args.in_slices = args.in_channels / 4 + (args.in_channels % 4 != 0);
    args.slices = p->plan->tensors[dst].rows * args.out_slices;
    step_spec(s, DYNAMIC_UPDATE_SLICE_SPEC_WHOLE, args.in_channels == args.out_channels);
    step_spec(s, DYNAMIC_UPDATE_SLICE_SPEC_DIMS, dims);
    step_thawable(s, DYNAMIC_UPDATE_SLICE_SPEC_WHOLE, DYNAMIC_UPDATE_SLICE_SPEC_DIMS);
    step_write(p, s, 0, dst);
    TRY(operand_moved(p, s, 1, n->inputs[OPERAND], dst));
    TRY(operand_moved(p, s, 2, n->inputs[UPDATE], dst));
    TRY(bind_start(p, s, n));
    if (!graph_is_constant(p->graph, n->inputs[OPERAND]))
        step_in_place(s, 1);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.slices);
}

/* An update of the operand's shape overwrites all of it. */
static int kept_input(const struct graph *g, const struct graph_node *n)
{
    return graph_same_shape(graph_input(g, n, UPDATE), graph_input(g, n, OPERAND)) ? UPDATE : -1;
}

static const struct gpu_op ops[] = {
    { GPU_OP(DYNAMIC_UPDATE_SLICE, 6), GPU_MOVES, .accept = accept, .plan = plan, .shape = shape,
      .kept_input = kept_input },
};
const struct gpu_family gpu_dynamic_update_slice = { ops, sizeof ops / sizeof ops[0] };
