/* Reads, applies and writes known failures. */
#include "conformance/report/waivers.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28 };

/* ---- reading ---- */

/* Removes blanks at both ends, in place. */
static char *trim(char *text)
{
    size_t n;

    text += strspn(text, " \t\r");
    n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* A line with a bar has its fields between bars, since blanks round these may be tabs. */
static enum status read_row(struct waiver *w, char *line, const char *path, size_t number,
                            struct diag *diag)
{
    const char *const separator = strchr(line, '|') ? "|" : "\t";
    char *cases = strsep(&line, separator);
    char *const device = strsep(&line, separator);
    bool may_pass;

    cases = trim(cases);
    may_pass = *cases == '?';
    cases += may_pass;
    if (!device || !line || !*cases || !*trim(device) || !*trim(line))
        return diag_fail(diag, STATUS_USAGE,
                         "%s: line %zu: expected CASES | DEVICE | CAUSE, or the three with tabs",
                         path, number);
    *w = (struct waiver){ cases, trim(device), trim(line), may_pass, false };
    return STATUS_OK;
}

static enum status read_rows(struct waivers *w, char *text, const char *path, struct diag *diag)
{
    size_t number = 0;
    char *line;

    while ((line = strsep(&text, "\n")) != NULL) {
        char *const comment = strchr(line, '#');

        number++;
        if (comment)
            *comment = '\0';
        line = trim(line);
        if (*line)
            TRY(read_row(&w->rows[w->count++], line, path, number, diag));
    }
    return STATUS_OK;
}

enum status waivers_read(struct waivers *w, const char *path, struct diag *diag)
{
    uint8_t *bytes;
    size_t count, lines = 1;
    char *text;
    enum status s;

    *w = (struct waivers){ .count = 0 };
    TRY(file_read(path, FILE_LIMIT, &bytes, &count, diag));
    for (size_t i = 0; i < count; i++)
        lines += bytes[i] == '\n';
    text = arena_alloc(&w->arena, count + 1, 1);
    w->rows = ARENA_NEW(&w->arena, lines, struct waiver);
    if (text && w->rows)
        memcpy(text, bytes, count);
    mem_free(bytes);
    s = text && w->rows ? read_rows(w, text, path, diag)
                        : diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (s != STATUS_OK)
        waivers_close(w);
    return s;
}

void waivers_close(struct waivers *w)
{
    arena_close(&w->arena);
    *w = (struct waivers){ .count = 0 };
}

/* ---- applying ---- */

/* Most patterns are whole names. */
static bool matches(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 ||
           (strpbrk(pattern, "*?[\\") && fnmatch(pattern, name, 0) == 0);
}

static struct waiver *find(const struct waivers *w, const char *name, const char *device,
                           const char *label)
{
    for (size_t i = 0; i < w->count; i++) {
        struct waiver *const row = &w->rows[i];

        if (matches(row->cases, name) &&
            (matches(row->device, device) || matches(row->device, label)))
            return row;
    }
    return NULL;
}

static void apply_row(struct waiver *w, struct case_result *r)
{
    char reason[sizeof r->reason];

    if (r->status == CASE_PASS && !w->may_pass && !r->absent) {
        r->status = CASE_UNEXPECTED_PASS;
        snprintf(r->reason, sizeof r->reason, "waived as: %s", w->cause);
    } else if (r->status == CASE_FAIL || r->status == CASE_CRASH || r->status == CASE_TIMEOUT) {
        snprintf(reason, sizeof reason, "%s", r->reason);
        snprintf(r->reason, sizeof r->reason, "%.200s (%s: %.*s)", w->cause,
                 case_status_name(r->status), (int)(sizeof r->reason - 240), reason);
        r->status = CASE_WAIVED;
        w->used = true;
    }
}

void waivers_apply(struct waivers *w, struct report *report)
{
    for (size_t i = 0; i < report->outcome.count; i++) {
        struct waiver *const row =
            find(w, report->cases[i % report->case_count].name, report->device.name,
                 report->subjects[i / report->case_count].label);

        if (row)
            apply_row(row, &report->outcome.results[i]);
    }
}

/* ---- writing ---- */

/* One field: without what ends a field, a line or the text. */
static void write_field(const char *text, FILE *out)
{
    for (; *text; text++)
        fputc(strchr("\t\n\r#|", *text) ? ' ' : *text, out);
}

static void write_rows(const struct waivers *w, const struct report *report, FILE *out)
{
    fprintf(out, "# cases\tsubject or device\twhat happens\n");
    for (size_t i = 0; i < w->count; i++) {
        const struct waiver *const row = &w->rows[i];

        if (row->used || row->may_pass)
            fprintf(out, "%s%s\t%s\t%s\n", row->may_pass ? "?" : "", row->cases, row->device,
                    row->cause);
    }
    for (size_t i = 0; i < report->outcome.count; i++) {
        const struct case_result *const r = &report->outcome.results[i];

        if (r->status != CASE_FAIL && r->status != CASE_CRASH && r->status != CASE_TIMEOUT)
            continue;
        fprintf(out, "%s\t", report->cases[i % report->case_count].name);
        write_field(report->subjects[i / report->case_count].label, out);
        fprintf(out, "\t%s: ", case_status_name(r->status));
        write_field(r->reason, out);
        fputc('\n', out);
    }
}

enum status waivers_write(const struct waivers *w, const struct report *report, const char *path,
                          struct diag *diag)
{
    FILE *const out = fopen(path, "w");
    bool ok;

    if (!out)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    write_rows(w, report, out);
    ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    return ok ? STATUS_OK : diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
}
