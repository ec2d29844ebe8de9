/* Runs a case again in other ways, and compares with its first results. */
#include "conformance/judge/invariants.h"

#include "conformance/judge/node_compare.h"
#include "conformance/judge/propagate.h"
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

/* Fused ops round at other places: outputs keep the propagated limits of all of them. */
static bool compare_propagated(struct case_run *run)
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
                                                      .set = run->set };
        double margin;

        run->result->frame = frame ? 'B' : 'A';
        interpreter_reset_variables(in);
        s = propagate_compare(in, &request, &run->original[frame], &margin, run->result, &diag);
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
    return run->test_case->quantized ? compare_integers(run) : compare_propagated(run);
}

/* ---- poison ---- */

bool invariants_check_poison(struct case_run *run)
{
    const struct outputs *const want = run->hides_intermediates ? &run->original[0] : &run->got[0];

    for (int which = DELEGATE_POISON_FIRST; which < DELEGATE_COUNT; which++) {
        const struct case_run_setup setup = { .model = &run->model,
                                              .delegate = which,
                                              .poison_word = case_run_poison_words[which] };
        struct engine *e = NULL;
        struct outputs got = { .count = 0 };
        char what[64];
        struct diag diag;
        bool ok;

        case_run_stage(run, "poison=%s", case_run_poisons[which]);
        if (case_run_open(run, &setup, &e, &diag) != STATUS_OK)
            return result_fail(run->result, "poison=%s: prepare: %s", case_run_poisons[which],
                               diag.text);
        snprintf(what, sizeof what, "poison=%s changes the result", case_run_poisons[which]);
        if (!case_run_is_taken(run, e))
            ok = result_fail(run->result, "poison=%s: the node is not taken any more",
                             case_run_poisons[which]);
        else
            ok = case_run_invoke(run, e, &run->instance, 0, &got) &&
                 !case_run_differ(run, want, &got, want->count, what);
        outputs_close(&got);
        engine_close(e);
        if (!ok)
            return false;
    }
    return true;
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
        s = interpreter_reset_variables(in);
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
    const struct case_run_setup setup = { .model = &run->exposed,
                                          .poison_word = case_run_poison_words[DELEGATE_PLAIN] };
    struct outputs got[SEQUENCE] = { { .count = 0 } };
    struct engine *e = NULL;
    struct diag diag;
    bool ok;

    if (engine_count_variables(&run->model) == 0)
        return true;
    if (case_run_open(run, &setup, &e, &diag) != STATUS_OK)
        return result_fail(run->result, "prepare: %s", diag.text);
    ok = run_sequence(run, e, got) && judge_sequence(run, got);
    for (int i = 0; i < SEQUENCE; i++)
        outputs_close(&got[i]);
    engine_close(e);
    return ok;
}

/* ---- batches ---- */

enum { BATCH_MAX = 8 };

/* The inputs of one part, as views on those of the whole. */
struct split {
    int32_t batch;
    bool resized[CASE_INPUTS_MAX];
    struct case_instance part[BATCH_MAX]; /* frame A only; owns nothing */
    struct outputs whole;                 /* of the reference */
};

static int32_t first_dim(struct interpreter *in, int tensor)
{
    const TfLiteTensor *const t = interpreter_tensor(in, tensor);

    return t->dims->size > 0 ? t->dims->data[0] : 0;
}

/* Splits every input that has the first one's batch; false where there is nothing to split. */
static bool make_parts(struct case_run *run, struct interpreter *in, struct split *s)
{
    size_t count, outputs;
    const int *const inputs = interpreter_inputs(in, &count);
    const int *const results = interpreter_outputs(in, &outputs);

    s->batch = count > 0 ? first_dim(in, inputs[0]) : 0;
    if (s->batch < 2 || s->batch > BATCH_MAX)
        return false;
    for (size_t i = 0; i < outputs; i++) {
        if (first_dim(in, results[i]) != s->batch)
            return false;
    }
    for (int32_t n = 0; n < s->batch; n++) {
        s->part[n].input_count = run->instance.input_count;
        s->part[n].judged_node = run->instance.judged_node;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = run->instance.inputs[i].bytes;

        s->resized[i] = first_dim(in, inputs[i]) == s->batch;
        for (int32_t n = 0; n < s->batch; n++) {
            const size_t part = s->resized[i] ? bytes / (size_t)s->batch : bytes;

            s->part[n].inputs[i].type = run->instance.inputs[i].type;
            s->part[n].inputs[i].bytes = part;
            s->part[n].inputs[i].data[0] =
                (char *)run->instance.inputs[i].data[0] + (s->resized[i] ? (size_t)n * part : 0);
        }
    }
    return true;
}

/* Whether image n of the whole batch's outputs has other bits than the part. */
static bool part_differs(const struct split *s, const struct outputs *whole, int32_t n,
                         const struct outputs *part)
{
    for (size_t i = 0; i < whole->count; i++) {
        const size_t bytes = whole->items[i].bytes / (size_t)s->batch;

        if (part->items[i].bytes != bytes ||
            memcmp((const char *)whole->items[i].data + (size_t)n * bytes, part->items[i].data,
                   bytes) != 0)
            return true;
    }
    return false;
}

/* Whether the reference gives the same bits in parts: the graph treats its images one by one.  A
 * graph that cannot be resized, or reads across the batch, is not split. */
static bool is_separable(struct case_run *run, struct interpreter *whole, const struct split *s,
                         struct interpreter *parts)
{
    struct outputs all = { .count = 0 }, part = { .count = 0 };
    bool ok = inputs_write(whole, &run->instance, 0, NULL) == STATUS_OK &&
              interpreter_invoke(whole, NULL) == STATUS_OK &&
              outputs_copy(&all, whole, NULL) == STATUS_OK;

    for (int32_t n = 0; n < s->batch && ok; n++) {
        ok = inputs_write(parts, &s->part[n], 0, NULL) == STATUS_OK &&
             interpreter_invoke(parts, NULL) == STATUS_OK &&
             outputs_copy(&part, parts, NULL) == STATUS_OK && !part_differs(s, &all, n, &part);
        outputs_close(&part);
    }
    outputs_close(&all);
    return ok;
}

static bool run_parts(struct case_run *run, const struct split *s, struct interpreter *reference)
{
    const struct outputs *const whole = run->hides_intermediates ? &run->original[0] : &run->got[0];
    const struct case_run_setup setup = { .model = &run->model,
                                          .poison_word = case_run_poison_words[DELEGATE_PLAIN],
                                          .batch = 1,
                                          .resized = s->resized };
    struct engine *e = NULL;
    struct diag diag;
    bool ok = true;

    if (!(engine_abilities(run->judge->subject) & ENGINE_RESIZE))
        return true;
    case_run_stage(run, "a batch of 1");
    if (case_run_open(run, &setup, &e, &diag) != STATUS_OK)
        return result_fail(run->result, "as batches of 1: prepare: %s", diag.text);
    if (!case_run_is_taken(run, e)) {
        ok =
            !run->judge->ours || result_fail(run->result, "as batches of 1: the node is not taken");
        engine_close(e);
        return ok;
    }
    for (int32_t n = 0; n < s->batch && ok; n++) {
        struct outputs got = { .count = 0 };

        ok = case_run_invoke(run, e, &s->part[n], 0, &got);
        if (ok && run->judge->ours && part_differs(s, whole, n, &got)) {
            ok = result_fail(run->result, "image %d of %d has other bits as a batch of 1", n + 1,
                             s->batch);
        } else if (ok && !run->judge->ours && !run->hides_intermediates) {
            const struct node_compare_request request = {
                .instance = &s->part[n],
                .frame = 0,
                .bounds = run->judge->subject->bounds,
                .quantized = run->judge->subject->quantized,
                .set = run->set,
                .poison_word = case_run_poison_words[DELEGATE_PLAIN]
            };

            if (node_compare_outputs(reference, &request, &got, run->result, &diag) != STATUS_OK)
                result_fail(run->result, "reference: %s", diag.text);
            ok = run->result->status == CASE_PASS;
        }
        outputs_close(&got);
    }
    engine_close(e);
    return ok;
}

bool invariants_check_batches(struct case_run *run)
{
    struct case_run_setup setup = { .model = &run->model };
    struct interpreter *whole = NULL, *parts = NULL;
    struct split s = { .batch = 0 };
    struct diag diag;
    bool ok = true;

    if (engine_count_variables(&run->model) > 0)
        return true;
    case_run_stage(run, "reference of batches of 1");
    if (case_run_open_reference(run, &setup, &whole, &diag) != STATUS_OK)
        return result_fail(run->result, "reference: %s", diag.text);
    if (make_parts(run, whole, &s)) {
        setup.batch = 1;
        setup.resized = s.resized;
        if (case_run_open_reference(run, &setup, &parts, &diag) == STATUS_OK &&
            is_separable(run, whole, &s, parts))
            ok = run_parts(run, &s, parts);
    }
    interpreter_close(parts);
    interpreter_close(whole);
    return ok;
}
