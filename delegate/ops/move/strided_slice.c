/* STRIDED_SLICE with constant begin, end and strides, and every mask.  The index of an element
 * in the source is an affine function of its index in the result, so one shader does for all; where
 * both have the same memory layout, the result is a view.  Spec i is the i-th element of begin, end
 * and strides; bit i of a mask is about spec i. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* A dim of the result: `size` indices of dim `of` of the source, from `begin` on, `stride` apart.
 */
struct taken {
    int of; /* -1: a new axis */
    int64_t begin, stride, size;
};

struct slice {
    struct taken dims[GRAPH_MAX_RANK];
    int rank;
    int64_t fixed[GRAPH_MAX_RANK]; /* by the source's dim: its index where it is dropped, else 0 */
};

static bool has(int mask, int spec)
{
    return ((uint32_t)mask >> spec & 1) != 0;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static bool add(struct check *c, struct slice *out, struct taken taken)
{
    if (out->rank == GRAPH_MAX_RANK)
        return refuse(c, RULE_STRIDED_SLICE_RANK, -1, "rank of the result",
                      "reshape the tensor around this node", "at most 8", "more");
    out->dims[out->rank++] = taken;
    return true;
}

static bool add_all(struct check *c, struct slice *out, int dim)
{
    const int64_t size = graph_input(c->graph, c->node, 0)->dims[dim];

    return add(c, out, (struct taken){ .of = dim, .stride = 1, .size = size });
}

/* Spec i about dim `dim` of the source. */
static bool add_spec(struct check *c, struct slice *out, int i, int dim)
{
    const TfLiteStridedSliceParams *params = c->node->params;
    const int64_t size = graph_input(c->graph, c->node, 0)->dims[dim];
    const int64_t given = graph_constant_int(c->graph, c->node->inputs[1], (size_t)i);
    const int64_t stride = graph_constant_int(c->graph, c->node->inputs[3], (size_t)i);
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    int64_t begin = given < 0 ? given + size : given;
    int64_t end = graph_constant_int(c->graph, c->node->inputs[2], (size_t)i);

    if (stride == 0 || stride == INT32_MIN)
        return refuse(c, RULE_STRIDED_SLICE_STRIDE, c->node->inputs[3], "strides",
                      "the model is malformed", "not 0 or -2147483648", "%d at %d", (int)stride, i);
    if (has(params->begin_mask, i))
        begin = stride > 0 ? 0 : size - 1;
    if (has(params->shrink_axis_mask, i)) {
        if (stride < 0 || begin < 0 || begin >= size)
            return refuse(c, RULE_STRIDED_SLICE_SHRINK, c->node->inputs[1], "begin, strides",
                          "what the CPU does here is not defined",
                          "an index of the dim that is dropped, a stride above 0",
                          "begin %lld, stride %lld at %d, the dim is %lld", (long long)given,
                          (long long)stride, i, (long long)size);
        out->fixed[dim] = begin;
        return true;
    }
    begin = clamp(begin, low, high);
    if (params->offset)
        end += begin;
    end = clamp(end < 0 ? end + size : end, low, high);
    if (has(params->end_mask, i))
        end = stride > 0 ? size : -1;
    const int64_t distance = stride > 0 ? end - begin : begin - end;
    const int64_t step = stride > 0 ? stride : -stride;
    return add(c, out,
               (struct taken){ .of = dim,
                               .begin = begin,
                               .stride = stride,
                               .size = distance > 0 ? (distance + step - 1) / step : 0 });
}

/* begin, end, strides: constants of one length. */
static bool check_specs(struct check *c)
{
    static const char *const names[] = { "", "begin", "end", "strides" };

    for (int i = 1; i <= 3; i++) {
        const struct graph_tensor *t = graph_input(c->graph, c->node, i);

        if (!t || !t->data || t->type != kTfLiteInt32)
            return refuse(c, RULE_STRIDED_SLICE_SPECS_CONSTANT, t ? c->node->inputs[i] : -1,
                          names[i], "make it a constant of the model", "constant i32", "%s",
                          !t         ? "absent"
                          : !t->data ? "computed at run time"
                                     : runtime_type_name(t->type));
        if (t->rank != 1 || t->dims[0] != graph_input(c->graph, c->node, 1)->dims[0] ||
            t->dims[0] > 31 || (size_t)t->dims[0] != t->elements)
            return refuse(c, RULE_STRIDED_SLICE_SPECS_SHAPE, c->node->inputs[i], "dims",
                          "the model is malformed", "[n] with the same n in all three, at most 31",
                          "rank %d, %zu elements", t->rank, t->elements);
    }
    return true;
}

/* The dims of the result out of those of the source. */
static bool slice_of(struct check *c, struct slice *out)
{
    const TfLiteStridedSliceParams *params = c->node->params;
    const int specs = graph_input(c->graph, c->node, 1)->dims[0];
    const int rank = graph_input(c->graph, c->node, 0)->rank;
    int rest = rank, ellipses = 0, dim = 0; /* rest: dims that no spec is about */

    *out = (struct slice){ 0 };
    for (int i = 0; i < 32; i++) {
        const bool ellipsis = has(params->ellipsis_mask, i);
        const bool new_axis = has(params->new_axis_mask, i);

        if (i >= specs && (ellipsis || new_axis))
            return refuse(c, RULE_STRIDED_SLICE_MASKS, -1, "ellipsis_mask, new_axis_mask",
                          "the model is malformed", "bits of the specs there are",
                          "%#x, %#x with %d specs", (unsigned)params->ellipsis_mask,
                          (unsigned)params->new_axis_mask, specs);
        ellipses += ellipsis;
        rest -= i < specs && !ellipsis && !new_axis;
    }
    if (ellipses > 1)
        return refuse(c, RULE_STRIDED_SLICE_ELLIPSIS, -1, "ellipsis_mask", "the model is malformed",
                      "1 bit", "%#x", (unsigned)params->ellipsis_mask);
    /* With no dim left for the ellipsis the CPU kernel passes over the spec behind it. */
    if (rest < ellipses)
        return refuse(c, RULE_STRIDED_SLICE_SPECS, c->node->inputs[1], "elements",
                      "drop the ellipsis, or the specs that are too many",
                      "one for each dim of the input, and a dim for the ellipsis",
                      "%d specs, rank %d, ellipsis_mask %#x, new_axis_mask %#x", specs, rank,
                      (unsigned)params->ellipsis_mask, (unsigned)params->new_axis_mask);
    for (int i = 0; i < specs; i++) {
        if (has(params->ellipsis_mask, i)) {
            for (; rest > 0; rest--)
                if (!add_all(c, out, dim++))
                    return false;
        } else if (has(params->new_axis_mask, i)) {
            if (!add(c, out, (struct taken){ .of = -1, .size = 1 }))
                return false;
        } else if (!add_spec(c, out, i, dim++)) {
            return false;
        }
    }
    while (dim < rank)
        if (!add_all(c, out, dim++))
            return false;
    return true;
}

static bool accept_strided_slice(struct check *c)
{
    const struct graph_tensor *y;
    struct slice slice;

    if (!check_counts(c, 4, 4, 1) || !check_params(c) ||
        !check_computed_data(c, 0, 1, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_data_output(c, 0, 0, GRAPH_MAX_RANK, CHECK_ALL) ||
        !check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, 0)->type) ||
        !check_specs(c) || !slice_of(c, &slice))
        return false;
    y = graph_output(c->graph, c->node, 0);
    if (y->rank != slice.rank)
        return refuse(c, RULE_STRIDED_SLICE_OUTPUT_SHAPE, c->node->outputs[0], "rank",
                      "the model is malformed", "what the slice gives", "%d, the slice gives %d",
                      y->rank, slice.rank);
    for (int d = 0; d < y->rank; d++)
        if (y->dims[d] != slice.dims[d].size)
            return refuse(c, RULE_STRIDED_SLICE_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                          "the model is malformed", "what the slice gives",
                          "%d on dim %d, the slice gives %lld", y->dims[d], d,
                          (long long)slice.dims[d].size);
    return true;
}

static bool shape_strided_slice(const struct graph *g, const struct graph_node *n, int i,
                                struct graph_shape *s)
{
    struct refusal unused;
    struct check c = { .graph = g, .node = n, .refusal = &unused };
    struct slice slice;

    (void)i;
    if (graph_input(g, n, 0)->rank < 0 || !slice_of(&c, &slice))
        return false;
    s->rank = slice.rank;
    for (int d = 0; d < slice.rank; d++)
        s->dims[d] = (int32_t)slice.dims[d].size;
    return true;
}

static enum status plan_strided_slice(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    struct refusal unused;
    struct check c = { .graph = p->graph, .node = n, .refusal = &unused };
    struct slice slice;
    struct move m;

    if (!slice_of(&c, &slice))
        return diag_fail(p->diag, STATUS_INVALID, "%s: %s", unused.rule, unused.value);
    move_init(&m, x->rank, x->dims, false);
    for (int d = 0; d < x->rank; d++)
        move_begin(&m, d, slice.fixed[d]);
    for (int d = 0; d < slice.rank; d++) {
        const struct taken *t = &slice.dims[d];

        if (t->of >= 0)
            move_begin(&m, t->of, t->begin);
        if (t->of >= 0)
            move_dim(&m, t->size, t->of, t->stride);
    }
    return move_plan_output(p, n, 0, planner_tensor(p, n->inputs[0]), &m);
}

/* With strides of 1 and all dims kept, the same shape is the same elements. */
static int kept_input(const struct graph *g, const struct graph_node *n)
{
    const TfLiteStridedSliceParams *params = n->params;

    return params->shrink_axis_mask == 0 && params->new_axis_mask == 0 &&
                   graph_constant_ints_are(g, n->inputs[3], 1)
               ? 0
               : -1;
}

static const struct gpu_op ops[] = {
    { GPU_OP(STRIDED_SLICE, 8), GPU_MOVES, .accept = accept_strided_slice,
      .plan = plan_strided_slice, .shape = shape_strided_slice, .kept_input = kept_input },
};
const struct gpu_family gpu_strided_slice = { ops, sizeof ops / sizeof ops[0] };
