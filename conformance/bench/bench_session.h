/* A session whose start and inferences are timed. */
#ifndef ASSAY_CONFORMANCE_BENCH_BENCH_SESSION_H
#define ASSAY_CONFORMANCE_BENCH_BENCH_SESSION_H

#include "conformance/bench/bench_request.h"
#include "conformance/subject/session.h"

struct bench_session {
    struct session s;
    double create_ms, prepare_ms;
};

/* Opens a session with the request's options and extra ones.  session_close also after a failure.
 */
enum status bench_start_session(struct bench_session *t, const struct bench_request *q,
                                const struct subject_option *extra, size_t extra_count,
                                struct diag *diag);
enum status bench_infer(struct session *s, double *ms, struct diag *diag);

#endif
