/* Two subjects in turns, so that what changes on the machine meanwhile changes both.
 *
 * Each subject lives in a child process of its own, which runs a block of inferences when it is
 * told to; at any time one of them runs.  Blocks come in the orders ABBA and BAAB: a drift that is
 * linear over four blocks cancels.  Each four give one ratio, of the geometric means of the medians
 * of their blocks.  What a process has of its start, for all of its blocks, shows between pairs of
 * processes, which start in either order. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_VERSUS_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_VERSUS_H

#include "conformance/tools/bench/bench_check.h"
#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "reference/base/diag.h"

/* What both gave last, and who they are. */
struct bench_duel_outputs {
    struct bench_author by[2];
    struct outputs got[2]; /* outputs_close; empty with request->no_check */
};

/* The caller has loaded nothing so far, as the children are forks. */
enum status bench_versus(struct bench_versus *v, const struct bench_request *q,
                         struct bench_duel_outputs *last, struct diag *diag);
void bench_versus_close(struct bench_versus *v);

#endif
