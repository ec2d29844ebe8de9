/* The data of cases: the same bits everywhere, and each set what the policy says it is. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/cases/data.h"

#include "reference/base/half.h"

#include <math.h>
#include <string.h>

enum { N = 4096 };

static float values[N];

static void fill(struct data_spec spec, uint64_t tensor, uint64_t frame)
{
    const int32_t dims[] = { N / 16, 16 };
    struct random_stream s;

    random_init(&s, 1, "op.f32.row", (uint64_t)spec.set, tensor, frame);
    data_fill(&s, &spec, dims, 2, values);
}

static uint64_t hash_values(void)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < N; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (bits >> 8 * byte & 255)) * 0x100000001b3u;
    }
    return hash;
}

/* Goldens hold the answers to these very bits: a change here makes every golden file stale. */
TEST(test_bits_are_pinned)
{
    static const uint64_t expected[SET_ENDS][2] = {
        { 0x6d7425823c6851ee, 0x20bc64c2d7183b32 }, { 0xbf20805d12121f42, 0x99d4ef34fb5f283b },
        { 0x019aeb86a9efad9d, 0xc68339e15b24d485 }, { 0x6bcc24fb8db1f936, 0x55ea89505c0ccdf9 },
        { 0x34a977a32b7c1d9e, 0x9fb57a830d0b29e8 }, { 0x59dc8cd5cc54b87c, 0x496b0e5ba037efc5 },
    };

    for (int set = 0; set < SET_ENDS; set++) {
        for (int half = 0; half < 2; half++) {
            fill((struct data_spec){ .set = (enum data_set)set,
                                     .half = half,
                                     .terms = 64,
                                     .factors = 2,
                                     .pair = PAIR_EQUAL,
                                     .axis = 1 },
                 3, 1);
            assert_int_equal(hash_values(), expected[set][half]);
        }
    }
}

TEST(test_stream)
{
    struct random_stream a, b;

    random_init(&a, 1, "x", 0, 0, 0);
    random_init(&b, 1, "x", 0, 0, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(random_next(&a), random_next(&b));
    /* Each part of the key makes another stream. */
    const struct {
        uint64_t seed;
        const char *name;
        uint64_t set, tensor, frame;
    } keys[] = { { 1, "x", 0, 0, 0 }, { 2, "x", 0, 0, 0 }, { 1, "y", 0, 0, 0 },
                 { 1, "x", 1, 0, 0 }, { 1, "x", 0, 1, 0 }, { 1, "x", 0, 0, 1 } };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        for (size_t j = 0; j < i; j++) {
            random_init(&a, keys[i].seed, keys[i].name, keys[i].set, keys[i].tensor, keys[i].frame);
            random_init(&b, keys[j].seed, keys[j].name, keys[j].set, keys[j].tensor, keys[j].frame);
            assert_int_not_equal(random_next(&a), random_next(&b));
        }
    }
}

TEST(test_normal)
{
    struct random_stream s;
    double sum = 0, squares = 0;

    random_init(&s, 7, "normal", 0, 0, 0);
    for (int i = 0; i < 100000; i++) {
        const double v = random_normal(&s);

        assert_true(fabs(v) < 6);
        assert_true(v * 0x1p32 == floor(v * 0x1p32));
        sum += v;
        squares += v * v;
    }
    assert_true(fabs(sum / 100000) < 0.02);
    assert_true(fabs(squares / 100000 - 1) < 0.02);
}

TEST(test_positive)
{
    for (int half = 0; half < 2; half++) {
        fill((struct data_spec){ .set = SET_POSITIVE, .half = half }, 0, 0);
        for (size_t i = 0; i < N; i++)
            assert_true(values[i] > 0);
    }
}

/* Worst case where there is room; on the average where sums are long. */
TEST(test_integers_stay_exact)
{
    static const double terms[] = { 1, 2, 9, 10, 46, 577, 4609 };

    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; t++) {
        for (int half = 0; half < 2; half++) {
            for (int factors = 1; factors <= 2; factors++) {
                const double limit = half ? 0x1p11 : 0x1p24;
                double most = 0, sum = 0, share = 0;

                fill(
                    (struct data_spec){
                        .set = SET_INTEGERS, .half = half, .terms = terms[t], .factors = factors },
                    0, 0);
                for (size_t i = 0; i < N; i++) {
                    const double v = fabs(values[i]);

                    assert_true(v == floor(v));
                    most = v > most ? v : most;
                    sum += v;
                    share += v != 0;
                }
                assert_true(most >= 1);
                if (share / N > 0.6) /* no value was forced to zero */
                    assert_true(terms[t] * pow(most, factors) <= limit);
                else
                    assert_true(terms[t] * pow(sum / N, factors) <= 0.75 * limit);
            }
        }
    }
}

TEST(test_pairs_cancel)
{
    float x[N];
    double sum = 0, magnitude = 0;

    fill(
        (struct data_spec){
            .set = SET_CANCEL, .terms = 16, .factors = 2, .pair = PAIR_EQUAL, .axis = 1 },
        0, 0);
    memcpy(x, values, sizeof x);
    fill(
        (struct data_spec){
            .set = SET_CANCEL, .terms = 16, .factors = 2, .pair = PAIR_OPPOSITE, .axis = 1 },
        1, 0);
    for (size_t row = 0; row < N / 16; row++) {
        double dot = 0;

        for (size_t i = 16 * row; i < 16 * row + 16; i++) {
            dot += (double)x[i] * values[i];
            magnitude += fabs((double)x[i] * values[i]);
        }
        sum += fabs(dot);
    }
    assert_true(magnitude > 1000);
    assert_true(sum < magnitude / 50);
    /* A sum with its mirror image. */
    fill((struct data_spec){ .set = SET_CANCEL, .terms = 2, .factors = 1 }, 5, 0);
    memcpy(x, values, sizeof x);
    fill((struct data_spec){ .set = SET_CANCEL, .terms = 2, .factors = 1, .pair = PAIR_MIRROR }, 5,
         0);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs((double)x[i] + values[i]) <= fabs((double)x[i]) / 32);
    /* Flat along the axis. */
    fill(
        (struct data_spec){
            .set = SET_CANCEL, .terms = 16, .factors = 2, .pair = PAIR_FLAT, .axis = 1 },
        0, 0);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs((double)values[i] - values[i / 16 * 16]) <=
                    fabs((double)values[i / 16 * 16]) / 16);
}

TEST(test_powers)
{
    fill((struct data_spec){ .set = SET_POWERS, .terms = 9, .factors = 2 }, 0, 0);
    for (size_t i = 0; i < N; i++) {
        int exponent;

        assert_true(fabs(frexp(values[i], &exponent)) == 0.5);
        assert_true(exponent >= -7 && exponent <= 9);
    }
}

TEST(test_spread)
{
    double largest = 0, smallest = INFINITY;

    fill((struct data_spec){ .set = SET_SPREAD, .terms = 9, .factors = 2 }, 0, 0);
    for (size_t i = 0; i < N; i++) {
        const double size = fabs((double)values[i]);

        /* gcc 12 stops with an internal error at fmax and fmin here, on aarch64. */
        if (size > largest)
            largest = size;
        if (size < smallest)
            smallest = size;
    }
    assert_true(largest > 1000 && smallest < 1e-3);
}

/* Data of an fp16 run are f16 values, none of them denormal, and sums of their products fit. */
TEST(test_half)
{
    for (int set = 0; set < SET_COUNT; set++) {
        fill(
            (struct data_spec){
                .set = (enum data_set)set, .half = true, .terms = 16, .factors = 2 },
            0, 0);
        for (size_t row = 0; row < N / 16; row++) {
            double squares = 0;

            for (size_t i = 16 * row; i < 16 * row + 16; i++) {
                const float v = values[i];

                assert_true(half_to_float(float_to_half(v)) == v);
                assert_true(v == 0 || fabsf(v) >= 0x1p-14f);
                squares += (double)v * v;
            }
            assert_true(squares < 3e4);
        }
    }
    assert_true(data_half(1e6f) == 65504 && data_half(-1e6f) == -65504);
    assert_true(data_half(1e-5f) == 0 && data_half(0x1p-14f) == 0x1p-14f);
    assert_true(data_half(1.0f + 0x1p-12f) == 1);
}

TEST(test_scale_and_offset)
{
    fill((struct data_spec){ .set = SET_RANDOM, .scale = 0.5, .offset = 100 }, 0, 0);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs((double)values[i] - 100) < 3);
    fill((struct data_spec){ .set = SET_INTEGERS, .scale = 0.3, .offset = 0.1 }, 0, 0);
    for (size_t i = 0; i < N; i++)
        assert_true(values[i] == floorf(values[i]));
}

/* ---- integers ---- */

static int32_t steps[N];

static void fill_steps(struct steps_spec spec)
{
    const int32_t dims[] = { N / 16, 16 };
    struct random_stream s;

    random_init(&s, 1, "op.i8.row", (uint64_t)spec.set, 3, 1);
    data_fill_steps(&s, &spec, dims, 2, steps);
}

/* Each set stays within the range, and the whole range comes in S0. */
TEST(test_steps)
{
    static const int32_t zeros[] = { -128, -3, 127 };
    bool seen[256];

    for (int set = 0; set < SET_COUNT; set++) {
        for (int z = 0; z < 3; z++) {
            const struct steps_spec spec = { .set = (enum data_set)set,
                                             .low = -128,
                                             .high = 127,
                                             .zero = zeros[z],
                                             .pair = PAIR_OPPOSITE,
                                             .axis = 1 };
            int64_t sum = 0;

            memset(seen, 0, sizeof seen);
            fill_steps(spec);
            for (int i = 0; i < N; i++) {
                assert_in_range(steps[i] + 128, 0, 255);
                seen[steps[i] + 128] = true;
                sum += steps[i] - spec.zero;
                if (set == SET_POSITIVE && zeros[z] < 127)
                    assert_true(steps[i] > zeros[z]);
                if (set == SET_INTEGERS)
                    assert_in_range(steps[i] - zeros[z] + 3, 0, 6);
            }
            for (int i = 0; set == SET_RANDOM && i < 256; i++)
                assert_true(seen[i]);
            if (set == SET_CANCEL && zeros[z] == -3) /* pairs, but for those that are clamped */
                assert_in_range(sum + 30 * N, 0, 60 * N);
        }
    }
}

/* S6: rows along the axis at one end, and rows of pairs at one end, all of which occur.  Where the
 * axis is not the last one, so do they along it. */
TEST(test_ends)
{
    const int32_t dims[] = { N / 16, 8, 2 };
    const struct steps_spec spec = {
        .set = SET_ENDS, .low = 0, .high = 255, .zero = 99, .pair = PAIR_EQUAL, .axis = 1
    };
    size_t low_rows = 0, high_rows = 0, mixed = 0, both_low = 0, both_high = 0;
    struct random_stream s;

    random_init(&s, 1, "op.u8.row", SET_ENDS, 3, 1);
    data_fill_steps(&s, &spec, dims, 3, steps);
    for (size_t row = 0; row < N / 16; row++) {
        size_t high = 0;

        for (size_t i = 0; i < 16; i++) {
            const int32_t step = steps[row * 16 + i];

            assert_true(step == 0 || step == 255);
            high += step == 255;
            if (i / 2 % 2 == 1) { /* the second of a pair along the axis */
                assert_int_equal(step, steps[row * 16 + i - 2]);
                both_low += step == 0;
                both_high += step == 255;
            }
        }
        low_rows += high == 0;
        high_rows += high == 16;
        mixed += high > 0 && high < 16;
    }
    assert_in_range(low_rows, N / 16 / 8, N / 16 * 3 / 8);
    assert_in_range(high_rows, N / 16 / 8, N / 16 * 3 / 8);
    assert_in_range(mixed, N / 16 / 3, N / 16 * 2 / 3);
    assert_true(both_low > 0 && both_high > 0);
}

/* Models and goldens have these very integers. */
TEST(test_steps_are_pinned)
{
    static const int32_t first[SET_COUNT][4] = { { -5, -83, -14, 107 }, { 31, 58, 120, 95 },
                                                 { 7, 2, 8, 6 },        { 45, 47, -102, -102 },
                                                 { 37, 6, -11, -27 },   { 18, 65, -58, 5 },
                                                 { 127, 127, 127, 127 } };

    for (int set = 0; set < SET_COUNT; set++) {
        fill_steps((struct steps_spec){ .set = (enum data_set)set,
                                        .low = -128,
                                        .high = 127,
                                        .zero = 5,
                                        .pair = PAIR_EQUAL,
                                        .axis = 1 });
        for (int i = 0; i < 4; i++) {
            if (steps[i] != first[set][i])
                fail_msg("S%d: %d %d %d %d", set, steps[0], steps[1], steps[2], steps[3]);
        }
    }
}
