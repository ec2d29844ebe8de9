#include "conformance/suite/judge/habit_run.h"

#include "conformance/suite/judge/hidden_limits.h"
#include "conformance/suite/judge/node_compare.h"

#include <stdarg.h>
#include <stdio.h>

const struct outputs *habit_first(const struct case_run *run, int frame)
{
    return run->hides_intermediates ? &run->original[frame] : &run->got[frame];
}

bool habit_refuse(struct case_run *run, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (run->judge->ours)
        return result_fail(run->result, "%s", text);
    run->result->refused |= 1u << run->habit;
    return true;
}

bool habit_open(struct case_run *run, const struct case_run_setup *setup, struct engine **e)
{
    struct case_run_setup poisoned = *setup;
    struct diag diag;

    poisoned.poison_word = case_run_poison_words[DELEGATE_PLAIN];
    if (case_run_open(run, &poisoned, e, &diag) != STATUS_OK)
        return habit_refuse(run, "prepare: %s", diag.text);
    if (case_run_is_taken(run, *e))
        return true;
    engine_close(*e);
    *e = NULL;
    return habit_refuse(run, "the node is not taken any more");
}

bool habit_infer(struct case_run *run, struct engine *e, const struct case_instance *x, int frame,
                 struct outputs *got)
{
    return (engine_count_variables(&run->model) == 0 || case_run_reset(run, e)) &&
           case_run_invoke(run, e, x, frame, got);
}

/* Judges results of another delegate, whose bits may depend on where and when it computes. */
static bool within_bounds(struct case_run *run, const struct case_run_setup *sizes,
                          const struct case_instance *x, int frame, const struct outputs *got)
{
    const struct node_compare_request request = { .instance = x,
                                                  .frame = frame,
                                                  .bounds = run->judge->subject->bounds,
                                                  .quantized = run->judge->subject->quantized,
                                                  .set = run->set,
                                                  .poison_word =
                                                      case_run_poison_words[DELEGATE_PLAIN] };
    struct case_run_setup setup = *sizes;
    struct case_result ignored = { .status = CASE_PASS };
    struct interpreter *in = NULL;
    struct diag diag;
    double margin;
    enum status s;

    setup.model = &run->model;
    s = case_run_open_reference(run, &setup, &in, &diag);
    if (s == STATUS_OK)
        s = interpreter_reset_state(in);
    if (s == STATUS_OK)
        s = run->hides_intermediates
                ? hidden_limits_compare(in, &request, got, &margin, &ignored, &diag)
                : node_compare_outputs(in, &request, got, &ignored, &diag);
    interpreter_close(in);
    return s == STATUS_OK && ignored.status == CASE_PASS;
}

bool habit_same(struct case_run *run, const struct case_run_setup *sizes,
                const struct case_instance *x, int frame, const struct outputs *want,
                const struct outputs *got, const char *what)
{
    int output;
    size_t byte;

    if (!outputs_differ(want, got, want->count, &output, &byte) ||
        (!run->judge->ours && within_bounds(run, sizes, x, frame, got)))
        return true;
    run->result->frame = frame ? 'B' : 'A';
    case_run_differ(run, want, got, want->count, what);
    return false;
}

bool habit_repeat(struct case_run *run, struct engine *e, int frame, const char *what)
{
    const struct case_run_setup sizes = { .batch = 0 };
    struct outputs got = { .count = 0 };
    bool ok = habit_infer(run, e, &run->instance, frame, &got);

    ok = ok && habit_same(run, &sizes, &run->instance, frame, habit_first(run, frame), &got, what);
    outputs_close(&got);
    return ok;
}
