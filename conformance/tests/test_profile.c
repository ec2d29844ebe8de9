/* Error over limit along an output, in few characters. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/judge/profile.h"

#include <math.h>
#include <string.h>

TEST(test_levels)
{
    assert_int_equal(profile_level(0), '0');
    assert_int_equal(profile_level(1), 'V');
    assert_int_equal(profile_level(1.0000001), 'W');
    assert_int_equal(profile_level(1e-300), '1');
    assert_int_equal(profile_level(1e300), 'z');
    assert_int_equal(profile_level(INFINITY), 'z');
    assert_int_equal(profile_level(NAN), 'z');
    assert_true(profile_ratio('V') == 1);
    assert_true(profile_ratio('0') == 0);
    assert_true(isinf(profile_ratio('z')));
    assert_true(profile_ratio('-') == -1);
    assert_true(profile_ratio('\0') == -1);
}

/* A character stands for no less than the ratio, and for less than a third of an octave more. */
TEST(test_levels_round_up)
{
    for (double r = 0x1p-10; r < 0x1p9; r *= 1.01) {
        const double back = profile_ratio(profile_level(r));

        assert_true(back >= r * (1 - 1e-12));
        assert_true(back < r * cbrt(2) * (1 + 1e-12));
    }
}

TEST(test_write)
{
    double ratios[40] = { 0, 1, 2, INFINITY };
    char text[PROFILE_BINS + 1];

    profile_write(ratios, 4, text);
    assert_string_equal(text, "0VYz");
    profile_write(ratios, 0, text);
    assert_string_equal(text, "");
    profile_write(ratios, 40, text);
    assert_int_equal(strlen(text), PROFILE_BINS);
}

/* Compares with ones, of which every other number is wrong. */
static struct comparison compare(const int *dims, int rank, const float *got)
{
    static const struct bound_rule bits = { .kind = BOUND_BITS };
    static double value[4 * 48], magnitude[4 * 48], terms[4 * 48];
    const struct ref_detail detail = { value, magnitude, terms, NULL };
    struct comparison c;

    for (int i = 0; i < 4 * 48; i++)
        value[i] = magnitude[i] = 1;
    KIT_OK(compare_tensor(&(struct compare_request){ .rule = &bits,
                                                     .bounds = BOUNDS_FP32,
                                                     .type = kTfLiteFloat32,
                                                     .got = got,
                                                     .dims = dims,
                                                     .rank = rank,
                                                     .detail = &detail },
                          &c, &err));
    return c;
}

/* Of 4 rows of 48 channels, element 2 of row 3 is wrong: run 3 * 48 * 32 / 192, channel run 1. */
TEST(test_runs_of_an_output)
{
    static const int dims[] = { 4, 48 };
    float got[4 * 48];
    struct comparison c;

    for (int i = 0; i < 4 * 48; i++)
        got[i] = 1;
    c = compare(dims, 2, got);
    for (int i = 0; i < COMPARE_RUNS; i++)
        assert_true(c.by_element[i] == 0 && c.by_channel[i] == 0);
    got[3 * 48 + 2] = 2;
    c = compare(dims, 2, got);
    assert_int_equal(c.channels, 48);
    for (int i = 0; i < COMPARE_RUNS; i++) {
        assert_int_equal(c.by_element[i] > 1, i == (3 * 48 + 2) * 32 / 192);
        assert_int_equal(c.by_channel[i] > 1, i == 2 * 32 / 48);
    }
}

/* Fewer elements than runs: a run each. */
TEST(test_small_outputs)
{
    static const int dims[] = { 5, 1 };
    float got[] = { 1, 1, 1, 1, 2 };
    struct comparison c;

    c = compare(dims, 2, got);
    for (int i = 0; i < COMPARE_RUNS; i++) {
        assert_int_equal(c.by_element[i] > 1, i == 4);
        assert_int_equal(c.by_channel[i] > 1, i == 0);
    }
    got[0] = 3;
    c = compare(dims, 0, got); /* a scalar */
    assert_int_equal(c.elements, 1);
    assert_int_equal(c.channels, 1);
    assert_true(c.by_element[0] > 1);
}
