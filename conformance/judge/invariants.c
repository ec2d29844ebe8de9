/* What every case is put through besides its comparison with the reference. */
#include "conformance/judge/propagate.h"
#include "conformance/judge/trial.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- intermediates that are not seen ---- */

int habit_count_steps(const struct trial *t)
{
    const struct subject_extras *const extras = &t->j->subject->extras;
    const TfLiteDelegate *const d = t->j->delegates[PLAIN];
    struct assay_gpu_step step;
    int count = 0;

    if (!t->j->ours || !extras->step_count || !extras->get_step)
        return -1;
    for (int i = 0; i < extras->step_count(d); i++) {
        step = (struct assay_gpu_step){ .struct_size = sizeof step };
        count += extras->get_step(d, i, &step) == 0 && step.node >= 0;
    }
    return count;
}

/* An op was merged into another: other roundings, within the limits of all of them together. */
static bool compare_summed(struct trial *t)
{
    const struct trial_device device = { .model = &t->model };
    struct interpreter *in;
    struct diag diag;
    enum status s;

    trial_stage(t, "reference of the whole graph");
    s = trial_open_reference(t, &device, &in, &diag);
    for (int frame = 0; frame < 2 && s == STATUS_OK && t->result->status == CASE_PASS; frame++) {
        const struct expect_request request = { .instance = &t->instance,
                                                .frame = frame,
                                                .bounds = t->j->subject->bounds,
                                                .quantized = t->j->subject->quantized,
                                                .set = t->set };
        double margin;

        t->result->frame = frame ? 'B' : 'A';
        interpreter_reset_variables(in);
        s = carry_compare(in, &request, &t->bare[frame], &margin, t->result, &diag);
        t->result->margin = fmax(t->result->margin, margin);
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(t->result, "reference: %s", diag.text);
    return t->result->status == CASE_PASS;
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

/* Ops of integers that were merged: exactly the same integers, or by float view a step more or
 * less, as a tie before the last op may have gone the other way. */
static bool compare_integers(struct trial *t)
{
    static const char what[] = "other integers when intermediates are no outputs";

    for (int frame = 0; frame < 2; frame++) {
        for (size_t o = 0; o < t->bare[frame].count; o++) {
            const TfLiteType type = t->bare[frame].items[o].type;
            const size_t bits = runtime_type_bits(type);

            for (size_t i = 0; is_integer(type) && i < t->bare[frame].items[o].bytes * 8 / bits;
                 i++) {
                const int32_t x = integer_at(type, t->got[frame].items[o].data, i);
                const int32_t y = integer_at(type, t->bare[frame].items[o].data, i);

                if (abs(x - y) > (t->j->subject->quantized == BOUNDS_EXACT ? 0 : 1)) {
                    t->result->frame = frame ? 'B' : 'A';
                    trial_differ(t, &t->got[frame], &t->bare[frame], t->bare[frame].count, what);
                    return false;
                }
            }
        }
    }
    return true;
}

bool habit_bare(struct trial *t, struct interpreter *bare, int exposed_steps)
{
    const int steps = habit_count_steps(t);
    size_t count;
    int output;
    size_t byte;

    interpreter_outputs(bare, &count);
    for (int frame = 0; frame < 2; frame++) {
        trial_stage(t, "frame %c without intermediates", 'A' + frame);
        interpreter_reset_variables(bare);
        if (!trial_run(t, bare, &t->instance, frame, &t->bare[frame]))
            return false;
    }
    if (!outputs_differ(&t->got[0], &t->bare[0], count, &output, &byte) &&
        !outputs_differ(&t->got[1], &t->bare[1], count, &output, &byte))
        return true;
    if (steps >= 0 && steps >= exposed_steps) {
        static const char what[] = "other bits when intermediates are no outputs, and no op was "
                                   "merged into another";

        if (!trial_differ(t, &t->got[0], &t->bare[0], count, what))
            trial_differ(t, &t->got[1], &t->bare[1], count, what);
        return false;
    }
    return t->c->quantized ? compare_integers(t) : compare_summed(t);
}

/* ---- poison ---- */

bool habit_poison(struct trial *t)
{
    const struct outputs *const want = t->hides ? &t->bare[0] : &t->got[0];

    for (int which = POISON_FIRST; which < DELEGATE_COUNT; which++) {
        const struct trial_device device = { .model = &t->model,
                                             .delegate = which,
                                             .poison_word = trial_poison_words[which] };
        struct interpreter *in = NULL;
        struct outputs got = { .count = 0 };
        char what[64];
        struct diag diag;
        bool ok;

        trial_stage(t, "poison=%s", trial_poisons[which]);
        if (trial_open(t, &device, &in, &diag) != STATUS_OK)
            return result_fail(t->result, "poison=%s: prepare: %s", trial_poisons[which],
                               diag.text);
        snprintf(what, sizeof what, "poison=%s changes the result", trial_poisons[which]);
        if (!trial_is_taken(t, in))
            ok = result_fail(t->result, "poison=%s: the node is not taken any more",
                             trial_poisons[which]);
        else
            ok = trial_run(t, in, &t->instance, 0, &got) &&
                 !trial_differ(t, want, &got, want->count, what);
        outputs_close(&got);
        interpreter_close(in);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- state ---- */

enum { SEQUENCE = 4 }; /* inferences without a reset: A, B, A, B */

/* The first one begins where a reset begins, so it has the bits of the run proper. */
static bool run_sequence(struct trial *t, struct interpreter *in, struct outputs got[SEQUENCE])
{
    interpreter_reset_variables(in);
    for (int i = 0; i < SEQUENCE; i++) {
        trial_stage(t, "inference %d of a sequence", i + 1);
        if (!trial_run(t, in, &t->instance, i % 2, &got[i]))
            return false;
    }
    return !trial_differ(t, &t->got[0], &got[0], got[0].count,
                         "a reset of the variables is not the beginning");
}

static bool judge_sequence(struct trial *t, struct outputs got[SEQUENCE])
{
    const struct trial_device device = { .model = &t->exposed };
    struct interpreter *in;
    struct diag diag;
    enum status s;

    trial_stage(t, "reference of a sequence");
    s = trial_open_reference(t, &device, &in, &diag);
    if (s == STATUS_OK)
        s = interpreter_reset_variables(in);
    for (int i = 0; i < SEQUENCE && s == STATUS_OK && t->result->status == CASE_PASS; i++) {
        const struct expect_request request = { .instance = &t->instance,
                                                .frame = i % 2,
                                                .bounds = t->j->subject->bounds,
                                                .quantized = t->j->subject->quantized,
                                                .set = t->set,
                                                .poison_word = trial_poison_words[PLAIN] };

        t->result->frame = i % 2 ? 'B' : 'A';
        s = expect_outputs(in, &request, &got[i], t->result, &diag);
        if (t->result->status != CASE_PASS) {
            char reason[sizeof t->result->reason];

            snprintf(reason, sizeof reason, "%s", t->result->reason);
            snprintf(t->result->reason, sizeof t->result->reason,
                     "inference %d of a sequence: %.*s", i + 1, (int)(sizeof reason - 40), reason);
        }
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(t->result, "reference: %s", diag.text);
    return t->result->status == CASE_PASS;
}

bool habit_sequence(struct trial *t)
{
    const struct trial_device device = { .model = &t->exposed,
                                         .poison_word = trial_poison_words[PLAIN] };
    struct outputs got[SEQUENCE] = { { .count = 0 } };
    struct interpreter *in = NULL;
    struct diag diag;
    size_t variables = 0;
    bool ok;

    if (trial_open(t, &device, &in, &diag) != STATUS_OK)
        return result_fail(t->result, "prepare: %s", diag.text);
    interpreter_variables(in, &variables);
    ok = variables == 0 || (run_sequence(t, in, got) && judge_sequence(t, got));
    for (int i = 0; i < SEQUENCE; i++)
        outputs_close(&got[i]);
    interpreter_close(in);
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
static bool make_parts(struct trial *t, struct interpreter *in, struct split *s)
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
        s->part[n].input_count = t->instance.input_count;
        s->part[n].judged_node = t->instance.judged_node;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = t->instance.inputs[i].bytes;

        s->resized[i] = first_dim(in, inputs[i]) == s->batch;
        for (int32_t n = 0; n < s->batch; n++) {
            const size_t part = s->resized[i] ? bytes / (size_t)s->batch : bytes;

            s->part[n].inputs[i].type = t->instance.inputs[i].type;
            s->part[n].inputs[i].bytes = part;
            s->part[n].inputs[i].data[0] =
                (char *)t->instance.inputs[i].data[0] + (s->resized[i] ? (size_t)n * part : 0);
        }
    }
    return true;
}

/* Part n of the whole's outputs. */
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

/* The reference on the parts gives what it gives on the whole: the graph treats its images one by
 * one.  What cannot be resized, or reads across the batch, is not split. */
static bool is_separable(struct trial *t, struct interpreter *whole, const struct split *s,
                         struct interpreter *parts)
{
    struct outputs all = { .count = 0 }, part = { .count = 0 };
    bool ok = expect_write_inputs(whole, &t->instance, 0, NULL) == STATUS_OK &&
              interpreter_invoke(whole, NULL) == STATUS_OK &&
              outputs_copy(&all, whole, NULL) == STATUS_OK;

    for (int32_t n = 0; n < s->batch && ok; n++) {
        ok = expect_write_inputs(parts, &s->part[n], 0, NULL) == STATUS_OK &&
             interpreter_invoke(parts, NULL) == STATUS_OK &&
             outputs_copy(&part, parts, NULL) == STATUS_OK && !part_differs(s, &all, n, &part);
        outputs_close(&part);
    }
    outputs_close(&all);
    return ok;
}

static bool run_parts(struct trial *t, const struct split *s, struct interpreter *reference)
{
    const struct outputs *const whole = t->hides ? &t->bare[0] : &t->got[0];
    const struct trial_device device = { .model = &t->model,
                                         .poison_word = trial_poison_words[PLAIN],
                                         .batch = 1,
                                         .resized = s->resized };
    struct interpreter *in = NULL;
    struct diag diag;
    bool ok = true;

    trial_stage(t, "a batch of 1");
    if (trial_open(t, &device, &in, &diag) != STATUS_OK)
        return result_fail(t->result, "as batches of 1: prepare: %s", diag.text);
    if (!trial_is_taken(t, in)) {
        ok = !t->j->ours || result_fail(t->result, "as batches of 1: the node is not taken");
        interpreter_close(in);
        return ok;
    }
    for (int32_t n = 0; n < s->batch && ok; n++) {
        struct outputs got = { .count = 0 };

        ok = trial_run(t, in, &s->part[n], 0, &got);
        if (ok && t->j->ours && part_differs(s, whole, n, &got)) {
            ok = result_fail(t->result, "image %d of %d has other bits as a batch of 1", n + 1,
                             s->batch);
        } else if (ok && !t->j->ours && !t->hides) {
            const struct expect_request request = { .instance = &s->part[n],
                                                    .frame = 0,
                                                    .bounds = t->j->subject->bounds,
                                                    .quantized = t->j->subject->quantized,
                                                    .set = t->set,
                                                    .poison_word = trial_poison_words[PLAIN] };

            if (expect_outputs(reference, &request, &got, t->result, &diag) != STATUS_OK)
                result_fail(t->result, "reference: %s", diag.text);
            ok = t->result->status == CASE_PASS;
        }
        outputs_close(&got);
    }
    interpreter_close(in);
    return ok;
}

bool habit_split(struct trial *t)
{
    struct trial_device device = { .model = &t->model };
    struct interpreter *whole = NULL, *parts = NULL;
    struct split s = { .batch = 0 };
    struct diag diag;
    size_t variables;
    bool ok = true;

    trial_stage(t, "reference of batches of 1");
    if (trial_open_reference(t, &device, &whole, &diag) != STATUS_OK)
        return result_fail(t->result, "reference: %s", diag.text);
    interpreter_variables(whole, &variables);
    if (variables == 0 && make_parts(t, whole, &s)) {
        device.batch = 1;
        device.resized = s.resized;
        if (trial_open_reference(t, &device, &parts, &diag) == STATUS_OK &&
            is_separable(t, whole, &s, parts))
            ok = run_parts(t, &s, parts);
    }
    interpreter_close(parts);
    interpreter_close(whole);
    return ok;
}
