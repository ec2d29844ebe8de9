/* Applies waivers, a baseline and requirements to the results of a run. */
#include "conformance/report/expectations.h"

#include "conformance/cases/suite.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/format/file.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28 };

/* ---- the baseline ---- */

/* {"subjects": [{"options"}], "cases": [{"subject", "case", "status"}]} */
static enum status read_baseline(struct expectations *e, const char *path, struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    json_error_t error;
    json_t *root;

    TRY(file_read(path, FILE_LIMIT, &bytes, &count, diag));
    root = json_loadb((const char *)bytes, count, 0, &error);
    mem_free(bytes);
    if (!root)
        return diag_fail(diag, STATUS_USAGE, "%s: line %d: %s", path, error.line, error.text);
    e->baseline = root;
    if (!json_is_array(json_object_get(root, "subjects")) ||
        !json_is_array(json_object_get(root, "cases")))
        return diag_fail(diag, STATUS_USAGE, "%s: expected a JSON report, with subjects and cases",
                         path);
    return STATUS_OK;
}

/* The subject of the baseline with the same options; -1 when there is none. */
static json_int_t find_subject(json_t *baseline, const struct subject *s)
{
    json_t *const subjects = json_object_get(baseline, "subjects");

    for (size_t i = 0; i < json_array_size(subjects); i++) {
        json_t *const options = json_object_get(json_array_get(subjects, i), "options");
        bool same = json_object_size(options) == s->option_count;

        for (size_t o = 0; o < s->option_count && same; o++) {
            const char *const value =
                json_string_value(json_object_get(options, s->options[o].key));
            same = value && strcmp(value, s->options[o].value) == 0;
        }
        if (same)
            return (json_int_t)i;
    }
    return -1;
}

/* An object whose keys are the names of the cases that passed on a subject. */
static json_t *passed_cases(json_t *baseline, json_int_t subject)
{
    json_t *const cases = json_object_get(baseline, "cases"), *const passed = json_object();

    for (size_t i = 0; i < json_array_size(cases); i++) {
        json_t *const c = json_array_get(cases, i);
        const char *const name = json_string_value(json_object_get(c, "case"));
        const char *const status = json_string_value(json_object_get(c, "status"));

        if (name && status && strcmp(status, case_status_name(CASE_PASS)) == 0 &&
            json_integer_value(json_object_get(c, "subject")) == subject)
            json_object_set_new(passed, name, json_true());
    }
    return passed;
}

static void apply_baseline(const struct expectations *e, struct report *r, size_t subject)
{
    const json_int_t then = find_subject(e->baseline, &r->subjects[subject]);
    json_t *const passed = then >= 0 ? passed_cases(e->baseline, then) : NULL;

    for (size_t c = 0; passed && c < r->case_count; c++) {
        struct case_result *const result = &r->outcome.results[subject * r->case_count + c];

        result->regression = !result->absent && result->status != CASE_PASS &&
                             result->status != CASE_WAIVED &&
                             json_object_get(passed, r->cases[c].name);
    }
    json_decref(passed);
}

/* ---- all ---- */

/* A glob that matches no case would require nothing. */
static enum status check_require(const struct string_list *require, const struct test_case *cases,
                                 size_t case_count, struct diag *diag)
{
    for (size_t k = 0; k < require->count; k++) {
        size_t c = 0;

        while (c < case_count && fnmatch(require->items[k], cases[c].name, 0) != 0)
            c++;
        if (c == case_count)
            return diag_fail(diag, STATUS_USAGE, "--require=%s matches none of the %zu cases",
                             require->items[k], case_count);
    }
    return STATUS_OK;
}

enum status expectations_open(struct expectations *e, const struct expectation_flags *flags,
                              const struct test_case *cases, size_t case_count, struct diag *diag)
{
    enum status s;

    *e = (struct expectations){ .require = flags->require,
                                .require_integers = flags->require_integers,
                                .require_supported = flags->require_supported };
    s = check_require(&flags->require, cases, case_count, diag);
    if (s == STATUS_OK && flags->waivers)
        s = waivers_read(&e->waivers, flags->waivers, diag);
    if (s == STATUS_OK && flags->baseline)
        s = read_baseline(e, flags->baseline, diag);
    if (s != STATUS_OK)
        expectations_close(e);
    return s;
}

void expectations_close(struct expectations *e)
{
    json_decref(e->baseline);
    waivers_close(&e->waivers);
    *e = (struct expectations){ .baseline = NULL };
}

/* Whether reference/ops.def says that our delegate takes the node of a quantized or dynamic-range
 * case: TAKEN, or BYTES, where rows of each version are left out, whose newer versions have other
 * types. */
static bool integers_are_taken(const struct test_case *c)
{
    const struct op_facts *const facts = op_facts_find(c->code);

    if (!facts || !(c->quantized || c->dynamic))
        return false;
    return facts->integers == OP_INTEGERS_TAKEN ||
           (facts->integers == OP_INTEGERS_BYTES && !c->row->each_version);
}

/* Whether the case has a tensor without elements, which our delegate leaves to the CPU. */
static bool is_empty(const struct test_case *c, const struct case_result *r)
{
    return c->row->empty && strncmp(r->reason, "tensor.empty:", 13) == 0;
}

/* Whether our delegate has to take the case, by reference/ops.def.  A device that is too small for
 * it is no fault of the delegate. */
static bool is_supported(const struct test_case *c, const struct case_result *r)
{
    const struct op_facts *const facts = op_facts_find(c->code);

    if (!facts || !facts->on_gpu || strncmp(r->reason, "limits.", 7) == 0)
        return false;
    return !(c->quantized || c->dynamic) || integers_are_taken(c);
}

static bool is_required(const struct expectations *e, const struct test_case *c,
                        const struct case_result *r)
{
    for (size_t k = 0; k < e->require.count; k++) {
        if (fnmatch(e->require.items[k], c->name, 0) == 0)
            return true;
    }
    if (is_empty(c, r))
        return false;
    return (e->require_integers && integers_are_taken(c)) ||
           (e->require_supported && is_supported(c, r));
}

void expectations_apply(struct expectations *e, struct report *report)
{
    waivers_apply(&e->waivers, report);
    for (size_t i = 0; i < report->outcome.count; i++) {
        struct case_result *const r = &report->outcome.results[i];

        if (r->status == CASE_DECLINED)
            r->required = is_required(e, &report->cases[i % report->case_count], r);
    }
    for (size_t s = 0; s < report->subject_count && e->baseline; s++)
        apply_baseline(e, report, s);
}
