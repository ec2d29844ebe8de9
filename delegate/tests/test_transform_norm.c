/* The nodes of a root mean square norm, or of a layer norm, become one. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#define SQUARES "MUL {} x x -> q; MEAN {keep_dims=true} q "
#define ROOT    "ADD {} m f32[]=0.0001 -> e; RSQRT e -> r; "
#define WEIGHTS "f32[5]=~3(-4..4)"
#define BIAS    "f32[5]=~4(-4..4)"
/* A layer norm: x less its mean, the mean of its squares, the root r; Keras has factors f. */
#define MEAN     "MEAN {keep_dims=true} x i32[1]=3 -> a; "
#define LESS     "SUB {} x a -> d; "
#define VARIANCE "SQUARED_DIFFERENCE x a -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; "
#define FACTORS  "MUL {} r " WEIGHTS " -> f; MUL {} x f -> xf; "

/* clang-format off */
static const struct transform_case cases[] = {
    { "norm", { 1, 2, 3, 5 }, 1, "NORM node 5 'y'",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y" },
    /* Operands the other way round, the axis counted from the end, weights of rank 3. */
    { "other order", { 2, 7, 130 }, 1, "NORM ",
      "MUL {} x x -> q; MEAN {keep_dims=true} q i32[1]=-1 -> m; ADD {} f32[1]=0.0001 m -> e; "
      "RSQRT e -> r; MUL {} r x -> s; MUL {} f32[1,1,130]=~3(-4..4) s -> y" },
    { "computed", { 1, 3, 1029 }, 1, "NORM ",
      "SUB {} x z -> d; MUL {} d d -> q; MEAN {keep_dims=true} q i32[1]=2 -> m; "
      ROOT "MUL {} d r -> s; MUL {} s f32[1029]=~3(-4..4) -> y; ADD {} y d -> y2" },
    { "two", { 1, 4, 5 }, 2, "NORM ",
      SQUARES "i32[1]=2 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y; "
      "ABS y -> a; MUL {} a a -> q2; MEAN {keep_dims=true} q2 i32[1]=2 -> m2; "
      "ADD {} m2 f32[]=0.5 -> e2; RSQRT e2 -> r2; MUL {} a r2 -> s2; MUL {} s2 " WEIGHTS " -> y2" },
    /* Without weights, or with other factors behind it. */
    { "unit", { 1, 2, 3, 5 }, 1, "NORM node 4 'y'", SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> y" },
    { "computed weights", { 1, 1, 1, 5 }, 1, "NORM ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s z -> y" },
    { "one weight", { 1, 2, 3, 5 }, 1, "NORM ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s f32[1]=3 -> y" },
    { "weights of rows", { 1, 2, 5, 5 }, 1, "NORM ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s f32[5,1]=~3(-4..4) -> y" },
    { "bias", { 1, 2, 3, 5 }, 1, "NORM node 6 'y'",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> t; ADD {} " BIAS " t -> y" },
    { "product", { 1, 2, 3, 5 }, 1, "NORM ",
      "MUL {} x z -> p; MUL {} p p -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; "
      ROOT "MUL {} r p -> s; MUL {} s " WEIGHTS " -> y" },
    /* Layer norms. */
    { "layer", { 1, 2, 3, 5 }, 1, "NORM node 8 'y'",
      MEAN LESS VARIANCE ROOT "MUL {} d r -> s; MUL {} s " WEIGHTS " -> t; ADD {} t " BIAS " -> y" },
    { "layer of squares", { 3, 1030 }, 1, "NORM ",
      "MEAN {keep_dims=true} x i32[1]=-1 -> a; SUB {} x a -> d; MUL {} d d -> q; "
      "MEAN {keep_dims=true} q i32[1]=1 -> m; " ROOT
      "MUL {} r d -> s; MUL {} f32[1030]=~3(-4..4) s -> t; ADD {} f32[1030]=~4(-4..4) t -> y" },
    { "layer, two differences", { 1, 2, 3, 5 }, 1, "NORM ",
      MEAN LESS "SQUARE d -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; " ROOT "MUL {} d r -> y" },
    { "keras", { 1, 2, 3, 5 }, 1, "NORM node 9 'y'",
      MEAN VARIANCE ROOT FACTORS "MUL {} a f -> af; SUB {} " BIAS " af -> b; ADD {} xf b -> y" },
    { "keras, other order", { 1, 2, 3, 5 }, 1, "NORM ",
      MEAN "SQUARED_DIFFERENCE a x -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; " ROOT
      "MUL {} " WEIGHTS " r -> f; MUL {} f x -> xf; MUL {} f a -> af; SUB {} " BIAS " af -> b; "
      "ADD {} b xf -> y" },
    { "keras of a product", { 1, 2, 3, 5 }, 1, "NORM ",
      "MUL {} z z -> x2; MEAN {keep_dims=true} x2 i32[1]=3 -> a; SQUARED_DIFFERENCE x2 a -> q; "
      "MEAN {keep_dims=true} q i32[1]=3 -> m; " ROOT
      "MUL {} x2 r -> xf; MUL {} a r -> af; SUB {} " BIAS " af -> b; ADD {} xf b -> y" },
    { "keras, NEG", { 1, 2, 3, 5 }, 1, "NORM ",
      MEAN "NEG {} a -> n; " VARIANCE ROOT FACTORS "MUL {} n f -> af; ADD {} xf af -> y" },
    /* Another node reads what lies between, or it is an output. */
    { "root is read", { 1, 2, 3, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y; ABS r -> a" },
    { "squares are shown", { 1, 2, 3, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y; outputs y q" },
    /* Nearly a norm: another axis, the square of another tensor, another factor, an activation, no
     * constant, no epsilon. */
    { "other axis", { 1, 2, 3, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=2 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y" },
    { "two axes", { 1, 2, 3, 5 }, 0, "RSQRT ",
      SQUARES "i32[2]=2,3 -> m; " ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y" },
    { "other square", { 1, 2, 3, 5 }, 0, "RSQRT ",
      "MUL {} z z -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; "
      ROOT "MUL {} x r -> s; MUL {} s " WEIGHTS " -> y" },
    { "activation", { 1, 2, 3, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=3 -> m; " ROOT
      "MUL {fused_activation_function=RELU} x r -> s; MUL {} s " WEIGHTS " -> y" },
    /* Nearly a layer norm: less another mean, the variance of another tensor, over other axes; a
     * mean that is read. */
    { "mean of others", { 1, 2, 3, 5 }, 0, "RSQRT ",
      "MEAN {keep_dims=true} z i32[1]=3 -> a; " LESS VARIANCE ROOT "MUL {} d r -> y" },
    { "variance of others", { 1, 2, 3, 5 }, 0, "RSQRT ",
      MEAN LESS "SQUARED_DIFFERENCE z a -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; "
      ROOT "MUL {} d r -> y" },
    { "mean over rows", { 1, 2, 3, 5 }, 0, "RSQRT ",
      "MEAN {keep_dims=true} x i32[1]=2 -> a; " LESS VARIANCE ROOT "MUL {} d r -> y" },
    { "mean less x", { 1, 2, 3, 5 }, 0, "RSQRT ",
      MEAN "SUB {} a x -> d; " VARIANCE ROOT "MUL {} d r -> y" },
    { "mean is read", { 1, 2, 3, 5 }, 0, "RSQRT ",
      MEAN LESS VARIANCE ROOT "MUL {} d r -> y; ABS a -> y2" },
    { "keras, other factors", { 1, 2, 3, 5 }, 0, "RSQRT ",
      MEAN VARIANCE ROOT FACTORS "MUL {} a r -> af; SUB {} " BIAS " af -> b; ADD {} xf b -> y" },
    { "keras, other way", { 1, 2, 3, 5 }, 0, "RSQRT ",
      MEAN VARIANCE ROOT FACTORS "MUL {} a f -> af; SUB {} af " BIAS " -> b; ADD {} xf b -> y" },
    { "keras, no NEG", { 1, 2, 3, 5 }, 0, "RSQRT ",
      MEAN VARIANCE ROOT FACTORS "MUL {} a f -> af; ADD {} xf af -> y" },
    { "keras, bias of rows", { 1, 2, 5, 5 }, 0, "RSQRT ",
      MEAN VARIANCE ROOT FACTORS
      "MUL {} a f -> af; SUB {} f32[5,1]=~4(-4..4) af -> b; ADD {} xf b -> y" },
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

TEST(fires)
{
    transform_all_fire(cases, CASES, TRANSFORM_norm);
}

/* Within 2^-18 of numbers up to 4: sums of up to 1029 squares, and a root, which Vulkan gives to 2
 * units in the last place.  In fp16 a norm rounds its results once to 11 bits, those from
 * 8 to 16 within 2^-8, which stays where a sum with another tensor is small; two norms, one behind
 * the other, round three times, 4 within 3 * 2^-9. */
TEST(same_results)
{
    transform_results(cases, CASES, 0x1p-18f, 0x1p-7f);
}

TEST_FILE(.before = transform_find_device);
