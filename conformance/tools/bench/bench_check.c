/* Runs the reference, and compares. */
#include "conformance/tools/bench/bench_check.h"

#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/judge/figures.h"
#include "conformance/suite/judge/swaps.h"
#include "conformance/util/message.h"
#include "conformance/util/watched.h"
#include "reference/runtime/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the reference ---- */

void bench_check_init(struct bench_check *c, const struct bench_request *q)
{
    *c = (struct bench_check){ .request = q };
}

void bench_check_close(struct bench_check *c)
{
    session_close(&c->reference);
    *c = (struct bench_check){ .request = NULL };
}

static enum status run_reference(struct bench_check *c, struct diag *diag)
{
    const struct bench_request *const q = c->request;
    const struct interpreter_options options = {
        .preserve_all = true, .num_threads = -1, .stand_in = q->stand_in, .report = report_nothing
    };
    struct session *const s = &c->reference;
    size_t outputs;

    TRY(session_open(s, q->model, diag));
    bench_prepare_session(s, q);
    TRY(interpreter_open(&s->in, &s->model, &options, diag));
    if (s->resize)
        TRY(s->resize(s->in, s->resize_user, diag));
    TRY(interpreter_allocate(s->in, diag));
    interpreter_outputs(s->in, &outputs);
    if (outputs > OUTPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu outputs, expected at most %d",
                         outputs, OUTPUTS_MAX);
    TRY(bench_inputs_fill(&q->inputs, s->in, q->seed, diag));
    return interpreter_invoke(s->in, diag);
}

static bool has_reference(struct bench_check *c)
{
    if (c->opened)
        return c->known;
    watched_stage("the reference");
    message_progress(c->request->quiet, "bench: the reference, for a check of the outputs");
    c->opened = true;
    c->known = run_reference(c, &c->diag) == STATUS_OK;
    snprintf(c->why, sizeof c->why, "%.180s", c->diag.text);
    message_progress_end();
    return c->known;
}

/* ---- outputs ---- */

/* Variables, and ops of resources, whose kernels keep something from inference to inference. */
static bool has_state(struct interpreter *in)
{
    size_t variables;
    bool state = false;

    interpreter_variables(in, &variables);
    for (size_t n = 0; n < interpreter_node_count(in); n++)
        state = state || strcmp(interpreter_node_name(in, (int)n), "VAR_HANDLE") == 0;
    return state || variables > 0;
}

enum status bench_take_outputs(struct bench_session *t, struct outputs *got, struct diag *diag)
{
    const bool again = has_state(t->s.in);
    double ms;

    *got = (struct outputs){ .count = 0 };
    if (again && t->engine) {
        TRY(engine_reset(t->engine, diag));
        TRY(engine_write(t->engine, &t->instance, 0, diag));
    } else if (again) {
        TRY(interpreter_reset_state(t->s.in));
    }
    if (again)
        TRY(bench_infer(t, &ms, diag));
    return t->engine ? engine_read(t->engine, got, diag) : outputs_copy(got, t->s.in, diag);
}

/* The first output that fails; the count: none does. */
static size_t judge(struct interpreter *in, const struct figures *found,
                    const struct figures *conditioning, struct screen screen, char *why,
                    size_t bytes)
{
    size_t count;

    interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        screen.conditioning = conditioning ? &conditioning[i] : NULL;
        if (!figures_judge(&found[i], &screen, why, bytes))
            return i;
    }
    return count;
}

static bool add_figures(struct interpreter *in, const struct outputs *got, struct figures *found,
                        struct bench_checked *result)
{
    size_t count;
    const int *const tensors = interpreter_outputs(in, &count);

    result->snr_db = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);

        if (i >= got->count || got->items[i].bytes != t->bytes || got->items[i].type != t->type) {
            result->state = BENCH_WRONG;
            snprintf(result->why, sizeof result->why, "output %zu: expected %zu bytes, found %zu",
                     i, t->bytes, i < got->count ? got->items[i].bytes : 0);
            return false;
        }
        figures_add(&found[i], t, got->items[i].data);
        figures_finish(&found[i]);
        result->snr_db = fmin(result->snr_db, isnan(found[i].snr_db) ? -INFINITY : found[i].snr_db);
    }
    return true;
}

struct bench_author bench_author_of(const struct bench_session *t)
{
    return (struct bench_author){ .is_reference = !t->engine && !t->s.delegate,
                                  .bounds = t->s.subject.bounds,
                                  .quantized = t->s.subject.quantized };
}

void bench_check_outputs(struct bench_check *c, const struct bench_author *by, struct outputs *got,
                         struct bench_checked *result)
{
    static struct figures found[OUTPUTS_MAX], conditioning[OUTPUTS_MAX];
    struct interpreter *in;
    struct screen screen;
    char why[160];
    size_t first, count;

    *result = (struct bench_checked){ .state = BENCH_NOT_CHECKED };
    if (c->request->no_check || by->is_reference || !has_reference(c)) {
        snprintf(result->why, sizeof result->why, "%s",
                 c->request->no_check ? "--no-check"
                 : by->is_reference   ? "it is the reference"
                                      : c->why);
        return;
    }
    in = c->reference.in;
    screen = screen_make(in, by->bounds, by->quantized);
    memset(found, 0, sizeof found);
    swaps_undo(in, got);
    if (!add_figures(in, got, found, result))
        return;
    interpreter_outputs(in, &count);
    first = judge(in, found, NULL, screen, why, sizeof why);
    if (first < count &&
        conditioning_measure(in, by->bounds, c->request->seed, conditioning, NULL) == STATUS_OK) {
        first = judge(in, found, conditioning, screen, why, sizeof why);
        result->conditioned = first == count;
    }
    result->state = first < count ? BENCH_WRONG : BENCH_RIGHT;
    if (first < count)
        snprintf(result->why, sizeof result->why, "output %zu: %s%s", first, why,
                 !bounds_half(by->bounds) && result->snr_db >= 40
                     ? " (40 of a subject with bounds=fp16)"
                     : "");
}
