/* Opens a session step by step, each timed. */
#include "conformance/tools/bench/bench_session.h"

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/progress.h"
#include "conformance/util/watched.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- opening ---- */

bool bench_stats(const struct session *s, struct assay_gpu_stats *stats)
{
    *stats = (struct assay_gpu_stats){ .struct_size = sizeof *stats };
    return s->delegate && s->subject.extras.get_stats &&
           s->subject.extras.get_stats(s->delegate, stats) == 0;
}

enum status bench_name_subject(struct subject *s, const struct bench_request *q, struct diag *diag)
{
    return q->subject ? subject_parse(s, q->subject, diag)
                      : subject_init(s, q->delegate, &q->delegate_options, diag);
}

static enum status name_other(struct subject *s, const struct bench_request *q, struct diag *diag)
{
    return strcmp(q->versus, "none") == 0 ? subject_init(s, "none", NULL, diag)
                                          : subject_parse(s, q->versus, diag);
}

static enum status resize(struct interpreter *in, const void *user, struct diag *diag)
{
    return bench_inputs_resize(user, in, diag);
}

void bench_prepare_session(struct session *s, const struct bench_request *q)
{
    s->quiet = q->quiet;
    s->stand_in = q->stand_in;
    s->num_threads = (int)q->num_threads;
    s->resize = q->inputs.count > 0 ? resize : NULL;
    s->resize_user = &q->inputs;
}

/* Copies the inputs that s.in holds, and opens the engine. */
static enum status open_engine(struct bench_session *t, struct diag *diag)
{
    const struct engine_request request = { .subject = &t->s.subject,
                                            .delegate = t->s.delegate,
                                            .model = &t->s.model };
    struct case_instance *const x = &t->instance;
    const double before = clock_ms();
    size_t count;
    const int *const inputs = interpreter_inputs(t->s.in, &count);

    if (count > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu inputs, expected at most %d", count,
                         CASE_INPUTS_MAX);
    TRY(engine_open(&request, &t->engine, diag));
    t->prepare_ms = clock_ms() - before;
    if (!engine_is_taken(t->engine, 0))
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s does not take the model: %s",
                         t->s.subject.label, engine_refusal(t->engine));
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const tensor = interpreter_tensor(t->s.in, inputs[i]);

        x->inputs[i].type = tensor->type;
        x->inputs[i].bytes = tensor->bytes;
        x->inputs[i].data[0] = mem_alloc(tensor->bytes, 1);
        if (!x->inputs[i].data[0])
            return diag_fail(diag, STATUS_NO_MEMORY, "input %zu: out of memory", i);
        memcpy(x->inputs[i].data[0], tensor->data.raw, tensor->bytes);
        x->input_count = i + 1;
    }
    return engine_write(t->engine, x, 0, diag);
}

static enum status check_engine_request(const struct bench_session *t,
                                        const struct bench_request *q, struct diag *diag)
{
    for (size_t i = 0; i < q->inputs.count; i++) {
        if (q->inputs.items[i].has_shape)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "--input_layer_shape: %s takes the shapes of the file",
                             t->s.subject.label);
    }
    return STATUS_OK;
}

/* For an engine the interpreter only says which inputs there are, and needs no kernels. */
static enum status start_interpreter(struct bench_session *t, bool with_engine, struct diag *diag)
{
    TfLiteDelegate *const delegate = t->s.delegate;
    enum status s;

    if (with_engine) {
        t->s.delegate = NULL;
        t->s.shapes_only = true;
    }
    s = session_start(&t->s, diag);
    t->s.delegate = delegate;
    return s;
}

enum status bench_start_session(struct bench_session *t, const struct bench_request *q, bool versus,
                                const struct subject_option *extra, size_t extra_count,
                                struct diag *diag)
{
    bool other;
    double before;

    TRY(session_open(&t->s, q->model, diag));
    bench_prepare_session(&t->s, q);
    TRY(bench_pages_read(&t->pages, diag));
    TRY(versus ? name_other(&t->s.subject, q, diag) : bench_name_subject(&t->s.subject, q, diag));
    watched_stage("loading the library");
    TRY(subject_load(&t->s.subject, diag));
    other = engine_type_of(&t->s.subject) != &engine_interpreter;
    if (other)
        TRY(check_engine_request(t, q, diag));
    watched_stage("making the delegate");
    before = clock_ms();
    TRY(subject_create(&t->s.subject, extra, extra_count, &t->s.delegate, diag));
    t->create_ms = clock_ms() - before;
    watched_stage("preparing the graph");
    before = clock_ms();
    TRY(diag_prefix(diag, start_interpreter(t, other, diag), "%s", q->model));
    t->prepare_ms = clock_ms() - before;
    TRY(bench_inputs_fill(&q->inputs, t->s.in, q->seed, diag));
    if (other)
        TRY(open_engine(t, diag));
    watched_stage("inference");
    return STATUS_OK;
}

void bench_session_close(struct bench_session *t)
{
    watched_stage("closing");
    engine_close(t->engine);
    for (size_t i = 0; i < t->instance.input_count; i++)
        mem_free(t->instance.inputs[i].data[0]);
    session_close(&t->s);
    bench_pages_close(&t->pages);
    *t = (struct bench_session){ .create_ms = 0 };
}

size_t bench_session_taken(struct bench_session *t)
{
    const size_t nodes = interpreter_node_count(t->s.in);
    size_t taken = 0;

    if (!t->engine)
        return session_taken(&t->s);
    for (size_t i = 0; i < nodes; i++)
        taken += engine_is_taken(t->engine, (int)i);
    return taken;
}

void bench_session_device(const struct bench_session *t, char *text, size_t bytes)
{
    const struct subject *const s = &t->s.subject;
    char runtime[256];

    session_device(&t->s, text, bytes);
    if (!text[0] && s->kind->describe)
        s->kind->describe(s, text, bytes, runtime, sizeof runtime);
}

void bench_session_runtime(const struct bench_session *t, char *text, size_t bytes)
{
    const struct subject *const s = &t->s.subject;
    char device[256];

    text[0] = '\0';
    if (s->kind->describe)
        s->kind->describe(s, device, sizeof device, text, bytes);
}

/* ---- inferences ---- */

enum status bench_infer(struct bench_session *t, double *ms, struct diag *diag)
{
    const double before = clock_ms();
    size_t count;
    const int *outputs;

    watched_step();
    if (t->engine)
        return engine_invoke_timed(t->engine, ms, diag);
    outputs = interpreter_outputs(t->s.in, &count);
    TRY(interpreter_invoke(t->s.in, diag));
    for (size_t i = 0; i < count; i++)
        TRY(interpreter_make_readable(t->s.in, outputs[i], diag));
    *ms = clock_ms() - before;
    return STATUS_OK;
}

static void pause_for(double seconds)
{
    struct timespec t = { (time_t)seconds, (long)((seconds - floor(seconds)) * 1e9) };

    while (seconds > 0 && nanosleep(&t, &t) != 0 && errno == EINTR && !interrupt_signal())
        ;
}

/* begin: of the first inference, count: how many there were. */
static void pause_between(const struct bench_request *q, double begin_s, size_t count)
{
    if (q->run_frequency > 0)
        pause_for(begin_s + (double)count / q->run_frequency - clock_s());
    else if (q->run_delay > 0)
        pause_for(q->run_delay);
}

/* Seconds until the span ends, at the pace so far. */
static double time_left(const struct bench_span *span, size_t count, double secs)
{
    const double for_runs =
        count < span->runs ? secs / (double)count * (double)(span->runs - count) : 0;
    const double left = fmax(for_runs, span->min_secs - secs);

    return fmax(0, fmin(left, span->max_secs - secs));
}

static enum status repeat(struct bench_session *t, const struct bench_request *q,
                          const struct bench_span *span, struct bench_list *list,
                          struct progress *p, struct diag *diag)
{
    const double begin = clock_s();

    for (size_t count = 0;; count++) {
        const double secs = clock_s() - begin;
        double ms;

        if ((count >= span->runs && secs >= span->min_secs) || secs > span->max_secs ||
            interrupt_signal())
            return STATUS_OK;
        if (count > 0) {
            progress_expect(p, time_left(span, count, secs));
            progress_update(p, (double)count, "%zu inferences", count);
            pause_between(q, begin, count);
        }
        TRY(bench_infer(t, &ms, diag));
        TRY(bench_list_add(list, ms, diag));
    }
}

enum status bench_repeat(struct bench_session *t, const struct bench_request *q,
                         const struct bench_span *span, struct bench_list *list, struct diag *diag)
{
    struct progress p;
    enum status s;

    progress_begin(&p, span->what, 0, q->quiet || !span->what);
    s = repeat(t, q, span, list, &p, diag);
    progress_end(&p);
    return s;
}

struct bench_span bench_warmup(const struct bench_request *q)
{
    return (struct bench_span){ "warm-up", q->warmup_runs, q->warmup_min_secs, q->max_secs };
}
