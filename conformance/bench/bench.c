#include "conformance/bench/bench.h"

#include "conformance/bench/bench_session.h"
#include "conformance/bench/bench_starts.h"
#include "conformance/io/tensor_io.h"
#include "conformance/io/tensor_value.h"
#include "conformance/util/clock.h"
#include "conformance/util/message.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PROFILED_RUNS = 20 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_quantile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Repeats inferences until there are `runs` of them and they took min_secs, or took max_secs; the
 * times in ms go to *list. */
static enum status repeat(struct session *s, const struct bench_request *q, const char *what,
                          uint64_t runs, double min_secs, double max_secs, double **list,
                          size_t *count, struct diag *diag)
{
    const double begin = clock_ms();
    size_t room = 0;

    *count = 0;
    for (;;) {
        const double secs = (clock_ms() - begin) / 1e3;

        if ((*count >= runs && secs >= min_secs) || secs > max_secs)
            return STATUS_OK;
        if (*count == room) {
            double *const more = mem_resize(*list, room = room ? 2 * room : 256, sizeof **list);

            if (!more)
                return diag_fail(diag, STATUS_NO_MEMORY, "%zu runs: out of memory", room);
            *list = more;
        }
        TRY(bench_infer(s, &(*list)[*count], diag));
        (*count)++;
        message_progress(q->quiet, "%s: %zu inferences, %.0f s", what, *count, secs);
    }
}

static void summarize(struct bench_result *r, double *ms, size_t count)
{
    double sum = 0, squares = 0;

    qsort(ms, count, sizeof *ms, by_value);
    for (size_t i = 0; i < count; i++)
        sum += ms[i];
    r->latency_ms.n = count;
    r->latency_ms.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (ms[i] - r->latency_ms.mean) * (ms[i] - r->latency_ms.mean);
    r->latency_ms.std = sqrt(squares / (double)count);
    r->latency_ms.median = bench_quantile(ms, count, 0.5);
    r->latency_ms.p10 = bench_quantile(ms, count, 0.1);
    r->latency_ms.p90 = bench_quantile(ms, count, 0.9);
    r->latency_ms.min = ms[0];
    r->latency_ms.max = ms[count - 1];
}

static bool read_stats(const struct session *s, struct assay_gpu_stats *stats)
{
    *stats = (struct assay_gpu_stats){ .struct_size = sizeof *stats };
    return s->delegate && s->subject.extras.get_stats &&
           s->subject.extras.get_stats(s->delegate, stats) == 0;
}

static void read_memory(struct bench_result *r, const struct session *s)
{
    struct assay_gpu_stats stats;
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) == 0)
        r->host_peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    if (!read_stats(s, &stats))
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

    if (!read_stats(s, &stats) || stats.invokes <= before->invokes)
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

static enum status time_inferences(struct bench_result *r, struct bench_session *t,
                                   const struct bench_request *q, struct diag *diag)
{
    struct assay_gpu_stats before = { 0 };
    double *ms = NULL;
    size_t count = 0;
    enum status s = bench_infer(&t->s, &r->first_ms, diag);

    if (s == STATUS_OK)
        s = repeat(&t->s, q, "warm-up", q->warmup_runs, q->warmup_min_secs, q->max_secs, &ms,
                   &count, diag);
    read_stats(&t->s, &before);
    if (s == STATUS_OK)
        s = repeat(&t->s, q, "timing", q->runs, q->min_secs, q->max_secs, &ms, &count, diag);
    message_progress_end();
    if (s == STATUS_OK && count == 0)
        s = diag_fail(diag, STATUS_USAGE, "no inference within --max_secs=%g", q->max_secs);
    if (s == STATUS_OK) {
        summarize(r, ms, count);
        r->subject = strdup(t->s.subject.label);
        session_device(&t->s, r->device, sizeof r->device);
        r->nodes = interpreter_node_count(t->s.in);
        r->taken = session_taken(&t->s);
        r->partitions = interpreter_partition_count(t->s.in);
        r->create_ms = t->create_ms;
        r->prepare_ms = t->prepare_ms;
        read_memory(r, &t->s);
        read_split(r, &t->s, &before);
    }
    mem_free(ms);
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
        r->step_count++;
    }
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
    enum status s = bench_start_session(&t, q, &option, 1, diag);

    if (s == STATUS_OK && (!t.s.subject.extras.step_count || !t.s.subject.extras.get_step))
        s = diag_fail(diag, STATUS_UNSUPPORTED, "%s does not tell the time of its steps",
                      t.s.subject.label);
    if (s == STATUS_OK)
        s = bench_infer(&t.s, &ignored, diag);
    for (int i = 0; i < PROFILED_RUNS && s == STATUS_OK; i++) {
        s = bench_infer(&t.s, &ignored, diag);
        device_ms[i] = last_device_ms(&t.s);
    }
    if (s == STATUS_OK) {
        qsort(device_ms, PROFILED_RUNS, sizeof device_ms[0], by_value);
        r->device_ms = bench_quantile(device_ms, PROFILED_RUNS, 0.5);
        s = read_steps(r, &t.s, diag);
    }
    session_close(&t.s);
    return s;
}

enum status bench_run(struct bench_result *r, const struct bench_request *q, struct diag *diag)
{
    struct bench_session t = { .create_ms = 0 };
    enum status s = STATUS_OK;

    *r = (struct bench_result){ 0 };
    /* First, while this process has loaded no driver that a fork would inherit. */
    if (q->starts)
        s = bench_starts(r, q, diag);
    if (s == STATUS_OK)
        s = bench_start_session(&t, q, NULL, 0, diag);
    if (s == STATUS_OK)
        s = time_inferences(r, &t, q, diag);
    session_close(&t.s);
    if (s == STATUS_OK && q->profile)
        s = profile(r, q, diag);
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
    *r = (struct bench_result){ 0 };
}
