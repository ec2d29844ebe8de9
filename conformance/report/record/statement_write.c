#include "conformance/report/record/statement_write.h"

#include "conformance/report/record/statement.h"
#include "conformance/report/record/waiver.h"
#include "conformance/util/notes.h"
#include "conformance/util/output.h"
#include "conformance/util/sums.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory while it is made, under a name of its own. */
struct package {
    const struct statement_request *request;
    char dir[PATH_MAX];
    bool made;
    struct sums sums;
    json_t *reports, *logs; /* of statement.json */
    bool failed;            /* a report is of a run that failed */
    char list_sha256[SHA256_HEX_BYTES];
    size_t list_count;
    struct waivers waivers;
};

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "statement: out of memory");
}

static enum status write_file(struct package *p, const char *name, const void *bytes, size_t count,
                              struct diag *diag)
{
    char path[PATH_MAX + 256], hex[SHA256_HEX_BYTES];

    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    TRY(output_write_file(path, bytes, count, diag));
    if (strcmp(name, STATEMENT_SUMS) == 0)
        return STATUS_OK;
    sha256_hex(bytes, count, hex);
    return sums_add(&p->sums, name, hex, diag);
}

/* Writes what fill prints. */
static enum status write_printed(struct package *p, const char *name,
                                 enum status (*fill)(const struct record *r, FILE *out,
                                                     struct diag *diag),
                                 const struct record *r, struct diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f)
        return no_memory(diag);
    s = fill(r, f, diag);
    if (fclose(f) != 0 && s == STATUS_OK)
        s = no_memory(diag);
    if (s == STATUS_OK)
        s = write_file(p, name, text, bytes, diag);
    free(text);
    return s;
}

/* Reads a file that the user names; devices and pipes have no end. */
static enum status read_input(const char *path, uint8_t **bytes, size_t *count, struct diag *diag)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return diag_fail(diag, STATUS_IO, "%s: expected a regular file", path);
    return file_read(path, STATEMENT_FILE_LIMIT, bytes, count, diag);
}

static enum status copy_file(struct package *p, const char *path, const char *name,
                             struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    enum status s;

    TRY(read_input(path, &bytes, &count, diag));
    s = write_file(p, name, bytes, count, diag);
    mem_free(bytes);
    return s;
}

/* ---- the list of cases ---- */

static int compare_index(const void *a, const void *b)
{
    const struct record_case *const x = *(const struct record_case *const *)a;
    const struct record_case *const y = *(const struct record_case *const *)b;

    return (x->index > y->index) - (x->index < y->index);
}

/* The names of the report's cases, in the order of the list where that is known. */
static enum status print_own_list(const struct record *r, FILE *out, struct diag *diag)
{
    const struct record_case **const order = mem_alloc(r->case_count + 1, sizeof *order);
    bool known = true;

    if (!order)
        return no_memory(diag);
    for (size_t i = 0; i < r->case_count; i++) {
        order[i] = &r->cases[i];
        known = known && r->cases[i].index != SIZE_MAX;
    }
    if (known && r->case_count > 0)
        qsort(order, r->case_count, sizeof *order, compare_index);
    for (size_t i = 0; i < r->case_count; i++)
        fprintf(out, "%s\n", order[i]->name);
    mem_free(order);
    return STATUS_OK;
}

/* Tries one source of the list; *found tells whether it is the list of the report. */
static enum status try_list(struct package *p, const struct record *r, bool own, bool *found,
                            struct diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f)
        return no_memory(diag);
    s = own ? print_own_list(r, f, diag) : p->request->list(&r->run, f, diag);
    if (fclose(f) != 0 && s == STATUS_OK)
        s = no_memory(diag);
    *found = s == STATUS_OK && statement_list_fits(r, text, bytes);
    if (*found)
        s = write_file(p, STATEMENT_CASES, text, bytes, diag);
    free(text);
    return s;
}

static enum status copy_list(struct package *p, const struct record *r, struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    enum status s;

    TRY(read_input(p->request->cases, &bytes, &count, diag));
    s = statement_list_fits(r, bytes, count)
            ? write_file(p, STATEMENT_CASES, bytes, count, diag)
            : diag_fail(diag, STATUS_USAGE,
                        "--cases=%s: expected the list of %zu cases with SHA-256 %s",
                        p->request->cases, r->run.list_count, r->run.list_sha256);
    mem_free(bytes);
    return s;
}

static enum status write_list(struct package *p, const struct record *r, struct diag *diag)
{
    bool found = false;

    if (p->request->cases)
        return copy_list(p, r, diag);
    TRY(try_list(p, r, true, &found, diag));
    if (!found && p->request->list)
        TRY(try_list(p, r, false, &found, diag));
    if (found)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE,
                     "the list of %zu cases with SHA-256 %s is neither that of the report's "
                     "results nor of this program: --cases=FILE names it, which `assay "
                     "conformance --list` of Assay %s prints",
                     r->run.list_count, r->run.list_sha256,
                     r->run.version ? r->run.version : "the same version");
}

/* All reports of a statement are of one list. */
static enum status note_list(struct package *p, const struct record *r, struct diag *diag)
{
    if (p->list_sha256[0] && strcmp(p->list_sha256, r->run.list_sha256) != 0)
        return diag_fail(diag, STATUS_USAGE,
                         "it is of another list of cases (%zu, SHA-256 %.12s...) than the reports "
                         "before it (%zu, %.12s...)",
                         r->run.list_count, r->run.list_sha256, p->list_count, p->list_sha256);
    if (p->list_sha256[0])
        return STATUS_OK;
    if (strlen(r->run.list_sha256) != sizeof p->list_sha256 - 1)
        return diag_fail(diag, STATUS_USAGE, "its hash of the list of cases has %zu digits",
                         strlen(r->run.list_sha256));
    strcpy(p->list_sha256, r->run.list_sha256);
    p->list_count = r->run.list_count;
    return write_list(p, r, diag);
}

/* ---- reports ---- */

static enum status check_waived(struct package *p, const struct record *r, const char *path,
                                struct diag *diag)
{
    struct notes notes = { .count = 0 };
    enum status s = STATUS_OK;

    if (statement_check_waivers(r, path, p->request->waivers ? &p->waivers : NULL, &notes) > 0)
        s = diag_fail(diag, STATUS_USAGE, "%s",
                      notes.count > 0 ? notes.items[0] : "a waived result has no waiver");
    notes_close(&notes);
    return s;
}

static enum status add_forms(struct package *p, const struct record *r, const char *stem,
                             struct diag *diag)
{
    for (size_t i = 0; i < p->request->form_count; i++) {
        const struct statement_form *const form = &p->request->forms[i];
        char name[64];

        snprintf(name, sizeof name, "%s.%s", stem, form->suffix);
        TRY(write_printed(p, name, form->write, r, diag));
    }
    return STATUS_OK;
}

static enum status add_record(struct package *p, const struct record *r, const char *path,
                              const char *stem, struct diag *diag)
{
    char name[64];

    snprintf(name, sizeof name, "%s.json", stem);
    TRY(diag_prefix(diag, statement_check_whole(r, diag), "%s", path));
    TRY(diag_prefix(diag, note_list(p, r, diag), "%s", path));
    TRY(check_waived(p, r, path, diag));
    TRY(copy_file(p, path, name, diag));
    TRY(add_forms(p, r, stem, diag));
    p->failed = p->failed || record_failed(r);
    return json_array_append_new(p->reports, statement_describe(r, name)) == 0 ? STATUS_OK
                                                                               : no_memory(diag);
}

static enum status add_report(struct package *p, size_t index, struct diag *diag)
{
    const char *const path = p->request->reports.items[index];
    struct record r = { .case_count = 0 };
    char stem[32] = "report";
    enum status s;

    if (p->request->reports.count > 1)
        snprintf(stem, sizeof stem, "report-%zu", index + 1);
    s = record_read(&r, path, diag);
    if (s == STATUS_OK)
        s = add_record(p, &r, path, stem, diag);
    record_close(&r);
    return s;
}

/* ---- logs ---- */

/* "log-NAME" with the characters that any file system has. */
static void log_name(const char *path, size_t index, const struct sums *taken, char *name,
                     size_t bytes)
{
    const char *const slash = strrchr(path, '/');
    size_t n = (size_t)snprintf(name, bytes - 16, "log-%.100s", slash ? slash + 1 : path);

    for (size_t i = 0; i < n; i++) {
        char text[] = { 'x', name[i], '\0' };

        if (!sums_name_is_safe(text))
            name[i] = '_';
    }
    if (sums_find(taken, name))
        snprintf(name + n, bytes - n, "-%zu", index + 1);
}

static enum status add_log(struct package *p, size_t index, struct diag *diag)
{
    char name[160];

    log_name(p->request->logs.items[index], index, &p->sums, name, sizeof name);
    TRY(copy_file(p, p->request->logs.items[index], name, diag));
    return json_array_append_new(p->logs, json_string(name)) == 0 ? STATUS_OK : no_memory(diag);
}

/* ---- the whole ---- */

static enum status write_statement_json(struct package *p, struct diag *diag)
{
    char day[DATE_TEXT_BYTES];
    json_t *const root = json_pack(
        "{s:i,s:s,s:s,s:s,s:{s:s,s:I,s:s},s:O,s:o,s:O}", "statement", STATEMENT_FORMAT, "assay",
        ASSAY_VERSION, "date", date_text(p->request->today, day), "verdict",
        p->failed ? "fail" : "pass", "cases", "file", STATEMENT_CASES, "count",
        (json_int_t)p->list_count, "sha256", p->list_sha256, "reports", p->reports, "waivers",
        p->request->waivers ? json_string(STATEMENT_WAIVERS) : json_null(), "logs", p->logs);
    char *const text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    const enum status s =
        text ? write_file(p, STATEMENT_FILE, text, strlen(text), diag) : no_memory(diag);

    free(text);
    json_decref(root);
    return s;
}

static enum status write_sums(struct package *p, struct diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f)
        return no_memory(diag);
    sums_print(&p->sums, f);
    s = fclose(f) == 0 ? write_file(p, STATEMENT_SUMS, text, bytes, diag) : no_memory(diag);
    free(text);
    return s;
}

static enum status fill(struct package *p, struct diag *diag)
{
    const struct statement_request *const q = p->request;

    p->reports = json_array();
    p->logs = json_array();
    if (!p->reports || !p->logs)
        return no_memory(diag);
    if (q->waivers) {
        TRY(waivers_read(&p->waivers, q->waivers, diag));
        TRY(copy_file(p, q->waivers, STATEMENT_WAIVERS, diag));
    }
    for (size_t i = 0; i < q->reports.count; i++)
        TRY(add_report(p, i, diag));
    for (size_t i = 0; i < q->logs.count; i++)
        TRY(add_log(p, i, diag));
    TRY(write_statement_json(p, diag));
    return write_sums(p, diag);
}

/* The target may be an empty directory, as one that a farm made for the output. */
static enum status check_target(const char *dir, struct diag *diag)
{
    struct stat st;
    struct dirent *entry;
    DIR *d;
    bool empty = true;

    if (lstat(dir, &st) != 0)
        return errno == ENOENT ? STATUS_OK
                               : diag_fail(diag, STATUS_IO, "%s: %s", dir, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return diag_fail(diag, STATUS_USAGE, "%s: exists, and is no directory", dir);
    if ((d = opendir(dir)) == NULL)
        return diag_fail(diag, STATUS_IO, "%s: %s", dir, strerror(errno));
    while (empty && (entry = readdir(d)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(d);
    return empty ? STATUS_OK
                 : diag_fail(diag, STATUS_USAGE,
                             "%s: exists, and is not empty: expected a new directory", dir);
}

static enum status make_directory(struct package *p, struct diag *diag)
{
    size_t n = strlen(p->request->dir);

    while (n > 1 && p->request->dir[n - 1] == '/')
        n--;
    if (n == 0 || n > sizeof p->dir - 32)
        return diag_fail(diag, STATUS_USAGE, "--out: expected the path of a directory");
    snprintf(p->dir, sizeof p->dir, "%.*s", (int)n, p->request->dir);
    TRY(check_target(p->dir, diag));
    snprintf(p->dir + n, sizeof p->dir - n, ".%ld~", (long)getpid());
    if (mkdir(p->dir, 0777) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", p->dir, strerror(errno));
    p->made = true;
    return STATUS_OK;
}

static enum status settle(struct package *p, struct diag *diag)
{
    char target[PATH_MAX];

    snprintf(target, sizeof target, "%.*s", (int)(strrchr(p->dir, '.') - p->dir), p->dir);
    if (rename(p->dir, target) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", target, strerror(errno));
    p->made = false;
    return STATUS_OK;
}

static void discard(struct package *p)
{
    char path[PATH_MAX + 256];

    for (size_t i = 0; i < p->sums.count; i++) {
        snprintf(path, sizeof path, "%s/%s", p->dir, p->sums.items[i].name);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", p->dir, STATEMENT_SUMS);
    unlink(path);
    rmdir(p->dir);
}

enum status statement_write(const struct statement_request *request, struct diag *diag)
{
    struct package p = { .request = request };
    enum status s = make_directory(&p, diag);

    if (s == STATUS_OK)
        s = fill(&p, diag);
    if (s == STATUS_OK)
        s = settle(&p, diag);
    if (p.made)
        discard(&p);
    json_decref(p.reports);
    json_decref(p.logs);
    waivers_close(&p.waivers);
    sums_close(&p.sums);
    return s;
}
