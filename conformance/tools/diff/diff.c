/* Runs a model on both sides and judges the outputs. */
#include "conformance/tools/diff/diff.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/suite/io/random_ids.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/judge/swaps.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/progress.h"
#include "conformance/util/random.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- opening ---- */

/* The instance is the file itself, and memory for the inputs. */
static enum status make_instance(struct diff *d, struct diag *diag)
{
    struct case_instance *const x = &d->instance;
    size_t count;
    const int *const inputs = interpreter_inputs(d->reference, &count);

    if (count > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu inputs, expected at most %d", count,
                         CASE_INPUTS_MAX);
    if (d->request.inputs.count > count)
        return diag_fail(diag, STATUS_USAGE, "expected at most %zu inputs, found %zu", count,
                         d->request.inputs.count);
    x->file = (struct tflite_file){ (uint8_t *)d->file.bytes, d->file.count };
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(d->reference, inputs[i]);

        x->inputs[i].type = t->type;
        x->inputs[i].bytes = t->bytes;
        x->inputs[i].data[0] = mem_alloc(t->bytes ? t->bytes : 1, 1);
        x->input_count = i + 1;
        if (!x->inputs[i].data[0])
            return diag_fail(diag, STATUS_NO_MEMORY, "input %zu: out of memory", i);
    }
    return STATUS_OK;
}

static enum status open_reference(struct diff *d, struct diag *diag)
{
    const struct interpreter_options options = { .preserve_all = true,
                                                 .num_threads = -1,
                                                 .stand_in = d->request.stand_in,
                                                 .report = report_nothing };
    size_t outputs;

    TRY(tflite_read(&d->model, d->file.bytes, d->file.count, diag));
    TRY(interpreter_open(&d->reference, &d->model, &options, diag));
    TRY(interpreter_allocate(d->reference, diag));
    interpreter_outputs(d->reference, &outputs);
    if (outputs > OUTPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "found %zu outputs, expected at most %d",
                         outputs, OUTPUTS_MAX);
    d->output_count = outputs;
    TRY(make_instance(d, diag));
    d->screen = screen_make(d->reference, d->subject->bounds, d->subject->quantized);
    return STATUS_OK;
}

enum status diff_open(struct diff *d, const struct diff_request *request, struct subject *subject,
                      struct diag *diag)
{
    double ms;

    *d = (struct diff){ .request = *request,
                        .subject = subject,
                        .status = CASE_PASS,
                        .beyond_half = { .node = -1 },
                        .culprit = {
                            .first = -1, .last = -1, .place_first = -1, .place_last = -1 } };
    TRY(model_file_read(request->path, &d->file, diag));
    TRY(diag_prefix(diag, open_reference(d, diag), "%s", request->path));
    TRY(trial_host_open(&d->host, subject, request->timeout_s, request->seed, diag));
    d->host.stand_in = request->stand_in;
    return diag_prefix(diag, diff_reference_run(d, 0, &ms, diag), "%s", request->path);
}

void diff_close(struct diff *d)
{
    trial_host_close(&d->host);
    interpreter_close(d->reference);
    d->instance.file = (struct tflite_file){ NULL, 0 }; /* borrowed */
    case_instance_close(&d->instance);
    case_instance_close(&d->culprit.instance);
    shrunk_close(&d->culprit.shrunk);
    mem_free(d->per_node);
    model_close(&d->model);
    file_model_close(&d->file);
    *d = (struct diff){ .subject = NULL };
}

/* ---- inputs ---- */

/* In [0, 1): as inference_diff_eval draws it, or uniform. */
static double draw(struct random_stream *s, bool gaussian)
{
    double x;

    if (!gaussian)
        return (double)(random_next(s) >> 11) * 0x1p-53;
    do
        x = 0.5 + random_normal(s) / 3;
    while (x < 0 || x >= 1);
    return x;
}

/* False for types that have no range of their own. */
static bool fill_range(TfLiteTensor *t, enum diff_data data, struct random_stream *s)
{
    const size_t count = ref_elements(t);
    const bool floats = t->type == kTfLiteFloat32;
    const bool gaussian = data == DIFF_DATA_GAUSSIAN || (data == DIFF_DATA_BY_TYPE && floats);

    if (!floats && t->type != kTfLiteInt8 && t->type != kTfLiteUInt8)
        return false;
    for (size_t i = 0; i < count; i++) {
        const double x = draw(s, gaussian);

        if (floats)
            t->data.f[i] = (float)(2 * x - 1);
        else if (t->type == kTfLiteInt8)
            t->data.int8[i] = (int8_t)((int)(x * 256) - 128);
        else
            t->data.uint8[i] = (uint8_t)(x * 256);
    }
    return true;
}

static enum status fill_inputs(struct diff *d, uint64_t run, struct diag *diag)
{
    const struct diff_request *const q = &d->request;
    size_t count;
    const int *const inputs = interpreter_inputs(d->reference, &count);

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(d->reference, inputs[i]);
        struct random_stream s;

        random_init(&s, q->seed, "diff", 0, i, run);
        if (i < q->inputs.count)
            TRY(diag_prefix(diag,
                            model_use_explain(&d->model, i,
                                              tensor_load(t, q->inputs.items[i], q->scale, diag),
                                              diag),
                            "input %zu", i));
        else if ((t->type != kTfLiteFloat32 && random_ids_limit(d->reference, inputs[i]) > 0) ||
                 !fill_range(t, q->data, &s))
            TRY(random_fill(d->reference, inputs[i], q->seed + run, i, diag));
        if (t->bytes > 0)
            memcpy(d->instance.inputs[i].data[0], t->data.raw, t->bytes);
    }
    return STATUS_OK;
}

enum status diff_reference_run(struct diff *d, uint64_t run, double *ms, struct diag *diag)
{
    double start;

    TRY(interpreter_reset_state(d->reference));
    TRY(fill_inputs(d, run, diag));
    start = clock_ms();
    TRY(diag_prefix(diag,
                    random_explain(d->reference, d->request.inputs.count, "give --input=FILE",
                                   interpreter_invoke(d->reference, diag), diag),
                    "reference"));
    *ms = clock_ms() - start;
    return STATUS_OK;
}

bool diff_node_runs(const struct diff *d, int node)
{
    const TfLiteNode *const n = interpreter_node(d->reference, node);

    return n->outputs->size > 0 &&
           interpreter_tensor(d->reference, n->outputs->data[0])->allocation_type !=
               kTfLitePersistentRo;
}

const char *diff_op(const struct diff *d, int node)
{
    return interpreter_node_name(d->reference, node);
}

const char *diff_output(const struct diff *d, int node)
{
    const TfLiteNode *const n = interpreter_node(d->reference, node);
    const char *const name = interpreter_tensor(d->reference, n->outputs->data[0])->name;

    return name ? name : "";
}

bool diff_node_fails(const struct diff_node *n)
{
    return n->judged && n->result.status != CASE_PASS && n->result.status != CASE_DECLINED;
}

bool diff_failed(const struct diff *d)
{
    return d->status != CASE_PASS;
}

/* ---- running ---- */

static enum status end(struct diff *d, enum case_status status, const char *reason)
{
    d->status = status;
    snprintf(d->reason, sizeof d->reason, "%s", reason);
    return STATUS_OK;
}

void diff_conclude(struct diff *d)
{
    const struct diff_node *n = d->per_node;

    if (d->status == CASE_PASS && d->wrong_nodes > 0) {
        while (!diff_node_fails(n))
            n++;
        d->status = n->result.status;
        snprintf(d->reason, sizeof d->reason, "node %d, %s: %.400s",
                 model_use_node(d->request.use, n->node), diff_op(d, n->node), n->result.reason);
    }
    if (d->status == CASE_PASS && interrupt_signal()) {
        d->status = CASE_MISSING;
        snprintf(d->reason, sizeof d->reason, "interrupted by %s", interrupt_name());
    }
}

/* Adds a run's outputs to the figures; *snr_db is the lowest of them. */
static void compare(struct diff *d, const struct outputs *got, double *snr_db)
{
    const int *const outputs = interpreter_outputs(d->reference, &(size_t){ 0 });

    *snr_db = INFINITY;
    for (size_t i = 0; i < d->output_count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(d->reference, outputs[i]);
        struct figures one = { .runs = 0 };

        if (i >= got->count || got->items[i].bytes != t->bytes || got->items[i].type != t->type) {
            char text[160];

            snprintf(text, sizeof text, "output %zu: expected %zu bytes, found %zu", i, t->bytes,
                     i < got->count ? got->items[i].bytes : 0);
            end(d, CASE_FAIL, text);
            return;
        }
        figures_add(&d->outputs[i], t, got->items[i].data);
        figures_add(&one, t, got->items[i].data);
        figures_finish(&one);
        *snr_db = fmin(*snr_db, isnan(one.snr_db) ? -INFINITY : one.snr_db);
    }
}

struct spread {
    double sum, squares, count;
};

static void spread_add(struct spread *s, double mean, double std)
{
    s->sum += mean;
    s->squares += mean * mean + std * std;
    s->count++;
}

static double spread_mean(const struct spread *s)
{
    return s->count > 0 ? s->sum / s->count : 0;
}

static double spread_std(const struct spread *s)
{
    const double mean = spread_mean(s);

    return s->count > 0 ? sqrt(fmax(s->squares / s->count - mean * mean, 0)) : 0;
}

static enum status run_all(struct diff *d, struct diag *diag)
{
    struct spread reference = { 0, 0, 0 }, subject = { 0, 0, 0 };
    struct progress progress;
    double worst = INFINITY;

    progress_begin(&progress, "diff", (double)d->request.runs, d->request.quiet);
    for (uint64_t run = 0; run < d->request.runs && d->status == CASE_PASS && !interrupt_signal();
         run++) {
        struct trial t;
        double ms, snr_db;

        progress_update(&progress, (double)run, "run %llu of %llu", (unsigned long long)run + 1,
                        (unsigned long long)d->request.runs);
        TRY(diff_reference_run(d, run, &ms, diag));
        spread_add(&reference, ms, 0);
        TRY(trial_run(&d->host, &d->instance, run == 0, (size_t)d->request.repeats, &t, diag));
        if (run == 0) {
            d->open_ms = t.open_ms;
            d->nodes = t.nodes;
            d->taken = t.taken;
        }
        if (t.status == CASE_MISSING) {
            /* The loop ends. */
        } else if (t.status != CASE_PASS) {
            d->worst_run = run;
            end(d, t.status, t.reason);
        } else {
            spread_add(&subject, t.mean_ms, t.std_ms);
            d->swaps += swaps_undo(d->reference, &t.outputs);
            compare(d, &t.outputs, &snr_db);
            d->runs++;
            if (snr_db < worst || d->status != CASE_PASS) {
                worst = snr_db;
                d->worst_run = run;
            }
        }
        trial_close(&t);
    }
    progress_end(&progress);
    if (d->runs == 0 && d->status == CASE_PASS)
        d->status = CASE_MISSING;
    d->reference_ms = spread_mean(&reference);
    d->reference_std_ms = spread_std(&reference);
    d->subject_ms = spread_mean(&subject);
    d->subject_std_ms = spread_std(&subject);
    return STATUS_OK;
}

struct screen diff_screen(const struct diff *d, size_t output)
{
    struct screen s = d->screen;

    s.conditioning = d->has_conditioning ? &d->conditioning[output] : NULL;
    return s;
}

/* The first output that fails; the count: none does. */
static size_t judge_outputs(struct diff *d)
{
    size_t first = d->output_count;

    for (size_t i = 0; i < d->output_count; i++) {
        const struct screen s = diff_screen(d, i);

        if (!figures_judge(&d->outputs[i], &s, d->output_reason[i], sizeof d->output_reason[i]) &&
            first == d->output_count)
            first = i;
    }
    return first;
}

void diff_find_beyond_half(struct diff *d)
{
    static const double largest_half = 65504;

    for (size_t n = 0; n < interpreter_node_count(d->reference); n++) {
        const TfLiteNode *const node = interpreter_node(d->reference, (int)n);
        bool beyond = false;

        for (int o = 0; diff_node_runs(d, (int)n) && o < node->outputs->size; o++) {
            const TfLiteTensor *const t = interpreter_tensor(d->reference, node->outputs->data[o]);
            const size_t count = t->type == kTfLiteFloat32 ? t->bytes / sizeof(float) : 0;

            for (size_t i = 0; i < count; i++) {
                const double x = fabs((double)t->data.f[i]);

                if (!(x > largest_half) || isinf(x))
                    continue;
                if (!beyond && d->beyond_half.nodes++ == 0)
                    d->beyond_half.node = (int)n;
                beyond = true;
                if (d->beyond_half.node == (int)n && x > d->beyond_half.largest) {
                    d->beyond_half.largest = x;
                    compare_where(t->dims->data, t->dims->size, i, d->beyond_half.where,
                                  sizeof d->beyond_half.where);
                }
            }
        }
    }
}

/* What explains a screen that fails, from the worst run: an output that is not determined any
 * better, and numbers that the subject cannot hold. */
static enum status explain(struct diff *d, struct diag *diag)
{
    struct diag why = { .status = STATUS_OK };
    double ms;
    enum status s;

    TRY(diff_reference_run(d, d->worst_run, &ms, diag));
    if (bounds_half(d->subject->bounds))
        diff_find_beyond_half(d);
    s = conditioning_measure(d->reference, d->subject->bounds, d->request.seed, d->conditioning,
                             &why);
    d->has_conditioning = s == STATUS_OK;
    return s == STATUS_NO_MEMORY ? diag_fail(diag, s, "%s", why.text) : STATUS_OK;
}

static enum status judge(struct diff *d, struct diag *diag)
{
    size_t first;

    for (size_t i = 0; i < d->output_count; i++)
        figures_finish(&d->outputs[i]);
    if (d->status == CASE_DECLINED || d->runs == 0)
        return STATUS_OK;
    first = judge_outputs(d);
    if (first < d->output_count && d->status == CASE_PASS && !interrupt_signal()) {
        TRY(explain(d, diag));
        first = judge_outputs(d);
    }
    if (first == d->output_count || d->status != CASE_PASS)
        return STATUS_OK;
    d->status = CASE_FAIL;
    snprintf(d->reason, sizeof d->reason, "output %zu: %s", first, d->output_reason[first]);
    if (d->beyond_half.node >= 0)
        snprintf(d->reason + strlen(d->reason), sizeof d->reason - strlen(d->reason),
                 "; node %d, %s, gives %.3g, more than f16 holds",
                 model_use_node(d->request.use, d->beyond_half.node),
                 diff_op(d, d->beyond_half.node), d->beyond_half.largest);
    return STATUS_OK;
}

enum status diff_run(struct diff *d, struct diag *diag)
{
    TRY(run_all(d, diag));
    return judge(d, diag);
}

void diff_count_left(struct diff *d)
{
    char text[200];

    model_use_missing(d->request.use, text, sizeof text);
    if (!text[0] || d->status != CASE_PASS)
        return;
    d->status = CASE_MISSING;
    snprintf(d->reason, sizeof d->reason, "%s; the others pass", text);
}
