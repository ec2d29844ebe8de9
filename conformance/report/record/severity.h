/* How bad a failure is, by what it does to an application. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_SEVERITY_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_SEVERITY_H

#include "conformance/report/record/record.h"

#include <stdbool.h>

/* The worst first. */
enum severity {
    SEVERITY_CRASH,  /* it ends the process, or hangs */
    SEVERITY_BROKEN, /* refused after it was taken, not written, state kept, written past an end */
    SEVERITY_GROSS,  /* off by a tenth of the expected value or more, or not finite */
    SEVERITY_LARGE,  /* off by more than ten times the limit */
    SEVERITY_MARGINAL, /* just over the limit; a pass that a baseline or waiver did not expect */
    SEVERITY_COUNT
};

/* "crash", "broken", "gross", "large", "marginal" */
const char *severity_name(enum severity s);
/* Of a result that fails the run. */
enum severity severity_of(const struct record_result *r);
/* Whether its values were judged and are wrong: of a crash, a refusal or an output that nobody
 * wrote they say nothing. */
bool severity_is_of_values(const struct record_result *r);
/* Whether two runs of the subject gave other bits, be they near the reference's or not. */
bool severity_is_of_bits(const struct record_result *r);
/* Its error over the limit where that is largest; infinity where the limit is 0 or there is none.
 */
double severity_margin(const struct record_result *r);

#endif
