/* The JSON report of a run.  Numbers that JSON does not have (an infinite margin, the error of a
 * NaN) are null. */
#include "conformance/report.h"

#include "conformance/json_text.h"
#include "reference/memory.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* Adds and takes over value; false when either is missing. */
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
    ok = ok && put(o, "bounds", json_string(report_bounds_name(s->bounds)));
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

/* Cases first ... of one op and type, over all subjects. */
static json_t *op_json(const struct report *r, const size_t *cases, size_t count)
{
    const struct test_case *const first = &r->cases[cases[0]];
    json_t *const o = json_object(), *const versions = json_array();
    struct totals t = { .worst = SIZE_MAX };
    bool ok = true;

    for (int32_t version = 1; version <= 64; version++) {
        bool has = false;

        for (size_t i = 0; i < count; i++)
            has = has || r->cases[cases[i]].version == version;
        if (has)
            ok = ok && versions && json_array_append_new(versions, json_integer(version)) == 0;
    }
    for (size_t s = 0; s < r->subject_count; s++) {
        for (size_t i = 0; i < count; i++) {
            const size_t at = s * r->case_count + cases[i];
            totals_add(&t, &r->outcome.results[at], at);
        }
    }
    ok = put(o, "versions", versions) && ok;
    ok = ok && put(o, "op", json_string(first->op));
    ok = ok && put(o, "type", json_string(report_type_name(first)));
    ok = ok && put(o, "totals", totals_json(&t));
    if (ok)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *ops_json(const struct report *r)
{
    json_t *const all = json_array();
    size_t *const cases = mem_alloc(r->case_count, sizeof *cases);
    bool *const seen = mem_alloc(r->case_count, sizeof *seen);
    bool ok = all && cases && seen;

    for (size_t i = 0; ok && i < r->case_count; i++) {
        size_t count = 0;

        for (size_t j = i; !seen[i] && j < r->case_count; j++) {
            if (r->cases[j].code == r->cases[i].code && r->cases[j].type == r->cases[i].type)
                cases[count++] = j;
        }
        for (size_t j = 0; j < count; j++)
            seen[cases[j]] = true;
        if (count > 0)
            ok = json_array_append_new(all, op_json(r, cases, count)) == 0;
    }
    mem_free(cases);
    mem_free(seen);
    if (ok)
        return all;
    json_decref(all);
    return NULL;
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
         put(o, "version", json_integer(t->version)) &&
         put(o, "type", json_string(report_type_name(t))) &&
         put(o, "status", json_string(case_status_name(c->status))) &&
         put(o, "reason", json_text(reason)) && put(o, "max_abs", number(c->max_abs)) &&
         put(o, "max_ulp", number(c->max_ulp)) && put(o, "margin", number(c->margin)) &&
         put(o, "bias", number(c->bias)) && put(o, "ms", number(c->ms)) &&
         put(o, "bytes", json_integer((json_int_t)c->bytes)) &&
         put(o, "seed", json_integer((json_int_t)r->seed));
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
        ok = json_array_append_new(cases, case_json(r, i)) == 0;
    ok = ok && put(root, "assay", json_string(ASSAY_VERSION));
    ok = put(root, "subjects", subjects) && ok;
    ok = ok && put(root, "device", device_json(&r->device));
    ok = ok && put(root, "totals", totals_json(&totals));
    ok = ok && put(root, "ops", ops_json(r));
    ok = put(root, "cases", cases) && ok;
    if (r->digits)
        ok = ok && put(root, "models", digits_json(r->digits));
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
