/* Which findings are of one cause in several ops. */
#include "conformance/report/record/cluster_impl.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <stdio.h>
#include <string.h>

const char *cluster_stem(const char *ops)
{
    char op[64];
    const struct ref_op *known;
    const struct op_facts *facts;

    snprintf(op, sizeof op, "%.*s", (int)strcspn(ops, " "), ops);
    known = ref_find_name(op);
    facts = known ? op_facts_find(known->code) : NULL;
    return facts ? facts->stem : NULL;
}

/* Whether the finding has a case of the same row and type, of another op: "i8.other_scale". */
static bool has_row(const struct clusters *c, const struct finding *f, const char *row)
{
    for (size_t i = 0; i < f->count && i < ROWS_MAX; i++) {
        const char *const name = c->record->cases[c->record->results[f->results[i]].test_case].name;
        const char *const at = strchr(name, '.');

        if (at && strcmp(at, row) == 0)
            return true;
    }
    return false;
}

/* Whether one of the ops has a case of the row. */
static bool could_have(const struct clusters *c, const char *ops, const char *row)
{
    while (*ops) {
        const int length = (int)strcspn(ops, " ");
        char name[256];

        snprintf(name, sizeof name, "%.*s%s", length, ops, row);
        if (record_find_case(c->record, name) != SIZE_MAX)
            return true;
        ops += length + (ops[length] == ' ');
    }
    return false;
}

/* Ops of a family have the rows of its suite: b has at least a half of those of a that its ops
 * have. */
static bool share_rows(const struct clusters *c, const struct finding *a, const struct finding *b)
{
    size_t shared = 0, possible = 0;

    for (size_t i = 0; i < a->count && i < ROWS_MAX; i++) {
        const char *const name = c->record->cases[c->record->results[a->results[i]].test_case].name;
        const char *const row = strchr(name, '.');

        if (!row || !could_have(c, b->ops, row))
            continue;
        possible++;
        shared += has_row(c, b, row);
    }
    return shared > 1 && 2 * shared >= possible;
}

/* Whether a pattern says what is special of the model, and not its sizes or types. */
static bool is_telling(const struct finding *f)
{
    static const char *const sizes[] = { "tail", "output_tail", "batch", "8 bits", "large" };

    for (size_t i = 0; i < f->claim_count; i++) {
        if (f->claims[i].fact.kind != FACT_CLASS || f->claims[i].relation != HAS)
            return false;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            if (strcmp(f->claims[i].fact.name, sizes[k]) == 0)
                return false;
    }
    return f->claim_count > 0;
}

/* Whether two findings are of one cause: refusals and crashes under one condition; wrong values of
 * a family of ops under one condition or, where none is known, in the same rows. */
static bool is_one_cause(const struct clusters *c, const struct finding *a, const struct finding *b)
{
    const char *const stem = cluster_stem(a->ops), *const other = cluster_stem(b->ops);
    const bool one_pattern = a->pattern && b->pattern && strcmp(a->pattern, b->pattern) == 0;

    if (a->subject != b->subject || a->by_reason != b->by_reason || a->title || b->title)
        return false;
    if (a->by_reason)
        return one_pattern;
    if (a->status == b->status && one_pattern && is_telling(a))
        return true;
    if (a->status != b->status || !stem || !other || strcmp(stem, other) != 0)
        return false;
    return a->pattern || b->pattern ? one_pattern : share_rows(c, a, b) || share_rows(c, b, a);
}

/* The cases of two findings; NULL: there is no memory. */
static struct entry *entries_of(const struct clusters *c, const struct finding *x,
                                const struct finding *y)
{
    struct entry *const e = ARENA_NEW(c->arena, x->count + y->count, struct entry);

    for (size_t i = 0; e && i < x->count + y->count; i++)
        e[i] = *c->entry_of[i < x->count ? x->results[i] : y->results[i - x->count]];
    if (!e)
        diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    return e;
}

static void take_pattern(struct finding *f, const struct finding *of)
{
    f->pattern = of->pattern;
    f->passing_with = of->passing_with;
    f->claim_count = of->claim_count;
    memcpy(f->claims, of->claims, sizeof f->claims);
}

/* Makes one finding of two, called by the worse. */
static enum status merge(struct clusters *c, size_t a, size_t b)
{
    const bool swap = c->findings[b].severity < c->findings[a].severity;
    const struct finding x = c->findings[swap ? b : a], y = c->findings[swap ? a : b];
    const struct entry *const e = entries_of(c, &x, &y);
    const size_t all = c->count;

    if (!e)
        return STATUS_NO_MEMORY;
    c->count = a;
    TRY(cluster_add(c, e, x.count + y.count));
    take_pattern(&c->findings[a], &x);
    c->findings[a].passing_with += y.passing_with;
    for (size_t i = b; i + 1 < all; i++)
        c->findings[i] = c->findings[i + 1];
    c->count = all - 1;
    for (size_t i = b; i < c->count; i++)
        for (size_t k = 0; k < c->findings[i].count; k++)
            c->of[c->findings[i].results[k]] = i;
    return STATUS_OK;
}

/* Two patterns of one op may be parts of one that no passing case has. */
static enum status merge_joint(struct clusters *c, size_t a, size_t b, bool *merged)
{
    const struct finding *const x = &c->findings[a], *const y = &c->findings[b];
    struct finding joint = { .count = x->count + y->count };
    const struct entry *e;

    *merged = false;
    if (x->subject != y->subject || x->by_reason || y->by_reason || !x->pattern || !y->pattern ||
        !x->op || !y->op || strcmp(x->op, y->op) != 0)
        return STATUS_OK;
    if (!(e = entries_of(c, x, y)))
        return STATUS_NO_MEMORY;
    TRY(cluster_find_pattern(c, &joint, e));
    if (!joint.pattern || joint.passing_with > 0)
        return STATUS_OK;
    TRY(merge(c, a, b));
    take_pattern(&c->findings[a], &joint);
    *merged = true;
    return STATUS_OK;
}

enum status cluster_merge(struct clusters *c)
{
    for (size_t a = 0; a < c->count && a < MERGED_MAX; a++) {
        for (size_t b = a + 1; b < c->count && b < MERGED_MAX;) {
            bool merged = is_one_cause(c, &c->findings[a], &c->findings[b]);

            if (merged)
                TRY(merge(c, a, b));
            else
                TRY(merge_joint(c, a, b, &merged));
            b += !merged;
        }
    }
    return STATUS_OK;
}
