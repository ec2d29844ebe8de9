/* Nodes whose result equals an input are removed; those that change a -0, a NaN or a shape are not.
 */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#define BETWEEN(name, call)                                                                        \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        const struct kit_tensor t = before(b, x, z);                                               \
        out[0] = behind(b, (call), z);                                                             \
    }

/* clang-format off */
static const struct transform_case cases[] = {
    { "mul by 1", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; MUL {} b f32[1,1,1,5]=1 -> b2; SUB {} b2 z -> b3" },
    { "1 times", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; MUL {} f32[1,1,1,5]=1 b -> b2; SUB {} b2 z -> b3" },
    { "mul by 1, relu", { 1, 2, 3, 5 }, 0, "MUL ",
      "ADD {} x z -> b; MUL {fused_activation_function=RELU} b f32[1,1,1,5]=1 -> b2; "
      "SUB {} b2 z -> b3" },
    { "mul by -1", { 1, 2, 3, 5 }, 0, "MUL ",
      "ADD {} x z -> b; MUL {} b f32[1,1,1,5]=-1 -> b2; SUB {} b2 z -> b3" },
    /* A 1 that is broadcast to a larger shape. */
    { "mul by 1, spread", { 1, 2, 3, 5 }, 0, "MUL ",
      "ADD {} x z -> b; RESHAPE {} b i32[2]=1,30 -> r; MUL {} r f32[3,1]=1 -> y" },
    { "add -0", { 1, 2, 3, 5 }, 1, "SUB ",
      "ADD {} x z -> b; ADD {} f32[1,1,1,5]=-0 b -> b2; SUB {} b2 z -> b3" },
    { "add +0", { 1, 2, 3, 5 }, 0, "ADD node 1",
      "ADD {} x z -> b; ADD {} b f32[1,1,1,5]=0 -> b2; SUB {} b2 z -> b3" },
    { "sub +0", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; SUB {} b f32[1,1,1,5]=0 -> b2; SUB {} b2 z -> b3" },
    { "sub -0", { 1, 2, 3, 5 }, 0, "SUB node 1",
      "ADD {} x z -> b; SUB {} b f32[1,1,1,5]=-0 -> b2; SUB {} b2 z -> b3" },
    { "0 - x", { 1, 2, 3, 5 }, 0, "SUB node 1",
      "ADD {} x z -> b; SUB {} f32[1,1,1,5]=0 b -> b2; SUB {} b2 z -> b3" },
    { "pad by nothing", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; PAD b i32[4,2]=0 -> p; SUB {} p z -> b2" },
    { "reshape to the same", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; RESHAPE {} b i32[4]=1,2,3,5 -> r; SUB {} r z -> b2" },
    { "prelu 1", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; PRELU b f32[1,1,5]=1 -> q; SUB {} q z -> b2" },
    { "prelu 2", { 1, 2, 3, 5 }, 0, "PRELU ",
      "ADD {} x z -> b; PRELU b f32[1,1,5]=2 -> q; SUB {} q z -> b2" },
    { "one concatenated", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; CONCATENATION {axis=3} b -> k; SUB {} k z -> b2" },
    { "two concatenated", { 1, 2, 3, 5 }, 0, "CONCATENATION ",
      "ADD {} x z -> b; CONCATENATION {axis=3} b b -> k" },
    { "slice of everything", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; STRIDED_SLICE {end_mask=4} b i32[4]=0 i32[4]=1,2,0,5 i32[4]=1 -> s; "
      "SUB {} s z -> b2" },
    { "reversed", { 1, 2, 3, 5 }, 0, "STRIDED_SLICE ",
      "ADD {} x z -> b; "
      "STRIDED_SLICE {end_mask=4} b i32[4]=0,1,0,0 i32[4]=1,-3,0,5 i32[4]=1,-1,1,1 -> s; "
      "SUB {} s z -> b2" },
    { "resize to the same", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; RESIZE_BILINEAR:3 {half_pixel_centers=true} b i32[2]=2,3 -> z2; "
      "SUB {} z2 z -> b2" },
    { "resize to twice", { 1, 2, 3, 5 }, 0, "RESIZE_BILINEAR ",
      "ADD {} x z -> b; RESIZE_BILINEAR:3 {half_pixel_centers=true} b i32[2]=4,3 -> z2" },
    /* RESHAPE from 5 channels to 3 and back: two copies without the rewrite, none with it. */
    { "reshapes", { 1, 2, 3, 5 }, 3, "ADD ",
      "ADD {} x z -> b; RESHAPE {} b i32[2]=10,3 -> r; RESHAPE {} r i32[3]=2,3,5 -> r2; "
      "RESHAPE {} r2 i32[4]=1,2,3,5 -> r3; SUB {} r3 z -> b2" },
    { "reshape read twice", { 1, 2, 3, 5 }, 0, "RESHAPE ",
      "ADD {} x z -> b; RESHAPE {} b i32[2]=10,3 -> r; RESHAPE {} r i32[4]=1,2,3,5 -> r2; "
      "SUB {} r2 z -> b2; RELU r -> u" },
    /* The result is an output: the node before writes it. */
    { "to an output", { 1, 2, 3, 5 }, 1, "ADD ",
      "ADD {} x z -> b; RESHAPE {} b i32[4]=1,2,3,5 -> r; SUB {} b z -> b2" },
    /* Both tensors are outputs, or the input has no producer: the node stays. */
    { "both are outputs", { 1, 2, 3, 5 }, 0, "PAD ",
      "ADD {} x z -> b; PAD b i32[4,2]=0 -> p; outputs b p" },
    { "input to output", { 1, 2, 3, 5 }, 0, "PAD ",
      "PAD x i32[4,2]=0 -> p; PAD z i32[4,2]=0 -> p2" },
    /* Removing the node would give the residual a reader after the sum that overwrites it. */
    { "overwritten", { 1, 3, 3, 4 }, 1, "ADD ",
      "RELU z -> u; PAD u i32[4,2]=0 -> p; "
      "CONV_2D {stride_w=1 stride_h=1} x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; "
      "ADD {} y u -> b; MUL {} b p -> b2" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_identity, cases)

TEST_FILE(.before = transform_find_device);
