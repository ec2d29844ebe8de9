#include "delegate/tests/kit/scale_models.h"

#include "reference/base/memory.h"
#include "reference/format/builder.h"

static const int32_t row[] = { 1, 4 }, image[] = { 1, 1, 1, 4 };

static int new_row(struct builder *b)
{
    return builder_tensor(b, TENSOR_FLOAT32, "t", 2, row);
}

static int add_unary(struct builder *b, int32_t code, int x)
{
    const int y = new_row(b);

    builder_op(b, code, 1, NULL, 1, &x, 1, &y);
    return y;
}

static int add_sum(struct builder *b, int x, int z)
{
    const int y = new_row(b);
    struct options o;

    options_init(&o, OPTIONS_AddOptions);
    builder_op(b, BUILTIN_ADD, 1, &o, 2, (int[]){ x, z }, 1, &y);
    return y;
}

/* Room for a list of tensors, and the list of those that are to be inputs or outputs. */
struct list {
    int *at;
    size_t count;
};

static struct list new_list(struct builder *b, int room)
{
    struct list l = { arena_alloc(&b->arena, (size_t)room, sizeof(int)), 0 };

    if (!l.at)
        b->status = STATUS_NO_MEMORY;
    return l;
}

static void put(struct list *l, int tensor)
{
    if (l->at)
        l->at[l->count++] = tensor;
}

static enum status finish(struct builder *b, struct model *m, int x, int y, struct diag *diag)
{
    builder_inputs(b, 1, &x);
    builder_outputs(b, 1, &y);
    return builder_finish(b, m, diag);
}

static enum status chain(struct model *m, int nodes, struct diag *diag)
{
    struct builder b;
    int x, y;

    builder_init(&b);
    y = x = new_row(&b);
    for (int i = 0; i < nodes; i++)
        y = add_unary(&b, BUILTIN_RELU, y);
    return finish(&b, m, x, y, diag);
}

/* Nodes of two kinds in turn, of which the delegate takes one: as many partitions as nodes. */
static enum status alternating(struct model *m, int nodes, struct diag *diag)
{
    struct builder b;
    int x, y;

    builder_init(&b);
    y = x = new_row(&b);
    for (int i = 0; i < nodes; i++)
        y = add_unary(&b, i % 2 ? BUILTIN_EXP : BUILTIN_RELU, y);
    return finish(&b, m, x, y, diag);
}

/* All but the first node are computed for nobody. */
static enum status unread(struct model *m, int nodes, struct diag *diag)
{
    struct builder b;
    int x, first, y;

    builder_init(&b);
    x = new_row(&b);
    y = first = add_unary(&b, BUILTIN_RELU, x);
    for (int i = 1; i < nodes; i++)
        y = add_unary(&b, BUILTIN_RELU, y);
    return finish(&b, m, x, first, diag);
}

static enum status fan_out(struct model *m, int nodes, struct diag *diag)
{
    struct builder b;
    struct list out;
    int x;

    builder_init(&b);
    out = new_list(&b, nodes);
    x = new_row(&b);
    for (int i = 0; i < nodes; i++)
        put(&out, add_unary(&b, BUILTIN_RELU, x));
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, out.count, out.at);
    return builder_finish(&b, m, diag);
}

/* Each node has an input and an output of the graph of its own. */
static enum status separate(struct model *m, int nodes, struct diag *diag)
{
    struct builder b;
    struct list in, out;

    builder_init(&b);
    in = new_list(&b, nodes);
    out = new_list(&b, nodes);
    for (int i = 0; i < nodes; i++) {
        put(&in, new_row(&b));
        put(&out, add_unary(&b, BUILTIN_RELU, in.at ? in.at[i] : -1));
    }
    builder_inputs(&b, in.count, in.at);
    builder_outputs(&b, out.count, out.at);
    return builder_finish(&b, m, diag);
}

static enum status concatenation(struct model *m, int nodes, struct diag *diag)
{
    const int32_t dims[] = { nodes, 4 };
    struct options o;
    struct builder b;
    struct list in;
    int y;

    builder_init(&b);
    in = new_list(&b, nodes);
    for (int i = 0; i < nodes; i++)
        put(&in, new_row(&b));
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, dims);
    options_init(&o, OPTIONS_ConcatenationOptions);
    builder_op(&b, BUILTIN_CONCATENATION, 1, &o, in.count, in.at, 1, &y);
    builder_inputs(&b, in.count, in.at);
    builder_outputs(&b, 1, &y);
    return builder_finish(&b, m, diag);
}

static enum status split(struct model *m, int nodes, struct diag *diag)
{
    const int32_t dims[] = { nodes, 4 }, axis = 0;
    struct options o;
    struct builder b;
    struct list out;
    int x, a;

    builder_init(&b);
    out = new_list(&b, nodes);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, dims);
    a = builder_constant(&b, TENSOR_INT32, "axis", 0, NULL, &axis, sizeof axis);
    for (int i = 0; i < nodes; i++)
        put(&out, new_row(&b));
    options_init(&o, OPTIONS_SplitOptions);
    options_set_int(&o, "num_splits", nodes);
    builder_op(&b, BUILTIN_SPLIT, 1, &o, 2, (int[]){ a, x }, out.count, out.at);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, out.count, out.at);
    return builder_finish(&b, m, diag);
}

static enum status unpack(struct model *m, int nodes, struct diag *diag)
{
    const int32_t dims[] = { nodes, 4 }, four = 4;
    struct options o;
    struct builder b;
    struct list out;
    int x;

    builder_init(&b);
    out = new_list(&b, nodes);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, dims);
    for (int i = 0; i < nodes; i++)
        put(&out, builder_tensor(&b, TENSOR_FLOAT32, "t", 1, &four));
    options_init(&o, OPTIONS_UnpackOptions);
    options_set_int(&o, "num", nodes);
    builder_op(&b, BUILTIN_UNPACK, 1, &o, 1, &x, out.count, out.at);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, out.count, out.at);
    return builder_finish(&b, m, diag);
}

/* A convolution and the sum of its input and result, again and again: the sums become part of the
 * convolutions, and write over what they add. */
static enum status residual(struct model *m, int nodes, struct diag *diag)
{
    static const float one[16] = { 1 };
    const int32_t dims[] = { 4, 1, 1, 4 }, channels = 4;
    struct options conv, add;
    struct builder b;
    int x, y, w, bias;

    builder_init(&b);
    y = x = builder_tensor(&b, TENSOR_FLOAT32, "x", 4, image);
    w = builder_constant(&b, TENSOR_FLOAT32, "w", 4, dims, one, sizeof one);
    bias = builder_constant(&b, TENSOR_FLOAT32, "b", 1, &channels, one, 4 * sizeof one[0]);
    options_init(&conv, OPTIONS_Conv2DOptions);
    options_set_int(&conv, "stride_w", 1);
    options_set_int(&conv, "stride_h", 1);
    options_init(&add, OPTIONS_AddOptions);
    for (int i = 0; i < nodes / 2; i++) {
        const int c = builder_tensor(&b, TENSOR_FLOAT32, "c", 4, image);
        const int sum = builder_tensor(&b, TENSOR_FLOAT32, "s", 4, image);

        builder_op(&b, BUILTIN_CONV_2D, 1, &conv, 3, (int[]){ y, w, bias }, 1, &c);
        builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ y, c }, 1, &sum);
        y = sum;
    }
    return finish(&b, m, x, y, diag);
}

/* Half of the nodes convert a constant of f16 that a node reads. */
static enum status f16_constants(struct model *m, int nodes, struct diag *diag)
{
    static const uint16_t zeros[4];
    struct builder b;
    int x, y;

    builder_init(&b);
    y = x = new_row(&b);
    for (int i = 0; i < nodes / 2; i++) {
        int c = builder_constant(&b, TENSOR_FLOAT16, "c", 2, row, zeros, sizeof zeros);

        c = add_unary(&b, BUILTIN_DEQUANTIZE, c);
        y = add_sum(&b, y, c);
    }
    return finish(&b, m, x, y, diag);
}

/* Views of views, all of which are outputs. */
static enum status views(struct model *m, int nodes, struct diag *diag)
{
    static const int32_t shapes[2][2] = { { 2, 2 }, { 1, 4 } };
    struct builder b;
    struct list out;
    int x, y, shape[2];

    builder_init(&b);
    out = new_list(&b, nodes);
    y = x = new_row(&b);
    for (int i = 0; i < 2; i++)
        shape[i] = builder_constant(&b, TENSOR_INT32, "shape", 1, (int32_t[]){ 2 }, shapes[i],
                                    sizeof shapes[i]);
    for (int i = 0; i < nodes; i++) {
        const int next = builder_tensor(&b, TENSOR_FLOAT32, "v", 2, shapes[i % 2]);

        builder_op(&b, BUILTIN_RESHAPE, 1, NULL, 2, (int[]){ y, shape[i % 2] }, 1, &next);
        y = next;
        put(&out, y);
    }
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, out.count, out.at);
    return builder_finish(&b, m, diag);
}

/* A chain of 8-bit sums, which float view rounds each. */
static enum status quantized(struct model *m, int nodes, struct diag *diag)
{
    const float scale = 0.5f;
    const int64_t zero = 3;
    struct options o;
    struct builder b;
    int x, y;

    builder_init(&b);
    options_init(&o, OPTIONS_AddOptions);
    y = x = builder_tensor(&b, TENSOR_INT8, "x", 2, row);
    builder_quantization(&b, x, 1, &scale, &zero, 0);
    for (int i = 0; i < nodes; i++) {
        const int next = builder_tensor(&b, TENSOR_INT8, "q", 2, row);

        builder_quantization(&b, next, 1, &scale, &zero, 0);
        builder_op(&b, BUILTIN_ADD, 2, &o, 2, (int[]){ y, x }, 1, &next);
        y = next;
    }
    return finish(&b, m, x, y, diag);
}

const struct scale_family scale_families[] = {
    { "chain", chain, { NULL } },
    { "chain_fp16", chain, { "precision", "fp16", NULL } },
    { "alternating", alternating, { "exclude", "EXP", NULL } },
    { "alternating_all", alternating, { "exclude", "EXP", "max_partitions", "0", NULL } },
    { "unread", unread, { NULL } },
    { "fan_out", fan_out, { NULL } },
    { "separate", separate, { NULL } },
    { "concatenation", concatenation, { NULL } },
    { "split", split, { NULL } },
    { "unpack", unpack, { NULL } },
    { "residual", residual, { NULL } },
    { "f16_constants", f16_constants, { NULL } },
    { "views", views, { NULL } },
    { "quantized", quantized, { NULL } },
    { "float_view", quantized, { "quantized", "float_view", NULL } },
};
const int scale_family_count = sizeof scale_families / sizeof scale_families[0];
