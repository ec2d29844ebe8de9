/* PAD becomes the padding of the convolution or the MAX_POOL_2D after it. */
#include "delegate/tests/kit/exact_kit.h"
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>

/* clang-format off */
static const struct transform_case cases[] = {
    { "conv", { 2, 5, 6, 5 }, 1, "PAD+CONV_2D node 1 'y'",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "CONV_2D {padding=VALID stride_w=2 stride_h=2} p f32[6,3,3,5]=~1(-2..2) "
      "f32[6]=1,2,0,0,-1,-2 -> y" },
    { "depthwise", { 1, 5, 6, 5 }, 1, "PAD+DEPTHWISE_CONV_2D ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "DEPTHWISE_CONV_2D {padding=VALID stride_w=1 stride_h=1 depth_multiplier=1 "
      "dilation_w_factor=2 dilation_h_factor=2} p f32[1,3,3,5]=~1(-2..2) f32[5]=1,2,0,0,-1 -> y" },
    /* Padding around a 1x1 convolution: results there are the bias. */
    { "1x1", { 1, 3, 3, 8 }, 1, "PAD+CONV_2D ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      CONV_VALID "p f32[7,1,1,8]=~1(-2..2) f32[7]=~2(-2..2) -> y" },
    /* Padding behind the last row, or the last column, alone: a 1x1 window begins at its pixel, but the
     * image it makes is larger. */
    { "1x1 behind", { 2, 3, 3, 8 }, 2, "PAD+CONV_2D ",
      "PAD x i32[4,2]=0,0,0,1,0,0,0,0 -> p; "
      CONV_VALID "p f32[7,1,1,8]=~1(-2..2) f32[7]=~2(-2..2) -> y; "
      "PAD x i32[4,2]=0,0,0,0,0,2,0,0 -> p2; "
      CONV_VALID "p2 f32[5,1,1,8]=~3(-2..2) f32[5]=1,2,0,0,-1 -> y2" },
    { "grouped", { 1, 4, 4, 6 }, 1, "PAD+CONV_2D ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      CONV_VALID "p f32[6,3,3,2]=~1(-2..2) f32[6]=1,2,0,0,-1,-2 -> y" },
    { "two of them", { 1, 4, 4, 4 }, 2, "PAD+PAD+CONV_2D ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; PAD p i32[4,2]=0,0,1,0,2,3,0,0 -> p2; "
      CONV_VALID "p2 f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y" },
    { "same", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      CONV_SAME "p f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y" },
    { "channels", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,1,1,1,0,1 -> p; "
      CONV_VALID "p f32[5,3,3,5]=~1(-2..2) f32[5]=1,2,0,0,-1 -> y" },
    { "batch", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=1,0,1,1,1,1,0,0 -> p; "
      CONV_VALID "p f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y" },
    { "second reader", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      CONV_VALID "p f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; RELU p -> u" },
    { "graph output", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      CONV_VALID "p f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; outputs y p" },
    { "pool", { 2, 4, 5, 5 }, 1, "PAD+MAX_POOL_2D node 1 'm'",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=2 filter_width=2 filter_height=3} p -> m" },
    { "pool, two of them", { 1, 4, 4, 4 }, 2, "PAD+PAD+MAX_POOL_2D ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; PAD p i32[4,2]=0,0,1,0,2,3,0,0 -> p2; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=2 filter_width=2 filter_height=3} p2 -> m" },
    /* Windows that lie in the padding altogether. */
    { "pool of padding", { 1, 3, 3, 4 }, 1, "PAD+MAX_POOL_2D ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=1 filter_width=1 filter_height=1} p -> m" },
    /* The padding of a pool with SAME is left out of its maximum. */
    { "pool, same", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "MAX_POOL_2D:2 {stride_w=2 stride_h=2 filter_width=2 filter_height=2} p -> m" },
    { "average", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "AVERAGE_POOL_2D:2 {padding=VALID stride_w=1 stride_h=1 filter_width=2 filter_height=2} p "
      "-> m" },
    { "pool, channels", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,1,1,1,0,1 -> p; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=2 filter_width=2 filter_height=3} p -> m" },
    { "pool, second reader", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=2 filter_width=2 filter_height=3} p -> m; "
      "RELU p -> u" },
    { "pool, graph output", { 1, 4, 4, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=2 filter_width=2 filter_height=3} p -> m; "
      "outputs m p" },
    /* Around it is 7: PADV2 stays. */
    { "pool, another value", { 1, 4, 4, 4 }, 0, "PADV2 ",
      "PADV2 x i32[4,2]=0,0,1,0,2,3,0,0 f32[1]=7 -> p; "
      "MAX_POOL_2D:2 {padding=VALID stride_w=1 stride_h=2 filter_width=2 filter_height=3} p -> m" },
};
static const struct transform_case odd[] = {
    /* The padded tensor is the weights, not the input. */
    { "computed weights", { 3, 3, 3, 4 }, 0, "PAD ",
      "PAD z i32[4,2]=0,0,1,0,0,0,0,0 -> w; PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      CONV_VALID "p w f32[3]=0 -> y" },
    /* Infinite weights times the zeros of PAD are NaN, which padding would skip: the PAD stays. */
    { "infinite weights", { 1, 3, 3, 4 }, 0, "PAD ",
      "PAD x i32[4,2]=0,0,1,0,2,3,0,0 -> p; "
      "DEPTHWISE_CONV_2D {padding=VALID stride_w=1 stride_h=1 depth_multiplier=1} p "
      "f32[1,1,1,4]=inf -> y" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_pad, cases)

TEST(odd_ones_do_not)
{
    transform_all_fire(odd, sizeof odd / sizeof odd[0], TRANSFORM_pad);
}

/* ---- any values in the windows of MAX_POOL_2D ---- */

struct random_pool {
    int32_t dims[4], pads[8], filter[2], stride[2];
    int activation;
};

static struct random_pool random_pool(uint64_t seed)
{
    struct random_pool r = { .dims = { 1 + kit_below(&seed, 2), 0, 0, 1 + kit_below(&seed, 9) } };

    r.activation = kit_below(&seed, 4) ? kTfLiteActNone : kTfLiteActRelu;
    for (int i = 0; i < 2; i++) {
        r.dims[i + 1] = 1 + kit_below(&seed, 7);
        r.filter[i] = 1 + kit_below(&seed, 4);
        r.stride[i] = 1 + kit_below(&seed, 3);
        for (int j = 0; j < 2; j++)
            r.pads[2 * (i + 1) + j] = kit_below(&seed, 4);
        while (r.dims[i + 1] + r.pads[2 * i + 2] + r.pads[2 * i + 3] < r.filter[i])
            r.dims[i + 1]++;
    }
    r.pads[2 + kit_below(&seed, 4)]++; /* one at least: a PAD of nothing would be removed */
    return r;
}

static void add_pool(struct exact_model *e, const struct random_pool *r, const char *type,
                     struct exact_quant q)
{
    exact_add(e, "PAD:2 %s %s -> p:%s\n", exact_text(type, q, 4, r->dims),
              exact_ints(2, (int32_t[]){ 4, 2 }, r->pads), exact_text(type, q, -1, NULL));
    exact_add(e,
              "MAX_POOL_2D:2 {padding=VALID stride_h=%d stride_w=%d filter_height=%d "
              "filter_width=%d fused_activation_function=%d} p -> y:%s",
              r->stride[0], r->stride[1], r->filter[0], r->filter[1], r->activation,
              exact_text(type, q, -1, NULL));
}

static void must_fire(const struct model *m, const char *label)
{
    static const char *const no_options[] = { NULL };
    struct plan_look l = { .m = m, .pairs = no_options };

    gpu_look(m, plan_look_at, &l);
    if (l.plan.applied[TRANSFORM_pad] != 1 || l.plan.step_count == 0)
        fail_msg("%s: fired %d times, not once", label, l.plan.applied[TRANSFORM_pad]);
    plan_close(&l.plan);
}

/* -0.0 and 0.0 are equal, NaN is not the maximum, and all NaN is the lowest number: what the
 * zeros around do to each of them depends on their place. */
static void fill_with_odd_values(struct interpreter *in, uint64_t seed)
{
    static const float values[] = { NAN, -0.0F, -1, 0, -INFINITY, -0.5F, -0.0F, NAN, 2, 3 };
    const int kinds = (int)(sizeof values / sizeof values[0]);
    const int first = kit_below(&seed, kinds), count = 1 + kit_below(&seed, kinds - first);
    size_t inputs;
    TfLiteTensor *const t = interpreter_tensor(in, interpreter_inputs(in, &inputs)[0]);

    for (size_t i = 0; i < t->bytes / sizeof(float); i++)
        t->data.f[i] = values[first + kit_below(&seed, count)];
}

static struct interpreter *run_odd(const struct model *m, TfLiteDelegate *d, uint64_t seed)
{
    const struct interpreter_options options = { .report = transform_quiet };
    struct interpreter *const in = kit_interpreter(m, &options);

    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    fill_with_odd_values(in, seed);
    KIT_OK(interpreter_invoke(in, &err));
    return in;
}

static void same_floats(const struct random_pool *r, const char *what, struct interpreter *a,
                        struct interpreter *b)
{
    size_t count;
    const int y = interpreter_outputs(a, &count)[0];
    const TfLiteTensor *const ya = interpreter_tensor(a, y), *const yb = interpreter_tensor(b, y);

    for (size_t i = 0; i < ya->bytes / sizeof(float); i++)
        if (memcmp(&ya->data.f[i], &yb->data.f[i], sizeof(float)) != 0)
            fail_msg("%s: element %zu: %g and %g; image %d x %d x %d, padding %d %d %d %d, window "
                     "%d x %d, strides %d %d",
                     what, i, (double)ya->data.f[i], (double)yb->data.f[i], r->dims[1], r->dims[2],
                     r->dims[3], r->pads[2], r->pads[3], r->pads[4], r->pads[5], r->filter[0],
                     r->filter[1], r->stride[0], r->stride[1]);
}

/* Bit for bit as without the rewrite, and as the CPU. */
TEST(same_bits)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    if (!transform_device)
        skip();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const struct random_pool r = random_pool(seed);
        const char *const precision = precisions[seed % 2];
        DELEGATE_BY(with, transform_delegate(precision, "nan", NULL));
        DELEGATE_BY(without, transform_delegate(precision, "nan", "pad"));
        struct interpreter *cpu;
        struct exact_model e;

        exact_begin(&e, seed);
        add_pool(&e, &r, "f32", (struct exact_quant){ 0, 0 });
        MODEL_BY(m, exact_build(&e, &m));
        must_fire(&m, e.chars);
        free(e.chars);
        INTERPRETER_BY(a, run_odd(&m, with, seed));
        INTERPRETER_BY(b, run_odd(&m, without, seed));
        assert_int_equal(interpreter_partition_count(a), 1);
        same_floats(&r, "with and without", a, b);
        if (seed % 2 == 0) { /* fp16 has another lowest number */
            cpu = run_odd(&m, NULL, seed);
            same_floats(&r, "CPU and delegate", cpu, a);
            interpreter_close(cpu);
        }
    }
}

static void make_quantized(struct exact_model *e, uint64_t seed)
{
    static const char *const types[] = { "i8", "u8", "i16" };
    const struct random_pool r = random_pool(seed);

    add_pool(e, &r, types[seed % 3], exact_random_quant(&e->random, types[seed % 3]));
}

/* The zero point surrounds the image. */
TEST(same_integers)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct exact_model e;
        struct model m;

        exact_begin(&e, seed);
        make_quantized(&e, seed);
        exact_build(&e, &m);
        must_fire(&m, e.chars);
        model_close(&m);
        free(e.chars);
    }
    exact_run("fp32", 1, 60, make_quantized);
}

TEST_FILE(.before = transform_find_device);
