/* Shapes, sizes and paddings that follow from the shape of a tensor, as converters that do not know
 * the batch write them: SHAPE, STRIDED_SLICE and arithmetic of integers between ops that a delegate
 * takes.  The runtime knows some of these values when it prepares the graph (reference/OPS.md), and
 * after a resize they are others. */
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

struct row {
    struct op_case base;
    struct value (*make)(struct case_builder *m, struct value x);
    struct shape in;
};

static const struct suite_member members[] = {
    { SUITE_OP("mul", MUL, 1), .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM) },
};

/* ---- arithmetic of integers ---- */

static struct value op_i32(struct case_builder *m, int32_t code, const struct options *options,
                           size_t count, const struct value *in, const struct shape *shape)
{
    struct value y = { .shape = *shape, .tensor = case_tensor_i32(m, "n", shape) };
    int tensors[4];

    for (size_t i = 0; i < count; i++)
        tensors[i] = in[i].tensor;
    y.op = case_op(m, code, 1, options, count, tensors, y.tensor);
    return y;
}

static struct value constant(struct case_builder *m, int32_t count, const int32_t *values)
{
    const struct shape shape = DIMS(count);

    return (struct value){ .shape = shape, .tensor = case_constant_i32(m, "c", &shape, values) };
}

static struct value number(struct case_builder *m, int32_t v)
{
    const struct shape scalar = SCALAR;

    return (struct value){ .shape = scalar, .tensor = case_constant_i32(m, "c", &scalar, &v) };
}

static struct value shape_of(struct case_builder *m, struct value x)
{
    struct options options;

    options_init(&options, OPTIONS_ShapeOptions);
    options_set_int(&options, "out_type", TENSOR_INT32);
    return op_i32(m, BUILTIN_SHAPE, &options, 1, &x, &(struct shape)DIMS(x.shape.rank));
}

/* Elements [first, end) of a vector; one of them is a scalar where `shrink` is set. */
static struct value elements(struct case_builder *m, struct value s, int32_t first, int32_t end,
                             bool shrink)
{
    const int32_t one = 1;
    const struct value in[] = { s, constant(m, 1, &first), constant(m, 1, &end),
                                constant(m, 1, &one) };
    struct options options;

    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "shrink_axis_mask", shrink);
    return op_i32(m, BUILTIN_STRIDED_SLICE, &options, 4, in,
                  shrink ? &(struct shape)SCALAR : &(struct shape)DIMS(end - first));
}

static struct value element(struct case_builder *m, struct value s, int32_t i)
{
    return elements(m, s, i, i + 1, true);
}

static struct value arithmetic(struct case_builder *m, int32_t code, int tag, struct value a,
                               struct value b)
{
    struct options options;

    options_init(&options, tag);
    return op_i32(m, code, &options, 2, (const struct value[]){ a, b }, &a.shape);
}

static struct value pack(struct case_builder *m, int32_t count, const struct value *values,
                         int32_t axis)
{
    struct shape shape = values[0].shape;
    struct options options;

    for (int d = shape.rank++; d > axis; d--)
        shape.d[d] = shape.d[d - 1];
    shape.d[axis] = count;
    options_init(&options, OPTIONS_PackOptions);
    options_set_int(&options, "values_count", count);
    options_set_int(&options, "axis", axis);
    return op_i32(m, BUILTIN_PACK, &options, (size_t)count, values, &shape);
}

static struct value join(struct case_builder *m, struct value a, struct value b)
{
    struct options options;

    options_init(&options, OPTIONS_ConcatenationOptions);
    return op_i32(m, BUILTIN_CONCATENATION, &options, 2, (const struct value[]){ a, b },
                  &(struct shape)DIMS(a.shape.d[0] + b.shape.d[0]));
}

/* ---- what reads it ---- */

static struct value op_f32(struct case_builder *m, int32_t code, const struct options *options,
                           size_t count, const struct value *in, const struct shape *shape)
{
    struct value y = { .shape = *shape, .tensor = case_tensor(m, "t", shape) };
    int tensors[3];

    for (size_t i = 0; i < count; i++)
        tensors[i] = in[i].tensor;
    y.op = case_op(m, code, 1, options, count, tensors, y.tensor);
    return y;
}

static struct value rows_of(struct case_builder *m, struct value x, struct value to)
{
    const int32_t elements = x.shape.d[0] * x.shape.d[1] * x.shape.d[2] * x.shape.d[3];

    return op_f32(m, BUILTIN_RESHAPE, NULL, 2, (const struct value[]){ x, to },
                  &(struct shape)DIMS(x.shape.d[0], elements / x.shape.d[0]));
}

/* The batch, and what is left: by ops whose results the runtime has in prepare. */
static struct value make_reshape(struct case_builder *m, struct value x)
{
    const struct value rest = constant(m, 1, (const int32_t[]){ -1 });

    return rows_of(m, x, join(m, elements(m, shape_of(m, x), 0, 1, false), rest));
}

/* The same by PACK, behind which the runtime takes the shape for dynamic. */
static struct value make_reshape_packed(struct case_builder *m, struct value x)
{
    return rows_of(
        m, x,
        pack(m, 2, (const struct value[]){ element(m, shape_of(m, x), 0), number(m, -1) }, 0));
}

/* The product of three dimensions, of which a resize changes some. */
static struct value make_reshape_product(struct case_builder *m, struct value x)
{
    const struct value s = shape_of(m, x), w = element(m, s, 2), h = element(m, s, 1);
    const struct value area = arithmetic(m, BUILTIN_MUL, OPTIONS_MulOptions, h, w);
    const struct value all = arithmetic(m, BUILTIN_MUL, OPTIONS_MulOptions, area, element(m, s, 3));

    return rows_of(m, x, pack(m, 2, (const struct value[]){ number(m, -1), all }, 0));
}

/* All but the first row of the image. */
static struct value make_slice(struct case_builder *m, struct value x)
{
    const int32_t first[] = { 0, 1, 0, 0 };
    const struct value begin = constant(m, 4, first);
    const struct value in[] = {
        x, begin, arithmetic(m, BUILTIN_SUB, OPTIONS_SubOptions, shape_of(m, x), begin)
    };
    struct options options;

    options_init(&options, OPTIONS_SliceOptions);
    return op_f32(m, BUILTIN_SLICE, &options, 3, in,
                  &(struct shape)DIMS(x.shape.d[0], x.shape.d[1] - 1, x.shape.d[2], x.shape.d[3]));
}

/* To an even number of rows and columns. */
static struct value make_pad(struct case_builder *m, struct value x)
{
    const int32_t none[] = { 0, 0, 0, 0 };
    const struct value by = constant(m, 4, (const int32_t[]){ 1, 2, 2, 1 });
    const struct value odd =
        arithmetic(m, BUILTIN_FLOOR_MOD, OPTIONS_FloorModOptions, shape_of(m, x), by);
    const struct value pads = pack(m, 2, (const struct value[]){ constant(m, 4, none), odd }, 1);
    struct options options;

    options_init(&options, OPTIONS_PadOptions);
    return op_f32(m, BUILTIN_PAD, &options, 2, (const struct value[]){ x, pads },
                  &(struct shape)DIMS(x.shape.d[0], (x.shape.d[1] + 1) / 2 * 2,
                                      (x.shape.d[2] + 1) / 2 * 2, x.shape.d[3]));
}

static struct value resize(struct case_builder *m, struct value x, struct value size)
{
    struct options options;

    options_init(&options, OPTIONS_ResizeNearestNeighborOptions);
    return op_f32(
        m, BUILTIN_RESIZE_NEAREST_NEIGHBOR, &options, 2, (const struct value[]){ x, size },
        &(struct shape)DIMS(x.shape.d[0], 2 * x.shape.d[1], 2 * x.shape.d[2], x.shape.d[3]));
}

/* To twice the height and width, by MUL, which the runtime has in prepare, and by ADD. */
static struct value make_resize(struct case_builder *m, struct value x)
{
    const struct value two = constant(m, 2, (const int32_t[]){ 2, 2 });

    return resize(m, x,
                  arithmetic(m, BUILTIN_MUL, OPTIONS_MulOptions,
                             elements(m, shape_of(m, x), 1, 3, false), two));
}

static struct value make_resize_added(struct case_builder *m, struct value x)
{
    const struct value size = elements(m, shape_of(m, x), 1, 3, false);

    return resize(m, x, arithmetic(m, BUILTIN_ADD, OPTIONS_AddOptions, size, size));
}

/* The shape is a result of the model, too. */
static struct value make_shown(struct case_builder *m, struct value x)
{
    const struct value to =
        pack(m, 2, (const struct value[]){ element(m, shape_of(m, x), 0), number(m, -1) }, 0);

    graph_add_output(m, to);
    return rows_of(m, x, to);
}

#define GRAPH(name, why, make_, ...)                                                               \
    {                                                                                              \
        ROW(name, why, .gap = GAP_SHAPES, .resized = true), .make = (make_),                       \
                                                            .in = DIMS(__VA_ARGS__)                \
    }
static const struct row rows[] = {
    GRAPH("shape_reshape", "RESHAPE reads a slice of a shape, concatenated", make_reshape, 2, 3, 5,
          3),
    GRAPH("shape_reshape_packed", "RESHAPE reads an element of a shape, packed",
          make_reshape_packed, 2, 3, 5, 3),
    GRAPH("shape_reshape_product", "RESHAPE reads a product of dimensions", make_reshape_product, 2,
          3, 5, 3),
    GRAPH("shape_slice", "SLICE reads a size that follows from a shape", make_slice, 2, 4, 3, 5),
    GRAPH("shape_pad", "PAD reads paddings that follow from a shape", make_pad, 2, 3, 5, 3),
    GRAPH("shape_resize", "RESIZE_NEAREST_NEIGHBOR reads twice a size", make_resize, 2, 3, 2, 5),
    GRAPH("shape_resize_added", "RESIZE_NEAREST_NEIGHBOR reads a sum of sizes", make_resize_added,
          2, 3, 2, 5),
    GRAPH("shape_shown", "a shape that RESHAPE reads is an output", make_shown, 2, 3, 5, 3),
};

/* RELU before, and a product behind it. */
static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct value x = graph_add_unary(m, BUILTIN_RELU, graph_add_input(m, "x", &r->in));
    const struct value y = r->make(m, x);

    graph_add_judged_output(m, graph_add_binary(m, BUILTIN_MUL, y, y, ACTIVATION_NONE));
}

SUITE_UNDRAWN(shape_values, members, rows, build);
