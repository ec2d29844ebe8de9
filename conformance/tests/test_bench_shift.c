/* The test of assay bench --compare-to: a planted slowdown of 7 % is found, noise is not, over 50
 * pairs of series each, and intervals hold the true ratio as often as they say. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/bench/bench_shift.h"
#include "conformance/util/random.h"

#include <math.h>

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

        random_init(&s, 1, "bench", pair, samples, 0);
        draw(&s, noise, 4, before, samples);
        draw(&s, noise, 4 * factor, after, samples);
        KIT_OK(bench_shift_samples(before, samples, after, samples, &shift, &err));
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

/* How many of 50 pairs of subjects have this verdict at 5 %: 42 rounds in six pairs of processes,
 * each of which has its own ratio, and a start that makes the first one slower. */
static int count_duels(double factor, double process, double first, enum bench_verdict verdict,
                       int *holds)
{
    static const size_t ends[] = { 7, 14, 21, 28, 35, 42 };
    int found = 0;

    *holds = 0;
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        struct random_stream s;
        struct bench_shift shift;
        double x[42], own = 0;

        random_init(&s, 1, "versus", pair, 0, 0);
        for (size_t i = 0; i < 42; i++) {
            if (i % 7 == 0)
                own = process * random_normal(&s) + (i / 7 % 2 ? -first : first);
            x[i] = log(factor) + own + 0.02 * random_normal(&s);
        }
        assert_int_equal(bench_shift_pairs(x, 42, ends, 6, &shift, &err), STATUS_OK);
        assert_true(shift.low <= shift.ratio && shift.ratio <= shift.high);
        found += bench_shift_judge(&shift, 0.05) == verdict;
        *holds += shift.low <= factor && factor <= shift.high;
    }
    return found;
}

/* Alternating runs: a drift that both see cancels, and of processes what the start makes of them
 * does.  What else they differ by is in the interval: without it, it holds the ratio of 42 of 50.
 */
TEST(pairs_of_blocks)
{
    int holds;

    assert_int_equal(count_duels(1.07, 0, 0, VERDICT_SLOWER, &holds), PAIRS);
    assert_in_range(holds, 48, PAIRS);
    assert_int_equal(count_duels(1, 0, 0, VERDICT_SAME, &holds), PAIRS);
    assert_int_equal(count_duels(1, 0.02, 0, VERDICT_SLOWER, &holds), 0);
    assert_in_range(holds, 48, PAIRS);
    assert_int_equal(count_duels(1, 0.01, 0.012, VERDICT_SLOWER, &holds), 0);
    assert_in_range(holds, 48, PAIRS);
}

/* By hand: estimates of the groups of 0, 0.1 and 0.2 have a mean of 0.1, and a standard deviation
 * of 0.1: 0.1 +- 9.925 * 0.1 / sqrt(3). */
TEST(groups_by_hand)
{
    static const size_t ends[] = { 4, 8, 14 };
    struct bench_shift shift;
    double x[14];

    for (int calm = 0; calm < 2; calm++) { /* then the rounds of a group are all but equal */
        const double noise = calm ? 0.001 : 0.3;

        for (int i = 0; i < 14; i++)
            x[i] = (i < 4 ? 0 : i < 8 ? 0.1 : 0.2) + (i % 2 ? noise : -noise);
        assert_int_equal(bench_shift_pairs(x, 14, ends, 3, &shift, &err), STATUS_OK);
        assert_true(fabs(log(shift.high) - (0.1 + 0.9925 / sqrt(3))) < 1e-12);
        assert_true(fabs(log(shift.low) - (0.1 - 0.9925 / sqrt(3))) < 1e-12);
    }
}

/* By hand: in three groups of -1, -1, 1, 1 the neighbours have the covariance 3 * 1 - 2 * 1 of a
 * variance of 12, and three means were taken from them. */
TEST(correlation_in_groups_by_hand)
{
    static const size_t ends[] = { 4, 8, 12 };
    const double r = 1.0 / 12 + 3.0 / 12 - 1 / sqrt(12);
    struct bench_shift shift;
    double x[12];

    for (int i = 0; i < 12; i++)
        x[i] = 5 * (i / 4) + (i % 4 < 2 ? -1 : 1);
    assert_int_equal(bench_shift_pairs(x, 12, ends, 3, &shift, &err), STATUS_OK);
    assert_true(fabs(shift.inflation - (1 + r) / (1 - r)) < 1e-12);
}

/* By hand: the ratios of {1, 2, 4, 8, 16, 32} and twice that are powers of 2 from 2^-4 to 2^6, most
 * often 2.  Of 36 ratios the rank is 18 - 2.576 * sqrt(36 * 13 / 12) = 1.9: the interval leaves out
 * none on either side. */
TEST(ranks_by_hand)
{
    const double before[] = { 1, 2, 4, 8, 16, 32 }, after[] = { 2, 4, 8, 16, 32, 64 };
    struct bench_shift shift;

    assert_int_equal(bench_shift_values(before, 6, after, 6, &shift, &err), STATUS_OK);
    assert_true(fabs(shift.ratio - 2) < 1e-12);
    assert_true(fabs(shift.low - 1.0 / 16) < 1e-12 && fabs(shift.high - 64) < 1e-9);
    assert_int_equal(shift.blocks[0], 6);
    assert_true(shift.inflation == 1);
}

TEST(correlation_widens)
{
    double flat[200], ramp[200];
    struct bench_shift shift;

    for (int i = 0; i < 200; i++) {
        flat[i] = 1 + 0.01 * (i * 7 % 5);
        ramp[i] = 1 + 0.005 * i;
    }
    assert_int_equal(bench_shift_samples(flat, 200, flat, 200, &shift, &err), STATUS_OK);
    assert_true(shift.ratio == 1 && shift.inflation < 1.5);
    /* A run that gets slower all the time has, in effect, few blocks. */
    assert_int_equal(bench_shift_samples(ramp, 200, ramp, 200, &shift, &err), STATUS_OK);
    assert_true(shift.inflation > 8);
    assert_true(shift.low < 0.7 && shift.high > 1.4);
}

TEST(too_few_are_refused)
{
    const double x[64] = { 1, 1, 1 };
    struct bench_shift shift;

    assert_int_equal(bench_shift_samples(x, 29, x, 64, &shift, &err), STATUS_USAGE);
    assert_string_equal(err.text, "found 29 and 64 inferences, expected at least 30 of each: see "
                                  "--num_runs");
    diag_clear(&err);
    assert_int_equal(bench_shift_values(x, 6, x, 5, &shift, &err), STATUS_USAGE);
    diag_clear(&err);
    assert_int_equal(bench_shift_pairs(x, 9, (const size_t[]){ 9 }, 1, &shift, &err), STATUS_USAGE);
}
