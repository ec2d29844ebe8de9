/* Runs cases on subjects in worker processes: the parent. */
#include "conformance/judge/runner.h"

#include "conformance/judge/repro.h"
#include "conformance/util/clock.h"
#include "conformance/util/message.h"
#include "conformance/util/process.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MAX = 1024 };
/* Ending takes no longer than this, or it hangs. */
static const double end_timeout_s = 30;

size_t runner_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (size_t)n : 1;
}

/* Jobs [next, end): neighbours, of one op on one subject. */
struct range {
    size_t next, end;
};

struct slot {
    struct worker worker;
    struct range range;
    bool busy;
    bool ending; /* told to quit */
    size_t job;
    double deadline;
};

struct runner {
    const struct run_request *request;
    struct run_outcome *outcome;
    struct range *groups; /* not yet given to a worker */
    size_t group_count;
    struct slot *slots;
    size_t slot_count;
    struct judge_stage *stages; /* one for each slot, shared with the workers */
    size_t jobs, done, failed;
};

/* ---- who does what ---- */

static enum status make_groups(struct runner *r, struct diag *diag)
{
    const struct run_request *const q = r->request;
    const size_t jobs = q->subject_count * q->case_count;

    r->groups = mem_alloc(jobs, sizeof *r->groups);
    if (!r->groups)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu jobs: out of memory", jobs);
    for (size_t i = 0; i < jobs; i++) {
        const bool first = i % q->case_count == 0;

        if (first || q->cases[i % q->case_count].code != q->cases[i % q->case_count - 1].code)
            r->groups[r->group_count++] = (struct range){ i, i };
        r->groups[r->group_count - 1].end = i + 1;
    }
    return STATUS_OK;
}

static size_t left(const struct range *range)
{
    return range->end - range->next;
}

/* The next job of a slot: of its own range, of a fresh group, or of what another has left.  Absent
 * ones, too. */
static bool any_job(struct runner *r, struct slot *slot, size_t *job)
{
    if (left(&slot->range) == 0 && r->group_count > 0) {
        slot->range = r->groups[0];
        r->group_count--;
        memmove(r->groups, r->groups + 1, r->group_count * sizeof *r->groups);
    }
    if (left(&slot->range) == 0) {
        struct slot *richest = slot;

        for (size_t i = 0; i < r->slot_count; i++) {
            if (left(&r->slots[i].range) > left(&richest->range))
                richest = &r->slots[i];
        }
        slot->range.end = richest->range.end;
        richest->range.end -= (left(&richest->range) + 1) / 2;
        slot->range.next = richest->range.end;
    }
    if (left(&slot->range) == 0)
        return false;
    *job = slot->range.next++;
    return true;
}

static bool next_job(struct runner *r, struct slot *slot, size_t *job)
{
    while (any_job(r, slot, job)) {
        if (!r->outcome->results[*job].absent)
            return true;
    }
    return false;
}

/* The jobs that there are: a subject may leave cases to others. */
static void find_absent(struct runner *r)
{
    const struct run_request *const q = r->request;

    r->jobs = r->outcome->count;
    for (size_t i = 0; i < r->outcome->count; i++) {
        r->outcome->results[i].absent =
            !subject_runs(&q->subjects[i / q->case_count], &q->cases[i % q->case_count]);
        r->jobs -= r->outcome->results[i].absent;
    }
}

/* ---- results ---- */

static void show_progress(const struct runner *r, const char *name)
{
    if (r->failed > 0)
        message_progress(r->request->quiet, "conformance: %zu of %zu, %zu failed: %s", r->done,
                         r->jobs, r->failed, name);
    else
        message_progress(r->request->quiet, "conformance: %zu of %zu: %s", r->done, r->jobs, name);
}

static void store(struct runner *r, size_t job, const struct case_result *result)
{
    r->outcome->results[job] = *result;
    r->done++;
    r->failed += result->status != CASE_PASS && result->status != CASE_DECLINED;
    show_progress(r, r->request->cases[job % r->request->case_count].name);
}

/* How a process ended, in words: "SIGSEGV", "exit status 1". */
static void describe_end(int status, char *text, size_t bytes)
{
    if (WIFSIGNALED(status))
        snprintf(text, bytes, "%s", signal_name(WTERMSIG(status)));
    else
        snprintf(text, bytes, "exit status %d", WEXITSTATUS(status));
}

/* The model and the inputs of a case whose process is gone; its outputs are lost. */
static void save_repro(const struct runner *r, size_t job, struct case_result *result)
{
    const struct run_request *const q = r->request;
    const struct test_case *const c = &q->cases[job % q->case_count];
    const struct subject *const subject = &q->subjects[job / q->case_count];
    const struct case_request request = { result->has_set ? result->set : SET_RANDOM, q->seed,
                                          subject->bounds == BOUNDS_FP16 };
    const size_t used = strlen(result->reason);
    struct case_instance instance;
    char path[PATH_MAX];
    struct diag diag;
    enum status s;

    if (!q->repro_dir || case_build(c, &request, &instance, NULL) != STATUS_OK)
        return;
    s = repro_open(q->repro_dir, c->name, subject->label, path, &diag);
    if (s == STATUS_OK)
        s = repro_save_instance(path, &instance, &diag);
    if (s != STATUS_OK)
        snprintf(result->reason + used, sizeof result->reason - used, " (--repro-dir: %s)",
                 diag.text);
    case_instance_close(&instance);
}

/* The process of a busy slot is gone, or goes now because its time is up. */
static void lose(struct runner *r, struct slot *slot, bool timed_out)
{
    const struct judge_stage stage = r->stages[slot - r->slots];
    struct case_result result = { .status = timed_out ? CASE_TIMEOUT : CASE_CRASH };
    char words[200], end[64];

    worker_last_words(&slot->worker, words, sizeof words);
    describe_end(worker_end(&slot->worker, timed_out), end, sizeof end);
    result.has_set = stage.set >= 0 && stage.set < SET_COUNT;
    result.set = result.has_set ? (enum data_set)stage.set : SET_RANDOM;
    if (timed_out)
        snprintf(end, sizeof end, "no answer within %g s", r->request->timeout_s);
    snprintf(result.reason, sizeof result.reason, "%s%s%s: %.*s%s%s", end,
             result.has_set ? " in " : "", result.has_set ? data_set_name(result.set) : "",
             (int)sizeof stage.what - 1, stage.what, words[0] ? "; " : "", words);
    slot->busy = false;
    save_repro(r, slot->job, &result);
    store(r, slot->job, &result);
}

/* ---- the child ---- */

enum { QUIT = -1 };

struct errand {
    const struct run_request *run;
    struct judge_stage *stage; /* in memory shared with the parent */
};

/* The delegate of a subject is kept for all of its cases: pipelines live in it. */
static void serve(int socket, void *user)
{
    const struct errand *const e = user;
    struct judge **const judges = mem_alloc(e->run->subject_count, sizeof(struct judge *));
    int32_t job;

    while (judges && worker_read(socket, &job, sizeof job) && job != QUIT) {
        const size_t subject = (size_t)job / e->run->case_count;
        const struct judge_options options = { e->run->seed, e->run->repro_dir, e->stage };
        struct case_result result = { .status = CASE_PASS };
        struct diag diag;

        *e->stage = (struct judge_stage){ -1, "create" };
        if (!judges[subject] &&
            judge_open(&judges[subject], &e->run->subjects[subject], &options, &diag) != STATUS_OK)
            result_fail(&result, "create: %s", diag.text);
        else
            judge_case(judges[subject], &e->run->cases[(size_t)job % e->run->case_count], &result);
        *e->stage = (struct judge_stage){ -1, "idle" };
        if (!worker_write(socket, &result, sizeof result))
            break;
    }
    *e->stage = (struct judge_stage){ -1, "destroy" };
    for (size_t i = 0; judges && i < e->run->subject_count; i++) {
        judge_close(judges[i]);
        subject_close(&e->run->subjects[i]);
    }
    mem_free(judges);
}

/* ---- running ---- */

static enum status start(struct runner *r, struct slot *slot, struct diag *diag)
{
    struct errand errand = { r->request, &r->stages[slot - r->slots] };

    *errand.stage = (struct judge_stage){ -1, "start" };
    return worker_start(&slot->worker, serve, &errand, diag);
}

/* Gives the slot a job; without one the process is told to quit. */
static enum status feed(struct runner *r, struct slot *slot, struct diag *diag)
{
    size_t job;

    if (!next_job(r, slot, &job)) {
        if (slot->worker.pid > 0) {
            slot->ending = true;
            slot->deadline = clock_s() + end_timeout_s;
            worker_send(&slot->worker, &(int32_t){ QUIT }, sizeof(int32_t));
        }
        return STATUS_OK;
    }
    if (slot->worker.pid == 0)
        TRY(start(r, slot, diag));
    slot->job = job;
    slot->busy = true;
    slot->deadline = clock_s() + r->request->timeout_s;
    if (!worker_send(&slot->worker, &(int32_t){ (int32_t)job }, sizeof(int32_t)))
        lose(r, slot, false);
    return STATUS_OK;
}

/* The process is gone after its last case, as it should, or hangs there. */
static void finish(struct runner *r, struct slot *slot, bool timed_out)
{
    char words[128], end[64] = "";
    int status;

    worker_last_words(&slot->worker, words, sizeof words);
    status = worker_end(&slot->worker, timed_out);
    slot->ending = false;
    if (!timed_out && status == 0)
        return;
    if (timed_out)
        snprintf(end, sizeof end, "no end within %g s", end_timeout_s);
    else
        describe_end(status, end, sizeof end);
    if (r->outcome->broken_ends++ == 0)
        snprintf(r->outcome->end, sizeof r->outcome->end,
                 "a worker process, after its last case: %s (%.*s)%s%s", end,
                 (int)sizeof r->stages[0].what - 1, r->stages[slot - r->slots].what,
                 words[0] ? "; " : "", words);
}

static void take(struct runner *r, struct slot *slot)
{
    struct case_result result;

    if (!worker_read(slot->worker.socket, &result, sizeof result)) {
        lose(r, slot, false);
        return;
    }
    slot->busy = false;
    store(r, slot->job, &result);
}

static bool is_waiting(const struct slot *slot)
{
    return slot->busy || slot->ending;
}

/* Milliseconds until the first deadline. */
static int time_left(const struct runner *r)
{
    double first = INFINITY;

    for (size_t i = 0; i < r->slot_count; i++) {
        if (is_waiting(&r->slots[i]))
            first = fmin(first, r->slots[i].deadline);
    }
    first = ceil((first - clock_s()) * 1000);
    return first < 0 ? 0 : first > 60000 ? 60000 : (int)first;
}

static enum status step(struct runner *r, struct pollfd *fds, struct diag *diag)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        fds[i] = (struct pollfd){ .fd = is_waiting(&r->slots[i]) ? r->slots[i].worker.socket : -1,
                                  .events = POLLIN };
    }
    if (poll(fds, (nfds_t)r->slot_count, time_left(r)) < 0 && errno != EINTR)
        return diag_fail(diag, STATUS_IO, "poll: %s", strerror(errno));
    for (size_t i = 0; i < r->slot_count; i++) {
        struct slot *const slot = &r->slots[i];
        const bool late = is_waiting(slot) && clock_s() >= slot->deadline;

        if (!is_waiting(slot) || (!fds[i].revents && !late))
            continue;
        if (slot->ending) {
            finish(r, slot, !fds[i].revents);
            continue;
        }
        if (fds[i].revents)
            take(r, slot);
        else
            lose(r, slot, true);
        TRY(feed(r, slot, diag));
    }
    return STATUS_OK;
}

static bool any_waiting(const struct runner *r)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        if (is_waiting(&r->slots[i]))
            return true;
    }
    return false;
}

static enum status run(struct runner *r, struct diag *diag)
{
    struct pollfd *const fds = mem_alloc(r->slot_count, sizeof *fds);
    enum status s = fds ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "runner: out of memory");

    for (size_t i = 0; i < r->slot_count && s == STATUS_OK; i++)
        s = feed(r, &r->slots[i], diag);
    while (s == STATUS_OK && any_waiting(r))
        s = step(r, fds, diag);
    mem_free(fds);
    return s;
}

enum status runner_run(const struct run_request *request, struct run_outcome *outcome,
                       struct diag *diag)
{
    const size_t jobs = request->jobs ? request->jobs : runner_processors();
    struct runner r = { .request = request, .outcome = outcome };
    size_t stage_bytes;
    enum status s;

    *outcome = (struct run_outcome){ .count = request->subject_count * request->case_count };
    r.slot_count = jobs < outcome->count ? jobs : outcome->count;
    if (r.slot_count > WORKERS_MAX)
        r.slot_count = WORKERS_MAX;
    if (outcome->count > INT32_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%zu checks are too many", outcome->count);
    stage_bytes = (r.slot_count + 1) * sizeof *r.stages;
    outcome->results = mem_alloc(outcome->count, sizeof *outcome->results);
    r.slots = mem_alloc(r.slot_count, sizeof *r.slots);
    r.stages = mmap(NULL, stage_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.stages == MAP_FAILED)
        r.stages = NULL;
    s = outcome->results && r.slots && r.stages
            ? make_groups(&r, diag)
            : diag_fail(diag, STATUS_NO_MEMORY, "runner: out of memory");
    for (size_t i = 0; r.slots && i < r.slot_count; i++)
        r.slots[i].worker = (struct worker){ .pid = 0, .socket = -1, .log = -1 };
    if (s == STATUS_OK) {
        find_absent(&r);
        s = run(&r, diag);
    }
    message_progress_end();
    for (size_t i = 0; r.slots && i < r.slot_count; i++)
        worker_end(&r.slots[i].worker, true);
    if (r.stages)
        munmap(r.stages, stage_bytes);
    mem_free(r.groups);
    mem_free(r.slots);
    if (s != STATUS_OK)
        run_outcome_close(outcome);
    return s;
}

void run_outcome_close(struct run_outcome *outcome)
{
    mem_free(outcome->results);
    *outcome = (struct run_outcome){ .count = 0 };
}

/* ---- is there a device at all ---- */

struct answer {
    enum status status;
    char text[sizeof((struct diag *)0)->text];
    struct judge_device device;
};

static void try_subject(int socket, void *user)
{
    const struct judge_options options = { 1, NULL, NULL };
    struct answer answer;
    struct judge *judge;
    struct diag diag = { .status = STATUS_OK };

    memset(&answer, 0, sizeof answer);
    answer.status = judge_open(&judge, user, &options, &diag);
    snprintf(answer.text, sizeof answer.text, "%s", diag.text);
    if (judge)
        judge_device(judge, &answer.device);
    worker_write(socket, &answer, sizeof answer);
    judge_close(judge);
    subject_close(user);
}

enum status runner_probe(struct subject *subject, double timeout_s, struct judge_device *device,
                         struct diag *diag)
{
    struct answer answer;
    struct worker w;
    struct pollfd fd;
    char words[200], end[64];
    bool answered, late;

    memset(device, 0, sizeof *device);
    TRY(worker_start(&w, try_subject, subject, diag));
    fd = (struct pollfd){ .fd = w.socket, .events = POLLIN };
    late = poll(&fd, 1, (int)fmin(timeout_s * 1000, 3600e3)) == 0;
    answered = !late && worker_read(w.socket, &answer, sizeof answer);
    worker_last_words(&w, words, sizeof words);
    /* What it does when it is destroyed is seen by the workers; here only that it starts. */
    describe_end(worker_end(&w, true), end, sizeof end);
    if (late)
        return diag_fail(diag, STATUS_DEVICE, "%s: no delegate within %g s", subject->label,
                         timeout_s);
    if (!answered)
        return diag_fail(diag, STATUS_DEVICE, "%s: creating a delegate ended the process: %s%s%s",
                         subject->label, end, words[0] ? "; " : "", words);
    *device = answer.device;
    if (answer.status != STATUS_OK)
        return diag_fail(diag, answer.status, "%s", answer.text);
    return STATUS_OK;
}
