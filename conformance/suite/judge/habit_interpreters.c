/* Opens a model once more, or several times, and expects the first results of each. */

#include "conformance/suite/judge/habit_run.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = ENGINE_EXPECTED_MAX, INTERPRETERS_MAX = 5, ASKS = 6 };

static void checked(struct case_run *run)
{
    result_note_habit(run->result, (enum habit)run->habit, true);
}

/* ---- many runs ---- */

bool habit_check_runs(struct case_run *run)
{
    const bool resets = engine_count_variables(&run->model) > 0;
    struct engine_expected expected[RUNS];
    const struct case_run_setup setup = { .model = &run->model,
                                          .expected = expected,
                                          .expected_count = RUNS };
    struct engine *e = NULL;
    bool ok;

    for (int i = 0; i < RUNS; i++)
        expected[i] = (struct engine_expected){ &run->instance, 0, resets, -1, 0 };
    ok = habit_open(run, &setup, &e);

    for (int i = 1; ok && e && i <= RUNS; i++) {
        char what[64];

        snprintf(what, sizeof what, "other results in run %d of %d", i, RUNS);
        case_run_stage(run, "runs: %d", i);
        ok = habit_repeat(run, e, 0, what);
    }
    if (ok && e)
        checked(run);
    engine_close(e);
    return ok;
}

/* ---- several interpreters ---- */

/* How many: a hash of the name, so that a case has the same number in every run. */
static int interpreters_for(const char *name)
{
    unsigned hash = 0;

    for (; *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    return 2 + (int)(hash % (INTERPRETERS_MAX - 1));
}

/* Asks each for the other frame than its neighbours, then all for the frames that were left. */
static bool ask_in_turns(struct case_run *run, struct engine **e, int count)
{
    const int frames = case_instance_frames(&run->instance);
    char what[96];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            snprintf(what, sizeof what, "other results in interpreter %d of %d that are alive",
                     i + 1, count);
            case_run_stage(run, "interpreters: %d of %d", i + 1, count);
            if (!habit_repeat(run, e[i], (i + round) % frames, what))
                return false;
        }
    }
    return true;
}

bool habit_check_interpreters(struct case_run *run)
{
    const int wanted = interpreters_for(run->test_case->name);
    struct engine *e[INTERPRETERS_MAX] = { NULL };
    int count = 0;
    bool ok = true;

    for (; count < wanted && ok; count++) {
        const struct case_run_setup setup = { .model = &run->model,
                                              .delegate =
                                                  count % 2 ? DELEGATE_SECOND : DELEGATE_PLAIN };

        case_run_stage(run, "interpreters: open %d", count + 1);
        ok = habit_open(run, &setup, &e[count]);
        if (!e[count])
            break;
    }
    if (ok && count == wanted) {
        ok = ask_in_turns(run, e, count);
        for (int i = count - 1; i > 0; i--) {
            engine_close(e[i]);
            e[i] = NULL;
        }
        case_run_stage(run, "interpreters: the first again");
        ok = ok && habit_repeat(run, e[0], 0,
                                "other results in the first interpreter, after the others were "
                                "closed");
        if (ok)
            checked(run);
    }
    for (int i = 0; i < INTERPRETERS_MAX; i++)
        engine_close(e[i]);
    return ok;
}

/* ---- threads ---- */

struct asker {
    struct engine *e;
    struct case_instance x; /* its frame A is what this thread asks for */
    const struct outputs *want;
    int asks; /* that were answered as expected */
    bool differs, failed;
    struct outputs got;
    struct diag diag;
};

static void *ask(void *user)
{
    struct asker *const a = user;
    int output;
    size_t byte;

    for (a->asks = 0; a->asks < ASKS; a->asks++) {
        a->failed = engine_round_trip(a->e, &a->x, &a->diag) != STATUS_OK ||
                    engine_read(a->e, &a->got, &a->diag) != STATUS_OK;
        if (a->failed)
            break;
        a->differs = outputs_differ(a->want, &a->got, a->want->count, &output, &byte);
        if (a->differs)
            break;
        outputs_close(&a->got);
    }
    return NULL;
}

static bool judge_asker(struct case_run *run, struct asker *a, int index)
{
    const struct case_run_setup sizes = { .batch = 0 };
    char what[96];

    if (a->failed)
        return result_fail(run->result, "thread %d of 2: %s", index + 1, a->diag.text);
    snprintf(what, sizeof what, "other results in thread %d of 2, inference %d", index + 1,
             a->asks + 1);
    return !a->differs || habit_same(run, &sizes, &a->x, 0, a->want, &a->got, what);
}

static bool run_threads(struct case_run *run, struct asker *askers)
{
    pthread_t threads[2];
    bool started[2], ok = true;

    case_run_stage(run, "threads");
    for (int i = 0; i < 2; i++)
        started[i] = pthread_create(&threads[i], NULL, ask, &askers[i]) == 0;
    for (int i = 0; i < 2; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        ok = ok && (started[i] || result_fail(run->result, "no thread can be started"));
    }
    for (int i = 0; i < 2; i++) {
        ok = ok && judge_asker(run, &askers[i], i);
        outputs_close(&askers[i].got);
    }
    if (ok)
        checked(run);
    return ok;
}

bool habit_check_threads(struct case_run *run)
{
    const int frames = case_instance_frames(&run->instance);
    struct asker askers[2] = { { .e = NULL }, { .e = NULL } };
    bool ok = true;

    if (engine_count_variables(&run->model) > 0)
        return true; /* a state would need a reset in between */
    for (int i = 0; i < 2 && ok; i++) {
        const struct case_run_setup setup = { .model = &run->model,
                                              .delegate = i ? DELEGATE_SECOND : DELEGATE_PLAIN };

        askers[i].x = run->instance;
        for (size_t k = 0; k < run->instance.input_count; k++)
            askers[i].x.inputs[k].data[0] = run->instance.inputs[k].data[i % frames];
        askers[i].want = habit_first(run, i % frames);
        ok = habit_open(run, &setup, &askers[i].e);
    }
    if (ok && askers[0].e && askers[1].e)
        ok = run_threads(run, askers);
    for (int i = 0; i < 2; i++)
        engine_close(askers[i].e);
    return ok;
}

/* ---- other delegates ---- */

/* A second interpreter gives what it gave, after the first was closed, and the first what it gave
 * while the second lives. */
static bool ask_both(struct case_run *run, struct engine *first, struct engine **second)
{
    struct outputs once = { .count = 0 }, again = { .count = 0 };
    bool ok;

    case_run_stage(run, "options: the second");
    ok = habit_infer(run, *second, &run->instance, 0, &once);
    case_run_stage(run, "options: the first again");
    ok = ok && habit_repeat(run, first, 0,
                            "other results, once the model was prepared by another delegate");
    case_run_stage(run, "options: the second again");
    ok = ok && habit_infer(run, *second, &run->instance, 0, &again) &&
         !case_run_differ(run, &once, &again, once.count,
                          "other results of the second delegate, once the first was asked");
    engine_close(*second);
    *second = NULL;
    case_run_stage(run, "options: the first alone");
    ok = ok && habit_repeat(run, first, 0, "other results, once the other delegate's are closed");
    outputs_close(&once);
    outputs_close(&again);
    return ok;
}

bool habit_check_options(struct case_run *run)
{
    const struct case_run_setup plain = { .model = &run->model };
    const struct case_run_setup other = { .model = &run->model,
                                          .delegate =
                                              run->judge->ours ? DELEGATE_OTHER : DELEGATE_SECOND };
    struct engine *first = NULL, *second = NULL;
    bool ok = habit_open(run, &plain, &first);

    if (ok && first) /* other options may refuse the node */
        case_run_open(run, &other, &second, NULL);
    if (ok && second && case_run_is_taken(run, second)) {
        ok = ask_both(run, first, &second);
        if (ok)
            checked(run);
    } else if (ok && first) {
        run->result->refused |= 1u << run->habit;
    }
    engine_close(second);
    engine_close(first);
    return ok;
}

bool habit_check_wait(struct case_run *run)
{
    bool ok = true, all = true;

    for (int which = DELEGATE_WAIT_FIRST; which < DELEGATE_COUNT && ok; which++) {
        const struct case_run_setup setup = { .model = &run->model, .delegate = which };
        struct engine *e = NULL;

        case_run_stage(run, "wait: mode %d", which - DELEGATE_WAIT_FIRST);
        ok = habit_open(run, &setup, &e);
        for (int frame = 0; ok && e && frame < case_instance_frames(&run->instance); frame++)
            ok = habit_repeat(run, e, frame, "other results with another wait mode");
        all = all && e;
        engine_close(e);
    }
    if (ok && all)
        checked(run);
    return ok;
}
