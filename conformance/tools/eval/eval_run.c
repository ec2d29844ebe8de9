#include "conformance/tools/eval/eval_run.h"

#include "conformance/tools/eval/eval_log.h"
#include "conformance/tools/eval/eval_worker.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/json_parse.h"
#include "conformance/util/json_text.h"
#include "conformance/util/process.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

enum { JOBS_MAX = 256, ANSWER_BYTES_MAX = 1 << 28 };

struct run {
    const struct eval_request *q;
    const struct eval_task *task;
    struct eval_images *images;
    struct eval_outcome *out;
    struct eval_log log;
    struct eval_worker_start start;
    struct process_pool pool;
    bool *opening;   /* of a process: it has not said hello yet */
    size_t *working; /* the image of a process */
    size_t next, left;
    bool greeted;
};

/* ---- answers ---- */

static enum status take_answers(struct run *r, size_t i, const json_t *line, struct diag *diag)
{
    const json_t *const list = json_object_get(line, "answers");
    const json_t *const ms = json_object_get(line, "ms");
    const size_t sides = r->q->reference ? 2 : 1;

    if (json_array_size(list) != sides)
        return diag_fail(diag, STATUS_INVALID, "expected %zu answers, found %zu", sides,
                         json_array_size(list));
    for (size_t side = 0; side < sides; side++) {
        r->images->items[i].ms[side] = json_number_value(json_array_get(ms, side));
        TRY(r->task->take(r->task->user, i, (enum eval_side)side, json_array_get(list, side),
                          diag));
    }
    return STATUS_OK;
}

/* A name that is no UTF-8 is compared as JSON has it. */
static enum status check_name(const struct eval_image *image, const char *name, struct diag *diag)
{
    json_t *const text = json_text(image->name);
    const bool same = text && name && strcmp(name, json_string_value(text)) == 0;
    const enum status s =
        same   ? STATUS_OK
        : text ? diag_fail(diag, STATUS_INVALID, "no answer to %s", image->name)
               : diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for its name", image->name);

    json_decref(text);
    return s;
}

/* A line of a worker, or of the log. */
static enum status take_line(struct run *r, const json_t *line, struct diag *diag)
{
    const json_t *const index = json_object_get(line, "index");
    const json_int_t i = json_is_integer(index) ? json_integer_value(index) : -1;
    const char *const state = json_string_value(json_object_get(line, "state"));
    const char *const reason = json_string_value(json_object_get(line, "reason"));
    const char *const name = json_string_value(json_object_get(line, "image"));
    enum eval_state found = EVAL_MISSING;

    if (i < 0 || (uint64_t)i >= r->images->count || !state)
        return diag_fail(diag, STATUS_INVALID, "no answer to one of the %zu images",
                         r->images->count);
    TRY(check_name(&r->images->items[i], name, diag));
    for (int s = EVAL_ANSWERED; s < EVAL_STATES; s++)
        found =
            strcmp(state, eval_state_name((enum eval_state)s)) == 0 ? (enum eval_state)s : found;
    if (found == EVAL_MISSING)
        return diag_fail(diag, STATUS_INVALID, "\"state\": \"%.40s\"", state);
    if (r->images->items[i].state != EVAL_MISSING)
        return diag_fail(diag, STATUS_INVALID, "a second answer to %s", r->images->items[i].name);
    if (found == EVAL_ANSWERED)
        TRY(take_answers(r, (size_t)i, line, diag));
    eval_images_settle(r->images, (size_t)i, found, reason);
    r->left--;
    return STATUS_OK;
}

/* ---- the log ---- */

static enum status take_logged(void *user, const json_t *line, struct diag *diag)
{
    struct run *const r = user;
    const json_t *const hello = json_object_get(line, "nodes");

    if (!hello) {
        TRY(take_line(r, line, diag));
        r->out->resumed++;
        return STATUS_OK;
    }
    r->greeted = true;
    r->out->hello.nodes = (uint64_t)json_integer_value(hello);
    r->out->hello.taken = (uint64_t)json_integer_value(json_object_get(line, "taken"));
    if (json_string_value(json_object_get(line, "device")))
        snprintf(r->out->hello.device, sizeof r->out->hello.device, "%s",
                 json_string_value(json_object_get(line, "device")));
    return STATUS_OK;
}

static json_t *subject_text(const struct subject *s)
{
    return s ? json_sprintf("%s %s", s->label, s->sha256) : json_string("none");
}

/* Which run it is: what must be equal for answers to be taken over. */
static json_t *make_key(const struct run *r)
{
    const struct eval_request *const q = r->q;
    json_t *const key = json_object();
    char hex[SHA256_HEX_BYTES];

    eval_images_hash(r->images, hex);
    json_object_set_new(key, "assay_eval", json_string(r->task->name));
    json_object_set_new(key, "version", json_string(ASSAY_VERSION));
    json_object_set_new(key, "model", json_string(q->model->sha256));
    json_object_set_new(key, "subject", subject_text(q->subject));
    json_object_set_new(key, "reference", subject_text(q->reference));
    json_object_set_new(key, "preprocessing",
                        json_sprintf("%s, crop %g, mean %g, std %g",
                                     q->preprocess.way == PREPROCESS_TFLITE ? "tflite" : "whole",
                                     q->preprocess.crop, q->preprocess.scale.mean,
                                     q->preprocess.scale.std));
    json_object_set_new(key, "truth", json_string(q->truth_sha256));
    json_object_set_new(key, "images", json_sprintf("%zu, %s", r->images->count, hex));
    return key;
}

static enum status open_log(struct run *r, struct diag *diag)
{
    json_t *key;
    enum status s;

    if (!r->q->resume)
        return STATUS_OK;
    key = make_key(r);
    s = eval_log_open(&r->log, r->q->resume, key, take_logged, r, diag);
    json_decref(key);
    return s;
}

/* ---- processes ---- */

/* Sends the next image to a process that is free; ends it where none is left. */
static void send_next(struct run *r, size_t at)
{
    struct process *const p = &r->pool.items[at];

    while (r->next < r->images->count && r->images->items[r->next].state != EVAL_MISSING)
        r->next++;
    if (r->next == r->images->count) {
        process_end(p, true); /* what it opened needs no orderly end */
        return;
    }
    r->working[at] = r->next++;
    r->opening[at] = false;
    process_expect(p, r->q->timeout_s);
    process_send(p, &r->working[at], sizeof r->working[at]); /* a failure is seen as its end */
}

static bool images_wait(const struct run *r)
{
    for (size_t i = r->next; i < r->images->count; i++) {
        if (r->images->items[i].state == EVAL_MISSING)
            return true;
    }
    return false;
}

static enum status start(struct run *r, size_t at, struct diag *diag)
{
    struct process *const p = &r->pool.items[at];

    TRY(process_start(p, PROCESS_OUTPUT_LOG, eval_worker_serve, &r->start, diag));
    r->opening[at] = true;
    process_expect(p, r->q->timeout_s);
    return STATUS_OK;
}

/* A process that died or hangs. */
static enum status take_end(struct run *r, size_t at, struct diag *diag)
{
    struct process *const p = &r->pool.items[at];
    const bool late = p->event == PROCESS_LATE;
    char words[200], end[64], reason[360];

    process_last_words(p, words, sizeof words);
    process_describe_end(process_end(p, true), end, sizeof end);
    if (late)
        snprintf(end, sizeof end, "no answer within %g s", r->q->timeout_s);
    snprintf(reason, sizeof reason, "%s%s%s", end, words[0] ? "; " : "", words);
    if (r->opening[at])
        return diag_fail(diag, STATUS_DEVICE, "%s: opening the model on %s: %s", r->q->model->path,
                         r->q->subject->label, reason);
    eval_images_settle(r->images, r->working[at], EVAL_FAILED, reason);
    r->left--;
    return STATUS_OK;
}

static enum status take_text(struct run *r, size_t at, size_t bytes, bool *died, struct diag *diag)
{
    char *const text = mem_alloc(bytes, 1);
    json_t *line = NULL;
    json_error_t error;
    enum status s;

    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "an answer of %zu bytes", bytes);
    *died = !process_read(r->pool.items[at].socket, text, bytes);
    if (!*died)
        line = json_parse(text, bytes, 0, &error);
    mem_free(text);
    if (*died)
        return STATUS_OK;
    if (!line)
        return diag_fail(diag, STATUS_INVALID, "answer to %s: %s",
                         r->images->items[r->working[at]].name, error.text);
    s = take_line(r, line, diag);
    /* A failure may be the machine's: another run tries again. */
    if (s == STATUS_OK && r->images->items[r->working[at]].state != EVAL_FAILED)
        s = eval_log_add(&r->log, line, diag);
    json_decref(line);
    return s;
}

static enum status greet(struct run *r, const struct eval_hello *hello, struct diag *diag)
{
    json_t *line;
    enum status s;

    if (r->greeted)
        return STATUS_OK;
    r->greeted = true;
    r->out->hello = *hello;
    line = json_pack("{s:I,s:I,s:s}", "nodes", (json_int_t)hello->nodes, "taken",
                     (json_int_t)hello->taken, "device", hello->device);
    s = eval_log_add(&r->log, line, diag);
    json_decref(line);
    return s;
}

static enum status take_event(struct run *r, size_t at, struct diag *diag)
{
    struct process *const p = &r->pool.items[at];
    struct eval_worker_head head;
    bool died = false;

    if (p->event == PROCESS_LATE || !process_read(p->socket, &head, sizeof head) ||
        head.bytes > ANSWER_BYTES_MAX)
        return take_end(r, at, diag);
    head.text[sizeof head.text - 1] = '\0';
    if (head.status != STATUS_OK)
        return diag_fail(diag, head.status, "%s", head.text);
    if (r->opening[at])
        TRY(greet(r, &head.hello, diag));
    else
        TRY(take_text(r, at, head.bytes, &died, diag));
    if (died)
        return take_end(r, at, diag);
    send_next(r, at);
    return STATUS_OK;
}

/* ---- all images ---- */

static void show(const struct run *r, struct progress *p)
{
    const size_t done = r->images->count - r->left;

    progress_update(p, (double)(done - r->out->resumed), "%zu of %zu images", done,
                    r->images->count);
}

static enum status run_images(struct run *r, struct diag *diag)
{
    struct progress progress;
    enum status s = STATUS_OK;

    progress_begin(&progress, r->task->name, (double)r->left, r->q->quiet);
    while (s == STATUS_OK && r->left > 0 && !interrupt_signal()) {
        for (size_t i = 0; i < r->pool.count && s == STATUS_OK; i++) {
            if (r->pool.items[i].pid == 0 && images_wait(r))
                s = start(r, i, diag);
        }
        show(r, &progress);
        if (s == STATUS_OK)
            s = process_pool_wait(&r->pool, diag);
        for (size_t i = 0; i < r->pool.count && s == STATUS_OK; i++) {
            if (r->pool.items[i].pid != 0 && r->pool.items[i].event != PROCESS_NOTHING)
                s = take_event(r, i, diag);
        }
    }
    progress_end(&progress);
    return s;
}

static enum status open_pool(struct run *r, struct diag *diag)
{
    size_t jobs = r->q->jobs ? (size_t)r->q->jobs : process_count_processors();

    jobs = jobs > JOBS_MAX ? JOBS_MAX : jobs;
    jobs = jobs > r->left ? r->left : jobs;
    r->start = (struct eval_worker_start){ r->q, r->task, r->images, jobs == 1 };
    r->opening = mem_alloc(jobs, sizeof *r->opening);
    r->working = mem_alloc(jobs, sizeof *r->working);
    if (!r->opening || !r->working)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu jobs", jobs);
    return process_pool_open(&r->pool, jobs, diag);
}

enum status eval_run(const struct eval_request *q, const struct eval_task *task,
                     struct eval_images *images, struct eval_outcome *out, struct diag *diag)
{
    struct run r = { .q = q, .task = task, .images = images, .out = out, .left = images->count };
    const double begun_s = clock_s();
    enum status s;

    *out = (struct eval_outcome){ .seconds = 0 };
    s = open_log(&r, diag);
    interrupt_begin();
    if (s == STATUS_OK && r.left > 0) {
        s = open_pool(&r, diag);
        if (s == STATUS_OK)
            s = run_images(&r, diag);
        process_pool_close(&r.pool);
    }
    interrupt_end();
    eval_log_close(&r.log);
    out->missing = r.left;
    out->signal = r.left > 0 ? interrupt_name() : NULL;
    out->seconds = clock_s() - begun_s;
    mem_free(r.opening);
    mem_free(r.working);
    return s;
}
