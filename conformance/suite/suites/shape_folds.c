/* What a delegate that folds shape arithmetic computes itself: each op that may stand between a
 * SHAPE and what reads its values, with numbers below 0, other ranks, i64, bool and f32.  A vector
 * that follows from the shape of x becomes factors of the channels of x.  And what it folds of f32
 * constants alone. */
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

struct row {
    struct op_case base;
    struct value (*make)(struct case_builder *m, struct value x);
    int32_t code, tag;
    int32_t less[4];  /* what is taken from the shape [2,3,5,4] first */
    int32_t other[4]; /* a constant operand */
};

static const struct suite_member members[] = {
    { SUITE_OP("mul", MUL, 1), .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM) },
};

static const struct row *row_of(const struct case_builder *m)
{
    return (const struct row *)m->c->row;
}

static struct value op(struct case_builder *m, int32_t type, int32_t code,
                       const struct options *options, size_t count, const struct value *in,
                       const struct shape *shape)
{
    struct value y = { .shape = *shape, .tensor = case_tensor_of(m, "v", shape, type) };
    int tensors[4];

    for (size_t i = 0; i < count; i++)
        tensors[i] = in[i].tensor;
    y.op =
        case_op(m, code, code == BUILTIN_BROADCAST_TO ? 2 : 1, options, count, tensors, y.tensor);
    return y;
}

static struct value binary(struct case_builder *m, int32_t type, int32_t code, int32_t tag,
                           struct value a, struct value b)
{
    return op(m, type, code, &(struct options){ .tag = tag }, 2, (const struct value[]){ a, b },
              &a.shape);
}

static struct value constant(struct case_builder *m, const struct shape *shape,
                             const int32_t *values)
{
    return (struct value){ .shape = *shape,
                           .tensor = case_constant_i32(m, "c", shape, values),
                           .op = -1 };
}

static struct value four(struct case_builder *m, const int32_t *values)
{
    return constant(m, &(struct shape)DIMS(4), values);
}

static struct value number(struct case_builder *m, int32_t v)
{
    return constant(m, &(struct shape)SCALAR, &v);
}

static struct value cast(struct case_builder *m, struct value x, int32_t from, int32_t to)
{
    struct options options;

    options_init(&options, OPTIONS_CastOptions);
    options_set_int(&options, "in_data_type", from);
    options_set_int(&options, "out_data_type", to);
    return op(m, to, BUILTIN_CAST, &options, 1, &x, &x.shape);
}

static struct value shape_of(struct case_builder *m, struct value x, int32_t type)
{
    struct options options;

    options_init(&options, OPTIONS_ShapeOptions);
    options_set_int(&options, "out_type", type);
    return op(m, type, BUILTIN_SHAPE, &options, 1, &x, &(struct shape)DIMS(4));
}

static struct value op_i32(struct case_builder *m, int32_t code, int32_t tag, size_t count,
                           const struct value *in, const struct shape *shape)
{
    return op(m, TENSOR_INT32, code, &(struct options){ .tag = tag }, count, in, shape);
}

/* The shape of x, less what the row says. */
static struct value vector(struct case_builder *m, struct value x)
{
    const struct value less = four(m, row_of(m)->less);

    return binary(m, TENSOR_INT32, BUILTIN_SUB, OPTIONS_SubOptions, shape_of(m, x, TENSOR_INT32),
                  less);
}

/* Elements [first, end) of a vector, by SLICE; end 0: to the last. */
static struct value slice(struct case_builder *m, struct value v, int32_t first, int32_t end)
{
    const struct shape one = DIMS(1);
    const int32_t size = end > 0 ? end - first : -1;
    const struct value in[] = { v, constant(m, &one, &first), constant(m, &one, &size) };

    return op_i32(m, BUILTIN_SLICE, OPTIONS_SliceOptions, 3, in,
                  &(struct shape)DIMS((end > 0 ? end : v.shape.d[0]) - first));
}

static struct value reshape(struct case_builder *m, struct value v, const struct shape *shape)
{
    const struct value in[] = { v, constant(m, &(struct shape)DIMS(shape->rank), shape->d) };

    return op(m, TENSOR_INT32, BUILTIN_RESHAPE, NULL, 2, in, shape);
}

static struct value element(struct case_builder *m, struct value v, int32_t i)
{
    const struct value one = slice(m, v, i, i + 1);

    return op_i32(m, BUILTIN_SQUEEZE, OPTIONS_SqueezeOptions, 1, &one, &(struct shape)SCALAR);
}

static struct value join(struct case_builder *m, struct value a, struct value b, int32_t axis)
{
    struct options options;
    struct shape shape = a.shape;

    options_init(&options, OPTIONS_ConcatenationOptions);
    options_set_int(&options, "axis", axis);
    shape.d[axis] += b.shape.d[axis];
    return op(m, TENSOR_INT32, BUILTIN_CONCATENATION, &options, 2, (const struct value[]){ a, b },
              &shape);
}

/* ---- elements ---- */

static struct value make_binary(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct value other = four(m, r->other);

    return binary(m, TENSOR_INT32, r->code, r->tag, vector(m, x), other);
}

/* A column and a row make a matrix. */
static struct value make_broadcast(struct case_builder *m, struct value x)
{
    const int32_t rows[] = { 1, -2, 3, -4, 5 };
    const struct value in[] = { constant(m, &(struct shape)DIMS(5, 1), rows), vector(m, x) };

    return op_i32(m, BUILTIN_SUB, OPTIONS_SubOptions, 2, in, &(struct shape)DIMS(5, 4));
}

static struct value choose(struct case_builder *m, int32_t code, int32_t tag, struct value c,
                           struct value a, struct value b)
{
    return op_i32(m, code, tag, 3, (const struct value[]){ c, a, b }, &a.shape);
}

/* Elements for which a comparison holds, or those of the constant. */
static struct value make_compare(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct value v = vector(m, x), other = four(m, r->other);
    const struct value rest = four(m, (const int32_t[]){ 7, 8, 9, 11 });

    return choose(m, BUILTIN_SELECT_V2, OPTIONS_SelectV2Options,
                  binary(m, TENSOR_BOOL, r->code, r->tag, v, other), v, rest);
}

/* Those that differ, and (or) are greater. */
static struct value make_logical(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct value v = vector(m, x), other = four(m, r->other);
    const struct value differs =
        binary(m, TENSOR_BOOL, BUILTIN_NOT_EQUAL, OPTIONS_NotEqualOptions, v, other);
    const struct value greater =
        binary(m, TENSOR_BOOL, BUILTIN_GREATER_EQUAL, OPTIONS_GreaterEqualOptions, v, other);
    const struct value rest = four(m, (const int32_t[]){ 7, 8, 9, 11 });

    return choose(m, BUILTIN_SELECT, OPTIONS_SelectOptions,
                  binary(m, TENSOR_BOOL, r->code, r->tag, differs, greater), v, rest);
}

/* One condition for all elements. */
static struct value make_choice(struct case_builder *m, struct value x)
{
    const struct value v = vector(m, x), one = number(m, 1);
    const struct value less =
        binary(m, TENSOR_BOOL, BUILTIN_LESS, OPTIONS_LessOptions, element(m, v, 0), one);

    return choose(m, BUILTIN_SELECT_V2, OPTIONS_SelectV2Options, less, v,
                  four(m, row_of(m)->other));
}

/* Of the whole vector; the axis is other[0], other[1] keeps the dimension. */
static struct value make_reduce(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct shape one = DIMS(1);
    const struct value in[] = { vector(m, x), constant(m, &one, &r->other[0]) };
    struct options options;

    options_init(&options, OPTIONS_ReducerOptions);
    options_set_int(&options, "keep_dims", r->other[1]);
    return op(m, TENSOR_INT32, r->code, &options, 2, in,
              r->other[1] ? &one : &(struct shape)SCALAR);
}

/* ---- moves ---- */

/* A column twice, of which the second is taken from its end to its beginning. */
static struct value make_tiled(struct case_builder *m, struct value x)
{
    const struct shape two = DIMS(2);
    const struct value flat[] = { vector(m, x), number(m, -1) };
    const struct value column[] = { op_i32(m, BUILTIN_EXPAND_DIMS, OPTIONS_ExpandDimsOptions, 2,
                                           flat, &(struct shape)DIMS(4, 1)),
                                    constant(m, &two, (const int32_t[]){ 1, 2 }) };
    const struct value in[] = {
        op_i32(m, BUILTIN_TILE, OPTIONS_TileOptions, 2, column, &(struct shape)DIMS(4, 2)),
        constant(m, &two, (const int32_t[]){ 3, 1 }), constant(m, &two, (const int32_t[]){ -5, 2 }),
        constant(m, &two, (const int32_t[]){ -1, 1 })
    };
    struct options options;

    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "shrink_axis_mask", 2);
    return op(m, TENSOR_INT32, BUILTIN_STRIDED_SLICE, &options, 4, in, &(struct shape)DIMS(4));
}

/* Every other row of a matrix, as the slice names no second dimension. */
static struct value make_stepped(struct case_builder *m, struct value x)
{
    const struct shape one = DIMS(1);
    const struct value second = vector(m, x), first = vector(m, x);
    const struct value in[] = { reshape(m, join(m, first, second, 0), &(struct shape)DIMS(4, 2)),
                                constant(m, &one, (const int32_t[]){ -4 }),
                                constant(m, &one, (const int32_t[]){ 3 }),
                                constant(m, &one, (const int32_t[]){ 2 }) };

    return reshape(m,
                   op_i32(m, BUILTIN_STRIDED_SLICE, OPTIONS_StridedSliceOptions, 4, in,
                          &(struct shape)DIMS(2, 2)),
                   &(struct shape)DIMS(4));
}

enum { MADE_MAX = 3 };

/* An op of several results that are vectors. */
static void op_many(struct case_builder *m, int32_t code, const struct options *options,
                    size_t count, const struct value *in, const char *name, size_t made_count,
                    const struct shape *shapes, struct value *made)
{
    int inputs[3], outputs[MADE_MAX];

    for (size_t i = 0; i < count; i++)
        inputs[i] = in[i].tensor;
    for (size_t i = 0; i < made_count; i++) {
        outputs[i] = case_tensor_i32(m, name, &shapes[i]);
        made[i] = (struct value){ outputs[i], shapes[i], -1 };
    }
    if (m->status == STATUS_OK)
        builder_op(&m->builder, code, 1, options, count, inputs, made_count, outputs);
}

/* The second of two rows. */
static struct value make_unpacked(struct case_builder *m, struct value x)
{
    const struct value rows[] = { four(m, row_of(m)->other), vector(m, x) };
    struct options options;
    struct value both, made[2];

    options_init(&options, OPTIONS_PackOptions);
    options_set_int(&options, "values_count", 2);
    both = op(m, TENSOR_INT32, BUILTIN_PACK, &options, 2, rows, &(struct shape)DIMS(2, 4));
    options_init(&options, OPTIONS_UnpackOptions);
    options_set_int(&options, "num", 2);
    op_many(m, BUILTIN_UNPACK, &options, 1, &both, "row", 2,
            (const struct shape[]){ DIMS(4), DIMS(4) }, made);
    return made[1];
}

/* The second part before the first. */
static struct value make_split(struct case_builder *m, struct value x)
{
    const struct value in[] = { vector(m, x),
                                constant(m, &(struct shape)DIMS(2), (const int32_t[]){ 1, 3 }),
                                number(m, 0) };
    struct options options;
    struct value made[2];

    options_init(&options, OPTIONS_SplitVOptions);
    options_set_int(&options, "num_splits", 2);
    op_many(m, BUILTIN_SPLIT_V, &options, 3, in, "part", 2,
            (const struct shape[]){ DIMS(1), DIMS(3) }, made);
    return join(m, made[1], made[0], 0);
}

/* The last of three parts, which begins behind the sum of the others. */
static struct value make_third(struct case_builder *m, struct value x)
{
    const struct value v = vector(m, x);
    const struct value first = constant(m, &(struct shape)DIMS(3), row_of(m)->other);
    const struct value in[] = { join(m, first, v, 0),
                                constant(m, &(struct shape)DIMS(3), (const int32_t[]){ 1, 2, 4 }),
                                number(m, 0) };
    static const struct shape shapes[] = { DIMS(1), DIMS(2), DIMS(4) };
    struct options options;
    struct value made[3];

    options_init(&options, OPTIONS_SplitVOptions);
    options_set_int(&options, "num_splits", 3);
    op_many(m, BUILTIN_SPLIT_V, &options, 3, in, "part", 3, shapes, made);
    return made[2];
}

/* The first column of a matrix, since a mask says so: `begin` names the second one. */
static struct value make_masked(struct case_builder *m, struct value x)
{
    const struct shape two = DIMS(2);
    const struct value second = vector(m, x), first = four(m, row_of(m)->other);
    const struct value in[] = { reshape(m, join(m, first, second, 0), &(struct shape)DIMS(4, 2)),
                                constant(m, &two, (const int32_t[]){ 0, 1 }),
                                constant(m, &two, (const int32_t[]){ 4, 2 }),
                                constant(m, &two, (const int32_t[]){ 1, 1 }) };
    struct options options;

    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "begin_mask", 2);
    options_set_int(&options, "shrink_axis_mask", 2);
    return op(m, TENSOR_INT32, BUILTIN_STRIDED_SLICE, &options, 4, in, &(struct shape)DIMS(4));
}

/* All but the first element, and then it. */
static struct value make_sliced(struct case_builder *m, struct value x)
{
    const struct value v = vector(m, x), first = slice(m, v, 0, 1);

    return join(m, slice(m, v, 1, 0), first, 0);
}

/* Two rows of two, side by side, flattened. */
static struct value make_joined(struct case_builder *m, struct value x)
{
    const struct value a = reshape(m, vector(m, x), &(struct shape)DIMS(2, 2));
    const struct value both =
        join(m, a, constant(m, &(struct shape)DIMS(2, 1), row_of(m)->other), 1);

    return slice(m, reshape(m, both, &(struct shape)DIMS(6)), 1, 5);
}

/* The same element twice, and one of each end. */
static struct value make_gathered(struct case_builder *m, struct value x)
{
    const struct value in[] = { vector(m, x), four(m, row_of(m)->other) };

    return op_i32(m, BUILTIN_GATHER, OPTIONS_GatherOptions, 2, in, &in[0].shape);
}

static struct value make_squeezed(struct case_builder *m, struct value x)
{
    const struct value v = reshape(m, vector(m, x), &(struct shape)DIMS(1, 4, 1));
    struct options options;

    options_init(&options, OPTIONS_SqueezeOptions);
    options_set_ints(&options, "squeeze_dims", (const int32_t[]){ 0, -1 }, 2);
    return op(m, TENSOR_INT32, BUILTIN_SQUEEZE, &options, 1, &v, &(struct shape)DIMS(4));
}

/* ---- shapes ---- */

static struct value make_filled(struct case_builder *m, struct value x)
{
    const struct value in[] = { constant(m, &(struct shape)DIMS(2), (const int32_t[]){ 5, 4 }),
                                element(m, vector(m, x), 2) };

    return op_i32(m, BUILTIN_FILL, OPTIONS_FillOptions, 2, in, &(struct shape)DIMS(5, 4));
}

static struct value make_spread(struct case_builder *m, struct value x)
{
    const struct value in[] = { slice(m, vector(m, x), 1, 2),
                                constant(m, &(struct shape)DIMS(2), (const int32_t[]){ 5, 4 }) };

    return op_i32(m, BUILTIN_BROADCAST_TO, OPTIONS_BroadcastToOptions, 2, in,
                  &(struct shape)DIMS(5, 4));
}

/* [1,3,1,4] and [3,7,1]. */
static struct value make_broadcast_args(struct case_builder *m, struct value x)
{
    const struct value in[] = { vector(m, x),
                                constant(m, &(struct shape)DIMS(3), (const int32_t[]){ 3, 7, 1 }) };

    return op(m, TENSOR_INT32, BUILTIN_BROADCAST_ARGS, NULL, 2, in, &in[0].shape);
}

/* From an element by other[1] to other[0]. */
static struct value make_range(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct value in[] = { element(m, vector(m, x), 0), number(m, r->other[0]),
                                number(m, r->other[1]) };

    return op_i32(m, BUILTIN_RANGE, OPTIONS_RangeOptions, 3, in, &(struct shape)DIMS(4));
}

/* The vector in f32, and a fourth of it. */
static struct value fourths(struct case_builder *m, struct value x)
{
    const struct value by = graph_add_number(m, &(struct shape)SCALAR, 0.25F);

    return binary(m, TENSOR_FLOAT32, BUILTIN_MUL, OPTIONS_MulOptions,
                  cast(m, vector(m, x), TENSOR_INT32, TENSOR_FLOAT32), by);
}

static struct value make_truncated(struct case_builder *m, struct value x)
{
    return cast(m, fourths(m, x), TENSOR_FLOAT32, TENSOR_INT32);
}

/* ---- of other types, to f32 ---- */

static struct value make_wide(struct case_builder *m, struct value x)
{
    const struct shape shape = DIMS(4);
    const struct row *const r = row_of(m);
    const struct value less = { case_constant_i64(m, "c", &shape, r->less), shape, -1 };
    const struct value at = { case_constant_i64(m, "c", &shape, r->other), shape, -1 };
    const struct value in[] = { binary(m, TENSOR_INT64, BUILTIN_SUB, OPTIONS_SubOptions,
                                       shape_of(m, x, TENSOR_INT64), less),
                                at };
    const struct options options = { .tag = OPTIONS_GatherOptions };

    return cast(m, op(m, TENSOR_INT64, BUILTIN_GATHER, &options, 2, in, &shape), TENSOR_INT64,
                TENSOR_FLOAT32);
}

static struct value make_truth(struct case_builder *m, struct value x)
{
    return cast(m, cast(m, vector(m, x), TENSOR_INT32, TENSOR_BOOL), TENSOR_BOOL, TENSOR_FLOAT32);
}

static struct value make_float(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct value other = graph_add_number(m, &(struct shape)SCALAR, -2);

    return binary(m, TENSOR_FLOAT32, r->code, r->tag, fourths(m, x), other);
}

static struct value make_rounded(struct case_builder *m, struct value x)
{
    const struct value v = fourths(m, x);

    return op(m, TENSOR_FLOAT32, row_of(m)->code, NULL, 1, &v, &v.shape);
}

static struct value make_float_sum(struct case_builder *m, struct value x)
{
    const struct value in[] = { fourths(m, x), number(m, 0) };

    return op(m, TENSOR_FLOAT32, BUILTIN_SUM, &(struct options){ .tag = OPTIONS_ReducerOptions }, 2,
              in, &(struct shape)SCALAR);
}

/* ---- of constants ---- */

/* Of a matrix and of one that lacks its middle. */
static struct value make_constants(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const struct value a = graph_add_constant(m, &(struct shape)DIMS(3, 1, 4));
    const struct value b = graph_add_constant(m, &(struct shape)DIMS(5, 4));

    (void)x;
    return graph_add_binary(m, r->code, a, b, r->other[0]);
}

/* Of numbers beyond 6. */
static struct value make_clamped(struct case_builder *m, struct value x)
{
    const struct value by = graph_add_number(m, &(struct shape)SCALAR, 16);
    const struct value wide = graph_add_binary(
        m, BUILTIN_MUL, graph_add_constant(m, &(struct shape)DIMS(3, 5, 4)), by, ACTIVATION_NONE);

    (void)x;
    return graph_add_unary(m, row_of(m)->code, wide);
}

static struct value make_moved(struct case_builder *m, struct value x)
{
    const struct row *const r = row_of(m);
    const int turn[] = { 1, 0 };
    const struct value c = graph_add_constant(m, &(struct shape)DIMS(r->other[0], r->other[1]));

    (void)x;
    switch (r->code) {
    case BUILTIN_TRANSPOSE: return graph_add_transpose(m, c, turn);
    case BUILTIN_SLICE: return graph_add_slice(m, c, 1, 2, 4);
    case BUILTIN_TILE: return graph_add_tile(m, c, 1, 2);
    default: return graph_add_expand_dims(m, c, 1);
    }
}

#define ODD                                                                                        \
    {                                                                                              \
        5, 1, 9, 2                                                                                 \
    } /* -3, 2, -4, 2 are left */
#define FOLD(name, make_, code_, tag_, less_, ...)                                                 \
    {                                                                                              \
        ROW("fold_" name, "on the way from a shape", .gap = GAP_SHAPES, .resized = true),          \
            .make = (make_), .code = BUILTIN_##code_, .tag = OPTIONS_##tag_##Options,              \
            .less = less_, .other = {                                                              \
                __VA_ARGS__                                                                        \
            }                                                                                      \
    }
#define CONSTANTS(name, make_, code_, ...)                                                         \
    {                                                                                              \
        ROW("fold_" name, "an op of constants", .gap = GAP_SHAPES),                                \
            .make = (make_), .code = BUILTIN_##code_, .other = {                                   \
                __VA_ARGS__                                                                        \
            }                                                                                      \
    }
#define LESS(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
static const struct row rows[] = {
    FOLD("add", make_binary, ADD, Add, ODD, 2, -3, 1, 9),
    FOLD("mul", make_binary, MUL, Mul, ODD, 2, -3, -1, 9),
    FOLD("maximum", make_binary, MAXIMUM, MaximumMinimum, ODD, -2, 3, -1, 2),
    FOLD("minimum", make_binary, MINIMUM, MaximumMinimum, ODD, -2, 3, -5, 2),
    FOLD("div", make_binary, DIV, Div, ODD, 2, -2, 3, 1),
    FOLD("floor_div", make_binary, FLOOR_DIV, FloorDiv, ODD, 2, -4, 3, 1),
    FOLD("floor_mod", make_binary, FLOOR_MOD, FloorMod, ODD, 2, -3, 3, 5),
    FOLD("broadcast", make_broadcast, SUB, Sub, ODD, 0),
    FOLD("equal", make_compare, EQUAL, Equal, ODD, -3, 1, 0, 2),
    FOLD("not_equal", make_compare, NOT_EQUAL, NotEqual, ODD, -3, 1, 0, 2),
    FOLD("greater", make_compare, GREATER, Greater, ODD, -3, 1, 0, 2),
    FOLD("greater_equal", make_compare, GREATER_EQUAL, GreaterEqual, ODD, -3, 1, 0, 2),
    FOLD("less", make_compare, LESS, Less, ODD, -3, 1, 0, 2),
    FOLD("less_equal", make_compare, LESS_EQUAL, LessEqual, ODD, -3, 1, 0, 2),
    FOLD("and", make_logical, LOGICAL_AND, LogicalAnd, ODD, -3, 1, 0, 2),
    FOLD("or", make_logical, LOGICAL_OR, LogicalOr, ODD, -3, 1, 0, 2),
    FOLD("choice", make_choice, SELECT_V2, SelectV2, ODD, 7, 8, 9, 11),
    FOLD("choice_other", make_choice, SELECT_V2, SelectV2, LESS(1, 1, 9, 2), 7, 8, 9, 11),
    FOLD("sum", make_reduce, SUM, Reducer, ODD, 0, 1),
    FOLD("prod", make_reduce, REDUCE_PROD, Reducer, ODD, -1, 0),
    FOLD("max", make_reduce, REDUCE_MAX, Reducer, LESS(9, 9, 9, 9), 0, 0),
    FOLD("min", make_reduce, REDUCE_MIN, Reducer, LESS(0, 1, 0, 1), -1, 1),
    FOLD("tiled", make_tiled, TILE, Tile, ODD, 0),
    FOLD("stepped", make_stepped, STRIDED_SLICE, StridedSlice, ODD, 0),
    FOLD("unpacked", make_unpacked, UNPACK, Unpack, ODD, 7, 8, 9, 11),
    FOLD("split", make_split, SPLIT_V, SplitV, ODD, 0),
    FOLD("sliced", make_sliced, SLICE, Slice, ODD, 0),
    FOLD("joined", make_joined, CONCATENATION, Concatenation, ODD, 7, 8),
    FOLD("gathered", make_gathered, GATHER, Gather, LESS(0, 0, 0, 1), 3, 2, 2, 0),
    FOLD("squeezed", make_squeezed, SQUEEZE, Squeeze, ODD, 0),
    FOLD("filled", make_filled, FILL, Fill, ODD, 0),
    FOLD("spread", make_spread, BROADCAST_TO, BroadcastTo, ODD, 0),
    FOLD("broadcast_args", make_broadcast_args, BROADCAST_ARGS, Slice, LESS(1, 0, 4, 0), 0),
    FOLD("range", make_range, RANGE, Range, ODD, 9, 3),
    FOLD("range_down", make_range, RANGE, Range, ODD, -10, -2),
    FOLD("i64", make_wide, GATHER, Gather, ODD, 3, 0, 2, 1),
    FOLD("truth", make_truth, CAST, Cast, LESS(2, 1, 9, 0), 0),
    FOLD("float_add", make_float, ADD, Add, ODD, 0),
    FOLD("float_sub", make_float, SUB, Sub, ODD, 0),
    FOLD("float_mul", make_float, MUL, Mul, ODD, 0),
    FOLD("float_div", make_float, DIV, Div, ODD, 0),
    FOLD("floor", make_rounded, FLOOR, Cast, ODD, 0),
    FOLD("ceil", make_rounded, CEIL, Cast, ODD, 0),
    FOLD("truncated", make_truncated, CAST, Cast, LESS(9, 9, 0, 0), 0),
    CONSTANTS("constant_sub", make_constants, SUB, ACTIVATION_RELU6),
    CONSTANTS("constant_mul", make_constants, MUL, ACTIVATION_RELU),
    CONSTANTS("constant_maximum", make_constants, MAXIMUM, ACTIVATION_NONE),
    CONSTANTS("constant_minimum", make_constants, MINIMUM, ACTIVATION_NONE),
    CONSTANTS("constant_relu6", make_clamped, RELU6, 0),
    CONSTANTS("constant_relu_n1", make_clamped, RELU_N1_TO_1, 0),
    CONSTANTS("constant_relu_0", make_clamped, RELU_0_TO_1, 0),
    CONSTANTS("constant_transpose", make_moved, TRANSPOSE, 4, 5),
    CONSTANTS("constant_slice", make_moved, SLICE, 5, 7),
    CONSTANTS("constant_tile", make_moved, TILE, 5, 2),
    CONSTANTS("constant_expand", make_moved, EXPAND_DIMS, 3, 4),
    FOLD("float_sum", make_float_sum, SUM, Reducer, ODD, 0),
    { ROW("fold_third", "the last of three parts", .resized = true), .make = make_third,
      .less = ODD, .other = { 7, 8, 9 } },
    { ROW("fold_masked", "a mask that begins a dimension", .resized = true), .make = make_masked,
      .less = ODD, .other = { 7, 8, 9, 11 } },
};

/* x times what the row makes, integers as f32. */
static void build(struct case_builder *m)
{
    const struct value x =
        graph_add_unary(m, BUILTIN_RELU, graph_add_input(m, "x", &(struct shape)DIMS(2, 3, 5, 4)));
    struct value y = row_of(m)->make(m, x);
    const struct model_tensor *const tensors = m->builder.tensors.items;

    if (m->status == STATUS_OK && tensors[y.tensor].type == TENSOR_INT32)
        y = cast(m, y, TENSOR_INT32, TENSOR_FLOAT32);
    graph_add_judged_output(m, graph_add_binary(m, BUILTIN_MUL, x, y, ACTIVATION_NONE));
}

SUITE_UNDRAWN(shape_folds, members, rows, build);
