/* A comparison as JSON; conformance/doc/REPORTS.md describes it. */
#include "conformance/report/forms/compare_forms.h"
#include "conformance/util/json_text.h"

#include <jansson.h>
#include <math.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *count(size_t n)
{
    return json_integer((json_int_t)n);
}

/* Adds value, which the object then owns; false when either is NULL, and then it frees value. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* Appends an object that is whole; frees it and returns false otherwise. */
static bool append(json_t *list, json_t *object, bool ok)
{
    if (!ok) {
        json_decref(object);
        return false;
    }
    return json_array_append_new(list, object) == 0;
}

static json_t *run_json(const struct record *r)
{
    json_t *const o = json_object();
    const bool ok = put(o, "assay", json_text(r->run.version)) &&
                    put(o, "git", json_text(r->run.git)) &&
                    put(o, "started", json_text(r->run.started)) &&
                    put(o, "command", json_text(r->run.command)) &&
                    put(o, "device", json_text(r->device.name)) &&
                    put(o, "driver", json_text(r->device.driver)) &&
                    put(o, "list_sha256", json_text(r->run.list_sha256)) &&
                    put(o, "results", count(r->result_count));

    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *limits_json(const struct compare_limits *l)
{
    json_t *const o = json_object();
    const bool ok = put(o, "margin_growth", number(l->margin_growth)) &&
                    put(o, "margin_floor", number(l->margin_floor)) &&
                    put(o, "slowdown", number(l->slowdown)) &&
                    put(o, "run_slowdown", number(l->run_slowdown)) &&
                    put(o, "memory_growth", number(l->memory_growth)) &&
                    put(o, "memory_floor", json_integer((json_int_t)l->memory_floor)) &&
                    put(o, "margins", json_boolean(!l->no_margins)) &&
                    put(o, "times", json_boolean(!l->no_times)) &&
                    put(o, "memory", json_boolean(!l->no_memory)) &&
                    put(o, "support", json_boolean(!l->no_support)) &&
                    put(o, "models", json_boolean(!l->no_models)) &&
                    put(o, "same_cases", json_boolean(l->same_cases));

    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *pairs_json(const struct record_comparison *c)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; i < c->pair_count && ok; i++) {
        const struct compare_pair *const p = &c->pairs[i];
        json_t *const o = json_object();

        ok = append(list, o,
                    put(o, "old", count(p->old_subject)) && put(o, "new", count(p->new_subject)) &&
                        put(o, "subject", json_text(c->is->subjects[p->new_subject].label)) &&
                        put(o, "common", count(p->common)) && put(o, "gone", count(p->gone)) &&
                        put(o, "added", count(p->added)) &&
                        put(o, "bounds_differ", json_boolean(p->bounds_differ)) &&
                        put(o, "timed", count(p->timed)) &&
                        put(o, "time_factor", number(p->time_factor)) &&
                        put(o, "time_noise", number(p->time_noise)) &&
                        put(o, "slower", json_boolean(p->slower)));
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *subjects_json(const struct record *r, const size_t *subjects, size_t n)
{
    json_t *const list = json_array();

    for (size_t i = 0; list && i < n; i++) {
        if (json_array_append_new(list, json_text(r->subjects[subjects[i]].label)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static const char *case_name(const struct record *r, size_t result)
{
    return r->cases[r->results[result].test_case].name;
}

static json_t *changes_json(const struct record_comparison *c)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; i < c->change_count && ok; i++) {
        const struct compare_change *const x = &c->changes[i];
        const struct record_result *const was = &c->was->results[x->was];
        const struct record_result *const is = &c->is->results[x->is];
        json_t *const o = json_object();

        ok = append(list, o,
                    put(o, "kind", json_string(compare_kind_key(x->kind))) &&
                        put(o, "pair", count(x->pair)) &&
                        put(o, "case", json_text(case_name(c->is, x->is))) &&
                        put(o, "old_status", json_string(case_status_name(was->status))) &&
                        put(o, "new_status", json_string(case_status_name(is->status))) &&
                        put(o, "old_reason", json_text(was->reason)) &&
                        put(o, "new_reason", json_text(is->reason)));
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *singles_json(const struct record_comparison *c, bool gone)
{
    json_t *const list = json_array();
    const struct record *const r = gone ? c->was : c->is;
    bool ok = list != NULL;

    for (size_t i = 0; i < c->single_count && ok; i++) {
        const struct compare_single *const x = &c->singles[i];
        const size_t at = gone ? x->was : x->is;
        json_t *o;

        if ((x->is == SIZE_MAX) != gone)
            continue;
        o = json_object();
        ok = append(list, o,
                    put(o, "pair", count(x->pair)) && put(o, "case", json_text(case_name(r, at))) &&
                        put(o, "status", json_string(case_status_name(r->results[at].status))) &&
                        put(o, "not_reached", json_boolean(x->not_reached)));
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *growths_json(const struct record_comparison *c, const struct compare_growth *all,
                            size_t n)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; i < n && ok; i++) {
        json_t *const o = json_object();

        ok = append(list, o,
                    put(o, "pair", count(all[i].pair)) &&
                        put(o, "case", json_text(case_name(c->is, all[i].is))) &&
                        put(o, "old", number(all[i].from)) && put(o, "new", number(all[i].to)) &&
                        put(o, "fails", json_boolean(all[i].fails)));
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *lines_json(const struct record_comparison *c)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; i < c->line_count && ok; i++) {
        const struct compare_line *const l = &c->lines[i];
        json_t *const o = json_object();

        ok = append(
            list, o,
            put(o, "pair", count(l->pair)) && put(o, "op", json_text(l->op)) &&
                put(o, "type", json_text(l->type)) && put(o, "title", json_text(l->title)) &&
                put(o, "common", count(l->common)) &&
                put(o, "margins_grown", count(l->margins_grown)) &&
                put(o, "margin_old", number(l->margin_was)) &&
                put(o, "margin_new", number(l->margin_is)) &&
                put(o, "memory_grown", count(l->memory_grown)) &&
                put(o, "bytes_old", json_integer((json_int_t)l->bytes_was)) &&
                put(o, "bytes_new", json_integer((json_int_t)l->bytes_is)) &&
                put(o, "timed", count(l->timed)) && put(o, "ms_old", number(l->ms_was)) &&
                put(o, "ms_new", number(l->ms_is)) && put(o, "time_factor", number(l->factor)) &&
                put(o, "p", number(l->p)) && put(o, "slower", json_boolean(l->slower)) &&
                put(o, "faster", json_boolean(l->faster)));
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *models_json(const struct record_comparison *c)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; i < c->model_count && ok; i++) {
        const struct record_model *const was = &c->was->models[c->models[i].was];
        const struct record_model *const is = &c->is->models[c->models[i].is];
        json_t *const o = json_object();

        ok = append(list, o,
                    put(o, "kind", json_string(compare_kind_key(c->models[i].kind))) &&
                        put(o, "model", json_text(is->name)) &&
                        put(o, "subject",
                            is->is_reference ? json_null()
                                             : json_text(c->is->subjects[is->subject].label)) &&
                        put(o, "old_status", json_string(case_status_name(was->status))) &&
                        put(o, "new_status", json_string(case_status_name(is->status))));
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *sentences_json(const char **sentences, size_t n)
{
    json_t *const list = json_array();

    for (size_t i = 0; list && i < n; i++) {
        if (json_array_append_new(list, json_text(sentences[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *totals_json(const struct record_comparison *c)
{
    json_t *const o = json_object();
    bool ok = true;

    for (int k = 0; k < COMPARE_KIND_COUNT; k++)
        ok = ok && put(o, compare_kind_key((enum compare_kind)k), count(c->kind_count[k]));
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

enum status compare_json(const struct record_comparison *c, FILE *out, struct diag *diag)
{
    json_t *const root = json_object();
    bool ok = put(root, "compare", json_integer(1)) &&
              put(root, "worse", json_boolean(c->failure_count > 0)) &&
              put(root, "failures", sentences_json(c->failures, c->failure_count)) &&
              put(root, "notes", sentences_json(c->notes, c->note_count)) &&
              put(root, "old", run_json(c->was)) && put(root, "new", run_json(c->is)) &&
              put(root, "limits", limits_json(&c->limits)) && put(root, "totals", totals_json(c)) &&
              put(root, "pairs", pairs_json(c)) &&
              put(root, "old_only", subjects_json(c->was, c->old_only, c->old_only_count)) &&
              put(root, "new_only", subjects_json(c->is, c->new_only, c->new_only_count)) &&
              put(root, "changes", changes_json(c)) && put(root, "gone", singles_json(c, true)) &&
              put(root, "added", singles_json(c, false)) &&
              put(root, "margins", growths_json(c, c->margins, c->margin_count)) &&
              put(root, "memory", growths_json(c, c->memory, c->memory_count)) &&
              put(root, "lines", lines_json(c)) && put(root, "models", models_json(c));

    ok = ok && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(root);
    if (!ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "comparison as JSON: out of memory");
    fputc('\n', out);
    return STATUS_OK;
}
