/* Times a model on a subject: start, first inference, latency, device time of each step, memory. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_H

#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

/* STATUS_OK with r->status CASE_CRASH, and what was not measured empty, where a start crashed. */
enum status bench_run(struct bench_result *r, const struct bench_request *q, struct diag *diag);
/* Names the subject of a result that has nothing else, as its process ended. */
enum status bench_name_result(struct bench_result *r, const struct bench_request *q,
                              struct diag *diag);
void bench_close(struct bench_result *r);

#endif
