/* Splits the inputs of a case along their first dimension, and runs the parts one by one. */
#include "conformance/suite/judge/batches.h"

#include "conformance/suite/judge/batch_model.h"
#include "conformance/suite/judge/node_compare.h"

#include <string.h>

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

static bool run_parts(struct case_run *run, const struct split *s, const struct case_run_setup *how,
                      struct interpreter *reference)
{
    const struct outputs *const whole = run->hides_intermediates ? &run->original[0] : &run->got[0];
    struct engine_expected expected[BATCH_MAX];
    struct case_run_setup setup = *how;
    struct engine *e = NULL;
    struct diag diag;
    bool ok = true;

    for (int32_t n = 0; n < s->batch; n++)
        expected[n] = (struct engine_expected){ &s->part[n], 0, false, -1, 0 };
    setup.poison_word = case_run_poison_words[DELEGATE_PLAIN];
    setup.expected = expected;
    setup.expected_count = (size_t)s->batch;
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

/* Opens the reference with batches of 1, and runs the subject so where the graph is separable.
 * Returns false when it is not; *ok is then unchanged. */
static bool try_parts(struct case_run *run, const struct split *s,
                      const struct case_run_setup *setup, struct interpreter *whole, bool *ok)
{
    struct interpreter *parts = NULL;
    const bool separable = case_run_open_reference(run, setup, &parts, NULL) == STATUS_OK &&
                           is_separable(run, whole, s, parts);

    if (separable)
        *ok = run_parts(run, s, setup, parts);
    interpreter_close(parts);
    return separable;
}

/* Resizes the inputs; where the graph cannot be resized, builds it with batch 1. */
static bool check_parts(struct case_run *run, const struct split *s, struct interpreter *whole)
{
    const struct case_run_setup resize = { .model = &run->model,
                                           .batch = 1,
                                           .resized = s->resized };
    struct case_run_setup rebuild = { .batch = 0 };
    struct batch_model b;
    struct diag diag;
    bool ok = true, done = try_parts(run, s, &resize, whole, &ok);

    if (!done) {
        if (batch_model_open(&b, &run->model, s->batch, s->resized, &diag) != STATUS_OK)
            return result_fail(run->result, "%s", diag.text);
        rebuild.model = &b.model;
        done = try_parts(run, s, &rebuild, whole, &ok);
        batch_model_close(&b);
    }
    result_note_habit(run->result, HABIT_SPLIT, done);
    return ok;
}

bool batches_check(struct case_run *run)
{
    const struct case_run_setup setup = { .model = &run->model };
    struct interpreter *whole = NULL;
    struct split s = { .batch = 0 };
    struct diag diag;
    bool ok = true;

    if (engine_count_variables(&run->model) > 0)
        return true;
    case_run_stage(run, "reference of batches of 1");
    if (case_run_open_reference(run, &setup, &whole, &diag) != STATUS_OK)
        return result_fail(run->result, "reference: %s", diag.text);
    if (make_parts(run, whole, &s))
        ok = check_parts(run, &s, whole);
    interpreter_close(whole);
    return ok;
}
