/* A record as text: tables, declined cases, failures, whole models, totals. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/forms/text_kit.h"
#include "conformance/util/progress.h"
#include "conformance/util/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void print_margin(const struct record_totals *t, char *text, size_t bytes)
{
    if (t->worst == SIZE_MAX)
        snprintf(text, bytes, "-");
    else if (!isfinite(t->margin))
        snprintf(text, bytes, "inf");
    else if (t->margin >= 1000)
        snprintf(text, bytes, "%.1e", t->margin);
    else
        snprintf(text, bytes, "%.3f", t->margin);
}

/* The part of a case name behind op and type. */
static const char *variant(const struct record_case *c)
{
    const char *const first = strchr(c->name, '.');
    const char *const second = first ? strchr(first + 1, '.') : NULL;

    return second ? second + 1 : c->name;
}

static size_t failed(const struct record_totals *t)
{
    return t->count[CASE_FAIL] + t->count[CASE_CRASH] + t->count[CASE_TIMEOUT] +
           t->count[CASE_UNEXPECTED_PASS];
}

static void print_row(struct text *x, const struct record_line *line, const struct record_totals *t)
{
    const struct record *const r = x->record;
    char margin[32];

    print_margin(t, margin, sizeof margin);
    if (line->title) {
        fprintf(x->out, "%-44.44s %5zu %5zu %5zu %5zu %7s\n", line->title, t->all,
                t->count[CASE_PASS], failed(t), t->count[CASE_DECLINED], margin);
        return;
    }
    fprintf(x->out, "%-17.17s %-7.7s %5zu %5zu %5zu %5zu %7s", line->op, line->type, t->all,
            t->count[CASE_PASS], failed(t), t->count[CASE_DECLINED], margin);
    if (t->worst != SIZE_MAX && t->margin > 0)
        fprintf(x->out, "  %.19s", variant(&r->cases[r->results[t->worst].test_case]));
    fputc('\n', x->out);
}

/* Prints a line for each title of the gap suite, or for each op and type, in the order of the
 * cases; an empty line before them when apart is set.  Returns false when there is none. */
static bool print_table(struct text *x, size_t subject, bool gaps, bool apart)
{
    bool begun = false;

    for (size_t i = 0; i < x->line_count; i++) {
        struct record_totals t = { .worst = SIZE_MAX };

        if (!x->lines[i].title == gaps)
            continue;
        record_totals_add_line(&t, x->record, &x->lines[i], subject);
        if (t.all == 0 || text_is_untaken(&t))
            continue;
        if (!begun && apart)
            fputc('\n', x->out);
        if (!begun)
            fprintf(x->out,
                    gaps ? "%-44s %5s %5s %5s %5s %7s\n" : "%-25s %5s %5s %5s %5s %7s  %s\n",
                    gaps ? "gap suite: known faults of delegates" : "op                type",
                    "cases", "pass", "fail", "decl", "margin", "worst case");
        begun = true;
        print_row(x, &x->lines[i], &t);
    }
    return begun;
}

/* ---- whole models ---- */

/* A subject's label for a narrow column: its options, else the file's name. */
static const char *short_label(const struct record *r, const struct record_model *m)
{
    const char *label, *space;

    if (m->is_reference)
        return "reference";
    label = r->subjects[m->subject].label;
    space = strchr(label, ' ');
    return space ? space + 1 : label;
}

/* A figure that JSON cannot hold is infinite. */
static double figure(double x)
{
    return isnan(x) ? INFINITY : x;
}

static void print_model(struct text *x, const struct record_model *m)
{
    fprintf(x->out, "%-14s %-20.20s ", m->name, short_label(x->record, m));
    if (!isnan(m->top1))
        fprintf(x->out, "%6.4f ", m->top1);
    else
        fprintf(x->out, "%6s ", "-");
    if (m->compared)
        fprintf(x->out, "%4llu %4llu %5.1f %7.1e ", (unsigned long long)m->same,
                (unsigned long long)m->different, figure(m->snr_db), figure(m->max_abs));
    else
        fprintf(x->out, "%4s %4s %5s %7s ", "-", "-", "-", "-");
    if (m->is_reference)
        fprintf(x->out, "%5s ", "-");
    else
        fprintf(x->out, "%2d/%-2d ", m->taken, m->nodes);
    fprintf(x->out, "%s%s%s\n", case_status_name(m->status), m->reason ? ": " : "",
            m->reason ? m->reason : "");
}

static void print_models(struct text *x)
{
    const struct record *const r = x->record;

    if (!r->models)
        return;
    fputc('\n', x->out);
    if (r->models_skipped) {
        fprintf(x->out, "models: skipped: %s\n", r->models_skipped);
        return;
    }
    if (r->model_count > 0)
        fprintf(x->out, "%-14s %-20s %-6s %4s %4s %5s %7s %5s %s\n", "model", "run by", "top-1",
                "same", "diff", "dB", "error", "taken", "status");
    for (size_t i = 0; i < r->model_count; i++)
        print_model(x, &r->models[i]);
}

/* ---- planted faults ---- */

static void print_mutants(struct text *x)
{
    const struct record *const r = x->record;
    size_t caught = 0;

    if (!r->mutants)
        return;
    for (size_t i = 0; i < r->mutant_count; i++)
        caught += r->mutants[i].caught;
    fprintf(x->out, "\nplanted faults: %zu of %zu noticed\n", caught, r->mutant_count);
    for (size_t i = 0; i < r->mutant_count; i++) {
        const struct record_mutant *const m = &r->mutants[i];

        fprintf(x->out, "  %-34.34s %s%.41s\n", m->name, m->caught ? "" : "NOT ",
                m->caught ? m->by : "noticed");
    }
}

/* ---- all ---- */

static void print_totals(const struct record *r, FILE *out)
{
    static const struct {
        enum case_status status;
        const char *word;
        bool always;
    } words[] = { { CASE_PASS, "passed", true },
                  { CASE_FAIL, "failed", true },
                  { CASE_DECLINED, "declined", true },
                  { CASE_CRASH, "crashed", false },
                  { CASE_TIMEOUT, "timed out", false },
                  { CASE_WAIVED, "waived", false },
                  { CASE_UNEXPECTED_PASS, "passed unexpectedly", false } };
    const struct record_totals t = record_totals(r);
    size_t worse = 0, models_failed = 0, models_missing = 0, lacking = 0;

    for (size_t i = 0; i < r->result_count; i++)
        worse += r->results[i].regression && r->results[i].status == CASE_PASS;
    fprintf(out, "conformance: %zu checks:", t.all);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = t.count[words[i].status];

        if (n > 0 || words[i].always)
            fprintf(out, "%s %zu %s", i ? "," : "", n, words[i].word);
    }
    if (worse > 0)
        fprintf(out, ", %zu passed with a margin worse than the baseline's", worse);
    if (r->broken_ends > 0)
        fprintf(out, ", %zu worker%s ended badly", r->broken_ends, r->broken_ends == 1 ? "" : "s");
    if (r->missing_count > 0)
        fprintf(out, ", %zu not run", r->missing_count);
    for (size_t i = 0; i < r->model_count; i++) {
        models_failed += record_model_is_bad(&r->models[i]);
        models_missing += r->models[i].status == CASE_MISSING;
    }
    if (r->model_count > 0)
        fprintf(out, "; %zu of %zu runs of models failed", models_failed, r->model_count);
    if (models_missing > 0)
        fprintf(out, ", %zu are missing", models_missing);
    for (size_t i = 0; i < r->subject_count; i++)
        lacking += r->subjects[i].not_run != NULL;
    if (lacking > 0)
        fprintf(out, "; %zu of %zu subjects not run", lacking, r->subject_count);
    fputc('\n', out);
}

static void print_quick(const struct record *r, FILE *out)
{
    if (r->run.quick_of > 0)
        fprintf(out, "quick run: a sample of %zu of %" PRIu64 " cases\n", r->run.list_count,
                r->run.quick_of);
}

/* Of runs that one has waited for: so that the next one is not awaited in vain. */
static void print_duration(const struct record *r, FILE *out)
{
    char time[48];

    if (!(r->run.seconds >= 2))
        return;
    progress_describe_time(r->run.seconds, time, sizeof time);
    fprintf(out, "the run took %s%s\n", time,
            r->run.merged_count > 0 ? ", all shards together" : "");
}

static void print_head(const struct record *r, FILE *out)
{
    const struct record_device *const d = &r->device;

    if (d->name) {
        char line[1024];

        snprintf(line, sizeof line, "device: %s, %s%s%s\n", d->name, d->driver ? d->driver : "",
                 d->api ? ", Vulkan " : "", d->api ? d->api : "");
        wrap_print(out, line, TEXT_COLUMNS);
    }
    if (r->run.shards <= 1)
        return;
    if (r->run.merged_count == 0) {
        fprintf(out, "shard %u of %u\n", r->run.shard, r->run.shards);
        return;
    }
    fprintf(out, "shards");
    for (size_t i = 0; i < r->run.merged_count; i++)
        fprintf(out, "%s %u", i ? "," : "", r->run.merged[i]);
    fprintf(out, " of %u\n", r->run.shards);
}

static void print_interruption(const struct record *r, FILE *out)
{
    if (!r->run.interrupted && r->missing_count == 0)
        return;
    fprintf(out, "\ninterrupted: %s",
            r->run.interrupted ? r->run.interrupted : "not known by what");
    if (r->missing_count > 0)
        fprintf(out, ": %zu checks are missing", r->missing_count);
    fputc('\n', out);
}

static void print_notes(const struct record *r, FILE *out)
{
    for (size_t i = 0; i < r->note_count; i++)
        fprintf(out, "%snote: %s\n", i == 0 ? "\n" : "", r->notes[i]);
}

static void print_not_run(const struct record_subject *s, size_t index, FILE *out)
{
    char line[1024];

    snprintf(line, sizeof line, "\nsubject %zu: %s: not run, %s\n", index, s->label, s->not_run);
    wrap_print(out, line, TEXT_COLUMNS);
}

static enum status print_all(struct text *x, struct diag *diag)
{
    const struct record *const r = x->record;

    TRY(record_lines(r, &x->arena, &x->lines, &x->line_count, diag));
    print_head(r, x->out);
    for (size_t s = 0; s < r->subject_count; s++) {
        if (r->subjects[s].not_run) {
            print_not_run(&r->subjects[s], s, x->out);
            continue;
        }
        record_subject_results(r, s, &x->first, &x->last);
        if (x->first == x->last && r->result_count > 0)
            continue;
        fprintf(x->out, "\nsubject %zu: %s (bounds %s)\n", s, r->subjects[s].label,
                r->subjects[s].bounds ? r->subjects[s].bounds : "not known");
        print_table(x, s, false, print_table(x, s, true, false));
        TRY(text_untaken(x, s, diag));
        TRY(text_subject_lists(x, s, diag));
    }
    TRY(text_failures(x, diag));
    if (r->broken_ends > 0)
        fprintf(x->out, "\nfail: %s\n", r->broken_end);
    print_models(x);
    print_mutants(x);
    print_notes(r, x->out);
    print_interruption(r, x->out);
    fputc('\n', x->out);
    print_quick(r, x->out);
    print_duration(r, x->out);
    print_totals(r, x->out);
    return STATUS_OK;
}

/* Copies the text without control characters, which names in a report may hold: a terminal must not
 * obey these.  In UTF-8 those from U+0080 on are 0xC2 and a byte below 0xA0. */
static void copy_clean(const char *text, size_t bytes, FILE *out)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        const unsigned char next = i + 1 < bytes ? (unsigned char)text[i + 1] : 0;

        if (c == 0xc2 && next >= 0x80 && next < 0xa0)
            i++;
        fputc((c < 0x20 && c != '\n') || c == 0x7f || (c == 0xc2 && next < 0xa0) ? '?' : c, out);
    }
}

enum status form_text(const struct record *r, FILE *out, struct diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    struct text x = { .record = r, .out = open_memstream(&text, &bytes) };
    enum status s;

    if (!x.out)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    s = print_all(&x, diag);
    if (fclose(x.out) != 0 && s == STATUS_OK)
        s = diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    if (s == STATUS_OK)
        copy_clean(text, bytes, out);
    free(text); /* from open_memstream, hence not of mem_alloc */
    arena_close(&x.arena);
    return s;
}
