/* Applies and writes known failures. */
#include "conformance/report/record/waivers.h"

#include "conformance/util/output.h"
#include "reference/base/lookup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 10 }; /* of a kind */

/* ---- applying ---- */

static bool is_failure(enum case_status s)
{
    return s == CASE_FAIL || s == CASE_CRASH || s == CASE_TIMEOUT;
}

static void waive(struct waiver *w, struct case_result *r)
{
    char reason[sizeof r->reason];

    if (r->status == CASE_PASS && !w->may_pass) {
        r->status = CASE_UNEXPECTED_PASS;
        snprintf(r->reason, sizeof r->reason, "waived in line %zu as: %.400s", w->line, w->cause);
    } else if (is_failure(r->status)) {
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

    if (!is_failure(r->status))
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

        if (r->absent || !is_failure(r->status))
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
