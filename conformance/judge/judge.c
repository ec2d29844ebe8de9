/* Judges one case on one subject. */
#include "conformance/judge/judge.h"

#include "conformance/judge/repro.h"
#include "conformance/judge/trial.h"
#include "reference/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The order of the sets: what shows an indexing error without any tolerance comes first. */
static const enum data_set set_order[SET_COUNT] = { SET_INTEGERS, SET_RANDOM, SET_POSITIVE,
                                                    SET_CANCEL,   SET_POWERS, SET_SPREAD };

/* ---- delegates ---- */

enum status judge_open(struct judge **out, struct subject *subject,
                       const struct judge_options *options, struct diag *diag)
{
    struct judge *const j = mem_alloc(1, sizeof *j);
    enum status s;

    *out = NULL;
    if (!j)
        return diag_fail(diag, STATUS_NO_MEMORY, "judge: out of memory");
    j->subject = subject;
    j->options = *options;
    if ((s = subject_load(subject, diag)) == STATUS_OK) {
        j->ours = subject->extras.get_stats && subject->extras.refusal_count;
        s = trial_make_delegate(j, PLAIN, diag);
    }
    if (s != STATUS_OK) {
        judge_close(j);
        return s;
    }
    *out = j;
    return STATUS_OK;
}

void judge_close(struct judge *j)
{
    if (!j)
        return;
    for (int i = 0; i < DELEGATE_COUNT; i++)
        subject_destroy(j->subject, j->delegates[i]);
    mem_free(j);
}

void judge_device(const struct judge *j, struct judge_device *device)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    *device = (struct judge_device){ "", "", "" };
    if (!j->ours || j->subject->extras.get_stats(j->delegates[PLAIN], &stats) != 0)
        return;
    snprintf(device->name, sizeof device->name, "%.*s", (int)sizeof stats.device - 1, stats.device);
    snprintf(device->driver, sizeof device->driver, "%.*s", (int)sizeof stats.driver - 1,
             stats.driver);
    if (stats.api_version) /* VK_MAKE_API_VERSION */
        snprintf(device->api, sizeof device->api, "%u.%u.%u", stats.api_version >> 22 & 0x7f,
                 stats.api_version >> 12 & 0x3ff, stats.api_version & 0xfff);
}

/* ---- declined ---- */

static void explain_refusal(struct judge *j, const struct test_case *c, int node,
                            struct case_result *r)
{
    const TfLiteDelegate *const d = j->delegates[PLAIN];
    struct assay_gpu_refusal refusal;
    int count = 0;

    r->status = CASE_DECLINED;
    snprintf(r->reason, sizeof r->reason, "not taken");
    if (j->ours && j->subject->extras.get_refusal)
        count = j->subject->extras.refusal_count(d);
    for (int i = 0; i < count; i++) {
        refusal = (struct assay_gpu_refusal){ .struct_size = sizeof refusal };
        if (j->subject->extras.get_refusal(d, i, &refusal) != 0 || refusal.node != node)
            continue;
        snprintf(r->reason, sizeof r->reason, "%s: %s%s%s%s%s%s", refusal.rule,
                 refusal.field ? refusal.field : c->op, refusal.value ? " is " : "",
                 refusal.value ? refusal.value : "", refusal.limit ? ", may be " : "",
                 refusal.limit ? refusal.limit : "", "");
        return;
    }
}

/* ---- one set ---- */

static void note_bytes(struct trial *t, struct interpreter *in)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    uint64_t bytes = interpreter_arena_bytes(in);

    if (t->j->ours && t->j->subject->extras.get_stats(t->j->delegates[PLAIN], &stats) == 0)
        bytes = stats.constant_bytes + stats.activation_bytes + stats.staging_bytes;
    if (bytes > t->result->bytes)
        t->result->bytes = bytes;
}

/* Frames A, B, A, each from the beginning. */
static bool run_frames(struct trial *t, struct interpreter *in)
{
    struct outputs again = { .count = 0 };
    bool ok;

    trial_stage(t, "frame A");
    if (!trial_run(t, in, &t->instance, 0, &t->got[0]))
        return false;
    trial_stage(t, "frame B");
    interpreter_reset_variables(in);
    if (!trial_run(t, in, &t->instance, 1, &t->got[1]))
        return false;
    trial_stage(t, "frame A again");
    interpreter_reset_variables(in);
    ok = trial_run(t, in, &t->instance, 0, &again) &&
         !trial_differ(t, &t->got[0], &again, again.count,
                       "frame A gives other bits after frame B: state is kept");
    outputs_close(&again);
    return ok;
}

static bool compare_frames(struct trial *t, const char *repro)
{
    const struct trial_device device = { .model = &t->exposed };
    struct interpreter *in = NULL;
    struct diag diag;
    enum status s;

    trial_stage(t, "reference");
    s = trial_open_reference(t, &device, &in, &diag);
    for (int frame = 0; frame < 2 && s == STATUS_OK && t->result->status != CASE_FAIL; frame++) {
        const struct expect_request request = {
            .instance = &t->instance,
            .frame = frame,
            .bounds = t->j->subject->bounds,
            .quantized = t->j->subject->quantized,
            .set = t->set,
            .poison_word = trial_poison_words[PLAIN],
            .repro = repro,
        };

        t->result->frame = frame ? 'B' : 'A';
        s = interpreter_reset_variables(in);
        if (s == STATUS_OK)
            s = expect_outputs(in, &request, &t->got[frame], t->result, &diag);
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(t->result, "reference: %s", diag.text);
    return t->result->status != CASE_FAIL;
}

/* The device's and the reference's part; false when the case is over. */
static bool run_device(struct trial *t)
{
    struct trial_device device = { .model = &t->exposed, .poison_word = trial_poison_words[PLAIN] };
    struct interpreter *in = NULL;
    struct diag diag;
    int steps = -1;
    bool ok = false;

    trial_stage(t, "prepare");
    if (trial_open(t, &device, &in, &diag) != STATUS_OK)
        return result_fail(t->result, "prepare: %s", diag.text);
    if (!trial_is_taken(t, in)) {
        explain_refusal(t->j, t->c, t->instance.judged_node, t->result);
    } else {
        steps = habit_count_steps(t);
        ok = run_frames(t, in);
        note_bytes(t, in);
    }
    interpreter_close(in);
    ok = ok && compare_frames(t, NULL);
    if (!ok || !t->hides)
        return ok;
    device.model = &t->model;
    trial_stage(t, "prepare without intermediates");
    if (trial_open(t, &device, &in, &diag) != STATUS_OK)
        return result_fail(t->result, "prepare: %s", diag.text);
    ok = trial_is_taken(t, in) ? habit_bare(t, in, steps)
                               : result_fail(t->result, "not taken unless its intermediates are "
                                                        "outputs");
    interpreter_close(in);
    return ok;
}

/* ---- what the graph hides ---- */

/* Every tensor that a node makes and the graph does not show becomes an output, behind those that
 * it shows; constants made of constants are none. */
static enum status expose(struct trial *t, struct diag *diag)
{
    const struct model_subgraph *const graph = &t->model.subgraphs[0];
    const struct trial_device device = { .model = &t->model };
    struct interpreter *in = NULL;
    size_t count = graph->outputs.count;

    t->exposed = t->model;
    if (graph->operator_count < 2 || count > OUTPUTS_MAX)
        return STATUS_OK;
    TRY(trial_open_reference(t, &device, &in, diag));
    memcpy(t->exposed_outputs, graph->outputs.data, count * sizeof t->exposed_outputs[0]);
    for (int n = 0; n < (int)interpreter_node_count(in); n++) {
        const TfLiteNode *const node = interpreter_node(in, n);

        for (int o = 0; o < node->outputs->size; o++) {
            const int tensor = node->outputs->data[o];
            const TfLiteAllocationType memory = interpreter_tensor(in, tensor)->allocation_type;
            bool shown = memory == kTfLitePersistentRo || memory == kTfLiteDynamic;

            for (size_t i = 0; i < count; i++)
                shown = shown || t->exposed_outputs[i] == tensor;
            if (!shown && count < OUTPUTS_MAX)
                t->exposed_outputs[count++] = tensor;
        }
    }
    interpreter_close(in);
    t->hides = count > graph->outputs.count;
    t->exposed_graph = *graph;
    t->exposed_graph.outputs = (struct model_ints){ t->exposed_outputs, count };
    t->exposed.subgraphs = &t->exposed_graph;
    t->exposed.subgraph_count = 1;
    return STATUS_OK;
}

/* What every case is put through once. */
static bool run_habits(struct trial *t)
{
    return t->set != SET_RANDOM || (habit_poison(t) && habit_sequence(t) && habit_split(t));
}

/* Files of a failed trial; what cannot be written is said, and changes nothing else. */
static void save_repro(struct trial *t)
{
    struct case_result ignored = *t->result;
    const size_t used = strlen(t->result->reason);
    char path[PATH_MAX];
    struct diag diag;
    enum status s;

    s = repro_open(t->j->options.repro_dir, t->c->name, t->j->subject->label, path, &diag);
    if (s == STATUS_OK)
        s = repro_save_instance(path, &t->instance, &diag);
    for (int frame = 0; frame < 2 && s == STATUS_OK; frame++)
        s = repro_save_outputs(path, &t->got[frame], frame, &diag);
    if (s == STATUS_OK && t->got[0].count > 0 && t->got[1].count > 0) {
        struct case_result *const result = t->result;

        ignored.status = CASE_PASS;
        t->result = &ignored; /* once more, to write what was expected */
        compare_frames(t, path);
        t->result = result;
    }
    if (s != STATUS_OK)
        snprintf(t->result->reason + used, sizeof t->result->reason - used, " (--repro-dir: %s)",
                 diag.text);
}

static bool run_set(struct trial *t)
{
    const struct case_request request = { t->set, t->j->options.seed,
                                          t->j->subject->bounds == BOUNDS_FP16 };
    struct diag diag;
    bool ok = false;

    trial_stage(t, "build");
    if (case_build(t->c, &request, &t->instance, &diag) != STATUS_OK)
        return result_fail(t->result, "the suite cannot build it: %s", diag.text);
    t->untouched = mem_alloc(t->instance.file.count, 1);
    if (!t->untouched) {
        result_fail(t->result, "out of memory");
    } else if (tflite_read(&t->model, t->instance.file.bytes, t->instance.file.count, &diag) !=
               STATUS_OK) {
        result_fail(t->result, "the reader refuses it: %s", diag.text);
    } else {
        memcpy(t->untouched, t->instance.file.bytes, t->instance.file.count);
        if (expose(t, &diag) != STATUS_OK)
            result_fail(t->result, "reference: %s", diag.text);
        else
            ok = run_device(t) && run_habits(t);
        if (t->result->status == CASE_FAIL && t->j->options.repro_dir)
            save_repro(t);
    }
    for (int frame = 0; frame < 2; frame++) {
        outputs_close(&t->got[frame]);
        outputs_close(&t->bare[frame]);
    }
    model_close(&t->model);
    mem_free(t->untouched);
    case_instance_close(&t->instance);
    return ok;
}

void judge_case(struct judge *j, const struct test_case *c, struct case_result *result)
{
    bool ok = true;

    *result = (struct case_result){ .status = CASE_PASS };
    for (int i = 0; i < SET_COUNT && ok; i++) {
        struct trial t = { .j = j, .c = c, .set = set_order[i], .result = result };

        if (!case_has_set(c, t.set))
            continue;
        ok = run_set(&t);
        if (result->status == CASE_FAIL) {
            result->has_set = true;
            result->set = t.set;
        }
    }
}
