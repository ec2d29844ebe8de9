/* Times a model on a subject: start, first inference, latency, device time of each step, memory. */
#ifndef ASSAY_CONFORMANCE_BENCH_BENCH_H
#define ASSAY_CONFORMANCE_BENCH_BENCH_H

#include "conformance/bench/bench_request.h"
#include "conformance/bench/bench_result.h"
#include "reference/base/diag.h"

#include <stddef.h>

enum status bench_run(struct bench_result *r, const struct bench_request *q, struct diag *diag);
void bench_close(struct bench_result *r);

/* The quantile of count ascending values, linearly interpolated; share within [0, 1]. */
double bench_quantile(const double *sorted, size_t count, double share);

#endif
