/* Comparing tensors: the element that is named, the figures, the rule that decides. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/bounds/compare.h"

#include "reference/base/half.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 2 * 3 * 2 * 5 };
static const int dims[] = { 2, 3, 2, 5 };
static const struct bound_rule bits = { .kind = BOUND_BITS };
static const struct bound_rule rounded = { .kind = BOUND_ROUNDED, .ulps = 1 };
static const struct bound_rule dot = { .kind = BOUND_DOT };
static const struct bound_rule softmax = { .kind = BOUND_SOFTMAX };

static float got[N];
static double value[N], magnitude[N], terms[N];

FIXTURE(fill)
{
    for (int i = 0; i < N; i++) {
        value[i] = got[i] = (float)(i + 1);
        magnitude[i] = value[i];
        terms[i] = 9;
    }
    return 0;
}

static float inputs[N];
static const float *special; /* NULL or inputs */

static const struct ref_detail *read_as[3]; /* NULL, or what elements are without NaN */
static const double *added;                 /* NULL, or compare_request's */
static bool full_mantissas, runtime;
static bool has_infinity, from_overflow;

static struct comparison compare(const struct bound_rule *rule, enum bounds bounds, bool integers)
{
    const struct ref_detail detail = { value, magnitude, terms, NULL };
    struct comparison c;

    KIT_OK(compare_tensor(
        &(struct compare_request){
            .rule = rule,
            .bounds = bounds,
            .integers = integers,
            .runtime = runtime,
            .type = kTfLiteFloat32,
            .got = got,
            .dims = dims,
            .rank = 4,
            .detail = &detail,
            .special = special,
            .added = added,
            .read_as = { read_as[0], read_as[1], read_as[2] },
            .has_nan = read_as[1],
            .full_mantissas = full_mantissas,
            .has_infinity = has_infinity,
            .from_overflow = from_overflow,
        },
        &c, &err));
    return c;
}

/* An element that depends on a NaN may be a NaN, or what an infinity in its place gives; nothing
 * else, and elements that do not depend on one may not. */
TEST(test_nan_of_inputs, .setup = fill)
{
    static double low[N], high[N];
    const struct ref_detail lows = { low, magnitude, terms, NULL },
                            highs = { high, magnitude, terms, NULL };

    memcpy(low, value, sizeof low);
    memcpy(high, value, sizeof high);
    value[7] = NAN; /* a minimum of NaN and 3, whatever the order */
    low[7] = -INFINITY;
    high[7] = 3;
    read_as[0] = &lows;
    read_as[1] = &highs;
    got[7] = NAN;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = 3;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = -INFINITY;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = 0;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = INFINITY;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = 3;
    got[8] = NAN;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[8] = (float)value[8];
    value[7] = 3; /* the runtime's own answer, where it takes NaN for the lesser one */
    got[7] = NAN;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    read_as[0] = read_as[1] = NULL;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
}

/* A maximum beside NaN is any of the elements; others are what they are. */
TEST(test_any_beside_nan, .setup = fill)
{
    static double low[N];
    const struct ref_detail lows = { low, magnitude, terms, NULL };
    struct bound_rule maximum = { .kind = BOUND_BITS, .any_beside_nan = true };

    memcpy(low, value, sizeof low);
    low[7] = 3;
    read_as[0] = read_as[1] = &lows;
    got[7] = -2;
    assert_true(compare(&maximum, BOUNDS_FP32, false).pass);
    maximum.any_beside_nan = false;
    assert_false(compare(&maximum, BOUNDS_FP32, false).pass);
    got[7] = (float)value[7];
    got[8] = -2;
    maximum.any_beside_nan = true;
    assert_false(compare(&maximum, BOUNDS_FP32, false).pass);
    read_as[0] = read_as[1] = NULL;
}

/* An element without a limit passes and is counted, whatever made the limit infinite or NaN; others
 * are judged. */
TEST(elements_without_a_limit_are_counted, .setup = fill)
{
    static double more[N];

    got[7] = 1e9F;
    magnitude[7] = NAN;
    assert_true(compare(&dot, BOUNDS_FP32, false).pass);
    assert_int_equal(compare(&dot, BOUNDS_FP32, false).not_judged, 1);
    assert_true(compare(&dot, BOUNDS_FP32, false).margin <= 1);
    magnitude[7] = value[7];
    assert_false(compare(&dot, BOUNDS_FP32, false).pass);
    assert_int_equal(compare(&dot, BOUNDS_FP32, false).not_judged, 0);
    more[7] = NAN;
    added = more;
    assert_true(compare(&dot, BOUNDS_FP32, false).pass);
    assert_int_equal(compare(&dot, BOUNDS_FP32, false).not_judged, 1);
    got[8] = 1e9F;
    assert_false(compare(&dot, BOUNDS_FP32, false).pass);
    added = NULL;
}

/* Of the real runtime's answers each element has a limit: a golden that cannot be compared fails.
 */
TEST(goldens_without_a_limit_fail, .setup = fill)
{
    struct comparison c;

    runtime = true;
    assert_true(compare(&dot, BOUNDS_FP32, false).pass);
    got[7] = 1e9F;
    magnitude[7] = NAN;
    c = compare(&dot, BOUNDS_FP32, false);
    runtime = false;
    assert_false(c.pass);
    assert_false(c.has_element);
    assert_non_null(strstr(c.text, "1 of"));
    assert_non_null(strstr(c.text, "elements have no limit"));
}

/* The largest number of the runtime's clamp is an infinity elsewhere, and only where there was one.
 * An infinity that is a number of f16 makes no NaN. */
TEST(test_infinities_of_inputs, .setup = fill)
{
    static double capped[N];
    const struct ref_detail caps = { capped, magnitude, terms, NULL };

    value[7] = -FLT_MAX;
    got[7] = -INFINITY;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    has_infinity = true;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = INFINITY;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    memcpy(capped, value, sizeof capped);
    capped[7] = 0.25;
    value[7] = NAN;
    read_as[0] = &caps;
    got[7] = NAN;
    assert_true(compare(&bits, BOUNDS_FP16, false).pass);
    from_overflow = true;
    assert_false(compare(&bits, BOUNDS_FP16, false).pass);
    got[7] = 0.25F;
    assert_true(compare(&bits, BOUNDS_FP16, false).pass);
    capped[7] = NAN;
    got[7] = NAN;
    assert_true(compare(&bits, BOUNDS_FP16, false).pass);
    has_infinity = from_overflow = false;
    read_as[0] = NULL;
}

/* What a flushed denormal gives passes, NaN does not, and elements that no denormal reaches have
 * the usual bounds. */
TEST(test_denormals_of_inputs, .setup = fill)
{
    static double flushed[N];
    const struct ref_detail zeros = { flushed, magnitude, terms, NULL };

    memcpy(flushed, value, sizeof flushed);
    value[7] = -87.5; /* the logarithm of a denormal */
    flushed[7] = -INFINITY;
    read_as[0] = &zeros;
    got[7] = -87.5F;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = -INFINITY;
    assert_true(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = NAN;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = 0;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[7] = -87.5F;
    got[8] = -INFINITY;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    read_as[0] = NULL;
}

static float cut(float v)
{
    uint32_t bits_of;

    memcpy(&bits_of, &v, sizeof bits_of);
    bits_of &= ~0x1fffu;
    memcpy(&v, &bits_of, sizeof v);
    return v;
}

/* Operands of 24 bits that the device rounds to f16: to nearest passes, cutting off does not, be it
 * of an element that is moved or of a factor among many. */
TEST(test_full_mantissas, .setup = fill)
{
    enum { TERMS = 64 };
    static float x[N][TERMS], w[TERMS];
    uint64_t seed = 3;

    full_mantissas = true;
    for (int i = 0; i < N * TERMS + TERMS; i++) {
        float *const to = i < N * TERMS ? &x[i / TERMS][i % TERMS] : &w[i - N * TERMS];

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        *to = 1 + (float)(seed >> 40) * 0x1p-24f;
    }
    for (int cutting = 0; cutting < 2; cutting++) {
        for (int i = 0; i < N; i++) {
            value[i] = magnitude[i] = x[i][0];
            got[i] = cutting ? cut(x[i][0]) : half_to_float(float_to_half(x[i][0]));
        }
        assert_int_equal(compare(&bits, BOUNDS_FP16, false).pass, !cutting);
    }
    for (int cutting = 0; cutting < 3; cutting++) { /* nothing, the weights, or both */
        for (int i = 0; i < N; i++) {
            double sum = 0;

            value[i] = 0;
            terms[i] = TERMS;
            for (int k = 0; k < TERMS; k++) {
                const float a = cutting > 1 ? cut(x[i][k]) : half_to_float(float_to_half(x[i][k]));
                const float b = cutting ? cut(w[k]) : half_to_float(float_to_half(w[k]));

                value[i] += (double)x[i][k] * w[k];
                sum += (double)a * b;
            }
            magnitude[i] = value[i];
            got[i] = half_to_float(float_to_half((float)sum));
        }
        assert_int_equal(compare(&dot, BOUNDS_FP16, false).pass, !cutting);
    }
    full_mantissas = false;
}

TEST(test_equal, .setup = fill)
{
    struct comparison c = compare(&bits, BOUNDS_FP32, false);

    assert_true(c.pass);
    assert_int_equal(c.elements, N);
    assert_int_equal(c.wrong, 0);
    assert_true(c.max_abs == 0 && c.margin == 0 && c.max_ulp == 0 && c.bias == 0);
    assert_string_equal(c.text, "");
}

TEST(test_first_wrong_is_named, .setup = fill)
{
    struct comparison c;

    got[33] += 0.5f; /* n 1 h 0 w 0 c 3 */
    got[41] = 0;
    c = compare(&bits, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_int_equal(c.wrong, 2);
    assert_true(c.has_element);
    assert_string_equal(c.where, "n 1 h 0 w 0 c 3");
    assert_true(c.got == 34.5 && c.want == 34 && c.error == 0.5 && c.limit == 0);
    assert_true(isinf(c.margin));
    assert_true(c.max_abs == 42);
    assert_string_equal(c.text, "not equal");
}

TEST(test_where, .setup = fill)
{
    static const int other[] = { 4, 3, 2 };
    char text[64], tiny[4];

    compare_where(other, 3, 17, text, sizeof text);
    assert_string_equal(text, "[2, 2, 1]");
    compare_where(other, 0, 0, text, sizeof text);
    assert_string_equal(text, "[]");
    compare_where(other, 3, 17, tiny, sizeof tiny);
    assert_string_equal(tiny, "[2,");
    compare_where(dims, 4, N - 1, text, sizeof text);
    assert_string_equal(text, "n 1 h 2 w 1 c 4");
}

TEST(test_figures, .setup = fill)
{
    struct comparison c;

    got[0] = 1 + 0x1p-23f;    /* one unit in the last place, all that is allowed */
    value[10] = 11 + 0x1p-21; /* half of one */
    c = compare(&rounded, BOUNDS_FP32, false);
    assert_true(c.pass);
    assert_true(c.margin == 1);
    assert_true(c.max_ulp == 1);
    assert_true(c.max_abs == 0x1p-21);
    assert_true(fabs(c.bias - (1 - 0.5) / N) < 1e-12);
    got[0] = 1 + 0x1p-22f;
    c = compare(&rounded, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_true(c.margin == 2);
    assert_string_equal(c.text, "over the limit");
}

TEST(test_swapped_channels, .setup = fill)
{
    const float first = got[7];

    got[7] = got[8];
    got[8] = first;
    assert_false(compare(&dot, BOUNDS_FP32, false).pass);
    assert_false(compare(&dot, BOUNDS_FP16, false).pass);
    assert_string_equal(compare(&dot, BOUNDS_FP16, false).where, "n 0 h 0 w 1 c 2");
}

TEST(test_nan_and_infinity, .setup = fill)
{
    struct comparison c;

    got[5] = NAN;
    c = compare(&dot, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_true(isinf(c.max_abs) && isinf(c.margin) && isnan(c.got));
    assert_string_equal(c.text, "NaN from finite input");
    got[5] = INFINITY;
    c = compare(&dot, BOUNDS_FP16, false);
    assert_false(c.pass);
    assert_string_equal(c.text, "infinite");
}

/* An error that passes in a sum of reals fails in a sum of integers. */
TEST(test_integers_are_exact, .setup = fill)
{
    got[12] = nextafterf(got[12], 100);
    assert_true(compare(&dot, BOUNDS_FP32, false).pass);
    assert_false(compare(&dot, BOUNDS_FP32, true).pass);
    assert_false(compare(&rounded, BOUNDS_FP32, true).pass);
    magnitude[12] = 0x1p24; /* too large to be exact: the limit of reals again */
    assert_true(compare(&dot, BOUNDS_FP32, true).pass);
    magnitude[12] = 0x1p11; /* exact in f32, not in f16 */
    assert_false(compare(&dot, BOUNDS_FP32, true).pass);
    assert_true(compare(&dot, BOUNDS_FP16, true).pass);
}

/* Inputs that were rounded to f16: no element is over its limit, all of them together are. */
TEST(test_rms_speaks, .setup = fill)
{
    struct comparison c;

    for (int i = 0; i < N; i++) {
        terms[i] = 4608;
        magnitude[i] = 4000;
        got[i] = (float)(value[i] + (i % 2 ? 1 : -1) * 4000 * 0x1p-24 * 80);
    }
    c = compare(&dot, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_int_equal(c.wrong, 0);
    assert_false(c.has_element);
    assert_non_null(strstr(c.text, "rms"));
    assert_true(c.margin > 1);
    for (int i = 0; i < N; i++)
        got[i] = (float)(value[i] + 4000 * 0x1p-24 * 10);
    c = compare(&dot, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_non_null(strstr(c.text, "mean"));
    assert_true(fabs(c.bias - 10) < 0.5);
}

/* x w + b of a constant x: all elements have the error of one product, which the mean of 60
 * independent ones could not have. */
TEST(test_shared_operands_count_once, .setup = fill)
{
    static const double one = 0x1p-24 * 0.35152;
    struct comparison c;

    for (int i = 0; i < N; i++) {
        terms[i] = 2;
        value[i] = 0.03536139;
        magnitude[i] = 0.35152;
        got[i] = (float)(value[i] - 0.8 * one);
    }
    assert_true(compare(&dot, BOUNDS_FP32, false).pass);
    for (int i = 0; i < N; i++) /* as far off in what 60 differ in */
        magnitude[i] += i * 0x1p-40;
    c = compare(&dot, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_non_null(strstr(c.text, "mean"));
    /* 31 that share operands among 29 that do not are (31 + 29)^2 / (31^2 + 29) = 3.6. */
    for (int i = 0; i < 31; i++)
        magnitude[i] = 0.35152;
    assert_true(compare(&dot, BOUNDS_FP32, false).pass);
    /* Thirty pairs are thirty. */
    for (int i = 0; i < N; i++)
        magnitude[i] = 0.35152 + i / 2 * 0x1p-40;
    c = compare(&dot, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_true(fabs(c.limit - (4 * c.error / sqrt(30) + 0.05 * sqrt(2) + 2 / sqrt(5) * 0.1006)) <
                0.001);
}

TEST(test_rows_sum_to_one, .setup = fill)
{
    struct comparison c;

    for (int i = 0; i < N; i++) {
        value[i] = 0.2;
        got[i] = 0.2f;
        magnitude[i] = 0;
    }
    assert_true(compare(&softmax, BOUNDS_FP32, false).pass);
    for (int i = 20; i < 25; i++)
        got[i] = 0.2f * (1 + 23 * 0x1p-24f); /* each within its limit, the sum not */
    c = compare(&softmax, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_string_equal(c.where, "n 0 h 2 w 0 c 0");
    assert_string_equal(c.text, "the row does not sum to 1");
    assert_true(c.want == 1);
}

/* Infinities and NaNs among the inputs of an elementwise op. */
TEST(test_special_inputs, .setup = fill)
{
    struct comparison c;

    memcpy(inputs, got, sizeof inputs);
    special = inputs;
    inputs[3] = NAN;
    value[3] = NAN; /* of NaN anything */
    got[3] = 7;
    inputs[5] = INFINITY; /* RELU: infinity, the largest number, or NaN */
    value[5] = got[5] = INFINITY;
    inputs[6] = INFINITY;
    value[6] = INFINITY;
    got[6] = NAN;
    inputs[7] = INFINITY;
    value[7] = INFINITY;
    got[7] = 3.40282347e38f;
    inputs[8] = -INFINITY; /* 0 */
    value[8] = got[8] = 0;
    c = compare(&bits, BOUNDS_FP32, false);
    assert_true(c.pass);
    got[8] = 1e-3f;
    c = compare(&bits, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_int_equal(c.index, 8);
    got[8] = 0;
    got[5] = 1e30f;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[5] = -INFINITY;
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
    got[5] = INFINITY;
    /* A finite input is judged as ever. */
    got[9] = NAN;
    c = compare(&bits, BOUNDS_FP32, false);
    assert_false(c.pass);
    assert_int_equal(c.index, 9);
    special = NULL;
    got[9] = (float)value[9];
    assert_false(compare(&bits, BOUNDS_FP32, false).pass);
}

/* Limits of goldens are wider by name (TOLERANCES.md 9). */
TEST(test_runtime_results, .setup = fill)
{
    static const struct bound_rule logistic = { .kind = BOUND_LOGISTIC };
    const struct ref_detail detail = { value, magnitude, terms, NULL };
    struct compare_request q = { .rule = &logistic,
                                 .type = kTfLiteFloat32,
                                 .got = got,
                                 .dims = dims,
                                 .rank = 4,
                                 .detail = &detail };
    struct comparison c;

    for (int i = 0; i < N; i++) {
        value[i] = 1 / (1 + exp(9.5));
        magnitude[i] = 9.5;
        got[i] = (float)exp(-9.5);
    }
    assert_int_equal(compare_tensor(&q, &c, NULL), STATUS_OK);
    assert_false(c.pass);
    q.runtime = true;
    assert_int_equal(compare_tensor(&q, &c, NULL), STATUS_OK);
    assert_true(c.pass);
}

TEST(test_types, .setup = fill)
{
    const struct ref_detail detail = { value, magnitude, terms, NULL };
    uint16_t halves[N];
    int8_t small[N];
    int32_t large[N];
    struct compare_request request = { .rule = &bits, .dims = dims, .rank = 4, .detail = &detail };
    struct comparison c;

    for (int i = 0; i < N; i++) {
        halves[i] = float_to_half(got[i]);
        small[i] = (int8_t)got[i];
        large[i] = (int32_t)got[i];
    }
    request.type = kTfLiteFloat16;
    request.got = halves;
    assert_int_equal(compare_tensor(&request, &c, &err), STATUS_OK);
    assert_true(c.pass);
    request.type = kTfLiteInt8;
    request.got = small;
    assert_int_equal(compare_tensor(&request, &c, &err), STATUS_OK);
    assert_true(c.pass);
    large[59]++;
    request.type = kTfLiteInt32;
    request.got = large;
    assert_int_equal(compare_tensor(&request, &c, &err), STATUS_OK);
    assert_false(c.pass);
    assert_string_equal(c.where, "n 1 h 2 w 1 c 4");
    large[59]--;
    request.type = kTfLiteString;
    assert_int_equal(compare_tensor(&request, &c, &err), STATUS_UNSUPPORTED);
}

/* Integers without a scale are equal whatever the op's rule and the class are; those of 64 bits are
 * compared as they are, not as doubles. */
TEST(test_whole)
{
    static const int32_t i32[] = { 1 << 30, -7, 100000, 0 };
    static const int64_t i64[] = { INT64_MAX, INT64_MIN, 1LL << 53, 5 };
    static const enum bounds classes[] = { BOUNDS_FP32, BOUNDS_FP16, BOUNDS_FP16_ARITH };
    static const struct bound_rule rules[] = { { .kind = BOUND_ROUNDED, .ulps = 1 },
                                               { .kind = BOUND_DOT } };
    enum { COUNT = 4 };
    double v[COUNT], most[COUNT], one[COUNT];
    const struct ref_detail detail = { v, most, one, NULL };
    struct compare_request q = { .dims = (const int[]){ COUNT }, .rank = 1, .detail = &detail };
    struct comparison c;

    for (int n = 0; n < 2 * 3 * 2 * COUNT; n++) {
        const int at = n % COUNT;
        int32_t changed[COUNT];
        int64_t long_changed[COUNT];
        const bool is_long = n / COUNT % 2;

        memcpy(changed, i32, sizeof changed);
        memcpy(long_changed, i64, sizeof long_changed);
        q.rule = &rules[n / COUNT / 2 % 2];
        q.bounds = classes[n / COUNT / 4];
        q.type = is_long ? kTfLiteInt64 : kTfLiteInt32;
        q.got = is_long ? (const void *)long_changed : changed;
        q.whole = is_long ? (const void *)i64 : i32;
        for (int i = 0; i < COUNT; i++) {
            v[i] = is_long ? (double)i64[i] : i32[i];
            most[i] = fabs(v[i]);
            one[i] = 1;
        }
        assert_int_equal(compare_tensor(&q, &c, NULL), STATUS_OK);
        assert_true(c.pass);
        changed[at] ^= 1;
        long_changed[at] ^= 1;
        assert_int_equal(compare_tensor(&q, &c, NULL), STATUS_OK);
        assert_false(c.pass);
        assert_int_equal(c.wrong, 1);
        assert_int_equal(c.index, at);
        assert_true(c.error == 1 && c.limit == 0);
    }
}

/* ---- quantized ---- */

enum { STEPS = 600 };
static int8_t steps_got[STEPS], steps_reference[STEPS];
static double steps_value[STEPS], steps_magnitude[STEPS], steps_terms[STEPS];

/* Exact results a third of a step above an integer; the reference, and what is compared, are that
 * integer. */
static struct comparison compare_quantized(enum bounds bounds, double share, bool near)
{
    const struct ref_detail detail = { steps_value, steps_magnitude, steps_terms, NULL };
    const struct compare_steps steps = { .bounds = bounds,
                                         .reference = steps_reference,
                                         .scale = 0.25,
                                         .zero = -3,
                                         .within_reference = near,
                                         .max_mismatch_share = share };
    const struct compare_request request = { .rule = &dot,
                                             .bounds = BOUNDS_FP32,
                                             .type = kTfLiteInt8,
                                             .steps = &steps,
                                             .got = steps_got,
                                             .dims = (const int[]){ 1, STEPS },
                                             .rank = 2,
                                             .detail = &detail };
    struct comparison c;

    assert_int_equal(compare_tensor(&request, &c, NULL), STATUS_OK);
    return c;
}

FIXTURE(fill_steps)
{
    for (int i = 0; i < STEPS; i++) {
        steps_got[i] = steps_reference[i] = (int8_t)(i % 200 - 100);
        steps_value[i] = steps_got[i] + 1. / 3;
        steps_magnitude[i] = 200;
        steps_terms[i] = 9;
    }
    return 0;
}

TEST(test_exact_integers, .setup = fill_steps)
{
    struct comparison c = compare_quantized(BOUNDS_EXACT, 1, true);

    assert_true(c.pass && c.margin == 0 && c.unequal == 0);
    steps_got[17]++; /* a step, which a tie would not explain either */
    c = compare_quantized(BOUNDS_EXACT, 1, true);
    assert_true(!c.pass && c.unequal == 1 && c.wrong == 1 && c.index == 17);
    assert_true(c.got == steps_reference[17] + 1 && c.want == steps_reference[17]);
    assert_string_equal(c.where, "[0, 17]");
    assert_string_equal(c.text, "not the integer of the reference");
    /* Nearest to the exact result is not enough. */
    steps_value[17] = steps_got[17];
    assert_false(compare_quantized(BOUNDS_EXACT, 1, true).pass);
}

TEST(test_float_view, .setup = fill_steps)
{
    struct comparison c = compare_quantized(BOUNDS_FLOAT_VIEW, 1, true);

    assert_true(c.pass && c.margin == 0);
    steps_got[5]++; /* two thirds of a step away */
    c = compare_quantized(BOUNDS_FLOAT_VIEW, 1, true);
    assert_false(c.pass);
    assert_string_equal(c.text, "not the integer nearest to the exact result");
    assert_true(c.error > 0.66 && c.error < 0.67 && c.limit > 0.5 && c.limit < 0.502);
    /* A tie goes either way, and half of the slack is a margin of a half. */
    steps_value[5] = steps_got[5] - 0.5 - 0.0005;
    c = compare_quantized(BOUNDS_FLOAT_VIEW, 1, true);
    assert_true(c.pass && c.unequal == 1 && c.untied == 0);
    assert_true(c.margin > 0.4 && c.margin < 0.51);
    steps_value[5] = steps_got[5] - 0.5 - 0.002;
    assert_false(compare_quantized(BOUNDS_FLOAT_VIEW, 1, true).pass);
    /* Long sums are off before they are rounded. */
    steps_magnitude[5] = 1e4;
    steps_terms[5] = 4608;
    assert_true(compare_quantized(BOUNDS_FLOAT_VIEW, 1, true).pass);
    /* Near the exact result, but not near the reference. */
    fill_steps(NULL);
    steps_reference[8] = (int8_t)(steps_got[8] + 2);
    c = compare_quantized(BOUNDS_FLOAT_VIEW, 1, true);
    assert_false(c.pass);
    assert_string_equal(c.text, "more than a step from the integer of the reference");
    assert_true(compare_quantized(BOUNDS_FLOAT_VIEW, 1, false).pass);
}

/* Both integers next to the exact result, however many; where the reference is further off, those
 * next to it. */
TEST(test_one_step, .setup = fill_steps)
{
    struct comparison c;

    for (int i = 0; i < STEPS; i++)
        steps_got[i] = (int8_t)(steps_reference[i] + 1); /* two thirds above */
    c = compare_quantized(BOUNDS_ONE_STEP, 0.05, true);
    assert_true(c.pass && c.unequal == STEPS && c.margin > 0.66 && c.margin < 0.67);
    steps_got[9] = (int8_t)(steps_reference[9] - 1); /* four thirds below */
    c = compare_quantized(BOUNDS_ONE_STEP, 0.05, true);
    assert_true(!c.pass && c.wrong == 1 && c.index == 9);
    assert_string_equal(c.text, "more than a step from the exact result");
    assert_true(c.error > 1.33 && c.error < 1.34 && c.limit > 1 && c.limit < 1.002);
    steps_reference[9] = (int8_t)(steps_got[9] - 1); /* off itself, so its neighbours pass */
    assert_true(compare_quantized(BOUNDS_ONE_STEP, 0.05, false).pass);
    steps_reference[9]--;
    c = compare_quantized(BOUNDS_ONE_STEP, 0.05, false);
    assert_false(c.pass);
    steps_reference[9] = (int8_t)(steps_got[9] - 4);
    steps_got[9]--;
    assert_false(compare_quantized(BOUNDS_ONE_STEP, 0.05, false).pass);
}

/* Results in f16 are stored to nearest, or all toward zero; a part of each is no rounding mode. */
TEST(test_stored_toward_zero, .setup = fill)
{
    const double above = 0x1p-11 * 1.9; /* less than a unit of f16 above got, more than half */

    for (int i = 0; i < N; i++)
        value[i] = got[i] * (1 + above / 2);
    assert_true(compare(&rounded, BOUNDS_FP16, false).pass);
    for (int i = 0; i < N; i++)
        value[i] = got[i] * (1 + above);
    assert_true(compare(&rounded, BOUNDS_FP16, false).pass);
    assert_true(compare(&dot, BOUNDS_FP16, false).pass);
    assert_false(compare(&rounded, BOUNDS_FP32, false).pass);
    for (int i = 0; i < N; i++) /* away from zero */
        value[i] = got[i] * (1 - above);
    assert_false(compare(&rounded, BOUNDS_FP16, false).pass);
    for (int i = 0; i < N; i++) /* below zero, too */
        value[i] = -got[i] * (1 + above);
    assert_false(compare(&rounded, BOUNDS_FP16, false).pass);
    for (int i = 0; i < N; i++)
        got[i] = -got[i];
    assert_true(compare(&rounded, BOUNDS_FP16, false).pass);
    value[7] = got[7] * (1 - 0x1p-11 * 0.9); /* one that was rounded up */
    assert_false(compare(&rounded, BOUNDS_FP16, false).pass);
}

/* One in twenty may differ, and of 600 some by chance; not one in eight. */
TEST(test_share_of_unequal, .setup = fill_steps)
{
    struct comparison c;

    for (int i = 0; i < STEPS; i += 20)
        steps_reference[i]++;
    c = compare_quantized(BOUNDS_FLOAT_VIEW, 0.05, true);
    assert_true(c.pass && c.unequal == STEPS / 20);
    fill_steps(NULL);
    for (int i = 0; i < STEPS; i += 8)
        steps_reference[i]++;
    c = compare_quantized(BOUNDS_FLOAT_VIEW, 0.05, true);
    assert_true(!c.pass && !c.has_element && c.wrong == 0);
    assert_non_null(strstr(c.text, "75 of 600 are not the reference's integers"));
    assert_true(compare_quantized(BOUNDS_FLOAT_VIEW, 0.35, true).pass);
    /* Ties do not count. */
    for (int i = 0; i < STEPS; i++)
        steps_value[i] = steps_got[i] + 0.5;
    c = compare_quantized(BOUNDS_FLOAT_VIEW, 0.05, true);
    assert_true(c.pass && c.unequal == 75 && c.untied == 0);
}
