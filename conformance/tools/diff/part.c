/* Cuts nodes out of the model and judges them. */
#include "conformance/tools/diff/part.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/judge/node_compare.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/report.h"

#include <stdio.h>
#include <string.h>

/* ---- opening ---- */

/* The dims of all tensors as the reference prepared them. */
static struct model_ints *find_shapes(struct diff *d)
{
    const size_t count = d->model.subgraphs[0].tensor_count;
    struct model_ints *const shapes = mem_alloc(count ? count : 1, sizeof *shapes);

    for (size_t t = 0; shapes && t < count; t++) {
        const TfLiteIntArray *const dims = interpreter_tensor(d->reference, (int)t)->dims;

        shapes[t] = (struct model_ints){ dims->data, (size_t)dims->size };
    }
    return shapes;
}

/* What an input of the part holds: of the whole model's inputs the run's data, since an op with
 * state may have written to them. */
static const void *find_data(struct diff *d, int tensor, const TfLiteTensor *t)
{
    const struct model_ints *const inputs = &d->model.subgraphs[0].inputs;

    for (size_t i = 0; i < inputs->count; i++) {
        if (inputs->data[i] == tensor)
            return d->instance.inputs[i].data[0];
    }
    return t->data.raw;
}

static enum status copy_inputs(struct diff *d, bool rounded, struct part *part, struct diag *diag)
{
    const struct model_ints *const inputs = &part->cut.model.subgraphs[0].inputs;
    struct case_instance *const x = &part->instance;

    if (inputs->count > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu inputs, expected at most %d",
                         inputs->count, CASE_INPUTS_MAX);
    for (size_t i = 0; i < inputs->count; i++) {
        const int tensor = part->cut.tensors[inputs->data[i]];
        const TfLiteTensor *const t = interpreter_tensor(d->reference, tensor);
        const void *const data = find_data(d, tensor, t);

        if (t->bytes > 0 && !data)
            return diag_fail(diag, STATUS_UNSUPPORTED, "tensor %d has no data", tensor);
        x->inputs[i].type = t->type;
        x->inputs[i].bytes = t->bytes;
        x->inputs[i].data[0] = mem_alloc(t->bytes ? t->bytes : 1, 1);
        x->input_count = i + 1;
        if (!x->inputs[i].data[0])
            return diag_fail(diag, STATUS_NO_MEMORY, "part: out of memory");
        if (t->bytes > 0)
            memcpy(x->inputs[i].data[0], data, t->bytes);
        if (rounded && t->type == kTfLiteFloat32)
            round_half_floats(x->inputs[i].data[0], t->bytes / sizeof(float));
    }
    return STATUS_OK;
}

static enum status fill(struct diff *d, int last, bool rounded, struct part *part,
                        struct diag *diag)
{
    if (rounded)
        TRY(round_half_constants(&part->cut.model, diag));
    TRY(copy_inputs(d, rounded, part, diag));
    for (size_t n = 0; n < part->cut.model.subgraphs[0].operator_count; n++) {
        if (part->cut.nodes[n] == last)
            part->instance.judged_node = (int)n;
    }
    return tflite_write(&part->cut.model, &part->instance.file, diag);
}

enum status part_open(struct diff *d, int first, int last, bool rounded, struct part *part,
                      struct diag *diag)
{
    const size_t count = interpreter_node_count(d->reference);
    bool *const nodes = mem_alloc(count, sizeof *nodes);
    struct model_ints *const shapes = find_shapes(d);
    const struct model_cut_request request = { &d->model, nodes, shapes, false };
    enum status s = STATUS_OK;

    *part = (struct part){ .instance = { .input_count = 0 } };
    if (!nodes || !shapes)
        s = diag_fail(diag, STATUS_NO_MEMORY, "part: out of memory");
    for (int n = first; nodes && n <= last; n++)
        nodes[n] = diff_node_runs(d, n);
    if (s == STATUS_OK)
        s = model_cut_make(&request, &part->cut, diag);
    if (s == STATUS_OK)
        s = fill(d, last, rounded && bounds_half(d->subject->bounds), part, diag);
    mem_free(nodes);
    mem_free(shapes);
    if (s != STATUS_OK)
        part_close(part);
    return s;
}

void part_close(struct part *part)
{
    case_instance_close(&part->instance);
    model_cut_close(&part->cut);
}

/* ---- judging ---- */

/* Opens the reference on an instance; *model and *in are the caller's. */
static enum status open_reference(const struct case_instance *x,
                                  const struct interpreter_stand_in *stand_in, struct model *model,
                                  struct interpreter **in, struct diag *diag)
{
    const struct interpreter_options options = {
        .preserve_all = true, .num_threads = -1, .stand_in = stand_in, .report = report_nothing
    };
    enum status s;

    *in = NULL;
    TRY(tflite_read(model, x->file.bytes, x->file.count, diag));
    s = interpreter_open(in, model, &options, diag);
    return s == STATUS_OK ? interpreter_allocate(*in, diag) : s;
}

/* Runs the reference on an instance of few nodes and compares outputs of a subject with it, each
 * with the bound of its op. */
static enum status part_compare(const struct case_instance *x, const struct subject *subject,
                                const struct outputs *got, struct case_result *result,
                                struct diag *diag)
{
    const struct node_compare_request request = { .instance = x,
                                                  .bounds = subject->bounds,
                                                  .quantized = subject->quantized,
                                                  .set = SET_RANDOM,
                                                  .poison_word = TRIAL_POISON_WORD };
    struct model model = { .version = 0 };
    struct interpreter *in;
    enum status s = open_reference(x, NULL, &model, &in, diag);

    if (s == STATUS_OK)
        s = node_compare_outputs(in, &request, got, result, diag);
    interpreter_close(in);
    model_close(&model);
    return s;
}

/* Runs on the subject; the caller compares where the result is a pass. */
static enum status run_subject(struct trial_host *host, const struct case_instance *x,
                               struct trial *t, struct case_result *result, struct diag *diag)
{
    *result = (struct case_result){ .status = CASE_PASS };
    TRY(trial_run(host, x, true, 1, t, diag));
    result->status = t->status;
    result->ms = t->ms;
    snprintf(result->reason, sizeof result->reason, "%s", t->reason);
    return STATUS_OK;
}

enum status part_judge(struct trial_host *host, const struct case_instance *x,
                       struct case_result *result, struct diag *diag)
{
    struct trial t;
    enum status s = STATUS_OK;

    TRY(run_subject(host, x, &t, result, diag));
    if (t.status == CASE_PASS)
        s = part_compare(x, host->subject, &t.outputs, result, diag);
    trial_close(&t);
    return s;
}

static void screen_output(const struct screen *screen, const TfLiteTensor *t,
                          const struct outputs *got, size_t i, struct case_result *result)
{
    struct figures f = { .runs = 0 };
    char why[160];

    if (i >= got->count || got->items[i].bytes != t->bytes || got->items[i].type != t->type) {
        result_fail(result, "output %zu: expected %zu bytes, found %zu", i, t->bytes,
                    i < got->count ? got->items[i].bytes : 0);
        return;
    }
    figures_add(&f, t, got->items[i].data);
    figures_finish(&f);
    if (!figures_judge(&f, screen, why, sizeof why) && result->status == CASE_PASS) {
        result->has_element = true;
        result->output = (int)i;
        snprintf(result->where, sizeof result->where, "%s", f.worst_where);
        result->got = f.worst_got;
        result->want = f.worst_want;
        result->error = f.max_abs;
        result_fail(result, "%s", why);
    }
}

/* Outputs that fail are screened once more by what is left of them where each op of the part errs
 * within its bound. */
static enum status screen_outputs(struct trial_host *host, const struct screen *screen,
                                  struct interpreter *in, const struct outputs *got,
                                  struct case_result *result, struct diag *diag)
{
    struct figures *const left = mem_alloc(OUTPUTS_MAX, sizeof *left);
    struct screen one = *screen;
    struct diag why = { .status = STATUS_OK };
    enum status s = left ? STATUS_OK : STATUS_NO_MEMORY;
    const int *outputs;
    size_t count;

    one.conditioning = NULL;
    outputs = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++)
        screen_output(&one, interpreter_tensor(in, outputs[i]), got, i, result);
    if (s == STATUS_OK && result->status != CASE_PASS)
        s = conditioning_measure(in, host->subject->bounds, host->seed, left, &why);
    if (s == STATUS_OK && result->status != CASE_PASS) {
        *result = (struct case_result){ .status = CASE_PASS, .ms = result->ms };
        for (size_t i = 0; i < count; i++) {
            one.conditioning = i < OUTPUTS_MAX ? &left[i] : NULL;
            screen_output(&one, interpreter_tensor(in, outputs[i]), got, i, result);
        }
    }
    mem_free(left);
    return s == STATUS_NO_MEMORY ? diag_fail(diag, s, "figures: out of memory") : STATUS_OK;
}

enum status part_screen(struct trial_host *host, const struct screen *screen,
                        const struct case_instance *x, struct case_result *result,
                        struct diag *diag)
{
    struct model model = { .version = 0 };
    struct interpreter *in = NULL;
    struct trial t;
    enum status s = STATUS_OK;

    TRY(run_subject(host, x, &t, result, diag));
    if (t.status == CASE_PASS) {
        s = open_reference(x, host->stand_in, &model, &in, diag);
        if (s == STATUS_OK)
            s = inputs_write(in, x, 0, diag);
        if (s == STATUS_OK)
            s = interpreter_invoke(in, diag);
        if (s == STATUS_OK)
            s = screen_outputs(host, screen, in, &t.outputs, result, diag);
        interpreter_close(in);
        model_close(&model);
    }
    trial_close(&t);
    return s;
}
