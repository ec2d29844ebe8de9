/* The JSON report of a run.  Infinite and NaN figures, which JSON lacks, are null. */
#include "conformance/report/report.h"

#include "conformance/cases/random_cases.h"
#include "conformance/cases/suite.h"
#include "conformance/models/digits_report.h"
#include "conformance/report/report_forms.h"
#include "conformance/util/json_text.h"
#include "reference/base/memory.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* The share of integers that differ; null where none were compared. */
static json_t *share(uint64_t unequal, uint64_t all)
{
    return all > 0 ? json_real((double)unequal / (double)all) : json_null();
}

/* Adds value, which the object then owns; false when either is NULL. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return object && value && json_object_set_new(object, key, value) == 0;
}

static json_t *totals_json(const struct totals *t)
{
    json_t *const o = json_object();
    bool ok = o != NULL;

    for (int i = 0; i < CASE_STATUS_COUNT; i++)
        ok = ok &&
             put(o, case_status_name((enum case_status)i), json_integer((json_int_t)t->count[i]));
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *subject_json(const struct report *r, size_t index)
{
    const struct subject *const s = &r->subjects[index];
    json_t *const o = json_object(), *const options = json_object();
    struct totals t = { .worst = SIZE_MAX };
    char bounds[2 * BOUNDS_TEXT_BYTES];
    bool ok = true;

    for (size_t c = 0; c < r->case_count; c++) {
        const size_t i = index * r->case_count + c;
        totals_add(&t, &r->outcome.results[i], i);
    }
    for (size_t i = 0; i < s->option_count; i++)
        ok = ok && put(options, s->options[i].key, json_text(s->options[i].value));
    ok = ok && put(o, "path", s->path ? json_text(s->path) : json_null());
    ok = ok && put(o, "sha256", s->path ? json_string(s->sha256) : json_null());
    ok = put(o, "options", options) && ok;
    ok = ok && put(o, "bounds", json_string(report_bounds(s, bounds)));
    ok = ok && put(o, "off_by_one", share(t.unequal, t.integers));
    ok = ok && put(o, "totals", totals_json(&t));
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *device_json(const struct judge_device *d)
{
    json_t *const o = json_object();

    if (put(o, "name", d->name[0] ? json_text(d->name) : json_null()) &&
        put(o, "driver", d->driver[0] ? json_text(d->driver) : json_null()) &&
        put(o, "api", d->api[0] ? json_text(d->api) : json_null()))
        return o;
    json_decref(o);
    return NULL;
}

/* Per subject, the worst margin of a line, and why it may be above a half. */
static json_t *worst_json(const struct report *r, size_t c)
{
    json_t *const all = json_array();
    bool ok = all != NULL;

    for (size_t s = 0; s < r->subject_count && ok; s++) {
        struct totals t = { .worst = SIZE_MAX };
        json_t *const o = json_object();
        const char *note;

        report_add_group(r, s, c, &t);
        note = report_margin_note(r, s, &t);
        ok = put(o, "subject", json_integer((json_int_t)s)) &&
             put(o, "margin", t.worst == SIZE_MAX ? json_null() : number(t.margin)) &&
             put(o, "case",
                 t.worst == SIZE_MAX ? json_null()
                                     : json_string(r->cases[t.worst % r->case_count].name)) &&
             put(o, "off_by_one", share(t.unequal, t.integers)) &&
             put(o, "note", note ? json_string(note) : json_null()) &&
             json_array_append(all, o) == 0;
        json_decref(o);
    }
    if (ok)
        return all;
    json_decref(all);
    return NULL;
}

/* The line that case c begins, summed over all subjects: an op in one type, or a gap title. */
static json_t *line_json(const struct report *r, size_t c)
{
    const struct test_case *const first = &r->cases[c];
    json_t *const o = json_object(), *const versions = json_array();
    struct totals t = { .worst = SIZE_MAX };
    bool ok = versions != NULL;

    for (size_t s = 0; s < r->subject_count; s++)
        report_add_group(r, s, c, &t);
    if (first->row->gap) {
        json_decref(versions);
        ok = put(o, "title", json_string(first->row->gap));
    } else {
        for (int32_t version = 1; version <= 64; version++) {
            bool has = false;

            for (size_t i = 0; i < r->case_count; i++)
                has = has || (r->cases[i].version == version && !r->cases[i].row->gap &&
                              r->cases[i].code == first->code &&
                              strcmp(r->cases[i].type_name, first->type_name) == 0);
            if (has)
                ok = ok && json_array_append_new(versions, json_integer(version)) == 0;
        }
        ok = put(o, "versions", versions) && ok;
        ok = ok && put(o, "op", json_string(first->op));
        ok = ok && put(o, "type", json_string(first->type_name));
    }
    ok = ok && put(o, "totals", totals_json(&t));
    ok = ok && put(o, "worst", worst_json(r, c));
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *lines_json(const struct report *r, bool gaps)
{
    json_t *const all = json_array();
    bool ok = all != NULL;

    for (size_t i = 0; ok && i < r->case_count; i++) {
        if (!r->cases[i].row->gap != gaps && report_group_begins(r, i))
            ok = json_array_append_new(all, line_json(r, i)) == 0;
    }
    if (ok)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *mutants_json(const struct tsv *m)
{
    json_t *const all = json_array();
    bool ok = all != NULL;

    for (size_t i = 0; i < m->rows && ok; i++) {
        json_t *const o = json_object();

        for (size_t c = 0; c < m->columns; c++)
            ok = ok && put(o, mutants_columns[c],
                           c == MUTANT_CAUGHT ? json_boolean(strcmp(tsv_cell(m, i, c), "yes") == 0)
                                              : json_text(tsv_cell(m, i, c)));
        ok = json_array_append_new(all, o) == 0 && ok;
    }
    if (ok)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *habits_json(uint32_t habits)
{
    json_t *const all = json_array();

    for (int h = 0; all && h < HABIT_COUNT; h++) {
        if (habits >> h & 1)
            json_array_append_new(all, json_string(habit_names[h]));
    }
    return all;
}

static json_t *case_json(const struct report *r, size_t index)
{
    const struct case_result *const c = &r->outcome.results[index];
    const struct test_case *const t = &r->cases[index % r->case_count];
    json_t *const o = json_object();
    char reason[1024];
    bool ok;

    report_reason(r, index, reason, sizeof reason);
    ok = put(o, "subject", json_integer((json_int_t)(index / r->case_count))) &&
         put(o, "case", json_string(t->name)) && put(o, "op", json_string(t->op)) &&
         put(o, "version", json_integer(t->version)) && put(o, "type", json_string(t->type_name)) &&
         put(o, "status", json_string(case_status_name(c->status))) &&
         put(o, "reason", json_text(reason)) && put(o, "max_abs", number(c->max_abs)) &&
         put(o, "max_ulp", number(c->max_ulp)) && put(o, "margin", number(c->margin)) &&
         put(o, "bias", number(c->bias)) && put(o, "off_by_one", share(c->unequal, c->integers)) &&
         put(o, "ms", number(c->ms)) && put(o, "bytes", json_integer((json_int_t)c->bytes)) &&
         put(o, "seed", json_integer((json_int_t)r->seed));
    if (c->left_out)
        ok = ok && put(o, "left_out", habits_json(c->left_out));
    ok = ok && put(o, "checked", habits_json(c->habits));
    if (t->row->gap)
        ok = ok && put(o, "gap", json_string(t->row->gap));
    if (random_is_graph(t))
        ok = ok && put(o, "nodes", json_integer(c->nodes)) &&
             put(o, "nodes_taken", json_integer(c->taken));
    if (report_minimal_text(r, index))
        ok = ok && put(o, "minimal", json_text(report_minimal_text(r, index)));
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *root_json(const struct report *r)
{
    json_t *const root = json_object(), *const subjects = json_array(), *const cases = json_array();
    const struct totals totals = report_totals(r);
    bool ok = root && subjects && cases;

    for (size_t i = 0; ok && i < r->subject_count; i++)
        ok = json_array_append_new(subjects, subject_json(r, i)) == 0;
    for (size_t i = 0; ok && i < r->outcome.count; i++)
        ok = r->outcome.results[i].absent || json_array_append_new(cases, case_json(r, i)) == 0;
    ok = ok && put(root, "assay", json_string(ASSAY_VERSION));
    ok = put(root, "subjects", subjects) && ok;
    ok = ok && put(root, "device", device_json(&r->device));
    ok = ok && put(root, "totals", totals_json(&totals));
    ok = ok && put(root, "gaps", lines_json(r, true));
    ok = ok && put(root, "ops", lines_json(r, false));
    ok = put(root, "cases", cases) && ok;
    if (r->digits)
        ok = ok && put(root, "models", digits_json(r->digits));
    if (r->mutants)
        ok = ok && put(root, "mutants", mutants_json(r->mutants));
    if (r->forms)
        ok = ok && put(root, "minimal", report_forms_json(r));
    if (ok)
        return root;
    json_decref(root);
    return NULL;
}

enum status report_json(const struct report *r, FILE *out, struct diag *diag)
{
    json_t *const root = root_json(r);
    const bool ok = root && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;

    json_decref(root);
    if (!ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "JSON report: out of memory");
    fputc('\n', out);
    return STATUS_OK;
}
