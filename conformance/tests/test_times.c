/* Times of two runs: the tests themselves, and noise as it was measured. */
#include "reference/tests/kit/test.h"

#include "conformance/report/record/times.h"
#include "conformance/util/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 40, LINE_CASES = 24, PAIRS = 50 };

static struct diag diag;

static void expect_near(double x, double expected, double error)
{
    if (!(fabs(x - expected) <= error))
        fail_msg("expected %.9g within %g, found %.9g", expected, error, x);
}

/* Of 8 values round 0 the largest possible sum is 36; mean 18, variance 51. */
TEST(test_wilcoxon)
{
    const double up[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const double mixed[] = { -1, 2, -3, 4, -5, 6, -7, 8 };
    const double tied[] = { 1, 1, 1, 1, -1, 1, 1, 1 };
    const double zeros[] = { 0, 0, 0 };

    expect_near(times_wilcoxon(up, 8), erfc(17.5 / sqrt(102)) / 2, 1e-15);
    /* 2 + 4 + 6 + 8 = 20 */
    expect_near(times_wilcoxon(mixed, 8), erfc(1.5 / sqrt(102)) / 2, 1e-15);
    /* All ranks are 4.5: the sum is 31.5; 8 ties take 8 * 63 / 48 = 10.5 from the variance. */
    expect_near(times_wilcoxon(tied, 8), erfc(13 / sqrt(81)) / 2, 1e-15);
    assert_true(times_wilcoxon(zeros, 3) == 1);
    assert_true(times_wilcoxon(NULL, 0) == 1);
}

/* From tables of Student's t with 6 degrees of freedom. */
TEST(test_student)
{
    expect_near(times_student(0), 0.5, 1e-12);
    expect_near(times_student(1.943180), 0.05, 1e-6);
    expect_near(times_student(3.142668), 0.01, 1e-7);
    expect_near(times_student(5.207626), 0.001, 1e-8);
    expect_near(times_student(-3.142668), 0.99, 1e-7);
}

static void expect_centre(const double *values, size_t count, double centre)
{
    double found;

    assert_int_equal(times_centre(values, count, &found, &diag), STATUS_OK);
    expect_near(found, centre, 1e-12);
}

TEST(test_centre)
{
    const double few[] = { 1, 2, 9 }; /* means 1, 1.5, 5, 2, 5.5, 9 */
    double many[600], none;

    expect_centre(few, 3, 3.5);
    for (size_t i = 0; i < 600; i++)
        many[i] = i < 599 ? (double)(i * 7 % 599) : 1e9;
    expect_centre(many, 600, 299.5);
    assert_int_equal(times_centre(NULL, 0, &none, &diag), STATUS_OK);
    assert_true(isnan(none));
}

/* ---- noise ---- */

struct noise {
    double common;         /* of a run: a standard deviation of the logarithm, as all here */
    double line, one_case; /* of a line as a whole, by Student's t; of a case */
};

static double values[LINES][LINE_CASES];
static struct times_line lines[LINES];
static struct times_run run;

/* Student's t with TIMES_TAIL degrees of freedom. */
static double tailed(struct random_stream *r)
{
    double squares = 0;

    for (int i = 0; i < TIMES_TAIL; i++) {
        const double x = random_normal(r);

        squares += x * x;
    }
    return random_normal(r) / sqrt(squares / TIMES_TAIL);
}

/* A pair of runs of one build, but for line 7 and its slowdown. */
static void draw(struct random_stream *r, const struct noise *n, double slowdown)
{
    const double common = n->common * random_normal(r);

    for (size_t i = 0; i < LINES; i++) {
        const double line = n->line * tailed(r);

        for (size_t k = 0; k < LINE_CASES; k++)
            values[i][k] = common + line + n->one_case * tailed(r) + (i == 7 ? log1p(slowdown) : 0);
        lines[i] = (struct times_line){ values[i], LINE_CASES, 0, 0 };
    }
    assert_int_equal(times_judge(lines, LINES, &run, &diag), STATUS_OK);
}

/* In how many of PAIRS pairs line 7 is slower by more than 5 %, and in how many another line is. */
static void count_found(const struct noise *n, double slowdown, size_t *found, size_t *false_alarms)
{
    struct random_stream r;

    random_init(&r, 5, "times", 0, 0, 0);
    *found = *false_alarms = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        bool other = false;

        draw(&r, n, slowdown);
        for (size_t i = 0; i < LINES; i++) {
            const bool sure = lines[i].p < TIMES_ALPHA && fabs(lines[i].shift) > log(1.05);

            if (i == 7 && slowdown > 0)
                *found += sure && lines[i].shift > 0;
            else
                other = other || sure;
        }
        *false_alarms += other;
    }
}

static void expect_found(const struct noise *n, double slowdown, size_t least, size_t most)
{
    size_t found, false_alarms;

    count_found(n, slowdown, &found, &false_alarms);
    if (found < least || found > most || false_alarms > 0)
        fail_msg("slower by %g %%: expected to be found in %zu to %zu of %d pairs, found in %zu; "
                 "%zu false alarms",
                 100 * slowdown, least, most, PAIRS, found, false_alarms);
}

/* As measured, on pairs of runs of one build with 43 lines: lavapipe on two processors that others
 * used as well; an H100, with the fastest of 4 runs for each.  `idle` has no more than the jitter
 * of a clock. */
static const struct noise loaded = { 0.2, 0.25, 0.3 };
static const struct noise fastest = { 0.02, 0.03, 0.06 };
static const struct noise idle = { 0.02, 0.004, 0.02 };

TEST(test_same_build)
{
    expect_found(&loaded, 0, 0, 0);
    expect_found(&fastest, 0, 0, 0);
    expect_found(&idle, 0, 0, 0);
}

TEST(test_slowdown)
{
    expect_found(&idle, 0.07, PAIRS - 5, PAIRS);
    expect_found(&idle, 0.03, 0, 0);    /* below the limit of 5 % */
    expect_found(&fastest, 0.07, 0, 0); /* lost in the noise, and not pretended to be found */
    expect_found(&fastest, 0.5, PAIRS - 2, PAIRS);
    expect_found(&loaded, 0.07, 0, 0);
}

/* The factor of the whole run is no slowdown of any line. */
TEST(test_common)
{
    struct random_stream r;

    random_init(&r, 3, "times", 0, 0, 0);
    draw(&r, &(struct noise){ 0, 0.005, 0.03 }, 0);
    for (size_t i = 0; i < LINES; i++) {
        for (size_t k = 0; k < LINE_CASES; k++)
            values[i][k] += log(1.3);
    }
    assert_int_equal(times_judge(lines, LINES, &run, &diag), STATUS_OK);
    expect_near(run.common, log(1.3), 0.01);
    for (size_t i = 0; i < LINES; i++)
        assert_true(fabs(lines[i].shift) < 0.05);
}

/* What is too little to be judged. */
TEST(test_too_few)
{
    for (size_t i = 0; i < LINES; i++) {
        for (size_t k = 0; k < LINE_CASES; k++)
            values[i][k] = i == 0 ? 3 : 0.001 * (double)k;
        lines[i] = (struct times_line){ values[i], i < 20 ? 7 : 8, 0, 0 };
    }
    assert_int_equal(times_judge(lines, TIMES_LINES + 19, &run, &diag), STATUS_OK);
    assert_true(isnan(lines[0].shift) && isnan(lines[0].p));
    assert_true(isnan(run.noise) && isnan(lines[25].p) && !isnan(lines[25].shift));
    assert_int_equal(times_judge(lines, TIMES_LINES + 20, &run, &diag), STATUS_OK);
    assert_false(isnan(run.noise) || isnan(lines[25].p));
    assert_true(isnan(lines[0].p));
    assert_int_equal(times_judge(NULL, 0, &run, &diag), STATUS_OK);
    assert_true(isnan(run.common) && isnan(run.noise));
}

/* The same times twice: no scatter, and no division by it. */
TEST(test_no_noise)
{
    memset(values, 0, sizeof values);
    for (size_t k = 0; k < LINE_CASES; k++)
        values[3][k] = 0.2;
    for (size_t i = 0; i < LINES; i++)
        lines[i] = (struct times_line){ values[i], LINE_CASES, 0, 0 };
    assert_int_equal(times_judge(lines, LINES, &run, &diag), STATUS_OK);
    assert_true(run.noise == 0);
    assert_true(lines[0].p == 1);
    assert_true(lines[3].p < TIMES_ALPHA);
}
