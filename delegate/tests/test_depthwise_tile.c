/* depthwise_tile.comp, each of its shapes on any device: small integers, so that every sum is exact
 * and results have the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/depthwise_tile.h"
#include "delegate/runtime/delegate.h"

/* Odd sizes: the last rows, columns, slices and lanes of a tile have no pixel or no channel. */
/* clang-format off */
#define ROW(options, window, channels)                                                             \
    "DEPTHWISE_CONV_2D {" options "} x f32[1," window "]=~3(-2..2) f32[" channels "]=~4(-2..2) -> y"
static const struct transform_case rows[] = {
    { "3x3", { 1, 7, 9, 8 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1", "3,3,8", "8") },
    { "a batch, a lane", { 3, 5, 6, 5 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1", "3,3,5", "5") },
    { "valid, clamped", { 2, 6, 7, 3 }, 0, NULL,
      ROW("padding=VALID stride_w=1 stride_h=1 depth_multiplier=1 fused_activation_function=RELU6", "3,3,3", "3") },
    { "stride 2", { 2, 11, 10, 9 }, 0, NULL,
      ROW("stride_w=2 stride_h=2 depth_multiplier=1", "3,3,9", "9") },
    { "stride 2, valid", { 1, 12, 9, 4 }, 0, NULL,
      ROW("padding=VALID stride_w=2 stride_h=2 depth_multiplier=1", "3,3,4", "4") },
    { "stride beyond the window", { 1, 13, 11, 6 }, 0, NULL,
      ROW("padding=VALID stride_w=4 stride_h=4 depth_multiplier=1", "2,2,6", "6") },
    { "dilated", { 1, 9, 9, 7 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1 dilation_w_factor=2 dilation_h_factor=2", "3,3,7", "7") },
    { "5x5", { 1, 8, 7, 12 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1", "5,5,12", "12") },
    { "5x5, stride 3", { 2, 9, 13, 2 }, 0, NULL,
      ROW("stride_w=3 stride_h=3 depth_multiplier=1", "5,5,2", "2") },
    { "7x7", { 1, 9, 8, 1 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1", "7,7,1", "1") },
    { "1x1", { 1, 3, 5, 10 }, 0, NULL,
      ROW("padding=VALID stride_w=1 stride_h=1 depth_multiplier=1", "1,1,10", "10") },
    { "4x4, one pixel", { 1, 4, 4, 4 }, 0, NULL,
      ROW("padding=VALID stride_w=1 stride_h=1 depth_multiplier=1", "4,4,4", "4") },
    { "slices in two workgroups", { 1, 3, 3, 272 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1", "3,3,272", "272") },
    { "slices of no common size", { 1, 2, 3, 269 }, 0, NULL,
      ROW("stride_w=1 stride_h=1 depth_multiplier=1", "3,3,269", "269") },
};
/* clang-format on */

/* So many rows run with every shape, the rest with two. */
enum { ALL_SHAPES = 4 };

static void use_shape(TfLiteDelegate *d, int shape)
{
    struct gpu_delegate *inside = d->data_;

    inside->options.depthwise_tile = shape;
}

static void assert_used(const TfLiteDelegate *d, const char *name)
{
    const int used = gpu_steps_of(d, "depthwise_tile");

    if (used != 1)
        fail_msg("%s: expected 1 step of depthwise_tile, found %d", name, used);
}

TEST(same_results)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    if (!transform_device)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MODEL_BY(m, transform_model(&rows[i], &m));
        INTERPRETER_BY(truth, transform_run(&m, NULL));
        for (int shape = 1; shape <= DEPTHWISE_TILES; shape++) {
            char what[32];

            if (i >= ALL_SHAPES && (shape + (int)i) % DEPTHWISE_TILES > 1)
                continue;
            DELEGATE_BY(d, transform_delegate(precisions[(shape + (int)i) % 2], "nan", NULL));
            use_shape(d, shape);
            INTERPRETER_BY(got, transform_run(&m, d));
            assert_used(d, rows[i].name);
            snprintf(what, sizeof what, "shape %d", shape);
            transform_equal(&rows[i], what, truth, got);
        }
    }
}

TEST_FILE(.before = transform_find_device);
