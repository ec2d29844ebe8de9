#include "conformance/tools/bench/bench.h"

#include "conformance/suite/io/model_file.h"
#include "conformance/suite/io/random_ids.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/bench/bench_session.h"
#include "conformance/tools/bench/bench_versus.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/message.h"
#include "conformance/util/output.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILED_RUNS = 20 };

static void read_memory(struct bench_result *r, const struct bench_session *t)
{
    struct assay_gpu_stats stats;
    const bool told = bench_stats(&t->s, &stats);
    const bool counted = told && stats.host_peak_bytes > 0;

    bench_memory_read(&r->host, &t->pages, t->s.subject.plugin,
                      counted ? (long long)stats.host_bytes : -1,
                      counted ? (long long)stats.host_peak_bytes : -1);
    if (!told)
        return;
    r->has_memory = true;
    r->constant_bytes = stats.constant_bytes;
    r->activation_bytes = stats.activation_bytes;
    r->activation_bound = stats.activation_bound;
    r->staging_bytes = stats.staging_bytes;
    r->dispatches = stats.dispatches;
    r->barriers = stats.barriers;
    r->tuned_steps = stats.tuned_steps;
    r->tune_ms = stats.tune_ms;
}

/* before: the statistics before the timed inferences. */
static void read_split(struct bench_result *r, const struct session *s,
                       const struct assay_gpu_stats *before)
{
    struct assay_gpu_stats stats;

    if (!bench_stats(s, &stats) || stats.invokes <= before->invokes)
        return;
    r->has_split = true;
    r->copied_in_bytes = stats.copied_in_bytes;
    r->copied_out_bytes = stats.copied_out_bytes;
    r->host_copies = (double)(stats.host_copies - before->host_copies) / (double)r->latency_ms.n;
    r->device_copies =
        (double)(stats.device_copies - before->device_copies) / (double)r->latency_ms.n;
    r->cpu_ms =
        r->latency_ms.mean - (stats.invoke_ms - before->invoke_ms) / (double)r->latency_ms.n;
}

/* The outputs' bytes, one after the other, as benchmark_model writes them. */
static enum status save_outputs(const struct session *s, const char *path, struct diag *diag)
{
    size_t count, bytes = 0, used = 0;
    const int *const outputs = interpreter_outputs(s->in, &count);
    char *all;
    enum status status;

    for (size_t i = 0; i < count; i++)
        bytes += interpreter_tensor(s->in, outputs[i])->bytes;
    if (!(all = mem_alloc(bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(s->in, outputs[i]);

        if (t->bytes > 0)
            memcpy(all + used, t->data.raw, t->bytes);
        used += t->bytes;
    }
    status = output_write_file(path, all, bytes, diag);
    mem_free(all);
    return status;
}

static void list_shapes(struct interpreter *in, char *text, size_t bytes)
{
    size_t count, used = 0;
    const int *const inputs = interpreter_inputs(in, &count);

    text[0] = '\0';
    for (size_t i = 0; i < count && used < bytes; i++) {
        const TfLiteIntArray *const dims = interpreter_tensor(in, inputs[i])->dims;

        if (i > 0)
            used += (size_t)snprintf(text + used, bytes - used, ":");
        for (int d = 0; d < dims->size && used < bytes; d++)
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%d", d ? "," : "", dims->data[d]);
    }
}

static void describe_use(struct bench_result *r, const struct bench_session *t,
                         const struct bench_request *q)
{
    size_t bytes;
    FILE *const f = open_memstream(&r->use_text, &bytes);

    r->use_json = json_object();
    model_use_json(r->use_json, q->use, &t->s.model, t->s.in);
    if (!f)
        return;
    model_use_print(f, q->use, &t->s.model, t->s.in, 12);
    fclose(f);
}

static void name(struct bench_result *r, const struct subject *s)
{
    char spec[4096];

    r->subject = strdup(s->label);
    r->spec = subject_spec(s, spec, sizeof spec) ? strdup(spec) : NULL;
}

enum status bench_name_result(struct bench_result *r, const struct bench_request *q,
                              struct diag *diag)
{
    struct subject s;

    TRY(bench_name_subject(&s, q, diag));
    name(r, &s);
    subject_close(&s);
    return STATUS_OK;
}

static void describe(struct bench_result *r, struct bench_session *t, const struct bench_request *q)
{
    name(r, &t->s.subject);
    snprintf(r->subject_sha256, sizeof r->subject_sha256, "%s", t->s.subject.sha256);
    /* Of the file, also where a part of it is run: reports of one model are compared. */
    if (!model_file_is_replaced(q->model) ||
        sha256_file(q->model, r->model_sha256, NULL) != STATUS_OK)
        sha256_hex(t->s.file.bytes, t->s.file.count, r->model_sha256);
    describe_use(r, t, q);
    bench_session_device(t, r->device, sizeof r->device);
    list_shapes(t->s.in, r->input_shapes, sizeof r->input_shapes);
    r->nodes = interpreter_node_count(t->s.in);
    r->taken = bench_session_taken(t);
    r->partitions = interpreter_partition_count(t->s.in);
    r->create_ms = t->create_ms;
    r->prepare_ms = t->prepare_ms;
}

static enum status time_inferences(struct bench_result *r, struct bench_session *t,
                                   const struct bench_request *q, struct diag *diag)
{
    const struct bench_span warm = bench_warmup(q),
                            timing = { "timing", q->runs, q->min_secs, q->max_secs };
    struct assay_gpu_stats before = { 0 };
    struct bench_list list = { NULL, 0, 0 };
    enum status s = random_explain(
        t->s.in, 0, "give --input_layer_value_range=NAME,LOW,HIGH or --input_layer_value_files",
        bench_infer(t, &r->first_ms, diag), diag);

    if (s == STATUS_OK)
        s = bench_repeat(t, q, &warm, &list, diag);
    list.count = 0;
    bench_stats(&t->s, &before);
    if (s == STATUS_OK)
        s = bench_repeat(t, q, &timing, &list, diag);
    message_progress_end();
    if (s == STATUS_OK && list.count == 0 && !interrupt_signal())
        s = diag_fail(diag, STATUS_USAGE, "no inference within --max_secs=%.15g", q->max_secs);
    if (s == STATUS_OK && list.count > 0)
        s = bench_series_make(&r->latency_ms, list.ms, list.count, diag);
    if (s == STATUS_OK && list.count > 0)
        read_split(r, &t->s, &before);
    bench_list_close(&list);
    return s;
}

/* ---- the profiled pass ---- */

static enum status read_steps(struct bench_result *r, const struct session *s, struct diag *diag)
{
    const int count = s->subject.extras.step_count(s->delegate);

    if (!(r->steps = mem_alloc((size_t)count, sizeof *r->steps)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%d steps: out of memory", count);
    for (int i = 0; i < count; i++) {
        struct assay_gpu_step step = { .struct_size = sizeof step };
        struct bench_step *const b = &r->steps[r->step_count];

        if (s->subject.extras.get_step(s->delegate, i, &step) != 0 || step.runs == 0)
            continue;
        b->label = strdup(step.label);
        b->source = strdup(step.source);
        snprintf(b->shader, sizeof b->shader, "%s", step.shader);
        b->node = step.node;
        b->mean_us = step.mean_us;
        memcpy(b->workgroup, step.workgroup, sizeof b->workgroup);
        b->tuned = step.tuned != 0;
        b->operations = 2 * step.macs;
        b->arithmetic = step.arithmetic;
        b->idle = step.idle != 0;
        b->host_read_bytes = (double)step.host_read_bytes;
        b->host_written_bytes = (double)step.host_written_bytes;
        b->device_bytes = (double)(step.read_bytes + step.written_bytes + step.constant_bytes) -
                          b->host_read_bytes - b->host_written_bytes;
        r->step_count++;
    }
    return STATUS_OK;
}

static enum status read_peaks(struct bench_result *r, const struct session *s, struct diag *diag)
{
    char error[256] = "";

    if (!s->subject.extras.measure_peaks)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s does not measure the limits of its device",
                         s->subject.label);
    r->peaks = (struct assay_gpu_peaks){ .struct_size = sizeof r->peaks };
    if (s->subject.extras.measure_peaks(s->delegate, &r->peaks, error, sizeof error) != 0)
        return diag_fail(diag, STATUS_DEVICE, "--roofline: %s", error);
    r->has_peaks = true;
    return STATUS_OK;
}

static double last_device_ms(const struct session *s)
{
    const int count = s->subject.extras.step_count(s->delegate);
    double us = 0;

    for (int i = 0; i < count; i++) {
        struct assay_gpu_step step = { .struct_size = sizeof step };

        if (s->subject.extras.get_step(s->delegate, i, &step) == 0)
            us += step.last_us;
    }
    return us / 1e3;
}

/* Only a delegate with assay_gpu_get_step has times of its steps. */
static enum status profile(struct bench_result *r, const struct bench_request *q, struct diag *diag)
{
    static const struct subject_option option = { "profile", "1" };
    struct bench_session t = { .create_ms = 0 };
    double device_ms[PROFILED_RUNS], ignored;
    enum status s = bench_start_session(&t, q, false, &option, 1, diag);

    if (s == STATUS_OK && (!t.s.subject.extras.step_count || !t.s.subject.extras.get_step))
        s = diag_fail(diag, STATUS_UNSUPPORTED, "%s does not tell the time of its steps",
                      t.s.subject.label);
    if (s == STATUS_OK)
        s = bench_infer(&t, &ignored, diag);
    for (int i = 0; i < PROFILED_RUNS && s == STATUS_OK; i++) {
        s = bench_infer(&t, &ignored, diag);
        device_ms[i] = last_device_ms(&t.s);
    }
    if (s == STATUS_OK) {
        bench_sort(device_ms, PROFILED_RUNS);
        r->device_ms = bench_quantile(device_ms, PROFILED_RUNS, 0.5);
        s = read_steps(r, &t.s, diag);
    }
    if (s == STATUS_OK && q->roofline)
        s = read_peaks(r, &t.s, diag);
    bench_session_close(&t);
    return s;
}

static enum status check(struct bench_result *r, struct bench_session *t, struct bench_check *check,
                         struct diag *diag)
{
    const struct bench_author by = bench_author_of(t);
    struct outputs got;

    TRY(bench_take_outputs(t, &got, diag));
    bench_check_outputs(check, &by, &got, &r->checked);
    outputs_close(&got);
    return STATUS_OK;
}

static enum status measure(struct bench_result *r, const struct bench_request *q,
                           struct bench_check *outputs, struct diag *diag)
{
    struct bench_session t = { .create_ms = 0 };
    const bool runs = !q->dry_run && !interrupt_signal();
    enum status s = bench_start_session(&t, q, false, NULL, 0, diag);

    if (s == STATUS_OK && q->outputs_path && t.engine)
        s = diag_fail(diag, STATUS_UNSUPPORTED, "--output_filepath: %s keeps its outputs",
                      t.s.subject.label);
    if (s == STATUS_OK && runs)
        s = time_inferences(r, &t, q, diag);
    if (s == STATUS_OK && runs && q->outputs_path)
        s = save_outputs(&t.s, q->outputs_path, diag);
    if (s == STATUS_OK) {
        describe(r, &t, q);
        read_memory(r, &t);
    }
    if (s == STATUS_OK && runs && !interrupt_signal())
        s = check(r, &t, outputs, diag);
    bench_session_close(&t);
    return s;
}

enum status bench_run(struct bench_result *r, const struct bench_request *q, struct diag *diag)
{
    struct bench_duel_outputs duel = { .got = { { .count = 0 } } };
    struct bench_check check;
    enum status s = STATUS_OK;

    *r = (struct bench_result){ .status = CASE_PASS };
    bench_check_init(&check, q);
    /* First what forks, while this process has loaded no driver that a child would inherit. */
    if (q->starts && !q->dry_run)
        s = bench_starts(r, q, diag);
    if (s == STATUS_OK && r->status != CASE_PASS)
        return bench_name_result(r, q, diag);
    if (s == STATUS_OK && q->versus && !q->dry_run && !interrupt_signal())
        s = bench_versus(&r->versus, q, &duel, diag);
    if (s == STATUS_OK)
        s = measure(r, q, &check, diag);
    for (int i = 0; i < 2; i++) {
        if (s == STATUS_OK && r->versus.known && !interrupt_signal())
            bench_check_outputs(&check, &duel.by[i], &duel.got[i], &r->versus.checked[i]);
        outputs_close(&duel.got[i]);
    }
    if (s == STATUS_OK && q->threads > 0 && !q->dry_run && !interrupt_signal())
        s = bench_threads(&r->throughput, q, &check, diag);
    if (s == STATUS_OK && q->profile && !q->dry_run && !interrupt_signal())
        s = profile(r, q, diag);
    bench_check_close(&check);
    if (s != STATUS_OK)
        bench_close(r);
    return s;
}

void bench_close(struct bench_result *r)
{
    for (size_t i = 0; i < r->step_count; i++) {
        free(r->steps[i].label);
        free(r->steps[i].source);
    }
    mem_free(r->steps);
    free(r->subject);
    free(r->spec);
    free(r->use_text);
    json_decref(r->use_json);
    bench_series_close(&r->latency_ms);
    bench_versus_close(&r->versus);
    bench_throughput_close(&r->throughput);
    *r = (struct bench_result){ 0 };
}
