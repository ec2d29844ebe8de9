/* AVERAGE_POOL_2D over the whole image runs as MEAN. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#define POOL(name, ...)                                                                            \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        (void)z;                                                                                   \
        out[0] = pool(b, x, __VA_ARGS__);                                                          \
    }
/* Sums of 16 or 32 pixels: the division is exact. */
/* clang-format off */
static const struct transform_case cases[] = {
    { "whole image", { 1, 4, 4, 5 }, 1, "AVERAGE_POOL_2D node 0 'y'",
      "AVERAGE_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=4 filter_height=4} x -> y" },
    { "batch", { 3, 8, 4, 17 }, 1, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=4 filter_height=8} x -> y" },
    { "too small", { 1, 4, 2, 5 }, 0, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=2 filter_height=4} x -> y" },
    { "activation", { 1, 4, 4, 5 }, 0, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=4 filter_height=4 "
      "fused_activation_function=RELU} x -> y" },
    /* MEAN has no fused activation for the RELU after it, so that transform must be applied first. */
    { "relu behind", { 1, 4, 4, 5 }, 0, "AVERAGE_POOL_2D+RELU ",
      "AVERAGE_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=4 filter_height=4} x "
      "-> y; RELU y -> u" },
    { "maximum", { 1, 4, 4, 5 }, 0, "MAX_POOL_2D ",
      "MAX_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=4 filter_height=4} x -> y" },
    { "wider stride than image", { 2, 2, 8, 3 }, 1, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {stride_w=8 stride_h=2 filter_width=8 filter_height=2} x -> y" },
    { "part of the image", { 1, 4, 8, 5 }, 0, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {padding=VALID stride_w=1 stride_h=1 filter_width=4 filter_height=4} x -> y" },
    { "same", { 1, 4, 4, 5 }, 1, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {stride_w=4 stride_h=4 filter_width=4 filter_height=4} x -> y" },
    { "same, part", { 1, 5, 4, 5 }, 0, "AVERAGE_POOL_2D ",
      "AVERAGE_POOL_2D {stride_w=4 stride_h=5 filter_width=4 filter_height=4} x -> y" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_mean, cases)

TEST_FILE(.before = transform_find_device);
