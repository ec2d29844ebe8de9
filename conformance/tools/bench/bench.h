/* Times a model on a subject: start, first inference, latency, device time of each step, memory. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_H

#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

enum status bench_run(struct bench_result *r, const struct bench_request *q, struct diag *diag);
void bench_close(struct bench_result *r);

#endif
