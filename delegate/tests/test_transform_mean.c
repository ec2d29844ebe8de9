/* AVERAGE_POOL_2D over the whole image runs as MEAN. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

static struct kit_tensor pool(struct builder *b, struct kit_tensor x, int32_t code, int32_t height,
                              int32_t width, bool same, int activation)
{
    const struct kit_tensor y = kit_tensor(b, "y",
                                           KIT_DIMS(x.dims[0], same ? 1 : x.dims[1] - height + 1,
                                                    same ? 1 : x.dims[2] - width + 1, x.dims[3]));
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", !same);
    options_set_int(&o, "stride_h", same ? x.dims[1] : 1);
    options_set_int(&o, "stride_w", same ? x.dims[2] : 1);
    options_set_int(&o, "filter_height", height);
    options_set_int(&o, "filter_width", width);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(b, code, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}

#define POOL(name, ...)                                                                            \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        (void)z;                                                                                   \
        out[0] = pool(b, x, __VA_ARGS__);                                                          \
    }
POOL(whole, BUILTIN_AVERAGE_POOL_2D, x.dims[1], x.dims[2], false, kTfLiteActNone)
POOL(whole_relu, BUILTIN_AVERAGE_POOL_2D, x.dims[1], x.dims[2], false, kTfLiteActRelu)
POOL(maximum, BUILTIN_MAX_POOL_2D, x.dims[1], x.dims[2], false, kTfLiteActNone)
POOL(part, BUILTIN_AVERAGE_POOL_2D, x.dims[1], x.dims[2] / 2, false, kTfLiteActNone)
POOL(same_part, BUILTIN_AVERAGE_POOL_2D, x.dims[1] - 1, x.dims[2], true, kTfLiteActNone)
POOL(same, BUILTIN_AVERAGE_POOL_2D, x.dims[1], x.dims[2], true, kTfLiteActNone)

/* MEAN has no fused activation for the RELU after it, so that transform must be applied first. */
static void relu_behind(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    whole(b, x, z, out);
    out[0] = kit_unary(b, BUILTIN_RELU, out[0]);
}

/* Sums of 16 or 32 pixels: the division is exact. */
static const struct transform_case cases[] = {
    { "whole image", whole, { 1, 4, 4, 5 }, 1, "AVERAGE_POOL_2D node 0 'y'" },
    { "batch", whole, { 3, 8, 4, 17 }, 1, "AVERAGE_POOL_2D " },
    { "too small", whole, { 1, 4, 2, 5 }, 0, "AVERAGE_POOL_2D " },
    { "activation", whole_relu, { 1, 4, 4, 5 }, 0, "AVERAGE_POOL_2D " },
    { "relu behind", relu_behind, { 1, 4, 4, 5 }, 0, "AVERAGE_POOL_2D+RELU " },
    { "maximum", maximum, { 1, 4, 4, 5 }, 0, "MAX_POOL_2D " },
    { "wider stride than image", same, { 2, 2, 8, 3 }, 1, "AVERAGE_POOL_2D " },
    { "part of the image", part, { 1, 4, 8, 5 }, 0, "AVERAGE_POOL_2D " },
    { "same", same, { 1, 4, 4, 5 }, 1, "AVERAGE_POOL_2D " },
    { "same, part", same_part, { 1, 5, 4, 5 }, 0, "AVERAGE_POOL_2D " },
};
TRANSFORM_TESTS(TRANSFORM_mean, cases)

TEST_FILE(.before = transform_find_device);
