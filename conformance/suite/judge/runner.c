/* Feeds worker processes with cases, and takes their results. */
#include "conformance/suite/judge/runner.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/give_up.h"
#include "conformance/suite/judge/repro.h"
#include "conformance/suite/judge/time_left.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/process.h"
#include "conformance/util/progress.h"
#include "conformance/util/random.h"
#include "reference/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { WORKERS_MAX = 1024 };
/* A worker that takes longer than this to destroy its delegates hangs. */
static const double end_timeout_s = 30;
static const uint64_t worker_bytes_default = 512 << 20;

/* Jobs order[next] to order[end - 1], of one op on all subjects: they share pipelines. */
struct range {
    size_t next, end;
};

/* The jobs of one process of the pool. */
struct slot {
    struct process *process;
    struct range range;
    bool grown;  /* it is to be replaced */
    bool ending; /* it was told to quit */
    size_t job;  /* it was given last */
    double since_s;
};

struct runner {
    const struct run_request *request;
    struct run_outcome *outcome;
    size_t *order;
    struct range *groups; /* not yet given to a worker */
    size_t group_count;
    struct process_pool pool;
    struct slot *slots;         /* one for each process */
    struct judge_stage *stages; /* one for each slot, shared with the workers */
    struct give_up *give_up;    /* one for each subject */
    size_t jobs, done, failed;
    struct time_left time;
    struct progress progress;
    const char *last; /* case that was done last */
};

/* Of one case, with its repeats. */
static double case_timeout_s(const struct run_request *q)
{
    return q->timeout_s + (q->repeat.runs > 0 ? q->repeat.limit_s : 0);
}

static const struct test_case *case_of(const struct runner *r, size_t job)
{
    return &r->request->cases[job % r->request->case_count];
}

/* ---- distributing jobs ---- */

/* Cases that are repeated meet what others have left in the process in another order. */
static void shuffle(struct runner *r, size_t begin, size_t end)
{
    struct random_stream stream;

    random_init(&stream, r->request->seed, "order", begin, end, 0);
    for (size_t i = end; i > begin + 1; i--) {
        const size_t other = begin + random_below(&stream, i - begin), last = r->order[i - 1];

        r->order[i - 1] = r->order[other];
        r->order[other] = last;
    }
}

static enum status make_groups(struct runner *r, struct diag *diag)
{
    const struct run_request *const q = r->request;
    const size_t jobs = q->subject_count * q->case_count;
    size_t placed = 0, next;

    r->order = mem_alloc(jobs, sizeof *r->order);
    r->groups = mem_alloc(q->case_count, sizeof *r->groups);
    if (!r->order || !r->groups)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu jobs: out of memory", jobs);
    for (size_t first = 0; first < q->case_count; first = next) {
        const size_t begin = placed;

        for (next = first; next < q->case_count && q->cases[next].code == q->cases[first].code;)
            next++;
        for (size_t subject = 0; subject < q->subject_count; subject++) {
            for (size_t i = first; i < next; i++)
                r->order[placed++] = subject * q->case_count + i;
        }
        if (q->repeat.runs > 0)
            shuffle(r, begin, placed);
        r->groups[r->group_count++] = (struct range){ begin, placed };
    }
    return STATUS_OK;
}

static size_t jobs_left(const struct range *range)
{
    return range->end - range->next;
}

/* Takes a job for a slot: from its own range, else from the next group, else from half of the
 * longest range of another slot.  The case may be absent on its subject. */
static bool take_job(struct runner *r, struct slot *slot, size_t *job)
{
    if (jobs_left(&slot->range) == 0 && r->group_count > 0) {
        slot->range = r->groups[0];
        r->group_count--;
        memmove(r->groups, r->groups + 1, r->group_count * sizeof *r->groups);
    }
    if (jobs_left(&slot->range) == 0) {
        struct slot *longest = slot;

        for (size_t i = 0; i < r->pool.count; i++) {
            if (jobs_left(&r->slots[i].range) > jobs_left(&longest->range))
                longest = &r->slots[i];
        }
        slot->range.end = longest->range.end;
        longest->range.end -= (jobs_left(&longest->range) + 1) / 2;
        slot->range.next = longest->range.end;
    }
    if (jobs_left(&slot->range) == 0)
        return false;
    *job = r->order[slot->range.next++];
    return true;
}

static bool next_job(struct runner *r, struct slot *slot, size_t *job)
{
    while (take_job(r, slot, job)) {
        if (!r->outcome->results[*job].missing)
            continue; /* it is not to be run, or was in an earlier run */
        if (!r->give_up[*job / r->request->case_count].why[0])
            return true;
        time_left_drop(&r->time, case_of(r, *job)->code);
    }
    return false;
}

/* Takes over the results of an earlier run; what is left for the subjects to run is missing. */
static void find_jobs(struct runner *r)
{
    const struct run_request *const q = r->request;

    for (size_t i = 0; i < r->outcome->count; i++) {
        struct case_result *const result = &r->outcome->results[i];

        if (q->known && !q->known[i].absent) {
            *result = q->known[i];
            continue;
        }
        result->absent = true;
        result->missing = subject_runs(&q->subjects[i / q->case_count], case_of(r, i));
        if (!result->missing)
            continue;
        time_left_add(&r->time, case_of(r, i)->code);
        r->jobs++;
    }
}

/* ---- results ---- */

static void show_progress(struct runner *r)
{
    const double left_s = time_left_seconds(&r->time, r->pool.count);
    char failed[48] = "";

    if (left_s >= 0)
        progress_expect(&r->progress, left_s);
    if (r->failed > 0)
        snprintf(failed, sizeof failed, ", %zu failed", r->failed);
    progress_update(&r->progress, (double)r->done, "%zu of %zu%s%s%s", r->done, r->jobs, failed,
                    r->last ? ": " : "", r->last ? r->last : "");
}

static void store(struct runner *r, const struct slot *slot, const struct case_result *result)
{
    const struct run_request *const q = r->request;
    const size_t subject = slot->job / q->case_count;
    struct give_up *const g = &r->give_up[subject];

    r->outcome->results[slot->job] = *result;
    r->done++;
    r->failed += result->status != CASE_PASS && result->status != CASE_DECLINED;
    r->last = case_of(r, slot->job)->name;
    time_left_done(&r->time, case_of(r, slot->job)->code, clock_s() - slot->since_s);
    give_up_note(g, q->give_up, result->status);
    if (g->why[0] && !r->outcome->stopped[0])
        snprintf(r->outcome->stopped, sizeof r->outcome->stopped, "giving up %s after %s",
                 q->subjects[subject].label, g->why);
    if (q->stored)
        q->stored(q->stored_user, subject, slot->job % q->case_count, result);
    show_progress(r);
}

/* The line to the agent was lost, again and again: the case stays missing. */
static void leave_out(struct runner *r, const struct slot *slot, const struct case_result *result)
{
    const struct run_request *const q = r->request;
    const size_t subject = slot->job / q->case_count;
    struct give_up *const g = &r->give_up[subject];

    give_up_note_lost(g, q->give_up);
    snprintf(r->outcome->stopped, sizeof r->outcome->stopped, "%s%.100s: the line was lost: %.100s",
             g->why[0] ? "giving up " : "", q->subjects[subject].label, result->reason);
    r->done++;
    time_left_done(&r->time, case_of(r, slot->job)->code, clock_s() - slot->since_s);
    show_progress(r);
}

/* Writes the model and the inputs of a case whose process died; its outputs are lost. */
static void save_repro(const struct runner *r, size_t job, struct case_result *result)
{
    const struct run_request *const q = r->request;
    const struct test_case *const c = case_of(r, job);
    const struct subject *const subject = &q->subjects[job / q->case_count];
    const struct case_request request = { result->has_set ? result->set : SET_RANDOM, q->seed,
                                          bounds_half(subject->bounds) };
    const struct repro_what what = {
        .directory = q->repro_dir, .test_case = c, .subject = subject, .seed = q->seed
    };
    const size_t used = strlen(result->reason);
    struct case_instance instance;
    struct repro repro;
    struct diag diag;
    enum status s;

    if (!q->repro_dir || case_build(c, &request, &instance, NULL) != STATUS_OK)
        return;
    s = repro_open(&repro, &what, &diag);
    if (s == STATUS_OK)
        s = repro_save_instance(&repro, &instance, &diag);
    if (s == STATUS_OK)
        s = repro_finish(&repro, &what, &instance, result, true, &diag);
    repro_close(&repro);
    if (s != STATUS_OK)
        snprintf(result->reason + used, sizeof result->reason - used, " (--repro-dir: %s)",
                 diag.text);
    case_instance_close(&instance);
}

/* Takes over what the repeats of a case have found, which ended with the process. */
static void keep_repeats(const struct judge_stage *stage, const char *cut,
                         struct case_result *result)
{
    result->repeat = stage->repeat;
    if (result->repeat.asked > 0)
        snprintf(result->repeat.cut, sizeof result->repeat.cut, "%.*s",
                 (int)sizeof result->repeat.cut - 1, cut);
}

/* Stores the result of a case whose process crashed, or took too long and is ended here. */
static void record_loss(struct runner *r, struct slot *slot, bool timed_out)
{
    const struct judge_stage stage = r->stages[slot - r->slots];
    struct case_result result = { .status = timed_out ? CASE_TIMEOUT : CASE_CRASH,
                                  .habits = stage.habits,
                                  .left_out = stage.left_out,
                                  .refused = stage.refused };
    char words[200], end[64];

    process_last_words(slot->process, words, sizeof words);
    process_describe_end(process_end(slot->process, timed_out), end, sizeof end);
    snprintf(result.inputs, sizeof result.inputs, "%.*s", (int)sizeof stage.inputs - 1,
             stage.inputs);
    result.has_set = stage.set >= 0 && stage.set < SET_COUNT;
    result.set = result.has_set ? (enum data_set)stage.set : SET_RANDOM;
    if (timed_out)
        snprintf(end, sizeof end, "no answer within %g s", case_timeout_s(r->request));
    snprintf(result.reason, sizeof result.reason, "%s%s%s: %.*s%s%s", end,
             result.has_set ? " in " : "", result.has_set ? data_set_name(result.set) : "",
             (int)sizeof stage.what - 1, stage.what, words[0] ? "; " : "", words);
    keep_repeats(&stage, end, &result);
    if (result.repeat.asked > 0) { /* the run that ended the process is one of them */
        result.repeat.runs++;
        result.repeat.wrong++;
    }
    save_repro(r, slot->job, &result);
    store(r, slot, &result);
}

/* ---- the child ---- */

enum { QUIT = -1 };

struct worker_args {
    const struct run_request *run;
    struct judge_stage *stage; /* in memory shared with the parent */
};

/* What a worker answers.  Where its own memory ran out, the result says nothing about the subject.
 */
struct answer_of_case {
    bool no_memory;
    bool grown; /* the worker */
    struct case_result result;
};

/* Whether a worker holds more than it may, and not from its first case on, as with a driver that
 * needs so much: the next one would be no smaller. */
static bool has_grown(const struct run_request *run, uint64_t *at_first)
{
    const uint64_t now = process_resident_bytes();
    const uint64_t most = run->worker_bytes ? run->worker_bytes : worker_bytes_default;

    if (*at_first == 0)
        *at_first = now;
    return now > most && now - most / 4 > *at_first;
}

/* A worker process keeps the delegate of a subject for all of its cases, as pipelines live in it.
 */
static void serve(int socket, void *user)
{
    const struct worker_args *const e = user;
    struct judge **const judges = mem_alloc(e->run->subject_count, sizeof(struct judge *));
    struct answer_of_case answer;
    uint64_t at_first = 0;
    int32_t job;

    while (process_read(socket, &job, sizeof job) && job != QUIT) {
        const size_t subject = (size_t)job / e->run->case_count;
        const struct judge_options options = { e->run->seed, e->run->repro_dir, e->stage,
                                               e->run->repeat, case_timeout_s(e->run) };
        const struct test_case *const c = &e->run->cases[(size_t)job % e->run->case_count];
        const long failures = mem_failures();
        bool replaced = false;
        struct case_result result = { .status = CASE_PASS };
        struct diag diag;

        *e->stage = (struct judge_stage){ .set = -1, .what = "create" };
        if (!judges)
            result_fail(&result, "no memory for the judges");
        else if (!judges[subject] && judge_open(&judges[subject], &e->run->subjects[subject],
                                                &options, &diag) != STATUS_OK)
            result_fail(&result, "create: %s", diag.text);
        else if (e->run->run_case)
            replaced = !e->run->run_case(e->run->run_user, judges[subject], c, &result);
        else
            judge_case(judges[subject], c, &result);
        *e->stage = (struct judge_stage){ .set = -1, .what = "idle" };
        answer = (struct answer_of_case){ .no_memory = !judges || (!e->run->run_case &&
                                                                   mem_failures() != failures),
                                          .grown = has_grown(e->run, &at_first) || replaced,
                                          .result = result };
        if (!process_write(socket, &answer, sizeof answer))
            break;
    }
    *e->stage = (struct judge_stage){ .set = -1, .what = "destroy" };
    for (size_t i = 0; judges && i < e->run->subject_count; i++) {
        judge_close(judges[i]);
        subject_close(&e->run->subjects[i]);
    }
    mem_free(judges);
}

/* ---- running ---- */

static enum status start(struct runner *r, struct slot *slot, struct diag *diag)
{
    struct worker_args args = { r->request, &r->stages[slot - r->slots] };

    *args.stage = (struct judge_stage){ .set = -1, .what = "start" };
    return process_start(slot->process, PROCESS_OUTPUT_LOG, serve, &args, diag);
}

static void tell_to_quit(struct slot *slot)
{
    slot->ending = true;
    process_expect(slot->process, end_timeout_s);
    process_send(slot->process, &(int32_t){ QUIT }, sizeof(int32_t));
}

/* Gives the slot its next job.  A process that died between two jobs loses this one as a crash, and
 * the next job gets a new process.  One that has grown, or for which no job is left, is told to
 * quit. */
static enum status feed(struct runner *r, struct slot *slot, struct diag *diag)
{
    while (!slot->grown && next_job(r, slot, &slot->job)) {
        if (slot->process->pid == 0)
            TRY(start(r, slot, diag));
        process_expect(slot->process, case_timeout_s(r->request));
        slot->since_s = clock_s();
        if (process_send(slot->process, &(int32_t){ (int32_t)slot->job }, sizeof(int32_t)))
            return STATUS_OK;
        record_loss(r, slot, false);
    }
    if (slot->process->pid > 0)
        tell_to_quit(slot);
    return STATUS_OK;
}

/* The process was told to quit: notes that it crashed, failed or hung after its last case. */
static void finish(struct runner *r, struct slot *slot, bool timed_out)
{
    char words[128], end[64] = "";
    int status;

    process_last_words(slot->process, words, sizeof words);
    status = process_end(slot->process, timed_out);
    r->outcome->replaced += slot->grown;
    slot->ending = slot->grown = false;
    if (!timed_out && status == 0)
        return;
    if (timed_out)
        snprintf(end, sizeof end, "no end within %g s", end_timeout_s);
    else
        process_describe_end(status, end, sizeof end);
    if (r->outcome->broken_ends++ == 0)
        snprintf(r->outcome->end, sizeof r->outcome->end,
                 "a worker process, after its last case: %s (%.*s)%s%s", end,
                 (int)sizeof r->stages[0].what - 1, r->stages[slot - r->slots].what,
                 words[0] ? "; " : "", words);
}

static enum status take(struct runner *r, struct slot *slot, struct diag *diag)
{
    struct answer_of_case answer;

    if (!process_read(slot->process->socket, &answer, sizeof answer)) {
        record_loss(r, slot, false);
        return STATUS_OK;
    }
    if (answer.no_memory)
        return diag_fail(diag, STATUS_NO_MEMORY,
                         "%s on %s: no memory in the worker, which says nothing about the subject: "
                         "%s",
                         case_of(r, slot->job)->name,
                         r->request->subjects[slot->job / r->request->case_count].label,
                         answer.result.reason[0] ? answer.result.reason
                                                 : "run fewer workers (--jobs)");
    slot->grown = answer.grown;
    if (answer.result.line_lost)
        leave_out(r, slot, &answer.result);
    else
        store(r, slot, &answer.result);
    return STATUS_OK;
}

static enum status step(struct runner *r, struct diag *diag)
{
    TRY(process_pool_wait(&r->pool, diag));
    show_progress(r);
    for (size_t i = 0; i < r->pool.count; i++) {
        struct slot *const slot = &r->slots[i];
        const enum process_event event = slot->process->event;

        if (event == PROCESS_NOTHING)
            continue;
        if (slot->ending)
            finish(r, slot, event == PROCESS_LATE);
        else if (event == PROCESS_READABLE)
            TRY(take(r, slot, diag));
        else
            record_loss(r, slot, true);
        TRY(feed(r, slot, diag));
    }
    return STATUS_OK;
}

/* Until all is done, or the run is interrupted: then what runs is left to process_pool_close. */
static enum status run(struct runner *r, struct diag *diag)
{
    for (size_t i = 0; i < r->pool.count && !interrupt_signal(); i++)
        TRY(feed(r, &r->slots[i], diag));
    while (process_pool_is_busy(&r->pool) && !interrupt_signal())
        TRY(step(r, diag));
    return STATUS_OK;
}

/* A case whose repeats a signal has cut keeps the verdict and the counts that it has. */
static void keep_cut(struct runner *r)
{
    for (size_t i = 0; i < r->pool.count; i++) {
        struct case_result *const result = &r->outcome->results[r->slots[i].job];
        struct case_result cut = { .status = CASE_PASS };

        if (r->slots[i].process->pid == 0 || r->slots[i].ending || !result->missing ||
            r->stages[i].repeat.runs == 0)
            continue;
        process_end(r->slots[i].process, true); /* the counts move no more */
        keep_repeats(&r->stages[i], interrupt_name(), &cut);
        snprintf(cut.inputs, sizeof cut.inputs, "%s", r->stages[i].inputs);
        if (r->stages[i].failed || cut.repeat.wrong > 0)
            result_fail(&cut, "the repeats were cut: %s",
                        r->stages[i].failed ? "it failed before them" : "some of them are wrong");
        store(r, &r->slots[i], &cut);
    }
}

/* Notes what the run did not come to, and why. */
static void conclude(struct runner *r)
{
    struct run_outcome *const o = r->outcome;

    for (size_t i = 0; i < o->count; i++)
        o->missing += o->results[i].missing;
    if (o->missing == 0)
        return;
    o->signal = interrupt_name();
    if (o->signal)
        snprintf(o->stopped, sizeof o->stopped, "%s", o->signal);
}

enum status runner_run(const struct run_request *request, struct run_outcome *outcome,
                       struct diag *diag)
{
    const size_t jobs = request->jobs ? request->jobs : process_count_processors();
    const double begin_s = clock_s();
    struct runner r = { .request = request, .outcome = outcome };
    size_t slots, stage_bytes;
    enum status s;

    *outcome = (struct run_outcome){ .count = request->subject_count * request->case_count };
    slots = jobs < outcome->count ? jobs : outcome->count;
    if (slots > WORKERS_MAX)
        slots = WORKERS_MAX;
    if (outcome->count > INT32_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%zu checks are too many", outcome->count);
    stage_bytes = (slots + 1) * sizeof *r.stages;
    outcome->results = mem_alloc(outcome->count, sizeof *outcome->results);
    r.slots = mem_alloc(slots, sizeof *r.slots);
    r.give_up = mem_alloc(request->subject_count, sizeof *r.give_up);
    r.stages = mmap(NULL, stage_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.stages == MAP_FAILED)
        r.stages = NULL;
    s = outcome->results && r.slots && r.give_up && r.stages
            ? make_groups(&r, diag)
            : diag_fail(diag, STATUS_NO_MEMORY, "runner: out of memory");
    if (s == STATUS_OK)
        s = process_pool_open(&r.pool, slots, diag);
    if (s == STATUS_OK) {
        for (size_t i = 0; i < slots; i++)
            r.slots[i].process = &r.pool.items[i];
        find_jobs(&r);
        progress_begin(&r.progress, request->what ? request->what : "conformance", (double)r.jobs,
                       request->quiet);
        s = run(&r, diag);
        if (s == STATUS_OK && interrupt_signal())
            keep_cut(&r);
        progress_end(&r.progress);
        conclude(&r);
    }
    process_pool_close(&r.pool);
    outcome->seconds = clock_s() - begin_s;
    if (r.stages)
        munmap(r.stages, stage_bytes);
    mem_free(r.order);
    mem_free(r.groups);
    mem_free(r.slots);
    mem_free(r.give_up);
    if (s != STATUS_OK)
        run_outcome_close(outcome);
    return s;
}

void run_outcome_close(struct run_outcome *outcome)
{
    mem_free(outcome->results);
    *outcome = (struct run_outcome){ .count = 0 };
}

/* ---- probing subjects ---- */

struct answer {
    enum status status;
    char text[sizeof((struct diag *)0)->text];
    struct judge_device device;
};

/* Delegates stay, as in a worker, so that the next one opens no device of its own. */
static void try_subjects(int socket, void *user)
{
    const struct prober *const p = user;
    const struct judge_options options = { .seed = 1 };
    struct answer answer;
    int32_t i;

    while (process_read(socket, &i, sizeof i)) {
        struct judge *judge;
        struct diag diag = { .status = STATUS_OK };

        memset(&answer, 0, sizeof answer);
        answer.status = judge_open(&judge, &p->subjects[i], &options, &diag);
        snprintf(answer.text, sizeof answer.text, "%s", diag.text);
        if (judge)
            judge_device(judge, &answer.device);
        if (!process_write(socket, &answer, sizeof answer))
            return;
    }
}

enum status prober_try(struct prober *p, size_t subject, struct judge_device *device,
                       struct diag *diag)
{
    const char *const label = p->subjects[subject].label;
    enum process_event event = PROCESS_READABLE;
    struct answer answer;
    char words[200], end[64];

    memset(device, 0, sizeof *device);
    if (p->process.pid == 0)
        TRY(process_start(&p->process, PROCESS_OUTPUT_LOG, try_subjects, p, diag));
    process_expect(&p->process, p->timeout_s);
    if (process_send(&p->process, &(int32_t){ (int32_t)subject }, sizeof(int32_t)))
        event = process_wait(&p->process);
    if (event == PROCESS_READABLE && process_read(p->process.socket, &answer, sizeof answer)) {
        *device = answer.device;
        return answer.status == STATUS_OK ? STATUS_OK
                                          : diag_fail(diag, answer.status, "%s", answer.text);
    }
    process_last_words(&p->process, words, sizeof words);
    process_describe_end(process_end(&p->process, event != PROCESS_READABLE), end, sizeof end);
    if (event == PROCESS_LATE)
        return diag_fail(diag, STATUS_DEVICE, "%s: no delegate within %g s", label, p->timeout_s);
    return diag_fail(diag, STATUS_DEVICE, "%s: creating a delegate ended the process: %s%s%s",
                     label, end, words[0] ? "; " : "", words);
}

/* Crashes in destroy are noted by the workers. */
void prober_close(struct prober *p)
{
    if (p->process.pid > 0)
        process_end(&p->process, true);
}
