/* Counts classes of cases, reads what is claimed of them, and holds a run to it. */
#include "conformance/report/record/classes.h"

#include "conformance/suite/bounds/classes.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/util/output.h"
#include "conformance/util/words.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- counting ---- */

static const struct record_case *case_of(const struct record *r, size_t result)
{
    return &r->cases[r->results[result].test_case];
}

/* By subject, op and type. */
static int compare_groups(const struct record *r, size_t i, size_t j)
{
    const struct record_case *const x = case_of(r, i), *const y = case_of(r, j);
    int order = strcmp(x->op, y->op);

    if (r->results[i].subject != r->results[j].subject)
        return r->results[i].subject > r->results[j].subject ? 1 : -1;
    return order ? order : strcmp(x->type, y->type);
}

static int compare_results(const void *a, const void *b, void *user)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const int order = compare_groups(user, i, j);

    return order ? order : (i > j) - (i < j);
}

/* The index of a class, which is added; GROUP_CLASSES_MAX when there is no room. */
static size_t class_of(struct class_group *g, const char *name, size_t length)
{
    size_t i = 0;

    while (i < g->count && (strncmp(g->names[i], name, length) != 0 || g->names[i][length] != '\0'))
        i++;
    if (i == g->count && i < GROUP_CLASSES_MAX && length < CASE_CLASS_BYTES) {
        memcpy(g->names[i], name, length);
        g->names[i][length] = '\0';
        g->count++;
    }
    return i;
}

static void count(struct class_count *c, const struct record_result *result, size_t index)
{
    if (result->status != CASE_DECLINED) {
        c->taken++;
        return;
    }
    c->declined++;
    c->limited += result->what && strncmp(result->what, "limits.", 7) == 0;
    c->example = index;
}

static void add_result(struct class_group *g, const struct record *r, size_t index)
{
    const struct record_result *const result = &r->results[index];
    size_t of[CASE_CLASSES_MAX], n = 0;

    for (const char *at = case_of(r, index)->classes; *at && n < CASE_CLASSES_MAX;) {
        const size_t length = strcspn(at, " ");
        const size_t i = class_of(g, at, length);

        if (i < GROUP_CLASSES_MAX)
            of[n++] = i;
        at += length + (at[length] == ' ');
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            count(of[i] < of[j] ? &g->of[of[i]][of[j]] : &g->of[of[j]][of[i]], result, index);
}

enum status classes_each(const struct record *r, size_t subject,
                         void see(const struct class_group *, void *user), void *user,
                         struct diag *diag)
{
    size_t *const order = mem_alloc(r->result_count + 1, sizeof *order);
    struct class_group *const g = mem_alloc(1, sizeof *g);
    size_t n = 0;

    if (!order || !g) {
        mem_free(order);
        mem_free(g);
        return diag_fail(diag, STATUS_NO_MEMORY, "classes: out of memory");
    }
    for (size_t i = 0; i < r->result_count; i++)
        if (case_of(r, i)->classes && (subject == SIZE_MAX || r->results[i].subject == subject))
            order[n++] = i;
    qsort_r(order, n, sizeof *order, compare_results, (void *)(uintptr_t)r);
    for (size_t i = 0; i < n; i++) {
        g->subject = r->results[order[i]].subject;
        g->op = case_of(r, order[i])->op;
        g->type = case_of(r, order[i])->type;
        add_result(g, r, order[i]);
        if (i + 1 < n && compare_groups(r, order[i], order[i + 1]) == 0)
            continue;
        see(g, user);
        for (size_t k = 0; k < g->count; k++)
            memset(g->of[k], 0, g->count * sizeof g->of[k][0]);
        g->count = 0;
    }
    mem_free(order);
    mem_free(g);
    return STATUS_OK;
}

/* ---- claims ---- */

enum { OP, TYPE, BOUNDS, TAKEN, DECLINED, COLUMNS, ROWS_MAX = 16384, WORDS_MAX = 4096 };
static const char *const header[COLUMNS] = { "op", "type", "bounds", "taken", "declined" };

static bool is_type(const char *name)
{
    for (int i = 0; i < CASE_TYPE_COUNT; i++)
        if (strcmp(case_types[i].name, name) == 0)
            return true;
    return false;
}

/* "strided_slice.f32", of line 7 of a file. */
static enum status unknown(const struct class_claims *c, const struct class_claim *row,
                           struct diag *diag, const char *what, const char *found, const char *near)
{
    char where[32] = "";

    if (c->path)
        snprintf(where, sizeof where, ": line %zu", row->line);
    return diag_fail(diag, STATUS_USAGE, "%s%s: %.60s.%.20s: expected %s, found '%.60s'%s%s%s",
                     c->path ? c->path : "--require-classes", where, row->op, row->type, what,
                     found, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Checks each class of a list, and both of each pair. */
static enum status check_words(const struct class_claims *c, const struct class_claim *row,
                               const char *words, struct diag *diag)
{
    const char *const op = strcmp(row->op, "*") == 0 ? NULL : row->op;
    size_t n = 0;

    for (const char *at = words; *at;) {
        const size_t length = strcspn(at, " +");
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
        if (!case_class_is_known(op, name))
            return unknown(c, row, diag, "a class of the op (REPORTS.md)", name,
                           case_class_nearest(op, name));
        if (++n > WORDS_MAX)
            return unknown(c, row, diag, "at most 4096 classes", name, NULL);
        at += length;
        if (*at && !at[1])
            return unknown(c, row, diag, "a class behind the last sign", at, NULL);
        at += *at != '\0';
    }
    return STATUS_OK;
}

static enum status check_claim(const struct class_claims *c, const struct class_claim *row,
                               struct diag *diag)
{
    enum bounds floats, integers;

    if (strcmp(row->op, "*") != 0 && !ref_find_name(row->op))
        return unknown(c, row, diag, "an op, such as conv_2d, or *", row->op, NULL);
    if (strcmp(row->type, "*") != 0 && !is_type(row->type))
        return unknown(c, row, diag, "a type, such as f32 or i8pc, or *", row->type, NULL);
    if (strcmp(row->bounds, "*") != 0 &&
        bounds_parse(row->bounds, &floats, &integers, NULL) != STATUS_OK)
        return unknown(c, row, diag, "bounds, such as fp16 or exact, or *", row->bounds, NULL);
    TRY(check_words(c, row, row->taken, diag));
    return check_words(c, row, row->declined, diag);
}

static enum status read_file(struct class_claims *c, const char *path, struct diag *diag)
{
    c->path = path;
    TRY(tsv_read(&c->table, path, header, COLUMNS, diag));
    if (c->table.rows > ROWS_MAX)
        return diag_fail(diag, STATUS_USAGE, "%s: expected at most %d rows, found %zu", path,
                         ROWS_MAX, c->table.rows);
    c->rows = ARENA_NEW(&c->arena, c->table.rows + 1, struct class_claim);
    if (!c->rows)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    for (size_t i = 0; i < c->table.rows; i++) {
        c->rows[c->count] = (struct class_claim)
        {
            tsv_cell(&c->table, i, OP), tsv_cell(&c->table, i, TYPE),
                tsv_cell(&c->table, i, BOUNDS), tsv_cell(&c->table, i, TAKEN),
                tsv_cell(&c->table, i, DECLINED), c->table.lines[i]
        };
        TRY(check_claim(c, &c->rows[c->count++], diag));
    }
    return STATUS_OK;
}

static enum status read_list(struct class_claims *c, const char *text, struct diag *diag)
{
    char *rest = arena_string(&c->arena, text), *item;
    size_t most = 1;

    for (const char *at = text; *at; at++)
        most += *at == ',';
    c->rows = ARENA_NEW(&c->arena, most, struct class_claim);
    if (!rest || !c->rows)
        return diag_fail(diag, STATUS_NO_MEMORY, "--require-classes: out of memory");
    while ((item = strsep(&rest, ",")) != NULL) {
        char *const colon = strchr(item, ':'), *const dot = strchr(item, '.');

        if (!colon || !dot || dot > colon || !colon[1])
            return diag_fail(diag, STATUS_USAGE,
                             "--require-classes: expected OP.TYPE:CLASS, such as "
                             "conv_2d.f32:stride_w, found '%.80s'",
                             item);
        *colon = *dot = '\0';
        c->rows[c->count] = (struct class_claim){ item, dot + 1, "*", colon + 1, "", 0 };
        TRY(check_claim(c, &c->rows[c->count++], diag));
    }
    return STATUS_OK;
}

enum status class_claims_open(struct class_claims *c, const char *text, struct diag *diag)
{
    *c = (struct class_claims){ .count = 0 };
    return !strchr(text, '/') && access(text, F_OK) != 0 ? read_list(c, text, diag)
                                                         : read_file(c, text, diag);
}

void class_claims_close(struct class_claims *c)
{
    tsv_close(&c->table);
    arena_close(&c->arena);
    *c = (struct class_claims){ .count = 0 };
}

/* ---- checking ---- */

struct checking {
    const struct class_claims *claims;
    const struct record *record;
    bool *met; /* of each row: there is a group that it is about */
    struct ledger_problems *problems;
};

static size_t find_class(const struct class_group *g, const char *name, size_t length)
{
    size_t i = 0;

    while (i < g->count && (strncmp(g->names[i], name, length) != 0 || g->names[i][length] != '\0'))
        i++;
    return i;
}

static void say(struct checking *x, const struct class_group *g, const char *name, size_t length,
                const struct class_count *c)
{
    FILE *const out = x->problems->out;
    const struct record *const r = x->record;

    x->problems->count++;
    fprintf(out, "assay: classes: %s.%s:%.*s on ", g->op, g->type, (int)length, name);
    clean_print(out, r->subjects[g->subject].label);
    if (!c) {
        fputs(": expected to be taken, found no case of it\n", out);
        return;
    }
    fprintf(out, ": expected to be taken, found %zu case%s declined, such as %s: ", c->declined,
            c->declined == 1 ? "" : "s", case_of(r, c->example)->name);
    clean_print(out, r->results[c->example].what ? r->results[c->example].what : "");
    fputc('\n', out);
}

static bool is_lost(const struct class_count *c)
{
    return c->taken == 0 && c->declined > 0 && c->limited == 0;
}

/* Checks one class, or a pair of them; false when no case of the group is of it. */
static bool check_word(struct checking *x, const struct class_group *g, const char *word,
                       size_t length)
{
    const size_t first = strcspn(word, "+ ");
    size_t i = find_class(g, word, first), j = i;
    const struct class_count *c;

    if (first < length)
        j = find_class(g, word + first + 1, length - first - 1);
    if (i > j) {
        const size_t other = i;

        i = j;
        j = other;
    }
    c = j < g->count ? &g->of[i][j] : NULL;
    if (!c || c->taken + c->declined == 0)
        return false;
    if (is_lost(c))
        say(x, g, word, length, c);
    return true;
}

/* Pairs that the row does not name follow from its classes: each is taken, so both are.  One cause
 * loses many pairs: the one with the most cases is told. */
static void check_pairs(struct checking *x, const struct class_group *g,
                        const struct class_claim *row)
{
    const struct class_count *most = NULL;
    char told[2 * CASE_CLASS_BYTES + 64];
    size_t lost = 0;

    for (size_t i = 0; i < g->count; i++) {
        if (is_lost(&g->of[i][i]) || !words_have(row->taken, g->names[i], ' '))
            continue;
        for (size_t j = i + 1; j < g->count; j++) {
            char pair[2 * CASE_CLASS_BYTES], turned[2 * CASE_CLASS_BYTES];

            if (!is_lost(&g->of[i][j]) || is_lost(&g->of[j][j]) ||
                !words_have(row->taken, g->names[j], ' '))
                continue;
            snprintf(pair, sizeof pair, "%s+%s", g->names[i], g->names[j]);
            snprintf(turned, sizeof turned, "%s+%s", g->names[j], g->names[i]);
            if (words_have(row->declined, pair, ' ') || words_have(row->declined, turned, ' '))
                continue;
            lost++;
            if (most && most->declined >= g->of[i][j].declined)
                continue;
            most = &g->of[i][j];
            snprintf(told, sizeof told, "%s", pair);
        }
    }
    if (lost > 1)
        snprintf(told + strlen(told), 48, " and %zu other pairs", lost - 1);
    if (lost > 0)
        say(x, g, told, strlen(told), most);
}

static bool names(const char *claimed, const char *found)
{
    return strcmp(claimed, "*") == 0 || strcmp(claimed, found) == 0;
}

static void check_group(const struct class_group *g, void *user)
{
    struct checking *const x = user;
    const char *bounds = x->record->subjects[g->subject].bounds;

    bounds = bounds ? bounds : "";
    for (size_t i = 0; i < x->claims->count; i++) {
        const struct class_claim *const row = &x->claims->rows[i];
        const bool exact = strcmp(row->op, "*") != 0 && strcmp(row->type, "*") != 0;

        if (!names(row->op, g->op) || !names(row->type, g->type) ||
            !(names(row->bounds, bounds) || words_have(bounds, row->bounds, ',')))
            continue;
        for (const char *at = row->taken; *at;) {
            const size_t n = strcspn(at, " ");

            if (check_word(x, g, at, n))
                x->met[i] = true;
            else if (exact)
                say(x, g, at, n, NULL);
            x->met[i] = x->met[i] || exact;
            at += n + (at[n] != '\0');
        }
        check_pairs(x, g, row);
    }
}

enum status class_claims_check(const struct class_claims *c, const struct record *r,
                               struct ledger_problems *problems, struct diag *diag)
{
    struct checking x = { .claims = c, .record = r, .problems = problems };

    x.met = mem_alloc(c->count + 1, sizeof *x.met);
    if (!x.met)
        return diag_fail(diag, STATUS_NO_MEMORY, "classes: out of memory");
    if (classes_each(r, SIZE_MAX, check_group, &x, diag) != STATUS_OK) {
        mem_free(x.met);
        return diag->status;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (x.met[i] || !*c->rows[i].taken)
            continue;
        problems->count++;
        fprintf(problems->out, "assay: classes: %s.%s:%s: expected to be taken, found no case\n",
                c->rows[i].op, c->rows[i].type, c->rows[i].taken);
    }
    mem_free(x.met);
    return STATUS_OK;
}

/* ---- writing ---- */

struct written {
    char *op, *type, *bounds, *words; /* words: "taken\tdeclined" */
};

struct writing {
    const struct record *record;
    struct arena arena;
    struct written *rows;
    size_t count, room;
    bool failed;
};

static int compare_names(const void *a, const void *b, void *user)
{
    const struct class_group *const g = user;

    return strcmp(g->names[*(const size_t *)a], g->names[*(const size_t *)b]);
}

/* What is wholly declined; of pairs those whose classes are both taken without the other. */
static void write_words(const struct class_group *g, FILE *out)
{
    size_t order[GROUP_CLASSES_MAX];
    const char *gap = "";

    for (size_t i = 0; i < g->count; i++)
        order[i] = i;
    qsort_r(order, g->count, sizeof *order, compare_names, (void *)(uintptr_t)g);
    for (size_t i = 0; i < g->count; i++) {
        if (g->of[order[i]][order[i]].taken == 0)
            continue;
        fprintf(out, "%s%s", gap, g->names[order[i]]);
        gap = " ";
    }
    fputc('\t', out);
    gap = "";
    for (size_t i = 0; i < g->count; i++) {
        const size_t a = order[i];

        if (g->of[a][a].taken == 0) {
            fprintf(out, "%s%s", gap, g->names[a]);
            gap = " ";
        }
        for (size_t j = i + 1; j < g->count; j++) {
            const size_t b = order[j];
            const struct class_count *const both = a < b ? &g->of[a][b] : &g->of[b][a];

            if (both->declined == 0 || both->taken > 0 || g->of[a][a].taken == 0 ||
                g->of[b][b].taken == 0)
                continue;
            fprintf(out, "%s%s+%s", gap, g->names[a], g->names[b]);
            gap = " ";
        }
    }
}

static void keep_group(const struct class_group *g, void *user)
{
    struct writing *const x = user;
    const char *const bounds = x->record->subjects[g->subject].bounds;
    struct written *row;
    char *words = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&words, &bytes);

    if (!f || x->count == x->room) {
        x->failed = true;
        if (f)
            fclose(f);
        free(words);
        return;
    }
    write_words(g, f);
    x->failed = fclose(f) != 0 || x->failed;
    row = &x->rows[x->count++];
    row->op = arena_string(&x->arena, g->op);
    row->type = arena_string(&x->arena, g->type);
    row->bounds = arena_string(&x->arena, !bounds || strchr(bounds, ',') ? "*" : bounds);
    row->words = words ? arena_string(&x->arena, words) : NULL;
    free(words);
    x->failed = x->failed || !row->op || !row->type || !row->bounds || !row->words;
}

static int compare_written(const void *a, const void *b)
{
    const struct written *const x = a, *const y = b;
    int order = strcmp(x->op, y->op);

    if (order == 0)
        order = strcmp(x->type, y->type);
    return order ? order : strcmp(x->bounds, y->bounds);
}

static bool same_group(const struct written *a, const struct written *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->type, b->type) == 0;
}

/* One row where all subjects are alike. */
static void write_rows(const struct writing *x, FILE *out)
{
    fputs("# Which classes of attributes and shapes are taken: conformance/doc/REPORTS.md.\n", out);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "%s%s", i ? "\t" : "", header[i]);
    fputc('\n', out);
    for (size_t i = 0, next; i < x->count; i = next) {
        bool alike = true;

        for (next = i + 1; next < x->count && same_group(&x->rows[i], &x->rows[next]); next++)
            alike = alike && strcmp(x->rows[i].words, x->rows[next].words) == 0;
        for (size_t k = i; k < (alike ? i + 1 : next); k++)
            fprintf(out, "%s\t%s\t%s\t%s\n", x->rows[k].op, x->rows[k].type,
                    alike ? "*" : x->rows[k].bounds, x->rows[k].words);
    }
}

enum status classes_write(const struct record *r, const char *path, struct diag *diag)
{
    struct writing x = { .record = r, .room = ROWS_MAX };
    struct output o;
    enum status s = STATUS_OK;

    x.rows = ARENA_NEW(&x.arena, x.room, struct written);
    if (!x.rows || !output_open(&o))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (s == STATUS_OK) {
        s = classes_each(r, SIZE_MAX, keep_group, &x, diag);
        qsort(x.rows, x.count, sizeof *x.rows, compare_written);
        if (s == STATUS_OK)
            write_rows(&x, o.file);
        if ((fclose(o.file) != 0 || x.failed) && s == STATUS_OK)
            s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
        if (s == STATUS_OK)
            s = output_write_file(path, o.text, o.bytes, diag);
        free(o.text);
    }
    arena_close(&x.arena);
    return s;
}
