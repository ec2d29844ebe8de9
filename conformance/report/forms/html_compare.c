/* A comparison of two reports as one HTML page: the verdict, why, and both runs are written here;
 * everything else is data that the page's program shows. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/forms/html_columns.h"
#include "conformance/report/forms/html_page.h"
#include "conformance/report/forms/html_text.h"
#include "conformance/report/record/compare.h"
#include "conformance/util/json_text.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the data: a JSON object of columns (html_columns.h) ---- */

/* A case on a pair of subjects, with what the page shows of both sides; a side that a report lacks
 * has no status. */
struct row {
    size_t pair;
    int kind; /* of a change; of a single case 1: NEW was cut before it */
    const char *name, *op, *type, *title, *rerun;
    struct side {
        int status; /* 0: none, else the status and 1 */
        const char *reason;
        double margin, ms;
        uint64_t bytes;
    } was, is;
    double from, to; /* of a figure */
    bool fails;
};

#define ROW(name, kind, member)                                                                    \
    {                                                                                              \
        name, HTML_##kind, offsetof(struct row, member)                                            \
    }
static const struct html_column row_columns[] = {
    ROW("pair", SIZE, pair),
    ROW("kind", INT, kind),
    ROW("name", TEXT, name),
    ROW("op", TEXT, op),
    ROW("type", TEXT, type),
    ROW("title", TEXT, title),
    ROW("rerun", TEXT, rerun),
    ROW("was_status", INT, was.status),
    ROW("was_reason", TEXT, was.reason),
    ROW("was_margin", NUMBER, was.margin),
    ROW("was_ms", NUMBER, was.ms),
    ROW("was_bytes", U64, was.bytes),
    ROW("is_status", INT, is.status),
    ROW("is_reason", TEXT, is.reason),
    ROW("is_margin", NUMBER, is.margin),
    ROW("is_ms", NUMBER, is.ms),
    ROW("is_bytes", U64, is.bytes),
    ROW("from", NUMBER, from),
    ROW("to", NUMBER, to),
    ROW("fails", BOOL, fails),
    { NULL, 0, 0 },
};

#define LINE(name, kind) HTML_MEMBER(compare_line, name, kind)
static const struct html_column line_columns[] = {
    LINE(op, TEXT),           LINE(type, TEXT),        LINE(title, TEXT),
    LINE(pair, SIZE),         LINE(common, SIZE),      LINE(margins_grown, SIZE),
    LINE(margin_was, NUMBER), LINE(margin_is, NUMBER), LINE(memory_grown, SIZE),
    LINE(bytes_was, U64),     LINE(bytes_is, U64),     LINE(timed, SIZE),
    LINE(ms_was, NUMBER),     LINE(ms_is, NUMBER),     LINE(factor, NUMBER),
    LINE(p, NUMBER),          LINE(slower, BOOL),      LINE(faster, BOOL),
    { NULL, 0, 0 },
};

static struct row row_of(const struct record_comparison *c, size_t pair, size_t was, size_t is)
{
    struct row row = { .pair = pair, .from = NAN, .to = NAN };

    row.was.margin = row.was.ms = row.is.margin = row.is.ms = NAN;
    for (int side = 0; side < 2; side++) {
        const struct record *const r = side ? c->is : c->was;
        const size_t at = side ? is : was;
        const struct record_result *const x = at == SIZE_MAX ? NULL : &r->results[at];

        if (!x)
            continue;
        row.name = r->cases[x->test_case].name;
        row.op = r->cases[x->test_case].op;
        row.type = r->cases[x->test_case].type;
        row.title = r->cases[x->test_case].title;
        row.rerun = x->rerun;
        *(side ? &row.is : &row.was) =
            (struct side){ (int)x->status + 1, x->reason, x->margin, x->ms, x->bytes };
    }
    return row;
}

static json_t *columns_of(struct html_strings *s, const struct row *rows, size_t count)
{
    if (!rows)
        s->failed = true;
    return html_columns(s, row_columns, rows, rows ? count : 0, sizeof *rows);
}

static json_t *changes(struct html_strings *s, const struct record_comparison *c)
{
    struct arena arena = { 0 };
    struct row *const rows = ARENA_NEW(&arena, c->change_count, struct row);
    json_t *columns;

    for (size_t i = 0; rows && i < c->change_count; i++) {
        const struct compare_change *const x = &c->changes[i];

        rows[i] = row_of(c, x->pair, x->was, x->is);
        rows[i].kind = (int)x->kind;
    }
    columns = columns_of(s, rows, c->change_count);
    arena_close(&arena);
    return columns;
}

static json_t *singles(struct html_strings *s, const struct record_comparison *c)
{
    struct arena arena = { 0 };
    struct row *const rows = ARENA_NEW(&arena, c->single_count, struct row);
    json_t *columns;

    for (size_t i = 0; rows && i < c->single_count; i++) {
        rows[i] = row_of(c, c->singles[i].pair, c->singles[i].was, c->singles[i].is);
        rows[i].kind = c->singles[i].not_reached;
    }
    columns = columns_of(s, rows, c->single_count);
    arena_close(&arena);
    return columns;
}

static json_t *growths(struct html_strings *s, const struct record_comparison *c,
                       const struct compare_growth *list, size_t count)
{
    struct arena arena = { 0 };
    struct row *const rows = ARENA_NEW(&arena, count, struct row);
    json_t *columns;

    for (size_t i = 0; rows && i < count; i++) {
        rows[i] = row_of(c, list[i].pair, list[i].was, list[i].is);
        rows[i].from = list[i].from;
        rows[i].to = list[i].to;
        rows[i].fails = list[i].fails;
    }
    columns = columns_of(s, rows, count);
    arena_close(&arena);
    return columns;
}

/* ---- pairs, kinds, models: few of them, as objects ---- */

static json_t *pair(const void *of, size_t i)
{
    const struct record_comparison *const c = of;
    const struct compare_pair *const p = &c->pairs[i];
    json_t *const from_to = json_array();

    for (int was = 0; was < CASE_STATUS_COUNT; was++) {
        json_t *const row = json_array();

        for (int is = 0; is < CASE_STATUS_COUNT; is++)
            json_array_append_new(row, json_integer((json_int_t)p->from_to[was][is]));
        json_array_append_new(from_to, row);
    }
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:b, s:I, s:o, s:o, s:b}", "was",
                     json_text(c->was->subjects[p->old_subject].label), "is",
                     json_text(c->is->subjects[p->new_subject].label), "common",
                     (json_int_t)p->common, "gone", (json_int_t)p->gone, "added",
                     (json_int_t)p->added, "from_to", from_to, "bounds_differ",
                     (int)p->bounds_differ, "timed", (json_int_t)p->timed, "factor",
                     html_number(p->time_factor, false), "noise", html_number(p->time_noise, false),
                     "slower", (int)p->slower);
}

static json_t *kind(const void *of, size_t i)
{
    const struct record_comparison *const c = of;
    const enum compare_kind k = (enum compare_kind)i;

    return json_pack("{s:s, s:s, s:b, s:I}", "key", compare_kind_key(k), "title",
                     compare_kind_title(k), "bad", (int)compare_kind_is_bad(k), "count",
                     (json_int_t)c->kind_count[k]);
}

static json_t *model(const void *of, size_t i)
{
    const struct record_comparison *const c = of;
    const struct record_model *const was = &c->was->models[c->models[i].was];
    const struct record_model *const is = &c->is->models[c->models[i].is];
    const char *const label = is->is_reference ? "reference" : c->is->subjects[is->subject].label;

    return json_pack("{s:i, s:o, s:o, s:i, s:i, s:o}", "kind", (int)c->models[i].kind, "name",
                     json_text(is->name), "subject", json_text(label), "was", (int)was->status,
                     "is", (int)is->status, "reason", json_text(is->reason));
}

/* NULL when out of memory. */
static json_t *html_compare_data(const struct record_comparison *c)
{
    struct html_strings strings;
    json_t *root = NULL;

    if (html_strings_open(&strings))
        root = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O}", "statuses",
            json_list(CASE_STATUS_COUNT, html_status, NULL), "kinds",
            json_list(COMPARE_KIND_COUNT, kind, c), "pairs", json_list(c->pair_count, pair, c),
            "changes", changes(&strings, c), "singles", singles(&strings, c), "margins",
            growths(&strings, c, c->margins, c->margin_count), "memory",
            growths(&strings, c, c->memory, c->memory_count), "lines",
            html_columns(&strings, line_columns, c->lines, c->line_count, sizeof *c->lines),
            "models", json_list(c->model_count, model, c), "strings", strings.list);
    if (strings.failed) {
        json_decref(root);
        root = NULL;
    }
    html_strings_close(&strings);
    return root;
}

static enum status write_title(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;

    (void)diag;
    fputs(c->failure_count ? "Worse - " : "No worse - ", out);
    if (c->pair_count)
        html_text(out, c->is->subjects[c->pairs[0].new_subject].label);
    fputs(" - Assay", out);
    return STATUS_OK;
}

static void write_list(const char *title, const char *const *texts, size_t count, FILE *out)
{
    if (count == 0)
        return;
    fprintf(out, "<h2>%s</h2>\n<ul class=\"sentences\">\n", title);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", out);
        html_text(out, texts[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static enum status write_verdict(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;
    const bool worse = c->failure_count > 0;
    size_t common = 0;

    (void)diag;
    for (size_t i = 0; i < c->pair_count; i++)
        common += c->pairs[i].common;
    fprintf(out,
            "<p class=\"verdict %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>%s"
            "<span class=\"why\"> in ",
            worse ? "bad" : "good", worse ? "✗" : "✓", worse ? "Worse" : "No worse");
    html_count(out, common);
    fputs(" checks that both reports have</span></p>\n", out);
    write_list("Why", c->failures, c->failure_count, out);
    write_list("To keep in mind", c->notes, c->note_count, out);
    return STATUS_OK;
}

static void write_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    html_text(out, text ? text : "not known");
    fputs("</td>", out);
}

static void write_run(FILE *out, const char *name, const struct record *r)
{
    const struct record_totals t = record_totals(r);

    fprintf(out, "<tr><th scope=\"row\">%s</th>", name);
    write_cell(out, r->run.version);
    write_cell(out, r->run.git);
    write_cell(out, r->run.started);
    write_cell(out, r->device.name);
    write_cell(out, r->device.driver);
    fputs("<td class=\"n\">", out);
    html_count(out, t.all);
    fprintf(out, "</td><td class=\"n%s\">", t.bad ? " bad" : "");
    html_count(out, t.bad);
    fputs("</td></tr>\n", out);
}

static enum status write_runs(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;

    (void)diag;
    write_run(out, "old", c->was);
    write_run(out, "new", c->is);
    return STATUS_OK;
}

/* Subjects that only one of the reports has. */
static enum status write_alone(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;

    (void)diag;
    for (size_t i = 0; i < c->old_only_count + c->new_only_count; i++) {
        const bool old = i < c->old_only_count;
        const struct record *const r = old ? c->was : c->is;
        const size_t subject = old ? c->old_only[i] : c->new_only[i - c->old_only_count];

        fputs("<p class=\"banner\">Not compared: subject ", out);
        html_text(out, r->subjects[subject].label);
        fprintf(out, " is in the %s report alone.</p>\n", old ? "old" : "new");
    }
    return STATUS_OK;
}

static enum status write_data(const void *of, FILE *out, struct diag *diag)
{
    json_t *const data = html_compare_data(of);
    const bool written = data && html_json(out, data);

    json_decref(data);
    return written ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

enum status html_comparison(const struct record_comparison *c, FILE *out, struct diag *diag)
{
    static const struct html_part parts[] = {
        { "title", write_title }, { "verdict", write_verdict }, { "runs", write_runs },
        { "alone", write_alone }, { "data", write_data },       { NULL, NULL },
    };

    return html_page_write(&html_compare_page, &html_compare_script, parts, c, out, diag);
}
