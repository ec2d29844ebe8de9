/* Quantiles of assay bench. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/bench/bench_series.h"

TEST(quantiles)
{
    const double one[] = { 7 }, four[] = { 1, 2, 4, 8 };

    assert_true(bench_quantile(one, 1, 0) == 7 && bench_quantile(one, 1, 0.9) == 7);
    assert_true(bench_quantile(four, 4, 0) == 1);
    assert_true(bench_quantile(four, 4, 1) == 8);
    assert_true(bench_quantile(four, 4, 0.5) == 3); /* half way between 2 and 4 */
    assert_true(bench_quantile(four, 4, 0.9) > 6.79 && bench_quantile(four, 4, 0.9) < 6.81);
}
