/* RELU and RELU6 become the activation of the node before them. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* clang-format off */
static const struct transform_case cases[] = {
    { "conv", { 1, 5, 5, 5 }, 1, "CONV_2D+RELU node 0 'u'",
      CONV_VALID "x f32[5,3,3,5]=~1(-2..2) f32[5]=1,2,0,0,-1 -> y; RELU y -> u" },
    { "depthwise, batch", { 2, 3, 4, 6 }, 1, "DEPTHWISE_CONV_2D+RELU6 ",
      "DEPTHWISE_CONV_2D {stride_w=1 stride_h=1 depth_multiplier=1} x f32[1,3,3,6]=~1(-2..2) "
      "f32[6]=1,2,0,0,-1,-2 -> y; RELU6 y -> u" },
    /* relu6(relu(v)) is relu6(v), in either order. */
    { "two clamps", { 1, 2, 3, 5 }, 4, "SUB+RELU6+RELU6 ",
      "ADD {fused_activation_function=RELU} x z -> b; RELU6 b -> u; "
      "MUL {fused_activation_function=RELU6} u x -> b2; RELU b2 -> u2; SUB {} u2 z -> b3; "
      "RELU6 b3 -> u3; RELU6 u3 -> u4" },
    { "max pool", { 1, 4, 4, 3 }, 1, "MAX_POOL_2D+RELU ",
      "MAX_POOL_2D {padding=VALID stride_w=2 stride_h=2 filter_width=2 filter_height=2} x -> m; "
      "RELU m -> u" },
    /* No fused activation equals RELU after RELU_N1_TO_1. */
    { "relu_n1_to_1", { 1, 2, 3, 5 }, 0, "RELU ",
      "ADD {fused_activation_function=RELU_N1_TO_1} x z -> b; RELU b -> u" },
    /* LEAKY_RELU has parameters, of which none is an activation: here alpha, 0. */
    { "leaky relu", { 1, 2, 3, 5 }, 0, "RELU6 ",
      "LEAKY_RELU x -> u; RELU6 u -> u2" },
    { "second reader", { 1, 2, 3, 4 }, 0, "RELU ",
      "ADD {} x z -> b; RELU b -> u; SUB {} u b -> b2" },
    { "graph output", { 1, 2, 3, 4 }, 0, "RELU ",
      "ADD {} x z -> b; RELU b -> u; outputs u b" },
    /* A RESHAPE has no fused activation; an input of the graph has no producer. */
    { "no producer", { 1, 2, 3, 4 }, 0, "RELU6 ",
      "RELU x -> u; RESHAPE {} z i32[2]=1,24 -> r; RELU6 r -> u2" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_activation, cases)

TEST_FILE(.before = transform_find_device);
