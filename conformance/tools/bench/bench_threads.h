/* How many inferences a second several interpreters make at the same time. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_THREADS_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_THREADS_H

#include "conformance/tools/bench/bench_check.h"
#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

enum { BENCH_THREADS_MAX = 256 };

/* q->threads interpreters, each with a delegate of the same library; all are warm before the clock
 * starts, and all run until the last has its inferences.  The outputs of each are checked then. */
enum status bench_threads(struct bench_throughput *t, const struct bench_request *q,
                          struct bench_check *check, struct diag *diag);
void bench_throughput_close(struct bench_throughput *t);

#endif
