/* Runs of elementwise nodes become one node. */
#include "delegate/graph/chain.h"
#include "delegate/runtime/delegate.h"
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "delegate/vulkan/device.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <string.h>

/* ---- building ---- */

static struct kit_tensor node(struct builder *b, int32_t code, struct kit_tensor x,
                              struct kit_tensor z, int rank, const int32_t *dims)
{
    const struct kit_tensor y = kit_tensor(b, "y", rank, dims);
    struct options o;

    options_init(&o, code == BUILTIN_DIV   ? OPTIONS_DivOptions
                     : code == BUILTIN_ADD ? OPTIONS_AddOptions
                     : code == BUILTIN_SUB ? OPTIONS_SubOptions
                                           : OPTIONS_MulOptions);
    builder_op(b, code, 1,
               code == BUILTIN_DIV || code == BUILTIN_ADD || code == BUILTIN_SUB ||
                       code == BUILTIN_MUL
                   ? &o
                   : NULL,
               2, (int[]){ x.index, z.index }, 1, &y.index);
    return y;
}

/* x op z, of the shape of x; of z. */
static struct kit_tensor with(struct builder *b, int32_t code, struct kit_tensor x,
                              struct kit_tensor z)
{
    return node(b, code, x, z, x.rank, x.dims);
}

static struct kit_tensor into(struct builder *b, int32_t code, struct kit_tensor x,
                              struct kit_tensor z)
{
    return node(b, code, x, z, z.rank, z.dims);
}

static struct kit_tensor constant(struct builder *b, int rank, const int32_t *dims)
{
    struct kit_tensor t = { .rank = rank, .index = kit_integers(b, rank, dims, 7) };

    memcpy(t.dims, dims, (size_t)rank * sizeof dims[0]);
    return t;
}

static struct kit_tensor number(struct builder *b, float value)
{
    return (struct kit_tensor){ .index = kit_filled(b, 0, NULL, value) };
}

static struct kit_tensor times(struct builder *b, struct kit_tensor x, float factor)
{
    return with(b, BUILTIN_MUL, x, number(b, factor));
}

static struct kit_tensor plus(struct builder *b, struct kit_tensor x, float term)
{
    return with(b, BUILTIN_ADD, x, number(b, term));
}

/* x summed over the dims of which `like` has 1: small integers stay integers that f16 has. */
static struct kit_tensor sum(struct builder *b, struct kit_tensor x, const int32_t like[4])
{
    const struct kit_tensor y = kit_tensor(b, "s", 4, like);
    int32_t axes[4];
    int32_t count = 0;
    struct options o;

    for (int d = 0; d < 4; d++)
        if (like[d] != x.dims[d])
            axes[count++] = d;
    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    builder_op(b, BUILTIN_SUM, 1, &o, 2, (int[]){ x.index, kit_ints(b, 1, &count, axes) }, 1,
               &y.index);
    return y;
}
#define SUM(x, ...) sum(b, x, (const int32_t[4]){ __VA_ARGS__ })

static struct kit_tensor leaky(struct builder *b, struct kit_tensor x, float alpha)
{
    const struct kit_tensor y = kit_tensor(b, "l", x.rank, x.dims);
    struct options o;

    options_init(&o, OPTIONS_LeakyReluOptions);
    options_set_float(&o, "alpha", alpha);
    builder_op(b, BUILTIN_LEAKY_RELU, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}

#define BUILD(name, ...)                                                                           \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[])                                                      \
    {                                                                                              \
        (void)x;                                                                                   \
        (void)z;                                                                                   \
        __VA_ARGS__;                                                                               \
    }

/* ---- where it fires, and where not: integers ---- */

BUILD(two, out[0] = plus(b, times(b, x, 3), 2))
BUILD(three, out[0] = kit_unary(b, BUILTIN_ABS, plus(b, times(b, x, 3), -2)))
BUILD(second_operand, out[0] = with(b, BUILTIN_SUB, z, times(b, x, 3)))
BUILD(constant_first, out[0] = times(b, with(b, BUILTIN_SUB, constant(b, 4, x.dims), x), 2))
BUILD(per_channel, const int32_t c = x.dims[3];
      out[0] = with(b, BUILTIN_ADD, with(b, BUILTIN_MUL, x, constant(b, 1, &c)),
                    constant(b, KIT_DIMS(1, 1, 1, c))))
BUILD(full_constant, out[0] = with(b, BUILTIN_ADD, with(b, BUILTIN_MUL, x, constant(b, 4, x.dims)),
                                   constant(b, KIT_DIMS(x.dims[1], 1, 1))))
BUILD(two_tensors, out[0] = with(b, BUILTIN_ADD, with(b, BUILTIN_MUL, x, z), x))
BUILD(same_tensor, out[0] = with(b, BUILTIN_SUB, with(b, BUILTIN_MUL, x, x), x))
BUILD(clamped, out[0] = times(b, kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActRelu6), 2))
BUILD(slopes, out[0] = leaky(b, plus(b, leaky(b, times(b, x, 8), 0.5f), -8), 0.25f))
BUILD(third_tensor, out[1] = kit_unary(b, BUILTIN_ABS, z);
      out[0] = with(b, BUILTIN_ADD, with(b, BUILTIN_MUL, x, z), out[1]))
BUILD(read_twice, const struct kit_tensor t = times(b, x, 2); out[0] = kit_unary(b, BUILTIN_ABS, t);
      out[1] = kit_unary(b, BUILTIN_NEG, t))
BUILD(exposed, out[1] = times(b, x, 2); out[0] = kit_unary(b, BUILTIN_ABS, out[1]))
BUILD(both_chains, out[0] = with(b, BUILTIN_ADD, times(b, x, 2), times(b, z, 3)))
BUILD(through_a_view, out[0] = plus(b, kit_reshape(b, times(b, x, 2), KIT_DIMS(60)), 1))
BUILD(long_one, struct kit_tensor t = x; for (int i = 0; i < 10; i++) t = plus(b, t, 1); out[0] = t)

/* Computed operands, broadcast. */
BUILD(spread, out[0] = into(b, BUILTIN_ADD, kit_unary(b, BUILTIN_ABS, SUM(z, 2, 1, 1, 5)), x))
BUILD(beside_channels, out[0] = with(b, BUILTIN_ADD, times(b, x, 2), SUM(z, 1, 1, 1, 5)))
BUILD(beside_images, out[0] = with(b, BUILTIN_ADD, times(b, x, 2), SUM(z, 2, 1, 1, 5)))
BUILD(beside_pixels, out[0] = with(b, BUILTIN_SUB, times(b, x, 2), SUM(z, 2, 2, 3, 1)))
BUILD(beside_numbers, out[0] = with(b, BUILTIN_SUB, times(b, x, 2), SUM(z, 2, 1, 1, 1)))
BUILD(beside_rows, out[0] = with(b, BUILTIN_SUB, with(b, BUILTIN_ADD, x, SUM(z, 1, 2, 1, 5)),
                                 constant(b, KIT_DIMS(2, 1, 1, 1))))
BUILD(beside_columns, out[0] = plus(b, with(b, BUILTIN_SUB, x, SUM(z, 2, 1, 3, 1)), 1))
BUILD(broadcast_start,
      out[0] = with(b, BUILTIN_ADD,
                    into(b, BUILTIN_SUB, SUM(z, 2, 1, 1, 5), constant(b, 4, x.dims)), x))
BUILD(one_channel_start,
      out[0] = with(b, BUILTIN_ADD,
                    into(b, BUILTIN_SUB, SUM(z, 1, 2, 3, 1), constant(b, 4, x.dims)), x))
/* Six operands, of which no two are broadcast over the same dims. */
BUILD(too_many_ways, struct kit_tensor t = with(b, BUILTIN_ADD, x, SUM(z, 2, 1, 3, 1));
      t = with(b, BUILTIN_ADD, t, constant(b, KIT_DIMS(1, 2, 1, 5)));
      t = with(b, BUILTIN_ADD, t, constant(b, KIT_DIMS(2, 2, 1, 1)));
      t = with(b, BUILTIN_ADD, t, constant(b, KIT_DIMS(1, 1, 3, 5))); out[0] = t)
BUILD(five_dims, struct kit_tensor t = kit_reshape(b, x, KIT_DIMS(2, 1, 2, 3, 5));
      t = with(b, BUILTIN_ADD, times(b, t, 2), constant(b, KIT_DIMS(2, 1, 1, 3, 1)));
      out[0] = kit_reshape(b, kit_unary(b, BUILTIN_ABS, t), 4, x.dims))
/* A convolution overwrites what the first of two nodes reads, before the second one. */
BUILD(overwritten, const struct kit_tensor a = SUM(z, 2, 2, 3, 1);
      const struct kit_tensor u = with(b, BUILTIN_ADD, z, a);
      const struct kit_tensor t = with(b, BUILTIN_MUL, x, u);
      const struct kit_tensor y = kit_conv_2d(b, x, (struct kit_conv){ .kernel = 1 });
      out[1] = with(b, BUILTIN_ADD, y, u); out[0] = kit_unary(b, BUILTIN_NEG, t))

static const struct transform_case cases[] = {
    { "two", two, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "three", three, { 2, 2, 3, 4 }, 2, "MUL+ADD+ABS ", NULL },
    { "rank 0", three, { 0 }, 2, "MUL+ADD+ABS ", NULL },
    { "rank 1", three, { 7 }, 2, "MUL+ADD+ABS ", NULL },
    { "rank 2, one channel", three, { 7, 1 }, 2, "MUL+ADD+ABS ", NULL },
    { "rank 3", three, { 2, 3, 6 }, 2, "MUL+ADD+ABS ", NULL },
    { "the second operand", second_operand, { 2, 2, 3, 5 }, 1, "MUL+SUB ", NULL },
    { "a constant less x", constant_first, { 2, 2, 3, 5 }, 1, "SUB+MUL ", NULL },
    { "constants per channel", per_channel, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "a constant of all elements", full_constant, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "two tensors", two_tensors, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "a tensor with itself", same_tensor, { 2, 2, 3, 5 }, 1, "MUL+SUB ", NULL },
    { "a clamp between", clamped, { 2, 2, 3, 5 }, 1, "ADD+MUL ", NULL },
    { "two slopes", slopes, { 2, 2, 3, 5 }, 3, "MUL+LEAKY_RELU+ADD+LEAKY_RELU ", NULL },
    { "a third tensor", third_tensor, { 2, 2, 3, 5 }, 0, "ADD ", NULL },
    { "read twice", read_twice, { 2, 2, 3, 5 }, 0, "NEG ", NULL },
    { "an output", exposed, { 2, 2, 3, 5 }, 0, "ABS ", NULL },
    { "two chains meet", both_chains, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "through a view", through_a_view, { 2, 2, 3, 5 }, 0, "ADD ", NULL },
    { "longer than 8", long_one, { 2, 2, 3, 5 }, 7 + 1, "ADD+ADD+ADD+ADD+ADD+ADD+ADD+ADD ", NULL },
    { "broadcast in between", spread, { 2, 2, 3, 5 }, 0, "ABS ", NULL },
    { "beside it channels", beside_channels, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "beside it channels of images", beside_images, { 2, 2, 3, 5 }, 1, "MUL+ADD ", NULL },
    { "beside it pixels", beside_pixels, { 2, 2, 3, 5 }, 1, "MUL+SUB ", NULL },
    { "beside it a number of each image", beside_numbers, { 2, 2, 3, 5 }, 1, "MUL+SUB ", NULL },
    { "beside it rows", beside_rows, { 2, 2, 3, 5 }, 1, "ADD+SUB ", NULL },
    { "beside it columns", beside_columns, { 2, 2, 3, 5 }, 1, "SUB+ADD ", NULL },
    { "broadcast from the start", broadcast_start, { 2, 2, 3, 5 }, 1, "SUB+ADD ", NULL },
    { "one channel from the start", one_channel_start, { 2, 2, 3, 5 }, 1, "SUB+ADD ", NULL },
    { "too many ways", too_many_ways, { 2, 2, 3, 5 }, 2, "ADD+ADD+ADD ", NULL },
    { "five dims", five_dims, { 2, 2, 3, 5 }, 2, "MUL+ADD+ABS ", NULL },
    { "overwritten", overwritten, { 2, 2, 3, 4 }, 0, "NEG ", NULL },
};
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
    struct model m;

    transform_model(c, &m);
    if (integers)
        truth = transform_run(&m, NULL);
    for (int p = 0; p < 2; p++) {
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
    model_close(&m);
}

/* All cases with inputs of this shape, side by side. */
static const int32_t *shape;

static bool has_shape(const struct transform_case *c)
{
    return memcmp(c->dims, shape, sizeof c->dims) == 0;
}

static void build_all(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[])
{
    int count = 0;

    for (int i = 0; i < CASES; i++) {
        if (!has_shape(&cases[i]))
            continue;
        cases[i].build(b, x, z, out + count);
        while (out[count].index)
            count++;
        assert_true(count + 3 < TRANSFORM_OUTPUTS);
    }
}

TEST(same_results)
{
    for (int i = 0; i < CASES; i++) {
        struct transform_case all = { .name = cases[i].name, .build = build_all };
        int before = 0;

        shape = cases[i].dims;
        while (!has_shape(&cases[before]))
            before++;
        if (before < i)
            continue;
        memcpy(all.dims, shape, sizeof all.dims);
        if (transform_device)
            compare(&all, true);
    }
}

/* ---- bits: any numbers, each op as a link in the middle, with and without chains ---- */

static const int32_t unary[] = {
    BUILTIN_RELU,        BUILTIN_RELU6, BUILTIN_EXP, BUILTIN_LOGISTIC,   BUILTIN_HARD_SWISH,
    BUILTIN_TANH,        BUILTIN_GELU,  BUILTIN_ELU, BUILTIN_LEAKY_RELU, BUILTIN_RELU_N1_TO_1,
    BUILTIN_RELU_0_TO_1, BUILTIN_ABS,   BUILTIN_NEG, BUILTIN_SQRT,       BUILTIN_RSQRT,
    BUILTIN_SQUARE,      BUILTIN_LOG,   BUILTIN_SIN, BUILTIN_COS,        BUILTIN_FLOOR,
    BUILTIN_CEIL,        BUILTIN_ROUND, BUILTIN_SIGN
};
static const int32_t binary[] = {
    BUILTIN_ADD,       BUILTIN_SUB,       BUILTIN_MUL,     BUILTIN_DIV,
    BUILTIN_POW,       BUILTIN_MAXIMUM,   BUILTIN_MINIMUM, BUILTIN_SQUARED_DIFFERENCE,
    BUILTIN_FLOOR_DIV, BUILTIN_FLOOR_MOD, BUILTIN_PRELU
};
enum { UNARY = sizeof unary / sizeof unary[0], BINARY = sizeof binary / sizeof binary[0] };

static struct kit_tensor fractions(struct builder *b, struct kit_tensor x)
{
    return plus(b, times(b, x, 0.37f), 0.11f);
}

static struct kit_tensor gelu(struct builder *b, struct kit_tensor x, bool approximate)
{
    const struct kit_tensor y = kit_tensor(b, "g", x.rank, x.dims);
    struct options o;

    options_init(&o, OPTIONS_GeluOptions);
    options_set_int(&o, "approximate", approximate);
    builder_op(b, BUILTIN_GELU, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}

/* Each of one operand; at last GELU with approximate. */
static struct kit_tensor function(struct builder *b, int i, struct kit_tensor x)
{
    return i == UNARY                       ? gelu(b, x, true)
           : unary[i] == BUILTIN_GELU       ? gelu(b, x, false)
           : unary[i] == BUILTIN_LEAKY_RELU ? leaky(b, x, 0.3f)
                                            : kit_unary(b, unary[i], x);
}

/* The value is the first operand, then the second one. */
static struct kit_tensor operation(struct builder *b, int32_t code, struct kit_tensor x,
                                   struct kit_tensor z)
{
    const struct kit_tensor first = code == BUILTIN_PRELU ? z : constant(b, 4, x.dims);

    return with(b, code, first, with(b, code, x, z));
}

/* A product and a sum around the op, which no driver may round together with it. */
BUILD(unary_between, for (int i = 0; i <= UNARY; i++)
                         out[i] = plus(b, times(b, function(b, i, fractions(b, x)), 1.3f), 0.7f))
BUILD(binary_between,
      for (int i = 0; i < BINARY; i++)
          out[i] = plus(b, times(b, operation(b, binary[i], fractions(b, x), z), 1.1f), 0.3f))
/* LayerNorm after the statistics; GELU by parts; a gate; a batch normalization. */
BUILD(parts, const int32_t c = x.dims[3]; struct kit_tensor t = with(b, BUILTIN_MUL, x, z);
      t = with(b, BUILTIN_MUL, t, constant(b, 1, &c));
      out[0] = times(b, with(b, BUILTIN_ADD, t, constant(b, 1, &c)), 0.3f);
      t = with(b, BUILTIN_POW, x, number(b, 3));
      t = with(b, BUILTIN_ADD, times(b, t, 0.044715f), x);
      t = kit_unary(b, BUILTIN_TANH, times(b, t, 0.7978845608f));
      out[1] = times(b, with(b, BUILTIN_MUL, plus(b, t, 1), x), 0.5f);
      out[2] = with(b, BUILTIN_MUL, kit_unary(b, BUILTIN_LOGISTIC, times(b, z, 0.7f)), x))

/* As many chains as outputs, without a step between. */
static void all_chains(const struct transform_case *c, int chains)
{
    struct plan_look l = { .pairs = (const char *const[]){ NULL } };
    int seen = 0;
    struct model m;

    transform_model(c, &m);
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    for (int i = 0; i < l.plan.step_count; i++)
        seen += strcmp(l.plan.steps[i]->shader, "chain") == 0;
    assert_int_equal(seen, chains);
    assert_int_equal(l.plan.step_count, l.plan.input_count + seen + l.plan.output_count);
    plan_close(&l.plan);
    model_close(&m);
}

TEST(same_bits_of_all)
{
    static const struct transform_case all[] = {
        { "of one operand", unary_between, { 1, 2, 3, 5 }, UNARY + 1, NULL, NULL },
        { "of two operands", binary_between, { 1, 2, 3, 5 }, BINARY, NULL, NULL },
        { "parts", parts, { 1, 2, 3, 5 }, 3, NULL, NULL },
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        all_chains(&all[i], all[i].fires);
        if (transform_device)
            compare(&all[i], false);
    }
}

/* ---- the step ---- */

/* The result may overwrite an operand of its shape, and none that is broadcast. */
TEST(in_place)
{
    static const struct transform_case c = { .build = beside_images, .dims = { 2, 2, 3, 5 } };
    struct plan_look l = { .pairs = (const char *const[]){ NULL } };
    int seen = 0;
    struct model m;

    transform_model(&c, &m);
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
    model_close(&m);
}

TEST_FILE(.before = transform_find_device);
