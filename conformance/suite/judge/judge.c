/* Judges one case on one subject. */
#include "conformance/suite/judge/judge.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/judge/batches.h"
#include "conformance/suite/judge/case_run.h"
#include "conformance/suite/judge/composites.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/suite/judge/hidden_limits.h"
#include "conformance/suite/judge/invariants.h"
#include "conformance/suite/judge/judge_impl.h"
#include "conformance/suite/judge/node_compare.h"
#include "conformance/suite/judge/repeat.h"
#include "conformance/suite/judge/repro.h"
#include "conformance/suite/subject/subject_kind.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* S2 comes first: it shows an indexing error without any tolerance. */
static const enum data_set set_order[SET_COUNT] = { SET_INTEGERS, SET_RANDOM, SET_POSITIVE,
                                                    SET_CANCEL,   SET_POWERS, SET_SPREAD,
                                                    SET_ENDS };

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
        s = case_run_make_delegate(j, DELEGATE_PLAIN, diag);
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
    if (j->subject->kind->describe)
        j->subject->kind->describe(j->subject, device->name, sizeof device->name, device->driver,
                                   sizeof device->driver);
    if (!j->ours || j->subject->extras.get_stats(j->delegates[DELEGATE_PLAIN], &stats) != 0)
        return;
    snprintf(device->name, sizeof device->name, "%.*s", (int)sizeof stats.device - 1, stats.device);
    snprintf(device->driver, sizeof device->driver, "%.*s", (int)sizeof stats.driver - 1,
             stats.driver);
    if (stats.api_version) /* VK_MAKE_API_VERSION */
        snprintf(device->api, sizeof device->api, "%u.%u.%u", stats.api_version >> 22 & 0x7f,
                 stats.api_version >> 12 & 0x3ff, stats.api_version & 0xfff);
}

/* ---- declined ---- */

static void explain_refusal(struct case_run *run, struct engine *e)
{
    struct judge *const j = run->judge;
    struct case_result *const r = run->result;
    const char *const text = engine_refusal(e);
    const TfLiteDelegate *const d = j->delegates[DELEGATE_PLAIN];
    struct assay_gpu_refusal refusal;
    int count = 0;

    r->status = CASE_DECLINED;
    snprintf(r->reason, sizeof r->reason, "not taken%s%s", text[0] ? ": " : "", text);
    if (j->ours && j->subject->extras.get_refusal)
        count = j->subject->extras.refusal_count(d);
    for (int i = 0; i < count; i++) {
        refusal = (struct assay_gpu_refusal){ .struct_size = sizeof refusal };
        if (j->subject->extras.get_refusal(d, i, &refusal) != 0 ||
            (run->instance.judged_node >= 0 && refusal.node != run->instance.judged_node))
            continue;
        snprintf(r->reason, sizeof r->reason, "%s: %s%s%s%s%s%s", refusal.rule,
                 refusal.field ? refusal.field : run->test_case->op, refusal.value ? " is " : "",
                 refusal.value ? refusal.value : "", refusal.limit ? ", may be " : "",
                 refusal.limit ? refusal.limit : "", "");
        return;
    }
}

/* ---- one set ---- */

static void begin_sets(struct sets *s);

static void note_bytes(struct case_run *run, struct engine *e)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    uint64_t bytes = engine_bytes(e);

    if (run->judge->ours &&
        run->judge->subject->extras.get_stats(run->judge->delegates[DELEGATE_PLAIN], &stats) == 0)
        bytes = stats.constant_bytes + stats.activation_bytes + stats.staging_bytes;
    if (bytes > run->result->bytes)
        run->result->bytes = bytes;
}

/* Frame A gave other bits the second time.  Once more with the guard words of the first time, a
 * subject that keeps no state gives the first bits again. */
static const char *why_other_bits(struct case_run *run, struct engine *e)
{
    struct outputs once_more = { .count = 0 };
    int output;
    size_t byte;
    bool same;

    case_run_stage(run, "frame A once more");
    same = engine_guards(e, ENGINE_GUARD_NAN) && case_run_reset(run, e) &&
           case_run_invoke(run, e, &run->instance, 0, &once_more) &&
           !outputs_differ(&run->got[0], &once_more, once_more.count, &output, &byte);
    outputs_close(&once_more);
    return same ? "frame A gives other bits when the guard words round its tensors change: memory "
                  "outside of a tensor is read"
                : "frame A gives other bits after frame B: state is kept";
}

/* Runs frame A again after frame B, with other guard words. */
static bool run_again(struct case_run *run, struct engine *e)
{
    struct outputs again = { .count = 0 };
    int output;
    size_t byte;
    bool ok;

    case_run_stage(run, "frame A again");
    engine_guards(e, ENGINE_GUARD_NUMBER);
    ok = case_run_reset(run, e) && case_run_invoke(run, e, &run->instance, 0, &again);
    if (ok && outputs_differ(&run->got[0], &again, again.count, &output, &byte)) {
        case_run_differ(run, &run->got[0], &again, again.count, why_other_bits(run, e));
        ok = false;
    }
    outputs_close(&again);
    return ok;
}

/* Runs the frames A, B, A, each after a reset of the variables; of large rows frame A once. */
static bool run_frames(struct case_run *run, struct engine *e)
{
    const unsigned abilities = engine_abilities(run->judge->subject);

    result_note_habit(run->result, HABIT_REPEAT, true);
    result_note_habit(run->result, HABIT_GUARDS, abilities & ENGINE_GUARDS);
    result_note_habit(run->result, HABIT_POISON, abilities & ENGINE_POISON);
    case_run_stage(run, "frame A");
    if (!case_run_invoke(run, e, &run->instance, 0, &run->got[0]))
        return false;
    if (run->instance.one_frame)
        return true;
    case_run_stage(run, "frame B");
    if (!case_run_reset(run, e) || !case_run_invoke(run, e, &run->instance, 1, &run->got[1]))
        return false;
    return run_again(run, e);
}

/* What a delegate computes from constants may be off by the limit of its op, where it is computed
 * in each inference and stored in f16.  `before`: the result before a difference was found. */
static enum status compare_hidden_constants(struct case_run *run, struct interpreter *in,
                                            struct node_compare_request request,
                                            const struct case_result *before, struct diag *diag)
{
    struct case_result again = *before;
    double margin;

    request.from_outputs = true;
    request.repro = NULL;
    TRY(interpreter_reset_state(in));
    TRY(hidden_limits_compare(in, &request, &run->got[request.frame], &margin, &again, diag));
    if (again.status != CASE_PASS)
        return STATUS_OK;
    again.margin = fmax(again.margin, margin);
    *run->result = again;
    return STATUS_OK;
}

static bool compare_frames(struct case_run *run, struct repro *repro)
{
    const struct case_run_setup setup = { .model = &run->exposed };
    struct interpreter *in = NULL;
    struct diag diag;
    enum status s;

    case_run_stage(run, "reference");
    s = case_run_open_reference(run, &setup, &in, &diag);
    for (int frame = 0; frame < case_instance_frames(&run->instance) && s == STATUS_OK &&
                        (repro || run->result->status != CASE_FAIL);
         frame++) {
        const struct node_compare_request request = {
            .instance = &run->instance,
            .frame = frame,
            .bounds = run->judge->subject->bounds,
            .quantized = run->judge->subject->quantized,
            .set = run->set,
            .poison_word = case_run_poison_words[DELEGATE_PLAIN],
            .before = frame ? &run->got[0] : NULL,
            .repro = repro,
        };
        struct case_result before;

        run->result->frame = frame ? 'B' : 'A';
        before = *run->result;
        s = interpreter_reset_state(in);
        if (s == STATUS_OK)
            s = node_compare_outputs(in, &request, &run->got[frame], run->result, &diag);
        if (s == STATUS_OK && run->result->status == CASE_FAIL && run->hides_constants &&
            bounds_half(request.bounds))
            s = compare_hidden_constants(run, in, request, &before, &diag);
    }
    interpreter_close(in);
    if (s != STATUS_OK)
        return result_fail(run->result, "reference: %s", diag.text);
    return run->result->status != CASE_FAIL;
}

/* What is asked of the subject: frames A, B and A of the exposed graph.  At the end of a line all
 * goes in one exchange, with the graph as it is and the poisons behind. */
struct plan {
    struct engine_expected list[5 + INVARIANTS_POISONS];
    struct case_run_setup setup; /* of the exposed graph */
    size_t poisons;
    bool merged;
};

static void make_plan(const struct case_run *run, struct plan *p)
{
    const struct case_instance *const x = &run->instance;
    const uint32_t word = case_run_poison_words[DELEGATE_PLAIN];
    const bool bare = !run->hides_intermediates;
    size_t shown;

    p->merged = !x->one_frame && !run->repeats && engine_type_of(run->judge->subject)->reopen;
    p->list[0] = (struct engine_expected){ x, 0, false, -1, 0 };
    p->list[1] = (struct engine_expected){ x, 1, true, -1, 0 };
    p->list[2] = (struct engine_expected){ x, 0, true, ENGINE_GUARD_NUMBER, 0 };
    p->list[3] = (struct engine_expected){ x, 0, true, -1, word };
    p->list[4] = (struct engine_expected){ x, 1, true, -1, 0 };
    invariants_expect_poison(run, DELEGATE_POISON_FIRST, p->list + (bare ? 3 : 5));
    shown = x->one_frame ? 1 : bare || !p->merged ? 3 : 5;
    p->poisons = p->merged && run->set == SET_RANDOM ? INVARIANTS_POISONS : 0;
    p->setup = (struct case_run_setup){ .model = bare ? &run->model : &run->exposed,
                                        .poison_word = word,
                                        .expected = p->list,
                                        .expected_count = shown + p->poisons,
                                        .then = shown == 5 ? &run->model : NULL,
                                        .then_at = 3 };
}

static enum status open_exposed(struct case_run *run, const struct plan *p, struct engine **e,
                                struct diag *diag)
{
    *e = run->begun;
    run->begun = NULL;
    return *e ? engine_end_open(e, diag) : case_run_open(run, &p->setup, e, diag);
}

/* Runs the delegate and compares; false when the case failed or was declined. */
static bool run_device(struct case_run *run)
{
    struct plan p;
    struct engine *e = NULL;
    struct diag diag;
    int steps = -1;
    bool ok = false;

    make_plan(run, &p);
    case_run_stage(run, "prepare");
    if (open_exposed(run, &p, &e, &diag) != STATUS_OK)
        return result_fail(run->result, "prepare: %s", diag.text);
    if (!case_run_is_taken(run, e)) {
        explain_refusal(run, e);
    } else {
        steps = invariants_count_steps(run);
        run->result->nodes = (int)run->model.subgraphs[0].operator_count;
        run->result->taken = case_run_count_taken(run, e);
        ok = run_frames(run, e);
        note_bytes(run, e);
    }
    if (p.merged && ok)
        run->device = e;
    else
        engine_close(e);
    if (ok && run->sets)
        begin_sets(run->sets);
    ok = ok && compare_frames(run, NULL);
    if (!ok || !run->hides_intermediates)
        return ok;
    e = run->device;
    run->device = NULL;
    p.setup.model = &run->model;
    p.setup.then = NULL;
    p.list[3].reopened = 0;
    p.setup.expected = p.list + 3;
    p.setup.expected_count = (size_t)case_instance_frames(&run->instance) + p.poisons;
    case_run_stage(run, "prepare without intermediates");
    if (case_run_reopen(run, &p.setup, &e, &diag) != STATUS_OK)
        return result_fail(run->result, "prepare: %s", diag.text);
    ok = case_run_is_taken(run, e)
             ? invariants_check_hidden(run, e, steps)
             : result_fail(run->result, "not taken unless its intermediates are "
                                        "outputs");
    if (p.merged && ok)
        run->device = e;
    else
        engine_close(e);
    return ok;
}

/* ---- hidden intermediates ---- */

static bool reads_constants_alone(struct interpreter *in, const TfLiteNode *node);

/* Whether no input of the graph reaches the tensor. */
static bool is_constant(struct interpreter *in, int tensor)
{
    const TfLiteTensor *const t = interpreter_tensor(in, tensor);

    if (t->allocation_type == kTfLiteMmapRo || t->allocation_type == kTfLitePersistentRo)
        return true;
    for (int n = 0; n < (int)interpreter_node_count(in) && !t->is_variable; n++) {
        const TfLiteNode *const node = interpreter_node(in, n);

        for (int o = 0; o < node->outputs->size; o++)
            if (node->outputs->data[o] == tensor)
                return reads_constants_alone(in, node);
    }
    return false;
}

/* A delegate may compute such a node once, as the CPU does, or in each inference: what it has then
 * is not seen, as an output would be the CPU's (compare_hidden_constants). */
static bool reads_constants_alone(struct interpreter *in, const TfLiteNode *node)
{
    for (int i = 0; i < node->inputs->size; i++)
        if (node->inputs->data[i] >= 0 && !is_constant(in, node->inputs->data[i]))
            return false;
    return true;
}

/* Makes a graph in which every result of a node is an output, behind the graph's own outputs;
 * results that are computed from constants alone are left out. */
static enum status expose_intermediates(struct case_run *run, struct diag *diag)
{
    const struct model_subgraph *const graph = &run->model.subgraphs[0];
    const struct case_run_setup setup = { .model = &run->model };
    struct interpreter *in = NULL;
    size_t count = graph->outputs.count;

    run->exposed = run->model;
    run->hides_constants = false;
    if (run->model.subgraph_count > CASE_GRAPHS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%zu subgraphs, at most %d",
                         run->model.subgraph_count, CASE_GRAPHS_MAX);
    if (graph->operator_count < 2 || count > OUTPUTS_MAX)
        return STATUS_OK;
    TRY(case_run_open_reference(run, &setup, &in, diag));
    memcpy(run->exposed_outputs, graph->outputs.data, count * sizeof run->exposed_outputs[0]);
    for (int n = 0; n < (int)interpreter_node_count(in); n++) {
        const TfLiteNode *const node = interpreter_node(in, n);

        if (reads_constants_alone(in, node)) {
            const struct bound_rule *const rule = node_compare_rule(in, n, 0);

            run->hides_constants = run->hides_constants || (rule && rule->kind != BOUND_BITS);
            continue;
        }
        for (int o = 0; o < node->outputs->size; o++) {
            const int tensor = node->outputs->data[o];
            const TfLiteAllocationType memory = interpreter_tensor(in, tensor)->allocation_type;
            const TfLiteType type = interpreter_tensor(in, tensor)->type;
            /* Complex numbers and handles are seen through the nodes behind them. */
            bool shown = memory == kTfLitePersistentRo || memory == kTfLiteDynamic ||
                         type == kTfLiteComplex64 || type == kTfLiteResource;

            for (size_t i = 0; i < count; i++)
                shown = shown || run->exposed_outputs[i] == tensor;
            if (!shown && count < OUTPUTS_MAX)
                run->exposed_outputs[count++] = tensor;
        }
    }
    interpreter_close(in);
    run->hides_intermediates = count > graph->outputs.count;
    memcpy(run->exposed_graphs, run->model.subgraphs,
           run->model.subgraph_count * sizeof *run->exposed_graphs);
    run->exposed_graphs[0].outputs = (struct model_ints){ run->exposed_outputs, count };
    run->exposed.subgraphs = run->exposed_graphs;
    return STATUS_OK;
}

/* The invariants that are checked once a case, on S0; of large rows, which are about places and
 * have one set, that state goes on. */
static bool check_invariants(struct case_run *run)
{
    if (run->instance.one_frame)
        return invariants_check_sequence(run);
    return run->set != SET_RANDOM ||
           (invariants_check_poison(run) && invariants_check_sequence(run) && batches_check(run) &&
            habits_check(run));
}

static void note_set(const struct case_run *run)
{
    if (run->result->status == CASE_FAIL) {
        run->result->has_set = true;
        run->result->set = run->set;
    }
}

static enum status write_repro(struct case_run *run, struct repro *repro,
                               const struct repro_what *what, struct diag *diag)
{
    struct case_result *const result = run->result;
    struct case_result ignored = *result;

    TRY(repro_open(repro, what, diag));
    TRY(repro_save_instance(repro, &run->instance, diag));
    for (int frame = 0; frame < 2; frame++)
        TRY(repro_save_outputs(repro, &run->got[frame], frame, diag));
    if (run->got[0].count > 0 && (run->instance.one_frame || run->got[1].count > 0)) {
        ignored.status = CASE_PASS;
        run->result = &ignored; /* once more, to write what was expected */
        compare_frames(run, repro);
        run->result = result;
    }
    return repro_finish(repro, what, &run->instance, result, !what->below, diag);
}

/* Writes the files of a failed case; an error is added to the reason, and changes nothing else. */
static void save_repro(struct case_run *run)
{
    const struct repro_what what = { .directory = run->judge->options.repro_dir,
                                     .test_case = run->test_case,
                                     .subject = run->judge->subject,
                                     .seed = run->judge->options.seed,
                                     .below = run->judge->repro_below };
    const size_t used = strlen(run->result->reason);
    struct repro repro;
    struct diag diag;

    note_set(run);
    if (write_repro(run, &repro, &what, &diag) != STATUS_OK)
        snprintf(run->result->reason + used, sizeof run->result->reason - used,
                 " (--repro-dir: %s)", diag.text);
    repro_close(&repro);
}

/* Writes types and shapes of the graph's inputs: "f32 [1, 4, 4, 5]; i32 [2]". */
static void note_inputs(struct case_run *run)
{
    const struct model_subgraph *const graph = &run->model.subgraphs[0];
    struct judge_stage *const stage = run->judge->options.stage;
    char *const text = run->result->inputs;
    const size_t bytes = sizeof run->result->inputs;
    size_t used = 0;

    for (size_t i = 0; i < graph->inputs.count; i++) {
        const struct model_tensor *const t = &graph->tensors[graph->inputs.data[i]];
        char one[160];
        size_t n = (size_t)snprintf(one, sizeof one, "%s%s [", i ? "; " : "",
                                    runtime_type_name(tensor_type_runtime(t->type)));

        for (size_t d = 0; d < t->shape.count && n < sizeof one; d++)
            n += (size_t)snprintf(one + n, sizeof one - n, "%s%d", d ? ", " : "",
                                  (int)t->shape.data[d]);
        /* Behind each input but the last there must be room to say that there are more. */
        if (used + n + 1 + (i + 1 < graph->inputs.count ? strlen("; ...") : 0) >= bytes) {
            snprintf(text + used, bytes - used, "%s...", i ? "; " : "");
            break;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s]", one);
    }
    if (stage)
        memcpy(stage->inputs, text, bytes);
}

static enum status read_model(struct case_run *run, struct diag *diag)
{
    const struct tflite_file *const file = &run->instance.file;

    TRY(tflite_read_accepting(&run->model, file->bytes, file->count, ACCEPT_SUPPORTED, diag));
    run->composed = run->model.subgraphs;
    TRY(tflite_inline(&run->model, file->bytes, diag));
    if (run->model.subgraphs == run->composed)
        run->composed = NULL;
    return STATUS_OK;
}

/* Reads what run->instance holds. */
static enum status read_instance(struct case_run *run, struct diag *diag)
{
    run->file_copy = mem_alloc(run->instance.file.count, 1);
    if (!run->file_copy)
        return diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
    TRY(diag_prefix(diag, read_model(run, diag), "the reader refuses it"));
    memcpy(run->file_copy, run->instance.file.bytes, run->instance.file.count);
    return diag_prefix(diag, expose_intermediates(run, diag), "reference");
}

/* Runs what was read. */
static bool judge_read(struct case_run *run)
{
    bool ok;

    if (!run->result->inputs[0])
        note_inputs(run);
    if (!run->result->classes[0])
        case_classes_measure(&run->model, run->instance.judged_node, run->result->classes);
    ok = composites_check(run, run_device(run));
    return run->repeats ? repeat_runs(run, ok) : ok && check_invariants(run);
}

static void close_read(struct case_run *run)
{
    engine_close(run->begun);
    engine_close(run->device);
    for (int frame = 0; frame < 2; frame++) {
        outputs_close(&run->got[frame]);
        outputs_close(&run->original[frame]);
    }
    model_close(&run->model);
    mem_free(run->file_copy);
    run->begun = run->device = NULL;
    run->file_copy = NULL;
}

/* Runs what run->instance holds, which may have been read. */
static bool run_instance(struct case_run *run)
{
    struct diag diag;
    bool ok;

    if (!run->file_copy && read_instance(run, &diag) != STATUS_OK)
        ok = result_fail(run->result, "%s", diag.text);
    else
        ok = judge_read(run);
    if (run->result->status == CASE_FAIL && run->judge->options.repro_dir)
        save_repro(run);
    close_read(run);
    return ok;
}

/* ---- the sets of a case ---- */

/* The data sets of a case, in the order in which they are judged.  Where the subject is at the end
 * of a line, sets are begun before it is their turn, so that the agent has work while this process
 * compares. */
struct sets {
    struct case_run runs[SET_COUNT];
    size_t count, begun;
};

static enum status build(struct case_run *run, struct diag *diag)
{
    const struct case_request request = { run->set, run->judge->options.seed,
                                          bounds_half(run->judge->subject->bounds) };

    return diag_prefix(diag, case_build(run->test_case, &request, &run->instance, diag),
                       "the suite cannot build it");
}

/* False: not yet, or it is judged on its turn that it cannot be built or read. */
static bool begin_set(struct case_run *run)
{
    struct plan p;

    if (!run->file_copy && build(run, NULL) != STATUS_OK)
        return false;
    if (!run->file_copy && read_instance(run, NULL) != STATUS_OK) {
        close_read(run);
        case_instance_close(&run->instance);
        return false;
    }
    make_plan(run, &p);
    case_run_begin_open(run, &p.setup, &run->begun);
    return run->begun;
}

static void begin_sets(struct sets *s)
{
    while (s->begun < s->count && begin_set(&s->runs[s->begun]))
        s->begun++;
    engine_flush(s->runs[0].judge->subject);
}

static bool run_set(struct case_run *run)
{
    struct diag diag;
    bool ok;

    case_run_stage(run, "build");
    if (!run->file_copy && build(run, &diag) != STATUS_OK) {
        result_fail(run->result, "%s", diag.text);
        note_set(run);
        return false;
    }
    ok = run_instance(run);
    note_set(run);
    case_instance_close(&run->instance);
    return ok;
}

/* A line that was lost says nothing about the subject, so the case runs again. */
enum { TRIES = 3 };

/* An agent that ended is the result, whatever was made of its silence. */
static void note_end(const struct judge *j, enum engine_end how, const char *why,
                     struct case_result *r)
{
    static const enum case_status statuses[] = { [ENGINE_CRASHED] = CASE_CRASH,
                                                 [ENGINE_LATE] = CASE_TIMEOUT,
                                                 [ENGINE_LOST] = CASE_CRASH,
                                                 [ENGINE_BROKEN] = CASE_FAIL };
    const struct judge_stage *const stage = j->options.stage;

    r->status = statuses[how];
    r->line_lost = how == ENGINE_LOST;
    snprintf(r->reason, sizeof r->reason, "%.300s%s%s%s%.40s", why, r->has_set ? " in " : "",
             r->has_set ? data_set_name(r->set) : "", stage ? ": " : "", stage ? stage->what : "");
}

void judge_instance(struct judge *j, const struct test_case *c, enum data_set set,
                    const struct case_instance *x, struct case_result *result)
{
    struct case_run run = {
        .judge = j, .test_case = c, .set = set, .instance = *x, .result = result
    };

    enum engine_end how;
    char why[480];

    *result = (struct case_result){ .status = CASE_PASS };
    engine_begin(j->subject, j->options.limit_s);
    run_instance(&run);
    note_set(&run);
    how = engine_ended(j->subject, why, sizeof why);
    if (how != ENGINE_RUNS)
        note_end(j, how, why, result);
}

/* Runs the case again as --repeat asks, on S0 where it has it, held to bits that are judged anew.
 */
static void repeat_case(struct judge *j, const struct test_case *c, struct case_result *result)
{
    struct case_result one = { .status = CASE_PASS };
    struct case_run run = { .judge = j, .test_case = c, .result = &one, .repeats = true };
    int first = 0;

    while (!case_has_set(c, set_order[first]))
        first++;
    run.set = case_has_set(c, SET_RANDOM) ? SET_RANDOM : set_order[first];
    if (j->options.stage)
        j->options.stage->failed = result->status == CASE_FAIL;
    run_set(&run);
    result->repeat = one.repeat;
    if (result->status != CASE_PASS || one.status == CASE_PASS)
        return;
    one.margin = result->margin;
    one.max_abs = result->max_abs;
    one.max_ulp = result->max_ulp;
    one.habits |= result->habits;
    one.left_out |= result->left_out;
    memcpy(one.inputs, result->inputs, sizeof one.inputs);
    memcpy(one.classes, result->classes, sizeof one.classes);
    *result = one;
}

static void judge_once(struct judge *j, const struct test_case *c, struct case_result *result)
{
    struct sets sets; /* of which no more is set than is needed */
    const bool ahead = j->ahead && engine_type_of(j->subject)->begin_open;
    bool ok = true;

    *result = (struct case_result){ .status = CASE_PASS };
    sets.count = sets.begun = 0;
    for (int i = 0; i < SET_COUNT; i++)
        if (case_has_set(c, set_order[i]))
            sets.runs[sets.count++] = (struct case_run){ .judge = j,
                                                         .test_case = c,
                                                         .set = set_order[i],
                                                         .sets = ahead ? &sets : NULL,
                                                         .result = result };
    if (ahead)
        begin_sets(&sets);
    for (size_t i = 0; i < sets.count; i++) {
        sets.begun = sets.begun > i ? sets.begun : i + 1;
        if (ok) {
            ok = run_set(&sets.runs[i]);
        } else if (sets.runs[i].file_copy) {
            close_read(&sets.runs[i]);
            case_instance_close(&sets.runs[i].instance);
        }
    }
    j->ahead = ok && !j->one_by_one;
    if (j->options.repeat.runs > 0 && result->status != CASE_DECLINED)
        repeat_case(j, c, result);
}

/* The agent ended while it had more than one thing to do, or something before its turn: one by one,
 * each thing has the result that it has in this process.  One that then goes on has ended all the
 * same. */
static void judge_one_by_one(struct judge *j, const struct test_case *c, struct case_result *result)
{
    const struct case_result first = *result;
    enum engine_end how;
    char why[480];

    j->one_by_one = true;
    engine_begin(j->subject, j->options.limit_s);
    judge_once(j, c, result);
    how = engine_ended(j->subject, why, sizeof why);
    j->one_by_one = false;
    if (how != ENGINE_RUNS)
        note_end(j, how, why, result);
    else if (result->status != CASE_FAIL)
        *result = first;
}

void judge_case(struct judge *j, const struct test_case *c, struct case_result *result)
{
    enum engine_end how = ENGINE_LOST;
    char why[480];

    for (int i = 0; i < TRIES && how == ENGINE_LOST; i++) {
        engine_begin(j->subject, j->options.limit_s);
        judge_once(j, c, result);
        how = engine_ended(j->subject, why, sizeof why);
    }
    if (how == ENGINE_RUNS)
        return;
    note_end(j, how, why, result);
    if (how == ENGINE_CRASHED)
        judge_one_by_one(j, c, result);
}
