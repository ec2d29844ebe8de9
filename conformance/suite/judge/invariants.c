/* Runs a case again in other ways, and compares with its first results. */
#include "conformance/suite/judge/invariants.h"

#include "conformance/suite/judge/hidden_limits.h"
#include "conformance/suite/judge/node_compare.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hidden intermediates ---- */

int invariants_count_steps(const struct case_run *run)
{
    const struct subject_extras *const extras = &run->judge->subject->extras;
    const TfLiteDelegate *const d = run->judge->delegates[DELEGATE_PLAIN];
    struct assay_gpu_step step;
    int count = 0;

    if (!run->judge->ours || !extras->step_count || !extras->get_step)
        return -1;
    for (int i = 0; i < extras->step_count(d); i++) {
        step = (struct assay_gpu_step){ .struct_size = sizeof step };
        count += extras->get_step(d, i, &step) == 0 && step.node >= 0;
    }
    return count;
}

bool invariants_compare_propagated(struct case_run *run, const struct outputs got[2])
{
    const struct case_run_setup setup = { .model = &run->model };
    struct interpreter *in;
    struct diag diag;
    enum status s;

    case_run_stage(run, "reference of the whole graph");
    s = case_run_open_reference(run, &setup, &in, &diag);
    for (int frame = 0; frame < case_instance_frames(&run->instance) && s == STATUS_OK &&
                        run->result->status == CASE_PASS;
         frame++) {
        const struct node_compare_request request = { .instance = &run->instance,
                                                      .frame = frame,
                                                      .bounds = run->judge->subject->bounds,
                                                      .quantized = run->judge->subject->quantized,
                                                      .set = run->set,
                                                      .steps_compared = run->test_case->quantized };
        double margin;

        run->result->frame = frame ? 'B' : 'A';
        interpreter_reset_state(in);
        s = hidden_limits_compare(in, &request, &got[frame], &margin, run->result, &diag);
        run->result->margin = fmax(run->result->margin, margin);
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(run->result, "reference: %s", diag.text);
    return run->result->status == CASE_PASS;
}

static bool is_integer(TfLiteType type)
{
    return type == kTfLiteInt8 || type == kTfLiteUInt8 || type == kTfLiteInt16;
}

static int32_t integer_at(TfLiteType type, const void *data, size_t i)
{
    return type == kTfLiteInt8    ? ((const int8_t *)data)[i]
           : type == kTfLiteUInt8 ? ((const uint8_t *)data)[i]
                                  : ((const int16_t *)data)[i];
}

/* Fused ops of integers: the same integers, or in float view a step more or less, as a tie before
 * the last op may have gone the other way. */
static bool compare_integers(struct case_run *run)
{
    static const char what[] = "other integers when intermediates are no outputs";

    for (int frame = 0; frame < 2; frame++) {
        for (size_t o = 0; o < run->original[frame].count; o++) {
            const TfLiteType type = run->original[frame].items[o].type;
            const size_t bits = runtime_type_bits(type);

            for (size_t i = 0;
                 is_integer(type) && i < run->original[frame].items[o].bytes * 8 / bits; i++) {
                const int32_t x = integer_at(type, run->got[frame].items[o].data, i);
                const int32_t y = integer_at(type, run->original[frame].items[o].data, i);

                if (abs(x - y) > (run->judge->subject->quantized == BOUNDS_EXACT ? 0 : 1)) {
                    run->result->frame = frame ? 'B' : 'A';
                    case_run_differ(run, &run->got[frame], &run->original[frame],
                                    run->original[frame].count, what);
                    return false;
                }
            }
        }
    }
    return true;
}

bool invariants_check_hidden(struct case_run *run, struct engine *bare, int exposed_steps)
{
    const int steps = invariants_count_steps(run);
    const size_t count = run->model.subgraphs[0].outputs.count;
    const int frames = case_instance_frames(&run->instance);
    bool differs = false;
    int output;
    size_t byte;

    result_note_habit(run->result, HABIT_HIDDEN, true);
    for (int frame = 0; frame < frames; frame++) {
        case_run_stage(run, "frame %c without intermediates", 'A' + frame);
        if (!case_run_reset(run, bare) ||
            !case_run_invoke(run, bare, &run->instance, frame, &run->original[frame]))
            return false;
        differs = differs ||
                  outputs_differ(&run->got[frame], &run->original[frame], count, &output, &byte);
    }
    if (!differs)
        return true;
    if (steps >= 0 && steps >= exposed_steps) {
        static const char what[] = "other bits when intermediates are no outputs, and no op was "
                                   "fused";

        for (int frame = 0; frame < frames; frame++)
            if (case_run_differ(run, &run->got[frame], &run->original[frame], count, what))
                break;
        return false;
    }
    return (!run->test_case->quantized || compare_integers(run)) &&
           invariants_compare_propagated(run, run->original);
}

/* ---- poison ---- */

void invariants_expect_poison(const struct case_run *run, int first, struct engine_expected *list)
{
    for (int w = first; w < DELEGATE_POISON_END; w++)
        list[w - first] =
            (struct engine_expected){ &run->instance, 0, false, -1, case_run_poison_words[w] };
}

/* One poison, with the model opened anew.  The three are expected at once: they differ in it alone.
 */
static bool check_poison(struct case_run *run, int which, struct engine **e)
{
    const struct outputs *const want = run->hides_intermediates ? &run->original[0] : &run->got[0];
    struct engine_expected expected[INVARIANTS_POISONS];
    const struct case_run_setup setup = { .model = &run->model,
                                          .delegate = which,
                                          .poison_word = case_run_poison_words[which],
                                          .expected = expected,
                                          .expected_count = (size_t)(DELEGATE_POISON_END - which) };
    struct outputs got = { .count = 0 };
    char what[64];
    struct diag diag;
    bool ok;

    invariants_expect_poison(run, which, expected);
    expected[0].reopened = 0;
    case_run_stage(run, "poison=%s", case_run_poisons[which]);
    if (case_run_reopen(run, &setup, e, &diag) != STATUS_OK)
        return result_fail(run->result, "poison=%s: prepare: %s", case_run_poisons[which],
                           diag.text);
    snprintf(what, sizeof what, "poison=%s changes the result", case_run_poisons[which]);
    if (!case_run_is_taken(run, *e))
        return result_fail(run->result, "poison=%s: the node is not taken any more",
                           case_run_poisons[which]);
    ok = case_run_invoke(run, *e, &run->instance, 0, &got) &&
         !case_run_differ(run, want, &got, want->count, what);
    outputs_close(&got);
    return ok;
}

bool invariants_check_poison(struct case_run *run)
{
    struct engine *e = run->device;
    bool ok = true;

    run->device = NULL;
    /* Padded lanes and unused memory of the device are poisoned by our delegate's option alone. */
    result_note_habit(run->result, HABIT_DEVICE_POISON, run->judge->ours);

    for (int which = DELEGATE_POISON_FIRST; which < DELEGATE_POISON_END && ok; which++)
        ok = check_poison(run, which, &e);
    engine_close(e);
    return ok;
}

/* ---- state ---- */

enum { SEQUENCE = 4 }; /* inferences without a reset: A, B, A, B */

/* The first inference begins after a reset, so it has the bits of frame A. */
static bool run_sequence(struct case_run *run, struct engine *e, struct outputs got[SEQUENCE])
{
    if (!case_run_reset(run, e))
        return false;
    for (int i = 0; i < SEQUENCE; i++) {
        case_run_stage(run, "inference %d of a sequence", i + 1);
        if (!case_run_invoke(run, e, &run->instance, i % 2, &got[i]))
            return false;
    }
    return !case_run_differ(run, &run->got[0], &got[0], got[0].count,
                            "other bits in frame A after a reset of the variables");
}

static bool judge_sequence(struct case_run *run, struct outputs got[SEQUENCE])
{
    const struct case_run_setup setup = { .model = &run->exposed };
    struct interpreter *in;
    struct diag diag;
    enum status s;

    case_run_stage(run, "reference of a sequence");
    s = case_run_open_reference(run, &setup, &in, &diag);
    if (s == STATUS_OK)
        s = interpreter_reset_state(in);
    for (int i = 0; i < SEQUENCE && s == STATUS_OK && run->result->status == CASE_PASS; i++) {
        const struct node_compare_request request = { .instance = &run->instance,
                                                      .frame = i % 2,
                                                      .bounds = run->judge->subject->bounds,
                                                      .quantized = run->judge->subject->quantized,
                                                      .set = run->set,
                                                      .poison_word =
                                                          case_run_poison_words[DELEGATE_PLAIN] };

        run->result->frame = i % 2 ? 'B' : 'A';
        s = node_compare_outputs(in, &request, &got[i], run->result, &diag);
        if (run->result->status != CASE_PASS) {
            char reason[sizeof run->result->reason];

            snprintf(reason, sizeof reason, "%s", run->result->reason);
            snprintf(run->result->reason, sizeof run->result->reason,
                     "inference %d of a sequence: %.*s", i + 1, (int)(sizeof reason - 40), reason);
        }
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(run->result, "reference: %s", diag.text);
    return run->result->status == CASE_PASS;
}

bool invariants_check_sequence(struct case_run *run)
{
    const struct engine_expected expected[SEQUENCE] = { { &run->instance, 0, true, -1, 0 },
                                                        { &run->instance, 1, false, -1, 0 },
                                                        { &run->instance, 0, false, -1, 0 },
                                                        { &run->instance, 1, false, -1, 0 } };
    const struct case_run_setup setup = { .model = &run->exposed,
                                          .poison_word = case_run_poison_words[DELEGATE_PLAIN],
                                          .expected = expected,
                                          .expected_count = SEQUENCE };
    struct outputs got[SEQUENCE] = { { .count = 0 } };
    struct engine *e = NULL;
    struct diag diag;
    bool ok;

    if (engine_count_variables(&run->model) == 0)
        return true;
    result_note_habit(run->result, HABIT_SEQUENCE, true);
    if (case_run_open(run, &setup, &e, &diag) != STATUS_OK)
        return result_fail(run->result, "prepare: %s", diag.text);
    ok = run_sequence(run, e, got) && judge_sequence(run, got);
    for (int i = 0; i < SEQUENCE; i++)
        outputs_close(&got[i]);
    engine_close(e);
    return ok;
}
