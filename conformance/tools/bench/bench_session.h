/* A session whose start and inferences are timed: in our interpreter, or in the engine of another
 * runtime. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SESSION_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_SESSION_H

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/session.h"
#include "conformance/tools/bench/bench_memory.h"
#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_series.h"

struct bench_session {
    struct session s;              /* s.in: with an engine, the shapes alone */
    struct engine *engine;         /* of a runtime that is not ours; NULL: s.in runs the model */
    struct case_instance instance; /* the engine's inputs */
    double create_ms, prepare_ms;
    struct bench_pages pages; /* before the subject's libraries were loaded */
};

/* Opens a session with the request's options and extra ones; versus: of its other subject.
 * bench_session_close also after a failure. */
enum status bench_start_session(struct bench_session *t, const struct bench_request *q, bool versus,
                                const struct subject_option *extra, size_t extra_count,
                                struct diag *diag);
/* Parts of it: who runs the model, and what the session is told. */
enum status bench_name_subject(struct subject *s, const struct bench_request *q, struct diag *diag);
void bench_prepare_session(struct session *s, const struct bench_request *q);
void bench_session_close(struct bench_session *t);
/* Nodes that the subject runs; of a runtime that says nothing of nodes all or none. */
size_t bench_session_taken(struct bench_session *t);
void bench_session_device(const struct bench_session *t, char *text, size_t bytes);
/* Name and version of a runtime that is not ours; else "". */
void bench_session_runtime(const struct bench_session *t, char *text, size_t bytes);

enum status bench_infer(struct bench_session *t, double *ms, struct diag *diag);

/* When to stop repeating: after so many inferences and seconds, or after max_secs. */
struct bench_span {
    const char *what; /* for progress; NULL: none is shown */
    uint64_t runs;
    double min_secs, max_secs;
};
/* Repeats inferences, with the pauses of the request; adds their latencies to list. */
enum status bench_repeat(struct bench_session *t, const struct bench_request *q,
                         const struct bench_span *span, struct bench_list *list, struct diag *diag);
struct bench_span bench_warmup(const struct bench_request *q);

/* What our delegate counts; false for one that does not say it. */
bool bench_stats(const struct session *s, struct assay_gpu_stats *stats);

#endif
