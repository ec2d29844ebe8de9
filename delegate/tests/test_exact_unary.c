/* Functions of one 8-bit number on the device, each for all of its values, and what brings numbers
 * to 8 bits and back: RELU, RELU6, LOGISTIC, EXP, QUANTIZE, DEQUANTIZE.  Skipped where there is no
 * device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const int32_t types[] = { TENSOR_INT8, TENSOR_UINT8 };

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

static void one(struct exact_model *m, TfLiteDelegate *d, int32_t code, int32_t from,
                struct exact_quant x, int32_t to, struct exact_quant y,
                void (*fill)(struct interpreter *, uint64_t))
{
    const int in = exact_tensor(m, from, x, 3, dims), out = exact_tensor(m, to, y, 3, dims);

    snprintf(m->label, sizeof m->label, "op %d, %g %d to %g %d", (int)code, x.scale, x.zero,
             y.scale, y.zero);
    builder_op(&m->b, code, 1, NULL, 1, &in, 1, &out);
    builder_inputs(&m->b, 1, &in);
    builder_outputs(&m->b, 1, &out);
    exact_check(m, d, 1, fill);
}

TEST(every_value)
{
    static const int32_t codes[] = { BUILTIN_RELU, BUILTIN_RELU6, BUILTIN_LOGISTIC, BUILTIN_EXP };
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 0; seed < 96; seed++) {
        const int32_t code = codes[seed % 4];
        const int32_t type = types[code == BUILTIN_EXP ? 0 : seed / 4 % 2];
        struct exact_quant x, y;
        struct exact_model m;

        exact_begin(&m, seed);
        x = exact_random_quant(&m.random, type);
        y = exact_random_quant(&m.random, type);
        if (seed / 8 % 3 == 0)
            x.scale = y.scale * exp2(kit_float(&m.random) * 30); /* ends of the shifts */
        if (code == BUILTIN_LOGISTIC)
            y = (struct exact_quant){ 1. / 256, type == TENSOR_INT8 ? -128 : 0 };
        one(&m, d, code, type, x, type, y, fill_values);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(requantize)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 0; seed < 60; seed++) {
        const int32_t from = types[seed % 2], to = types[seed / 2 % 2];
        struct exact_quant x, y;
        struct exact_model m;

        exact_begin(&m, seed);
        x = exact_random_quant(&m.random, from);
        y = exact_random_quant(&m.random, to);
        if (seed % 5 == 0) /* between u8 and i8 of one meaning */
            y = (struct exact_quant){ x.scale, x.zero + 128 * ((from == TENSOR_INT8) -
                                                               (to == TENSOR_INT8)) };
        one(&m, d, BUILTIN_QUANTIZE, from, x, to, y, fill_values);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(dequantize)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    for (int half = 0; half < 2; half++) {
        d = exact_delegate(half ? "fp16" : "fp32");
        for (uint64_t seed = 0; seed < 12; seed++) {
            const int32_t from = types[seed % 2];
            struct exact_quant x;
            struct exact_model m;

            exact_begin(&m, seed);
            x = exact_random_quant(&m.random, from);
            if (seed == 7)
                x.scale = 1e-41; /* results are denormal */
            one(&m, d, BUILTIN_DEQUANTIZE, from, x, TENSOR_FLOAT32, (struct exact_quant){ 0, 0 },
                fill_values);
        }
        tflite_plugin_destroy_delegate(d);
    }
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

TEST(quantize)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    for (int half = 0; half < 2; half++) {
        d = exact_delegate(half ? "fp16" : "fp32");
        for (uint64_t seed = 0; seed < 24; seed++) {
            static const double scales[] = { 1e-44, 1e-38, 1e30, 1. / 3, 0.5 };
            const int32_t to = types[seed % 2];
            struct exact_quant y;
            struct exact_model m;

            exact_begin(&m, seed);
            y = exact_random_quant(&m.random, to);
            if (seed < 5)
                y.scale = scales[seed];
            float_scale = (float)y.scale;
            one(&m, d, BUILTIN_QUANTIZE, TENSOR_FLOAT32, (struct exact_quant){ 0, 0 }, to, y,
                fill_floats);
        }
        tflite_plugin_destroy_delegate(d);
    }
}

/* f32 -> i8 -> RELU -> f32, as models have it at their edges; in fp16 as well. */
TEST(edges)
{
    const struct exact_quant none = { 0, 0 }, q = { 0.037, 11 };
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    for (int half = 0; half < 2; half++) {
        struct exact_model m;
        int t[4];

        d = exact_delegate(half ? "fp16" : "fp32");
        exact_begin(&m, 1);
        t[0] = exact_tensor(&m, TENSOR_FLOAT32, none, 3, dims);
        t[1] = exact_tensor(&m, TENSOR_INT8, q, 3, dims);
        t[2] = exact_tensor(&m, TENSOR_INT8, q, 3, dims);
        t[3] = exact_tensor(&m, TENSOR_FLOAT32, none, 3, dims);
        builder_op(&m.b, BUILTIN_QUANTIZE, 1, NULL, 1, &t[0], 1, &t[1]);
        builder_op(&m.b, BUILTIN_RELU, 1, NULL, 1, &t[1], 1, &t[2]);
        builder_op(&m.b, BUILTIN_DEQUANTIZE, 1, NULL, 1, &t[2], 1, &t[3]);
        builder_inputs(&m.b, 1, &t[0]);
        builder_outputs(&m.b, 1, &t[3]);
        float_scale = 0.037f;
        exact_check(&m, d, 2, fill_floats);
        tflite_plugin_destroy_delegate(d);
    }
}
