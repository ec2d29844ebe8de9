/* Opens a session step by step, each timed. */
#include "conformance/bench/bench_session.h"

#include "conformance/io/tensor_value.h"
#include "conformance/subject/subject_spec.h"
#include "conformance/util/clock.h"

enum status bench_start_session(struct bench_session *t, const struct bench_request *q,
                                const struct subject_option *extra, size_t extra_count,
                                struct diag *diag)
{
    double before;
    size_t count;
    const int *inputs;

    TRY(session_open(&t->s, q->model, diag));
    t->s.quiet = q->quiet;
    TRY(subject_init(&t->s.subject, q->delegate, &q->delegate_options, diag));
    TRY(subject_load(&t->s.subject, diag));
    before = clock_ms();
    TRY(subject_create(&t->s.subject, extra, extra_count, &t->s.delegate, diag));
    t->create_ms = clock_ms() - before;
    before = clock_ms();
    TRY(diag_prefix(diag, session_start(&t->s, diag), "%s", q->model));
    t->prepare_ms = clock_ms() - before;
    inputs = interpreter_inputs(t->s.in, &count);
    for (size_t i = 0; i < count; i++)
        TRY(tensor_fill(interpreter_tensor(t->s.in, inputs[i]), q->seed, i, diag));
    return STATUS_OK;
}

enum status bench_infer(struct session *s, double *ms, struct diag *diag)
{
    const double before = clock_ms();
    size_t count;
    const int *const outputs = interpreter_outputs(s->in, &count);

    TRY(interpreter_invoke(s->in, diag));
    for (size_t i = 0; i < count; i++)
        TRY(interpreter_make_readable(s->in, outputs[i], diag));
    *ms = clock_ms() - before;
    return STATUS_OK;
}
