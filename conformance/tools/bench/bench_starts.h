/* Starts of a model in processes of their own, with caches of the driver that are empty, warm, or
 * emptied but for files of the delegate. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_STARTS_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_STARTS_H

#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

/* Starts in processes of their own; the caller has loaded nothing so far. */
enum status bench_starts(struct bench_result *r, const struct bench_request *q, struct diag *diag);

#endif
