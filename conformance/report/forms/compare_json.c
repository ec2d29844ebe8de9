/* A comparison as JSON; conformance/doc/REPORTS.md describes it. */
#include "conformance/report/forms/forms.h"
#include "conformance/util/json_text.h"

#include <jansson.h>

static json_t *count(size_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *status(const struct record *r, size_t result)
{
    return json_string(case_status_name(r->results[result].status));
}

static json_t *case_name(const struct record *r, size_t result)
{
    return json_text(r->cases[r->results[result].test_case].name);
}

static json_t *run_json(const struct record *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "assay", json_text(r->run.version),
                     "git", json_text(r->run.git), "started", json_text(r->run.started), "command",
                     json_text(r->run.command), "device", json_text(r->device.name), "driver",
                     json_text(r->device.driver), "list_sha256", json_text(r->run.list_sha256),
                     "results", count(r->result_count));
}

static json_t *limits_json(const struct compare_limits *l)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:b, s:b, s:b, s:b}", "margin_growth",
        json_number(l->margin_growth), "margin_floor", json_number(l->margin_floor), "slowdown",
        json_number(l->slowdown), "run_slowdown", json_number(l->run_slowdown), "memory_growth",
        json_number(l->memory_growth), "memory_floor", (json_int_t)l->memory_floor, "margins",
        !l->no_margins, "times", !l->no_times, "memory", !l->no_memory, "support", !l->no_support,
        "models", !l->no_models, "same_cases", (int)l->same_cases);
}

static json_t *pair_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;
    const struct compare_pair *const p = &c->pairs[i];

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:b}", "old",
                     count(p->old_subject), "new", count(p->new_subject), "subject",
                     json_text(c->is->subjects[p->new_subject].label), "common", count(p->common),
                     "gone", count(p->gone), "added", count(p->added), "bounds_differ",
                     (int)p->bounds_differ, "timed", count(p->timed), "time_factor",
                     json_number(p->time_factor), "time_noise", json_number(p->time_noise),
                     "slower", (int)p->slower);
}

static json_t *old_only_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;

    return json_text(c->was->subjects[c->old_only[i]].label);
}

static json_t *new_only_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;

    return json_text(c->is->subjects[c->new_only[i]].label);
}

static json_t *change_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;
    const struct compare_change *const x = &c->changes[i];

    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", compare_kind_key(x->kind),
                     "pair", count(x->pair), "case", case_name(c->is, x->is), "old_status",
                     status(c->was, x->was), "new_status", status(c->is, x->is), "old_reason",
                     json_text(c->was->results[x->was].reason), "new_reason",
                     json_text(c->is->results[x->is].reason));
}

/* Cases that one of the reports has alone. */
static json_t *singles_json(const struct record_comparison *c, bool gone)
{
    json_t *const list = json_array();
    const struct record *const r = gone ? c->was : c->is;
    bool ok = list != NULL;

    for (size_t i = 0; i < c->single_count && ok; i++) {
        const struct compare_single *const x = &c->singles[i];
        const size_t at = gone ? x->was : x->is;

        if ((x->is == SIZE_MAX) == gone)
            ok = json_array_append_new(list,
                                       json_pack("{s:o, s:o, s:o, s:b}", "pair", count(x->pair),
                                                 "case", case_name(r, at), "status", status(r, at),
                                                 "not_reached", (int)x->not_reached)) == 0;
    }
    return json_whole(list, ok);
}

static json_t *growth_json(const struct record_comparison *c, const struct compare_growth *x)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "pair", count(x->pair), "case",
                     case_name(c->is, x->is), "old", json_number(x->from), "new",
                     json_number(x->to), "fails", (int)x->fails);
}

static json_t *margin_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;

    return growth_json(c, &c->margins[i]);
}

static json_t *memory_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;

    return growth_json(c, &c->memory[i]);
}

static json_t *line_json(const void *of, size_t i)
{
    const struct compare_line *const l = &((const struct record_comparison *)of)->lines[i];

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b, "
        "s:b}",
        "pair", count(l->pair), "op", json_text(l->op), "type", json_text(l->type), "title",
        json_text(l->title), "common", count(l->common), "margins_grown", count(l->margins_grown),
        "margin_old", json_number(l->margin_was), "margin_new", json_number(l->margin_is),
        "memory_grown", count(l->memory_grown), "bytes_old", (json_int_t)l->bytes_was, "bytes_new",
        (json_int_t)l->bytes_is, "timed", count(l->timed), "ms_old", json_number(l->ms_was),
        "ms_new", json_number(l->ms_is), "time_factor", json_number(l->factor), "p",
        json_number(l->p), "slower", (int)l->slower, "faster", (int)l->faster);
}

static json_t *model_json(const void *of, size_t i)
{
    const struct record_comparison *const c = of;
    const struct record_model *const was = &c->was->models[c->models[i].was];
    const struct record_model *const is = &c->is->models[c->models[i].is];

    return json_pack("{s:s, s:o, s:o, s:s, s:s}", "kind", compare_kind_key(c->models[i].kind),
                     "model", json_text(is->name), "subject",
                     is->is_reference ? json_null() : json_text(c->is->subjects[is->subject].label),
                     "old_status", case_status_name(was->status), "new_status",
                     case_status_name(is->status));
}

static json_t *failure_json(const void *of, size_t i)
{
    return json_text(((const struct record_comparison *)of)->failures[i]);
}

static json_t *note_json(const void *of, size_t i)
{
    return json_text(((const struct record_comparison *)of)->notes[i]);
}

static json_t *totals_json(const struct record_comparison *c)
{
    json_t *const o = json_object();
    bool ok = true;

    for (int k = 0; k < COMPARE_KIND_COUNT; k++)
        ok = ok && json_object_set_new(o, compare_kind_key((enum compare_kind)k),
                                       count(c->kind_count[k])) == 0;
    return json_whole(o, ok);
}

enum status compare_json(const struct record_comparison *c, FILE *out, struct diag *diag)
{
    json_t *const root = json_pack(
        "{s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "compare", 1, "worse", c->failure_count > 0, "failures",
        json_list(c->failure_count, failure_json, c), "notes",
        json_list(c->note_count, note_json, c), "old", run_json(c->was), "new", run_json(c->is),
        "limits", limits_json(&c->limits), "totals", totals_json(c), "pairs",
        json_list(c->pair_count, pair_json, c), "old_only",
        json_list(c->old_only_count, old_only_json, c), "new_only",
        json_list(c->new_only_count, new_only_json, c), "changes",
        json_list(c->change_count, change_json, c), "gone", singles_json(c, true), "added",
        singles_json(c, false), "margins", json_list(c->margin_count, margin_json, c), "memory",
        json_list(c->memory_count, memory_json, c), "lines", json_list(c->line_count, line_json, c),
        "models", json_list(c->model_count, model_json, c));
    const bool ok = root && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;

    json_decref(root);
    if (!ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "comparison as JSON: out of memory");
    fputc('\n', out);
    return STATUS_OK;
}
