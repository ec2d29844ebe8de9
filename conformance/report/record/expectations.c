/* Applies waivers, a baseline and requirements to the results of a run. */
#include "conformance/report/record/expectations.h"

#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"

#include <fnmatch.h>
#include <string.h>

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

static enum status read_today(struct expectations *e, const char *text, struct diag *diag)
{
    e->today = date_today();
    if (!text || date_read(text, &e->today))
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE, "--today=%s: expected YYYY-MM-DD, a day of the calendar",
                     text);
}

/* Rows are held against the list of all cases: a filter leaves most of them without one. */
static enum status check_lists(struct expectations *e, bool strict, struct diag *diag)
{
    struct test_case *all = NULL;
    size_t count = 0, stale;

    TRY(cases_list(&all, &count, diag));
    stale = waivers_check_cases(&e->waivers, all, count, &e->notes);
    baseline_check_cases(&e->baseline, all, count, &e->notes);
    mem_free(all);
    if (stale == 0 || !strict)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE, "--strict-waivers: %s%s",
                     e->notes.count > 0 ? e->notes.items[0] : "a waiver matches no case",
                     stale > 1 ? "; others match none either" : "");
}

static enum status open_files(struct expectations *e, const struct expectation_flags *flags,
                              struct diag *diag)
{
    TRY(read_today(e, flags->today, diag));
    if (flags->waivers)
        TRY(waivers_read(&e->waivers, flags->waivers, diag));
    if (flags->baseline)
        TRY(baseline_open(&e->baseline, flags->baseline, diag));
    return flags->waivers || flags->baseline ? check_lists(e, flags->strict_waivers, diag)
                                             : STATUS_OK;
}

enum status expectations_open(struct expectations *e, const struct expectation_flags *flags,
                              const struct test_case *cases, size_t case_count, struct diag *diag)
{
    enum status s;

    *e = (struct expectations){ .require = flags->require,
                                .require_integers = flags->require_integers,
                                .require_supported = flags->require_supported };
    s = check_require(&flags->require, cases, case_count, diag);
    if (s == STATUS_OK)
        s = open_files(e, flags, diag);
    if (s != STATUS_OK)
        expectations_close(e);
    return s;
}

void expectations_close(struct expectations *e)
{
    baseline_close(&e->baseline);
    waivers_close(&e->waivers);
    notes_close(&e->notes);
    *e = (struct expectations){ .require_integers = false };
}

enum status expectations_check_subjects(const struct expectations *e,
                                        const struct subject *subjects, size_t count,
                                        struct diag *diag)
{
    return baseline_check_subjects(&e->baseline, subjects, count, diag);
}

/* Whether reference/ops.def says that our delegate takes the node of a quantized or dynamic-range
 * case: TAKEN, or BYTES, where rows of each version are left out, whose newer versions have other
 * types. */
static bool integers_are_taken(const struct test_case *c)
{
    const struct op_facts *const facts = op_facts_find(c->code);

    if (!facts || !(c->quantized || c->dynamic) || c->type == TENSOR_INT16)
        return false;
    return facts->integers == OP_INTEGERS_TAKEN ||
           (facts->integers == OP_INTEGERS_BYTES && !c->row->each_version);
}

/* Whether the case has a tensor without elements, which our delegate leaves to the CPU. */
static bool is_empty(const struct test_case *c, const struct case_result *r)
{
    return c->row->empty && strncmp(r->reason, "tensor.empty:", 13) == 0;
}

/* Whether the row is about what a rule of our delegate leaves to the CPU. */
static bool is_refused(const struct test_case *c, const struct case_result *r)
{
    const size_t length = c->row->refused_by ? strlen(c->row->refused_by) : 0;

    return length > 0 && strncmp(r->reason, c->row->refused_by, length) == 0 &&
           r->reason[length] == ':';
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
    if (is_empty(c, r) || is_refused(c, r))
        return false;
    return (e->require_integers && integers_are_taken(c)) ||
           (e->require_supported && is_supported(c, r));
}

void expectations_apply(struct expectations *e, struct report *report)
{
    waivers_apply(&e->waivers, report, e->today, &e->notes);
    for (size_t i = 0; i < report->outcome.count; i++) {
        struct case_result *const r = &report->outcome.results[i];

        if (r->status == CASE_DECLINED)
            r->required = is_required(e, &report->cases[i % report->case_count], r);
    }
    baseline_apply(&e->baseline, report, &e->notes);
}
