/* Sorts all failed and passed results by subject and op, then the failed ones of each op by status
 * and reason; what follows each other there is a finding. */
#include "conformance/report/record/cluster.h"

#include "conformance/report/record/pattern.h"
#include "reference/base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Patterns are looked for in the largest findings of an op, among so many cases at most. */
enum { PATTERNS_PER_OP = 16, PATTERN_CASES = 4000 };

struct entry {
    const char *op, *title, *what;
    size_t subject, result;
    enum case_status status;
    bool failed;
};

struct clusters {
    const struct record *record;
    struct arena *arena;
    struct diag *diag;
    struct entry *entries;
    size_t entry_count;
    struct finding *findings;
    size_t count;
};

/* ---- reasons without numbers ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Length of the number that begins at text; 0 when none does.  `before` is the character in front.
 */
static size_t number_length(const char *text, char before)
{
    const char *at = text;
    char *end;

    if (is_word(before))
        return 0;
    if ((*at == '-' || *at == '+') && before != ')')
        at++;
    if (!isdigit((unsigned char)*at) && strncmp(at, "inf", 3) != 0 && strncmp(at, "nan", 3) != 0)
        return 0;
    strtod(at, &end);
    /* "infinite" and "2nd" are words. */
    return end == at || is_word(*end) ? 0 : (size_t)(end - text);
}

void cluster_normalize(const char *reason, char *out, size_t bytes)
{
    size_t used = 0;
    char before = ' ';

    while (*reason && used + 1 < bytes) {
        const bool is_set = *reason == 'S' && isdigit((unsigned char)reason[1]) &&
                            !is_word(reason[2]) && !is_word(before);
        const size_t length = is_set ? 2 : number_length(reason, before);

        if (length == 0) {
            before = *reason;
            out[used++] = *reason++;
            continue;
        }
        reason += length;
        before = reason[-1];
        /* A list of numbers, such as a shape of any rank, becomes one. */
        if (!is_set && used >= 3 && strncmp(out + used - 3, "#, ", 3) == 0) {
            used -= 2;
            continue;
        }
        if (is_set && used + 2 < bytes)
            out[used++] = 'S';
        out[used++] = '#';
    }
    out[used] = '\0';
}

/* ---- sorting ---- */

static int compare_text(const char *a, const char *b)
{
    if (a == b)
        return 0;
    if (!a || !b)
        return a ? 1 : -1;
    return strcmp(a, b);
}

static int compare_op(const struct entry *a, const struct entry *b)
{
    const int title = compare_text(a->title, b->title);

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    return title ? title : compare_text(a->op, b->op);
}

static int compare_kind(const struct entry *a, const struct entry *b)
{
    if (a->status != b->status)
        return a->status < b->status ? -1 : 1;
    return compare_text(a->what, b->what);
}

static int compare_entries(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;
    int order = compare_op(a, b);

    if (order == 0 && a->failed != b->failed)
        return a->failed ? -1 : 1;
    if (order == 0 && a->failed)
        order = compare_kind(a, b);
    return order ? order : a->result < b->result ? -1 : a->result > b->result;
}

static int compare_findings(const void *x, const void *y)
{
    const struct finding *const a = x, *const b = y;

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->results[0] < b->results[0] ? -1 : 1;
}

/* ---- entries ---- */

static enum status add_entry(struct clusters *c, size_t result)
{
    /* Where sums are exact, in data set S2, the limit is 0: no other kind of failure. */
    static const char exact[] = "not equal (# of # wrong)";
    const struct record_result *const r = &c->record->results[result];
    const struct record_case *const t = &c->record->cases[r->test_case];
    const bool failed = record_result_is_bad(r);
    struct entry *const e = &c->entries[c->entry_count];
    char what[512] = "";

    if (!failed && r->status != CASE_PASS)
        return STATUS_OK;
    if (failed) {
        const char *const reason = r->what ? r->what : r->reason;

        cluster_normalize(reason ? reason : "", what, sizeof what);
        if (strncmp(what, exact, strlen(exact)) == 0)
            snprintf(what, sizeof what, "over the limit (# of # wrong)");
    }
    *e = (struct entry){ .op = t->title ? NULL : t->op,
                         .title = t->title,
                         .failed = failed,
                         .what = failed ? arena_string(c->arena, what) : NULL,
                         .subject = r->subject,
                         .result = result,
                         .status = r->status };
    if (failed && !e->what)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    c->entry_count++;
    return STATUS_OK;
}

/* ---- findings ---- */

static bool is_smaller(const struct record *r, size_t a, size_t b)
{
    const struct record_case *const x = &r->cases[r->results[a].test_case];
    const struct record_case *const y = &r->cases[r->results[b].test_case];
    const double ex = facts_elements(x), ey = facts_elements(y);

    return ex != ey ? ex < ey : strlen(x->name) < strlen(y->name);
}

/* "f32 i8", in the order of the results. */
static const char *types_of(const struct clusters *c, const struct finding *f)
{
    char text[128] = "";
    size_t used = 0;

    for (size_t i = 0; i < f->count; i++) {
        const char *const type = c->record->cases[c->record->results[f->results[i]].test_case].type;
        const size_t length = type ? strlen(type) : 0;
        const char *at = text;
        bool has = length == 0 || used + length + 2 > sizeof text;

        while (!has && *at) {
            const size_t word = strcspn(at, " ");

            has = word == length && strncmp(at, type, length) == 0;
            at += word + (at[word] == ' ');
        }
        if (!has)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", type);
    }
    return arena_string(c->arena, text);
}

static enum status add_finding(struct clusters *c, const struct entry *e, size_t count,
                               size_t passing)
{
    struct finding *const f = &c->findings[c->count];
    size_t *const results = ARENA_NEW(c->arena, count, size_t);

    if (!results)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    *f = (struct finding){ .subject = e->subject,
                           .op = e->op,
                           .title = e->title,
                           .status = e->status,
                           .what = e->what,
                           .results = results,
                           .count = count,
                           .smallest = e->result,
                           .passing = passing };
    for (size_t i = 0; i < count; i++) {
        results[i] = e[i].result;
        if (is_smaller(c->record, results[i], f->smallest))
            f->smallest = results[i];
    }
    if (!(f->types = types_of(c, f)))
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    c->count++;
    return STATUS_OK;
}

/* passed holds the passing entries of the op. */
static enum status find_pattern(struct clusters *c, struct finding *f, const struct entry *passed)
{
    const size_t failing = f->count < PATTERN_CASES ? f->count : PATTERN_CASES;
    const size_t passing = f->passing < PATTERN_CASES ? f->passing : PATTERN_CASES;
    struct arena scratch = { .blocks = NULL };
    size_t *const results = ARENA_NEW(&scratch, failing + passing, size_t);
    struct pattern p = { .passing = 0 };
    struct facts facts;
    enum status s =
        results ? STATUS_OK : diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");

    for (size_t i = 0; i < failing && results; i++)
        results[i] = f->results[i];
    for (size_t i = 0; i < passing && results; i++)
        results[failing + i] = passed[i].result;
    if (s == STATUS_OK)
        s = facts_open(&facts, c->record, results, failing + passing, &scratch, c->diag);
    if (s == STATUS_OK)
        s = pattern_find(&p, &facts, failing, &scratch, c->diag);
    if (s == STATUS_OK && p.text[0]) {
        f->passing_with = p.passing;
        f->pattern = arena_string(c->arena, p.text);
    }
    arena_close(&scratch);
    return s;
}

/* The entries of one op on one subject: failed ones, then passed ones. */
static enum status add_op(struct clusters *c, const struct entry *e, size_t count)
{
    const size_t first = c->count;
    size_t failed = 0, end;

    while (failed < count && e[failed].failed)
        failed++;
    for (size_t i = 0; i < failed; i = end) {
        end = i + 1;
        while (end < failed && compare_kind(&e[i], &e[end]) == 0)
            end++;
        TRY(add_finding(c, &e[i], end - i, count - failed));
    }
    qsort(c->findings + first, c->count - first, sizeof *c->findings, compare_findings);
    for (size_t i = first; i < c->count && i < first + PATTERNS_PER_OP; i++)
        TRY(find_pattern(c, &c->findings[i], e + failed));
    return STATUS_OK;
}

enum status cluster_findings(const struct record *r, struct arena *arena, struct finding **findings,
                             size_t *count, struct diag *diag)
{
    struct clusters c = { .record = r, .arena = arena, .diag = diag };
    enum status s = STATUS_OK;
    size_t end;

    c.entries = ARENA_NEW(arena, r->result_count, struct entry);
    c.findings = ARENA_NEW(arena, r->result_count, struct finding);
    if (!c.entries || !c.findings)
        return diag_fail(diag, STATUS_NO_MEMORY, "findings: out of memory");
    for (size_t i = 0; i < r->result_count && s == STATUS_OK; i++)
        s = add_entry(&c, i);
    qsort(c.entries, c.entry_count, sizeof *c.entries, compare_entries);
    for (size_t i = 0; i < c.entry_count && s == STATUS_OK; i = end) {
        end = i + 1;
        while (end < c.entry_count && compare_op(&c.entries[i], &c.entries[end]) == 0)
            end++;
        s = add_op(&c, &c.entries[i], end - i);
    }
    qsort(c.findings, c.count, sizeof *c.findings, compare_findings);
    *findings = c.findings;
    *count = c.count;
    return s;
}
