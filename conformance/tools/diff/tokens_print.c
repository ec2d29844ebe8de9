/* What `assay eval llm` prints. */
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/diff/diff_print.h"
#include "conformance/tools/diff/tokens.h"
#include "conformance/util/interval.h"
#include "conformance/util/json_text.h"
#include "reference/base/clean.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *exact_number(double x)
{
    return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static json_t *pair(json_t *a, json_t *b)
{
    json_t *const list = json_array();

    json_array_append_new(list, a);
    json_array_append_new(list, b);
    return list;
}

json_t *token_row_json(size_t position, const struct token_row *row, bool exact)
{
    json_t *(*const real)(double) = exact ? exact_number : json_number;
    json_t *const o = json_object();

    json_object_set_new(o, "position", json_integer((json_int_t)position));
    json_object_set_new(o, "status", json_string(case_status_name(row->status)));
    json_object_set_new(o, "reason", json_text(row->reason));
    json_object_set_new(o, "best", pair(json_integer(row->best[0]), json_integer(row->best[1])));
    json_object_set_new(o, "kl", real(row->kl));
    json_object_set_new(o, "loss", pair(real(row->loss[0]), real(row->loss[1])));
    json_object_set_new(o, "snr_db", real(row->snr_db));
    json_object_set_new(o, "margin", real(row->margin));
    json_object_set_new(o, "not_judged", json_integer((json_int_t)row->not_judged));
    json_object_set_new(o, "ms", real(row->ms));
    return o;
}

static double real_of(const json_t *v)
{
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

enum status tokens_take_json(struct tokens *t, const json_t *line, struct diag *diag)
{
    const json_t *const best = json_object_get(line, "best"), *const loss =
                                                                  json_object_get(line, "loss");
    const char *const status = json_string_value(json_object_get(line, "status")),
                      *const reason = json_string_value(json_object_get(line, "reason"));
    const json_int_t position = json_integer_value(json_object_get(line, "position")),
                     not_judged = json_integer_value(json_object_get(line, "not_judged"));
    struct token_row row = { .status = CASE_PASS };

    if (!status || !case_status_find(status, strlen(status), &row.status) || !reason ||
        json_array_size(best) != 2 || json_array_size(loss) != 2 || not_judged < 0 ||
        t->row_count >= t->id_count || position != (json_int_t)t->row_count)
        return diag_fail(diag, STATUS_INVALID, "expected the row of position %zu", t->row_count);
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    for (size_t k = 0; k < 2; k++) {
        const json_int_t id = json_integer_value(json_array_get(best, k));

        row.best[k] = id < -1 || id > INT32_MAX ? -1 : (int32_t)id;
        row.loss[k] = real_of(json_array_get(loss, k));
    }
    row.kl = real_of(json_object_get(line, "kl"));
    row.snr_db = real_of(json_object_get(line, "snr_db"));
    row.margin = real_of(json_object_get(line, "margin"));
    row.ms = real_of(json_object_get(line, "ms"));
    row.not_judged = (uint64_t)not_judged;
    t->rows[t->row_count++] = row;
    return STATUS_OK;
}

/* ---- the verdict ---- */

static double dropped(const struct tokens *t)
{
    return t->sums.numbers ? 1 - (double)t->sums.agreed / (double)t->sums.numbers : NAN;
}

bool tokens_passed(const struct tokens *t, double max_drop)
{
    return t->diff.status == CASE_PASS && (isnan(max_drop) || dropped(t) <= max_drop);
}

static const char *verdict(const struct tokens *t, double max_drop)
{
    const enum case_status s = t->diff.status;

    if (tokens_passed(t, max_drop))
        return case_status_name(CASE_PASS);
    return case_status_name(s == CASE_PASS ? CASE_FAIL : s);
}

static void print_verdict(FILE *f, const struct tokens *t, double max_drop)
{
    const struct diff *const d = &t->diff;

    fprintf(f, "verdict     %s", verdict(t, max_drop));
    if (d->reason[0]) {
        fputs(": ", f);
        clean_print(f, d->reason);
    } else if (!tokens_passed(t, max_drop)) {
        fprintf(f, ": %.2f %% of the positions have another best token, at most %.2f %% may",
                100 * dropped(t), 100 * max_drop);
    }
    fputc('\n', f);
}

static void print_range(FILE *f, const struct tokens *t, int first, int last, const char *how)
{
    const struct diff *const d = &t->diff;

    if (first < 0)
        return;
    fprintf(f, "%-11s ", first == last ? "node" : "nodes");
    if (first != last)
        fprintf(f, "%d to ", model_use_node(d->request.use, first));
    fprintf(f, "%d, %s, ", model_use_node(d->request.use, last), diff_op(d, last));
    clean_print(f, diff_output(d, last));
    fprintf(f, ", %s\n", how);
}

/* What it comes from: the first node that fails by itself, or nodes that do together. */
static void print_culprit(FILE *f, const struct tokens *t)
{
    const struct diff_culprit *const c = &t->diff.culprit;
    char how[600];

    if (c->alone) {
        snprintf(how, sizeof how, "fails alone, as %zu of %zu do: %s", t->diff.wrong_nodes,
                 t->diff.per_node_count, c->result.reason);
        print_range(f, t, c->first, c->last, how);
    } else {
        print_range(f, t, c->first, c->last, "fails only together");
        print_range(f, t, c->place_first, c->place_last, "fails in its place in the model");
    }
}

void tokens_print_text(FILE *f, const struct tokens *t, double max_drop)
{
    const struct diff *const d = &t->diff;
    const struct interval i = interval_wilson(t->sums.agreed, t->sums.numbers);

    fprintf(f, "model       ");
    clean_print(f, d->request.path);
    fprintf(f, "\nsubject     ");
    clean_print(f, d->subject->label);
    fprintf(f, ", takes %" PRIu64 " of %" PRIu64 " nodes\n", d->taken, d->nodes);
    fprintf(f, "positions   %zu of %zu", t->row_count, t->id_count);
    fprintf(f, t->resumed ? ", %zu of them from the log\n" : "\n", t->resumed);
    fprintf(f, "top-1       %zu of %zu agree with the reference (95 %%: %.2f to %.2f %%)\n",
            t->sums.agreed, t->sums.numbers, 100 * i.low, 100 * i.high);
    fprintf(f, "KL          mean %.3g nats, largest %.3g at position %zu\n", t->sums.kl_mean,
            t->sums.kl_largest, t->sums.kl_at);
    fprintf(f, "perplexity  reference %.6g, subject %.6g\n", t->sums.perplexity[0],
            t->sums.perplexity[1]);
    fprintf(f, "SNR         at least %.1f dB of the logits\n", t->sums.snr_db);
    if (bounds_half(d->subject->bounds))
        fprintf(f, "margin      not known: the subject stores f16\n");
    else
        fprintf(f,
                "margin      largest error %.3g of its summed limit, at position %zu; %" PRIu64
                " elements have no limit\n",
                t->sums.margin, t->sums.margin_at, t->sums.not_judged);
    if (d->beyond_half.node >= 0) {
        fprintf(f, "beyond f16  node %d, %s, ", model_use_node(d->request.use, d->beyond_half.node),
                diff_op(d, d->beyond_half.node));
        clean_print(f, diff_output(d, d->beyond_half.node));
        fprintf(f, ", gives %.6g at position %zu, f16 holds 65504\n", d->beyond_half.largest,
                t->beyond_at);
    }
    print_culprit(f, t);
    print_verdict(f, t, max_drop);
}

void tokens_print_json(FILE *f, const struct tokens *t, double max_drop)
{
    const struct diff *const d = &t->diff;
    const struct interval i = interval_wilson(t->sums.agreed, t->sums.numbers);
    json_t *const o = json_object(), *const rows = json_array(),
                  *const beyond = diff_beyond_half_json(d);
    json_t *node = json_null();
    const int culprit = d->culprit.place_first >= 0 ? d->culprit.place_first : d->culprit.first;
    char spec[1024] = "";

    subject_spec(d->subject, spec, sizeof spec);
    json_object_set_new(o, "model", json_text(d->request.path));
    json_object_set_new(o, "subject", json_text(spec));
    json_object_set_new(o, "nodes", json_integer((json_int_t)d->nodes));
    json_object_set_new(o, "taken", json_integer((json_int_t)d->taken));
    json_object_set_new(o, "status", json_string(verdict(t, max_drop)));
    json_object_set_new(o, "reason", json_text(d->reason));
    json_object_set_new(o, "positions", json_integer((json_int_t)t->id_count));
    json_object_set_new(o, "top1_agree", json_integer((json_int_t)t->sums.agreed));
    json_object_set_new(o, "top1_of", json_integer((json_int_t)t->sums.numbers));
    json_object_set_new(o, "top1_interval", pair(json_number(i.low), json_number(i.high)));
    json_object_set_new(o, "max_drop", json_number(max_drop));
    json_object_set_new(o, "kl_mean", json_number(t->sums.kl_mean));
    json_object_set_new(o, "kl_largest", json_number(t->sums.kl_largest));
    json_object_set_new(
        o, "perplexity",
        pair(json_number(t->sums.perplexity[0]), json_number(t->sums.perplexity[1])));
    json_object_set_new(o, "snr_db", json_number(t->sums.snr_db));
    json_object_set_new(o, "margin", json_number(t->sums.margin));
    json_object_set_new(o, "not_judged", json_integer((json_int_t)t->sums.not_judged));
    json_object_set_new(o, "first_wrong",
                        t->wrong < t->id_count ? json_integer((json_int_t)t->wrong) : json_null());
    if (culprit >= 0) {
        node = json_object();
        json_object_set_new(node, "index", json_integer(model_use_node(d->request.use, culprit)));
        json_object_set_new(node, "op", json_text(diff_op(d, culprit)));
        json_object_set_new(node, "output", json_text(diff_output(d, culprit)));
        json_object_set_new(node, "alone", json_boolean(d->culprit.alone));
        json_object_set_new(node, "reason", json_text(d->culprit.result.reason));
        json_object_set_new(node, "wrong_nodes", json_integer((json_int_t)d->wrong_nodes));
    }
    json_object_set_new(o, "node", node);
    if (d->beyond_half.node >= 0)
        json_object_set_new(beyond, "position", json_integer((json_int_t)t->beyond_at));
    json_object_set_new(o, "beyond_f16", beyond);
    for (size_t k = 0; k < t->row_count; k++)
        json_array_append_new(rows, token_row_json(k, &t->rows[k], false));
    json_object_set_new(o, "rows", rows);
    json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(o);
}
