/* STRIDED_SLICE with constant begin, end and strides, and every mask.  The index of an element
 * in the source is an affine function of its index in the result, so one shader does for all; where
 * both have the same memory layout, the result is a view.  Spec i is the i-th element of begin, end
 * and strides; bit i of a mask is about spec i. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/strided_slice.args.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

_Static_assert(STRIDED_SLICE_OUTER == GRAPH_MAX_RANK - 1, "strided_slice.args.h");

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

    if (stride == 0)
        return refuse(c, RULE_STRIDED_SLICE_STRIDE, c->node->inputs[3], "strides",
                      "the model is malformed", "not 0", "0 at %d", i);
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
            t->dims[0] < 0 || t->dims[0] > 31 || (size_t)t->dims[0] != t->elements)
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

/* The slice as places in the source's memory, in elements of its padded rows.  All below 2^32, as
 * sums; steps back wrap. */
static struct strided_slice_args places_of(const struct slice *slice, const struct graph_tensor *x)
{
    struct strided_slice_args args = { .channels = 1, .step = 1 };
    uint32_t pitch[GRAPH_MAX_RANK]; /* of a dim of the source */

    pitch[x->rank - 1] = 1;
    for (int d = x->rank - 2; d >= 0; d--)
        pitch[d] = d == x->rank - 2 ? ((uint32_t)x->dims[x->rank - 1] + 3) / 4 * 4
                                    : pitch[d + 1] * (uint32_t)x->dims[d + 1];
    for (int d = 0; d < x->rank; d++)
        args.base += (uint32_t)slice->fixed[d] * pitch[d];
    for (int d = slice->rank - 1; d >= 0; d--) {
        const struct taken *t = &slice->dims[d];
        const uint32_t size = (uint32_t)t->size;
        const uint32_t step = t->of < 0 ? 0 : (uint32_t)t->stride * pitch[t->of];

        if (t->of >= 0)
            args.base += (uint32_t)t->begin * pitch[t->of];
        if (size == 1)
            continue;
        if (d == slice->rank - 1) {
            args.channels = size;
            args.step = step;
        } else if (args.dims > 0 &&
                   step == args.size_of[args.dims - 1] * args.step_of[args.dims - 1]) {
            args.size_of[args.dims - 1] *= size; /* goes on where the dim inside it ends */
        } else {
            args.size_of[args.dims] = size;
            args.step_of[args.dims++] = step;
        }
    }
    args.slices = args.channels / 4 + (args.channels % 4 != 0);
    return args;
}

static enum status plan_strided_slice(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    struct refusal unused;
    struct check c = { .graph = p->graph, .node = n, .refusal = &unused };
    struct slice slice;
    struct strided_slice_args args;
    struct plan_step *s;
    bool whole;
    int dst;

    if (!slice_of(&c, &slice))
        return diag_fail(p->diag, STATUS_INVALID, "%s: %s", unused.rule, unused.value);
    args = places_of(&slice, x);
    whole = args.step == 1 && args.base % 4 == 0;
    for (uint32_t d = 0; d < args.dims; d++)
        whole &= args.step_of[d] % 4 == 0;
    if (whole && args.base == 0 &&
        (args.dims == 0 || (args.dims == 1 && args.step_of[0] == 4 * args.slices)))
        return planner_view(p, n->outputs[0], src) < 0 ? STATUS_NO_MEMORY : STATUS_OK;
    dst = planner_tensor(p, n->outputs[0]);
    if (src < 0 || dst < 0 ||
        !(s = planner_step(p, planner_moving_shader(p, dst, MOVING_SHADER("strided_slice")), n,
                           WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[dst].rows * args.slices;
    step_spec(s, STRIDED_SLICE_SPEC_WHOLE, whole);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
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

/* 8-bit nodes need no check and no plan of their own: bytes are moved as floats are. */
static const struct gpu_exact exact = { NULL, NULL };

static const struct gpu_op ops[] = {
    { .code = BUILTIN_STRIDED_SLICE,
      .max_version = 8,
      .same_quant = true,
      .selects = true,
      .exact = &exact,
      .accept = accept_strided_slice,
      .plan = plan_strided_slice,
      .shape = shape_strided_slice,
      .kept_input = kept_input },
};
const struct gpu_family gpu_strided_slice = { ops, sizeof ops / sizeof ops[0] };
