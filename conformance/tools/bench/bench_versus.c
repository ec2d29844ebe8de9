#include "conformance/tools/bench/bench_versus.h"

#include "conformance/tools/bench/bench_session.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/process.h"
#include "conformance/util/progress.h"
#include "conformance/util/watched.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BLOCK_MAX = 1000,         /* inferences */
    ROUNDS_MIN = 25,          /* of four blocks */
    PAIRS = SHIFT_GROUPS_MAX, /* of processes */
    START_SECS_MAX = 600      /* for a start, with its warm-up */
};
static const double block_ms = 20; /* so long a block is, at least */

/* ---- the children ---- */

/* What a child says once it is warm. */
struct hello {
    struct diag diag;
    char subject[BENCH_LABEL_BYTES], device[256], sha256[65];
    double median_ms;
};

struct child {
    const struct bench_request *request;
    bool versus;
};

static enum status warm_up(struct bench_session *t, const struct child *c, struct hello *hello,
                           struct diag *diag)
{
    struct bench_span span = bench_warmup(c->request);
    struct bench_list list = { NULL, 0, 0 };
    enum status s;

    span.what = NULL;
    span.runs = span.runs > 0 ? span.runs : 1;
    s = bench_repeat(t, c->request, &span, &list, diag);
    if (s == STATUS_OK && list.count > 0) {
        bench_sort(list.ms, list.count);
        hello->median_ms = bench_quantile(list.ms, list.count, 0.5);
    }
    bench_list_close(&list);
    return s;
}

/* A block: its latencies in order, or the failure. */
struct block {
    struct diag diag;
    double ms[BLOCK_MAX];
};

/* The answer to a block of none: who this is, and what it gave last. */
static bool send_last(int socket, struct bench_session *t)
{
    const struct bench_author by = bench_author_of(t);
    struct outputs got;
    struct diag diag = { .status = STATUS_OK };
    bool ok;

    bench_take_outputs(t, &got, &diag);
    ok = process_write(socket, &diag, sizeof diag) && diag.status == STATUS_OK &&
         process_write(socket, &by, sizeof by) && outputs_send(socket, &got);
    outputs_close(&got);
    return ok;
}

static void serve(int socket, void *user)
{
    const struct child *const c = user;
    static struct block block;
    struct bench_session t = { .create_ms = 0 };
    struct hello hello = { .diag = { .status = STATUS_OK } };
    double ignored;
    uint32_t count;
    bool ok;

    ok = bench_start_session(&t, c->request, c->versus, NULL, 0, &hello.diag) == STATUS_OK &&
         bench_infer(&t, &ignored, &hello.diag) == STATUS_OK &&
         warm_up(&t, c, &hello, &hello.diag) == STATUS_OK;
    if (ok) {
        snprintf(hello.subject, sizeof hello.subject, "%s", t.s.subject.label);
        snprintf(hello.sha256, sizeof hello.sha256, "%s", t.s.subject.sha256);
        bench_session_device(&t, hello.device, sizeof hello.device);
    }
    ok = process_write(socket, &hello, sizeof hello) && ok;
    while (ok && process_read(socket, &count, sizeof count) && count <= BLOCK_MAX) {
        if (count == 0) {
            ok = send_last(socket, &t);
            continue;
        }
        block.diag.status = STATUS_OK;
        for (uint32_t i = 0; i < count && block.diag.status == STATUS_OK; i++)
            bench_infer(&t, &block.ms[i], &block.diag);
        ok = process_write(socket, &block.diag, sizeof block.diag) &&
             block.diag.status == STATUS_OK &&
             process_write(socket, block.ms, count * sizeof block.ms[0]);
    }
    bench_session_close(&t);
    process_leave(0);
}

/* ---- the parent ---- */

struct duel {
    const struct bench_request *request;
    struct process process[2]; /* the subject, and the other one */
    struct hello hello[2];
    struct bench_list latency_ms[2];
    double log_ratios[SHIFT_PAIRS_MAX];
    size_t rounds, ends[PAIRS], pairs; /* rounds up to the end of each pair of processes */
    double secs;                       /* of rounds, without starts */
    uint32_t count;                    /* inferences of a block */
};

static enum status ended(struct duel *d, int which, struct diag *diag)
{
    char how[64], now[64];

    process_describe_end(process_end(&d->process[which], false), how, sizeof how);
    watched_now(now, sizeof now);
    return diag_fail(diag, STATUS_MISMATCH, "%s: the process that runs it ended: %s in %s",
                     which == 0 ? "the subject" : d->request->versus, how, now);
}

static enum status start(struct duel *d, int which, struct diag *diag)
{
    struct child child = { d->request, which == 1 };
    struct hello *const hello = &d->hello[which];
    enum process_event event;

    TRY(process_start(&d->process[which], PROCESS_OUTPUT_STDERR, serve, &child, diag));
    process_expect(&d->process[which], START_SECS_MAX);
    event = process_wait(&d->process[which]);
    if (event == PROCESS_NOTHING) /* interrupted */
        return STATUS_OK;
    if (event == PROCESS_LATE)
        return diag_fail(diag, STATUS_MISMATCH, "%s: no start within %d s",
                         which == 0 ? "the subject" : d->request->versus, START_SECS_MAX);
    if (!process_read(d->process[which].socket, hello, sizeof *hello))
        return ended(d, which, diag);
    return hello->diag.status == STATUS_OK
               ? STATUS_OK
               : diag_fail(diag, hello->diag.status, "%s", hello->diag.text);
}

/* Runs a block of one subject; *log_ms is the logarithm of its median. */
static enum status run_block(struct duel *d, int which, double *log_ms, struct diag *diag)
{
    struct process *const p = &d->process[which];
    struct bench_list *const list = &d->latency_ms[which];
    const size_t first = list->count;
    static double sorted[BLOCK_MAX];
    struct diag failure;

    if (!process_send(p, &d->count, sizeof d->count) ||
        !process_read(p->socket, &failure, sizeof failure))
        return ended(d, which, diag);
    if (failure.status != STATUS_OK)
        return diag_fail(diag, failure.status, "%s", failure.text);
    if (!process_read(p->socket, sorted, d->count * sizeof sorted[0]))
        return ended(d, which, diag);
    for (uint32_t i = 0; i < d->count; i++)
        TRY(bench_list_add(list, sorted[i], diag));
    bench_sort(sorted, list->count - first);
    *log_ms = log(bench_quantile(sorted, d->count, 0.5));
    return STATUS_OK;
}

static enum status receive_last(struct duel *d, int which, struct bench_duel_outputs *last,
                                struct diag *diag)
{
    struct process *const p = &d->process[which];
    const uint32_t none = 0;
    struct diag failure;

    if (!process_send(p, &none, sizeof none) || !process_read(p->socket, &failure, sizeof failure))
        return ended(d, which, diag);
    if (failure.status != STATUS_OK)
        return diag_fail(diag, failure.status, "%s", failure.text);
    if (!process_read(p->socket, &last->by[which], sizeof last->by[which]) ||
        !outputs_receive(p->socket, &last->got[which]))
        return ended(d, which, diag);
    return STATUS_OK;
}

/* Four blocks: the subject first in even rounds, the other one in odd ones. */
static enum status run_round(struct duel *d, struct diag *diag)
{
    const int a = (int)(d->rounds % 2), b = 1 - a;
    const int order[4] = { a, b, b, a };
    double sum[2] = { 0, 0 };

    for (int i = 0; i < 4; i++) {
        double log_ms;

        TRY(run_block(d, order[i], &log_ms, diag));
        sum[order[i]] += log_ms / 2;
    }
    d->log_ratios[d->rounds++] = sum[0] - sum[1];
    return STATUS_OK;
}

/* Seconds of rounds until there is enough, at the pace so far. */
static double time_left(const struct duel *d)
{
    const struct bench_request *const q = d->request;
    const double each = d->secs / (double)d->rounds;
    const double total =
        fmax(fmax(2 * q->min_secs, ROUNDS_MIN * each), each * (double)q->runs / (2.0 * d->count));

    return fmax(0, total - d->secs);
}

/* Each subject gets as many inferences and seconds as it would alone, within twice the time; share:
 * of that, so much when this returns. */
static enum status run_rounds(struct duel *d, double share, struct progress *p, struct diag *diag)
{
    const struct bench_request *const q = d->request;

    for (;;) {
        const double begin = clock_s(), rounds = (double)d->rounds;
        const bool enough = rounds >= share * ROUNDS_MIN && d->secs >= share * 2 * q->min_secs &&
                            (double)d->latency_ms[0].count >= share * (double)q->runs;
        const bool over = rounds >= share * SHIFT_PAIRS_MAX || d->secs > share * 2 * q->max_secs;

        if (enough || over || interrupt_signal())
            return STATUS_OK;
        if (d->rounds > 0) {
            progress_expect(p, time_left(d));
            progress_update(p, (double)d->rounds, "%zu rounds", d->rounds);
        }
        TRY(run_round(d, diag));
        d->secs += clock_s() - begin;
    }
}

/* Starts a pair of processes, the subject first in even ones, and ends it behind its part of the
 * rounds; last: all that is left. */
static enum status run_pair(struct duel *d, bool last, struct bench_duel_outputs *outputs,
                            struct progress *p, struct diag *diag)
{
    const size_t before = d->rounds;

    for (int i = 0; i < 2 && !interrupt_signal(); i++)
        TRY(start(d, (int)((d->pairs + (size_t)i) % 2), diag));
    if (interrupt_signal())
        return STATUS_OK;
    if (d->pairs == 0) {
        const double slower = fmax(d->hello[0].median_ms, d->hello[1].median_ms);

        d->count = slower > 0 && block_ms / slower > 1 ? (uint32_t)ceil(block_ms / slower) : 1;
        d->count = d->count < BLOCK_MAX ? d->count : BLOCK_MAX;
    }
    TRY(run_rounds(d, last ? 1 : (double)(d->pairs + 1) / PAIRS, p, diag));
    if (d->rounds > before)
        d->ends[d->pairs++] = d->rounds;
    for (int i = 0; i < 2 && !d->request->no_check; i++) {
        outputs_close(&outputs->got[i]);
        TRY(receive_last(d, i, outputs, diag));
    }
    for (int i = 0; i < 2; i++)
        process_end(&d->process[i], true);
    return STATUS_OK;
}

static enum status run_pairs(struct duel *d, struct bench_duel_outputs *outputs, struct diag *diag)
{
    const double begin = clock_s();
    enum status s = STATUS_OK;
    struct progress p;
    bool last = false;

    progress_begin(&p, "in turns", 0, d->request->quiet);
    while (s == STATUS_OK && !last && d->secs <= 2 * d->request->max_secs && !interrupt_signal()) {
        /* Where starts take long, there are fewer. */
        last = d->pairs + 1 == PAIRS || clock_s() - begin > 2 * d->request->max_secs;
        s = run_pair(d, last, outputs, &p, diag);
    }
    progress_end(&p);
    return s;
}

static enum status run(struct duel *d, struct bench_versus *v, struct bench_duel_outputs *last,
                       struct diag *diag)
{
    TRY(run_pairs(d, last, diag));
    if (interrupt_signal() && d->rounds < ROUNDS_MIN)
        return STATUS_OK;
    TRY(bench_shift_pairs(d->log_ratios, d->rounds, d->ends, d->pairs, &v->shift, diag));
    for (int i = 0; i < 2; i++)
        TRY(bench_series_make(&v->latency_ms[i], d->latency_ms[i].ms, d->latency_ms[i].count,
                              diag));
    v->block_inferences = d->count;
    v->process_pairs = d->pairs;
    snprintf(v->subject, sizeof v->subject, "%s", d->hello[1].subject);
    snprintf(v->device, sizeof v->device, "%s", d->hello[1].device);
    snprintf(v->sha256, sizeof v->sha256, "%s", d->hello[1].sha256);
    v->known = true;
    return STATUS_OK;
}

enum status bench_versus(struct bench_versus *v, const struct bench_request *q,
                         struct bench_duel_outputs *last, struct diag *diag)
{
    static struct duel d;
    enum status s;

    d = (struct duel){ .request = q,
                       .process = { { .socket = -1, .log = -1 }, { .socket = -1, .log = -1 } } };
    s = diag_prefix(diag, run(&d, v, last, diag), "--versus=%s", q->versus);
    for (int i = 0; i < 2; i++) {
        process_end(&d.process[i], true);
        bench_list_close(&d.latency_ms[i]);
    }
    if (s != STATUS_OK)
        bench_versus_close(v);
    return s;
}

void bench_versus_close(struct bench_versus *v)
{
    bench_series_close(&v->latency_ms[0]);
    bench_series_close(&v->latency_ms[1]);
    v->known = false;
}
