/* LSTM u8 and SVDF i8 on the device, several steps of a sequence, its state in variables or in
 * inputs.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

struct lstm {
    int32_t batch, depth, units;
    double bias_scale;
    int weights_zero;
    bool variables, computed_weights;
};

/* Exponents of all kinds: weights near their zero point as well as far from it.  States that are no
 * variables are inputs. */
static void add_lstm(struct exact_model *m, const struct lstm *l)
{
    const char *const variable = l->variables ? "!" : "";
    char weights[32] = "";

    if (!l->computed_weights)
        snprintf(weights, sizeof weights, "=~%d(0..255)", kit_below(&m->random, 1000));
    exact_add(m,
              "LSTM:2 {kernel_type=BASIC fused_activation_function=TANH}\\\n"
              " u8[%d,%d]q(0.0078125,128) u8[%d,%d]q(0.0078125,128)%s"
              " u8[%d,%d]%sq(0.02,%d) i32[%d]=~%d(%d..%d)q(%.9g,0)"
              " i16[%d,%d]q(0.00048828125,0)%s\\\n"
              " -> a:u8q(0.0078125,128) b:i16q(0.00048828125,0) c:u8q(0.0078125,128)"
              " d:i16q(0.000244140625,0)",
              l->batch, l->depth, l->batch, l->units, variable, 4 * l->units, l->depth + l->units,
              weights, l->weights_zero, 4 * l->units, kit_below(&m->random, 1000),
              (int)fmax(-8 / l->bias_scale, INT32_MIN), (int)fmin(8 / l->bias_scale, INT32_MAX),
              l->bias_scale, l->batch, l->units, variable);
    m->times = 4;
}

EXACT_TEST(sequences, "fp32", 1, 40)
{
    static const int zeros[] = { 0, 128, 255, 117 };

    add_lstm(m, &(struct lstm){ .batch = 1 + kit_below(&m->random, 3),
                                .depth = 1 + kit_below(&m->random, 33),
                                .units = 1 + kit_below(&m->random, 35),
                                .bias_scale = exp2(-6 - kit_below(&m->random, 12)),
                                .weights_zero = zeros[kit_below(&m->random, 4)],
                                .variables = seed % 2,
                                .computed_weights = seed % 5 == 0 });
}

/* Gates over all of their range, many at a time. */
EXACT_TEST(all_gates, "fp16", 1, 8) /* the precision is no matter to integers */
{
    add_lstm(m, &(struct lstm){ 32, 4, 64, exp2(-15 + (double)seed / 2), 128, false, false });
}

/* A factor over 1, and one that leaves nothing. */
EXACT_TEST(factors, "fp32", 0, 5)
{
    static const double scales[] = { 1, 0.3, 1e-3, 2.3e-4, 1e-9, 1e-14 };

    add_lstm(m, &(struct lstm){ 2, 5, 6, scales[seed], 100, true, false });
}

/* SVDF i8, whose state is i16. */
EXACT_TEST(svdf, "fp32", 1, 30)
{
    const int batch = 1 + kit_below(&m->random, 3), depth = 1 + kit_below(&m->random, 33);
    const int rank = 1 + kit_below(&m->random, 3), units = 1 + kit_below(&m->random, 9);
    const int memory = 1 + seed % 9, filters = rank * units;

    exact_add(m,
              "SVDF:3 {rank=%d fused_activation_function=RELU}\\\n"
              " i8[%d,%d]q(0.03,%d) i8[%d,%d]=~%d(-127..127)q(0.015625,0)"
              " i16[%d,%d]=~%d(-32767..32767)q(3.0517578125e-05,0)"
              " i32[%d]=~%d(-9000000..9000000)q(4.76837158e-07,0) i16[%d,%d]q(0.015625,0)!"
              " -> y:i8q(0.05,-128)",
              rank, batch, depth, kit_below(&m->random, 256) - 128, filters, depth,
              kit_below(&m->random, 1000), filters, memory, kit_below(&m->random, 1000), units,
              kit_below(&m->random, 1000), batch, filters * memory);
    m->times = 4;
}
