#include "conformance/report/forms/html_page.h"

#include "conformance/report/forms/html_text.h"
#include "conformance/report/record/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>

/* ---- the verdict ---- */

static void write_sign(const char *kind, const char *sign, const char *word, FILE *out)
{
    fprintf(out,
            "<p class=\"verdict %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>%s"
            "<span class=\"why\"> ",
            kind, sign, word);
}

/* Writes ", 2 whole models" where there are any. */
static void write_also(size_t count, const char *one, const char *many, FILE *out)
{
    if (count == 0)
        return;
    fputs(", ", out);
    html_count(out, count);
    fprintf(out, " %s", count == 1 ? one : many);
}

static size_t failed_models(const struct record *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->model_count; i++)
        count += record_model_is_bad(&r->models[i]);
    return count;
}

static void write_verdict(const struct record *r, const struct record_totals *t, FILE *out)
{
    const size_t models = failed_models(r);

    if (t->bad + models + r->broken_ends + r->ledger_problems > 0) {
        write_sign("bad", "✗", "Failed", out);
        html_count(out, t->bad);
        fputs(" of ", out);
        html_count(out, t->all);
        fputs(" checks", out);
        write_also(models, "whole model", "whole models", out);
        write_also(r->broken_ends, "worker process that ended badly",
                   "worker processes that ended badly", out);
        write_also(r->ledger_problems, "row of the version ledger", "rows of the version ledger",
                   out);
    } else if (r->missing_count > 0 || r->run.interrupted) {
        write_sign("cut", "!", "Incomplete", out);
        fputs("nothing failed in the ", out);
        html_count(out, t->all);
        fputs(" checks that were made", out);
    } else if (record_failed(r)) {
        write_sign("bad", "✗", "Nothing was shown", out);
        fputs("none of ", out);
        html_count(out, t->all);
        fputs(" checks was taken", out);
    } else {
        write_sign("good", "✓", "Passed", out);
        fputs("nothing failed in ", out);
        html_count(out, t->all);
        fputs(" checks", out);
    }
    fputs("</span></p>\n", out);
}

static void write_totals(const struct record_totals *t, FILE *out)
{
    fputs("<ul class=\"totals\">\n", out);
    for (int i = 0; i < CASE_STATUS_COUNT; i++) {
        if (t->count[i] == 0 && i > CASE_DECLINED)
            continue;
        fprintf(out, "<li class=\"s%d\"><b>", i);
        html_count(out, t->count[i]);
        fprintf(out, "</b> %s</li>\n",
                i == CASE_UNEXPECTED_PASS ? "unexpected pass"
                                          : case_status_name((enum case_status)i));
    }
    fputs("</ul>\n", out);
}

static void write_banners(const struct record *r, FILE *out)
{
    if (r->run.interrupted) {
        fputs("<p class=\"banner\"><strong>Interrupted:</strong> the run was ended early by ", out);
        html_text(out, r->run.interrupted);
        fputs(".</p>\n", out);
    }
    if (r->missing_count) {
        fputs("<p class=\"banner\"><strong>Missing:</strong> the run did not come to ", out);
        html_count(out, r->missing_count);
        fputs(" checks; <code>--resume</code> runs them. "
              "<a href=\"#missing\">List of what is missing</a></p>\n",
              out);
    }
    if (r->run.merged_count) {
        fputs("<p class=\"banner\"><strong>Shards:</strong> merged from", out);
        for (size_t i = 0; i < r->run.merged_count; i++)
            fprintf(out, "%s %" PRIu32, i ? "," : "", r->run.merged[i]);
        fprintf(out, " of %" PRIu32 "; the others are missing.</p>\n", r->run.shards);
    } else if (r->run.shards > 1) {
        fprintf(out,
                "<p class=\"banner\"><strong>Shard:</strong> these are the cases of shard %" PRIu32
                " of %" PRIu32 ".</p>\n",
                r->run.shard, r->run.shards);
    }
    for (size_t i = 0; i < r->note_count; i++) {
        fputs("<p class=\"banner\"><strong>Note:</strong> ", out);
        html_text(out, r->notes[i]);
        fputs("</p>\n", out);
    }
    if (r->broken_ends) {
        fputs("<p class=\"banner\"><strong>Worker process:</strong> ", out);
        html_text(out, r->broken_end);
        fputs("</p>\n", out);
    }
}

enum status html_head_title(const void *record, FILE *out, struct diag *diag)
{
    const struct record *const r = record;
    const struct record_totals t = record_totals(r);

    (void)diag;
    if (t.bad)
        fprintf(out, "%zu failed - ", t.bad);
    for (size_t i = 0; i < r->subject_count; i++) {
        if (!r->subjects[i].path && r->subject_count > 1)
            continue;
        html_text(out, r->subjects[i].label);
        fputs(" - ", out);
        break;
    }
    fputs("Assay", out);
    return STATUS_OK;
}

enum status html_head_verdict(const void *record, FILE *out, struct diag *diag)
{
    const struct record *const r = record;
    const struct record_totals t = record_totals(r);

    (void)diag;
    write_verdict(r, &t, out);
    write_totals(&t, out);
    write_banners(r, out);
    return STATUS_OK;
}

/* ---- subjects ---- */

static void write_margin(double margin, FILE *out)
{
    if (isnan(margin))
        fputs("–", out);
    else if (isinf(margin))
        fputs("∞", out);
    else
        fprintf(out, margin >= 1000 ? "%.1e" : "%.3f", margin);
}

static void write_identity(const struct record_subject *s, FILE *out)
{
    fputs("<td><dl class=\"small\">", out);
    if (s->bounds) {
        fputs("<dt>bounds</dt><dd>", out);
        html_text(out, s->bounds);
        fputs("</dd>", out);
    }
    for (size_t i = 0; i < s->option_count; i++) {
        fputs("<dt>", out);
        html_text(out, s->options[i].key);
        fputs("</dt><dd>", out);
        html_text(out, s->options[i].value);
        fputs("</dd>", out);
    }
    if (s->path) {
        fputs("<dt>library</dt><dd><code>", out);
        html_text(out, s->path);
        fputs("</code></dd>", out);
    }
    if (s->sha256) {
        fputs("<dt>sha256</dt><dd><code class=\"hash\" title=\"", out);
        html_text(out, s->sha256);
        fprintf(out, "\">");
        html_text(out, s->sha256);
        fputs("</code></dd>", out);
    }
    fputs("</dl></td>", out);
}

static void write_subject(const struct record *r, size_t index, const struct record_totals *t,
                          FILE *out)
{
    const struct record_subject *const s = &r->subjects[index];
    const struct record_device *const d = &s->device;

    fprintf(out, "<tr><th scope=\"row\"><span class=\"letter\">%zu</span> ", index);
    html_text(out, s->label);
    if (s->not_run) {
        fputs("<br><span class=\"quiet\">not run: ", out);
        html_text(out, s->not_run);
        fputs("</span>", out);
    }
    fputs("</th>", out);
    write_identity(s, out);
    fputs("<td>", out);
    html_text(out, d->name ? d->name : s->path ? "not said" : "host processor");
    if (d->driver || d->api) {
        fputs("<br><span class=\"quiet\">", out);
        html_text(out, d->driver);
        if (d->api)
            fputs(d->driver ? ", API " : "API ", out);
        html_text(out, d->api);
        fputs("</span>", out);
    }
    fputs("</td>", out);
    for (int i = CASE_PASS; i <= CASE_DECLINED; i++) {
        const bool is_bad = i == CASE_FAIL && t->bad > 0;

        fprintf(out, "<td class=\"n%s\">%s", is_bad ? " bad" : "", is_bad ? "✗ " : "");
        html_count(out, i == CASE_FAIL ? t->bad : t->count[i]);
        fputs("</td>", out);
    }
    fputs("<td class=\"n\">", out);
    if (t->worst == SIZE_MAX)
        fputs("–", out);
    else
        write_margin(t->margin, out);
    fputs("</td></tr>\n", out);
}

enum status html_head_subjects(const void *record, FILE *out, struct diag *diag)
{
    const struct record *const r = record;
    size_t at = 0;

    (void)diag;
    for (size_t s = 0; s < r->subject_count; s++) {
        struct record_totals t = { .worst = SIZE_MAX };

        for (; at < r->result_count && r->results[at].subject == s; at++)
            record_totals_add(&t, r, at);
        write_subject(r, s, &t, out);
    }
    return STATUS_OK;
}

/* ---- the run ---- */

static void write_row(FILE *out, const char *name, const char *text, const char *tag)
{
    if (!text || !*text)
        return;
    fprintf(out, "<dt>%s</dt><dd><%s>", name, tag);
    html_text(out, text);
    fprintf(out, "</%s></dd>\n", tag);
}

static void PRINTF_LIKE(3, 4) write_row_of(FILE *out, const char *name, const char *format, ...)
{
    char text[160];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_row(out, name, text, "span");
}

static void write_seconds(FILE *out, double seconds)
{
    if (!isfinite(seconds) || seconds <= 0)
        return;
    if (seconds < 120)
        write_row_of(out, "Duration", "%.1f s", seconds);
    else
        write_row_of(out, "Duration", "%.0f min %02.0f s", floor(seconds / 60),
                     floor(fmod(seconds, 60)));
}

static void write_device(const struct record_device *d, FILE *out)
{
    if (!d->name)
        return;
    fputs("<dt>Device</dt><dd>", out);
    html_text(out, d->name);
    for (int i = 0; i < 2; i++) {
        const char *const text = i ? d->api : d->driver;

        if (text)
            fputs(i ? ", API " : ", driver ", out);
        html_text(out, text);
    }
    fputs("</dd>\n", out);
}

enum status html_head_run(const void *record, FILE *out, struct diag *diag)
{
    const struct record *const r = record;
    const struct record_run *const run = &r->run;

    (void)diag;
    write_device(&r->device, out);
    write_row(out, "Host", run->host, "span");
    write_row(out, "Assay", run->version, "span");
    write_row(out, "Source", run->git ? run->git : "not known: not built from git", "span");
    write_row(out, "Started", run->started, "span");
    write_seconds(out, run->seconds);
    write_row_of(out, "Seed", "%" PRIu64, run->seed);
    if (run->graphs)
        write_row_of(out, "Random graphs", "%" PRIu64, run->graphs);
    if (run->limit)
        write_row_of(out, "Limit", "%" PRIu64 " cases", run->limit);
    if (run->quick_of)
        write_row_of(out, "Quick run", "a sample of %zu of %" PRIu64 " cases", run->list_count,
                     run->quick_of);
    if (run->timeout_s > 0)
        write_row_of(out, "Time limit", "%g s a case", run->timeout_s);
    for (size_t i = 0; i < run->filter_count; i++)
        write_row(out, "Filter", run->filters[i], "code");
    if (run->shards > 1 && !run->merged_count)
        write_row_of(out, "Shard", "%" PRIu32 " of %" PRIu32, run->shard, run->shards);
    if (run->list_count)
        write_row_of(out, "Case list", "%zu names", run->list_count);
    if (r->models_skipped)
        write_row(out, "Whole models", r->models_skipped, "span");
    write_row(out, "Hash of the list", run->list_sha256, "code");
    write_row(out, "Command", run->command, "code");
    return STATUS_OK;
}
