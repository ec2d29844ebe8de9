/* LSTM u8 on the device, several steps of a sequence, its state in variables or in inputs.  Skipped
 * where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const struct exact_quant activations = { 1. / 128, 128 }, cells = { 1. / 2048, 0 },
                                gates = { 1. / 4096, 0 };

struct lstm {
    int32_t batch, depth, units;
    double bias_scale;
    int weights_zero;
    bool variables, computed_weights;
};

/* Exponents of all kinds: weights near their zero point as well as far from it. */
static int weights(struct exact_model *m, const struct lstm *l)
{
    const int32_t dims[] = { 4 * l->units, l->depth + l->units };
    const size_t count = (size_t)dims[0] * (size_t)dims[1];
    const float scale = 0.02f;
    const int64_t zero = l->weights_zero;
    uint8_t *const bytes = malloc(count);
    int t;

    assert_non_null(bytes);
    if (l->computed_weights) {
        free(bytes);
        return exact_tensor(m, TENSOR_UINT8, (struct exact_quant){ 0.02, l->weights_zero }, 2,
                            dims);
    }
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)kit_random(&m->random);
    t = builder_constant(&m->b, TENSOR_UINT8, "w", 2, dims, bytes, count);
    builder_quantization(&m->b, t, 1, &scale, &zero, 0);
    free(bytes);
    return t;
}

static int bias(struct exact_model *m, const struct lstm *l)
{
    const int32_t units = 4 * l->units;
    const float scale = (float)l->bias_scale;
    const int64_t zero = 0;
    int32_t *const values = malloc((size_t)units * sizeof *values);
    int t;

    assert_non_null(values);
    for (int i = 0; i < units; i++)
        values[i] = (int32_t)(kit_float(&m->random) * 8 / scale);
    t = builder_constant(&m->b, TENSOR_INT32, "b", 1, &units, values, (size_t)units * 4);
    builder_quantization(&m->b, t, 1, &scale, &zero, 0);
    free(values);
    return t;
}

static void check(struct exact_model *m, TfLiteDelegate *d, const struct lstm *l)
{
    const int32_t x[] = { l->batch, l->depth }, state[] = { l->batch, l->units },
                  joined[] = { l->batch, l->depth + l->units }, z[] = { l->batch, 4 * l->units };
    struct options o;
    int in[5], inputs[4], count = 0, out[4];

    in[0] = exact_tensor(m, TENSOR_UINT8, activations, 2, x);
    in[1] = exact_tensor(m, TENSOR_UINT8, activations, 2, state);
    in[2] = weights(m, l);
    in[3] = bias(m, l);
    in[4] = exact_tensor(m, TENSOR_INT16, cells, 2, state);
    out[0] = exact_tensor(m, TENSOR_UINT8, activations, 2, state);
    out[1] = exact_tensor(m, TENSOR_INT16, cells, 2, state);
    out[2] = exact_tensor(m, TENSOR_UINT8, activations, 2, joined);
    out[3] = exact_tensor(m, TENSOR_INT16, gates, 2, z);
    inputs[count++] = in[0];
    if (l->variables) {
        builder_variable(&m->b, in[1]);
        builder_variable(&m->b, in[4]);
    } else {
        inputs[count++] = in[1];
        inputs[count++] = in[4];
    }
    if (l->computed_weights)
        inputs[count++] = in[2];
    options_init(&o, OPTIONS_LSTMOptions);
    options_set_int(&o, "kernel_type", 1);
    options_set_int(&o, "fused_activation_function", 4);
    builder_op(&m->b, BUILTIN_LSTM, 2, &o, 5, in, 4, out);
    builder_inputs(&m->b, (size_t)count, inputs);
    builder_outputs(&m->b, 4, out);
    snprintf(m->label, sizeof m->label, "[%d,%d] to %d units, bias scale %g, zero point %d%s%s",
             (int)l->batch, (int)l->depth, (int)l->units, l->bias_scale, l->weights_zero,
             l->variables ? ", variables" : "", l->computed_weights ? ", computed weights" : "");
    exact_check(m, d, 4, NULL);
}

TEST(sequences)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static const int zeros[] = { 0, 128, 255, 117 };
        struct exact_model m;
        struct lstm l;

        exact_begin(&m, seed);
        l = (struct lstm){ .batch = 1 + kit_below(&m.random, 3),
                           .depth = 1 + kit_below(&m.random, 33),
                           .units = 1 + kit_below(&m.random, 35),
                           .bias_scale = exp2(-6 - kit_below(&m.random, 12)),
                           .weights_zero = zeros[kit_below(&m.random, 4)],
                           .variables = seed % 2,
                           .computed_weights = seed % 5 == 0 };
        check(&m, d, &l);
    }
    tflite_plugin_destroy_delegate(d);
}

/* Gates over all of their range, many at a time. */
TEST(all_gates)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp16"); /* which is no matter to integers */
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct exact_model m;

        exact_begin(&m, seed);
        check(&m, d,
              &(struct lstm){ .batch = 32,
                              .depth = 4,
                              .units = 64,
                              .bias_scale = exp2(-15 + (double)seed / 2),
                              .weights_zero = 128 });
    }
    tflite_plugin_destroy_delegate(d);
}

/* A factor over 1, and one that leaves nothing. */
TEST(factors)
{
    static const double scales[] = { 1, 0.3, 1e-3, 2.3e-4, 1e-9, 1e-14 };
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        struct exact_model m;

        exact_begin(&m, i);
        check(&m, d,
              &(struct lstm){ .batch = 2,
                              .depth = 5,
                              .units = 6,
                              .bias_scale = scales[i],
                              .weights_zero = 100,
                              .variables = true });
    }
    tflite_plugin_destroy_delegate(d);
}
