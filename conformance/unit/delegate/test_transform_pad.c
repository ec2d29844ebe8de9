/* PAD becomes the padding of the convolution after it. */
#include "conformance/unit/kit/transform_kit.h"

#include <math.h>

static const int32_t uneven[8] = { 0, 0, 1, 0, 2, 3, 0, 0 };

static void into_conv(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    const struct kit_conv c = { .kernel = 3, .stride = 2, .channels = 6 };

    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, uneven), c);
}

static void into_depthwise(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                           struct kit_tensor out[3])
{
    const struct kit_conv c = { .kernel = 3, .dilation = 2, .depthwise = true };

    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, uneven), c);
}

/* Padding around a 1x1 convolution: results there are the bias. */
static void into_1x1(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, uneven), (struct kit_conv){ .channels = 7 });
}

static void grouped(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                    struct kit_tensor out[3])
{
    const struct kit_conv c = { .kernel = 3, .channels = 6, .groups = 3 };

    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, uneven), c);
}

static void twice(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3])
{
    (void)z;
    out[0] =
        kit_conv_2d(b, kit_pad(b, kit_pad(b, x, uneven), uneven), (struct kit_conv){ .kernel = 3 });
}

static void same_padding(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    const struct kit_conv c = { .kernel = 3, .same = true };

    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, uneven), c);
}

static void of_channels(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 1 }),
                         (struct kit_conv){ .kernel = 3 });
}

static void of_batch(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_conv_2d(b, kit_pad(b, x, (const int32_t[]){ 1, 0, 1, 1, 1, 1, 0, 0 }),
                         (struct kit_conv){ .kernel = 3 });
}

static void second_reader(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_pad(b, x, uneven);

    (void)z;
    out[0] = kit_conv_2d(b, t, (struct kit_conv){ .kernel = 3 });
    out[1] = kit_unary(b, BUILTIN_RELU, t);
}

static void exposed(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                    struct kit_tensor out[3])
{
    (void)z;
    out[1] = kit_pad(b, x, uneven);
    out[0] = kit_conv_2d(b, out[1], (struct kit_conv){ .kernel = 3 });
}

/* A pool over a padded image averages the zeros; a pool with padding does not. */
static void into_pool(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 });
    struct options o;

    (void)z;
    out[0] = kit_tensor(b, "m", KIT_DIMS(t.dims[0], t.dims[1] / 2, t.dims[2] / 2, t.dims[3]));
    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "stride_h", 2);
    options_set_int(&o, "stride_w", 2);
    options_set_int(&o, "filter_height", 2);
    options_set_int(&o, "filter_width", 2);
    builder_op(b, BUILTIN_MAX_POOL_2D, 1, &o, 1, &t.index, 1, &out[0].index);
}

/* The padded tensor is the weights, not the input. */
static void into_weights(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    const struct kit_tensor w = kit_pad(b, z, (const int32_t[]){ 0, 0, 1, 0, 0, 0, 0, 0 });
    struct options o;

    out[0] = kit_tensor(
        b, "y",
        KIT_DIMS(x.dims[0], x.dims[1] - w.dims[1] + 1, x.dims[2] - w.dims[2] + 1, w.dims[0]));
    options_init(&o, OPTIONS_Conv2DOptions);
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "stride_w", 1);
    builder_op(b, BUILTIN_CONV_2D, 1, &o, 3,
               (int[]){ kit_pad(b, x, uneven).index, w.index, kit_filled(b, 1, w.dims, 0) }, 1,
               &out[0].index);
}

/* Infinite weights times the zeros of PAD are NaN, which padding would skip: the PAD stays. */
static void infinite_weights(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                             struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_pad(b, x, uneven);
    const int32_t dims[] = { 1, 1, 1, x.dims[3] };
    struct options o;

    (void)z;
    out[0] = kit_tensor(b, "y", t.rank, t.dims);
    options_init(&o, OPTIONS_DepthwiseConv2DOptions);
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "depth_multiplier", 1);
    builder_op(b, BUILTIN_DEPTHWISE_CONV_2D, 1, &o, 2,
               (int[]){ t.index, kit_filled(b, 4, dims, INFINITY) }, 1, &out[0].index);
}

static const struct transform_case cases[] = {
    { "conv", into_conv, { 2, 5, 6, 5 }, 1, "PAD+CONV_2D node 1 'y'" },
    { "depthwise", into_depthwise, { 1, 5, 6, 5 }, 1, "PAD+DEPTHWISE_CONV_2D " },
    { "1x1", into_1x1, { 1, 3, 3, 8 }, 1, "PAD+CONV_2D " },
    { "grouped", grouped, { 1, 4, 4, 6 }, 1, "PAD+CONV_2D " },
    { "two of them", twice, { 1, 4, 4, 4 }, 2, "PAD+PAD+CONV_2D " },
    { "same", same_padding, { 1, 4, 4, 4 }, 0, "PAD " },
    { "channels", of_channels, { 1, 4, 4, 4 }, 0, "PAD " },
    { "batch", of_batch, { 1, 4, 4, 4 }, 0, "PAD " },
    { "second reader", second_reader, { 1, 4, 4, 4 }, 0, "PAD " },
    { "graph output", exposed, { 1, 4, 4, 4 }, 0, "PAD " },
    { "pool", into_pool, { 1, 4, 4, 4 }, 0, "PAD " },
};
static const struct transform_case odd[] = {
    { "computed weights", into_weights, { 3, 3, 3, 4 }, 0, "PAD " },
    { "infinite weights", infinite_weights, { 1, 3, 3, 4 }, 0, "PAD " },
};
TRANSFORM_TESTS(TRANSFORM_pad, cases)

static void odd_ones_do_not(void **state)
{
    (void)state;
    transform_all_fire(odd, sizeof odd / sizeof odd[0], TRANSFORM_pad);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fires), cmocka_unit_test(odd_ones_do_not),
                                        cmocka_unit_test(same_results) };

    transform_find_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
