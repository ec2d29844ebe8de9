/* Nodes whose result equals an input are removed; those that change a -0, a NaN or a shape are not.
 */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>

/* A node between two others. */
static struct kit_tensor before(struct builder *b, struct kit_tensor x, struct kit_tensor z)
{
    return kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActNone);
}

static struct kit_tensor behind(struct builder *b, struct kit_tensor y, struct kit_tensor z)
{
    return kit_binary(b, BUILTIN_SUB, y, z.index, kTfLiteActNone);
}

#define BETWEEN(name, call)                                                                        \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        const struct kit_tensor t = before(b, x, z);                                               \
        out[0] = behind(b, (call), z);                                                             \
    }

static struct kit_tensor operand(struct builder *b, int32_t code, struct kit_tensor t, int first,
                                 float value, int activation)
{
    const int c = kit_filled(b, KIT_DIMS(1, 1, 1, t.dims[3]), value);
    const struct kit_tensor y = kit_tensor(b, "b", t.rank, t.dims);
    struct options o;

    options_init(&o, code == BUILTIN_MUL   ? OPTIONS_MulOptions
                     : code == BUILTIN_SUB ? OPTIONS_SubOptions
                                           : OPTIONS_AddOptions);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(b, code, 1, code == BUILTIN_PRELU ? NULL : &o, 2,
               first ? (int[]){ c, t.index } : (int[]){ t.index, c }, 1, &y.index);
    return y;
}

BETWEEN(mul_1, operand(b, BUILTIN_MUL, t, 0, 1, 0))
BETWEEN(mul_1_first, operand(b, BUILTIN_MUL, t, 1, 1, 0))
BETWEEN(mul_1_relu, operand(b, BUILTIN_MUL, t, 0, 1, kTfLiteActRelu))
BETWEEN(mul_minus_1, operand(b, BUILTIN_MUL, t, 0, -1, 0))
BETWEEN(add_minus_0, operand(b, BUILTIN_ADD, t, 1, -0.0f, 0))
BETWEEN(add_plus_0, operand(b, BUILTIN_ADD, t, 0, 0, 0))
BETWEEN(sub_plus_0, operand(b, BUILTIN_SUB, t, 0, 0, 0))
BETWEEN(sub_minus_0, operand(b, BUILTIN_SUB, t, 0, -0.0f, 0))
BETWEEN(sub_from_0, operand(b, BUILTIN_SUB, t, 1, 0, 0))
BETWEEN(pad_nothing, kit_pad(b, t, (const int32_t[8]){ 0 }))
BETWEEN(reshape_same, kit_reshape(b, t, t.rank, t.dims))

static struct kit_tensor prelu(struct builder *b, struct kit_tensor t, float slope)
{
    const int alpha = kit_filled(b, KIT_DIMS(1, 1, t.dims[3]), slope);
    const struct kit_tensor y = kit_tensor(b, "q", t.rank, t.dims);

    builder_op(b, BUILTIN_PRELU, 1, NULL, 2, (int[]){ t.index, alpha }, 1, &y.index);
    return y;
}
BETWEEN(prelu_1, prelu(b, t, 1))
BETWEEN(prelu_2, prelu(b, t, 2))

/* A 1 that is broadcast to a larger shape. */
static void mul_1_spread(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    const int32_t n = x.dims[0] * x.dims[1] * x.dims[2] * x.dims[3];
    const struct kit_tensor row = kit_reshape(b, before(b, x, z), KIT_DIMS(1, n));
    const int ones = kit_filled(b, KIT_DIMS(3, 1), 1);
    struct options o;

    options_init(&o, OPTIONS_MulOptions);
    out[0] = kit_tensor(b, "y", KIT_DIMS(3, n));
    builder_op(b, BUILTIN_MUL, 1, &o, 2, (int[]){ row.index, ones }, 1, &out[0].index);
}

static struct kit_tensor concatenation(struct builder *b, struct kit_tensor t, int count)
{
    const struct kit_tensor y =
        kit_tensor(b, "k", KIT_DIMS(t.dims[0], t.dims[1], t.dims[2], count * t.dims[3]));
    struct options o;

    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", 3);
    builder_op(b, BUILTIN_CONCATENATION, 1, &o, (size_t)count, (int[]){ t.index, t.index }, 1,
               &y.index);
    return y;
}
BETWEEN(concat_one, concatenation(b, t, 1))

static void concat_two(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                       struct kit_tensor out[3])
{
    out[0] = concatenation(b, before(b, x, z), 2);
}

static struct kit_tensor slice(struct builder *b, struct kit_tensor t, int32_t stride)
{
    const int32_t begin[] = { 0, stride > 0 ? 0 : t.dims[1] - 1, 0, 0 };
    const int32_t end[] = { t.dims[0], stride > 0 ? t.dims[1] : -t.dims[1] - 1, 0, t.dims[3] };
    const int32_t strides[] = { 1, stride, 1, 1 };
    const int inputs[] = { t.index, kit_ints(b, KIT_DIMS(4), begin), kit_ints(b, KIT_DIMS(4), end),
                           kit_ints(b, KIT_DIMS(4), strides) };
    const struct kit_tensor y = kit_tensor(b, "s", t.rank, t.dims);
    struct options o;

    options_init(&o, OPTIONS_StridedSliceOptions);
    options_set_int(&o, "end_mask", 4);
    builder_op(b, BUILTIN_STRIDED_SLICE, 1, &o, 4, inputs, 1, &y.index);
    return y;
}
BETWEEN(slice_all, slice(b, t, 1))
BETWEEN(slice_reversed, slice(b, t, -1))

static struct kit_tensor resize(struct builder *b, struct kit_tensor t, int32_t height)
{
    const int size = kit_ints(b, KIT_DIMS(2), (const int32_t[]){ height, t.dims[2] });
    const struct kit_tensor y =
        kit_tensor(b, "z", KIT_DIMS(t.dims[0], height, t.dims[2], t.dims[3]));
    struct options o;

    options_init(&o, OPTIONS_ResizeBilinearOptions);
    options_set_int(&o, "half_pixel_centers", 1);
    builder_op(b, BUILTIN_RESIZE_BILINEAR, 3, &o, 2, (int[]){ t.index, size }, 1, &y.index);
    return y;
}
BETWEEN(resize_same, resize(b, t, t.dims[1]))

static void resize_double(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    out[0] = resize(b, before(b, x, z), 2 * x.dims[1]);
}

/* RESHAPE from 5 channels to 3 and back: two copies without the rewrite, none with it. */
static void reshapes(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    struct kit_tensor t = before(b, x, z);

    t = kit_reshape(b, t, KIT_DIMS(10, 3));
    t = kit_reshape(b, t, KIT_DIMS(2, 3, 5));
    t = kit_reshape(b, t, x.rank, x.dims);
    out[0] = behind(b, t, z);
}

static void reshape_read_twice(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                               struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_reshape(b, before(b, x, z), KIT_DIMS(10, 3));

    out[0] = behind(b, kit_reshape(b, t, x.rank, x.dims), z);
    out[1] = kit_unary(b, BUILTIN_RELU, t);
}

/* The result is an output: the node before writes it. */
static void to_output(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    const struct kit_tensor t = before(b, x, z);

    out[0] = kit_reshape(b, t, t.rank, t.dims);
    out[1] = behind(b, t, z);
}

/* Both tensors are outputs, or the input has no producer: the node stays. */
static void both_outputs(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    out[0] = before(b, x, z);
    out[1] = kit_pad(b, out[0], (const int32_t[8]){ 0 });
}

static void input_to_output(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    out[0] = kit_pad(b, x, (const int32_t[8]){ 0 });
    out[1] = kit_pad(b, z, (const int32_t[8]){ 0 });
}

/* Removing the node would give the residual a reader after the sum that overwrites it. */
static void overwritten(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, z);
    const struct kit_tensor copy = kit_pad(b, t, (const int32_t[8]){ 0 });
    const struct kit_conv c = { .kernel = 3, .same = true };
    const struct kit_tensor sum =
        kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, c), t.index, kTfLiteActNone);

    out[0] = kit_binary(b, BUILTIN_MUL, sum, copy.index, kTfLiteActNone);
}

static const struct transform_case cases[] = {
    { "mul by 1", mul_1, { 1, 2, 3, 5 }, 1, "ADD " },
    { "1 times", mul_1_first, { 1, 2, 3, 5 }, 1, "ADD " },
    { "mul by 1, relu", mul_1_relu, { 1, 2, 3, 5 }, 0, "MUL " },
    { "mul by -1", mul_minus_1, { 1, 2, 3, 5 }, 0, "MUL " },
    { "mul by 1, spread", mul_1_spread, { 1, 2, 3, 5 }, 0, "MUL " },
    { "add -0", add_minus_0, { 1, 2, 3, 5 }, 1, "SUB " },
    { "add +0", add_plus_0, { 1, 2, 3, 5 }, 0, "ADD node 1" },
    { "sub +0", sub_plus_0, { 1, 2, 3, 5 }, 1, "ADD " },
    { "sub -0", sub_minus_0, { 1, 2, 3, 5 }, 0, "SUB node 1" },
    { "0 - x", sub_from_0, { 1, 2, 3, 5 }, 0, "SUB node 1" },
    { "pad by nothing", pad_nothing, { 1, 2, 3, 5 }, 1, "ADD " },
    { "reshape to the same", reshape_same, { 1, 2, 3, 5 }, 1, "ADD " },
    { "prelu 1", prelu_1, { 1, 2, 3, 5 }, 1, "ADD " },
    { "prelu 2", prelu_2, { 1, 2, 3, 5 }, 0, "PRELU " },
    { "one concatenated", concat_one, { 1, 2, 3, 5 }, 1, "ADD " },
    { "two concatenated", concat_two, { 1, 2, 3, 5 }, 0, "CONCATENATION " },
    { "slice of everything", slice_all, { 1, 2, 3, 5 }, 1, "ADD " },
    { "reversed", slice_reversed, { 1, 2, 3, 5 }, 0, "STRIDED_SLICE " },
    { "resize to the same", resize_same, { 1, 2, 3, 5 }, 1, "ADD " },
    { "resize to twice", resize_double, { 1, 2, 3, 5 }, 0, "RESIZE_BILINEAR " },
    { "reshapes", reshapes, { 1, 2, 3, 5 }, 3, "ADD " },
    { "reshape read twice", reshape_read_twice, { 1, 2, 3, 5 }, 0, "RESHAPE " },
    { "to an output", to_output, { 1, 2, 3, 5 }, 1, "ADD " },
    { "both are outputs", both_outputs, { 1, 2, 3, 5 }, 0, "PAD " },
    { "input to output", input_to_output, { 1, 2, 3, 5 }, 0, "PAD " },
    { "overwritten", overwritten, { 1, 3, 3, 4 }, 1, "ADD " },
};
TRANSFORM_TESTS(TRANSFORM_identity, cases)

TEST_FILE(.before = transform_find_device);
