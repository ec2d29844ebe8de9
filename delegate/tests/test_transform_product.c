/* FULLY_CONNECTED of few rows runs as a 1x1 convolution. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#define UNITS(name, depth, units, bias)                                                            \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        (void)z;                                                                                   \
        out[0] = fully_connected(b, x, (depth), (units), -1, (bias));                              \
    }
/* clang-format off */
static const struct transform_case cases[] = {
    { "large", { 1, 1, 1, 256 }, 1, "FULLY_CONNECTED node 0 'y'",
      "FULLY_CONNECTED {fused_activation_function=RELU6} x f32[256,256]=~1(-2..2) "
      "f32[256]=~2(-2..2) -> y" },
    { "one unit short", { 1, 1, 1, 256 }, 0, "FULLY_CONNECTED ",
      "FULLY_CONNECTED {fused_activation_function=RELU6} x f32[255,256]=~1(-2..2) "
      "f32[255]=~2(-2..2) -> y" },
    { "repacked, no bias", { 1, 2, 9, 28 }, 1, "FULLY_CONNECTED ",
      "FULLY_CONNECTED {fused_activation_function=RELU6} x f32[131,252]=~1(-2..2) - -> y" },
    /* Weights that are computed at run time. */
    { "computed weights", { 1, 1, 3, 8192 }, 1, "FULLY_CONNECTED ",
      "RELU z -> u; RESHAPE {} u i32[2]=3,8192 -> r; "
      "FULLY_CONNECTED {fused_activation_function=RELU6} x r f32[3]=0,1,-1 -> y" },
    { "three rows", { 3, 1, 1, 128 }, 1, "FULLY_CONNECTED ",
      "FULLY_CONNECTED {fused_activation_function=RELU6} x f32[171,128]=~1(-2..2) "
      "f32[171]=~2(-2..2) -> y" },
    { "four rows", { 1, 4, 1, 128 }, 0, "FULLY_CONNECTED ",
      "FULLY_CONNECTED {fused_activation_function=RELU6} x f32[171,128]=~1(-2..2) "
      "f32[171]=~2(-2..2) -> y" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_product, cases)

TEST_FILE(.before = transform_find_device);
