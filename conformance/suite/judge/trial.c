/* Sends models and inputs to a process, which answers with outputs or a verdict. */
#include "conformance/suite/judge/trial.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/case_run.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* The head of a request; the file and the inputs of both frames follow. */
struct request {
    bool judges; /* trial_judge, else trial_run */
    bool reopen;
    size_t repeats;
    const struct test_case *test_case; /* the process is a copy of this one: it has it, too */
    enum data_set set;
    size_t file_bytes;             /* 0: the model of the last request */
    struct case_instance instance; /* its pointers are of the sender, and say what follows */
};

/* The head of an answer; the data of the outputs follow. */
struct answer {
    enum status status; /* of this program */
    char text[256];
    struct trial trial; /* with sizes in the place of the outputs' data */
};

/* ---- the process ---- */

struct server {
    struct trial_host *host;
    struct judge *judge;
    struct case_instance instance;
    struct model model;
    struct engine *engine;
    char report[256]; /* the last message of whoever runs the model */
};

static void close_model(struct server *s)
{
    engine_close(s->engine);
    s->engine = NULL;
    model_close(&s->model);
}

static bool receive(int socket, const struct request *q, struct server *s)
{
    struct case_instance *const x = &s->instance;
    const struct tflite_file file = x->file;

    if (q->file_bytes > 0)
        close_model(s); /* it borrows the file */
    for (size_t i = 0; i < x->input_count; i++) {
        for (int frame = 0; frame < 2; frame++) {
            mem_free(x->inputs[i].data[frame]);
            x->inputs[i].data[frame] = NULL;
        }
    }
    *x = q->instance;
    x->file = file;
    for (size_t i = 0; i < x->input_count; i++)
        x->inputs[i].data[0] = x->inputs[i].data[1] = NULL;
    if (q->file_bytes > 0) {
        mem_free(x->file.bytes);
        x->file.count = q->file_bytes;
        x->file.bytes = mem_alloc(q->file_bytes, 1);
        if (!x->file.bytes || !process_read(socket, x->file.bytes, q->file_bytes))
            return false;
    }
    for (size_t i = 0; i < x->input_count; i++) {
        for (int frame = 0; frame < 2; frame++) {
            if (!q->instance.inputs[i].data[frame])
                continue;
            x->inputs[i].data[frame] = mem_alloc(x->inputs[i].bytes ? x->inputs[i].bytes : 1, 1);
            if (!x->inputs[i].data[frame] ||
                !process_read(socket, x->inputs[i].data[frame], x->inputs[i].bytes))
                return false;
        }
    }
    return true;
}

static void take_report(void *user, const char *format, va_list args)
{
    struct server *const s = user;

    vsnprintf(s->report, sizeof s->report, format, args);
}

static void fail(struct trial *t, enum case_status status, const char *what, const char *why)
{
    t->status = status;
    snprintf(t->reason, sizeof t->reason, "%s: %.400s", what, why);
}

static bool open_model(struct server *s, struct trial *t)
{
    struct engine_request request = { .subject = s->judge->subject,
                                      .delegate = s->judge->delegates[DELEGATE_PLAIN],
                                      .model = &s->model,
                                      .poison_word = TRIAL_POISON_WORD,
                                      .stand_in = s->host->stand_in,
                                      .report = take_report,
                                      .report_user = s };
    const double start = clock_ms();
    struct diag diag;

    s->report[0] = '\0';
    if (tflite_read(&s->model, s->instance.file.bytes, s->instance.file.count, &diag) !=
        STATUS_OK) {
        fail(t, CASE_FAIL, "the reader refuses it", diag.text);
        return false;
    }
    if (engine_open(&request, &s->engine, &diag) != STATUS_OK) {
        fail(t, CASE_FAIL, "prepare", diag.text);
        close_model(s);
        return false;
    }
    t->open_ms = clock_ms() - start;
    return true;
}

static void stage(struct server *s, const char *what)
{
    s->host->stage->set = -1;
    snprintf(s->host->stage->what, sizeof s->host->stage->what, "%s", what);
}

/* One inference from reset variables. */
static bool infer(struct server *s, struct trial *t, double *ms)
{
    const struct case_instance *const x = &s->instance;
    struct diag diag;

    stage(s, "invoke");
    if (engine_reset(s->engine, &diag) != STATUS_OK ||
        engine_write(s->engine, x, 0, &diag) != STATUS_OK) {
        fail(t, CASE_FAIL, "inputs", diag.text);
        return false;
    }
    if (engine_invoke_timed(s->engine, ms, &diag) != STATUS_OK) {
        fail(t, CASE_FAIL, "invoke", diag.text);
        return false;
    }
    if (t->outputs.count > 0)
        return true;
    if (engine_read(s->engine, &t->outputs, &diag) != STATUS_OK) {
        fail(t, CASE_FAIL, "outputs", diag.text);
        return false;
    }
    if (engine_check(s->engine, x, 0, &diag) != STATUS_OK) {
        fail(t, CASE_FAIL, "check", diag.text);
        return false;
    }
    return true;
}

static void run_model(struct server *s, const struct request *q, struct trial *t)
{
    double sum = 0, squares = 0, ms;

    *t = (struct trial){ .status = CASE_PASS };
    stage(s, "prepare");
    if (!s->engine && !open_model(s, t))
        return;
    t->nodes = s->model.subgraphs[0].operator_count;
    for (size_t n = 0; n < t->nodes; n++)
        t->taken += engine_is_taken(s->engine, (int)n);
    if (t->taken == 0) {
        const char *const why = engine_refusal(s->engine);

        fail(t, CASE_DECLINED, "not taken", why[0] ? why : s->report);
        return;
    }
    /* Drivers compile at the first inference: it is not timed where others follow. */
    if (q->repeats > 1 && t->open_ms > 0 && !infer(s, t, &ms))
        return;
    for (size_t i = 0; i < q->repeats; i++) {
        if (!infer(s, t, &ms))
            return;
        sum += ms;
        squares += ms * ms;
        t->ms = i == 0 || ms < t->ms ? ms : t->ms;
    }
    t->mean_ms = sum / (double)q->repeats;
    t->std_ms = sqrt(fmax(squares / (double)q->repeats - t->mean_ms * t->mean_ms, 0));
}

/* The same where an agent runs the model, whose end is the trial's. */
static void run_and_note_end(struct server *s, const struct request *q, struct trial *t)
{
    static const enum case_status statuses[] = { [ENGINE_CRASHED] = CASE_CRASH,
                                                 [ENGINE_LATE] = CASE_TIMEOUT,
                                                 [ENGINE_LOST] = CASE_CRASH,
                                                 [ENGINE_BROKEN] = CASE_FAIL };
    enum engine_end how;
    char why[480];

    engine_begin(s->judge->subject, s->host->timeout_s);
    run_model(s, q, t);
    how = engine_ended(s->judge->subject, why, sizeof why);
    if (how == ENGINE_RUNS)
        return;
    outputs_close(&t->outputs);
    close_model(s);
    fail(t, statuses[how], s->host->stage->what, why);
}

static bool send_trial(int socket, struct answer *a)
{
    struct outputs *const o = &a->trial.outputs;
    bool ok = process_write(socket, a, sizeof *a);

    for (size_t i = 0; i < o->count && ok; i++)
        ok = process_write(socket, o->items[i].data, o->items[i].bytes);
    outputs_close(o);
    return ok;
}

static bool answer(int socket, struct server *s, const struct request *q)
{
    const struct judge_options options = { .seed = s->host->seed,
                                           .repro_dir = s->host->repro_dir,
                                           .stage = s->host->stage };
    struct answer a;
    struct case_result result = { .status = CASE_PASS };
    struct diag diag;

    memset(&a, 0, sizeof a);
    stage(s, "create");
    if (!s->judge && judge_open(&s->judge, s->host->subject, &options, &diag) != STATUS_OK) {
        a.status = diag.status;
        snprintf(a.text, sizeof a.text, "%.*s", (int)sizeof a.text - 1, diag.text);
        fail(&a.trial, CASE_FAIL, "create", diag.text);
        result_fail(&result, "create: %s", diag.text);
    } else if (q->judges) {
        s->judge->repro_below = s->host->repro_below;
        judge_instance(s->judge, q->test_case, q->set, &s->instance, &result);
    } else {
        run_and_note_end(s, q, &a.trial);
    }
    stage(s, "idle");
    return q->judges ? process_write(socket, &result, sizeof result) : send_trial(socket, &a);
}

static void serve(int socket, void *user)
{
    struct server s = { .host = user };
    struct request q;

    while (process_read(socket, &q, sizeof q)) {
        if (q.reopen)
            close_model(&s);
        if (!receive(socket, &q, &s) || !answer(socket, &s, &q))
            break;
    }
    stage(&s, "destroy");
    close_model(&s);
    case_instance_close(&s.instance);
    judge_close(s.judge);
    subject_close(s.host->subject);
}

/* ---- this process ---- */

enum status trial_host_open(struct trial_host *h, struct subject *subject, double timeout_s,
                            uint64_t seed, struct diag *diag)
{
    *h = (struct trial_host){ .subject = subject, .timeout_s = timeout_s, .seed = seed };
    h->stage =
        mmap(NULL, sizeof *h->stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (h->stage == MAP_FAILED) {
        h->stage = NULL;
        return diag_fail(diag, STATUS_NO_MEMORY, "trial: no shared memory");
    }
    return STATUS_OK;
}

void trial_host_close(struct trial_host *h)
{
    if (h->process.pid > 0)
        process_end(&h->process, true);
    if (h->stage)
        munmap(h->stage, sizeof *h->stage);
    *h = (struct trial_host){ .subject = NULL };
}

static bool send_request(struct trial_host *h, struct request *q, const struct case_instance *x)
{
    bool ok;

    q->instance = *x;
    ok = process_send(&h->process, q, sizeof *q) &&
         (q->file_bytes == 0 || process_send(&h->process, x->file.bytes, q->file_bytes));
    for (size_t i = 0; i < x->input_count; i++) {
        for (int frame = 0; frame < 2 && ok; frame++) {
            if (x->inputs[i].data[frame])
                ok = process_send(&h->process, x->inputs[i].data[frame], x->inputs[i].bytes);
        }
    }
    return ok;
}

/* Ends a process that died or hangs, and says how. */
static enum case_status end_process(struct trial_host *h, bool late, char *reason, size_t bytes)
{
    const bool has_set = h->stage->set >= 0 && h->stage->set < SET_COUNT;
    char words[200], end[64];

    process_last_words(&h->process, words, sizeof words);
    process_describe_end(process_end(&h->process, late), end, sizeof end);
    h->process = (struct process){ .pid = 0 };
    if (late)
        snprintf(end, sizeof end, "no answer within %g s", h->timeout_s);
    /* As the runner says it, so that both are alike. */
    snprintf(reason, bytes, "%s%s%s: %.*s%s%s", end, has_set ? " in " : "",
             has_set ? data_set_name((enum data_set)h->stage->set) : "",
             (int)sizeof h->stage->what - 1, h->stage->what, words[0] ? "; " : "", words);
    return late ? CASE_TIMEOUT : CASE_CRASH;
}

/* Sends a request and reads the head of the answer.  False: the process died or hangs, as *status
 * and reason say, or a signal came: it is missing. */
static bool exchange(struct trial_host *h, struct request *q, const struct case_instance *x,
                     void *head, size_t head_bytes, enum case_status *status, char *reason,
                     size_t reason_bytes)
{
    enum process_event event = PROCESS_READABLE;

    process_expect(&h->process, h->timeout_s);
    if (send_request(h, q, x))
        event = process_wait(&h->process);
    if (event == PROCESS_READABLE && process_read(h->process.socket, head, head_bytes))
        return true;
    *status = end_process(h, event != PROCESS_READABLE, reason, reason_bytes);
    if (event == PROCESS_NOTHING) {
        *status = CASE_MISSING;
        snprintf(reason, reason_bytes, "%s", interrupt_name());
    }
    return false;
}

static enum status start(struct trial_host *h, bool *started, struct diag *diag)
{
    *started = h->process.pid == 0;
    if (!*started)
        return STATUS_OK;
    *h->stage = (struct judge_stage){ .set = -1, .what = "start" };
    return process_start(&h->process, PROCESS_OUTPUT_LOG, serve, h, diag);
}

/* STATUS_IO: the process died. */
static enum status read_outputs(struct trial_host *h, struct outputs *o, struct diag *diag)
{
    bool ok = true;

    if (o->count > OUTPUTS_MAX) {
        o->count = 0;
        return STATUS_IO;
    }
    for (size_t i = 0; i < o->count; i++)
        o->items[i].data = NULL;
    for (size_t i = 0; i < o->count && ok; i++) {
        o->items[i].data = mem_alloc(o->items[i].bytes, 1);
        if (!o->items[i].data)
            return diag_fail(diag, STATUS_NO_MEMORY, "output %zu: no memory for its %zu bytes", i,
                             o->items[i].bytes);
        ok = process_read(h->process.socket, o->items[i].data, o->items[i].bytes);
    }
    return ok ? STATUS_OK : STATUS_IO;
}

enum status trial_run(struct trial_host *h, const struct case_instance *x, bool reopen,
                      size_t repeats, struct trial *t, struct diag *diag)
{
    struct request q;
    struct answer a;
    enum status s;
    bool started;

    memset(&q, 0, sizeof q);
    *t = (struct trial){ .status = CASE_PASS };
    TRY(start(h, &started, diag));
    q.repeats = repeats;
    q.reopen = reopen || started;
    q.file_bytes = q.reopen ? x->file.count : 0;
    if (!exchange(h, &q, x, &a, sizeof a, &t->status, t->reason, sizeof t->reason))
        return STATUS_OK;
    *t = a.trial;
    s = read_outputs(h, &t->outputs, diag);
    if (s != STATUS_OK) { /* what it sends is out of step from here on */
        t->status = end_process(h, s == STATUS_NO_MEMORY, t->reason, sizeof t->reason);
        outputs_close(&t->outputs);
    }
    if (s == STATUS_NO_MEMORY)
        return s;
    return a.status == STATUS_OK ? STATUS_OK : diag_fail(diag, a.status, "%s", a.text);
}

void trial_close(struct trial *t)
{
    outputs_close(&t->outputs);
}

enum status trial_judge(struct trial_host *h, const struct test_case *c, enum data_set set,
                        const struct case_instance *x, struct case_result *result,
                        struct diag *diag)
{
    struct request q;
    bool started;

    memset(&q, 0, sizeof q);
    *result = (struct case_result){ .status = CASE_PASS };
    TRY(start(h, &started, diag));
    q.judges = q.reopen = true;
    q.file_bytes = x->file.count;
    q.test_case = c;
    q.set = set;
    exchange(h, &q, x, result, sizeof *result, &result->status, result->reason,
             sizeof result->reason);
    return STATUS_OK;
}
