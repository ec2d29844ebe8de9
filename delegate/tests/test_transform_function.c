/* Functions become the activation of the node before them. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* x times a constant, of which the functions below are exact: of multiples of 4 those of x + 3, of
 * multiples of 200 the logistic one. */
/* clang-format off */
static const struct transform_case cases[] = {
    { "hard swish", { 1, 2, 3, 5 }, 1, "MUL+HARD_SWISH node 0 'u'",
      "MUL {} x f32[]=4 -> b; HARD_SWISH b -> u" },
    { "logistic", { 2, 3, 4, 6 }, 1, "MUL+LOGISTIC ",
      "MUL {} x f32[]=200 -> b; LOGISTIC b -> u" },
    { "hard sigmoid of Keras", { 1, 2, 3, 5 }, 1, "MUL+ADD+MUL ",
      "MUL {} x f32[]=4 -> b; ADD {} b z -> b2; MUL {} b2 f32[]=4 -> b3; "
      "ADD {fused_activation_function=RELU6} b3 f32[]=3 -> b4; MUL {} b4 f32[]=0.16666667 -> b5" },
    { "swish", { 1, 2, 3, 5 }, 1, "MUL+LOGISTIC+MUL ",
      "MUL {} x f32[]=200 -> b; LOGISTIC b -> u; MUL {} b u -> b2" },
    { "swish, the other way round", { 1, 2, 3, 5 }, 1, "MUL+LOGISTIC+MUL ",
      "MUL {} x f32[]=200 -> b; LOGISTIC b -> u; MUL {} u b -> b2" },
    /* The result of a node with a function is not clamped. */
    { "before a clamp", { 1, 2, 3, 5 }, 1, "RELU6 ",
      "MUL {} x f32[]=4 -> b; HARD_SWISH b -> u; RELU6 u -> u2" },
    { "after a clamp", { 1, 2, 3, 5 }, 0, "HARD_SWISH ",
      "MUL {fused_activation_function=RELU} x f32[]=4 -> b; HARD_SWISH b -> u" },
    { "second reader", { 1, 2, 3, 4 }, 0, "HARD_SWISH ",
      "MUL {} x f32[]=4 -> b; HARD_SWISH b -> u; SUB {} u b -> b2" },
    /* x * LOGISTIC(x) where another node reads x, or the LOGISTIC. */
    { "second reader of a swish", { 1, 2, 3, 4 }, 0, "LOGISTIC ",
      "MUL {} x f32[]=200 -> b; MUL {} z f32[]=200 -> b2; LOGISTIC b -> u; LOGISTIC b2 -> u2; "
      "MUL {} b u -> b3; SUB {} b x -> b4; MUL {} b2 u2 -> b5; ADD {} u2 b5 -> b6" },
    /* Another gate than that of x, whose tensor another node reads. */
    { "another gate", { 1, 2, 3, 4 }, 0, "LOGISTIC ",
      "MUL {} x f32[]=200 -> b; MUL {} z f32[]=200 -> b2; LOGISTIC b2 -> u; MUL {} b u -> b3; "
      "SUB {} b2 x -> b4" },
    { "graph output, and a view", { 1, 2, 3, 5 }, 0, "HARD_SWISH ",
      "MUL {} x f32[]=4 -> b; HARD_SWISH b -> u; MUL {} x f32[]=8 -> b2; "
      "RESHAPE {} b2 i32[2]=1,30 -> r; HARD_SWISH r -> u2; outputs u b u2" },
    /* Nearly a hard sigmoid: another offset, another factor, a factor that is clamped. */
    { "other constants", { 1, 2, 3, 4 }, 0, "ADD ",
      "MUL {} x f32[]=4 -> b; MUL {} z f32[]=4 -> b2; "
      "ADD {fused_activation_function=RELU6} b2 f32[]=3 -> b3; "
      "ADD {fused_activation_function=RELU6} b f32[]=2 -> b4; MUL {} b4 f32[]=0.5 -> b5; "
      "MUL {fused_activation_function=RELU} b3 f32[]=0.16666667 -> b6; MUL {} z f32[]=16 -> b7; "
      "ADD {fused_activation_function=RELU6} b7 f32[]=8 -> b8; MUL {} b8 f32[]=0.16666667 -> b9" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_function, cases)

/* ---- bits ---- */

/* clang-format off */
static const struct transform_case any_values[] = {
    { "products", { 1, 5, 6, 7 }, 3, "MUL+LOGISTIC+MUL ",
      "MUL {} x f32[]=0.37 -> t; MUL {} z f32[]=0.71 -> v; LOGISTIC t -> l; MUL {} t l -> a; "
      "MUL {} x f32[]=0.83 -> m; HARD_SWISH m -> h; ADD {} v x -> s; "
      "ADD {fused_activation_function=RELU6} s f32[]=3 -> c; MUL {} c f32[]=0.16666667 -> y" },
    { "convolutions", { 1, 5, 6, 8 }, 3, "DEPTHWISE_CONV_2D+HARD_SWISH ",
      "MUL {} z f32[]=0.19 -> u; MUL {} x f32[]=0.23 -> v; "
      "CONV_2D {stride_w=1 stride_h=1} u f32[8,3,3,8]=~3(-2..2) f32[8]=~4(-2..2) -> c; "
      "LOGISTIC c -> l; DEPTHWISE_CONV_2D {stride_w=1 stride_h=1 depth_multiplier=1} v "
      "f32[1,3,3,8]=~3(-2..2) f32[8]=~4(-2..2) -> d; HARD_SWISH d -> h; "
      "CONV_2D {padding=VALID stride_w=1 stride_h=1} v f32[8,1,1,4]=~3(-2..2) f32[8]=~4(-2..2) "
      "-> g; LOGISTIC g -> y" },
    /* After an ADD that becomes part of the convolution before it. */
    { "residual", { 1, 2, 3, 5 }, 1, "CONV_2D+ADD+HARD_SWISH ",
      "MUL {} x f32[]=0.4 -> a; MUL {} z f32[]=0.3 -> b; "
      "CONV_2D {padding=VALID stride_w=1 stride_h=1} b f32[5,1,1,5]=~3(-2..2) f32[5]=~4(-2..2) "
      "-> t; ADD {} t a -> s; HARD_SWISH s -> y" },
};
/* clang-format on */

/* Vulkan lets a driver round a product and a sum once where the nodes one by one round both, as the
 * llvmpipe of Mesa 26 does.  Here that is 2^-22 at most: half a unit in the last place of a number
 * up to 4, of each of two. */
#define ROUNDED_TWICE 0x1p-22f

/* With numbers that are no integers, too, fp32 is as the nodes are one by one. */
TEST(same_numbers)
{
    const size_t count = sizeof any_values / sizeof any_values[0];

    transform_all_fire(any_values, count, TRANSFORM_function);
    if (!transform_device)
        skip();
    for (size_t i = 0; i < count; i++) {
        TfLiteDelegate *const d[] = { transform_delegate("fp32", "nan", NULL),
                                      transform_delegate("fp32", "nan", "function") };
        struct interpreter *run[2];

        MODEL_BY(m, transform_model(&any_values[i], &m));
        for (int k = 0; k < 2; k++)
            run[k] = transform_run(&m, d[k]);
        transform_near(&any_values[i], "without the transform", run[0], run[1], ROUNDED_TWICE);
        for (int k = 0; k < 2; k++) {
            interpreter_close(run[k]);
            assay_gpu_delegate_destroy(d[k]);
        }
    }
}

TEST_FILE(.before = transform_find_device);
