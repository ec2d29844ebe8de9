/* Steps of the reference and the subject on the same inputs. */
#include "conformance/tools/diff/tokens.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/io/token_run.h"
#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/judge/hidden_limits.h"
#include "conformance/tools/diff/part.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/kernels/op.h"
#include "reference/runtime/report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum status tokens_read(struct tokens *t, const char *path, struct diag *diag)
{
    const size_t bytes_max = (size_t)16 * TOKEN_IDS_MAX;
    uint8_t *text;
    size_t bytes;
    enum status s;

    TRY(file_read(path, bytes_max, &text, &bytes, diag));
    s = diag_prefix(diag, token_ids_read(&t->ids, &t->id_count, 0, text, bytes, diag), "%s", path);
    mem_free(text);
    if (s == STATUS_OK && !(t->rows = mem_alloc(t->id_count, sizeof *t->rows)))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    return s;
}

/* ---- opening ---- */

/* All tokens are looked at first, so that none ends a long run. */
static enum status check_ids(struct tokens *t, struct diag *diag)
{
    for (size_t i = 0; i < t->id_count; i++)
        TRY(diag_prefix(diag, token_run_check(&t->run, t->ids[i], (int32_t)i, diag), "token %zu",
                        i + 1));
    return STATUS_OK;
}

enum status tokens_open(struct tokens *t, const struct diff_request *request,
                        struct subject *subject, int32_t window, struct diag *diag)
{
    const struct interpreter_options options = { .preserve_all = true,
                                                 .num_threads = -1,
                                                 .stand_in = request->stand_in,
                                                 .report = report_nothing };

    TRY(diff_open(&t->diff, request, subject, diag));
    TRY(diag_prefix(diag, token_run_open(&t->run, t->diff.reference, window, diag), "%s",
                    request->path));
    TRY(token_run_others(&t->run, NULL, request->scale, request->seed, diag));
    TRY(check_ids(t, diag));
    TRY(interpreter_open(&t->limits, &t->diff.model, &options, diag));
    return interpreter_allocate(t->limits, diag);
}

void tokens_close(struct tokens *t)
{
    token_run_close(&t->run);
    interpreter_close(t->limits);
    diff_close(&t->diff);
    mem_free(t->ids);
    mem_free(t->rows);
    *t = (struct tokens){ .ids = NULL };
}

/* ---- one step ---- */

static double log_sum(const TfLiteTensor *v, const void *data, size_t count)
{
    TfLiteTensor view = *v;
    double most = -INFINITY, sum = 0;

    view.data.raw = (void *)(uintptr_t)data;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, tensor_real(&view, i));
    for (size_t i = 0; i < count; i++)
        sum += exp(tensor_real(&view, i) - most);
    return most + log(sum);
}

static void measure(const struct tokens *t, size_t position, const void *data,
                    struct token_row *row)
{
    const TfLiteTensor *const want = interpreter_tensor(t->diff.reference, t->run.logits);
    const size_t count = (size_t)t->run.vocabulary;
    const double sums[2] = { log_sum(want, want->data.raw, count), log_sum(want, data, count) };
    TfLiteTensor got = *want;

    got.data.raw = (void *)(uintptr_t)data;
    row->best[0] = token_run_best(&t->run, NULL);
    row->best[1] = token_run_best(&t->run, data);
    row->kl = 0;
    for (size_t i = 0; i < count; i++) {
        const double p = tensor_real(want, i) - sums[0], q = tensor_real(&got, i) - sums[1];

        if (p > -INFINITY)
            row->kl += exp(p) * (p - q);
    }
    row->loss[0] = row->loss[1] = NAN;
    if (position + 1 < t->id_count) {
        const size_t next = (size_t)t->ids[position + 1];

        row->loss[0] = sums[0] - tensor_real(want, next);
        row->loss[1] = sums[1] - tensor_real(&got, next);
    }
}

/* From the reference's tensors, which a step has just been given. */
static void copy_inputs(struct diff *d)
{
    size_t count;
    const int *const inputs = interpreter_inputs(d->reference, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const v = interpreter_tensor(d->reference, inputs[i]);

        if (v->bytes > 0)
            memcpy(d->instance.inputs[i].data[0], v->data.raw, v->bytes);
    }
}

/* The first output that fails its screen as a whole model's (TOLERANCES.md 10); the count: none. */
static size_t screen(const struct tokens *t, const struct outputs *got, struct token_row *row)
{
    const struct diff *const d = &t->diff;
    const int *const outputs = interpreter_outputs(d->reference, &(size_t){ 0 });
    size_t first = d->output_count;

    for (size_t i = 0; i < d->output_count; i++) {
        const TfLiteTensor *const v = interpreter_tensor(d->reference, outputs[i]);
        const struct screen s = diff_screen(d, i);
        struct figures f = { .runs = 0 };
        char why[160];

        figures_add(&f, v, got->items[i].data);
        figures_finish(&f);
        if (outputs[i] == t->run.logits)
            row->snr_db = f.snr_db;
        if (!figures_judge(&f, &s, why, sizeof why) && row->status == CASE_PASS &&
            first == d->output_count) {
            snprintf(row->reason, sizeof row->reason, "output %zu: %.120s", i, why);
            first = i;
        }
    }
    return first;
}

/* What summed limits leave open: beyond a layer or two they are wider than any error. */
static enum status screen_all(struct tokens *t, const struct outputs *got, struct token_row *row,
                              struct diag *diag)
{
    struct diff *const d = &t->diff;
    struct diag why = { .status = STATUS_OK };
    enum status s;

    d->has_conditioning = false;
    if (screen(t, got, row) == d->output_count || row->status != CASE_PASS)
        return STATUS_OK;
    TRY(inputs_write(t->limits, &d->instance, 0, diag));
    TRY(interpreter_invoke(t->limits, diag));
    s = conditioning_measure(t->limits, d->subject->bounds, d->request.seed, d->conditioning, &why);
    d->has_conditioning = s == STATUS_OK;
    if (s == STATUS_NO_MEMORY)
        return diag_fail(diag, s, "%s", why.text);
    if (screen(t, got, row) < d->output_count)
        row->status = CASE_FAIL;
    else
        row->reason[0] = '\0';
    return STATUS_OK;
}

static bool has_form(const struct tokens *t, const struct outputs *got)
{
    const int *const outputs = interpreter_outputs(t->diff.reference, &(size_t){ 0 });

    for (size_t i = 0; i < t->diff.output_count; i++) {
        const TfLiteTensor *const v = interpreter_tensor(t->diff.reference, outputs[i]);

        if (i >= got->count || got->items[i].bytes != v->bytes || got->items[i].type != v->type)
            return false;
    }
    return true;
}

static enum status judge(struct tokens *t, size_t position, const struct outputs *got,
                         struct token_row *row, struct diag *diag)
{
    struct diff *const d = &t->diff;
    const struct node_compare_request request = { .instance = &d->instance,
                                                  .bounds = d->subject->bounds,
                                                  .quantized = d->subject->quantized,
                                                  .set = SET_RANDOM,
                                                  .poison_word = TRIAL_POISON_WORD };
    struct case_result result = { .status = CASE_PASS };

    if (!has_form(t, got)) {
        row->status = CASE_FAIL;
        snprintf(row->reason, sizeof row->reason, "outputs of other types or sizes than expected");
        return STATUS_OK;
    }
    measure(t, position, got->items[outputs_find(got, t->run.logits)].data, row);
    /* Limits have no term for inputs and constants that are rounded to f16. */
    if (!bounds_half(d->subject->bounds))
        TRY(hidden_limits_compare(t->limits, &request, got, &row->margin, &result, diag));
    row->not_judged = result.not_judged;
    row->status = result.status;
    if (result.status != CASE_PASS)
        snprintf(row->reason, sizeof row->reason,
                 "output %d at %s: got %.9g, expected %.9g, off by %.3g, limit %.3g", result.output,
                 result.where, result.got, result.want, result.error, result.limit);
    return screen_all(t, got, row, diag);
}

static enum status step(struct tokens *t, size_t position, struct token_row *row, struct diag *diag)
{
    struct diff *const d = &t->diff;
    struct trial trial;
    enum status s = STATUS_OK;

    *row = (struct token_row){ .status = CASE_PASS, .best = { -1, -1 }, .loss = { NAN, NAN } };
    TRY(token_run_give(&t->run, t->ids[position], (int32_t)position, diag));
    copy_inputs(d);
    TRY(diag_prefix(diag, interpreter_invoke(d->reference, diag), "reference"));
    if (bounds_half(d->subject->bounds) && d->beyond_half.node < 0) {
        diff_find_beyond_half(d);
        t->beyond_at = position;
    }
    TRY(trial_run(&d->host, &d->instance, !t->is_open, 1, &trial, diag));
    t->is_open = trial.status == CASE_PASS;
    if (d->runs == 0) {
        d->open_ms = trial.open_ms;
        d->nodes = trial.nodes;
        d->taken = trial.taken;
    }
    row->ms = trial.ms;
    row->status = trial.status;
    snprintf(row->reason, sizeof row->reason, "%.159s", trial.reason);
    if (trial.status == CASE_PASS) {
        d->runs++;
        s = judge(t, position, &trial.outputs, row, diag);
    }
    trial_close(&trial);
    return s;
}

enum status tokens_run(struct tokens *t,
                       enum status (*take)(void *user, size_t position, const struct token_row *row,
                                           struct diag *diag),
                       void *user, struct diag *diag)
{
    struct diff *const d = &t->diff;
    struct progress progress;
    enum status s = STATUS_OK;

    t->resumed = t->row_count;
    progress_begin(&progress, "eval", (double)t->id_count, d->request.quiet);
    for (size_t i = 0; i < t->id_count && s == STATUS_OK && !interrupt_signal(); i++) {
        struct token_row row;

        progress_update(&progress, (double)i, "token %zu of %zu", i + 1, t->id_count);
        if (i < t->resumed) { /* the caches alone */
            s = token_run_give(&t->run, t->ids[i], (int32_t)i, diag);
            if (s == STATUS_OK)
                s = interpreter_invoke(d->reference, diag);
            row = t->rows[i];
        } else {
            s = step(t, i, &row, diag);
        }
        if (s != STATUS_OK || row.status == CASE_MISSING)
            break;
        if (row.status == CASE_DECLINED) {
            d->status = CASE_DECLINED;
            snprintf(d->reason, sizeof d->reason, "%s", row.reason);
            break;
        }
        if (i >= t->resumed) {
            t->rows[t->row_count++] = row;
            s = take ? take(user, i, &row, diag) : STATUS_OK;
        }
        if (s == STATUS_OK && row.status != CASE_PASS && d->request.per_node && !d->per_node) {
            if (i < t->resumed)
                copy_inputs(d);
            t->is_open = false; /* the host opens nodes */
            s = nodes_judge(d, diag);
            if (s == STATUS_OK && d->wrong_nodes == 0)
                s = bisect_run(d, diag);
        }
        token_run_carry(&t->run, &t->run);
    }
    progress_end(&progress);
    return s;
}

/* ---- the whole ---- */

void tokens_conclude(struct tokens *t)
{
    struct diff *const d = &t->diff;
    double losses[2] = { 0, 0 }, kl = 0;
    size_t next = 0;

    t->wrong = t->id_count;
    t->sums.snr_db = INFINITY;
    for (size_t i = 0; i < t->row_count; i++) {
        const struct token_row *const r = &t->rows[i];

        if (r->status != CASE_PASS && t->wrong == t->id_count)
            t->wrong = i;
        if (r->best[0] < 0)
            continue;
        t->sums.numbers++;
        t->sums.agreed += r->best[0] == r->best[1];
        t->sums.not_judged += r->not_judged;
        kl += r->kl;
        if (!isnan(t->sums.kl_largest) && !(r->kl <= t->sums.kl_largest)) {
            t->sums.kl_largest = r->kl;
            t->sums.kl_at = i;
        }
        t->sums.snr_db = fmin(t->sums.snr_db, r->snr_db);
        if (r->margin > t->sums.margin) {
            t->sums.margin = r->margin;
            t->sums.margin_at = i;
        }
        if (!isnan(r->loss[0])) {
            losses[0] += r->loss[0];
            losses[1] += r->loss[1];
            next++;
        }
    }
    t->sums.kl_mean = t->sums.numbers ? kl / (double)t->sums.numbers : NAN;
    for (int k = 0; k < 2; k++)
        t->sums.perplexity[k] = next ? exp(losses[k] / (double)next) : NAN;
    if (d->status == CASE_PASS && t->wrong < t->id_count) {
        const struct diff_culprit *const c = &d->culprit;

        d->status = t->rows[t->wrong].status;
        snprintf(d->reason, sizeof d->reason, "position %zu: %s", t->wrong,
                 t->rows[t->wrong].reason);
        if (c->alone)
            snprintf(d->reason + strlen(d->reason), sizeof d->reason - strlen(d->reason),
                     "; node %d, %s, fails alone", c->first, diff_op(d, c->first));
    }
    if (d->status == CASE_PASS && t->row_count < t->id_count) {
        d->status = CASE_MISSING;
        snprintf(d->reason, sizeof d->reason, "%zu of %zu positions were not run%s%s",
                 t->id_count - t->row_count, t->id_count,
                 interrupt_signal() ? ", interrupted by " : "",
                 interrupt_signal() ? interrupt_name() : "");
    }
}
