/* Quantiles of assay bench. */
#include "conformance/tools/bench/bench_series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void quantiles(void **state)
{
    const double one[] = { 7 }, four[] = { 1, 2, 4, 8 };

    (void)state;
    assert_true(bench_quantile(one, 1, 0) == 7 && bench_quantile(one, 1, 0.9) == 7);
    assert_true(bench_quantile(four, 4, 0) == 1);
    assert_true(bench_quantile(four, 4, 1) == 8);
    assert_true(bench_quantile(four, 4, 0.5) == 3); /* half way between 2 and 4 */
    assert_true(bench_quantile(four, 4, 0.9) > 6.79 && bench_quantile(four, 4, 0.9) < 6.81);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(quantiles) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
