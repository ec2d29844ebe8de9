/* RESHAPE: a view where the rows of channels lie the same way, else a repacked copy.  The shape
 * comes from the output tensor, which the host has computed. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/plan/planner.h"
#include "reference/base/checked.h"

static bool accept_reshape(struct check *c)
{
    const struct graph_tensor *x, *y;

    if (!check_counts(c, 1, 2, 1) || !check_computed_data(c, 0, 0, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_data_output(c, 0, 0, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type))
        return false;
    x = graph_input(c->graph, c->node, 0);
    y = graph_output(c->graph, c->node, 0);
    if (c->node->input_count == 2 && c->node->inputs[1] >= 0 &&
        !c->graph->tensors[c->node->inputs[1]].data)
        return refuse(c, RULE_RESHAPE_SHAPE_CONSTANT, c->node->inputs[1], "shape",
                      "make the shape a constant of the model", "a constant",
                      "computed at run time");
    if (x->elements != y->elements)
        return refuse(c, RULE_RESHAPE_ELEMENTS, c->node->outputs[0], "elements",
                      "the model is malformed", "as many as the input's", "%zu, the input has %zu",
                      y->elements, x->elements);
    return true;
}

/* Entry d of the shape that was asked for; *rank is their number. */
static int64_t asked(const struct graph *g, const struct graph_node *n, int d, int *rank)
{
    const TfLiteReshapeParams *params = n->params;
    const struct graph_tensor *shape = graph_input(g, n, 1);

    if (shape && shape->rank == 1 && shape->type == kTfLiteInt32) {
        *rank = shape->dims[0];
        return d < *rank ? graph_constant_int(g, n->inputs[1], (size_t)d) : 0;
    }
    *rank = params ? params->num_dimensions : 0;
    if (*rank == 1 && params->shape[0] == 0) /* the old spelling of a scalar */
        *rank = 0;
    return d < *rank && *rank <= GRAPH_MAX_RANK ? params->shape[d] : 0;
}

static bool shape_reshape(const struct graph *g, const struct graph_node *n, int i,
                          struct graph_shape *s)
{
    const size_t elements = graph_input(g, n, 0)->elements;
    size_t known = 1;
    int open = -1;

    (void)i;
    (void)asked(g, n, 0, &s->rank);
    if (s->rank < 0 || s->rank > GRAPH_MAX_RANK)
        return false;
    for (int d = 0; d < s->rank; d++) {
        const int64_t size = asked(g, n, d, &s->rank);

        if (size < -1 || size > INT32_MAX || (size == -1 && open >= 0) ||
            (size >= 0 && !checked_mul(known, (size_t)size, &known)))
            return false;
        s->dims[d] = (int32_t)size;
        open = size == -1 ? d : open;
    }
    if (open < 0)
        return known == elements;
    if (known == 0 || elements % known != 0 || elements / known > INT32_MAX)
        return false;
    s->dims[open] = (int32_t)(elements / known);
    return true;
}

static enum status plan_reshape(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const uint32_t channels = y->rank == 0 ? 1 : (uint32_t)y->dims[y->rank - 1];
    const uint32_t rows = y->rank == 0 ? 1 : (uint32_t)(y->elements / channels);
    const int rows_of = planner_rows(p, n, planner_tensor(p, n->inputs[0]), rows, channels);

    return planner_view(p, n->outputs[0], rows_of) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
}

static void fold_reshape(const struct graph *g, const struct graph_node *n, float *values)
{
    for (size_t i = 0; i < graph_output(g, n, 0)->elements; i++)
        values[i] = graph_constant_float(g, n->inputs[0], i);
}

static const struct gpu_op ops[] = {
    { GPU_OP(RESHAPE, 1), GPU_MOVES, .accept = accept_reshape, .plan = plan_reshape,
      .shape = shape_reshape, .fold = fold_reshape, .kept_input = gpu_first_input,
      .reshapes = true },
};
const struct gpu_family gpu_reshape = { ops, sizeof ops / sizeof ops[0] };
