/* The report as one HTML page: what it says of the whole run is written here, so that it can be
 * read without a script; everything else is data that the page's program shows. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/forms/html_columns.h"
#include "conformance/report/forms/html_page.h"
#include "conformance/report/forms/html_text.h"
#include "conformance/report/record/anatomy.h"
#include "conformance/report/record/cluster.h"
#include "conformance/report/record/record.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/util/json_text.h"

#include <jansson.h>
#include <stddef.h>

/* ---- the data: a JSON object of columns (html_columns.h) ---- */

#define RESULT(name, kind) HTML_MEMBER(record_result, name, kind)

static const struct html_column result_columns[] = {
    RESULT(subject, SIZE),
    { "case", HTML_SIZE, offsetof(struct record_result, test_case) },
    RESULT(status, STATUS),
    RESULT(reason, TEXT),
    RESULT(what, TEXT),
    RESULT(rerun, TEXT),
    RESULT(waiver, TEXT),
    RESULT(required, BOOL),
    RESULT(regression, BOOL),
    RESULT(max_abs, NUMBER),
    RESULT(max_ulp, NUMBER),
    RESULT(margin, NUMBER),
    RESULT(bias, NUMBER),
    RESULT(note, TEXT),
    RESULT(integers, U64),
    RESULT(unequal, U64),
    RESULT(ms, NUMBER),
    RESULT(bytes, U64),
    RESULT(taken, INT),
    RESULT(checked, U32),
    RESULT(left_out, U32),
    RESULT(refused, U32),
    RESULT(by_element, TEXT),
    RESULT(by_channel, TEXT),
    RESULT(elements, SIZE),
    RESULT(channels, SIZE),
    RESULT(minimal, TEXT),
    RESULT(design, TEXT),
    RESULT(equals, TEXT),
    RESULT(nth_node, INT),
    { "repeats_asked", HTML_U64, offsetof(struct record_result, repeats.asked) },
    { "repeats_runs", HTML_U64, offsetof(struct record_result, repeats.runs) },
    { "repeats_wrong", HTML_U64, offsetof(struct record_result, repeats.wrong) },
    { "repeats_cut", HTML_TEXT, offsetof(struct record_result, repeats.cut) },
    { NULL, 0, 0 },
};

/* Of the failures that came to a comparison. */
static const struct html_column wrong_columns[] = {
    RESULT(set, TEXT),
    RESULT(frame, CHAR),
    RESULT(where, TEXT),
    RESULT(output, INT),
    RESULT(got, EXACT),
    RESULT(want, EXACT),
    RESULT(error, NUMBER),
    RESULT(limit, NUMBER),
    { "worst_where", HTML_TEXT, offsetof(struct record_result, worst.where) },
    { "worst_ratio", HTML_NUMBER, offsetof(struct record_result, worst.ratio) },
    { "worst_got", HTML_EXACT, offsetof(struct record_result, worst.got) },
    { "worst_want", HTML_EXACT, offsetof(struct record_result, worst.want) },
    { "worst_error", HTML_NUMBER, offsetof(struct record_result, worst.error) },
    { "worst_limit", HTML_NUMBER, offsetof(struct record_result, worst.limit) },
    { NULL, 0, 0 },
};

#define CASE(name, kind) HTML_MEMBER(record_case, name, kind)
static const struct html_column case_columns[] = {
    CASE(name, TEXT),   CASE(op, TEXT),      CASE(type, TEXT),
    CASE(title, TEXT),  CASE(version, INT),  CASE(nodes, INT),
    CASE(inputs, TEXT), CASE(classes, TEXT), { NULL, 0, 0 },
};

static const struct html_column made_columns[] = {
    { "exotic", HTML_BOOL, offsetof(struct anatomy, is_exotic) },
    { "traits", HTML_TEXT, offsetof(struct anatomy, judged.classes) },
    { "numbers", HTML_TEXT, offsetof(struct anatomy, judged.numbers) },
    { NULL, 0, 0 },
};

#define MODEL(name, kind) HTML_MEMBER(record_model, name, kind)
static const struct html_column model_columns[] = {
    MODEL(name, TEXT),         MODEL(is_reference, BOOL), MODEL(subject, SIZE),
    MODEL(status, STATUS),     MODEL(reason, TEXT),       MODEL(compared, BOOL),
    MODEL(top1, NUMBER),       MODEL(snr_db, NUMBER),     MODEL(max_abs, NUMBER),
    MODEL(mean_steps, NUMBER), MODEL(images, U64),        MODEL(same, U64),
    MODEL(different, U64),     MODEL(wrong, U64),         MODEL(nodes, INT),
    MODEL(taken, INT),         MODEL(partitions, INT),    { NULL, 0, 0 },
};

#define MINIMAL(name, kind) HTML_MEMBER(record_minimal, name, kind)
static const struct html_column minimal_columns[] = {
    MINIMAL(subject, SIZE),  { "case", HTML_SIZE, offsetof(struct record_minimal, test_case) },
    MINIMAL(status, STATUS), MINIMAL(reason, TEXT),
    MINIMAL(text, TEXT),     MINIMAL(similar, SIZE),
    MINIMAL(steps, SIZE),    MINIMAL(reductions, SIZE),
    MINIMAL(limited, BOOL),  MINIMAL(flaky, BOOL),
    { NULL, 0, 0 },
};

#define MUTANT(name, kind) HTML_MEMBER(record_mutant, name, kind)
static const struct html_column mutant_columns[] = {
    MUTANT(name, TEXT), MUTANT(file, TEXT),   MUTANT(by, TEXT),
    MUTANT(what, TEXT), MUTANT(caught, BOOL), { NULL, 0, 0 },
};

static const struct html_column missing_columns[] = {
    { "subject", HTML_SIZE, offsetof(struct record_missing, subject) },
    { "case", HTML_SIZE, offsetof(struct record_missing, test_case) },
    { NULL, 0, 0 },
};

static json_t *subject(const void *of, size_t i)
{
    const struct record_subject *const s = &((const struct record *)of)->subjects[i];

    return json_pack("{s:o, s:o, s:b}", "label", json_text(s->label), "spec", json_text(s->spec),
                     "is_reference", s->path == NULL);
}

/* The indices of the results that make the run fail. */
static json_t *bad(const struct record *r)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < r->result_count; i++)
        if (record_result_is_bad(&r->results[i]))
            json_array_append_new(list, json_integer((json_int_t)i));
    return list;
}

static json_t *wrong(const struct record *r, struct html_strings *strings)
{
    json_t *const rows = json_array();
    struct record_result *list;
    struct arena arena = { 0 };
    size_t count = 0;
    json_t *columns;

    if (!(list = ARENA_NEW(&arena, r->result_count, struct record_result)))
        strings->failed = true;
    for (size_t i = 0; list && i < r->result_count; i++) {
        const struct record_result *const x = &r->results[i];

        if (!x->set && !x->where && !x->worst.where)
            continue;
        list[count++] = *x;
        json_array_append_new(rows, json_integer((json_int_t)i));
    }
    columns = html_columns(strings, wrong_columns, list, count, sizeof *list);
    json_object_set_new(columns, "result", rows);
    arena_close(&arena);
    return columns;
}

#define FINDING(name, kind) HTML_MEMBER(finding, name, kind)
static const struct html_column finding_columns[] = {
    FINDING(subject, SIZE),  FINDING(op, TEXT),           FINDING(ops, TEXT),
    FINDING(title, TEXT),    FINDING(types, TEXT),        FINDING(status, STATUS),
    FINDING(what, TEXT),     FINDING(severity, INT),      FINDING(exposure, NUMBER),
    FINDING(judged, SIZE),   FINDING(count, SIZE),        FINDING(graphs, SIZE),
    FINDING(smallest, SIZE), FINDING(passing, SIZE),      FINDING(how, TEXT),
    FINDING(pattern, TEXT),  FINDING(passing_with, SIZE), { NULL, 0, 0 },
};

static json_t *findings(const struct record *r, struct html_strings *strings)
{
    struct arena arena = { 0 };
    struct finding *list = NULL;
    json_t *const members = json_array();
    json_t *columns;
    size_t count = 0;

    if (cluster_findings(r, &arena, &list, &count, NULL) != STATUS_OK) {
        strings->failed = true;
        count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        json_t *const of = json_array();

        for (size_t k = 0; k < list[i].count; k++)
            json_array_append_new(of, json_integer((json_int_t)list[i].results[k]));
        json_array_append_new(members, of);
    }
    columns = html_columns(strings, finding_columns, list, count, sizeof *list);
    json_object_set_new(columns, "results", members);
    arena_close(&arena);
    return columns;
}

static json_t *habit(const void *none, size_t i)
{
    (void)none;
    return json_string(habit_names[i]);
}

/* Why a kind of subject cannot do a habit; empty: every kind can. */
static json_t *lack(const void *none, size_t i)
{
    (void)none;
    return json_string(habit_rows[i].lacks ? habit_rows[i].lacks : "");
}

/* NULL when out of memory. */
static json_t *html_data(const struct record *r)
{
    struct html_strings strings;
    json_t *root = NULL;

    if (html_strings_open(&strings))
        root = json_pack(
            "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O}",
            "seed", (json_int_t)r->run.seed, "statuses",
            json_list(CASE_MISSING + 1, html_status, NULL), "habits",
            json_list(HABIT_COUNT, habit, NULL), "lacks", json_list(HABIT_COUNT, lack, NULL),
            "findings", findings(r, &strings), "subjects", json_list(r->subject_count, subject, r),
            "cases",
            html_columns(&strings, case_columns, r->cases, r->case_count, sizeof *r->cases), "made",
            html_columns(&strings, made_columns, r->anatomy, r->anatomy ? r->case_count : 0,
                         sizeof *r->anatomy),
            "results",
            html_columns(&strings, result_columns, r->results, r->result_count, sizeof *r->results),
            "bad", bad(r), "wrong", wrong(r, &strings), "missing",
            html_columns(&strings, missing_columns, r->missing, r->missing_count,
                         sizeof *r->missing),
            "models",
            html_columns(&strings, model_columns, r->models, r->model_count, sizeof *r->models),
            "minimal",
            html_columns(&strings, minimal_columns, r->minimal, r->minimal_count,
                         sizeof *r->minimal),
            "mutants",
            html_columns(&strings, mutant_columns, r->mutants, r->mutant_count, sizeof *r->mutants),
            "strings", strings.list);
    if (strings.failed) {
        json_decref(root);
        root = NULL;
    }
    html_strings_close(&strings);
    return root;
}

/* ---- the page ---- */

static enum status write_data(const void *of, FILE *out, struct diag *diag)
{
    json_t *const data = html_data(of);
    const bool written = data && html_json(out, data);

    json_decref(data);
    return written ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

enum status form_html(const struct record *r, FILE *out, struct diag *diag)
{
    static const struct html_part parts[] = {
        { "title", html_head_title },
        { "verdict", html_head_verdict },
        { "subjects", html_head_subjects },
        { "run", html_head_run },
        { "data", write_data },
        { NULL, NULL },
    };

    return html_page_write(&html_report_page, &html_report_script, parts, r, out, diag);
}
