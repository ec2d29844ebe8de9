#include "conformance/tools/eval/eval_worker.h"

#include "conformance/suite/io/image_read.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/util/clock.h"
#include "conformance/util/json_parse.h"
#include "conformance/util/json_text.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    json_t *const o = json_object();

    json_object_set_new(o, "index", json_integer((json_int_t)i));
    json_object_set_new(o, "image", json_text(w->start->images->items[i].name));
    json_object_set_new(o, "state", json_string(eval_state_name(state)));
    if (reason)
        json_object_set_new(o, "reason", json_text(reason));
    return o;
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

void eval_worker_serve(int socket, void *user)
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
