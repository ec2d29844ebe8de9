#include "conformance/tools/bench/bench.h"

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/session.h"
#include "conformance/tools/bench/bench_session.h"
#include "conformance/tools/bench/timeline.h"
#include "conformance/util/clock.h"
#include "conformance/util/json_text.h"

#include <stdio.h>
#include <string.h>

enum { TRACED_RUNS = 9 }; /* the first compiles on some devices, hence it is not alone */

/* When the steps of a start ended that struct session_times does not have. */
struct start_times {
    double library, delegate, filled;
    double pipelines_ms; /* of the process, before the graph was delegated */
};

static bool tells_steps(const struct session *s)
{
    return s->subject.extras.step_count && s->subject.extras.get_step &&
           s->subject.extras.get_inference;
}

static enum status start(struct session *s, const struct bench_request *q, struct start_times *at,
                         struct diag *diag)
{
    static const struct subject_option option = { "profile", "1" };
    struct assay_gpu_stats stats;

    TRY(session_open(s, q->model, diag));
    bench_prepare_session(s, q);
    s->quiet = true; /* the first pass has shown the warnings */
    TRY(bench_name_subject(&s->subject, q, diag));
    if (engine_type_of(&s->subject) != &engine_interpreter)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s runs the model in a runtime of its own",
                         s->subject.label);
    TRY(subject_load(&s->subject, diag));
    at->library = clock_ms();
    TRY(subject_create(&s->subject, &option, tells_steps(s) ? 1 : 0, &s->delegate, diag));
    at->delegate = clock_ms();
    if (bench_stats(s, &stats))
        at->pipelines_ms = stats.pipelines_ms;
    TRY(diag_prefix(diag, session_start(s, diag), "%s", q->model));
    TRY(bench_inputs_fill(&q->inputs, s->in, q->seed, diag));
    at->filled = clock_ms();
    return STATUS_OK;
}

struct part {
    const char *name;
    double ms;
};

/* Parts of a phase of which the delegate tells the duration, not the moment: they follow one
 * another from the begin of the phase, in the order in which they run, and end within it. */
static void add_parts(struct timeline *t, double begin, double end, const struct part *parts,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double until = begin + parts[i].ms < end ? begin + parts[i].ms : end;

        if (parts[i].ms <= 0)
            continue;
        timeline_add(t, TIMELINE_HOST, 1, parts[i].name, begin, until,
                     json_pack("{s:s}", "placed", "by order; the duration is measured"));
        begin = until;
    }
}

static void add_start(struct timeline *t, const struct session *s, const struct start_times *at)
{
    const struct session_times *const n = &s->times;
    struct assay_gpu_stats stats;

    timeline_add(t, TIMELINE_HOST, 1, "load", n->begin, n->loaded,
                 json_pack("{s:I}", "bytes", (json_int_t)s->file.count));
    timeline_add(t, TIMELINE_HOST, 1, "verify", n->loaded, n->verified, NULL);
    timeline_add(t, TIMELINE_HOST, 1, "parse", n->verified, n->read, NULL);
    if (s->delegate) {
        timeline_add(t, TIMELINE_HOST, 1, "load delegate library", n->read, at->library,
                     json_pack("{s:o}", "path", json_text(s->subject.path)));
        timeline_add(t, TIMELINE_HOST, 1, "create delegate", at->library, at->delegate, NULL);
    }
    timeline_add(t, TIMELINE_HOST, 1, "prepare", n->started, n->prepared, NULL);
    if (s->delegate)
        timeline_add(t, TIMELINE_HOST, 1, "delegate graph", n->prepared, n->delegated,
                     json_pack("{s:I, s:i}", "nodes taken", (json_int_t)session_taken(s),
                               "partitions", interpreter_partition_count(s->in)));
    timeline_add(t, TIMELINE_HOST, 1, "allocate", n->delegated, n->allocated, NULL);
    timeline_add(t, TIMELINE_HOST, 1, "fill inputs", n->allocated, at->filled, NULL);
    if (!bench_stats(s, &stats))
        return;
    add_parts(t, at->library, at->delegate,
              (const struct part[]){ { "vkCreateInstance", stats.instance_ms },
                                     { "enumerate devices", stats.enumerate_ms },
                                     { "vkCreateDevice", stats.device_ms } },
              3);
    /* Measuring workgroup sizes makes pipelines, too: its time holds theirs. */
    add_parts(t, n->prepared, n->delegated,
              (const struct part[]){
                  { "plan", stats.plan_ms },
                  { "serialized files", stats.serialize_ms },
                  { "memory and upload", stats.upload_ms },
                  { "tune", stats.tune_ms },
                  { "pipelines", stats.tune_ms > 0 ? 0 : stats.pipelines_ms - at->pipelines_ms } },
              5);
}

/* The steps of a partition end where the host's wait does: the device's clock is not the host's. */
static void add_steps(struct timeline *t, const struct session *s, int partition, double waited)
{
    const int count = s->subject.extras.step_count(s->delegate);
    double us = 0;

    for (int pass = 0; pass < 2; pass++) {
        double at = waited - us / 1e3;

        for (int i = 0; i < count; i++) {
            struct assay_gpu_step step = { .struct_size = sizeof step };

            if (s->subject.extras.get_step(s->delegate, i, &step) != 0 || step.runs == 0 ||
                step.partition != partition)
                continue;
            if (pass == 0) {
                us += step.last_us;
                continue;
            }
            timeline_add(t, TIMELINE_DEVICE, partition + 1, step.label, at, at + step.last_us / 1e3,
                         json_pack("{s:o, s:o, s:i, s:[I,I,I], s:[I,I,I]}", "shader",
                                   json_text(step.shader), "source", json_text(step.source), "node",
                                   step.node, "workgroup", (json_int_t)step.workgroup[0],
                                   (json_int_t)step.workgroup[1], (json_int_t)step.workgroup[2],
                                   "groups", (json_int_t)step.groups[0], (json_int_t)step.groups[1],
                                   (json_int_t)step.groups[2]));
            at += step.last_us / 1e3;
        }
    }
}

static void add_partitions(struct timeline *t, const struct session *s)
{
    struct assay_gpu_inference n = { .struct_size = sizeof n };

    for (int p = 0; s->subject.extras.get_inference(s->delegate, p, &n) == 0; p++) {
        const double begin = (double)n.begin_ns / 1e6, in = (double)n.copied_in_ns / 1e6,
                     submitted = (double)n.submitted_ns / 1e6, waited = (double)n.waited_ns / 1e6,
                     end = (double)n.end_ns / 1e6;
        char name[40];

        if (n.runs == 0)
            continue;
        snprintf(name, sizeof name, "partition %d", p);
        timeline_add(t, TIMELINE_HOST, 1, name, begin, end, NULL);
        timeline_add(t, TIMELINE_HOST, 1, "copy in", begin, in, NULL);
        timeline_add(t, TIMELINE_HOST, 1, "submit", in, submitted, NULL);
        timeline_add(t, TIMELINE_HOST, 1, "wait", submitted, waited, NULL);
        timeline_add(t, TIMELINE_HOST, 1, "copy out", waited, end, NULL);
        add_steps(t, s, p, waited);
    }
}

static enum status infer(struct timeline *t, struct session *s, int run, struct diag *diag)
{
    const double begin = clock_ms();
    double invoked, end;
    char name[40];
    size_t count;
    const int *const outputs = interpreter_outputs(s->in, &count);

    TRY(interpreter_invoke(s->in, diag));
    invoked = clock_ms();
    for (size_t i = 0; i < count; i++)
        TRY(interpreter_make_readable(s->in, outputs[i], diag));
    end = clock_ms();
    snprintf(name, sizeof name, "inference %d%s", run, run == 0 ? ", the first" : "");
    timeline_add(t, TIMELINE_HOST, 1, name, begin, end, NULL);
    timeline_add(t, TIMELINE_HOST, 1, "invoke", begin, invoked, NULL);
    timeline_add(t, TIMELINE_HOST, 1, "outputs to the host", invoked, end, NULL);
    if (s->delegate && tells_steps(s))
        add_partitions(t, s);
    return STATUS_OK;
}

static enum status trace_session(struct timeline *t, struct session *s,
                                 const struct bench_request *q, struct diag *diag)
{
    struct start_times at = { .filled = 0 };
    struct assay_gpu_inference n = { .struct_size = sizeof n };
    char device[ASSAY_GPU_NAME_BYTES];

    TRY(start(s, q, &at, diag));
    timeline_open(t, s->times.begin);
    timeline_name_process(t, TIMELINE_HOST, "assay bench");
    timeline_name_track(t, TIMELINE_HOST, 1, "host");
    add_start(t, s, &at);
    for (int i = 0; i < TRACED_RUNS; i++)
        TRY(infer(t, s, i, diag));
    if (!s->delegate || !tells_steps(s))
        return STATUS_OK;
    session_device(s, device, sizeof device);
    timeline_name_process(t, TIMELINE_DEVICE, device);
    for (int p = 0; s->subject.extras.get_inference(s->delegate, p, &n) == 0; p++) {
        char name[48];

        snprintf(name, sizeof name, "steps of partition %d", p);
        timeline_name_track(t, TIMELINE_DEVICE, p + 1, name);
    }
    return STATUS_OK;
}

enum status bench_trace(const struct bench_request *q, const char *path, struct diag *diag)
{
    struct timeline t = { .events = NULL };
    struct session session = { .quiet = false };
    enum status s = trace_session(&t, &session, q, diag);

    if (s == STATUS_OK) {
        json_t *const facts = session_json(&session);

        json_object_set_new(facts, "model", json_text(q->model));
        json_object_set_new(facts, "subject", json_text(session.subject.label));
        json_object_set_new(facts, "assay", json_string(ASSAY_VERSION));
        s = timeline_write(&t, path, facts, diag);
    }
    timeline_close(&t);
    session_close(&session);
    return s;
}
