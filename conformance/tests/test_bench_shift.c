/* The test of assay bench --compare-to: a planted slowdown of 7 % is found, noise is not, over 50
 * pairs of series each, and intervals hold the true ratio as often as they say. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/bench/bench_shift.h"
#include "conformance/util/random.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { PAIRS = 50, SAMPLES = 1000, SAMPLES_FEW = 50 };

/* What is measured on a machine that does other things too. */
struct noise {
    double jitter;      /* standard deviation of an inference by itself */
    double memory;      /* correlation of neighbours in what wanders */
    double wander;      /* standard deviation of what wanders */
    double spike_share; /* of inferences that something interrupts */
    double run;         /* standard deviation of a whole run: clocks, placement */
};
static const struct noise quiet = { 0.02, 0, 0, 0.01, 0 };
static const struct noise wandering = { 0.03, 0.95, 0.01, 0.05, 0 };
/* What differs between runs is seen in neither: an interval cannot hold it. */
static const struct noise busy = { 0.03, 0.95, 0.01, 0.05, 0.003 };

static void draw(struct random_stream *s, const struct noise *noise, double ms, double *x,
                 size_t count)
{
    const double innovation = noise->wander * sqrt(1 - noise->memory * noise->memory);
    const double run = noise->run * random_normal(s);
    double wander = noise->wander * random_normal(s);

    for (size_t i = 0; i < count; i++) {
        const double spike = (double)random_below(s, 1000) < 1000 * noise->spike_share
                                 ? 0.5 + (double)random_below(s, 200) / 100
                                 : 0;

        wander = noise->memory * wander + innovation * random_normal(s);
        x[i] = ms * exp(run + wander + noise->jitter * random_normal(s)) * (1 + spike);
    }
}

/* How many of 50 pairs, whose second is `factor` times as slow, have this verdict at 5 %. */
static int count_pairs(const struct noise *noise, double factor, size_t samples,
                       enum bench_verdict verdict, int *holds)
{
    double before[SAMPLES], after[SAMPLES];
    int found = 0;

    *holds = 0;
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        struct random_stream s;
        struct bench_shift shift;
        struct diag diag = { .status = STATUS_OK };

        random_init(&s, 1, "bench", pair, samples, 0);
        draw(&s, noise, 4, before, samples);
        draw(&s, noise, 4 * factor, after, samples);
        assert_int_equal(bench_shift_samples(before, samples, after, samples, &shift, &diag),
                         STATUS_OK);
        assert_true(shift.low <= shift.ratio && shift.ratio <= shift.high);
        found += bench_shift_judge(&shift, 0.05) == verdict;
        *holds += shift.low <= factor && factor <= shift.high;
    }
    return found;
}

TEST(planted_slowdown_is_found)
{
    int holds;

    assert_int_equal(count_pairs(&quiet, 1.07, SAMPLES, VERDICT_SLOWER, &holds), PAIRS);
    assert_in_range(holds, 47, PAIRS);
    assert_int_equal(count_pairs(&busy, 1.07, SAMPLES, VERDICT_SLOWER, &holds), PAIRS);
    /* 50 inferences, the default of models over 20 ms. */
    assert_int_equal(count_pairs(&quiet, 1.07, SAMPLES_FEW, VERDICT_SLOWER, &holds), PAIRS);
}

TEST(noise_is_silent)
{
    int holds;

    assert_int_equal(count_pairs(&quiet, 1, SAMPLES, VERDICT_SLOWER, &holds), 0);
    assert_in_range(holds, 47, PAIRS);
    assert_int_equal(count_pairs(&wandering, 1, SAMPLES, VERDICT_SLOWER, &holds), 0);
    assert_in_range(holds, 46, PAIRS);
    assert_int_equal(count_pairs(&busy, 1, SAMPLES, VERDICT_SLOWER, &holds), 0);
    assert_int_equal(count_pairs(&busy, 1, SAMPLES_FEW, VERDICT_SLOWER, &holds), 0);
    /* A slowdown within the limit, and a faster run, are no regressions. */
    assert_int_equal(count_pairs(&busy, 1.02, SAMPLES, VERDICT_SLOWER, &holds), 0);
    assert_int_equal(count_pairs(&busy, 0.8, SAMPLES, VERDICT_SAME, &holds), PAIRS);
}

/* Alternating runs: a drift that both see cancels. */
TEST(pairs_of_blocks)
{
    int slower = 0, silent = 0;

    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        struct random_stream s;
        struct bench_shift shift;
        struct diag diag = { .status = STATUS_OK };
        double x[40];

        random_init(&s, 1, "versus", pair, 0, 0);
        for (size_t i = 0; i < 40; i++)
            x[i] = log(1.07) + 0.02 * random_normal(&s);
        assert_int_equal(bench_shift_pairs(x, 40, &shift, &diag), STATUS_OK);
        slower += bench_shift_judge(&shift, 0.05) == VERDICT_SLOWER;
        for (size_t i = 0; i < 40; i++)
            x[i] -= log(1.07);
        assert_int_equal(bench_shift_pairs(x, 40, &shift, &diag), STATUS_OK);
        silent += bench_shift_judge(&shift, 0.05) == VERDICT_SAME;
    }
    assert_int_equal(slower, PAIRS);
    assert_int_equal(silent, PAIRS);
}

/* By hand: the ratios of {1, 2, 4, 8, 16, 32} and twice that are powers of 2 from 2^-4 to 2^6, most
 * often 2.  Of 36 ratios the rank is 18 - 2.576 * sqrt(36 * 13 / 12) = 1.9: the interval leaves out
 * none on either side. */
TEST(ranks_by_hand)
{
    const double before[] = { 1, 2, 4, 8, 16, 32 }, after[] = { 2, 4, 8, 16, 32, 64 };
    struct bench_shift shift;
    struct diag diag = { .status = STATUS_OK };

    assert_int_equal(bench_shift_values(before, 6, after, 6, &shift, &diag), STATUS_OK);
    assert_true(fabs(shift.ratio - 2) < 1e-12);
    assert_true(fabs(shift.low - 1.0 / 16) < 1e-12 && fabs(shift.high - 64) < 1e-9);
    assert_int_equal(shift.blocks[0], 6);
    assert_true(shift.inflation == 1);
}

TEST(correlation_widens)
{
    double flat[200], ramp[200];
    struct bench_shift shift;
    struct diag diag = { .status = STATUS_OK };

    for (int i = 0; i < 200; i++) {
        flat[i] = 1 + 0.01 * (i * 7 % 5);
        ramp[i] = 1 + 0.005 * i;
    }
    assert_int_equal(bench_shift_samples(flat, 200, flat, 200, &shift, &diag), STATUS_OK);
    assert_true(shift.ratio == 1 && shift.inflation < 1.5);
    /* A run that gets slower all the time has, in effect, few blocks. */
    assert_int_equal(bench_shift_samples(ramp, 200, ramp, 200, &shift, &diag), STATUS_OK);
    assert_true(shift.inflation > 8);
    assert_true(shift.low < 0.7 && shift.high > 1.4);
}

TEST(too_few_are_refused)
{
    const double x[64] = { 1, 1, 1 };
    struct bench_shift shift;
    struct diag diag = { .status = STATUS_OK };

    assert_int_equal(bench_shift_samples(x, 29, x, 64, &shift, &diag), STATUS_USAGE);
    assert_string_equal(diag.text, "found 29 and 64 inferences, expected at least 30 of each: see "
                                   "--num_runs");
    diag_clear(&diag);
    assert_int_equal(bench_shift_values(x, 6, x, 5, &shift, &diag), STATUS_USAGE);
    diag_clear(&diag);
    assert_int_equal(bench_shift_pairs(x, 9, &shift, &diag), STATUS_USAGE);
}
