#include "conformance/report/forms/html_compare_data.h"

#include "conformance/report/forms/html_columns.h"
#include "conformance/util/json_text.h"

#include <math.h>
#include <stddef.h>

/* A case on a pair of subjects, with what the page shows of both sides; a side that a report lacks
 * has no status. */
struct row {
    size_t pair;
    int kind; /* of a change; of a single case 1: NEW was cut before it */
    const char *name, *op, *type, *title, *rerun;
    struct {
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

#define LINE(name, kind)                                                                           \
    {                                                                                              \
#name, HTML_##kind, offsetof(struct compare_line, name)                                    \
    }
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
        if (side) {
            row.is.status = (int)x->status + 1;
            row.is.reason = x->reason;
            row.is.margin = x->margin;
            row.is.ms = x->ms;
            row.is.bytes = x->bytes;
        } else {
            row.was.status = (int)x->status + 1;
            row.was.reason = x->reason;
            row.was.margin = x->margin;
            row.was.ms = x->ms;
            row.was.bytes = x->bytes;
        }
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

static json_t *pair_of(const struct record_comparison *c, const struct compare_pair *p)
{
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

static json_t *pairs(const struct record_comparison *c)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < c->pair_count; i++)
        json_array_append_new(list, pair_of(c, &c->pairs[i]));
    return list;
}

static json_t *kinds(const struct record_comparison *c)
{
    json_t *const list = json_array();

    for (int k = 0; k < COMPARE_KIND_COUNT; k++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:I}", "key",
                                              compare_kind_key((enum compare_kind)k), "title",
                                              compare_kind_title((enum compare_kind)k), "bad",
                                              (int)compare_kind_is_bad((enum compare_kind)k),
                                              "count", (json_int_t)c->kind_count[k]));
    return list;
}

static json_t *models(const struct record_comparison *c)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < c->model_count; i++) {
        const struct record_model *const was = &c->was->models[c->models[i].was];
        const struct record_model *const is = &c->is->models[c->models[i].is];
        const char *const label =
            is->is_reference ? "reference" : c->is->subjects[is->subject].label;

        json_array_append_new(list,
                              json_pack("{s:i, s:o, s:o, s:i, s:i, s:o}", "kind",
                                        (int)c->models[i].kind, "name", json_text(is->name),
                                        "subject", json_text(label), "was", (int)was->status, "is",
                                        (int)is->status, "reason", json_text(is->reason)));
    }
    return list;
}

static json_t *statuses(void)
{
    json_t *const list = json_array();

    for (int i = 0; i < CASE_STATUS_COUNT; i++)
        json_array_append_new(list, json_string(case_status_name((enum case_status)i)));
    return list;
}

json_t *html_compare_data(const struct record_comparison *c)
{
    struct html_strings strings;
    json_t *root = NULL;

    if (html_strings_open(&strings))
        root = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O}", "statuses", statuses(), "kinds",
            kinds(c), "pairs", pairs(c), "changes", changes(&strings, c), "singles",
            singles(&strings, c), "margins", growths(&strings, c, c->margins, c->margin_count),
            "memory", growths(&strings, c, c->memory, c->memory_count), "lines",
            html_columns(&strings, line_columns, c->lines, c->line_count, sizeof *c->lines),
            "models", models(c), "strings", strings.list);
    if (strings.failed) {
        json_decref(root);
        root = NULL;
    }
    html_strings_close(&strings);
    return root;
}
