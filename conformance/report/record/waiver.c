/* Reads files of known failures. */
#include "conformance/report/record/waiver.h"

#include "conformance/suite/bounds/classes.h"
#include "conformance/util/nearest.h"
#include "conformance/util/version.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Patterns are held against each result; whole names are found. */
enum { FILE_LIMIT = 1 << 28, VERSION_BYTES = 64, PATTERNS_MAX = 4096 };

/* ---- named fields ---- */

struct place {
    const char *path;
    size_t line;
};

static enum status fail_at(struct diag *diag, const struct place *at, const char *expected,
                           const char *found)
{
    return diag_fail(diag, STATUS_USAGE, "%s:%zu: expected %s, found \"%.200s\"", at->path,
                     at->line, expected, found);
}

static enum status read_link(struct waiver *w, const char *value, const struct place *at,
                             struct diag *diag)
{
    if (strpbrk(value, " \t"))
        return fail_at(diag, at, "link=ADDRESS or link=ISSUE without blanks", value);
    w->link = value;
    return STATUS_OK;
}

static enum status read_expires(struct waiver *w, const char *value, const struct place *at,
                                struct diag *diag)
{
    return date_read(value, &w->expires)
               ? STATUS_OK
               : fail_at(diag, at, "expires=YYYY-MM-DD, a day of the calendar", value);
}

static enum status read_driver(struct waiver *w, const char *value, const struct place *at,
                               struct diag *diag)
{
    if (!version_range_is_valid(value))
        return fail_at(diag, at, "driver=RANGE such as >=24.0,<25", value);
    w->driver = value;
    return STATUS_OK;
}

static enum status read_device(struct waiver *w, const char *value, const struct place *at,
                               struct diag *diag)
{
    (void)at;
    (void)diag;
    w->device_name = value;
    return STATUS_OK;
}

static enum status read_bounds(struct waiver *w, const char *value, const struct place *at,
                               struct diag *diag)
{
    enum bounds floats = BOUNDS_FP32, integers = BOUNDS_EXACT;
    struct diag why = { .status = STATUS_OK };

    if (bounds_parse(value, &floats, &integers, &why) != STATUS_OK)
        return diag_fail(diag, STATUS_USAGE, "%s:%zu: bounds=%.100s: %s", at->path, at->line, value,
                         why.text);
    w->bounds = value;
    return STATUS_OK;
}

static const char *const field_names[] = { "link", "expires", "driver", "device", "bounds" };
enum { FIELDS = sizeof field_names / sizeof field_names[0] };

static enum status (*const field_readers[FIELDS])(struct waiver *w, const char *value,
                                                  const struct place *at, struct diag *diag) = {
    read_link, read_expires, read_driver, read_device, read_bounds
};

/* The name of a field "name=value"; a field without such a beginning is for people. */
static size_t name_length(const char *field)
{
    size_t n = 0;

    while (islower((unsigned char)field[n]) || field[n] == '_' || field[n] == '-')
        n++;
    return n > 0 && field[n] == '=' ? n : 0;
}

/* The index of the field's name among field_names; FIELDS when it is none of them. */
static size_t find_name(const char *field)
{
    const size_t length = name_length(field);
    size_t i = 0;

    while (i < FIELDS &&
           (strlen(field_names[i]) != length || strncmp(field_names[i], field, length) != 0))
        i++;
    return i;
}

static enum status unknown_field(const struct place *at, const char *field, struct diag *diag)
{
    char name[32];
    const char *near;

    snprintf(name, sizeof name, "%.*s", (int)name_length(field), field);
    near = nearest_name(name, field_names, FIELDS);
    return diag_fail(diag, STATUS_USAGE,
                     "%s:%zu: expected link=, expires=, driver=, device= or bounds=, found "
                     "\"%.100s\"%s%s%s",
                     at->path, at->line, field, near ? "; did you mean " : "", near ? near : "",
                     near ? "=?" : "");
}

/* ---- rows ---- */

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?[\\") != NULL;
}

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

static enum status add_text(struct waivers *w, struct waiver *row, const char *field,
                            struct diag *diag)
{
    const size_t room = (row->more ? strlen(row->more) + 1 : 0) + strlen(field) + 1;
    char *const text = arena_alloc(&w->arena, room, 1);

    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", w->path);
    snprintf(text, room, "%s%s%s", row->more ? row->more : "", row->more ? "\t" : "", field);
    row->more = text;
    return STATUS_OK;
}

static enum status read_field(struct waivers *w, struct waiver *row, char *field, unsigned *seen,
                              struct diag *diag)
{
    const struct place at = { w->path, row->line };
    const size_t length = name_length(field), i = find_name(field);

    if (length == 0)
        return *field ? add_text(w, row, field, diag) : STATUS_OK;
    if (i == FIELDS)
        return unknown_field(&at, field, diag);
    if (*seen >> i & 1)
        return fail_at(diag, &at, "each field once", field);
    if (field[length + 1] == '\0')
        return fail_at(diag, &at, "a value", field);
    *seen |= 1u << i;
    return field_readers[i](row, trim(field + length + 1), &at, diag);
}

/* A line with a bar has its fields between bars, since blanks round these may be tabs. */
static enum status read_row(struct waivers *w, char *line, size_t number, struct diag *diag)
{
    const char *const separator = strchr(line, '|') ? "|" : "\t";
    struct waiver *const row = &w->rows[w->count];
    char *cases = strsep(&line, separator), *device = strsep(&line, separator);
    char *cause = strsep(&line, separator);
    static const char form[] = "expected CASES | DEVICE | CAUSE, or the three with tabs";
    unsigned seen = 0;

    cases = trim(cases);
    *row = (struct waiver){ .line = number, .may_pass = *cases == '?' };
    row->cases = cases + row->may_pass;
    row->device = device ? trim(device) : "";
    row->cause = cause ? trim(cause) : "";
    if (!*row->cases || !*row->device)
        return diag_fail(diag, STATUS_USAGE, "%s:%zu: %s; found \"%.100s\" without %s", w->path,
                         number, form, cases, *row->cases ? "a device or subject" : "cases");
    if (!*row->cause || find_name(row->cause) < FIELDS)
        return diag_fail(diag, STATUS_USAGE, "%s:%zu: %s; found no cause of %.100s", w->path,
                         number, form, cases);
    while (line)
        TRY(read_field(w, row, trim(strsep(&line, separator)), &seen, diag));
    if (is_pattern(row->cases) && ++w->pattern_count > PATTERNS_MAX)
        return diag_fail(diag, STATUS_USAGE,
                         "%s:%zu: expected at most %d rows with a pattern of "
                         "cases; found another, %.100s",
                         w->path, number, PATTERNS_MAX, row->cases);
    w->count++;
    return STATUS_OK;
}

/* Cuts a comment off: # at the beginning or behind a blank, since addresses have one, too. */
static void cut_comment(char *line)
{
    for (char *p = line; (p = strchr(p, '#')) != NULL; p++) {
        if (p == line || p[-1] == ' ' || p[-1] == '\t' || p[-1] == '|') {
            *p = '\0';
            return;
        }
    }
}

static enum status read_rows(struct waivers *w, char *text, struct diag *diag)
{
    size_t number = 0;
    char *line;

    while ((line = strsep(&text, "\n")) != NULL) {
        number++;
        cut_comment(line);
        line = trim(line);
        if (*line)
            TRY(read_row(w, line, number, diag));
    }
    return STATUS_OK;
}

/* Patterns first, in the order of the file; then names, with the rows of each in that order. */
static int compare_rows(const void *a, const void *b)
{
    const struct waiver *const x = *(struct waiver *const *)a, *const y =
                                                                   *(struct waiver *const *)b;
    const bool patterns = is_pattern(x->cases);

    if (patterns != is_pattern(y->cases))
        return patterns ? -1 : 1;
    if (!patterns && strcmp(x->cases, y->cases) != 0)
        return strcmp(x->cases, y->cases);
    return (x > y) - (x < y);
}

static enum status sort_rows(struct waivers *w, struct diag *diag)
{
    w->sorted = ARENA_NEW(&w->arena, w->count, struct waiver *);
    if (!w->sorted)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", w->path);
    for (size_t i = 0; i < w->count; i++)
        w->sorted[i] = &w->rows[i];
    if (w->count > 0)
        qsort(w->sorted, w->count, sizeof *w->sorted, compare_rows);
    return STATUS_OK;
}

/* Text only: behind a NUL the rest of the file would be lost without a word. */
static enum status check_text(const uint8_t *bytes, size_t count, const char *path, size_t *lines,
                              struct diag *diag)
{
    *lines = 1;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\0')
            return diag_fail(diag, STATUS_USAGE, "%s:%zu: expected text, found a byte 0", path,
                             *lines);
        *lines += bytes[i] == '\n';
    }
    return STATUS_OK;
}

static enum status read_text(struct waivers *w, const uint8_t *bytes, size_t count,
                             struct diag *diag)
{
    const size_t mark = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t lines;
    char *text;

    TRY(check_text(bytes, count, w->path, &lines, diag));
    text = arena_alloc(&w->arena, count + 1, 1);
    w->rows = ARENA_NEW(&w->arena, lines, struct waiver);
    if (!text || !w->rows)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", w->path);
    if (count > 0)
        memcpy(text, bytes, count);
    TRY(read_rows(w, text + mark, diag));
    return sort_rows(w, diag);
}

enum status waivers_read(struct waivers *w, const char *path, struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    enum status s;

    *w = (struct waivers){ .count = 0 };
    TRY(file_read(path, FILE_LIMIT, &bytes, &count, diag));
    w->path = arena_string(&w->arena, path);
    s = w->path ? read_text(w, bytes, count, diag)
                : diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    mem_free(bytes);
    if (s != STATUS_OK)
        waivers_close(w);
    return s;
}

void waivers_close(struct waivers *w)
{
    arena_close(&w->arena);
    *w = (struct waivers){ .count = 0 };
}

/* ---- matching ---- */

/* Most patterns are whole names, and most others begin as few names do. */
static bool matches(const char *pattern, const char *name)
{
    const size_t same = strcspn(pattern, "*?[\\");

    return strncmp(pattern, name, same) == 0 && (strcmp(pattern + same, name + same) == 0 ||
                                                 (pattern[same] && fnmatch(pattern, name, 0) == 0));
}

bool waiver_matches_case(const struct waiver *row, const char *name)
{
    return matches(row->cases, name);
}

bool waiver_is_expired(const struct waiver *row, struct date today)
{
    return row->expires.year > 0 && date_days_between(row->expires, today) > 0;
}

/* A driver whose words have no version is in no range. */
static bool driver_matches(const char *range, const char *driver)
{
    char version[VERSION_BYTES];

    return version_find(driver, version, sizeof version) && version_range_has(range, version);
}

/* Whether each class of a list, "fp16,winograd", is in another. */
static bool has_classes(const char *all, const char *wanted)
{
    while (*wanted) {
        const size_t n = strcspn(wanted, ",");
        const char *p = all;

        while (*p && (strcspn(p, ",") != n || strncmp(p, wanted, n) != 0)) {
            p += strcspn(p, ",");
            p += *p == ',';
        }
        if (!*p)
            return false;
        wanted += n + (wanted[n] == ',');
    }
    return true;
}

static bool speaks_of(const struct waiver *row, const struct waiver_target *t)
{
    return matches(row->cases, t->test_case) &&
           (matches(row->device, t->device) || matches(row->device, t->label)) &&
           (!row->device_name || matches(row->device_name, t->device)) &&
           (!row->driver || driver_matches(row->driver, t->driver)) &&
           (!row->bounds || has_classes(t->bounds, row->bounds));
}

/* The first of the rows of that name in w->sorted, or where it would stand. */
static size_t find_rows(const struct waivers *w, const char *name)
{
    size_t low = w->pattern_count, high = w->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strcmp(w->sorted[middle]->cases, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Takes a row that speaks of the target, where none before it in the file holds today. */
static void consider(struct waiver *row, const struct waiver_target *target, struct date today,
                     struct waiver **found)
{
    const bool better = !*found || (waiver_is_expired(*found, today)
                                        ? row < *found || !waiver_is_expired(row, today)
                                        : row < *found && !waiver_is_expired(row, today));

    if (better && speaks_of(row, target))
        *found = row;
}

struct waiver *waivers_find(const struct waivers *w, const struct waiver_target *target,
                            struct date today)
{
    struct waiver *found = NULL;

    for (size_t i = 0; i < w->pattern_count; i++)
        consider(w->sorted[i], target, today, &found);
    for (size_t i = find_rows(w, target->test_case);
         i < w->count && strcmp(w->sorted[i]->cases, target->test_case) == 0; i++)
        consider(w->sorted[i], target, today, &found);
    return found;
}
