/* Functions of one 8-bit number on the device, each for all of its values, and what brings numbers
 * to 8 bits and back: RELU, RELU6, LOGISTIC, EXP, QUANTIZE, DEQUANTIZE.  Skipped where there is no
 * device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const char *const types[] = { "i8", "u8" };
static const struct exact_quant none = { 0, 0 };

/* Each value in each channel of a slice that is not full. */
static void fill_values(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);
    TfLiteTensor *const t = interpreter_tensor(in, inputs[0]);

    (void)seed;
    for (size_t i = 0; i < t->bytes; i++)
        t->data.uint8[i] = (uint8_t)(i + i / 256);
}

static const int32_t dims[] = { 2, 256, 7 };

static void one(struct exact_model *m, const char *op, const char *from, struct exact_quant x,
                const char *to, struct exact_quant y)
{
    exact_add(m, "%s %s -> y:%s", op, exact_text(from, x, 3, dims), exact_text(to, y, -1, NULL));
    m->fill = fill_values;
}

EXACT_TEST(every_value, "fp32", 0, 95)
{
    static const char *const ops[] = { "RELU", "RELU6", "LOGISTIC", "EXP" };
    const char *const type = types[seed % 4 == 3 ? 0 : seed / 4 % 2];
    struct exact_quant x = exact_random_quant(&m->random, type);
    struct exact_quant y = exact_random_quant(&m->random, type);

    if (seed / 8 % 3 == 0)
        x.scale = y.scale * exp2(kit_float(&m->random) * 30); /* ends of the shifts */
    if (seed % 4 == 2)
        y = (struct exact_quant){ 1. / 256, type[0] == 'i' ? -128 : 0 };
    one(m, ops[seed % 4], type, x, type, y);
}

EXACT_TEST(requantize, "fp32", 0, 59)
{
    const char *const from = types[seed % 2], *const to = types[seed / 2 % 2];
    const struct exact_quant x = exact_random_quant(&m->random, from);
    struct exact_quant y = exact_random_quant(&m->random, to);

    if (seed % 5 == 0) /* between u8 and i8 of one meaning */
        y = (struct exact_quant){ x.scale, x.zero + 128 * ((from[0] == 'i') - (to[0] == 'i')) };
    one(m, "QUANTIZE", from, x, to, y);
}

static void dequantize(struct exact_model *m, uint64_t seed)
{
    const char *const from = types[seed % 2];
    struct exact_quant x = exact_random_quant(&m->random, from);

    if (seed == 7)
        x.scale = 1e-41; /* results are denormal */
    one(m, "DEQUANTIZE", from, x, "f32", none);
}

TEST(dequantize_in_both_precisions)
{
    exact_run("fp32", 0, 11, dequantize);
    exact_run("fp16", 0, 11, dequantize);
}

static float next_of(float f, int steps)
{
    for (; steps > 0; steps--)
        f = nextafterf(f, INFINITY);
    for (; steps < 0; steps++)
        f = nextafterf(f, -INFINITY);
    return f;
}

static float float_scale;

/* Numbers around the halves between steps, extremes, random ones. */
static void fill_floats(struct interpreter *in, uint64_t seed)
{
    static const float extremes[] = { 0.0f,   -0.0f,   INFINITY, -INFINITY, NAN,    -NAN,
                                      1e-45f, -1e-45f, 3e38f,    -3e38f,    1e-30f, -1e-30f };
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);
    TfLiteTensor *const t = interpreter_tensor(in, inputs[0]);

    for (size_t i = 0; i < t->bytes / sizeof(float); i++) {
        const float half = (float)((int)(i / 5 % 520) - 260) + 0.5f;

        if (i < sizeof extremes / sizeof extremes[0])
            t->data.f[i] = extremes[i];
        else if (i < 2600)
            t->data.f[i] = next_of(half * float_scale, (int)(i % 5) - 2);
        else
            t->data.f[i] = kit_float(&seed) * 300 * float_scale;
    }
}

static void quantize(struct exact_model *m, uint64_t seed)
{
    static const double scales[] = { 1e-44, 1e-38, 1e30, 1. / 3, 0.5 };
    const char *const to = types[seed % 2];
    struct exact_quant y = exact_random_quant(&m->random, to);

    if (seed < 5)
        y.scale = scales[seed];
    float_scale = (float)y.scale;
    one(m, "QUANTIZE", "f32", none, to, y);
    m->fill = fill_floats;
}

TEST(quantize_in_both_precisions)
{
    exact_run("fp32", 0, 23, quantize);
    exact_run("fp16", 0, 23, quantize);
}

/* f32 -> i8 -> RELU -> f32, as models have it at their edges; in fp16 as well. */
static void edges(struct exact_model *m, uint64_t seed)
{
    (void)seed;
    exact_add(m, "QUANTIZE f32[2,256,7] -> a:i8q(0.037,11); RELU a -> b:i8q(0.037,11); "
                 "DEQUANTIZE b -> c:f32");
    float_scale = 0.037f;
    m->fill = fill_floats;
    m->times = 2;
}

TEST(edges_in_both_precisions)
{
    exact_run("fp32", 1, 1, edges);
    exact_run("fp16", 1, 1, edges);
}
