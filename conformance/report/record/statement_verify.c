#include "conformance/report/record/statement_verify.h"

#include "conformance/report/record/record.h"
#include "conformance/report/record/statement.h"
#include "conformance/util/json_parse.h"
#include "conformance/util/sums.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 4096, JSON_LIMIT = 1 << 26, NAME_BYTES = 256 };

struct verification {
    const char *dir;
    struct sums sums;
    struct statement_facts *facts;
    struct notes *problems;
    json_t *root; /* of statement.json */
    char *cases;  /* the text of cases.txt; NULL: it cannot be read */
    size_t cases_bytes;
    const char **names; /* lines of cases.txt, sorted */
    size_t name_count;
    char *lines; /* behind names */
    struct waivers waivers;
    bool has_waivers;
};

#define PROBLEM(v, ...) notes_add((v)->problems, __VA_ARGS__)

static void join(const struct verification *v, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.3800s/%.250s", v->dir, name);
}

/* A name as it can be printed: any may stand in a directory. */
static const char *printable(const char *name, char text[NAME_BYTES])
{
    size_t i = 0;

    for (; i < NAME_BYTES - 1 && name[i]; i++)
        text[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    text[i] = '\0';
    return text;
}

/* ---- files ---- */

static const char *file_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Whether it is a regular file of a size that can be read; otherwise it is a problem. */
static bool is_readable(const struct verification *v, const char *name)
{
    char path[PATH_MAX], text[NAME_BYTES];
    struct stat st;

    join(v, name, path);
    printable(name, text);
    if (lstat(path, &st) != 0)
        PROBLEM(v, "%s: %s", text, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        PROBLEM(v, "%s: expected a regular file, found %s", text, file_kind(st.st_mode));
    else if (st.st_size > STATEMENT_FILE_LIMIT)
        PROBLEM(v, "%s: expected at most %d bytes, found %lld", text, STATEMENT_FILE_LIMIT,
                (long long)st.st_size);
    else
        return true;
    return false;
}

static bool is_signature(const char *name)
{
    return strcmp(name, STATEMENT_SUMS ".asc") == 0 || strcmp(name, STATEMENT_SUMS ".sig") == 0;
}

/* One entry of the directory: it has to be listed, and be what the list says. */
static void check_entry(struct verification *v, const char *name)
{
    const struct sum *const sum = sums_find(&v->sums, name);
    char path[PATH_MAX], hex[SHA256_HEX_BYTES], text[NAME_BYTES];
    struct diag diag;

    if (strcmp(name, STATEMENT_SUMS) == 0)
        return;
    if (!is_readable(v, name))
        return;
    if (is_signature(name) && !sum) {
        v->facts->is_signed = true;
        return;
    }
    v->facts->files++;
    join(v, name, path);
    if (!sum)
        PROBLEM(v, "%s: is not listed in " STATEMENT_SUMS, printable(name, text));
    else if (sha256_file(path, hex, &diag) != STATUS_OK)
        PROBLEM(v, "%s", diag.text);
    else if (strcmp(hex, sum->hex) != 0)
        PROBLEM(v, "%s: its SHA-256 is %s, " STATEMENT_SUMS " has %s", name, hex, sum->hex);
}

static enum status check_directory(struct verification *v, struct diag *diag)
{
    DIR *const d = opendir(v->dir);
    const struct dirent *entry;
    size_t entries = 0;

    if (!d)
        return diag_fail(diag, STATUS_IO, "%s: %s", v->dir, strerror(errno));
    while ((entry = readdir(d)) != NULL && entries <= ENTRIES_MAX) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        entries++;
        check_entry(v, entry->d_name);
    }
    closedir(d);
    if (entries > ENTRIES_MAX)
        return diag_fail(diag, STATUS_USAGE, "%s: more than %d entries", v->dir, ENTRIES_MAX);
    return STATUS_OK;
}

static void check_listed(struct verification *v)
{
    for (size_t i = 0; i < v->sums.count; i++) {
        char path[PATH_MAX];
        struct stat st;

        join(v, v->sums.items[i].name, path);
        if (lstat(path, &st) != 0)
            PROBLEM(v, "%s: is listed in " STATEMENT_SUMS ": %s", v->sums.items[i].name,
                    strerror(errno));
    }
}

/* Whether a file that the statement names can be read safely. */
static bool is_listed(const struct verification *v, const char *name)
{
    if (!name || !sums_name_is_safe(name)) {
        PROBLEM(v, STATEMENT_FILE ": expected names of files, found %s",
                name ? "one with other characters" : "another value");
        return false;
    }
    if (!sums_find(&v->sums, name)) {
        PROBLEM(v, STATEMENT_FILE ": it names %s, which " STATEMENT_SUMS " does not list", name);
        return false;
    }
    return is_readable(v, name);
}

static bool read_file(const struct verification *v, const char *name, size_t limit, char **text,
                      size_t *bytes)
{
    char path[PATH_MAX];
    struct diag diag;
    uint8_t *data;

    join(v, name, path);
    if (file_read(path, limit, &data, bytes, &diag) != STATUS_OK) {
        PROBLEM(v, "%s", diag.text);
        return false;
    }
    *text = (char *)data;
    return true;
}

/* ---- the list of cases ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool index_names(struct verification *v)
{
    size_t room = 1;
    char *rest;

    for (size_t i = 0; i < v->cases_bytes; i++)
        room += v->cases[i] == '\n';
    v->names = mem_alloc(room, sizeof *v->names);
    v->lines = mem_alloc(v->cases_bytes + 1, 1);
    if (!(v->names && v->lines))
        return false;
    memcpy(v->lines, v->cases, v->cases_bytes);
    rest = v->lines;
    for (char *line = strsep(&rest, "\n"); line && v->name_count < room;
         line = strsep(&rest, "\n")) {
        if (*line)
            v->names[v->name_count++] = line;
    }
    if (v->name_count > 0)
        qsort(v->names, v->name_count, sizeof *v->names, compare_names);
    return true;
}

static void check_cases(struct verification *v)
{
    const json_t *const cases = json_object_get(v->root, "cases");
    const json_int_t count = json_integer_value(json_object_get(cases, "count"));
    const char *const name = json_string_value(json_object_get(cases, "file"));
    const char *const hash = json_string_value(json_object_get(cases, "sha256"));
    char hex[SHA256_HEX_BYTES];

    if (!is_listed(v, name) ||
        !read_file(v, name, STATEMENT_FILE_LIMIT, &v->cases, &v->cases_bytes) || !index_names(v))
        return;
    sha256_hex(v->cases, v->cases_bytes, hex);
    if (!hash || strcmp(hex, hash) != 0)
        PROBLEM(v, STATEMENT_FILE ": it has another hash of the list of cases than %s", name);
    if (count < 0 || (size_t)count != v->name_count)
        PROBLEM(v, STATEMENT_FILE ": it says %lld cases, %s has %zu", (long long)count, name,
                v->name_count);
}

/* ---- waivers ---- */

static void check_waivers_file(struct verification *v)
{
    const json_t *const waivers = json_object_get(v->root, "waivers");
    const char *const name = json_string_value(waivers);
    char path[PATH_MAX];
    struct diag diag;

    if (json_is_null(waivers) || !is_listed(v, name))
        return;
    join(v, name, path);
    if (waivers_read(&v->waivers, path, &diag) == STATUS_OK)
        v->has_waivers = true;
    else
        PROBLEM(v, "%s", diag.text);
}

/* ---- reports ---- */

/* Says of each member of what the report says whether the statement says the same. */
static void compare_facts(const struct verification *v, const char *file, json_t *said,
                          json_t *found)
{
    const char *key;
    json_t *value;

    json_object_foreach(found, key, value)
    {
        const json_t *const other = json_object_get(said, key);
        char *a, *b;

        if (json_equal(value, other))
            continue;
        a = other ? json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
        b = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
        PROBLEM(v, STATEMENT_FILE ": %s of %s is %.200s; the report says %.200s", key, file,
                a ? a : "missing", b ? b : "?");
        free(a);
        free(b);
    }
}

static void check_names(const struct verification *v, const char *file, const struct record *r)
{
    size_t unknown = 0, first = 0;

    if (!v->cases)
        return;
    if (!statement_list_fits(r, v->cases, v->cases_bytes))
        PROBLEM(v, "%s: its hash of the list of cases is not that of the list", file);
    for (size_t i = 0; i < r->case_count; i++) {
        const char *const name = r->cases[i].name;

        if (v->name_count > 0 &&
            bsearch(&name, v->names, v->name_count, sizeof *v->names, compare_names))
            continue;
        first = unknown++ == 0 ? i : first;
    }
    if (unknown > 0)
        PROBLEM(v, "%s: %zu of its cases are not in the list: %s%s", file, unknown,
                r->cases[first].name, unknown > 1 ? ", ..." : "");
}

static void check_record(struct verification *v, const char *file, const struct record *r,
                         json_t *said, bool *failed)
{
    json_t *const found = statement_describe(r, file);
    struct diag diag;

    if (statement_check_whole(r, &diag) != STATUS_OK)
        PROBLEM(v, "%s: %s", file, diag.text);
    if (found)
        compare_facts(v, file, said, found);
    else
        PROBLEM(v, "%s: out of memory", file);
    json_decref(found);
    check_names(v, file, r);
    statement_check_waivers(r, file, v->has_waivers ? &v->waivers : NULL, v->problems);
    *failed = *failed || record_failed(r);
    v->facts->results += r->result_count;
}

static void check_report(struct verification *v, json_t *said, bool *failed)
{
    const char *const file = json_string_value(json_object_get(said, "file"));
    struct record r = { .case_count = 0 };
    char path[PATH_MAX];
    struct diag diag;

    if (!is_listed(v, file))
        return;
    join(v, file, path);
    v->facts->reports++;
    if (record_read(&r, path, &diag) == STATUS_OK)
        check_record(v, file, &r, said, failed);
    else
        PROBLEM(v, "%s", diag.text);
    record_close(&r);
}

static void check_reports(struct verification *v)
{
    json_t *const reports = json_object_get(v->root, "reports");
    const char *const verdict = json_string_value(json_object_get(v->root, "verdict"));
    bool failed = false;

    if (json_array_size(reports) == 0)
        PROBLEM(v, STATEMENT_FILE ": expected reports, found none");
    for (size_t i = 0; i < json_array_size(reports); i++)
        check_report(v, json_array_get(reports, i), &failed);
    v->facts->passed = verdict && strcmp(verdict, "pass") == 0;
    if (!verdict || strcmp(verdict, failed ? "fail" : "pass") != 0)
        PROBLEM(v, STATEMENT_FILE ": its verdict is %s; the reports say %s",
                verdict ? (v->facts->passed ? "pass" : "another") : "missing",
                failed ? "fail" : "pass");
}

static void check_logs(struct verification *v)
{
    const json_t *const logs = json_object_get(v->root, "logs");

    for (size_t i = 0; i < json_array_size(logs); i++)
        is_listed(v, json_string_value(json_array_get(logs, i)));
}

/* ---- statement.json ---- */

static void read_root(struct verification *v)
{
    char *text = NULL;
    size_t bytes = 0;
    json_error_t error;
    json_int_t format;

    if (!is_listed(v, STATEMENT_FILE) || !read_file(v, STATEMENT_FILE, JSON_LIMIT, &text, &bytes))
        return;
    v->root = json_parse(text, bytes, JSON_REJECT_DUPLICATES, &error);
    mem_free(text);
    format = json_integer_value(json_object_get(v->root, "statement"));
    if (!v->root) {
        PROBLEM(v, STATEMENT_FILE ":%d: %s", error.line, error.text);
    } else if (format != STATEMENT_FORMAT) {
        PROBLEM(v, STATEMENT_FILE ": expected format %d, found %lld", STATEMENT_FORMAT,
                (long long)format);
        json_decref(v->root);
        v->root = NULL;
    }
}

static enum status check_all(struct verification *v, struct diag *diag)
{
    char path[PATH_MAX];
    struct stat st;

    if (stat(v->dir, &st) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", v->dir, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return diag_fail(diag, STATUS_USAGE, "%s: expected a directory", v->dir);
    join(v, STATEMENT_SUMS, path);
    if (!(lstat(path, &st) == 0 && S_ISREG(st.st_mode)))
        return diag_fail(diag, STATUS_USAGE,
                         "%s: is no statement: it has no regular file " STATEMENT_SUMS, v->dir);
    TRY(sums_read(&v->sums, path, diag));
    TRY(check_directory(v, diag));
    check_listed(v);
    read_root(v);
    if (!v->root)
        return STATUS_OK;
    check_cases(v);
    check_waivers_file(v);
    check_reports(v);
    check_logs(v);
    return STATUS_OK;
}

enum status statement_verify(const char *dir, struct statement_facts *facts, struct notes *problems,
                             struct diag *diag)
{
    struct verification v = { .dir = dir, .facts = facts, .problems = problems };
    const long failures = mem_failures();
    enum status s;

    *facts = (struct statement_facts){ .files = 0 };
    s = strlen(dir) < 3800 ? check_all(&v, diag)
                           : diag_fail(diag, STATUS_USAGE, "the path is too long");
    /* A check or a problem may be missing: that is no verdict. */
    if (s == STATUS_OK && mem_failures() != failures)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", dir);
    json_decref(v.root);
    mem_free(v.cases);
    mem_free(v.names);
    mem_free(v.lines);
    waivers_close(&v.waivers);
    sums_close(&v.sums);
    return s;
}
