#include "conformance/report/record/board.h"

#include "conformance/report/record/exposure.h"
#include "conformance/report/record/record_value.h"
#include "conformance/util/directory.h"
#include "conformance/util/json_parse.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_BYTES = 1 << 30, RUNS_MAX = 1000, CASES_MAX = 1 << 22, FILES_MAX = 10000 };

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

/* Texts that may be missing. */
static int compare_maybe(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* ---- files ---- */

/* What a site writes into its directory, which may be among those that it is made of. */
static bool is_report(const char *name)
{
    return directory_name_ends(name, ".json") && strcmp(name, "feed.json") != 0;
}

enum status board_files(const char *path, enum status add(void *user, const char *file), void *user,
                        struct diag *diag)
{
    char **names;
    size_t count;
    struct stat st;
    enum status s;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return add(user, path);
    TRY(directory_list(path, is_report, &names, &count, diag));
    s = count > FILES_MAX
            ? diag_fail(diag, STATUS_USAGE, "%s: more than %d reports", path, FILES_MAX)
            : STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < count; i++)
        s = add(user, names[i]);
    directory_free(names, count);
    return s;
}

/* ---- a summary ---- */

struct reading {
    struct record_reader at;
    struct board *board;
    size_t cases; /* so far in this file */
};

static struct arena *arena_of(const struct reading *x)
{
    return &x->board->store.arena;
}

static enum status enter(struct reading *x, const char *section, size_t index, json_t *object)
{
    x->at.place.section = section;
    x->at.place.index = index;
    return json_is_object(object) ? STATUS_OK : record_unexpected(&x->at, "", "an object", object);
}

/* Decodes "12p1f3d". */
static enum status read_letters(struct reading *x, struct board_line *line, json_t *o)
{
    char *at;
    size_t total = 0;

    for (int pass = 0; pass < 2; pass++) {
        at = line->status;
        for (const char *p = line->x.is; p && *p; p++) {
            unsigned long n = 1;
            const char *letter;
            char *end;

            if (isdigit((unsigned char)*p)) {
                n = strtoul(p, &end, 10);
                p = end;
            }
            letter = *p ? strchr(summary_letters, *p) : NULL;
            if (!letter || n == 0 || n > CASES_MAX - (pass ? 0 : x->cases + total))
                return record_unexpected(&x->at, "is",
                                         "letters of " /* summary_letters */
                                         "pfdctwu, a number before each, of 4194304 cases at most",
                                         json_object_get(o, "is"));
            if (pass) {
                memset(at, *letter, n);
                at += n;
                line->count[letter - summary_letters] += n;
            } else {
                total += n;
            }
        }
        if (!pass && !(line->status = arena_alloc(arena_of(x), total + 1, 1)))
            return no_memory(x->at.diag);
    }
    line->cases = total;
    x->cases += total;
    return STATUS_OK;
}

static enum status read_names(struct reading *x, struct board_line *line, json_t *o)
{
    json_t *list;
    char expected[64];

    for (int s = 0; s < CASE_STATUS_COUNT; s++)
        line->bad_count += summary_names((enum case_status)s) ? line->count[s] : 0;
    TRY(record_read_array(&x->at, o, "bad", line->bad_count > 0, &list));
    snprintf(expected, sizeof expected, "%zu names, as \"is\" has it", line->bad_count);
    if (json_array_size(list) != line->bad_count)
        return record_unexpected(&x->at, "bad", expected, list);
    line->bad = ARENA_NEW(arena_of(x), line->bad_count, const char *);
    if (!line->bad)
        return no_memory(x->at.diag);
    for (size_t i = 0; i < line->bad_count; i++) {
        const char *const text = json_string_value(json_array_get(list, i));

        if (!text || (i > 0 && strcmp(text, line->bad[i - 1]) <= 0))
            return record_unexpected(&x->at, "bad", "names in order", json_array_get(list, i));
        if (!(line->bad[i] = arena_string(arena_of(x), text)))
            return no_memory(x->at.diag);
    }
    return STATUS_OK;
}

int board_compare_lines(const struct board_line *a, const struct board_line *b)
{
    const int order = strcmp(a->x.name, b->x.name);

    return order ? order : compare_maybe(a->x.type, b->x.type);
}

static int compare_lines(const void *a, const void *b)
{
    return board_compare_lines(a, b);
}

static enum status read_lines(struct reading *x, struct board_run *run, json_t *list)
{
    run->margin = NAN;
    run->lines = ARENA_NEW(arena_of(x), json_array_size(list), struct board_line);
    if (!run->lines)
        return no_memory(x->at.diag);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct board_line *const line = &run->lines[run->line_count++];
        json_t *const o = json_array_get(list, i);

        TRY(enter(x, "lines", i, o));
        TRY(record_read_fields(&x->at, o, &summary_line_fields, &line->x));
        if (!line->x.name || !line->x.list || !line->x.is)
            return record_unexpected(&x->at, "name, list, is", "strings", NULL);
        TRY(read_letters(x, line, o));
        TRY(read_names(x, line, o));
        for (int s = 0; s < CASE_STATUS_COUNT; s++)
            run->count[s] += line->count[s];
        run->all += line->cases;
        run->bad += line->bad_count;
        if (!isnan(line->x.margin) && !(run->margin >= line->x.margin))
            run->margin = line->x.margin;
    }
    qsort(run->lines, run->line_count, sizeof *run->lines, compare_lines);
    for (size_t i = 1; i < run->line_count; i++)
        if (board_compare_lines(&run->lines[i - 1], &run->lines[i]) == 0)
            return diag_fail(x->at.diag, STATUS_USAGE,
                             "%s: lines: expected each once, found %s %s twice", x->at.place.path,
                             run->lines[i].x.name,
                             run->lines[i].x.type ? run->lines[i].x.type : "");
    return STATUS_OK;
}

static enum status read_findings(struct reading *x, struct board_run *run, json_t *list)
{
    run->findings = ARENA_NEW(arena_of(x), json_array_size(list), struct summary_finding);
    if (!run->findings)
        return no_memory(x->at.diag);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct summary_finding *const f = &run->findings[run->finding_count++];

        TRY(enter(x, "findings", i, json_array_get(list, i)));
        TRY(record_read_fields(&x->at, json_array_get(list, i), &summary_finding_fields, f));
        if (!f->title || !f->severity || !f->smallest)
            return record_unexpected(&x->at, "title, severity, smallest", "strings", NULL);
    }
    return STATUS_OK;
}

static enum status keep(struct board *b, struct board_run *run, struct diag *diag)
{
    if (b->run_count == b->room) {
        const size_t room = 2 * b->room + 16;
        struct board_run **const runs = mem_resize(b->runs, room, sizeof(struct board_run *));

        if (!runs)
            return no_memory(diag);
        b->runs = runs;
        b->room = room;
    }
    b->runs[b->run_count++] = run;
    return STATUS_OK;
}

static enum status read_runs(struct reading *x, json_t *root, const char *file)
{
    const size_t before = x->board->run_count;
    enum status s = STATUS_OK;
    json_t *list, *part;

    TRY(record_read_array(&x->at, root, "runs", true, &list));
    if (json_array_size(list) > RUNS_MAX)
        return record_unexpected(&x->at, "runs", "at most 1000", list);
    for (size_t i = 0; s == STATUS_OK && i < json_array_size(list); i++) {
        json_t *const o = json_array_get(list, i);
        struct board_run *const run = ARENA_NEW(arena_of(x), 1, struct board_run);

        s = run ? enter(x, "runs", i, o) : no_memory(x->at.diag);
        if (s == STATUS_OK)
            s = record_read_fields(&x->at, o, &summary_run_fields, &run->x);
        if (s == STATUS_OK && (!run->x.subject || !run->x.assay))
            s = record_unexpected(&x->at, "subject, assay", "strings", NULL);
        if (s == STATUS_OK)
            s = record_read_array(&x->at, o, "lines", true, &part);
        if (s == STATUS_OK)
            s = read_lines(x, run, part);
        if (s == STATUS_OK)
            s = enter(x, "runs", i, o);
        if (s == STATUS_OK)
            s = record_read_array(&x->at, o, "findings", true, &part);
        if (s == STATUS_OK)
            s = read_findings(x, run, part);
        if (s == STATUS_OK && !(run->file = arena_string(arena_of(x), file)))
            s = no_memory(x->at.diag);
        if (s == STATUS_OK)
            s = keep(x->board, run, x->at.diag);
    }
    if (s != STATUS_OK)
        x->board->run_count = before; /* of a broken report nothing is shown */
    return s;
}

/* ---- reports ---- */

/* Of a summary its JSON; NULL where the file is none, and STATUS_OK. */
static enum status read_summary(const char *file, json_t **root, struct diag *diag)
{
    uint8_t *bytes;
    size_t count, at = 0;
    json_error_t error;

    *root = NULL;
    TRY(file_read(file, FILE_BYTES, &bytes, &count, diag));
    while (at < count && strchr(" \t\r\n{", bytes[at]))
        at++;
    if (count - at < 9 || memcmp(bytes + at, "\"summary\"", 9) != 0) {
        mem_free(bytes);
        return STATUS_OK;
    }
    *root = json_parse((const char *)bytes, count, JSON_REJECT_DUPLICATES, &error);
    mem_free(bytes);
    return *root ? STATUS_OK
                 : diag_fail(diag, STATUS_USAGE, "%s: line %d: %s", file,
                             error.line > 0 ? error.line : 1, error.text);
}

static enum status sum_up(const char *file, json_t **root, struct diag *diag)
{
    struct arena arena = { .blocks = NULL };
    struct exposure exposure;
    struct record r;
    enum status s;

    TRY(record_read(&r, file, diag));
    s = exposure_open(&exposure, &r, &arena, diag);
    if (s == STATUS_OK && !(*root = summary_json(&r, diag)))
        s = STATUS_NO_MEMORY;
    arena_close(&arena);
    record_close(&r);
    return s;
}

enum status board_add(struct board *b, const char *file, struct diag *diag)
{
    struct reading x = { { &b->store, { .path = file, .index = SIZE_MAX }, diag }, b, 0 };
    json_t *root = NULL;
    enum status s = read_summary(file, &root, diag);

    if (s == STATUS_OK && !root)
        s = sum_up(file, &root, diag);
    if (s == STATUS_OK && json_integer_value(json_object_get(root, "summary")) != SUMMARY_FORM)
        s = record_unexpected(&x.at, "summary", "1, the form that this version reads",
                              json_object_get(root, "summary"));
    if (s == STATUS_OK)
        s = read_runs(&x, root, file);
    json_decref(root);
    if (s == STATUS_OK || s == STATUS_NO_MEMORY)
        return s;
    notes_add(&b->broken, "%s", diag->text);
    diag_clear(diag);
    return STATUS_OK;
}

/* ---- pages ---- */

static int compare_page_of(const struct board_run *a, const struct board_run *b)
{
    const int order = strcmp(a->x.subject, b->x.subject);

    return order ? order : compare_maybe(a->x.device.name, b->x.device.name);
}

/* Whether the version is one that can be ordered: no hash. */
static bool is_number(const char *version)
{
    return version && isdigit((unsigned char)*version);
}

static int compare_runs(const void *x, const void *y)
{
    const struct board_run *const a = *(struct board_run *const *)x;
    const struct board_run *const b = *(struct board_run *const *)y;
    int order = compare_page_of(a, b);

    if (order == 0)
        order = is_number(a->x.version) - is_number(b->x.version);
    if (order == 0 && is_number(a->x.version))
        order = strverscmp(a->x.version, b->x.version);
    if (order == 0)
        order = compare_maybe(a->x.started, b->x.started);
    return order ? order : strcmp(a->file, b->file);
}

/* Whether the second one is the first one again: a report and its summary, or a copy. */
static bool is_again(const struct board_run *a, const struct board_run *b)
{
    return compare_page_of(a, b) == 0 && a->x.started && b->x.started &&
           strcmp(a->x.started, b->x.started) == 0 &&
           compare_maybe(a->x.version, b->x.version) == 0 &&
           compare_maybe(a->x.bounds, b->x.bounds) == 0 &&
           memcmp(a->count, b->count, sizeof a->count) == 0;
}

static void leave_out_copies(struct board *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->run_count; i++) {
        if (kept > 0 && is_again(b->runs[kept - 1], b->runs[i]))
            notes_add(&b->remarks, "%s: %s: the same run as in %s, left out", b->runs[i]->file,
                      b->runs[i]->x.subject, b->runs[kept - 1]->file);
        else
            b->runs[kept++] = b->runs[i];
    }
    b->run_count = kept;
}

/* Words of name and device with '-' between, and a number where another page, or the index, has
 * them. */
static char *slug_of(struct board *b, const struct board_page *page)
{
    enum { LONGEST = 80, NUMBER = 24 };
    char text[LONGEST + NUMBER + 1];
    size_t length = 0;
    bool taken;

    for (int part = 0; part < 2; part++) {
        const char *p = part ? page->device : page->name;

        if (part && length < LONGEST)
            text[length++] = '-';
        for (; p && *p && length < LONGEST; p++) {
            if (isascii(*p) && isalnum((unsigned char)*p))
                text[length++] = (char)tolower((unsigned char)*p);
            else if (length > 0 && text[length - 1] != '-')
                text[length++] = '-';
        }
        while (length > 0 && text[length - 1] == '-')
            length--;
    }
    if (length == 0)
        length = (size_t)snprintf(text, sizeof text, "subject");
    text[length] = '\0';
    taken = strcmp(text, "index") == 0;
    for (size_t i = 0; i < b->page_count && !taken; i++) {
        const char *const other = b->pages[i].slug;

        taken =
            strncmp(other, text, length) == 0 && (other[length] == '\0' || other[length] == '.');
    }
    if (taken)
        snprintf(text + length, NUMBER, ".%zu", b->page_count);
    return arena_string(&b->store.arena, text);
}

/* Says what makes two runs that stand side by side less comparable than they look. */
static void remark(struct board *b, const struct board_run *was, const struct board_run *is)
{
    const char *const name = is->x.subject;

    if (compare_maybe(was->x.list_sha256, is->x.list_sha256) != 0 ||
        was->x.list_count != is->x.list_count)
        notes_add(
            &b->remarks,
            "%s: %s and %s are of other lists of cases (%zu and %zu): ops whose cases are not "
            "the same are compared by the names of failures",
            name, was->file, is->file, was->x.list_count, is->x.list_count);
    if (compare_maybe(was->x.bounds, is->x.bounds) != 0)
        notes_add(&b->remarks, "%s: %s is held to the bounds %s, %s to %s", name, was->file,
                  was->x.bounds ? was->x.bounds : "not known", is->file,
                  is->x.bounds ? is->x.bounds : "not known");
    if (strcmp(was->x.assay, is->x.assay) != 0)
        notes_add(&b->remarks, "%s: %s is of Assay %s, %s of %s", name, was->file, was->x.assay,
                  is->file, is->x.assay);
}

enum status board_settle(struct board *b, struct diag *diag)
{
    struct board_page *page = NULL;

    if (b->run_count > 0)
        qsort(b->runs, b->run_count, sizeof(struct board_run *), compare_runs);
    leave_out_copies(b);
    b->pages = ARENA_NEW(&b->store.arena, b->run_count, struct board_page);
    if (!b->pages)
        return no_memory(diag);
    for (size_t i = 0; i < b->run_count; i++) {
        struct board_run *const run = b->runs[i];

        if (!page || compare_page_of(page->runs[0], run) != 0) {
            page = &b->pages[b->page_count];
            *page = (struct board_page){ run->x.subject, run->x.device.name, NULL, &b->runs[i], 0 };
            if (!(page->slug = slug_of(b, page)))
                return no_memory(diag);
            b->page_count++;
        } else {
            remark(b, b->runs[i - 1], run);
        }
        page->count++;
        if (run->x.part)
            notes_add(&b->remarks, "%s: %s is not of all cases: %s", run->x.subject, run->file,
                      run->x.part);
        if (run->x.not_run)
            notes_add(&b->remarks, "%s: %s: not run: %s", run->x.subject, run->file,
                      run->x.not_run);
    }
    return STATUS_OK;
}

void board_close(struct board *b)
{
    notes_close(&b->broken);
    notes_close(&b->remarks);
    mem_free(b->runs);
    record_close(&b->store);
    *b = (struct board){ .runs = NULL };
}
