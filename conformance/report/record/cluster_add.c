/* Makes a finding of failures that were found to belong together. */
#include "conformance/report/record/cluster_impl.h"
#include "conformance/report/record/exposure.h"
#include "conformance/report/record/how.h"
#include "conformance/util/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- order ---- */

int cluster_compare_text(const char *a, const char *b)
{
    if (a == b)
        return 0;
    if (!a || !b)
        return a ? 1 : -1;
    return strcmp(a, b);
}

int cluster_compare_op(const struct entry *a, const struct entry *b)
{
    const int title = cluster_compare_text(a->title, b->title);

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    return title ? title : cluster_compare_text(a->op, b->op);
}

int cluster_compare_kind(const struct entry *a, const struct entry *b)
{
    if (a->status != b->status)
        return a->status < b->status ? -1 : 1;
    return cluster_compare_text(a->what, b->what);
}

/* ---- words ---- */

static bool is_smaller(const struct record *r, size_t a, size_t b)
{
    const struct record_case *const x = &r->cases[r->results[a].test_case];
    const struct record_case *const y = &r->cases[r->results[b].test_case];
    const double ex = facts_elements(x), ey = facts_elements(y);

    return ex != ey ? ex < ey : strlen(x->name) < strlen(y->name);
}

/* A list of words, each once. */
struct words {
    char *text;
    size_t used, count;
};

static void add_word(struct words *w, const char *word)
{
    const size_t length = word ? strlen(word) : 0;

    if (length == 0 || w->count == WORDS_MAX || words_have(w->text, word, ' '))
        return;
    if (w->used > 0)
        w->text[w->used++] = ' ';
    memcpy(w->text + w->used, word, length);
    w->used += length;
    w->count++;
}

/* "f32 i8" and "add conv_2d", in the order of the results. */
static bool list_words(const struct clusters *c, struct finding *f)
{
    struct words types = { NULL, 0, 0 }, ops = { NULL, 0, 0 };
    size_t type_bytes = 1, op_bytes = 1;

    for (int filling = 0; filling < 2; filling++) {
        for (size_t i = 0; i < f->count; i++) {
            const struct record_case *const t =
                &c->record->cases[c->record->results[f->results[i]].test_case];

            if (filling) {
                add_word(&types, t->type);
                add_word(&ops, t->op);
            } else {
                type_bytes += t->type ? strlen(t->type) + 1 : 0;
                op_bytes += t->op ? strlen(t->op) + 1 : 0;
            }
        }
        if (!filling && (!(types.text = ARENA_NEW(c->arena, type_bytes, char)) ||
                         !(ops.text = ARENA_NEW(c->arena, op_bytes, char))))
            return false;
    }
    f->types = types.text;
    f->ops = ops.text;
    f->op_count = ops.count;
    return true;
}

/* Of wrong values "conv_2d f32 f16", or the title; else the reason. */
static const char *name_of(struct arena *arena, const struct finding *f)
{
    const char *const ops = f->op ? f->op : f->ops;
    const size_t bytes = strlen(ops) + strlen(f->types) + 2;
    char *text;

    if (f->by_reason || f->title)
        return f->by_reason ? f->what : f->title;
    if ((text = ARENA_NEW(arena, bytes, char)) != NULL)
        snprintf(text, bytes, "%s %s", ops, f->types);
    return text;
}

/* The home of an entry; NULL where this visit was there before. */
static const struct home *visit(struct clusters *c, const struct entry *e)
{
    struct home *const h = &c->homes[e->home];
    const bool again = h->visited == c->visits;

    h->visited = c->visits;
    return again ? NULL : h;
}

static void rate(struct finding *f, const struct record_result *r)
{
    const enum severity severity = severity_of(r);

    f->severity = severity < f->severity ? severity : f->severity;
    f->margin = fmax(f->margin, severity_margin(r));
}

enum status cluster_add(struct clusters *c, const struct entry *e, size_t count)
{
    struct finding *const f = &c->findings[c->count];
    size_t *const results = ARENA_NEW(c->arena, count, size_t);
    char how[HOW_BYTES];

    if (!results)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    *f = (struct finding){ .subject = e->subject,
                           .op = e->op,
                           .title = e->title,
                           .by_reason = e->outcome == HAS_REASON,
                           .status = e->status,
                           .what = e->what,
                           .results = results,
                           .count = count,
                           .severity = SEVERITY_MARGINAL,
                           .smallest = e->result };
    c->visits++;
    for (size_t i = 0; i < count; i++) {
        const struct home *const h = visit(c, &e[i]);

        f->passing += h ? h->count : 0;
        f->judged += h ? h->count + h->bad : 0;
        rate(f, &c->record->results[e[i].result]);
        results[i] = e[i].result;
        c->of[results[i]] = c->count;
        if (is_smaller(c->record, results[i], f->smallest))
            f->smallest = results[i];
        if (cluster_compare_op(&e[i], e) != 0)
            f->op = f->title = NULL;
        if (!f->by_reason && cluster_compare_kind(&e[i], e) != 0)
            f->what = "wrong values";
    }
    how_text(c->record, results, count, how);
    if (how[0] && !(f->how = arena_string(c->arena, how)))
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    f->exposure = exposure_of(c->record, results, count);
    if (!list_words(c, f) || !(f->name = name_of(c->arena, f)))
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    c->count++;
    return STATUS_OK;
}

enum status cluster_gather(struct clusters *c, const struct entry *e, size_t count,
                           struct facts *facts, size_t *failing, struct arena *scratch)
{
    const size_t room = PATTERN_CASES;
    size_t *const results = ARENA_NEW(scratch, 2 * room, size_t);
    size_t rows = count < room ? count : room;

    if (!results)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    *failing = rows;
    for (size_t i = 0; i < rows; i++)
        results[i] = e[i].result;
    c->visits++;
    for (size_t i = 0; i < count; i++) {
        const struct home *const h = visit(c, &e[i]);

        for (size_t k = 0; h && k < h->count && rows < *failing + room; k++)
            results[rows++] = h->passed[k].result;
    }
    return facts_open(facts, c->record, results, rows, scratch, c->diag);
}

enum status cluster_set_pattern(struct clusters *c, struct finding *f, const struct pattern *p)
{
    if (!p->text[0])
        return STATUS_OK;
    f->passing_with = p->passing;
    f->claim_count = p->claim_count;
    memcpy(f->claims, p->claims, sizeof f->claims);
    f->pattern = arena_string(c->arena, p->text);
    return f->pattern ? STATUS_OK : diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
}

enum status cluster_find_pattern(struct clusters *c, struct finding *f, const struct entry *e)
{
    struct arena scratch = { .blocks = NULL };
    struct pattern p = { .passing = 0 };
    struct facts facts;
    size_t failing;
    enum status s = cluster_gather(c, e, f->count, &facts, &failing, &scratch);

    if (s == STATUS_OK)
        s = pattern_find(&p, &facts, failing, &scratch, c->diag);
    if (s == STATUS_OK)
        s = cluster_set_pattern(c, f, &p);
    arena_close(&scratch);
    return s;
}
