/* Runs a case many times, in blocks.  A block has interpreters of its own, so that its tensors lie
 * elsewhere, and a load of its own. */
#include "conformance/suite/judge/repeat.h"

#include "conformance/suite/judge/node_compare.h"
#include "conformance/util/clock.h"
#include "conformance/util/process.h"
#include "conformance/util/random.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum {
    BLOCK_RUNS = 16,
    ENGINES = 2,       /* interpreters that live at a time, and are asked in turns */
    GAPS = 4,          /* allocations that move what is allocated behind them */
    GAP_BYTES = 65536, /* of one, at most */
    LOAD_THREADS = 8,  /* at most */
    LOAD_BYTES = 32768 /* that a thread of the load writes to */
};

/* ---- load ---- */

struct load {
    pthread_t threads[LOAD_THREADS];
    size_t count;
    atomic_bool stop;
};

/* Keeps a processor and its cache busy. */
static void *be_busy(void *user)
{
    struct load *const load = user;
    volatile unsigned char bytes[LOAD_BYTES] = { 0 };

    for (size_t i = 0; !atomic_load_explicit(&load->stop, memory_order_relaxed); i++)
        bytes[i * 67 % LOAD_BYTES]++;
    return NULL;
}

/* With fewer threads than were asked for the load is smaller, which is no failure. */
static void load_begin(struct load *load, size_t threads)
{
    load->count = 0;
    atomic_init(&load->stop, false);
    while (load->count < threads &&
           pthread_create(&load->threads[load->count], NULL, be_busy, load) == 0)
        load->count++;
}

static void load_end(struct load *load)
{
    atomic_store(&load->stop, true);
    while (load->count > 0)
        pthread_join(load->threads[--load->count], NULL);
}

/* ---- runs ---- */

struct repetition {
    struct case_run *run;
    const struct model *model;
    const struct outputs *want; /* of both frames */
    struct repeat_counts counts;
    struct case_result first; /* of the first run that was wrong */
    struct random_stream stream;
    double end_s;
};

/* The counts are where the parent finds them, should this process die or be ended. */
static void note_run(struct repetition *x, const struct case_result *one)
{
    struct judge_stage *const stage = x->run->judge->options.stage;

    x->counts.runs++;
    if (one->status != CASE_PASS && x->counts.wrong++ == 0)
        x->first = *one;
    if (stage)
        stage->repeat = x->counts;
}

static bool is_over(struct repetition *x)
{
    if (x->counts.runs == x->counts.asked || x->counts.cut[0])
        return true;
    if (clock_s() < x->end_s)
        return false;
    snprintf(x->counts.cut, sizeof x->counts.cut, "the time limit of %g s",
             x->run->judge->options.repeat.limit_s);
    return true;
}

static void run_once(struct repetition *x, struct engine *e)
{
    struct case_run *const run = x->run;
    const int frame = (int)random_below(&x->stream, (uint64_t)case_instance_frames(&run->instance));
    struct case_result one = { .status = CASE_PASS };
    struct outputs got = { .count = 0 };

    run->result = &one;
    case_run_stage(run, "run %" PRIu64 " of %" PRIu64, x->counts.runs + 1, x->counts.asked);
    if (case_run_reset(run, e) && case_run_invoke(run, e, &run->instance, frame, &got))
        case_run_differ(run, &x->want[frame], &got, got.count,
                        "other bits than when it was judged");
    outputs_close(&got);
    note_run(x, &one);
}

static bool open_engine(struct repetition *x, struct engine **e)
{
    struct case_run *const run = x->run;
    const struct case_run_setup setup = { .model = x->model,
                                          .poison_word = case_run_poison_words[DELEGATE_PLAIN],
                                          .offset_bytes = random_below(&x->stream, 2)
                                                              ? random_below(&x->stream, 64)
                                                              : 0 };
    struct case_result one = { .status = CASE_PASS };
    struct diag diag;

    run->result = &one;
    case_run_stage(run, "prepare of run %" PRIu64 " of %" PRIu64, x->counts.runs + 1,
                   x->counts.asked);
    if (case_run_open(run, &setup, e, &diag) != STATUS_OK)
        result_fail(&one, "prepare: %s", diag.text);
    else if (!case_run_is_taken(run, *e))
        result_fail(&one, "the node is not taken any more");
    else
        return true;
    engine_close(*e);
    *e = NULL;
    note_run(x, &one);
    return false;
}

static void run_block(struct repetition *x)
{
    const size_t processors = process_count_processors();
    const size_t all = processors < LOAD_THREADS ? processors + 1 : LOAD_THREADS;
    const size_t engines = 1 + random_below(&x->stream, ENGINES);
    struct engine *e[ENGINES] = { NULL };
    void *gaps[GAPS];
    struct load load;
    size_t opened = 0;

    for (int i = 0; i < GAPS; i++)
        gaps[i] = mem_alloc(1 + random_below(&x->stream, GAP_BYTES), 1);
    load_begin(&load, random_below(&x->stream, 2) ? 1 + random_below(&x->stream, all) : 0);
    while (opened < engines && open_engine(x, &e[opened]))
        opened++;
    for (int i = 0; i < BLOCK_RUNS && opened > 0 && !is_over(x); i++)
        run_once(x, e[random_below(&x->stream, opened)]);
    load_end(&load);
    while (opened > 0)
        engine_close(e[--opened]);
    for (int i = 0; i < GAPS; i++)
        mem_free(gaps[i]);
}

/* ---- bits that are right ---- */

/* Runs a frame until its outputs are within their limits, which a subject that is wrong now and
 * then soon gives: each run that is not is a wrong one. */
static bool find_right(struct repetition *x, struct interpreter *reference, struct engine *e,
                       int frame)
{
    struct case_run *const run = x->run;
    const struct node_compare_request request = { .instance = &run->instance,
                                                  .frame = frame,
                                                  .bounds = run->judge->subject->bounds,
                                                  .quantized = run->judge->subject->quantized,
                                                  .set = run->set };
    struct outputs *const got = &run->got[frame];

    for (int i = 0; i < BLOCK_RUNS && !is_over(x); i++) {
        struct case_result one = { .status = CASE_PASS };
        struct diag diag;

        run->result = &one;
        outputs_close(got);
        if (case_run_reset(run, e) && case_run_invoke(run, e, &run->instance, frame, got) &&
            (interpreter_reset_state(reference) != STATUS_OK ||
             node_compare_outputs(reference, &request, got, &one, &diag) != STATUS_OK))
            result_fail(&one, "the reference does not run");
        note_run(x, &one);
        if (one.status == CASE_PASS)
            return true;
    }
    return false;
}

/* Finds them in the graph whose intermediates are outputs, each with a limit of its own. */
static bool find_bits(struct repetition *x)
{
    const struct case_run_setup setup = { .model = x->model };
    struct interpreter *reference = NULL;
    struct engine *e = NULL;
    struct diag diag;
    bool ok = case_run_open_reference(x->run, &setup, &reference, &diag) == STATUS_OK &&
              open_engine(x, &e);

    for (int frame = 0; frame < case_instance_frames(&x->run->instance) && ok; frame++)
        ok = find_right(x, reference, e, frame);
    engine_close(e);
    interpreter_close(reference);
    if (!ok && !x->counts.cut[0])
        snprintf(x->counts.cut, sizeof x->counts.cut, "want of a run that is right");
    return ok;
}

bool repeat_runs(struct case_run *run, bool judged)
{
    const struct repeat_plan *const plan = &run->judge->options.repeat;
    struct case_result *const result = run->result;
    struct repetition x = { .run = run,
                            .model = judged ? &run->model : &run->exposed,
                            .want = judged && run->hides_intermediates ? run->original : run->got,
                            .counts = { .asked = plan->runs },
                            .end_s = clock_s() + plan->limit_s };

    random_init(&x.stream, run->judge->options.seed, run->test_case->name, SET_COUNT, 0, 0);
    if (result->status == CASE_DECLINED)
        return false;
    if (judged || find_bits(&x))
        while (!is_over(&x))
            run_block(&x);
    run->result = result;
    if (x.counts.wrong > 0) {
        *result = x.first;
    }
    result->repeat = x.counts;
    return x.counts.wrong == 0;
}
