/* Applies waivers, a baseline and requirements to the results of a run. */
#include "conformance/report/record/expectations.h"

#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/util/output.h"
#include "reference/base/lookup.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- known failures ---- */

enum { NOTES_MAX = 10 }; /* of a kind */

/* ---- applying ---- */

static void waive(struct waiver *w, struct case_result *r)
{
    char reason[sizeof r->reason];

    if (r->status == CASE_PASS && !w->may_pass) {
        r->status = CASE_UNEXPECTED_PASS;
        snprintf(r->reason, sizeof r->reason, "waived in line %zu as: %.400s", w->line, w->cause);
    } else if (case_status_fails(r->status)) {
        snprintf(reason, sizeof reason, "%s", r->reason);
        snprintf(r->reason, sizeof r->reason, "%.200s (%s: %.*s)", w->cause,
                 case_status_name(r->status), (int)(sizeof r->reason - 240), reason);
        r->status = CASE_WAIVED;
        r->waiver = w->cause;
        w->used = true;
    }
}

/* The case fails as if there were no waiver; its reason says why there is none. */
static void say_expired(const struct waiver *w, struct case_result *r)
{
    char day[DATE_TEXT_BYTES], words[80];
    const size_t used = strlen(r->reason);
    size_t length, at;

    if (!case_status_fails(r->status))
        return;
    length = (size_t)snprintf(words, sizeof words, "%sthe waiver of line %zu expired on %s",
                              used ? "; " : "", w->line, date_text(w->expires, day));
    at = used + length < sizeof r->reason ? used : sizeof r->reason - 1 - length;
    memcpy(r->reason + at, words, length + 1);
}

/* Rows that have expired, or else those that soon will; of many the first. */
static void note_expiry(const struct waivers *w, struct date today, bool expired,
                        struct notes *notes)
{
    size_t count = 0;

    for (size_t i = 0; i < w->count; i++) {
        const struct waiver *const row = &w->rows[i];
        const int left = row->expires.year ? date_days_between(today, row->expires) : INT_MAX;
        char day[DATE_TEXT_BYTES];

        if ((expired ? left >= 0 : left < 0 || left > WAIVER_DAYS_AHEAD) || ++count > NOTES_MAX)
            continue;
        date_text(row->expires, day);
        if (expired)
            notes_add(notes, "%s:%zu: the waiver of %s expired on %s: %s", w->path, row->line,
                      row->cases, day, row->cause);
        else
            notes_add(notes, "%s:%zu: the waiver of %s expires on %s, in %d day%s: %s", w->path,
                      row->line, row->cases, day, left, left == 1 ? "" : "s", row->cause);
    }
    if (count > NOTES_MAX)
        notes_add(notes, "%s: %zu more waivers %s", w->path, count - NOTES_MAX,
                  expired ? "have expired" : "expire soon");
}

void waivers_apply(struct waivers *w, struct report *report, struct date today, struct notes *notes)
{
    note_expiry(w, today, true, notes);
    note_expiry(w, today, false, notes);
    for (size_t i = 0; i < report->outcome.count && w->count > 0; i++) {
        const size_t subject = i / report->case_count;
        const struct subject *const s = &report->subjects[subject];
        const struct judge_device *const device = report_device(report, subject);
        struct case_result *const r = &report->outcome.results[i];
        char bounds[2 * BOUNDS_TEXT_BYTES];
        const struct waiver_target target = {
            .test_case = report->cases[i % report->case_count].name,
            .label = s->label,
            .bounds = report_bounds(s, bounds),
            .device = device->name,
            .driver = device->driver,
        };
        struct waiver *row;

        if (r->absent || r->status == CASE_DECLINED ||
            (row = waivers_find(w, &target, today)) == NULL)
            continue;
        if (waiver_is_expired(row, today))
            say_expired(row, r);
        else
            waive(row, r);
    }
}

/* ---- stale rows ---- */

static bool names_graphs(const char *pattern)
{
    return strncmp(pattern, "graph.", 6) == 0;
}

static int by_name(const void *list, const void *key, size_t item)
{
    return strcmp(key, ((const struct test_case *)list)[item].name);
}

/* Whether a row speaks of a case; names has all of them, or fewer where memory has ended. */
static bool has_case(const struct waiver *row, const struct test_case *cases, size_t count,
                     const struct lookup *names)
{
    size_t c = 0;

    if (lookup_find(names, by_name, cases, row->cases) != SIZE_MAX)
        return true;
    if (!strpbrk(row->cases, "*?[\\") && names->count > count)
        return false;
    while (c < count && !waiver_matches_case(row, cases[c].name))
        c++;
    return c < count;
}

size_t waivers_check_cases(const struct waivers *w, const struct test_case *cases, size_t count,
                           struct notes *notes)
{
    struct lookup names = { .count = 0 };
    size_t stale = 0;

    for (size_t i = 0; i < count; i++)
        lookup_add(&names, by_name, cases, cases[i].name, i);
    for (size_t i = 0; i < w->count; i++) {
        const struct waiver *const row = &w->rows[i];

        if (names_graphs(row->cases) || has_case(row, cases, count, &names))
            continue;
        if (++stale <= NOTES_MAX)
            notes_add(notes, "%s:%zu: %s matches none of the %zu cases", w->path, row->line,
                      row->cases, count);
    }
    if (stale > NOTES_MAX)
        notes_add(notes, "%s: %zu more waivers match none", w->path, stale - NOTES_MAX);
    lookup_close(&names);
    return stale;
}

/* ---- writing ---- */

/* One field: without what ends a field, a line or the text, and so that it begins no comment. */
static void write_field(const char *text, FILE *out)
{
    for (; *text; text++)
        fputc(strchr("\t\n\r#|", *text) ? ' ' : *text, out);
}

static void write_named(const char *name, const char *value, FILE *out)
{
    if (value)
        fprintf(out, "\t%s=%s", name, value);
}

static void write_row(const struct waiver *row, FILE *out)
{
    char day[DATE_TEXT_BYTES];

    fprintf(out, "%s%s\t%s\t%s", row->may_pass ? "?" : "", row->cases, row->device, row->cause);
    write_named("link", row->link, out);
    write_named("expires", row->expires.year ? date_text(row->expires, day) : NULL, out);
    write_named("driver", row->driver, out);
    write_named("device", row->device_name, out);
    write_named("bounds", row->bounds, out);
    if (row->more)
        fprintf(out, "\t%s", row->more);
    fputc('\n', out);
}

static void write_rows(const struct waivers *w, const struct report *report, struct date today,
                       FILE *out)
{
    char day[DATE_TEXT_BYTES];

    fprintf(out, "# cases\tsubject or device\twhat happens\tlink=, expires=, driver=, device=, "
                 "bounds=\n# ");
    write_field(report->device.name[0] ? report->device.name : "no device", out);
    fprintf(out, ", ");
    write_field(report->device.driver[0] ? report->device.driver : "no driver", out);
    fprintf(out, ", %s\n", date_text(today, day));
    for (size_t i = 0; i < w->count; i++) {
        if ((w->rows[i].used || w->rows[i].may_pass) && !waiver_is_expired(&w->rows[i], today))
            write_row(&w->rows[i], out);
    }
    for (size_t i = 0; i < report->outcome.count; i++) {
        const struct case_result *const r = &report->outcome.results[i];

        if (r->absent || !case_status_fails(r->status))
            continue;
        fprintf(out, "%s\t", report->cases[i % report->case_count].name);
        write_field(report->subjects[i / report->case_count].label, out);
        fprintf(out, "\t%s: ", case_status_name(r->status));
        write_field(r->reason, out);
        fputc('\n', out);
    }
}

enum status waivers_write(const struct waivers *w, const struct report *report, const char *path,
                          struct date today, struct diag *diag)
{
    struct output o;
    enum status s;

    if (!output_open(&o))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    write_rows(w, report, today, o.file);
    if (fclose(o.file) != 0)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    else
        s = output_write_file(path, o.text, o.bytes, diag);
    free(o.text);
    return s;
}
