#include "conformance/tools/bench/endurance.h"

#include "conformance/suite/io/random_ids.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/session.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/process.h"
#include "conformance/util/progress.h"
#include "conformance/util/watched.h"
#include "reference/format/builder.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who lasts: our interpreter with a delegate, or the engine of a subject that has another. */
struct lasting {
    struct session s; /* s.in: with an engine only the shapes */
    bool has_engine;
    struct engine *engine;  /* NULL between two starts */
    struct case_instance x; /* its inputs */
};

/* Memory at the end of a line, as far as the agent knows it. */
static void sample_agent(struct endurance_sample *sample, struct engine *e)
{
    char text[4096];
    json_t *const o = engine_stats(e, text, sizeof text) ? json_loads(text, 0, NULL) : NULL;
    const struct {
        const char *name;
        uint64_t *bytes;
    } rows[] = { { "resident_bytes", &sample->rss_bytes },
                 { "held_bytes", &sample->held_bytes },
                 { "held_blocks", &sample->held_blocks },
                 { "used_bytes", &sample->used_bytes } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_int_t n = json_integer_value(json_object_get(o, rows[i].name));

        *rows[i].bytes = n > 0 ? (uint64_t)n : 0;
    }
    json_decref(o);
}

static void take_sample(struct endurance_series *series, uint64_t done, const struct lasting *l)
{
    const struct session *const s = &l->s;
    struct endurance_sample *const sample = &series->samples[series->sample_count++];
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    *sample = (struct endurance_sample){ .done = done, .rss_bytes = process_resident_bytes() };
    if (l->engine && l->engine->type->stats)
        sample_agent(sample, l->engine);
    if (!s->delegate || !s->subject.extras.get_stats ||
        s->subject.extras.get_stats(s->delegate, &stats) != 0)
        return;
    sample->held_bytes = stats.held_bytes;
    sample->held_blocks = stats.held_blocks;
    sample->used_bytes = stats.used_bytes;
}

/* [1, 8, 8, 3] through a convolution, a mean over the image and a logistic function. */
static enum status make_small(struct model *m, struct diag *diag)
{
    enum { IN = 3, OUT = 5, TAPS = 9 };
    float weights[OUT * TAPS * IN], bias[OUT];
    const int32_t axes[] = { 1, 2 };
    struct options conv, mean;
    struct builder b;
    int x, w, c, y, a, z, p;

    for (int i = 0; i < OUT * TAPS * IN; i++)
        weights[i] = (float)(i * 7 % 23 - 11) / 16;
    for (int i = 0; i < OUT; i++)
        bias[i] = (float)i / 8;
    options_init(&conv, OPTIONS_Conv2DOptions);
    options_set_int(&conv, "stride_w", 2);
    options_set_int(&conv, "stride_h", 2);
    options_init(&mean, OPTIONS_ReducerOptions);
    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "image", 4, (int32_t[]){ 1, 8, 8, IN });
    w = builder_constant(&b, TENSOR_FLOAT32, "weights", 4, (int32_t[]){ OUT, 3, 3, IN }, weights,
                         sizeof weights);
    c = builder_constant(&b, TENSOR_FLOAT32, "bias", 1, (int32_t[]){ OUT }, bias, sizeof bias);
    y = builder_tensor(&b, TENSOR_FLOAT32, "features", 4, (int32_t[]){ 1, 4, 4, OUT });
    a = builder_constant(&b, TENSOR_INT32, "axes", 1, (int32_t[]){ 2 }, axes, sizeof axes);
    z = builder_tensor(&b, TENSOR_FLOAT32, "means", 2, (int32_t[]){ 1, OUT });
    p = builder_tensor(&b, TENSOR_FLOAT32, "answers", 2, (int32_t[]){ 1, OUT });
    builder_op(&b, BUILTIN_CONV_2D, 1, &conv, 3, (int[]){ x, w, c }, 1, &y);
    builder_op(&b, BUILTIN_MEAN, 1, &mean, 2, (int[]){ y, a }, 1, &z);
    builder_op(&b, BUILTIN_LOGISTIC, 1, NULL, 1, &z, 1, &p);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &p);
    return builder_finish(&b, m, diag);
}

/* Samples are taken after each fortieth of the count. */
static bool is_sampled(uint64_t i, uint64_t count)
{
    return (i + 1) * ENDURANCE_SAMPLES / count != i * ENDURANCE_SAMPLES / count;
}

static const uint64_t hash_begin = 0xcbf29ce484222325u;

/* FNV-1a */
static void hash_bytes(uint64_t *h, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *h = (*h ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
}

static enum status infer_engine(struct engine *e, uint64_t *hash, struct diag *diag)
{
    struct outputs got = { .count = 0 };

    TRY(engine_invoke(e, diag));
    TRY(engine_read(e, &got, diag));
    for (size_t i = 0; i < got.count; i++)
        hash_bytes(hash, got.items[i].data, got.items[i].bytes);
    outputs_close(&got);
    return STATUS_OK;
}

static enum status infer(struct lasting *l, uint64_t *hash, struct diag *diag)
{
    size_t count;
    const int *const outputs = interpreter_outputs(l->s.in, &count);

    *hash = hash_begin;
    if (l->engine)
        return infer_engine(l->engine, hash, diag);
    TRY(interpreter_invoke(l->s.in, diag));
    for (size_t i = 0; i < count; i++)
        TRY(interpreter_make_readable(l->s.in, outputs[i], diag));
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(l->s.in, outputs[i]);

        hash_bytes(hash, t->data.raw, t->bytes);
    }
    return STATUS_OK;
}

static enum status start_interpreter(struct session *s, const struct endurance_request *q,
                                     struct diag *diag)
{
    size_t count;
    const int *inputs;

    TRY(diag_prefix(diag, session_start(s, diag), "%s", q->model ? q->model : "the small model"));
    inputs = interpreter_inputs(s->in, &count);
    for (size_t i = 0; i < count; i++)
        TRY(random_fill(s->in, inputs[i], q->seed, i, diag));
    return STATUS_OK;
}

/* Keeps the inputs that an interpreter gets which has the shapes alone. */
static enum status make_inputs(struct lasting *l, const struct endurance_request *q,
                               struct diag *diag)
{
    const int *inputs;
    size_t count;

    l->s.shapes_only = true;
    TRY(start_interpreter(&l->s, q, diag));
    inputs = interpreter_inputs(l->s.in, &count);
    if (count > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu inputs, expected at most %d", count,
                         CASE_INPUTS_MAX);
    l->x.input_count = count;
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(l->s.in, inputs[i]);

        l->x.inputs[i].type = t->type;
        l->x.inputs[i].bytes = t->bytes;
        l->x.inputs[i].data[0] = t->data.raw; /* lives as long as the session */
    }
    return STATUS_OK;
}

static enum status start(struct lasting *l, const struct endurance_request *q, struct diag *diag)
{
    struct session *const s = &l->s;

    TRY(subject_create(&s->subject, NULL, 0, &s->delegate, diag));
    if (!l->has_engine)
        return start_interpreter(s, q, diag);
    TRY(engine_open(&(struct engine_request){ .subject = &s->subject,
                                              .delegate = s->delegate,
                                              .model = &s->model },
                    &l->engine, diag));
    if (!engine_is_taken(l->engine, 0))
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s does not take the model: %s",
                         s->subject.label, engine_refusal(l->engine));
    return engine_write(l->engine, &l->x, 0, diag);
}

static void stop(struct lasting *l)
{
    struct session *const s = &l->s;

    engine_close(l->engine);
    l->engine = NULL;
    if (!l->has_engine) { /* else its inputs are those of the engine */
        interpreter_close(s->in);
        s->in = NULL;
    }
    subject_destroy(&s->subject, s->delegate);
    s->delegate = NULL;
}

static enum status many_starts(struct endurance_series *series, struct lasting *l,
                               const struct endurance_request *q, struct progress *p,
                               struct diag *diag)
{
    const double begin = clock_s();
    uint64_t first = 0;

    *series = (struct endurance_series){ .same_bits = true };
    watched_stage("start");
    for (uint64_t i = 0; i < q->starts && !interrupt_signal(); i++) {
        uint64_t hash;

        watched_step();
        TRY(start(l, q, diag));
        TRY(infer(l, &hash, diag));
        first = i == 0 ? hash : first;
        series->same_bits &= hash == first;
        if (is_sampled(i, q->starts))
            take_sample(series, i + 1, l);
        stop(l);
        l->s.quiet = true; /* the first start has printed the warnings */
        series->count++;
        progress_update(p, (double)i + 1, "%llu of %llu", (unsigned long long)i + 1,
                        (unsigned long long)q->starts);
    }
    series->seconds = clock_s() - begin;
    return STATUS_OK;
}

static enum status many_runs(struct endurance_series *series, struct lasting *l,
                             const struct endurance_request *q, struct progress *p,
                             struct diag *diag)
{
    uint64_t first = 0;
    double begin;

    *series = (struct endurance_series){ .same_bits = true };
    TRY(start(l, q, diag));
    begin = clock_s();
    watched_stage("inference");
    for (uint64_t i = 0; i < q->runs && !interrupt_signal(); i++) {
        uint64_t hash;

        watched_step();
        TRY(infer(l, &hash, diag));
        first = i == 0 ? hash : first;
        series->same_bits &= hash == first;
        series->count++;
        if (is_sampled(i, q->runs))
            take_sample(series, i + 1, l);
        progress_update(p, (double)i + 1, "%llu of %llu", (unsigned long long)i + 1,
                        (unsigned long long)q->runs);
    }
    series->seconds = clock_s() - begin;
    return STATUS_OK;
}

/* glibc gives each new thread one of its arenas, which keep what was freed in them.  Delegate and
 * driver have threads that live for a start alone, so which arenas grow is chance: some MiB more or
 * less, although nothing is left.  With one arena only what is really kept lets the process grow.
 */
static void use_one_arena(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

static enum status name_subject(struct subject *s, const struct endurance_request *q,
                                struct diag *diag)
{
    return q->subject ? subject_parse(s, q->subject, diag)
                      : subject_init(s, q->delegate, &q->delegate_options, diag);
}

static enum status prepare(struct lasting *l, struct endurance_result *r,
                           const struct endurance_request *q, struct diag *diag)
{
    struct session *const s = &l->s;
    char runtime[256];

    TRY(q->model ? session_open(s, q->model, diag) : make_small(&s->model, diag));
    TRY(name_subject(&s->subject, q, diag));
    TRY(subject_load(&s->subject, diag));
    l->has_engine = engine_type_of(&s->subject) != &engine_interpreter;
    if (l->has_engine)
        TRY(make_inputs(l, q, diag));
    TRY(subject_create(&s->subject, NULL, 0, &s->delegate, diag));
    session_device(s, r->device, sizeof r->device);
    if (!r->device[0] && s->subject.kind->describe)
        s->subject.kind->describe(&s->subject, r->device, sizeof r->device, runtime,
                                  sizeof runtime);
    stop(l);
    r->subject = strdup(s->subject.label);
    return r->subject ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

/* An agent that ended is the result; a line that was lost is none. */
static enum status note_end(struct endurance_result *r, const struct lasting *l, enum status status)
{
    enum engine_end how;

    if (!l->has_engine || !r->subject)
        return status;
    how = engine_ended(&l->s.subject, r->reason, sizeof r->reason);
    if (how == ENGINE_RUNS || how == ENGINE_LOST) {
        r->reason[0] = '\0';
        return status;
    }
    r->status = how == ENGINE_CRASHED ? CASE_CRASH : how == ENGINE_LATE ? CASE_TIMEOUT : CASE_FAIL;
    return STATUS_OK;
}

enum status endurance_run(struct endurance_result *r, const struct endurance_request *q,
                          struct diag *diag)
{
    struct lasting l = { .engine = NULL };
    struct progress p;
    enum status status;

    *r = (struct endurance_result){ 0 };
    use_one_arena();
    status = prepare(&l, r, q, diag);
    if (status != STATUS_OK)
        goto done;
    progress_begin(&p, "starts", (double)q->starts, q->quiet);
    status = many_starts(&r->starts, &l, q, &p, diag);
    progress_end(&p);
    progress_begin(&p, "inferences", (double)q->runs, q->quiet);
    if (status == STATUS_OK && !interrupt_signal())
        status = many_runs(&r->runs, &l, q, &p, diag);
    progress_end(&p);
    status = note_end(r, &l, status);
done:
    engine_close(l.engine);
    session_close(&l.s);
    if (status != STATUS_OK)
        endurance_close(r);
    return status;
}

enum status endurance_end(struct endurance_result *r, const struct endurance_request *q,
                          enum case_status status, const char *reason, struct diag *diag)
{
    struct subject s;

    *r = (struct endurance_result){ .status = status };
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    TRY(name_subject(&s, q, diag));
    r->subject = strdup(s.label);
    subject_close(&s);
    return r->subject ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

void endurance_close(struct endurance_result *r)
{
    free(r->subject);
    *r = (struct endurance_result){ 0 };
}

static uint64_t most_resident(const struct endurance_series *s, size_t from, size_t to)
{
    uint64_t most = 0;

    for (size_t i = from; i < to; i++)
        most = s->samples[i].rss_bytes > most ? s->samples[i].rss_bytes : most;
    return most;
}

struct endurance_verdict endurance_judge(const struct endurance_series *s)
{
    const size_t n = s->sample_count, first = n / 5;
    const struct endurance_sample *const ref = &s->samples[first];
    const struct endurance_sample *const last = &s->samples[n > 0 ? n - 1 : 0];
    struct endurance_verdict v = { .rss_flat = true, .device_flat = true };

    if (n == 0)
        return v;
    v.rss_first = most_resident(s, first, first == 0 ? n : 2 * first);
    v.rss_last = most_resident(s, n - n / 5 - (n < 5), n);
    v.rss_allowed = v.rss_first + (512u << 10) + v.rss_first / 100;
    v.rss_flat = v.rss_last <= v.rss_allowed;
    v.held_bytes = last->held_bytes;
    v.held_blocks = last->held_blocks;
    v.used_first = ref->used_bytes;
    v.used_last = last->used_bytes;
    for (size_t i = first; i < n; i++)
        v.device_flat &= s->samples[i].held_bytes == ref->held_bytes &&
                         s->samples[i].held_blocks == ref->held_blocks &&
                         s->samples[i].used_bytes <= ref->used_bytes;
    return v;
}
