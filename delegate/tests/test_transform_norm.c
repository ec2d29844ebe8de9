/* The nodes of a root mean square norm become one. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#define SQUARES "MUL {} x x -> q; MEAN {keep_dims=true} q "
#define ROOT    "ADD {} m f32[]=0.0001 -> e; RSQRT e -> r; "
#define WEIGHTS "f32[5]=~3(-4..4)"

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
    { "computed weights", { 1, 1, 1, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s z -> y" },
    { "one weight", { 1, 2, 3, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s f32[1]=3 -> y" },
    { "weights of rows", { 1, 2, 5, 5 }, 0, "RSQRT ",
      SQUARES "i32[1]=3 -> m; " ROOT "MUL {} x r -> s; MUL {} s f32[5,1]=~3(-4..4) -> y" },
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

TEST(fires)
{
    transform_all_fire(cases, CASES, TRANSFORM_norm);
}

/* Within 2^-18 of numbers up to 4: sums of up to 1029 squares, and a root, which Vulkan gives to 2
 * units in the last place.  In fp16 the nodes one by one round 6 times to 11 bits, and the norm
 * once. */
static void check(const struct transform_case *c, const char *precision, const char *poison)
{
    const bool half = strcmp(precision, "fp16") == 0;
    TfLiteDelegate *const d = transform_delegate(precision, poison, NULL);
    struct interpreter *truth, *got;
    struct model m;

    transform_model(c, &m);
    truth = transform_run(&m, NULL);
    got = transform_run(&m, d);
    transform_near(c, precision, truth, got, half ? 0x1p-7f : 0x1p-18f);
    interpreter_close(got);
    interpreter_close(truth);
    model_close(&m);
    assay_gpu_delegate_destroy(d);
}

TEST(same_results)
{
    if (!transform_device)
        skip();
    for (int i = 0; i < CASES && cases[i].fires > 0; i++) {
        check(&cases[i], "fp32", "nan");
        check(&cases[i], "fp32", "inf");
        check(&cases[i], "fp16", "nan");
    }
}

TEST_FILE(.before = transform_find_device);
