/* Writes a record as JSON: an object whose long arrays have an element on each line.  Infinite and
 * NaN figures, which JSON lacks, are null; the key "infinite" has the signs of the infinite ones.
 */
#include "conformance/report/record/cluster.h"
#include "conformance/report/record/record_fields.h"
#include "conformance/util/interval.h"
#include "conformance/util/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds value, which the object then owns; false when either is NULL, and then it frees value. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new_nocheck(object, key, value) == 0;
}

/* ---- values ---- */

/* The share of integers that differ; null where none were compared. */
static json_t *share(uint64_t unequal, uint64_t all)
{
    return all > 0 ? json_real((double)unequal / (double)all) : json_null();
}

static json_t *habits_json(uint32_t habits)
{
    json_t *const all = json_array();

    for (int h = 0; all && h < HABIT_COUNT; h++) {
        if (habits >> h & 1 && json_array_append_new(all, json_string(habit_names[h])) != 0) {
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

static json_t *value_json(enum record_kind kind, const void *at)
{
    const char *text;

    switch (kind) {
    case RECORD_TEXT: return json_text(*(const char *const *)at);
    case RECORD_WORDS: text = *(const char *const *)at; return json_text(text ? text : "");
    case RECORD_REAL: return json_number(*(const double *)at);
    case RECORD_U64: return json_integer((json_int_t) * (const uint64_t *)at);
    case RECORD_SIZE:
        return *(const size_t *)at == SIZE_MAX ? json_null()
                                               : json_integer((json_int_t) * (const size_t *)at);
    case RECORD_U32: return json_integer(*(const uint32_t *)at);
    case RECORD_INT: return json_integer(*(const int *)at);
    case RECORD_BOOL: return json_boolean(*(const bool *)at);
    case RECORD_STATUS: return json_string(case_status_name(*(const enum case_status *)at));
    case RECORD_HABITS: return habits_json(*(const uint32_t *)at);
    case RECORD_FRAME: return *(const char *)at ? json_stringn((const char *)at, 1) : json_null();
    }
    return NULL;
}

static bool is_set(enum record_kind kind, const void *at)
{
    switch (kind) {
    case RECORD_TEXT:
    case RECORD_WORDS: return *(const char *const *)at != NULL;
    case RECORD_REAL: return !isnan(*(const double *)at);
    case RECORD_U64: return *(const uint64_t *)at != 0;
    case RECORD_SIZE: return *(const size_t *)at != 0;
    case RECORD_U32:
    case RECORD_HABITS: return *(const uint32_t *)at != 0;
    case RECORD_INT: return *(const int *)at != 0;
    case RECORD_BOOL: return *(const bool *)at;
    case RECORD_FRAME: return *(const char *)at != 0;
    case RECORD_STATUS: return true;
    }
    return true;
}

/* Adds the fields of the struct at base, and to "infinite" the signs of those that are. */
static bool put_fields(json_t *o, const struct record_fields *fields, const void *base)
{
    json_t *infinite = NULL;
    bool ok = true;

    for (size_t i = 0; i < fields->count; i++) {
        const struct record_field *const f = &fields->items[i];
        const void *const at = (const char *)base + f->offset;

        if (f->presence == RECORD_WHEN_SET && !is_set(f->kind, at))
            continue;
        ok = ok && put(o, f->key, value_json(f->kind, at));
        if (f->kind != RECORD_REAL || !isinf(*(const double *)at))
            continue;
        if (!infinite)
            infinite = json_object();
        ok = ok && put(infinite, f->key, json_integer(*(const double *)at > 0 ? 1 : -1));
    }
    if (infinite && json_object_get(o, "infinite")) {
        ok = ok && json_object_update(json_object_get(o, "infinite"), infinite) == 0;
        json_decref(infinite);
    } else if (infinite) {
        ok = put(o, "infinite", infinite) && ok;
    }
    return ok;
}

json_t *record_fields_json(const struct record_fields *fields, const void *base)
{
    json_t *const o = json_object();

    return json_whole(o, put_fields(o, fields, base));
}

static json_t *totals_json(const struct record_totals *t)
{
    json_t *const o = json_object();
    bool ok = o != NULL;

    for (int i = 0; i < CASE_STATUS_COUNT; i++)
        ok = ok &&
             put(o, case_status_name((enum case_status)i), json_integer((json_int_t)t->count[i]));
    return json_whole(o, ok);
}

/* ---- the parts of a report ---- */

static json_t *texts_json(const char *const *texts, size_t count)
{
    json_t *const all = json_array();
    bool ok = all != NULL;

    for (size_t i = 0; ok && i < count; i++)
        ok = json_array_append_new(all, json_text(texts[i])) == 0;
    return json_whole(all, ok);
}

static json_t *merged_json(const struct record_run *run)
{
    json_t *const all = json_array();
    bool ok = all != NULL;

    for (size_t i = 0; ok && i < run->merged_count; i++)
        ok = json_array_append_new(all, json_integer(run->merged[i])) == 0;
    return json_whole(all, ok);
}

/* The shard of a run that had only a part of the list; null for the whole list. */
static json_t *shard_json(const struct record_run *run)
{
    json_t *const o = run->shards > 1 ? json_object() : json_null();
    bool ok = o != NULL;

    if (run->shards <= 1)
        return o;
    ok = ok && put(o, "index", run->merged_count ? json_null() : json_integer(run->shard));
    ok = ok && put(o, "count", json_integer(run->shards));
    if (run->merged_count)
        ok = ok && put(o, "merged", merged_json(run));
    return json_whole(o, ok);
}

static json_t *run_json(const struct record *r)
{
    json_t *const o = json_object(), *const list = json_object();
    bool ok = put_fields(o, &record_run_fields, &r->run);

    ok = ok && put(o, "filters", texts_json(r->run.filters, r->run.filter_count));
    ok = ok && put(o, "shard", shard_json(&r->run));
    ok = ok && put(list, "count", json_integer((json_int_t)r->run.list_count));
    ok = ok && put(list, "sha256", json_text(r->run.list_sha256));
    ok = put(o, "list", list) && ok;
    return json_whole(o, ok);
}

static json_t *subject_json(const struct record *r, size_t index)
{
    const struct record_subject *const s = &r->subjects[index];
    json_t *const o = json_object(), *const options = json_object();
    struct record_totals t = { .worst = SIZE_MAX };
    bool ok = put_fields(o, &record_subject_fields, s);

    for (size_t i = 0; i < r->result_count; i++) {
        if (r->results[i].subject == index)
            record_totals_add(&t, r, i);
    }
    for (size_t i = 0; i < s->option_count; i++)
        ok = ok && put(options, s->options[i].key, json_text(s->options[i].value));
    ok = put(o, "options", options) && ok;
    ok = ok && put(o, "off_by_one", share(t.unequal, t.integers));
    ok = ok && put(o, "totals", totals_json(&t));
    ok = ok && put(o, "device", record_fields_json(&record_device_fields, &s->device));
    return json_whole(o, ok);
}

/* The worst margin of a line on a subject, and why it may be above a half. */
static json_t *worst_json(const struct record *r, size_t subject, const struct record_totals *t)
{
    const struct record_result *const x = t->worst == SIZE_MAX ? NULL : &r->results[t->worst];
    json_t *const o = json_object();

    return json_whole(
        o, put(o, "subject", json_integer((json_int_t)subject)) &&
               put(o, "margin", x ? json_number(x->margin) : json_null()) &&
               put(o, "case", x ? json_text(r->cases[x->test_case].name) : json_null()) &&
               put(o, "off_by_one", share(t->unequal, t->integers)) &&
               put(o, "note", json_text(x ? x->note : NULL)));
}

static int compare_versions(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* The operator versions of a line, each once. */
static json_t *versions_json(const struct record *r, const struct record_line *line)
{
    json_t *const all = json_array();
    struct arena arena = { 0 };
    int32_t *const versions = ARENA_NEW(&arena, line->case_count, int32_t);
    bool ok = all && versions;

    for (size_t i = 0; ok && i < line->case_count; i++)
        versions[i] = r->cases[line->cases[i]].version;
    if (ok)
        qsort(versions, line->case_count, sizeof *versions, compare_versions);
    for (size_t i = 0; ok && i < line->case_count; i++) {
        if (i == 0 || versions[i] != versions[i - 1])
            ok = json_array_append_new(all, json_integer(versions[i])) == 0;
    }
    arena_close(&arena);
    return json_whole(all, ok);
}

/* A line, summed over all subjects. */
static json_t *line_json(const struct record *r, const struct record_line *line)
{
    json_t *const o = json_object(), *const worst = json_array();
    struct record_totals t = { .worst = SIZE_MAX };
    bool ok = true;

    if (line->title) {
        ok = put(o, "title", json_text(line->title));
    } else {
        ok = put(o, "op", json_text(line->op)) && put(o, "type", json_text(line->type)) &&
             put(o, "versions", versions_json(r, line));
    }
    for (size_t s = 0; s < r->subject_count; s++) {
        struct record_totals one = { .worst = SIZE_MAX };

        record_totals_add_line(&one, r, line, s);
        record_totals_add_line(&t, r, line, s);
        ok = ok && json_array_append_new(worst, worst_json(r, s, &one)) == 0;
    }
    ok = ok && put(o, "totals", totals_json(&t));
    ok = put(o, "worst", worst) && ok;
    return json_whole(o, ok);
}

/* What "cases" and "missing" both have. */
static bool put_case(json_t *o, const struct record *r, size_t subject, size_t test_case)
{
    return put(o, "subject", json_integer((json_int_t)subject)) &&
           put(o, "case", json_text(r->cases[test_case].name)) &&
           put_fields(o, &record_case_fields, &r->cases[test_case]);
}

static json_t *repeats_json(const struct record_result *x)
{
    const struct interval of_all = interval_wilson(x->repeats.wrong, x->repeats.runs);
    json_t *const o = record_fields_json(&record_repeats_fields, x);

    return json_whole(o, o && put(o, "share", share(x->repeats.wrong, x->repeats.runs)) &&
                             put(o, "low", json_number(of_all.low)) &&
                             put(o, "high", json_number(of_all.high)));
}

static json_t *result_json(const struct record *r, size_t index)
{
    const struct record_result *const x = &r->results[index];
    json_t *const o = json_object();
    bool ok = put_case(o, r, x->subject, x->test_case) && put_fields(o, &record_result_fields, x) &&
              put(o, "off_by_one", share(x->unequal, x->integers)) &&
              put(o, "seed", json_integer((json_int_t)r->run.seed));

    if (r->cases[x->test_case].nodes > 0)
        ok = ok && put(o, "nodes_taken", json_integer(x->taken));
    if (x->set)
        ok = ok && put_fields(o, &record_failure_fields, x);
    if (x->worst.where)
        ok = ok && put(o, "worst", record_fields_json(&record_worst_fields, x));
    if (x->repeats.asked > 0)
        ok = ok && put(o, "repeats", repeats_json(x));
    if (x->by_element)
        ok = ok && put(o, "profile", record_fields_json(&record_profile_fields, x));
    return json_whole(o, ok);
}

static json_t *missing_json(const struct record *r, size_t index)
{
    json_t *const o = json_object();

    return json_whole(o, put_case(o, r, r->missing[index].subject, r->missing[index].test_case));
}

static json_t *model_json(const struct record *r, size_t index)
{
    const struct record_model *const m = &r->models[index];
    json_t *const o = json_object();
    bool ok = put_fields(o, &record_model_fields, m);

    ok = ok &&
         put(o, "subject", m->is_reference ? json_null() : json_integer((json_int_t)m->subject));
    if (m->compared)
        ok = ok && put_fields(o, &record_figure_fields, m);
    for (size_t i = 0; !m->compared && i < record_figure_fields.count; i++)
        ok = ok && put(o, record_figure_fields.items[i].key, json_null());
    return json_whole(o, ok);
}

static json_t *mutant_json(const struct record *r, size_t index)
{
    return record_fields_json(&record_mutant_fields, &r->mutants[index]);
}

static json_t *minimal_json(const struct record *r, size_t index)
{
    const struct record_minimal *const m = &r->minimal[index];
    json_t *const o = json_object();

    return json_whole(o, put(o, "subject", json_integer((json_int_t)m->subject)) &&
                             put(o, "case", json_text(r->cases[m->test_case].name)) &&
                             put_fields(o, &record_minimal_fields, m));
}

static json_t *note_json(const struct record *r, size_t index)
{
    return json_text(r->notes[index]);
}

static json_t *broken_ends_json(const struct record *r)
{
    json_t *const o = json_object();

    return json_whole(o, put(o, "count", json_integer((json_int_t)r->broken_ends)) &&
                             put(o, "first", json_text(r->broken_end)));
}

/* ---- what it comes to ---- */

static json_t *words_json(const char *text)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    while (ok && *text) {
        const size_t length = strcspn(text, " ");

        ok = json_array_append_new(list, json_stringn(text, length)) == 0;
        text += length + (text[length] == ' ');
    }
    return json_whole(list, ok);
}

/* The first smallest form of one of its checks. */
static const char *minimized(const struct record *r, const struct finding *f)
{
    for (size_t i = 0; i < r->minimal_count; i++)
        for (size_t k = 0; k < f->count; k++) {
            const struct record_result *const x = &r->results[f->results[k]];

            if (x->subject == r->minimal[i].subject && x->test_case == r->minimal[i].test_case)
                return r->minimal[i].text;
        }
    for (size_t k = 0; k < f->count; k++)
        if (r->results[f->results[k]].minimal)
            return r->results[f->results[k]].minimal;
    return NULL;
}

static json_t *finding_json(const struct record *r, const struct finding *f)
{
    const struct record_case *const smallest = &r->cases[r->results[f->smallest].test_case];
    json_t *const o = json_object();

    return json_whole(
        o, put(o, "subject", json_integer((json_int_t)f->subject)) &&
               put(o, "title", json_text(f->name)) &&
               put(o, "severity", json_text(severity_name(f->severity))) &&
               put(o, "exposure", isnan(f->exposure) ? json_null() : json_real(f->exposure)) &&
               put(o, "checks", json_integer((json_int_t)f->count)) &&
               put(o, "judged", json_integer((json_int_t)f->judged)) &&
               put(o, "graphs", json_integer((json_int_t)f->graphs)) &&
               put(o, "share", json_real((double)(f->count - f->graphs) / (double)f->judged)) &&
               put(o, "condition", json_text(f->pattern)) && put(o, "failure", json_text(f->how)) &&
               put(o, "passing_with", json_integer((json_int_t)f->passing_with)) &&
               put(o, "status", json_text(case_status_name(f->status))) &&
               put(o, "what", json_text(f->what)) && put(o, "ops", words_json(f->ops)) &&
               put(o, "types", words_json(f->types)) &&
               put(o, "smallest", json_text(smallest->name)) &&
               put(o, "minimized", json_text(minimized(r, f))));
}

/* How many cases each subject has declined for each reason, in the order of the run. */
static json_t *declined_json(const struct record *r)
{
    json_t *const list = json_array(), *places = NULL;
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < r->result_count; i++) {
        const struct record_result *const x = &r->results[i];
        json_t *reason, *row;

        if (i == 0 || x->subject != x[-1].subject) {
            json_decref(places);
            ok = (places = json_object()) != NULL;
        }
        if (!ok || x->status != CASE_DECLINED)
            continue;
        reason = json_text(record_result_why(x));
        row = json_object_get(places, json_string_value(reason));
        if (!row) {
            row = json_object();
            ok = put(row, "subject", json_integer((json_int_t)x->subject)) &&
                 put(row, "reason", json_incref(reason)) && put(row, "checks", json_integer(0)) &&
                 json_object_set(places, json_string_value(reason), row) == 0 &&
                 json_array_append(list, row) == 0;
            json_decref(row);
        }
        json_decref(reason);
        ok = ok && json_integer_set(json_object_get(row, "checks"),
                                    json_integer_value(json_object_get(row, "checks")) + 1) == 0;
    }
    json_decref(places);
    return json_whole(list, ok);
}

/* ---- the whole ---- */

/* Prints and frees a value; false when it is NULL. */
static bool print(FILE *out, json_t *value)
{
    const bool ok = value && json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) == 0;

    json_decref(value);
    return ok;
}

/* A key of the root; the first is "assay". */
static bool print_value(FILE *out, const char *key, json_t *value)
{
    fprintf(out, "%s\n \"%s\": ", strcmp(key, "assay") == 0 ? "{" : ",", key);
    return print(out, value);
}

static bool print_array(FILE *out, const char *key, const struct record *r, size_t count,
                        json_t *make(const struct record *r, size_t index))
{
    bool ok = true;

    fprintf(out, ",\n \"%s\": [", key);
    for (size_t i = 0; ok && i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        ok = print(out, make(r, i));
    }
    fputs(count ? "\n ]" : "]", out);
    return ok;
}

static bool print_lines(FILE *out, const char *key, bool gaps, const struct record *r,
                        const struct record_line *lines, size_t count)
{
    bool begun = false, ok = true;

    fprintf(out, ",\n \"%s\": [", key);
    for (size_t i = 0; ok && i < count; i++) {
        if (!lines[i].title == gaps)
            continue;
        fputs(begun ? ",\n  " : "\n  ", out);
        begun = true;
        ok = print(out, line_json(r, &lines[i]));
    }
    fputs(begun ? "\n ]" : "]", out);
    return ok;
}

static bool print_findings(FILE *out, const struct record *r, const struct finding *findings,
                           size_t count)
{
    bool ok = true;

    fputs(",\n \"findings\": [", out);
    for (size_t i = 0; ok && i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        ok = print(out, finding_json(r, &findings[i]));
    }
    fputs(count ? "\n ]" : "]", out);
    return ok;
}

static bool print_root(FILE *out, const struct record *r, const struct record_line *lines,
                       size_t line_count, const struct finding *findings, size_t finding_count)
{
    const struct record_totals totals = record_totals(r);
    bool ok = print_value(out, "assay", json_text(r->run.version ? r->run.version : "")) &&
              print_value(out, "schema", json_integer(RECORD_SCHEMA)) &&
              print_value(out, "run", run_json(r)) &&
              print_array(out, "subjects", r, r->subject_count, subject_json) &&
              print_value(out, "device", record_fields_json(&record_device_fields, &r->device)) &&
              print_value(out, "totals", totals_json(&totals)) &&
              print_lines(out, "gaps", true, r, lines, line_count) &&
              print_lines(out, "ops", false, r, lines, line_count) &&
              print_findings(out, r, findings, finding_count) &&
              print_value(out, "declined", declined_json(r)) &&
              print_array(out, "cases", r, r->result_count, result_json);

    if (r->missing_count > 0)
        ok = ok && print_array(out, "missing", r, r->missing_count, missing_json);
    if (r->note_count > 0)
        ok = ok && print_array(out, "notes", r, r->note_count, note_json);
    if (r->broken_ends > 0)
        ok = ok && print_value(out, "broken_ends", broken_ends_json(r));
    if (r->ledger_problems > 0)
        ok =
            ok && print_value(out, "ledger_problems", json_integer((json_int_t)r->ledger_problems));
    if (r->models)
        ok = ok && print_array(out, "models", r, r->model_count, model_json);
    if (r->models_skipped)
        ok = ok && print_value(out, "models_skipped", json_text(r->models_skipped));
    if (r->mutants)
        ok = ok && print_array(out, "mutants", r, r->mutant_count, mutant_json);
    if (r->minimal)
        ok = ok && print_array(out, "minimal", r, r->minimal_count, minimal_json);
    if (r->minimal_left_out > 0)
        ok = ok &&
             print_value(out, "minimal_left_out", json_integer((json_int_t)r->minimal_left_out));
    fputs("\n}\n", out);
    return ok;
}

enum status record_write(const struct record *r, FILE *out, struct diag *diag)
{
    struct arena arena = { 0 };
    struct record_line *lines;
    struct finding *findings = NULL;
    size_t count, finding_count = 0;
    enum status s = record_lines(r, &arena, &lines, &count, diag);

    if (s == STATUS_OK)
        s = cluster_findings(r, &arena, &findings, &finding_count, diag);
    if (s == STATUS_OK && !print_root(out, r, lines, count, findings, finding_count))
        s = diag_fail(diag, STATUS_NO_MEMORY, "JSON report: out of memory");
    arena_close(&arena);
    return s;
}
