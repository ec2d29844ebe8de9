/* A subject that runs inferences when it is told to, so that a program that knows other runtimes,
 * too, can run them all in turns (ci/peers/).
 *
 * Once it is warm it writes a line of JSON: who it is, on which device, how long its start took.
 * After each line "N" of the input it runs N inferences and writes their latencies in ms as a line,
 * separated by blanks.  It ends with the input.  An inference is timed as an application has it:
 * from inputs in memory of the caller until the outputs can be read. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SERVE_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SERVE_H

#include "conformance/tools/bench/bench_request.h"
#include "reference/base/diag.h"

#include <stdio.h>

enum status bench_serve(const struct bench_request *q, FILE *in, FILE *out, struct diag *diag);

#endif
