#include "conformance/report/record/severity.h"

#include <math.h>
#include <string.h>

const char *severity_name(enum severity s)
{
    static const char *const names[] = { "crash", "broken", "gross", "large", "marginal" };

    return names[s];
}

bool severity_is_of_values(const struct record_result *r)
{
    static const char unwritten[] = "not written", within[] = "every element is within";
    const char *const text = record_result_why(r);

    if (r->status == CASE_PASS || r->status == CASE_UNEXPECTED_PASS)
        return true;
    return r->status == CASE_FAIL && strncmp(text, unwritten, strlen(unwritten)) != 0 &&
           (r->where || strstr(text, " wrong)") || strncmp(text, within, strlen(within)) == 0);
}

bool severity_is_of_bits(const struct record_result *r)
{
    return r->where && r->limit == 0 && severity_is_of_values(r) &&
           !strstr(record_result_why(r), " wrong)");
}

/* What two runs differ by has no limit, and the margin of the first one says nothing of it. */
double severity_margin(const struct record_result *r)
{
    const double margin = r->worst.where ? r->worst.ratio : r->margin;

    return isnan(margin) || severity_is_of_bits(r) ? INFINITY : margin;
}

/* Of an element; a limit of 0, where sums are exact, says nothing of how bad an error is. */
static enum severity of_element(double got, double want, double margin)
{
    const double error = fabs(got - want);

    if (isfinite(margin) && margin <= 10)
        return SEVERITY_MARGINAL;
    if (!isfinite(error) || error >= 0.1 * fabs(want))
        return SEVERITY_GROSS;
    /* Without a limit, what 16 roundings of a float come to passes for one. */
    return isfinite(margin) || error > 1e-6 * fabs(want) ? SEVERITY_LARGE : SEVERITY_MARGINAL;
}

enum severity severity_of(const struct record_result *r)
{
    if (r->status == CASE_CRASH || r->status == CASE_TIMEOUT)
        return SEVERITY_CRASH;
    if (!severity_is_of_values(r) || strstr(record_result_why(r), "state is kept") ||
        strstr(record_result_why(r), "outside of a tensor"))
        return SEVERITY_BROKEN;
    if (r->worst.where && !severity_is_of_bits(r))
        return of_element(r->worst.got, r->worst.want, severity_margin(r));
    if (r->where)
        return of_element(r->got, r->want, severity_margin(r));
    return severity_margin(r) > 10 ? SEVERITY_LARGE : SEVERITY_MARGINAL;
}
