/* The limits: what honest f32 code makes of sums passes, in any order and never once not; what uses
 * f16 where f32 was promised, or loses a product, does not. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/cases/data.h"

#include "reference/base/half.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct bound_rule dot = { .kind = BOUND_DOT };
static const struct bound_rule average = { .kind = BOUND_AVERAGE };
static const struct bound_rule softmax = { .kind = BOUND_SOFTMAX };
static const struct bound_rule rounded = { .kind = BOUND_ROUNDED, .ulps = 1 };
static const struct bound_rule bits = { .kind = BOUND_BITS };
static const struct bound_rule exponential = { .kind = BOUND_EXP };
static const struct bound_rule logistic = { .kind = BOUND_LOGISTIC };
static const struct bound_rule resize = { .kind = BOUND_RESIZE };
static const struct bound_rule lstm = { .kind = BOUND_LSTM };

enum { K_MAX = 4608 };
static float w[K_MAX], x[K_MAX];

/* Who computes the sum, and how. */
enum summation {
    SEQUENTIAL,
    LANES4,
    LANES16,
    HONEST_COUNT,
    HALF_INPUTS = HONEST_COUNT, /* rounds w and x to f16 first */
    HALF_SUM,                   /* f16 accumulator */
    LOST_PRODUCT                /* leaves out the product that matters most */
};

static float half(float f)
{
    return half_to_float(float_to_half(f));
}

static float sum_up(enum summation how, int k)
{
    const int lanes = how == LANES4 ? 4 : how == LANES16 ? 16 : 1;
    float partial[16] = { 0 }, total = 0;
    int largest = 0;

    for (int i = 0; i < k; i++) {
        if (fabsf(w[i] * x[i]) > fabsf(w[largest] * x[largest]))
            largest = i;
    }
    for (int i = 0; i < k; i++) {
        float p = w[i] * x[i];

        if (how == HALF_INPUTS)
            p = half(w[i]) * half(x[i]);
        if (how == LOST_PRODUCT && i == largest)
            continue;
        partial[i % lanes] += p;
        if (how == HALF_SUM)
            partial[0] = half(partial[0]);
    }
    for (int i = 0; i < lanes; i++)
        total += partial[i];
    return total;
}

/* One tensor of sums: how many of them, and how often a rule says no. */
struct experiment {
    enum data_set set;
    enum bounds bounds;
    enum summation how;
    int k, elements;
};

struct outcome {
    int wrong_elements, wrong_tensors;
};

static struct outcome run(const struct experiment *t, uint64_t seed)
{
    const struct data_spec spec = {
        .set = t->set, .half = t->bounds == BOUNDS_FP16, .terms = t->k, .factors = 2
    };
    const int32_t dims[] = { t->k };
    struct bound_sums sums = { .count = 0 };
    struct outcome o = { 0, 0 };
    struct random_stream s;

    random_init(&s, seed, "bound", (uint64_t)t->set, (uint64_t)t->k, 0);
    for (int n = 0; n < t->elements; n++) {
        struct bound_point p = { .terms = t->k, .row = 1 };
        float got;

        data_fill(&s, &spec, dims, 1, w);
        data_fill(&s, &spec, dims, 1, x);
        for (int i = 0; i < t->k; i++) {
            p.value += (double)w[i] * x[i];
            p.magnitude += fabs((double)w[i] * x[i]);
        }
        got = sum_up(t->how, t->k);
        if (t->bounds == BOUNDS_FP16)
            got = half(got);
        o.wrong_elements +=
            !bound_check(t->bounds, bound_limit(&dot, t->bounds, &p), p.value, got).pass;
        bound_sums_add(&sums, &dot, t->bounds, &p, got);
    }
    o.wrong_tensors = !bound_sums_check(&sums).pass;
    return o;
}

static const int sizes[] = { 1, 2, 3, 5, 9, 17, 64, 129, 576, 4608 };
static const int tensors[] = { 1, 2, 5, 30, 300 };

TEST(test_honest_sums_pass)
{
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t e = 0; e < sizeof tensors / sizeof tensors[0]; e++) {
            const int work = sizes[s] * tensors[e];
            const int repeats = work > 50000 ? 0 : work > 5000 ? 1 : 8;

            for (int set = 0; set < SET_COUNT; set++) {
                for (int how = 0; how < HONEST_COUNT; how++) {
                    for (int b = BOUNDS_FP32; b <= BOUNDS_FP16; b++) {
                        for (int seed = 0; seed < repeats; seed++) {
                            const struct experiment t = { (enum data_set)set, (enum bounds)b,
                                                          (enum summation)how, sizes[s],
                                                          tensors[e] };
                            const struct outcome o = run(&t, (uint64_t)seed);

                            if (o.wrong_elements || o.wrong_tensors)
                                fail_msg("set %d order %d bounds %d K %d T %d seed %d: %d, %d", set,
                                         how, b, sizes[s], tensors[e], seed, o.wrong_elements,
                                         o.wrong_tensors);
                        }
                    }
                }
            }
        }
    }
}

static void expect_caught(enum data_set set, enum bounds bounds, enum summation how, int k)
{
    const struct experiment t = { set, bounds, how, k, 60 };

    for (uint64_t seed = 0; seed < 5; seed++) {
        const struct outcome o = run(&t, seed);

        if (!o.wrong_elements && !o.wrong_tensors)
            fail_msg("set %d bounds %d way %d K %d: not caught", (int)set, (int)bounds, (int)how,
                     k);
    }
}

TEST(test_dishonest_sums_fail)
{
    for (size_t s = 4; s < sizeof sizes / sizeof sizes[0]; s++) {
        expect_caught(SET_RANDOM, BOUNDS_FP32, HALF_INPUTS, sizes[s]);
        expect_caught(SET_POSITIVE, BOUNDS_FP32, HALF_INPUTS, sizes[s]);
        expect_caught(SET_RANDOM, BOUNDS_FP32, HALF_SUM, sizes[s]);
        expect_caught(SET_RANDOM, BOUNDS_FP16, HALF_SUM, sizes[s]);
        expect_caught(SET_RANDOM, BOUNDS_FP32, LOST_PRODUCT, sizes[s]);
        expect_caught(SET_RANDOM, BOUNDS_FP16, LOST_PRODUCT, sizes[s]);
    }
}

/* A mean that is off by a tenth of a unit per sqrt(K), the same way everywhere, is seen in a large
 * tensor although no element is. */
TEST(test_bias_is_seen)
{
    struct bound_sums sums = { .count = 0 };
    struct random_stream s;

    random_init(&s, 1, "bias", 0, 0, 0);
    for (int i = 0; i < 10000; i++) {
        const struct bound_point p = { .value = 100, .magnitude = 128, .terms = 100, .row = 64 };
        const double got = 100 + 128 * 0x1p-24 * (1 + random_normal(&s));

        assert_true(bound_check(BOUNDS_FP32, bound_limit(&dot, BOUNDS_FP32, &p), 100, got).pass);
        bound_sums_add(&sums, &dot, BOUNDS_FP32, &p, got);
    }
    assert_true(bound_sums_check(&sums).rms < bound_sums_check(&sums).rms_limit);
    assert_false(bound_sums_check(&sums).pass);
}

/* A fully connected layer in plain f32: rows share weights and bias, so their errors are not
 * independent.  lanes 1 or 4; the bias is added first or last. */
static float layer_sum(const float *row, const float *weights, float bias, int k, int lanes,
                       bool bias_first)
{
    float partial[4] = { 0 };

    if (bias_first)
        partial[0] = bias;
    for (int i = 0; i < k; i++)
        partial[i % lanes] += row[i] * weights[i];
    partial[0] = (partial[0] + partial[1]) + (partial[2] + partial[3]);
    return bias_first ? partial[0] : partial[0] + bias;
}

TEST(test_honest_layers_pass)
{
    enum { ROWS = 257, DEPTH = 64, UNITS = 5 };
    static const int depths[] = { 3, 27, DEPTH }, units[] = { 1, 2, UNITS };
    static const enum data_set sets[] = { SET_RANDOM, SET_POSITIVE, SET_SPREAD };
    static float rows[ROWS * DEPTH], weights[UNITS * DEPTH], biases[UNITS];

    for (size_t n = 0; n < 3 * 3 * 3 * 4 * 6; n++) {
        const int32_t k = depths[n % 3], c = units[n / 3 % 3];
        const struct data_spec spec = { .set = sets[n / 9 % 3], .terms = k + 1, .factors = 2 };
        const int lanes = n / 27 % 2 ? 4 : 1;
        const bool bias_first = n / 54 % 2;
        struct bound_sums sums = { .count = 0 };
        struct random_stream s;

        random_init(&s, n / 108, "layer", (uint64_t)spec.set, 0, 0);
        data_fill(&s, &spec, (const int32_t[]){ ROWS, k }, 2, rows);
        data_fill(&s, &spec, (const int32_t[]){ c, k }, 2, weights);
        data_fill(&s, &spec, &c, 1, biases);
        for (int i = 0; i < ROWS * c; i++) {
            const float *const row = rows + i / c * k, *const unit = weights + i % c * k;
            struct bound_point p = {
                .value = biases[i % c], .magnitude = fabsf(biases[i % c]), .terms = k + 1, .row = c
            };

            for (int j = 0; j < k; j++) {
                p.value += (double)row[j] * unit[j];
                p.magnitude += fabs((double)row[j] * unit[j]);
            }
            bound_sums_add(&sums, &dot, BOUNDS_FP32, &p,
                           layer_sum(row, unit, biases[i % c], k, lanes, bias_first));
        }
        if (!bound_sums_check(&sums).pass)
            fail_msg("set %d K %d C %d lanes %d bias first %d: rms %g mean %g limit %g", spec.set,
                     k, c, lanes, bias_first, bound_sums_check(&sums).rms,
                     bound_sums_check(&sums).mean, bound_sums_check(&sums).mean_limit);
    }
}

/* Honest means: sums in f32, then a division, or a product with an inverse that is 2 ULP off. */
TEST(test_honest_means_pass)
{
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        for (int set = 0; set < SET_COUNT; set++) {
            for (int inverse = 0; inverse < 2; inverse++) {
                struct bound_sums sums = { .count = 0 };
                const int32_t k = sizes[n];
                struct random_stream s;

                random_init(&s, 3, "mean", (uint64_t)set, (uint64_t)k, 0);
                for (int t = 0; t < 200; t++) {
                    const struct data_spec spec = { .set = (enum data_set)set,
                                                    .terms = k,
                                                    .factors = 1 };
                    const float off = 1.0f / (float)k * (1 + 2 * FLT_EPSILON);
                    struct bound_point p = { .terms = k };
                    float sum = 0, got;

                    data_fill(&s, &spec, &k, 1, x);
                    for (int i = 0; i < k; i++) {
                        sum += x[i];
                        p.value += x[i];
                        p.magnitude += fabs((double)x[i]);
                    }
                    p.value /= k;
                    p.magnitude /= k;
                    got = inverse ? sum * off : sum / (float)k;
                    if (!bound_check(BOUNDS_FP32, bound_limit(&average, BOUNDS_FP32, &p), p.value,
                                     got)
                             .pass)
                        fail_msg("set %d K %d: %.9g, want %.17g", set, k, (double)got, p.value);
                    bound_sums_add(&sums, &average, BOUNDS_FP32, &p, got);
                }
                if (!bound_sums_check(&sums).pass)
                    fail_msg("set %d K %d inverse %d: rms %g mean %g limit %g", set, k, inverse,
                             bound_sums_check(&sums).rms, bound_sums_check(&sums).mean,
                             bound_sums_check(&sums).mean_limit);
            }
        }
    }
}

/* f32 softmax as a shader does it, logits up to 25 apart. */
TEST(test_honest_softmax_passes)
{
    static const int rows[] = { 1, 2, 3, 7, 64, 257, 1001, 4099 };
    struct random_stream s;

    random_init(&s, 1, "softmax", 0, 0, 0);
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        const int32_t k = rows[n];
        const struct data_spec spec = { .set = SET_RANDOM, .scale = 4 };
        double sum = 0, total = 0, small = 0, weighted = 0;
        float peak = -INFINITY, single = 0;

        data_fill(&s, &spec, &k, 1, x);
        for (int i = 0; i < k; i++)
            peak = fmaxf(peak, x[i]);
        for (int i = 0; i < k; i++) {
            sum += exp((double)x[i] - peak);
            single += expf(x[i] - peak);
        }
        for (int i = 0; i < k; i++)
            weighted += exp((double)x[i] - peak) / sum * ((double)peak - x[i]);
        for (int i = 0; i < k; i++) {
            const struct bound_point p = { .value = exp((double)x[i] - peak) / sum,
                                           .magnitude = (double)peak - x[i] + weighted,
                                           .terms = k,
                                           .row = k };
            const float got = expf(x[i] - peak) / single;

            assert_true(
                bound_check(BOUNDS_FP32, bound_limit(&softmax, BOUNDS_FP32, &p), p.value, got)
                    .pass);
            assert_true(
                bound_check(BOUNDS_FP16, bound_limit(&softmax, BOUNDS_FP16, &p), p.value, half(got))
                    .pass);
            /* Half a part in ten thousand is too much in f32. */
            assert_false(bound_check(BOUNDS_FP32, bound_limit(&softmax, BOUNDS_FP32, &p), p.value,
                                     p.value * 1.00005)
                             .pass);
            total += half(got);
            small += p.value < 0x1p-14 ? p.value : 0;
        }
        assert_true(fabs(total - 1) <= bound_softmax_sum(BOUNDS_FP16, k, small));
        assert_true(bound_softmax_sum(BOUNDS_FP32, k, small) < 2e-5);
    }
}

static bool passes(const struct bound_rule *rule, enum bounds bounds, struct bound_point p,
                   double got)
{
    return bound_check(bounds, bound_limit(rule, bounds, &p), p.value, got).pass;
}

/* EXP and LOGISTIC as a shader may compute them, over all that f32 and f16 hold of their ranges. */
static float exp_by_two(float v)
{
    return exp2f(v * 1.44269504f);
}

static float logistic_by_exp(float v)
{
    const float e = exp_by_two(-fabsf(v));

    return (v < 0 ? e : 1) / (1 + e);
}

TEST(test_honest_elementary_functions_pass)
{
    float v;

    for (v = -100; v <= 90; v += 0.013f) {
        const struct bound_point e = { .value = exp((double)v), .magnitude = fabsf(v), .terms = 1 };
        const struct bound_point l = { .value = 1 / (1 + exp(-(double)v)),
                                       .magnitude = fabsf(v),
                                       .terms = 1 };
        const struct bound_point eh = { .value = exp((double)half(v)),
                                        .magnitude = fabsf(half(v)) };

        assert_true(passes(&exponential, BOUNDS_FP32, e, exp_by_two(v)));
        assert_true(passes(&logistic, BOUNDS_FP32, l, logistic_by_exp(v)));
        assert_true(passes(&exponential, BOUNDS_FP16, eh, half(exp_by_two(half(v)))));
        assert_true(passes(&logistic, BOUNDS_FP16, l, half(logistic_by_exp(v))));
        /* f16 where f32 was promised; a storage of f16 that rounds twice. */
        if (v > -80 && v < 80 && fabsf(half(v) - v) > 0.001f)
            assert_false(passes(&exponential, BOUNDS_FP32, e, exp_by_two(half(v))));
        if (e.value > 0x1p-10 && e.value < 3e4)
            assert_false(passes(&exponential, BOUNDS_FP16, e, e.value * (1 + 0x1.4p-11)));
        if (l.value > 0x1p-10)
            assert_false(passes(&logistic, BOUNDS_FP16, l, l.value * (1 + 0x1.4p-11)));
        if (fabsf(v) < 10)
            assert_false(passes(&logistic, BOUNDS_FP32, l, half(v) / 2 + 0.5));
    }
    /* The runtime's shortcut below -9 is over the limit: TOLERANCES.md 9 allows for it by name. */
    assert_false(passes(&logistic, BOUNDS_FP32,
                        (struct bound_point){ .value = 1 / (1 + exp(9.5)), .magnitude = 9.5 },
                        exp(-9.5)));
    assert_true(bound_runtime_error(&logistic, BOUNDS_FP32,
                                    &(struct bound_point){ .value = 7.5e-5, .magnitude = 9.5 }) ==
                2e-8);
    assert_true(
        bound_runtime_error(&logistic, BOUNDS_FP32,
                            &(struct bound_point){ .value = 1 - 7.5e-5, .magnitude = 9.5 }) == 0);
    assert_true(bound_runtime_error(&logistic, BOUNDS_FP32,
                                    &(struct bound_point){ .value = 1.3e-4, .magnitude = 8.9 }) ==
                0);
    assert_true(bound_runtime_error(&exponential, BOUNDS_FP32,
                                    &(struct bound_point){ .value = 7.5e-5, .magnitude = 9.5 }) ==
                0);
    assert_true(bound_runtime_error(&exponential, BOUNDS_FP16,
                                    &(struct bound_point){ .value = 0.5, .magnitude = 3 }) == 0);
    /* ... and for the f16 exponentials of its SOFTMAX; it has no such error in f32. */
    assert_true(bound_runtime_error(&softmax, BOUNDS_FP16,
                                    &(struct bound_point){ .value = 0.5, .row = 3 }) ==
                0x1p-11 + 0x1p-25);
    assert_true(bound_runtime_error(&softmax, BOUNDS_FP32,
                                    &(struct bound_point){ .value = 0.5, .row = 3 }) == 0);
    /* Infinite arguments have limits, too. */
    assert_true(passes(&exponential, BOUNDS_FP32,
                       (struct bound_point){ .value = 0, .magnitude = INFINITY }, 0));
    assert_true(passes(&logistic, BOUNDS_FP16,
                       (struct bound_point){ .value = 1, .magnitude = INFINITY }, 1));
    assert_false(passes(&logistic, BOUNDS_FP16,
                        (struct bound_point){ .value = 1, .magnitude = INFINITY }, 0.99));
}

/* x * clamp(x + 3, 0, 6) / 6 in three forms that a shader may have: with two roundings and a
 * quotient, with the product by 1/6, and multiplied out, which cancels near -3. */
static float hard_swish(float v, int form)
{
    const float clamped = fminf(fmaxf(v + 3, 0), 6);

    if (form == 0)
        return v * (clamped / 6);
    if (form == 1)
        return v * clamped * (1 / 6.0f);
    return v <= -3 || v >= 3 ? v * clamped / 6 : fmaf(v, v, 3 * v) / 6;
}

TEST(test_few_roundings_pass)
{
    /* As HARD_SWISH has it. */
    static const struct bound_rule rule = { .kind = BOUND_ROUNDED, .ulps = 2.5, .units = 4 };
    size_t coarse = 0;

    for (float v = -3.5f; v < 40; v += 0x1.3p-12f) {
        const double clamped = fmin(fmax((double)v + 3, 0), 6);
        const struct bound_point p = { .value = (double)v * clamped / 6,
                                       .magnitude = fabs((double)v) };

        for (int form = 0; form < 3; form++) {
            assert_true(passes(&rule, BOUNDS_FP32, p, hard_swish(v, form)));
            assert_true(passes(&rule, BOUNDS_FP16, p, half(hard_swish(v, form))));
        }
        coarse += !passes(&rule, BOUNDS_FP32, p, half(hard_swish(v, 0)));
    }
    assert_true(coarse > 50000); /* f16 where f32 was promised */
}

/* A bilinear mean of four in f32; a coordinate in f16 is caught wherever the image is not flat. */
TEST(test_honest_resizing_passes)
{
    struct random_stream s;

    random_init(&s, 1, "resize", 0, 0, 0);
    for (int i = 0; i < 20000; i++) {
        const int in = 2 + (int)random_below(&s, 600);
        const float at = (float)random_below(&s, 1u << 20) * 0x1p-20f * (float)(in - 1);
        const float low = floorf(at), t = at - low, wrong = half(at) - low;
        const float b = (float)random_below(&s, 1u << 10) * 0x1p-10f;
        float c[4], got, near[2][2];
        struct bound_point p = { .magnitude = 0 };
        double least = INFINITY, most = -INFINITY, off;

        for (int k = 0; k < 4; k++) {
            c[k] = half((float)random_normal(&s));
            p.magnitude = fmax(p.magnitude, fabsf(c[k]));
            least = fmin(least, c[k]);
            most = fmax(most, c[k]);
        }
        memcpy(near, c, sizeof near);
        p.terms = in * (most - least);
        p.value = ((double)c[0] * (1 - (double)t) + (double)c[1] * t) * (1 - (double)b) +
                  ((double)c[2] * (1 - (double)t) + (double)c[3] * t) * b;
        got = c[0] * (1 - t) * (1 - b) + c[1] * t * (1 - b) + c[2] * (1 - t) * b + c[3] * t * b;
        off = ((double)near[0][0] * (1 - (double)wrong) + (double)near[0][1] * wrong) * (1 - b) +
              ((double)near[1][0] * (1 - (double)wrong) + (double)near[1][1] * wrong) * b;
        assert_true(passes(&resize, BOUNDS_FP32, p, got));
        assert_true(passes(&resize, BOUNDS_FP16, p, half(got)));
        if (fabs(off - p.value) > 0x1p-10 * (most - least) && in < 600)
            assert_false(passes(&resize, BOUNDS_FP32, p, off));
    }
    assert_true(passes(&resize, BOUNDS_FP32, (struct bound_point){ .value = 0 }, 0));
    assert_false(passes(&resize, BOUNDS_FP32, (struct bound_point){ .value = 0 }, 1e-30));
}

/* The outputs of LSTM have four rules. */
TEST(test_outputs_of_lstm)
{
    const struct bound_point p = { .value = 0.5, .magnitude = 100, .terms = 4 };
    const double off = 0.5 + 90 * 0x1p-24, far = 0.5 + 101 * 0x1p-24;

    for (int output = 0; output < 2; output++) {
        const struct bound_rule *const rule = bound_rule_of_output(&lstm, output);

        assert_ptr_equal(rule, &lstm);
        assert_true(passes(rule, BOUNDS_FP32, p, off));
        assert_false(passes(rule, BOUNDS_FP32, p, far));
        assert_true(passes(rule, BOUNDS_FP16, p, far)); /* 101 units and half a unit of f16 */
        assert_true(passes(rule, BOUNDS_FP16, p, 0.5 + 100 * 0x1p-24 + 0x1p-12));
        assert_false(passes(rule, BOUNDS_FP16, p, 0.5 + 101 * 0x1p-24 + 0x1p-12));
    }
    assert_int_equal(bound_rule_of_output(&lstm, 2)->kind, BOUND_BITS);
    assert_int_equal(bound_rule_of_output(&lstm, 3)->kind, BOUND_DOT);
    assert_false(passes(bound_rule_of_output(&lstm, 2), BOUNDS_FP16, p, off));
    /* Other ops have one rule for all. */
    assert_ptr_equal(bound_rule_of_output(&dot, 2), &dot);
}

/* Gates in f32, in the usual forms. */
static float logistic32(float z, int form)
{
    return form == 0 ? 1 / (1 + expf(-z)) : 0.5f * tanhf(0.5f * z) + 0.5f;
}

static float tanh32(float v, int form)
{
    const float e = expf(-2 * fabsf(v));

    return form == 0   ? tanhf(v)
           : form == 1 ? 2 * logistic32(2 * v, 0) - 1
                       : copysignf((1 - e) / (1 + e), v);
}

/* Cells of every usual form keep the bound that follows from the sums, with f16 storage from the
 * stored ones and from those that were not; an error of 2^-17 does not. */
TEST(test_cells_of_lstm)
{
    const struct bound_rule cell = { .kind = BOUND_LSTM };
    double worst = 0;
    struct random_stream s;
    int missed = 0;

    random_init(&s, 3, "lstm", 0, 0, 0);
    for (int n = 0; n < 4000; n++) {
        const float c_prev = half((float)random_normal(&s));
        const int form = n % 3;
        float z[4], c, h;
        double own[3];
        struct bound_point p;

        for (int g = 0; g < 4; g++)
            z[g] = 4 * (float)random_normal(&s);
        c = logistic32(z[0], form % 2) * tanh32(z[1], form) + logistic32(z[2], form % 2) * c_prev;
        h = logistic32(z[3], form % 2) * tanh32(c, form);
        for (int g = 0; g < 3; g++)
            own[g] = z[g];
        p = bound_lstm_c(BOUNDS_FP32, own, c_prev);
        assert_true(passes(&cell, BOUNDS_FP32, p, c));
        worst = fmax(worst, fabs(c - p.value) / bound_limit(&cell, BOUNDS_FP32, &p));
        p = bound_lstm_h(BOUNDS_FP32, z[3], c);
        assert_true(passes(&cell, BOUNDS_FP32, p, h));
        missed += fabs(p.value) > 0.5 && passes(&cell, BOUNDS_FP32, p, p.value * (1 + 0x1p-17));
        for (int g = 0; g < 3; g++)
            own[g] = half(z[g]);
        p = bound_lstm_c(BOUNDS_FP16, own, c_prev);
        assert_true(passes(&cell, BOUNDS_FP16, p, half(c)));
        p = bound_lstm_h(BOUNDS_FP16, half(z[3]), half(c));
        assert_true(passes(&cell, BOUNDS_FP16, p, half(h)));
        assert_true(passes(&cell, BOUNDS_FP16, p,
                           half(logistic32(half(z[3]), form % 2) * tanh32(half(c), form))));
        assert_false(passes(&cell, BOUNDS_FP16, p,
                            p.value + copysign(fabs(p.value) * 0x1p-8 + 0x1p-9, p.value)));
    }
    { /* A sum beyond the range of f16 is stored as an infinity. */
        const struct bound_point p = bound_lstm_h(BOUNDS_FP16, -INFINITY, 1);

        assert_true(p.value == 0 && passes(&cell, BOUNDS_FP16, p, 0));
        assert_false(passes(&cell, BOUNDS_FP16, p, 0.01));
        assert_true(passes(&cell, BOUNDS_FP16, bound_lstm_h(BOUNDS_FP16, INFINITY, INFINITY), 1));
    }
    /* 8u |c_prev| + 2u |c_prev|; 8u + 17u + 2u; 8u + 17u + u (TOLERANCES.md 3.8). */
    assert_true(bound_lstm_c(BOUNDS_FP32, (double[]){ -1e3, 0, 1e3 }, 8).magnitude == 80);
    assert_true(bound_lstm_c(BOUNDS_FP32, (double[]){ 1e3, 1e3, -1e3 }, 0).magnitude == 27);
    assert_true(bound_lstm_h(BOUNDS_FP32, 1e3, 1e3).magnitude == 26);
    assert_true(worst > 0.05); /* the bound is not far from what occurs */
    assert_int_equal(missed, 0);
}

TEST(test_edges_of_limits)
{
    const struct bound_point one = { .value = 1, .magnitude = 1, .terms = 1 };
    const struct bound_point zero = { .value = 0, .magnitude = 0, .terms = 5 };
    const struct bound_point sum = { .value = 0.25, .magnitude = 64, .terms = 100 };
    const double limit = 0x1p-24 * (2 + 30) * 64 + 2 * 0x1p-24 * 0.25;

    assert_true(passes(&rounded, BOUNDS_FP32, one, 1 + 0x1p-23));
    assert_true(passes(&rounded, BOUNDS_FP32, one, 1 - 0x1p-23));
    assert_false(passes(&rounded, BOUNDS_FP32, one, 1 + 0x1p-22));
    assert_false(passes(&rounded, BOUNDS_FP32, one, 1 - 0x1.8p-23));
    assert_true(passes(&bits, BOUNDS_FP32, one, 1));
    assert_false(passes(&bits, BOUNDS_FP32, one, 1 + 0x1p-23));
    assert_false(passes(&bits, BOUNDS_FP16, one, 1 + 0x1p-10));
    assert_true(passes(&dot, BOUNDS_FP32, sum, 0.25 + limit));
    assert_false(passes(&dot, BOUNDS_FP32, sum, 0.25 + 1.0001 * limit));
    assert_false(passes(&dot, BOUNDS_FP32, sum, 0.25 - 1.0001 * limit));
    /* Nothing was added up: exactly 0, or nothing. */
    assert_true(passes(&dot, BOUNDS_FP32, zero, 0));
    assert_true(passes(&dot, BOUNDS_FP32, zero, -0.0));
    assert_false(passes(&dot, BOUNDS_FP32, zero, 1e-30));
    assert_false(passes(&dot, BOUNDS_FP16, zero, 1e-3));
    /* f16: half a unit in the last place of storage, not two. */
    assert_true(passes(&rounded, BOUNDS_FP16, one, 1 + 0x1p-11));
    assert_false(passes(&rounded, BOUNDS_FP16, one, 1 + 0x1p-10));
    assert_true(bound_ulp(BOUNDS_FP32, 1) == 0x1p-23 && bound_ulp(BOUNDS_FP32, 1.99) == 0x1p-23);
    assert_true(bound_ulp(BOUNDS_FP16, 4) == 0x1p-8 && bound_ulp(BOUNDS_FP32, 0) == 0x1p-149);
}

/* TANH near 0: zero is no result, an honest quotient of exponentials needs its class. */
TEST(test_relative_limits)
{
    const struct bound_rule tanh = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 16, .relative = 1 };

    for (double r = 0x1p-100; r < 0x1p-12; r *= 7) {
        const struct bound_point p = { .value = r, .magnitude = 1 };
        const float e = expf(-2 * (float)r), quotient = (1 - e) / (1 + e);

        for (int f16 = 0; f16 < 2; f16++) {
            const enum bounds bounds = f16 ? BOUNDS_FP16 : BOUNDS_FP32;
            const double least = bound_storage(bounds)->smallest_normal;
            const enum bounds declared = (enum bounds)(bounds | BOUNDS_EXPONENTIALS);
            const double limit = bound_limit(&tanh, bounds, &p);

            assert_true(bound_check(bounds, limit, r, (float)r).pass);
            assert_true(bound_check(bounds, limit, r, 0).pass == (r - limit < least));
            assert_true(bound_check(declared, bound_limit(&tanh, declared, &p), r, quotient).pass);
        }
    }
}

/* How far floats are off before they are brought to steps: the table of TOLERANCES.md 5, for
 * R = 100, B, M and x of 5, K = 4, n = 16. */
TEST(test_errors_in_steps)
{
    const struct bound_point p = { .value = 103, .magnitude = 5, .terms = 4, .row = 16 };
    const double u = 0x1p-24, slope = exp(-5) / 0.5;
    const struct {
        const struct bound_rule *rule;
        double operands, off;
    } rows[] = {
        { &dot, 10, u * (6 * 5 + 200) },
        { &average, 8, u * (6 * 8 + 800) },
        { &softmax, 100 * (512 + 5), u * 100 * (21 + 12 + 40) },
        { &exponential, 500, 2 * u * 100 * (4 + 10) },
        { &logistic, 5 * slope, 16 * u * 100 + 2.5e-7 * 13 * slope },
        { &resize, 8, u * (8 * 8 + 4 * 4) },
        { &lstm, 0, u * 5 },
        { &bits, 2 * 105, 4 * u * 105 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double wide = rows[i].off + u * rows[i].operands;
        const double half = wide * (1 + 0x1p-10) + 0x1p-11 * (rows[i].operands + 100) + 0x1p-24;
        const double got = bound_steps(rows[i].rule, BOUNDS_FP32, &p, 0.5, 3);
        const double got_half = bound_steps(rows[i].rule, BOUNDS_FP16, &p, 0.5, 3);

        if (fabs(got - wide) > 1e-12 * wide || fabs(got_half - half) > 1e-12 * half)
            fail_msg("row %zu: expected %g and %g, found %g and %g", i, wide, half, got, got_half);
    }
}

/* Where a magnitude is no number, there is no limit that a result could be over. */
TEST(a_limit_is_never_nan)
{
    const struct bound_point unknown = { .value = 1, .magnitude = NAN, .terms = 1 };

    assert_true(isinf(bound_limit(&dot, BOUNDS_FP32, &unknown)));
    assert_true(isinf(bound_limit(&dot, BOUNDS_FP16, &unknown)));
}

TEST(test_special_values)
{
    const struct bound_point one = { .value = 1, .magnitude = 1, .terms = 1 };
    const struct bound_point large = { .value = 7e4, .magnitude = 7e4, .terms = 4 };
    const struct bound_point huge = { .value = -1e39, .magnitude = 1e39, .terms = 4 };
    const struct bound_point edge = { .value = 65000, .magnitude = 65000, .terms = 1 };
    const struct bound_point small = { .value = 1e-5, .magnitude = 1e-5, .terms = 1 };
    const struct bound_point normal = { .value = 1e-4, .magnitude = 1e-4, .terms = 1 };
    const struct bound_point tiny = { .value = 1e-39, .magnitude = 1e-39, .terms = 1 };
    const struct bound_point zero = { .value = 0, .magnitude = 0, .terms = 5 };
    const struct bound_point nan = { .value = NAN, .magnitude = NAN, .terms = 1 };

    assert_false(passes(&dot, BOUNDS_FP32, one, NAN));
    assert_false(passes(&dot, BOUNDS_FP32, one, INFINITY));
    assert_true(passes(&dot, BOUNDS_FP32, nan, NAN));
    assert_false(passes(&dot, BOUNDS_FP32, nan, 0));
    /* Overflow: infinity or the largest number, with the right sign. */
    assert_true(passes(&dot, BOUNDS_FP16, large, INFINITY));
    assert_true(passes(&dot, BOUNDS_FP16, large, 65504));
    assert_true(passes(&dot, BOUNDS_FP16, large, 7e4));
    assert_false(passes(&dot, BOUNDS_FP16, large, -INFINITY));
    assert_false(passes(&dot, BOUNDS_FP16, large, 65000));
    assert_false(passes(&dot, BOUNDS_FP16, large, NAN));
    assert_false(passes(&dot, BOUNDS_FP32, large, INFINITY));
    assert_true(passes(&rounded, BOUNDS_FP32, huge, -INFINITY));
    assert_true(passes(&rounded, BOUNDS_FP32, huge, -(double)FLT_MAX));
    assert_false(passes(&rounded, BOUNDS_FP32, huge, (double)FLT_MAX));
    assert_false(passes(&dot, BOUNDS_FP16, edge, INFINITY));
    /* Denormals of the storage may become 0. */
    assert_true(passes(&rounded, BOUNDS_FP16, small, 0));
    assert_false(passes(&rounded, BOUNDS_FP16, normal, 0));
    assert_true(passes(&bits, BOUNDS_FP32, tiny, 0));
    assert_true(passes(&bits, BOUNDS_FP32, tiny, -0.0));
    assert_false(passes(&bits, BOUNDS_FP32, small, 0));
    assert_false(passes(&bits, BOUNDS_FP32, tiny, 2e-39));
    assert_false(passes(&bits, BOUNDS_FP16, zero, 1e-5)); /* nothing is no denormal */
    assert_false(passes(&dot, BOUNDS_FP16, zero, 1e-5));
}
