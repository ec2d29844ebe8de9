#include "conformance/report/record/statement.h"

#include "conformance/report/record/record.h"
#include "conformance/report/record/waiver.h"
#include "conformance/util/date.h"
#include "conformance/util/output.h"
#include "conformance/util/sums.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MAX = 4096, FILE_LIMIT = 1 << 30, NOTED = 10 };

/* ---- verifying ---- */

struct verification {
    const char *dir;
    struct sums sums;
    struct statement_facts *facts;
    struct notes *problems;
    struct waivers waivers;
    bool has_waivers;
    char list_sha256[SHA256_HEX_BYTES]; /* of the cases of the first report */
};

#define PROBLEM(v, ...) notes_add((v)->problems, __VA_ARGS__)

static void join(const struct verification *v, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.3800s/%.250s", v->dir, name);
}

static const char *file_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Whether it is a regular file of a size that can be read; otherwise it is a problem. */
static bool is_readable(const struct verification *v, const char *name, const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        PROBLEM(v, "%s: %s", name, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        PROBLEM(v, "%s: expected a regular file, found %s", name, file_kind(st.st_mode));
    else if (st.st_size > FILE_LIMIT)
        PROBLEM(v, "%s: expected at most %d bytes, found %lld", name, FILE_LIMIT,
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
    char path[PATH_MAX], hex[SHA256_HEX_BYTES];
    struct diag diag;

    join(v, name, path);
    if (strcmp(name, STATEMENT_SUMS) == 0 || !is_readable(v, name, path))
        return;
    if (is_signature(name) && !sum) {
        v->facts->is_signed = true;
        return;
    }
    v->facts->files++;
    if (!sum)
        PROBLEM(v, "%s: is not listed in " STATEMENT_SUMS, name);
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

static enum status check_whole(const struct record *r, struct diag *diag)
{
    if (r->run.interrupted)
        return diag_fail(diag, STATUS_USAGE, "its run was ended by %s: %zu results are missing",
                         r->run.interrupted, r->missing_count);
    if (r->missing_count > 0)
        return diag_fail(diag, STATUS_USAGE, "%zu results are missing", r->missing_count);
    if (r->run.shards > 1)
        return diag_fail(diag, STATUS_USAGE,
                         "it is of a part of %u shards: `assay report merge` joins them",
                         (unsigned)r->run.shards);
    if (!r->run.list_sha256 || strlen(r->run.list_sha256) != SHA256_HEX_BYTES - 1)
        return diag_fail(diag, STATUS_USAGE,
                         "it has no hash of its list of cases: an older Assay wrote it");
    return r->result_count > 0 ? STATUS_OK : diag_fail(diag, STATUS_USAGE, "it has no results");
}

/* Waivers are held against the day of the run. */
static struct date day_of(const struct record *r)
{
    struct date day = { .year = 0 };
    char text[DATE_TEXT_BYTES];

    snprintf(text, sizeof text, "%.10s", r->run.started ? r->run.started : "");
    return date_read(text, &day) ? day : date_today();
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static bool is_explained(const struct verification *v, const struct record *r,
                         const struct record_result *result, struct date day)
{
    const struct record_subject *const s = &r->subjects[result->subject];
    const struct record_device *const d = s->device.name ? &s->device : &r->device;
    const struct waiver_target target = {
        .test_case = r->cases[result->test_case].name,
        .label = or_empty(s->label),
        .bounds = or_empty(s->bounds),
        .device = or_empty(d->name),
        .driver = or_empty(d->driver),
    };
    const struct waiver *const row =
        v->has_waivers ? waivers_find(&v->waivers, &target, day) : NULL;

    return row && !waiver_is_expired(row, day) &&
           (!result->waiver || strcmp(result->waiver, row->cause) == 0);
}

static void check_waived(const struct verification *v, const char *file, const struct record *r)
{
    const struct date day = day_of(r);
    size_t bad = 0;

    for (size_t i = 0; i < r->result_count; i++) {
        const struct record_result *const result = &r->results[i];

        if (result->status == CASE_WAIVED && !is_explained(v, r, result, day) && ++bad <= NOTED)
            PROBLEM(v, "%s: %s on %s is waived, and no waiver of that cause speaks of it%s", file,
                    r->cases[result->test_case].name, or_empty(r->subjects[result->subject].label),
                    v->has_waivers ? "" : ": there is no file of waivers");
    }
    if (bad > NOTED)
        PROBLEM(v, "%s: %zu more waived results have no waiver", file, bad - NOTED);
}

static bool is_report(const char *name)
{
    const char *const dot = strrchr(name, '.');

    return strncmp(name, "report", 6) == 0 && dot && strcmp(dot, ".json") == 0;
}

static void check_report(struct verification *v, const struct sum *sum)
{
    struct record r = { .case_count = 0 };
    char path[PATH_MAX];
    struct diag diag;
    bool ok;

    for (const struct sum *other = v->sums.items; other < sum; other++)
        if (is_report(other->name) && strcmp(other->hex, sum->hex) == 0)
            PROBLEM(v, "%s: it is %s once more", sum->name, other->name);
    join(v, sum->name, path);
    v->facts->reports++;
    ok = record_read(&r, path, &diag) == STATUS_OK;
    if (!ok)
        PROBLEM(v, "%s", diag.text);
    else if (check_whole(&r, &diag) != STATUS_OK)
        PROBLEM(v, "%s: %s", sum->name, diag.text);
    else if (v->list_sha256[0] && strcmp(v->list_sha256, r.run.list_sha256) != 0)
        PROBLEM(v, "%s: it is of another list of cases than the reports before it", sum->name);
    else
        snprintf(v->list_sha256, sizeof v->list_sha256, "%s", r.run.list_sha256);
    if (ok)
        check_waived(v, sum->name, &r);
    v->facts->passed = v->facts->passed && ok && !record_failed(&r);
    v->facts->results += r.result_count;
    record_close(&r);
}

static void check_listed(struct verification *v)
{
    char path[PATH_MAX];
    struct diag diag;

    join(v, STATEMENT_WAIVERS, path);
    if (sums_find(&v->sums, STATEMENT_WAIVERS) && is_readable(v, STATEMENT_WAIVERS, path)) {
        v->has_waivers = waivers_read(&v->waivers, path, &diag) == STATUS_OK;
        if (!v->has_waivers)
            PROBLEM(v, "%s", diag.text);
    }
    for (size_t i = 0; i < v->sums.count; i++) {
        const struct sum *const sum = &v->sums.items[i];

        join(v, sum->name, path);
        if (access(path, F_OK) != 0)
            PROBLEM(v, "%s: is listed in " STATEMENT_SUMS ": %s", sum->name, strerror(errno));
        else if (is_report(sum->name) && is_readable(v, sum->name, path))
            check_report(v, sum);
    }
    if (v->facts->reports == 0)
        PROBLEM(v, "expected a report, report.json, found none");
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
    return STATUS_OK;
}

enum status statement_verify(const char *dir, struct statement_facts *facts, struct notes *problems,
                             struct diag *diag)
{
    struct verification v = { .dir = dir, .facts = facts, .problems = problems };
    const long failures = mem_failures();
    enum status s;

    *facts = (struct statement_facts){ .passed = true };
    s = strlen(dir) < 3800 ? check_all(&v, diag)
                           : diag_fail(diag, STATUS_USAGE, "the path is too long");
    /* A check or a problem may be missing: that is no verdict. */
    if (s == STATUS_OK && mem_failures() != failures)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", dir);
    waivers_close(&v.waivers);
    sums_close(&v.sums);
    return s;
}

/* ---- making ---- */

/* The directory while it is made, under a name of its own. */
struct package {
    const struct statement_request *request;
    char dir[PATH_MAX];
    bool made;
    struct sums sums;
};

static enum status copy_file(struct package *p, const char *path, const char *name,
                             struct diag *diag)
{
    char target[PATH_MAX + 256], hex[SHA256_HEX_BYTES];
    uint8_t *bytes;
    size_t count;
    enum status s;

    TRY(file_read(path, FILE_LIMIT, &bytes, &count, diag));
    snprintf(target, sizeof target, "%s/%s", p->dir, name);
    sha256_hex(bytes, count, hex);
    s = sums_add(&p->sums, name, hex, diag);
    if (s == STATUS_OK)
        s = output_write_file(target, bytes, count, diag);
    mem_free(bytes);
    return s;
}

static enum status add_report(struct package *p, size_t index, struct diag *diag)
{
    const size_t count = p->request->reports.count;
    char name[40] = "report.json";

    if (count > 1)
        snprintf(name, sizeof name, "report-%zu.json", index + 1);
    return copy_file(p, p->request->reports.items[index], name, diag);
}

/* "log-NAME" with the characters that any file system has. */
static enum status add_log(struct package *p, size_t index, struct diag *diag)
{
    const char *const path = p->request->logs.items[index], *const slash = strrchr(path, '/');
    char name[160];
    size_t n = (size_t)snprintf(name, sizeof name, "log-%.100s", slash ? slash + 1 : path);

    for (size_t i = 0; i < n; i++)
        if (!sums_name_is_safe((char[]){ 'x', name[i], '\0' }))
            name[i] = '_';
    if (sums_find(&p->sums, name))
        snprintf(name + n, sizeof name - n, "-%zu", index + 1);
    return copy_file(p, path, name, diag);
}

static enum status write_sums(struct package *p, struct diag *diag)
{
    char path[PATH_MAX + 16];
    FILE *f;

    snprintf(path, sizeof path, "%s/" STATEMENT_SUMS, p->dir);
    if (!(f = fopen(path, "w")))
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    sums_print(&p->sums, f);
    return fclose(f) == 0 ? STATUS_OK : diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
}

/* What anyone would find wrong is found before the directory has its name. */
static enum status check_own(struct package *p, struct diag *diag)
{
    struct notes problems = { .count = 0 };
    struct statement_facts facts;
    enum status s = statement_verify(p->dir, &facts, &problems, diag);

    if (s == STATUS_OK && problems.count > 0) {
        const char *const text = problems.items[0]; /* may begin with a name that is not to last */
        const size_t n = strlen(p->dir);

        s = diag_fail(diag, STATUS_USAGE, "%s", text + (strncmp(text, p->dir, n) == 0 ? n + 1 : 0));
    }
    notes_close(&problems);
    return s;
}

static enum status fill(struct package *p, struct diag *diag)
{
    const struct statement_request *const q = p->request;

    for (size_t i = 0; i < q->reports.count; i++)
        TRY(add_report(p, i, diag));
    if (q->waivers)
        TRY(copy_file(p, q->waivers, STATEMENT_WAIVERS, diag));
    for (size_t i = 0; i < q->logs.count; i++)
        TRY(add_log(p, i, diag));
    TRY(write_sums(p, diag));
    return check_own(p, diag);
}

static enum status make_directory(struct package *p, struct diag *diag)
{
    size_t n = strlen(p->request->dir);

    while (n > 1 && p->request->dir[n - 1] == '/')
        n--;
    if (n == 0 || n > 3700)
        return diag_fail(diag, STATUS_USAGE, "--out: expected the path of a directory");
    snprintf(p->dir, sizeof p->dir, "%.*s.%ld~", (int)n, p->request->dir, (long)getpid());
    if (mkdir(p->dir, 0777) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", p->dir, strerror(errno));
    p->made = true;
    return STATUS_OK;
}

/* The target may be an empty directory, as one that a farm made for the output. */
static enum status settle(struct package *p, struct diag *diag)
{
    char target[PATH_MAX];

    snprintf(target, sizeof target, "%.*s", (int)(strrchr(p->dir, '.') - p->dir), p->dir);
    p->made = rename(p->dir, target) != 0;
    if (!p->made)
        return STATUS_OK;
    return errno == ENOTEMPTY || errno == EEXIST
               ? diag_fail(diag, STATUS_USAGE,
                           "%s: exists, and is not empty: expected a new directory", target)
           : errno == ENOTDIR
               ? diag_fail(diag, STATUS_USAGE, "%s: exists, and is no directory", target)
               : diag_fail(diag, STATUS_IO, "%s: %s", target, strerror(errno));
}

static void discard(struct package *p)
{
    char path[PATH_MAX + 256];

    for (size_t i = 0; i < p->sums.count; i++) {
        snprintf(path, sizeof path, "%s/%s", p->dir, p->sums.items[i].name);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/" STATEMENT_SUMS, p->dir);
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
    sums_close(&p.sums);
    return s;
}
