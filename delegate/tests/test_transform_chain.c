/* Runs of elementwise nodes become one node. */
#include "delegate/graph/chain.h"
#include "delegate/runtime/delegate.h"
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "delegate/vulkan/device.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where it fires, and where not: integers ---- */

/* Names end with _, so that all_of can give each case its own; outputs come last. */
/* clang-format off */
#define TWO   "MUL {} x f32[]=3 -> t_; ADD {} t_ f32[]=2 -> y_; outputs y_"
#define THREE "MUL {} x f32[]=3 -> t_; ADD {} t_ f32[]=-2 -> u_; ABS u_ -> y_; outputs y_"
#define SUM(axes, count) "SUM {keep_dims=true} z i32[" #count "]=" axes " -> s_; "
static const struct transform_case cases[] = {
    { "two", { 2, 2, 3, 5 }, 1, "MUL+ADD ", TWO },
    { "three", { 2, 2, 3, 4 }, 2, "MUL+ADD+ABS ", THREE },
    { "rank 0", { 0 }, 2, "MUL+ADD+ABS ", THREE },
    { "rank 1", { 7 }, 2, "MUL+ADD+ABS ", THREE },
    { "rank 2, one channel", { 7, 1 }, 2, "MUL+ADD+ABS ", THREE },
    { "rank 3", { 2, 3, 6 }, 2, "MUL+ADD+ABS ", THREE },
    { "the second operand", { 2, 2, 3, 5 }, 1, "MUL+SUB ",
      "MUL {} x f32[]=3 -> t_; SUB {} z t_ -> y_; outputs y_" },
    { "a constant less x", { 2, 2, 3, 5 }, 1, "SUB+MUL ",
      "SUB {} f32[2,2,3,5]=~7(-2..2) x -> t_; MUL {} t_ f32[]=2 -> y_; outputs y_" },
    { "constants per channel", { 2, 2, 3, 5 }, 1, "MUL+ADD ",
      "MUL {} x f32[5]=~7(-2..2) -> t_; ADD {} t_ f32[1,1,1,5]=~7(-2..2) -> y_; outputs y_" },
    { "a constant of all elements", { 2, 2, 3, 5 }, 1, "MUL+ADD ",
      "MUL {} x f32[2,2,3,5]=~7(-2..2) -> t_; ADD {} t_ f32[2,1,1]=~7(-2..2) -> y_; outputs y_" },
    { "two tensors", { 2, 2, 3, 5 }, 1, "MUL+ADD ",
      "MUL {} x z -> t_; ADD {} t_ x -> y_; outputs y_" },
    { "a tensor with itself", { 2, 2, 3, 5 }, 1, "MUL+SUB ",
      "MUL {} x x -> t_; SUB {} t_ x -> y_; outputs y_" },
    { "a clamp between", { 2, 2, 3, 5 }, 1, "ADD+MUL ",
      "ADD {fused_activation_function=RELU6} x z -> t_; MUL {} t_ f32[]=2 -> y_; outputs y_" },
    { "two slopes", { 2, 2, 3, 5 }, 3, "MUL+LEAKY_RELU+ADD+LEAKY_RELU ",
      "MUL {} x f32[]=8 -> t_; LEAKY_RELU {alpha=0.5} t_ -> u_; ADD {} u_ f32[]=-8 -> v_; "
      "LEAKY_RELU {alpha=0.25} v_ -> y_; outputs y_" },
    { "a third tensor", { 2, 2, 3, 5 }, 0, "ADD ",
      "ABS z -> u_; MUL {} x z -> t_; ADD {} t_ u_ -> y_; outputs y_ u_" },
    { "read twice", { 2, 2, 3, 5 }, 0, "NEG ",
      "MUL {} x f32[]=2 -> t_; ABS t_ -> y_; NEG t_ -> u_; outputs y_ u_" },
    { "an output", { 2, 2, 3, 5 }, 0, "ABS ",
      "MUL {} x f32[]=2 -> t_; ABS t_ -> y_; outputs y_ t_" },
    { "two chains meet", { 2, 2, 3, 5 }, 1, "MUL+ADD ",
      "MUL {} z f32[]=3 -> u_; MUL {} x f32[]=2 -> t_; ADD {} t_ u_ -> y_; outputs y_" },
    { "through a view", { 2, 2, 3, 5 }, 0, "ADD ",
      "MUL {} x f32[]=2 -> t_; RESHAPE {} t_ i32[1]=60 -> u_; ADD {} u_ f32[]=1 -> y_; outputs y_" },
    { "longer than 8", { 2, 2, 3, 5 }, 7 + 1, "ADD+ADD+ADD+ADD+ADD+ADD+ADD+ADD ",
      "ADD {} x f32[]=1 -> a_; ADD {} a_ f32[]=1 -> b_; ADD {} b_ f32[]=1 -> c_; "
      "ADD {} c_ f32[]=1 -> d_; ADD {} d_ f32[]=1 -> e_; ADD {} e_ f32[]=1 -> f_; "
      "ADD {} f_ f32[]=1 -> g_; ADD {} g_ f32[]=1 -> h_; ADD {} h_ f32[]=1 -> i_; "
      "ADD {} i_ f32[]=1 -> y_; outputs y_" },
    /* Computed operands, broadcast. */
    { "broadcast in between", { 2, 2, 3, 5 }, 0, "ABS ",
      SUM("1,2", 2) "ABS s_ -> t_; ADD {} t_ x -> y_; outputs y_" },
    { "beside it channels", { 2, 2, 3, 5 }, 1, "MUL+ADD ",
      SUM("0,1,2", 3) "MUL {} x f32[]=2 -> t_; ADD {} t_ s_ -> y_; outputs y_" },
    { "beside it channels of images", { 2, 2, 3, 5 }, 1, "MUL+ADD ",
      SUM("1,2", 2) "MUL {} x f32[]=2 -> t_; ADD {} t_ s_ -> y_; outputs y_" },
    { "beside it pixels", { 2, 2, 3, 5 }, 1, "MUL+SUB ",
      SUM("3", 1) "MUL {} x f32[]=2 -> t_; SUB {} t_ s_ -> y_; outputs y_" },
    { "beside it a number of each image", { 2, 2, 3, 5 }, 1, "MUL+SUB ",
      SUM("1,2,3", 3) "MUL {} x f32[]=2 -> t_; SUB {} t_ s_ -> y_; outputs y_" },
    { "beside it rows", { 2, 2, 3, 5 }, 1, "ADD+SUB ",
      SUM("0,2", 2) "ADD {} x s_ -> t_; SUB {} t_ f32[2,1,1,1]=~7(-2..2) -> y_; outputs y_" },
    { "beside it columns", { 2, 2, 3, 5 }, 1, "SUB+ADD ",
      SUM("1,3", 2) "SUB {} x s_ -> t_; ADD {} t_ f32[]=1 -> y_; outputs y_" },
    { "broadcast from the start", { 2, 2, 3, 5 }, 1, "SUB+ADD ",
      SUM("1,2", 2) "SUB {} s_ f32[2,2,3,5]=~7(-2..2) -> t_; ADD {} t_ x -> y_; outputs y_" },
    { "one channel from the start", { 2, 2, 3, 5 }, 1, "SUB+ADD ",
      SUM("0,3", 2) "SUB {} s_ f32[2,2,3,5]=~7(-2..2) -> t_; ADD {} t_ x -> y_; outputs y_" },
    /* Six operands, of which no two are broadcast over the same dims. */
    { "too many ways", { 2, 2, 3, 5 }, 2, "ADD+ADD+ADD ",
      SUM("1,3", 2) "ADD {} x s_ -> t_; ADD {} t_ f32[1,2,1,5]=~7(-2..2) -> u_; "
      "ADD {} u_ f32[2,2,1,1]=~7(-2..2) -> v_; ADD {} v_ f32[1,1,3,5]=~7(-2..2) -> y_; "
      "outputs y_" },
    { "five dims", { 2, 2, 3, 5 }, 2, "MUL+ADD+ABS ",
      "RESHAPE {} x i32[5]=2,1,2,3,5 -> r_; MUL {} r_ f32[]=2 -> t_; "
      "ADD {} t_ f32[2,1,1,3,1]=~7(-2..2) -> u_; ABS u_ -> v_; RESHAPE {} v_ i32[4]=2,2,3,5 -> y_; "
      "outputs y_" },
    /* A convolution overwrites what the first of two nodes reads, before the second one. */
    { "overwritten", { 2, 2, 3, 4 }, 0, "NEG ",
      SUM("3", 1) "ADD {} z s_ -> u_; MUL {} x u_ -> t_; "
      "CONV_2D {padding=VALID stride_w=1 stride_h=1} x f32[4,1,1,4]=~3(-2..2) f32[4]=~4(-2..2) "
      "-> c_; ADD {} c_ u_ -> v_; NEG t_ -> y_; outputs y_ v_" },
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

TEST(fires)
{
    transform_all_fire(cases, CASES, TRANSFORM_chain);
}

/* unit: of numbers of about 1; 0 for the same bits. */
static void same_numbers(const struct transform_case *c, struct interpreter *a,
                         struct interpreter *b, float unit)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *x = interpreter_tensor(a, outputs[i]);
        const TfLiteTensor *y = interpreter_tensor(b, outputs[i]);

        for (size_t j = 0; j < x->bytes / sizeof(float); j++) {
            const float v = x->data.f[j], w = y->data.f[j];

            if (memcmp(&v, &w, sizeof v) != 0 && (v == v || w == w) &&
                !(fabsf(v - w) <= 2 * CHAIN_MAX * unit * fmaxf(1, fabsf(w))))
                fail_msg("%s: output %zu, element %zu: %.9g as a chain, %.9g as nodes", c->name, i,
                         j, (double)v, (double)w);
        }
    }
}

/* Compilers of GPUs may contract a product and a sum within an op in a chain, and not in the op's
 * own shader.  Each of the 8 links or less is then off by two units at most, of numbers that are no
 * larger than the result or 1, and the links behind it enlarge that by no more than they do the
 * result. */
static float unit_of(const TfLiteDelegate *d, bool half)
{
    const struct gpu_delegate *const gpu = d->data_;

    return gpu->device->limits.device_class == DEVICE_SOFTWARE ? 0 : half ? 0x1p-10f : 0x1p-22f;
}

/* Results have the same bits with chains and without, in both precisions, with poisoned memory.
 * integers: they are those of the reference, too, and no device rounds them. */
static void compare(const struct transform_case *c, bool integers)
{
    static const char *const precisions[] = { "fp32", "fp16" };
    struct interpreter *truth = NULL;

    MODEL_BY(m, transform_model(c, &m));
    if (integers)
        truth = transform_run(&m, NULL);
    /* Under a sanitizer integers in fp32, other numbers in fp16. */
    for (int p = KIT_SANITIZED && !integers; p < 2; p += KIT_EACH(2)) {
        TfLiteDelegate *const d[] = { transform_delegate(precisions[p], "nan", NULL),
                                      transform_delegate(precisions[p], "nan", "chain") };
        struct interpreter *run[2];

        for (int k = 0; k < 2; k++)
            run[k] = transform_run(&m, d[k]);
        assert_int_equal(interpreter_partition_count(run[0]), 1);
        same_numbers(c, run[0], run[1], integers ? 0 : unit_of(d[0], p == 1));
        if (integers)
            transform_equal(c, precisions[p], truth, run[0]);
        for (int k = 0; k < 2; k++) {
            interpreter_close(run[k]);
            assay_gpu_delegate_destroy(d[k]);
        }
    }
    if (truth)
        interpreter_close(truth);
}

/* Writes a text whose names get this number in place of their _; up to end. */
static void put_numbered(FILE *f, const char *text, const char *end, int number)
{
    for (; text < end; text++) {
        fputc(*text, f);
        if (*text == '_' && !isalnum((unsigned char)text[1]))
            fprintf(f, "%d", number);
    }
}

/* All cases with inputs of this shape, side by side. */
static char *all_of(const int32_t *shape)
{
    char *text = NULL, *ends = NULL;
    size_t count;
    FILE *const f = open_memstream(&text, &count), *const outputs = open_memstream(&ends, &count);

    assert_true(f && outputs);
    for (int i = 0; i < CASES; i++) {
        const char *const end = strstr(cases[i].text, "outputs ");

        if (memcmp(cases[i].dims, shape, sizeof cases[i].dims) != 0)
            continue;
        put_numbered(f, cases[i].text, end, i);
        put_numbered(outputs, end + 7, end + strlen(end), i);
    }
    fclose(outputs);
    fprintf(f, "outputs%s", ends);
    fclose(f);
    free(ends);
    return text;
}

TEST(same_results)
{
    for (int i = 0; transform_device && i < CASES; i++) {
        struct transform_case all = cases[i];
        int before = 0;

        while (memcmp(cases[before].dims, all.dims, sizeof all.dims) != 0)
            before++;
        if (before < i)
            continue;
        all.text = all_of(all.dims);
        compare(&all, true);
        free((char *)all.text);
    }
}

/* ---- bits: any numbers, each op as a link in the middle, with and without chains ---- */

static const char *const unary[] = { "RELU",         "RELU6",       "EXP",
                                     "LOGISTIC",     "HARD_SWISH",  "TANH",
                                     "GELU {}",      "ELU",         "LEAKY_RELU {alpha=0.3}",
                                     "RELU_N1_TO_1", "RELU_0_TO_1", "ABS",
                                     "NEG",          "SQRT",        "RSQRT",
                                     "SQUARE",       "LOG",         "SIN",
                                     "COS",          "FLOOR",       "CEIL",
                                     "ROUND",        "SIGN",        "GELU {approximate=true}" };
static const char *const binary[] = { "ADD {}",    "SUB {}",    "MUL {}",  "DIV {}",
                                      "POW",       "MAXIMUM",   "MINIMUM", "SQUARED_DIFFERENCE",
                                      "FLOOR_DIV", "FLOOR_MOD", "PRELU" };
enum { UNARY = sizeof unary / sizeof unary[0], BINARY = sizeof binary / sizeof binary[0] };

/* A product and a sum around each op, which no driver may round together with it. */
static void put_unary(FILE *f)
{
    for (int i = 0; i < UNARY; i++)
        fprintf(f,
                "MUL {} x f32[]=0.37 -> a%d; ADD {} a%d f32[]=0.11 -> b%d; %s b%d -> c%d; "
                "MUL {} c%d f32[]=1.3 -> d%d; ADD {} d%d f32[]=0.7 -> y%d\n",
                i, i, i, unary[i], i, i, i, i, i, i);
}

/* The value is the first operand, then the second one. */
static void put_binary(FILE *f)
{
    for (int i = 0; i < BINARY; i++)
        fprintf(f,
                "MUL {} x f32[]=0.37 -> a%d; ADD {} a%d f32[]=0.11 -> b%d; %s b%d z -> c%d; "
                "%s %s c%d -> d%d; MUL {} d%d f32[]=1.1 -> e%d; ADD {} e%d f32[]=0.3 -> y%d\n",
                i, i, i, binary[i], i, i, binary[i],
                strcmp(binary[i], "PRELU") == 0 ? "z" : "f32[1,2,3,5]=~7(-2..2)", i, i, i, i, i, i);
}

/* LayerNorm after the statistics; GELU by parts; a gate; a batch normalization. */
static void put_parts(FILE *f)
{
    fputs("MUL {} x z -> a; MUL {} a f32[5]=~7(-2..2) -> b; ADD {} b f32[5]=~7(-2..2) -> c; "
          "MUL {} c f32[]=0.3 -> y0\n"
          "POW x f32[]=3 -> d; MUL {} d f32[]=0.044715 -> e; ADD {} e x -> f; "
          "MUL {} f f32[]=0.7978845608 -> g; TANH g -> h; ADD {} h f32[]=1 -> i; MUL {} i x -> j; "
          "MUL {} j f32[]=0.5 -> y1\n"
          "MUL {} z f32[]=0.7 -> k; LOGISTIC k -> l; MUL {} l x -> y2\n",
          f);
}

/* As many chains as outputs, without a step between. */
static void all_chains(const struct transform_case *c, int chains)
{
    struct plan_look l = { .pairs = (const char *const[]){ NULL } };
    int seen = 0;

    MODEL_BY(m, transform_model(c, &m));
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    for (int i = 0; i < l.plan.step_count; i++)
        seen += strcmp(l.plan.steps[i]->shader, "chain") == 0;
    assert_int_equal(seen, chains);
    assert_int_equal(l.plan.step_count, l.plan.input_count + seen + l.plan.output_count);
    plan_close(&l.plan);
}

TEST(same_bits_of_all)
{
    static const struct {
        const char *name;
        void (*put)(FILE *f);
        int chains;
    } all[] = {
        { "of one operand", put_unary, UNARY },
        { "of two operands", put_binary, BINARY },
        { "parts", put_parts, 3 },
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct transform_case c = { all[i].name, { 1, 2, 3, 5 }, 0, NULL, NULL };

        PRINTED(text, f, all[i].put(f));
        c.text = text;
        all_chains(&c, all[i].chains);
        if (transform_device)
            compare(&c, false);
    }
}

/* ---- the step ---- */

/* The result may overwrite an operand of its shape, and none that is broadcast. */
TEST(in_place)
{
    static const struct transform_case c = {
        .text = SUM("1,2", 2) "MUL {} x f32[]=2 -> t; ADD {} t s_ -> y", .dims = { 2, 2, 3, 5 }
    };
    struct plan_look l = { .pairs = (const char *const[]){ NULL } };
    int seen = 0;

    MODEL_BY(m, transform_model(&c, &m));
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    for (int i = 0; i < l.plan.step_count; i++) {
        const struct plan_step *const s = l.plan.steps[i];

        if (strncmp(s->label, "MUL+ADD ", 8) != 0)
            continue;
        seen++;
        assert_true(s->bindings[1].elementwise);
        assert_false(s->bindings[2].elementwise);
        assert_int_equal(s->bindings[3].location, LOCATION_CONSTANTS);
    }
    assert_int_equal(seen, 1);
    plan_close(&l.plan);
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = transform_find_device);
