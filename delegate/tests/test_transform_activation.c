/* RELU and RELU6 become the activation of the node before them. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

static void conv_relu(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_unary(b, BUILTIN_RELU, kit_conv_2d(b, x, (struct kit_conv){ .kernel = 3 }));
}

static void depthwise_relu6(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    const struct kit_conv c = { .kernel = 3, .same = true, .depthwise = true };

    (void)z;
    out[0] = kit_unary(b, BUILTIN_RELU6, kit_conv_2d(b, x, c));
}

/* relu6(relu(v)) is relu6(v), in either order. */
static void both_ways(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    struct kit_tensor t = kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActRelu);

    t = kit_unary(b, BUILTIN_RELU6, t);
    t = kit_binary(b, BUILTIN_MUL, t, x.index, kTfLiteActRelu6);
    t = kit_unary(b, BUILTIN_RELU, t);
    t = kit_binary(b, BUILTIN_SUB, t, z.index, kTfLiteActNone);
    out[0] = kit_unary(b, BUILTIN_RELU6, kit_unary(b, BUILTIN_RELU6, t));
}

/* No fused activation equals RELU after RELU_N1_TO_1. */
static void n1_stays(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    out[0] =
        kit_unary(b, BUILTIN_RELU, kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActReluN1To1));
}

static void second_reader(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActNone);

    out[0] = kit_binary(b, BUILTIN_SUB, kit_unary(b, BUILTIN_RELU, t), t.index, kTfLiteActNone);
}

static void exposed(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                    struct kit_tensor out[3])
{
    out[1] = kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActNone);
    out[0] = kit_unary(b, BUILTIN_RELU, out[1]);
}

/* A RESHAPE has no fused activation; an input of the graph has no producer. */
static void no_producer(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    const int32_t n = z.dims[0] * z.dims[1] * z.dims[2] * z.dims[3];

    out[0] = kit_unary(b, BUILTIN_RELU, x);
    out[1] = kit_unary(b, BUILTIN_RELU6, kit_reshape(b, z, KIT_DIMS(1, n)));
}

/* LEAKY_RELU has parameters, of which none is an activation: here alpha, 0. */
static void leaky_stays(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_unary(b, BUILTIN_RELU6, kit_unary(b, BUILTIN_LEAKY_RELU, x));
}

static void max_pool_relu(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor y =
        kit_tensor(b, "m", KIT_DIMS(x.dims[0], x.dims[1] / 2, x.dims[2] / 2, x.dims[3]));
    struct options o;

    (void)z;
    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "stride_h", 2);
    options_set_int(&o, "stride_w", 2);
    options_set_int(&o, "filter_height", 2);
    options_set_int(&o, "filter_width", 2);
    builder_op(b, BUILTIN_MAX_POOL_2D, 1, &o, 1, &x.index, 1, &y.index);
    out[0] = kit_unary(b, BUILTIN_RELU, y);
}

static const struct transform_case cases[] = {
    { "conv", conv_relu, { 1, 5, 5, 5 }, 1, "CONV_2D+RELU node 0 'u'" },
    { "depthwise, batch", depthwise_relu6, { 2, 3, 4, 6 }, 1, "DEPTHWISE_CONV_2D+RELU6 " },
    { "two clamps", both_ways, { 1, 2, 3, 5 }, 4, "SUB+RELU6+RELU6 " },
    { "max pool", max_pool_relu, { 1, 4, 4, 3 }, 1, "MAX_POOL_2D+RELU " },
    { "relu_n1_to_1", n1_stays, { 1, 2, 3, 5 }, 0, "RELU " },
    { "leaky relu", leaky_stays, { 1, 2, 3, 5 }, 0, "RELU6 " },
    { "second reader", second_reader, { 1, 2, 3, 4 }, 0, "RELU " },
    { "graph output", exposed, { 1, 2, 3, 4 }, 0, "RELU " },
    { "no producer", no_producer, { 1, 2, 3, 4 }, 0, "RELU6 " },
};
TRANSFORM_TESTS(TRANSFORM_activation, cases)

TEST_FILE(.before = transform_find_device);
