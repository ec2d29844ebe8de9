#include "conformance/tools/eval/eval_run.h"

#include "conformance/suite/io/image_read.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/tools/eval/eval_log.h"
#include "conformance/tools/eval/eval_task.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/json_parse.h"
#include "conformance/util/json_text.h"
#include "conformance/util/process.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a worker process: opens both sides, decodes images, runs them, and answers in JSON ---- */

struct eval_worker_start {
    const struct eval_request *request;
    const struct eval_task *task;
    const struct eval_images *images;
    bool alone; /* no other worker: software devices may use all processors */
};

/* What it sends first, and before the text of each answer. */
struct eval_worker_head {
    enum status status; /* other than OK: the run ends, text says why */
    char text[512];
    struct eval_hello hello; /* of the first head */
    size_t bytes;            /* of the JSON that follows; of the first head 0 */
};

static const size_t image_bytes_max = (size_t)1 << 30;

/* The subject or the reference, open. */
struct side {
    struct subject *subject; /* NULL: there is none */
    TfLiteDelegate *delegate;
    struct engine *engine;
    struct outputs got;
    double ms;
};

struct worker {
    const struct eval_worker_start *start;
    struct side sides[EVAL_SIDES];
    struct case_instance instance;
    char report[256]; /* the last message of whoever runs the model */
};

/* ---- opening ---- */

static void take_report(void *user, const char *format, va_list args)
{
    struct worker *const w = user;

    vsnprintf(w->report, sizeof w->report, format, args);
}

static enum status open_side(struct worker *w, struct side *s, struct diag *diag)
{
    /* Every partition, not only the largest. */
    const struct subject_option all = { "max_partitions", "0" };
    struct engine_request request = { .subject = s->subject,
                                      .model = &w->start->request->model->model,
                                      .report = take_report,
                                      .report_user = w };
    bool ours;

    if (!s->subject)
        return STATUS_OK;
    TRY(subject_load(s->subject, diag));
    ours = s->subject->extras.version && !subject_option(s->subject, all.key);
    TRY(subject_create(s->subject, &all, ours ? 1 : 0, &s->delegate, diag));
    request.delegate = s->delegate;
    return diag_prefix(diag, engine_open(&request, &s->engine, diag), "%s",
                       w->start->request->model->path);
}

static void describe_device(const struct side *s, char *text, size_t bytes)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    char runtime[256];

    text[0] = '\0';
    if (s->delegate && s->subject->extras.get_stats &&
        s->subject->extras.get_stats(s->delegate, &stats) == 0)
        snprintf(text, bytes, "%s", stats.device);
    else if (s->subject->kind && s->subject->kind->describe)
        s->subject->kind->describe(s->subject, text, bytes, runtime, sizeof runtime);
}

static enum status open_sides(struct worker *w, struct eval_hello *hello, struct diag *diag)
{
    const struct eval_request *const q = w->start->request;
    struct side *const s = &w->sides[EVAL_SUBJECT];

    s->subject = q->subject;
    w->sides[EVAL_REFERENCE].subject = q->reference;
    TRY(open_side(w, s, diag));
    hello->nodes = q->model->model.subgraphs[0].operator_count;
    for (uint64_t n = 0; n < hello->nodes; n++)
        hello->taken += engine_is_taken(s->engine, (int)n);
    describe_device(s, hello->device, sizeof hello->device);
    if (hello->taken == 0) {
        const char *const why = engine_refusal(s->engine);

        return diag_fail(diag, STATUS_MISMATCH, "%s: %s takes none of %llu nodes%s%s",
                         q->model->path, s->subject->label, (unsigned long long)hello->nodes,
                         why[0] || w->report[0] ? ": " : "", why[0] ? why : w->report);
    }
    TRY(diag_prefix(diag, open_side(w, &w->sides[EVAL_REFERENCE], diag), "reference"));
    w->instance.input_count = 1;
    w->instance.inputs[0].type = q->model->input.type;
    w->instance.inputs[0].bytes = q->model->input.bytes;
    w->instance.inputs[0].data[0] = mem_alloc(q->model->input.bytes, 1);
    return w->instance.inputs[0].data[0] ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "input");
}

/* ---- an image ---- */

static enum status decode(struct worker *w, size_t i, struct eval_view *view, struct diag *diag)
{
    const struct eval_request *const q = w->start->request;
    struct image im = { 0 };
    uint8_t *bytes;
    size_t count;
    enum status s;

    TRY(file_read(w->start->images->items[i].path, image_bytes_max, &bytes, &count, diag));
    if (count == 0)
        s = diag_fail(diag, STATUS_INVALID, "the file is empty");
    else
        s = image_read(&im, bytes, count, diag);
    mem_free(bytes);
    if (s == STATUS_OK) {
        view->width = im.width;
        view->height = im.height;
        s = preprocess_image(&q->preprocess, &im, &q->model->input, w->instance.inputs[0].data[0],
                             diag);
    }
    image_close(&im);
    return s;
}

static enum status infer(struct worker *w, struct side *s, struct diag *diag)
{
    double start;

    TRY(engine_reset(s->engine, diag));
    TRY(engine_write(s->engine, &w->instance, 0, diag));
    start = clock_ms();
    TRY(engine_invoke(s->engine, diag));
    s->ms = clock_ms() - start;
    return engine_read(s->engine, &s->got, diag);
}

static json_t *line(const struct worker *w, size_t i, enum eval_state state, const char *reason)
{
    return json_pack("{s:I, s:o, s:s, s:o*}", "index", (json_int_t)i, "image",
                     json_text(w->start->images->items[i].name), "state", eval_state_name(state),
                     "reason", reason ? json_text(reason) : NULL);
}

static enum status run_sides(struct worker *w, struct eval_view *view, struct diag *diag)
{
    for (int side = 0; side < EVAL_SIDES; side++) {
        struct side *const s = &w->sides[side];

        if (!s->subject)
            continue;
        TRY(diag_prefix(diag, infer(w, s, diag), "%s",
                        side == EVAL_SUBJECT ? "subject" : "reference"));
        view->got[side] = &s->got;
    }
    return STATUS_OK;
}

/* A status other than OK ends the run. */
static enum status answer(struct worker *w, size_t i, json_t **out, struct diag *diag)
{
    const struct eval_task *const task = w->start->task;
    struct eval_view view = { .image = i };
    json_t *answers[EVAL_SIDES] = { NULL, NULL }, *list;
    bool unusable = false;
    enum status s;

    if (decode(w, i, &view, diag) != STATUS_OK) {
        *out = line(w, i, EVAL_UNREADABLE, diag->text);
        return STATUS_OK;
    }
    if (run_sides(w, &view, diag) != STATUS_OK) {
        *out = line(w, i, EVAL_FAILED, diag->text);
        return STATUS_OK;
    }
    s = task->answer(task->user, &view, answers, &unusable, diag);
    if (s != STATUS_OK && unusable) {
        *out = line(w, i, EVAL_UNREADABLE, diag->text);
        s = STATUS_OK;
    } else if (s == STATUS_OK) {
        *out = line(w, i, EVAL_ANSWERED, NULL);
        list = json_array();
        for (int side = 0; side < EVAL_SIDES && answers[side]; side++)
            json_array_append(list, answers[side]);
        json_object_set_new(*out, "answers", list);
        json_object_set_new(*out, "ms",
                            json_pack("[f,f]", w->sides[0].ms, w->sides[EVAL_REFERENCE].ms));
    }
    for (int side = 0; side < EVAL_SIDES; side++)
        json_decref(answers[side]);
    return diag_prefix(diag, s, "%s", w->start->images->items[i].name);
}

static bool send_answer(int socket, struct worker *w, size_t i)
{
    struct eval_worker_head head = { .status = STATUS_OK };
    struct diag diag = { .status = STATUS_OK };
    json_t *one = NULL;
    char *text = NULL;
    bool ok;

    head.status = answer(w, i, &one, &diag);
    for (int side = 0; side < EVAL_SIDES; side++)
        outputs_close(&w->sides[side].got);
    if (head.status == STATUS_OK) {
        text = json_dumps(one, JSON_COMPACT | JSON_REAL_PRECISION(17));
        if (!text || json_memory_failed())
            head.status = diag_fail(&diag, STATUS_NO_MEMORY, "%s: no memory for its answer",
                                    w->start->images->items[i].name);
    }
    snprintf(head.text, sizeof head.text, "%.*s", (int)sizeof head.text - 1, diag.text);
    head.bytes = head.status == STATUS_OK ? strlen(text) : 0;
    ok = process_write(socket, &head, sizeof head) &&
         (head.bytes == 0 || process_write(socket, text, head.bytes));
    json_decref(one);
    free(text);
    return ok;
}

/* Serves a parent that sends the index of an image (size_t) at a time; user: eval_worker_start. */
static void eval_worker_serve(int socket, void *user)
{
    /* A signal handler of the parent, such as cmocka's, would hide the signal. */
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    struct worker w = { .start = user };
    struct eval_worker_head head = { .status = STATUS_OK };
    struct diag diag = { .status = STATUS_OK };
    size_t i;

    for (size_t n = 0; n < sizeof crashes / sizeof crashes[0]; n++)
        signal(crashes[n], SIG_DFL);
    if (!w.start->alone)
        setenv("LP_NUM_THREADS", "0", 0);
    head.status = open_sides(&w, &head.hello, &diag);
    snprintf(head.text, sizeof head.text, "%.*s", (int)sizeof head.text - 1, diag.text);
    if (process_write(socket, &head, sizeof head) && head.status == STATUS_OK) {
        while (process_read(socket, &i, sizeof i) && send_answer(socket, &w, i))
            ;
    }
    process_leave(0); /* the answers are sent: destructors of libraries are not judged */
}

/* ---- the images of all workers ---- */

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
    json_object_set_new(key, "subject", eval_log_subject(q->subject));
    json_object_set_new(key, "reference", eval_log_subject(q->reference));
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
