/* Times a model on a subject: start, first inference, latency, device time of each step, memory. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_H

#include "conformance/tools/bench/bench_check.h"
#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

#include <stdio.h>

/* STATUS_OK with r->status CASE_CRASH, and what was not measured empty, where a start crashed. */
enum status bench_run(struct bench_result *r, const struct bench_request *q, struct diag *diag);
/* Names the subject of a result that has nothing else, as its process ended. */
enum status bench_name_result(struct bench_result *r, const struct bench_request *q,
                              struct diag *diag);
void bench_close(struct bench_result *r);

/* ---- bench_starts.c ---- */

/* Starts of a model in processes of their own, with caches of the driver that are empty, warm, or
 * emptied but for files of the delegate. */

/* Starts in processes of their own; the caller has loaded nothing so far. */
enum status bench_starts(struct bench_result *r, const struct bench_request *q, struct diag *diag);

/* ---- bench_threads.c ---- */

/* How many inferences a second several interpreters make at the same time. */

enum { BENCH_THREADS_MAX = 256 };

/* q->threads interpreters, each with a delegate of the same library; all are warm before the clock
 * starts, and all run until the last has its inferences.  The outputs of each are checked then. */
enum status bench_threads(struct bench_throughput *t, const struct bench_request *q,
                          struct bench_check *check, struct diag *diag);
void bench_throughput_close(struct bench_throughput *t);

/* ---- bench_trace.c ---- */

/* A start of a model and some inferences, as `assay bench --trace` writes them. */

/* One more pass: loads and starts the model with the request's subject, runs it, and writes the
 * trace.  A delegate that exports assay_gpu_get_step and assay_gpu_get_inference is asked for its
 * steps (option profile=1). */
enum status bench_trace(const struct bench_request *q, const char *path, struct diag *diag);

/* ---- bench_serve.c ---- */

/* A subject that runs inferences when it is told to, so that a program that knows other runtimes,
 * too, can run them all in turns (ci/peers/).
 *
 * Once it is warm it writes a line of JSON: who it is, on which device, how long its start took.
 * After each line "N" of the input it runs N inferences and writes their latencies in ms as a line,
 * separated by blanks.  It ends with the input.  An inference is timed as an application has it:
 * from inputs in memory of the caller until the outputs can be read. */

enum status bench_serve(const struct bench_request *q, FILE *in, FILE *out, struct diag *diag);

#endif
