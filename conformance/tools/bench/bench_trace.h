/* A start of a model and some inferences, as `assay bench --trace` writes them. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_TRACE_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_TRACE_H

#include "conformance/tools/bench/bench_request.h"
#include "reference/base/diag.h"

/* One more pass: loads and starts the model with the request's subject, runs it, and writes the
 * trace.  A delegate that exports assay_gpu_get_step and assay_gpu_get_inference is asked for its
 * steps (option profile=1). */
enum status bench_trace(const struct bench_request *q, const char *path, struct diag *diag);

#endif
