#include "conformance/tools/bench/bench.h"

#include "conformance/tools/bench/bench_session.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct crowd {
    const struct bench_request *request;
    size_t count;
    atomic_size_t ready; /* threads that have made their inferences, or failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t warm; /* threads that wait for the start, or failed */
    bool begun;
    struct progress progress; /* of the first thread, once all have begun */
    double begin_s, end_s;    /* of the first and the last inference; under the lock */
};

struct worker {
    struct crowd *crowd;
    bool is_first;
    struct bench_session session;
    struct bench_list list;
    struct diag diag;
    pthread_t thread;
};

/* Waits until all threads are here: the clock starts for all at once. */
static void line_up(struct crowd *c)
{
    pthread_mutex_lock(&c->lock);
    c->warm++;
    pthread_cond_broadcast(&c->changed);
    while (!c->begun)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void show(struct worker *w, double secs)
{
    const struct bench_request *const q = w->crowd->request;
    const double for_runs = secs / (double)w->list.count * (double)q->runs;
    const double total = for_runs > q->min_secs ? for_runs : q->min_secs;

    progress_expect(&w->crowd->progress, total > secs ? total - secs : 0);
    progress_update(&w->crowd->progress, (double)w->list.count,
                    "%zu inferences in the first of %zu", w->list.count, w->crowd->count);
}

static enum status run_until_all_have(struct worker *w)
{
    const struct bench_request *const q = w->crowd->request;
    bool done = false;

    for (;;) {
        const double secs = clock_s() - w->crowd->begin_s;
        double ms;

        if (!done && w->list.count >= q->runs && secs >= q->min_secs) {
            done = true;
            atomic_fetch_add(&w->crowd->ready, 1);
        }
        if (atomic_load(&w->crowd->ready) == w->crowd->count || secs > q->max_secs ||
            interrupt_signal())
            return STATUS_OK;
        if (w->list.count > 0 && w->is_first)
            show(w, secs);
        TRY(bench_infer(&w->session, &ms, &w->diag));
        TRY(bench_list_add(&w->list, ms, &w->diag));
    }
}

static void *work(void *user)
{
    struct worker *const w = user;
    struct crowd *const c = w->crowd;
    struct bench_span span = bench_warmup(c->request);
    enum status s;
    double ms;

    span.what = NULL;
    s = bench_infer(&w->session, &ms, &w->diag);
    if (s == STATUS_OK)
        s = bench_repeat(&w->session, c->request, &span, &w->list, &w->diag);
    w->list.count = 0;
    line_up(c);
    if (s == STATUS_OK)
        s = run_until_all_have(w);
    if (s != STATUS_OK)
        atomic_fetch_add(&c->ready, 1);
    pthread_mutex_lock(&c->lock);
    if (clock_s() > c->end_s)
        c->end_s = clock_s();
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static enum status open_all(struct crowd *c, struct worker *workers, struct diag *diag)
{
    for (size_t i = 0; i < c->count; i++) {
        workers[i].crowd = c;
        workers[i].is_first = i == 0;
        TRY(bench_start_session(&workers[i].session, c->request, false, NULL, 0, diag));
        progress_update(&c->progress, 0, "interpreter %zu of %zu", i + 1, c->count);
    }
    return STATUS_OK;
}

/* Threads that were started are always joined; where one cannot be started nothing is timed. */
static enum status run_all(struct crowd *c, struct worker *workers, struct diag *diag)
{
    size_t started = 0;
    enum status s = STATUS_OK;

    while (started < c->count &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    pthread_mutex_lock(&c->lock);
    while (c->warm < started)
        pthread_cond_wait(&c->changed, &c->lock);
    if (started < c->count)
        atomic_store(&c->ready, c->count);
    c->begin_s = c->end_s = clock_s();
    c->begun = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    if (started < c->count)
        return diag_fail(diag, STATUS_NO_MEMORY, "thread %zu of %zu could not be started",
                         started + 1, c->count);
    for (size_t i = 0; i < started && s == STATUS_OK; i++) {
        if (workers[i].diag.status != STATUS_OK)
            s = diag_fail(diag, workers[i].diag.status, "thread %zu: %.900s", i,
                          workers[i].diag.text);
    }
    return s;
}

static enum status collect(struct bench_throughput *t, const struct crowd *c,
                           const struct worker *workers, struct diag *diag)
{
    if (!(t->latency_ms = mem_alloc(c->count, sizeof *t->latency_ms)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu threads: out of memory", c->count);
    t->threads = c->count;
    t->seconds = c->end_s - c->begin_s;
    for (size_t i = 0; i < c->count; i++) {
        const struct bench_list *const list = &workers[i].list;

        if (list->count == 0)
            return diag_fail(diag, STATUS_USAGE, "thread %zu: no inference within --max_secs=%.15g",
                             i, c->request->max_secs);
        TRY(bench_series_make(&t->latency_ms[i], list->ms, list->count, diag));
        t->inferences += list->count;
    }
    return STATUS_OK;
}

static enum status check_all(struct bench_throughput *t, struct worker *workers,
                             struct bench_check *check, struct diag *diag)
{
    for (size_t i = 0; i < t->threads && t->checked.state != BENCH_WRONG; i++) {
        const struct bench_author by = bench_author_of(&workers[i].session);
        struct outputs got;
        char why[sizeof t->checked.why];

        TRY(bench_take_outputs(&workers[i].session, &got, diag));
        bench_check_outputs(check, &by, &got, &t->checked);
        outputs_close(&got);
        snprintf(why, sizeof why, "%s", t->checked.why);
        if (t->checked.state == BENCH_WRONG)
            snprintf(t->checked.why, sizeof t->checked.why, "thread %zu: %.180s", i, why);
    }
    return STATUS_OK;
}

enum status bench_threads(struct bench_throughput *t, const struct bench_request *q,
                          struct bench_check *check, struct diag *diag)
{
    struct crowd c = { .request = q, .count = q->threads };
    struct worker *const workers = mem_alloc(c.count, sizeof *workers);
    enum status s;

    if (!workers)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu threads: out of memory", c.count);
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    progress_begin(&c.progress, "threads", 0, q->quiet);
    s = open_all(&c, workers, diag);
    if (s == STATUS_OK)
        s = run_all(&c, workers, diag);
    if (s == STATUS_OK && !interrupt_signal())
        s = collect(t, &c, workers, diag);
    if (s == STATUS_OK && !interrupt_signal())
        s = check_all(t, workers, check, diag);
    progress_end(&c.progress);
    for (size_t i = 0; i < c.count; i++) {
        bench_session_close(&workers[i].session);
        bench_list_close(&workers[i].list);
    }
    mem_free(workers);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    return diag_prefix(diag, s, "--threads=%zu", c.count);
}

void bench_throughput_close(struct bench_throughput *t)
{
    for (size_t i = 0; i < t->threads; i++)
        bench_series_close(&t->latency_ms[i]);
    mem_free(t->latency_ms);
    *t = (struct bench_throughput){ 0 };
}
