/* Elements are i32, i64, bool or f32, and of moves 8-bit ones, too; shapes of inputs are those of
 * shape arithmetic: scalars and vectors, what PACK and CONCATENATION make of them, and grids of
 * indices.  What is not computed here stays with the host, and so does what a kernel of the host
 * would refuse. */
#include "delegate/ops/values.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/transforms.h"
#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/limits.h"

#include <math.h>
#include <string.h>

/* A node that is computed. */
struct value {
    struct graph *graph;
    const struct graph_node *node;
    int output;               /* which of its outputs */
    size_t size;              /* bytes of an element of the output */
    struct graph_shape shape; /* of the output */
    size_t elements;
    unsigned char *data;
    uint64_t *bytes; /* of all values of the graph, and of what was begun, though none became one */
    bool failed;     /* an element has no result, as a quotient by zero */
};

static const struct graph_tensor *in(const struct value *v, int i)
{
    return graph_input(v->graph, v->node, i);
}

static int64_t load(const struct value *v, int i, size_t at)
{
    return graph_constant_int(v->graph, v->node->inputs[i], at);
}

/* The shape of the output, and memory for it. */
static bool begin(struct value *v, int rank, const int32_t *dims)
{
    if (rank > GRAPH_MAX_RANK || !checked_elements(dims, (size_t)rank, &v->elements) ||
        v->elements > VALUES_MAX_ELEMENTS ||
        *v->bytes + (uint64_t)v->elements * v->size > limit_of(LIMIT_FOLDED_BYTES))
        return false;
    v->shape = (struct graph_shape){ .rank = rank };
    if (rank > 0)
        memcpy(v->shape.dims, dims, (size_t)rank * sizeof *dims);
    if (!(v->data = arena_alloc(&v->graph->arena, v->elements, v->size)))
        return false;
    *v->bytes += v->elements * v->size;
    return true;
}

static bool begin_like(struct value *v, const struct graph_tensor *t)
{
    return begin(v, t->rank, t->dims);
}

static bool begin_vector(struct value *v, int64_t count)
{
    return count >= 0 && count <= VALUES_MAX_ELEMENTS && begin(v, 1, (int32_t[]){ (int32_t)count });
}

/* Stores a result modulo the bits of the type, as the host's kernels do; of bool whether it is not
 * 0. */
static void store(struct value *v, size_t at, int64_t result)
{
    const TfLiteType type = v->graph->tensors[v->node->outputs[v->output]].type;
    const uint32_t narrow = (uint32_t)(uint64_t)result;
    const uint8_t truth = result != 0;

    memcpy(v->data + at * v->size,
           type == kTfLiteBool    ? (const void *)&truth
           : type == kTfLiteInt64 ? (const void *)&result
                                  : (const void *)&narrow,
           v->size);
}

static void store_float(struct value *v, size_t at, float result)
{
    memcpy(v->data + at * v->size, &result, sizeof result);
}

static bool is_float(const struct graph_tensor *t)
{
    return t->type == kTfLiteFloat32;
}

static bool is_index(const struct graph_tensor *t)
{
    return t->type == kTfLiteInt32 || t->type == kTfLiteInt64;
}

static bool same_type(const struct value *v, int i)
{
    return in(v, i)->type == v->graph->tensors[v->node->outputs[v->output]].type;
}

/* Copies elements of input i. */
static void copy(struct value *v, size_t to, int i, size_t from, size_t count)
{
    if (count > 0)
        memcpy(v->data + to * v->size, (const char *)in(v, i)->data + from * v->size,
               count * v->size);
}

static bool copy_all(struct value *v, int rank, const int32_t *dims)
{
    if (!same_type(v, 0) || !begin(v, rank, dims) || v->elements != in(v, 0)->elements)
        return false;
    copy(v, 0, 0, 0, v->elements);
    return true;
}

/* An index of one of `rank` dimensions, which may count from the end; -1: of none. */
static int axis_of(int64_t axis, int rank)
{
    axis += axis < 0 ? rank : 0;
    return axis >= 0 && axis < rank ? (int)axis : -1;
}

/* ---- of shapes ---- */

static bool shape(struct value *v)
{
    const struct graph_tensor *x = in(v, 0);

    if (x->is_dynamic || !begin_vector(v, x->rank))
        return false;
    for (int d = 0; d < x->rank; d++)
        store(v, (size_t)d, x->dims[d]);
    return true;
}

static bool rank(struct value *v)
{
    if (!begin(v, 0, NULL))
        return false;
    store(v, 0, in(v, 0)->rank);
    return true;
}

/* ---- moves ---- */

static bool reshape(struct value *v)
{
    struct graph_shape s;

    return v->node->op && v->node->op->shape(v->graph, v->node, 0, &s) &&
           copy_all(v, s.rank, s.dims);
}

static bool squeeze(struct value *v)
{
    const TfLiteSqueezeParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0);
    bool drop[GRAPH_MAX_RANK] = { false };
    int32_t dims[GRAPH_MAX_RANK];
    int kept = 0;

    if (!p || p->num_squeeze_dims < 0 || p->num_squeeze_dims > GRAPH_MAX_RANK)
        return false;
    for (int i = 0; i < p->num_squeeze_dims; i++) {
        const int axis = axis_of(p->squeeze_dims[i], x->rank);

        if (axis < 0 || x->dims[axis] != 1)
            return false;
        drop[axis] = true;
    }
    for (int d = 0; d < x->rank; d++)
        if (p->num_squeeze_dims == 0 ? x->dims[d] != 1 : !drop[d])
            dims[kept++] = x->dims[d];
    return copy_all(v, kept, dims);
}

static bool expand_dims(struct value *v)
{
    const struct graph_tensor *x = in(v, 0);
    int32_t dims[GRAPH_MAX_RANK];
    int axis;

    if (!is_index(in(v, 1)) || in(v, 1)->elements != 1 || x->rank == GRAPH_MAX_RANK)
        return false;
    if ((axis = axis_of(load(v, 1, 0), x->rank + 1)) < 0)
        return false;
    for (int d = 0; d <= x->rank; d++)
        dims[d] = d == axis ? 1 : x->dims[d - (d > axis)];
    return copy_all(v, x->rank + 1, dims);
}

/* What a STRIDED_SLICE takes of a dimension. */
struct cut {
    int64_t first, stride, count;
};

/* Dimension d of the input by element d of the specs; beyond these the whole of it. */
static bool cut_of(const struct value *v, int d, struct cut *c)
{
    const TfLiteStridedSliceParams *p = v->node->params;
    const int64_t size = in(v, 0)->dims[d];
    int64_t end;

    *c = (struct cut){ .stride = 1, .count = size };
    if ((size_t)d >= in(v, 1)->elements)
        return true;
    c->stride = load(v, 3, (size_t)d);
    c->first = load(v, 1, (size_t)d);
    c->first += c->first < 0 ? size : 0;
    if (c->stride == 0 || c->stride == INT32_MIN)
        return false;
    const int64_t low = c->stride > 0 ? 0 : -1, high = c->stride > 0 ? size : size - 1;

    if (p->begin_mask >> d & 1)
        c->first = c->stride > 0 ? low : high;
    if (p->shrink_axis_mask >> d & 1) {
        c->count = 1;
        return c->stride > 0 && c->first >= 0 && c->first < size;
    }
    end = load(v, 2, (size_t)d);
    end += end < 0 ? size : 0;
    if (p->end_mask >> d & 1)
        end = c->stride > 0 ? high : low;
    c->first = c->first < low ? low : c->first > high ? high : c->first;
    end = end < low ? low : end > high ? high : end;
    c->count = c->stride > 0 ? (end - c->first + c->stride - 1) / c->stride
                             : (c->first - end - c->stride - 1) / -c->stride;
    c->count = c->count > 0 ? c->count : 0;
    return true;
}

static bool strided_slice(struct value *v)
{
    const TfLiteStridedSliceParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0);
    struct cut cuts[GRAPH_MAX_RANK];
    int32_t dims[GRAPH_MAX_RANK];
    int kept = 0;

    if (!p || p->ellipsis_mask || p->new_axis_mask || p->offset || !same_type(v, 0))
        return false;
    for (int i = 1; i <= 3; i++)
        if (in(v, i)->type != kTfLiteInt32 || in(v, i)->rank != 1 ||
            in(v, i)->elements != in(v, 1)->elements || in(v, i)->elements > (size_t)x->rank)
            return false;
    for (int d = 0; d < x->rank; d++) {
        if (!cut_of(v, d, &cuts[d]))
            return false;
        if ((size_t)d >= in(v, 1)->elements || !(p->shrink_axis_mask >> d & 1))
            dims[kept++] = (int32_t)cuts[d].count;
    }
    if (!begin(v, kept, dims))
        return false;
    for (size_t i = 0; i < v->elements; i++) {
        size_t left = i, from = 0, step = 1;

        for (int d = x->rank - 1; d >= 0; d--) {
            const size_t at = left % (size_t)cuts[d].count;

            left /= (size_t)cuts[d].count;
            from += step * (size_t)(cuts[d].first + (int64_t)at * cuts[d].stride);
            step *= (size_t)x->dims[d];
        }
        copy(v, i, 0, from, 1);
    }
    return true;
}

static bool slice(struct value *v)
{
    const struct graph_tensor *x = in(v, 0);
    int64_t first, count;

    if (x->rank != 1 || !same_type(v, 0) || !is_index(in(v, 1)) || in(v, 1)->elements != 1 ||
        !is_index(in(v, 2)) || in(v, 2)->elements != 1)
        return false;
    first = load(v, 1, 0);
    count = load(v, 2, 0);
    if (first < 0 || first > x->dims[0])
        return false;
    count = count == -1 ? x->dims[0] - first : count;
    if (count < 0 || count > x->dims[0] - first || !begin_vector(v, count))
        return false;
    copy(v, 0, 0, (size_t)first, v->elements);
    return true;
}

/* Elements of a vector. */
static bool gather(struct value *v)
{
    const TfLiteGatherParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0), *at = in(v, 1);

    if (!p || x->rank != 1 || axis_of(p->axis, 1) != 0 || p->batch_dims != 0 || !is_index(at) ||
        !same_type(v, 0) || !begin_like(v, at))
        return false;
    for (size_t i = 0; i < v->elements; i++) {
        const int64_t index = load(v, 1, i);

        if (index < 0 || index >= x->dims[0])
            return false;
        copy(v, i, 0, (size_t)index, 1);
    }
    return true;
}

/* The inputs one behind the other along an axis of the output, whose shape but for that axis is
 * that of input 0. */
static bool join(struct value *v, int axis, const int32_t *dims, int dim_count)
{
    size_t outer = 1, at = 0;

    if (!begin(v, dim_count, dims))
        return false;
    for (int d = 0; d < axis; d++)
        outer *= (size_t)dims[d];
    for (size_t o = 0; o < outer; o++)
        for (int i = 0; i < v->node->input_count; i++) {
            const size_t run = in(v, i)->elements / outer;

            copy(v, at, i, o * run, run);
            at += run;
        }
    return true;
}

static bool pack(struct value *v)
{
    const TfLitePackParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0);
    int32_t dims[GRAPH_MAX_RANK];
    int axis;

    if (!p || x->rank == GRAPH_MAX_RANK || p->values_count != v->node->input_count)
        return false;
    for (int i = 0; i < v->node->input_count; i++)
        if (!same_type(v, i) || !graph_same_shape(x, in(v, i)))
            return false;
    if ((axis = axis_of(p->axis, x->rank + 1)) < 0)
        return false;
    for (int d = 0; d <= x->rank; d++)
        dims[d] = d == axis ? v->node->input_count : x->dims[d - (d > axis)];
    return join(v, axis, dims, x->rank + 1);
}

static bool concatenation(struct value *v)
{
    const TfLiteConcatenationParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0);
    const int axis = p && p->activation == kTfLiteActNone ? axis_of(p->axis, x->rank) : -1;
    int32_t dims[GRAPH_MAX_RANK];
    int64_t sum = 0;

    for (int i = 0; i < v->node->input_count && axis >= 0; i++) {
        if (!same_type(v, i) || in(v, i)->rank != x->rank)
            return false;
        for (int d = 0; d < x->rank; d++)
            if (d != axis && in(v, i)->dims[d] != x->dims[d])
                return false;
        sum += in(v, i)->dims[axis];
    }
    if (axis < 0 || sum > VALUES_MAX_ELEMENTS)
        return false;
    memcpy(dims, x->dims, sizeof dims);
    dims[axis] = (int32_t)sum;
    return join(v, axis, dims, x->rank);
}

static bool unpack(struct value *v)
{
    const TfLiteUnpackParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0);

    if (!p || x->rank < 1 || axis_of(p->axis, x->rank) != 0 || !same_type(v, 0) ||
        x->dims[0] != v->node->output_count || !begin(v, x->rank - 1, x->dims + 1))
        return false;
    copy(v, 0, 0, (size_t)v->output * v->elements, v->elements);
    return true;
}

/* A part of a vector, behind those of the outputs before. */
static bool split_v(struct value *v)
{
    struct graph_shape s;
    size_t first = 0;

    if (in(v, 0)->rank != 1 || !same_type(v, 0) || !v->node->op || !is_index(in(v, 1)) ||
        in(v, 1)->elements != (size_t)v->node->output_count || !is_index(in(v, 2)) ||
        in(v, 2)->elements != 1)
        return false;
    for (int i = 0; i <= v->output; i++) {
        first += i > 0 ? (size_t)s.dims[0] : 0;
        if (!v->node->op->shape(v->graph, v->node, i, &s))
            return false;
    }
    if (!begin(v, s.rank, s.dims))
        return false;
    copy(v, 0, 0, first, v->elements);
    return true;
}

/* The element of input i, which is broadcast or repeated, that stands against element `at` of the
 * output. */
static size_t against(const struct value *v, int i, size_t at)
{
    const struct graph_tensor *x = in(v, i);
    size_t from = 0, step = 1;

    if (x->elements == 1 || x->elements == v->elements)
        return x->elements == 1 ? 0 : at;
    for (int d = v->shape.rank - 1; d >= v->shape.rank - x->rank; d--) {
        const size_t size = (size_t)x->dims[d - v->shape.rank + x->rank];

        from += at % (size_t)v->shape.dims[d] % size * step;
        at /= (size_t)v->shape.dims[d];
        step *= size;
    }
    return from;
}

static bool tile(struct value *v)
{
    const struct graph_tensor *x = in(v, 0);
    int32_t dims[GRAPH_MAX_RANK];

    if (!same_type(v, 0) || !is_index(in(v, 1)) || in(v, 1)->rank != 1 || x->rank < 1 ||
        in(v, 1)->dims[0] != x->rank)
        return false;
    for (int d = 0; d < x->rank; d++) {
        const int64_t times = load(v, 1, (size_t)d);

        if (times < 0 || times > VALUES_MAX_ELEMENTS || x->dims[d] > VALUES_MAX_ELEMENTS ||
            times * x->dims[d] > VALUES_MAX_ELEMENTS)
            return false;
        dims[d] = (int32_t)(times * x->dims[d]);
    }
    if (!begin(v, x->rank, dims))
        return false;
    for (size_t i = 0; i < v->elements; i++)
        copy(v, i, 0, against(v, 0, i), 1);
    return true;
}

/* Input `from`, which has one element, in the shape that input `dims` gives. */
static bool spread(struct value *v, int from, int dims)
{
    const struct graph_tensor *s = in(v, dims);
    int32_t sizes[GRAPH_MAX_RANK];

    if (s->rank != 1 || s->dims[0] > GRAPH_MAX_RANK || !is_index(s) || in(v, from)->elements != 1 ||
        in(v, from)->rank > s->dims[0] || !same_type(v, from))
        return false;
    for (int d = 0; d < s->dims[0]; d++) {
        const int64_t size = load(v, dims, (size_t)d);

        if (size < 0 || size > VALUES_MAX_ELEMENTS)
            return false;
        sizes[d] = (int32_t)size;
    }
    if (!begin(v, s->dims[0], sizes))
        return false;
    for (size_t i = 0; i < v->elements; i++)
        copy(v, i, from, 0, 1);
    return true;
}

static bool fill(struct value *v)
{
    return in(v, 1)->rank == 0 && spread(v, 1, 0);
}

static bool broadcast_to(struct value *v)
{
    return spread(v, 0, 1);
}

/* ---- arithmetic ---- */

/* Whole numbers, on which the host's kernels agree. */
static int64_t wrap(uint64_t result)
{
    int64_t wide;

    memcpy(&wide, &result, sizeof wide);
    return wide;
}

static bool divides(int64_t a, int64_t b)
{
    return b != 0 && !(b == -1 && (a == INT64_MIN || a == INT32_MIN));
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t combine(struct value *v, int64_t a, int64_t b)
{
    switch (v->node->code) {
    case BUILTIN_ADD: return wrap((uint64_t)a + (uint64_t)b);
    case BUILTIN_SUB: return wrap((uint64_t)a - (uint64_t)b);
    case BUILTIN_MUL: return wrap((uint64_t)a * (uint64_t)b);
    case BUILTIN_MAXIMUM: return a > b ? a : b;
    case BUILTIN_MINIMUM: return a < b ? a : b;
    case BUILTIN_EQUAL: return a == b;
    case BUILTIN_NOT_EQUAL: return a != b;
    case BUILTIN_GREATER: return a > b;
    case BUILTIN_GREATER_EQUAL: return a >= b;
    case BUILTIN_LESS: return a < b;
    case BUILTIN_LESS_EQUAL: return a <= b;
    case BUILTIN_LOGICAL_AND: return a && b;
    case BUILTIN_LOGICAL_OR: return a || b;
    default: break;
    }
    if (!divides(a, b)) {
        v->failed = true;
        return 0;
    }
    return v->node->code == BUILTIN_DIV         ? a / b
           : v->node->code == BUILTIN_FLOOR_DIV ? floor_div(a, b)
                                                : a - floor_div(a, b) * b; /* FLOOR_MOD */
}

static float combine_floats(struct value *v, float a, float b)
{
    switch (v->node->code) {
    case BUILTIN_ADD: return a + b;
    case BUILTIN_SUB: return a - b;
    case BUILTIN_MUL: return a * b;
    case BUILTIN_DIV: return a / b;
    default: v->failed = true; return 0;
    }
}

/* The output has the shape to which the operands broadcast, as the host's kernels do it. */
static bool begin_pair(struct value *v)
{
    enum { BROADCAST_RANK = 4 };
    const struct graph_tensor *a = in(v, 0), *b = in(v, 1);
    const int rank = a->rank > b->rank ? a->rank : b->rank;
    int32_t dims[GRAPH_MAX_RANK];

    if (a->type != b->type || (v->node->op && gpu_op_activation(v->node) != kTfLiteActNone) ||
        (rank > BROADCAST_RANK && !graph_same_shape(a, b) && a->elements != 1 && b->elements != 1))
        return false;
    for (int d = 0; d < rank; d++) {
        const int at_a = d - rank + a->rank, at_b = d - rank + b->rank;
        const int32_t x = at_a < 0 ? 1 : a->dims[at_a], y = at_b < 0 ? 1 : b->dims[at_b];

        if (x != y && x != 1 && y != 1)
            return false;
        dims[d] = x == 1 ? y : x;
    }
    return begin(v, rank, dims);
}

static bool binary(struct value *v)
{
    const struct graph_node *n = v->node;

    if (n->op && n->op->has_activation && !n->params)
        return false;
    if (!begin_pair(v) || (is_float(in(v, 0)) && !same_type(v, 0)))
        return false;
    for (size_t i = 0; i < v->elements && !v->failed; i++) {
        const size_t a = against(v, 0, i), b = against(v, 1, i);

        if (is_float(in(v, 0)))
            store_float(v, i,
                        gpu_op_activate_fused(
                            kTfLiteActNone,
                            combine_floats(v, graph_constant_float(v->graph, n->inputs[0], a),
                                           graph_constant_float(v->graph, n->inputs[1], b))));
        else
            store(v, i, combine(v, load(v, 0, a), load(v, 1, b)));
    }
    return !v->failed;
}

/* The elements of one input or the other. */
static bool choose(struct value *v)
{
    const struct graph_tensor *a = in(v, 1), *condition = in(v, 0);

    if (condition->type != kTfLiteBool || !same_type(v, 1) || !same_type(v, 2) ||
        !graph_same_shape(a, in(v, 2)) || !begin_like(v, a) ||
        (!graph_same_shape(condition, a) && !(condition->elements == 1 && condition->rank == 0)))
        return false;
    for (size_t i = 0; i < v->elements; i++)
        copy(v, i, load(v, 0, against(v, 0, i)) ? 1 : 2, i, 1);
    return true;
}

/* The host's kernel converts a float out of the range of integers as its CPU does: not here. */
static bool cast(struct value *v)
{
    const struct graph_tensor *y = graph_output(v->graph, v->node, 0);

    if (!begin_like(v, in(v, 0)))
        return false;
    for (size_t i = 0; i < v->elements; i++) {
        if (!is_float(in(v, 0))) {
            const int64_t x = load(v, 0, i);

            is_float(y) ? store_float(v, i, (float)x) : store(v, i, x);
            continue;
        }
        const float x = graph_constant_float(v->graph, v->node->inputs[0], i);

        if (!(fabsf(x) < 2147483648.0f))
            return false;
        is_float(y) ? store_float(v, i, x)
                    : store(v, i, y->type == kTfLiteBool ? x != 0 : (int64_t)x);
    }
    return true;
}

static bool dequantize(struct value *v)
{
    if (!graph_is_8bit(in(v, 0)) || !is_float(graph_output(v->graph, v->node, 0)) ||
        !begin_like(v, in(v, 0)))
        return false;
    for (size_t i = 0; i < v->elements; i++)
        store_float(v, i, graph_constant_float(v->graph, v->node->inputs[0], i));
    return true;
}

static bool floats(struct value *v)
{
    if (!is_float(in(v, 0)) || !same_type(v, 0) || !begin_like(v, in(v, 0)))
        return false;
    for (size_t i = 0; i < v->elements; i++) {
        const float x = graph_constant_float(v->graph, v->node->inputs[0], i);

        store_float(v, i, v->node->code == BUILTIN_FLOOR ? floorf(x) : ceilf(x));
    }
    return true;
}

/* Of all elements of a vector. */
static bool reduce(struct value *v)
{
    const TfLiteReducerParams *p = v->node->params;
    const struct graph_tensor *x = in(v, 0);
    const int32_t code = v->node->code;
    int64_t result = code == BUILTIN_REDUCE_PROD;

    if (!p || x->rank != 1 || x->elements == 0 || !is_index(x) || !same_type(v, 0) ||
        in(v, 1)->type != kTfLiteInt32 || in(v, 1)->elements != 1 ||
        axis_of(load(v, 1, 0), 1) != 0 || !begin(v, p->keep_dims, (int32_t[]){ 1 }))
        return false;
    for (size_t i = 0; i < x->elements; i++) {
        const int64_t e = load(v, 0, i);

        if (code == BUILTIN_REDUCE_MAX)
            result = i == 0 || e > result ? e : result;
        else if (code == BUILTIN_REDUCE_MIN)
            result = i == 0 || e < result ? e : result;
        else
            result = wrap(code == BUILTIN_SUM ? (uint64_t)result + (uint64_t)e
                                              : (uint64_t)result * (uint64_t)e);
    }
    store(v, 0, result);
    return true;
}

static bool range(struct value *v)
{
    int64_t first, limit, delta;

    for (int i = 0; i < 3; i++)
        if (!is_index(in(v, i)) || !same_type(v, i) || in(v, i)->rank != 0)
            return false;
    first = load(v, 0, 0);
    limit = load(v, 1, 0);
    delta = load(v, 2, 0);
    if (delta == 0 || first < INT32_MIN || first > INT32_MAX || limit < INT32_MIN ||
        limit > INT32_MAX || delta < INT32_MIN || delta > INT32_MAX ||
        (delta > 0 ? first > limit : first < limit) ||
        !begin_vector(v, delta > 0 ? (limit - first + delta - 1) / delta
                                   : (first - limit - delta - 1) / -delta))
        return false;
    for (size_t i = 0; i < v->elements; i++)
        store(v, i, first + (int64_t)i * delta);
    return true;
}

/* The shape to which two shapes broadcast. */
static bool broadcast_args(struct value *v)
{
    const struct graph_tensor *a = in(v, 0), *b = in(v, 1);

    if (a->rank != 1 || b->rank != 1 || !same_type(v, 0) || !same_type(v, 1) || !is_index(a) ||
        !begin_vector(v, a->dims[0] > b->dims[0] ? a->dims[0] : b->dims[0]))
        return false;
    for (size_t i = 0; i < v->elements; i++) {
        const size_t back = v->elements - i;
        const int64_t x = back <= a->elements ? load(v, 0, a->elements - back) : 1;
        const int64_t y = back <= b->elements ? load(v, 1, b->elements - back) : 1;

        if (x != y && x != 1 && y != 1)
            return false;
        store(v, i, x == 1 ? y : x);
    }
    return true;
}

/* ---- nodes ---- */

static const struct row {
    int32_t code;
    signed char inputs; /* -1: 1 or more */
    /* Elements that are computed; any elements; 8-bit ones that become f32; a shape alone. */
    enum { VALUES, MOVES, STEPS, SHAPES } of;
    bool (*compute)(struct value *v);
} rows[] = {
    { BUILTIN_SHAPE, 1, SHAPES, shape },
    { BUILTIN_RANK, 1, SHAPES, rank },
    { BUILTIN_STRIDED_SLICE, 4, MOVES, strided_slice },
    { BUILTIN_SLICE, 3, MOVES, slice },
    { BUILTIN_GATHER, 2, MOVES, gather },
    { BUILTIN_PACK, -1, MOVES, pack },
    { BUILTIN_UNPACK, 1, MOVES, unpack },
    { BUILTIN_SPLIT_V, 3, VALUES, split_v },
    { BUILTIN_CONCATENATION, -1, MOVES, concatenation },
    { BUILTIN_RESHAPE, -1, MOVES, reshape },
    { BUILTIN_SQUEEZE, 1, MOVES, squeeze },
    { BUILTIN_EXPAND_DIMS, 2, MOVES, expand_dims },
    { BUILTIN_TILE, 2, MOVES, tile },
    { BUILTIN_FILL, 2, VALUES, fill },
    { BUILTIN_BROADCAST_TO, 2, VALUES, broadcast_to },
    { BUILTIN_BROADCAST_ARGS, 2, VALUES, broadcast_args },
    { BUILTIN_RANGE, 3, VALUES, range },
    { BUILTIN_ADD, 2, VALUES, binary },
    { BUILTIN_SUB, 2, VALUES, binary },
    { BUILTIN_MUL, 2, VALUES, binary },
    { BUILTIN_DIV, 2, VALUES, binary },
    { BUILTIN_FLOOR_DIV, 2, VALUES, binary },
    { BUILTIN_FLOOR_MOD, 2, VALUES, binary },
    { BUILTIN_MAXIMUM, 2, VALUES, binary },
    { BUILTIN_MINIMUM, 2, VALUES, binary },
    { BUILTIN_EQUAL, 2, VALUES, binary },
    { BUILTIN_NOT_EQUAL, 2, VALUES, binary },
    { BUILTIN_GREATER, 2, VALUES, binary },
    { BUILTIN_GREATER_EQUAL, 2, VALUES, binary },
    { BUILTIN_LESS, 2, VALUES, binary },
    { BUILTIN_LESS_EQUAL, 2, VALUES, binary },
    { BUILTIN_LOGICAL_AND, 2, VALUES, binary },
    { BUILTIN_LOGICAL_OR, 2, VALUES, binary },
    { BUILTIN_SELECT, 3, VALUES, choose },
    { BUILTIN_SELECT_V2, 3, VALUES, choose },
    { BUILTIN_CAST, 1, VALUES, cast },
    { BUILTIN_DEQUANTIZE, 1, STEPS, dequantize },
    { BUILTIN_FLOOR, 1, VALUES, floats },
    { BUILTIN_CEIL, 1, VALUES, floats },
    { BUILTIN_SUM, 2, VALUES, reduce },
    { BUILTIN_REDUCE_PROD, 2, VALUES, reduce },
    { BUILTIN_REDUCE_MAX, 2, VALUES, reduce },
    { BUILTIN_REDUCE_MIN, 2, VALUES, reduce },
};

/* Elements that this row reads and makes; 8-bit ones are moved where scale and zero point stay. */
static bool has_elements(const struct graph *g, const struct graph_node *n, const struct row *row,
                         const struct graph_tensor *t)
{
    return is_index(t) || t->type == kTfLiteBool || is_float(t) ||
           (graph_is_8bit(t) &&
            (row->of == STEPS ? t->quant.count == 1
                              : row->of == MOVES && graph_same_quant(t, graph_output(g, n, 0))));
}

/* The row of a node, all of whose inputs are known; NULL: it is not computed here. */
static const struct row *row_of(const struct graph *g, const struct graph_node *n)
{
    const struct row *row = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !row; i++)
        if (rows[i].code == n->code)
            row = &rows[i];
    if (!row || n->input_count < 1 || (row->inputs >= 0 && n->input_count != row->inputs) ||
        (row->compute == reshape && n->input_count > 2))
        return NULL;
    for (int i = 0; i < n->input_count; i++) {
        const struct graph_tensor *t = graph_input(g, n, i);

        if (!t || t->rank < 0 || (row->of != SHAPES && (!t->data || !has_elements(g, n, row, t))))
            return NULL;
    }
    return row;
}

/* Constants of the file in f32 are folded as weights (transform/fold.c), 8-bit ones by nobody. */
static bool is_weight(const struct graph_tensor *t, bool from_shapes)
{
    return (is_float(t) || graph_is_8bit(t)) && !from_shapes;
}

static bool has_shape(const struct graph_tensor *t, const struct graph_shape *s)
{
    return t->rank == s->rank && memcmp(t->dims, s->dims, sizeof s->dims) == 0;
}

static bool compute_output(struct value *v, const struct row *row, bool again)
{
    const struct graph_tensor *y = &v->graph->tensors[v->node->outputs[v->output]];

    if (y->is_variable || y->is_sparse || !has_elements(v->graph, v->node, row, y))
        return false;
    v->size = runtime_type_bits(y->type) / 8;
    return row->compute(v) && (again || y->is_dynamic || has_shape(y, &v->shape));
}

static void set_output(struct graph_tensor *y, const struct value *v, bool from_shapes)
{
    y->data = v->data;
    y->elements = v->elements;
    y->rank = v->shape.rank;
    memcpy(y->dims, v->shape.dims, sizeof y->dims);
    y->is_dynamic = y->is_prepared = false;
    y->from_shapes = from_shapes;
}

enum status values_compute(struct graph *g, struct graph_node *n, bool again, uint64_t *bytes,
                           struct diag *diag)
{
    const struct row *const row = row_of(g, n);
    bool from_shapes = row && row->of == SHAPES;
    struct value *outputs;

    n->known = false;
    if (!row || n->output_count < 1)
        return STATUS_OK;
    for (int i = 0; i < n->input_count; i++)
        from_shapes |= g->tensors[n->inputs[i]].from_shapes;
    for (int i = 0; i < n->output_count; i++)
        if (is_weight(graph_output(g, n, i), from_shapes) ||
            (i > 0 && row->compute != unpack && row->compute != split_v))
            return STATUS_OK;
    if (!(outputs = ARENA_NEW(&g->arena, (size_t)n->output_count, struct value)))
        return diag_fail(diag, STATUS_NO_MEMORY, "node %d: out of memory", n->host_node);
    for (int i = 0; i < n->output_count; i++) {
        outputs[i] = (struct value){ .graph = g, .node = n, .output = i, .bytes = bytes };
        if (!compute_output(&outputs[i], row, again))
            return STATUS_OK;
    }
    for (int i = 0; i < n->output_count; i++)
        set_output(&g->tensors[n->outputs[i]], &outputs[i], from_shapes);
    n->known = g->has_values = true;
    return STATUS_OK;
}

enum status values_find(struct graph *g, const struct gpu_options *options, struct diag *diag)
{
    uint64_t bytes = 0;

    if (options->no_transform & 1u << TRANSFORM_fold)
        return STATUS_OK;
    for (int i = 0; i < g->node_count; i++)
        TRY(values_compute(g, &g->nodes[i], false, &bytes, diag));
    return STATUS_OK;
}
