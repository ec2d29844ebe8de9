#include "conformance/report/record/pattern.h"

#include <math.h>
#include <string.h>

enum { TRIED_MAX = 2048, PAIRED_MAX = 48, VALUES_MAX = 12 };

/* Rows that have a condition, a bit for each. */
struct tried {
    struct condition condition;
    uint64_t *rows;
    size_t failing, passing;
};

struct search {
    const struct facts *facts;
    size_t failing, passing, words;
    double least; /* share of the failing ones */
    uint64_t *is_failing;
    struct tried *conditions;
    size_t count, tried;
    struct arena *arena;
    bool ok; /* there was memory */
};

/* The rows that have all of three conditions, which may be the same. */
static void count(const struct search *s, const struct tried *const t[CLAIMS_MAX], size_t *failing,
                  size_t *passing)
{
    *failing = *passing = 0;
    for (size_t i = 0; i < s->words; i++) {
        const uint64_t all = t[0]->rows[i] & t[1]->rows[i] & t[2]->rows[i];

        *failing += (size_t)__builtin_popcountll(all & s->is_failing[i]);
        *passing += (size_t)__builtin_popcountll(all & ~s->is_failing[i]);
    }
}

static void try_condition(struct search *s, enum relation relation, size_t fact, double value,
                          int cost)
{
    struct tried t = { .condition = { relation, fact, value, cost } };

    s->tried++;
    if (!s->ok || s->count == TRIED_MAX)
        return;
    t.rows = ARENA_NEW(s->arena, s->words, uint64_t);
    s->ok = t.rows != NULL;
    for (size_t i = 0; s->ok && i < s->facts->rows; i++)
        if (condition_holds(&t.condition, s->facts->values[i]))
            t.rows[i / 64] |= UINT64_C(1) << i % 64;
    if (!s->ok)
        return;
    count(s, (const struct tried *const[]){ &t, &t, &t }, &t.failing, &t.passing);
    if (t.failing >= COVER_LEAST && t.failing + t.passing < s->facts->rows)
        s->conditions[s->count++] = t;
}

/* The values that failing cases have, a few of many. */
static void try_number(struct search *s, size_t fact, int cost)
{
    double values[VALUES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < s->failing && n < VALUES_MAX; i++) {
        const double x = s->facts->values[i][fact];
        bool known = isnan(x);

        for (size_t k = 0; k < n; k++)
            known = known || values[k] == x;
        if (!known)
            values[n++] = x;
    }
    for (size_t i = 0; i < n; i++) {
        try_condition(s, IS, fact, values[i], cost + 1);
        try_condition(s, AT_LEAST, fact, values[i], cost + 2);
        try_condition(s, AT_MOST, fact, values[i], cost + 2);
    }
    try_condition(s, IS_NOT, fact, 1, cost + 2);
    try_condition(s, DIVIDES_NOT, fact, 4, cost + 1);
    try_condition(s, DIVIDES_NOT, fact, 2, cost + 2);
}

/* Names, versions and sizes tell a part of the cases by chance: the suite chose them together. */
static void try_fact(struct search *s, size_t fact)
{
    const struct fact *const f = &s->facts->list[fact];

    if (f->kind == FACT_SHAPE && strcmp(f->name, "elements") != 0)
        try_number(s, fact, 0);
    if (f->kind != FACT_CLASS && f->kind != FACT_TYPE)
        return;
    try_condition(s, HAS, fact, 0, facts_class_is_kind(f->name) ? 0 : 1);
    try_condition(s, LACKS, fact, 0, 3);
}

/* Of failing and passing cases with a pattern: whether chance would not have it.  Where most cases
 * fail the passing ones tell little of a few. */
static bool is_believed(const struct search *s, size_t failing, size_t passing, double tried)
{
    const double f = (double)failing, p = (double)passing;

    if (failing < COVER_LEAST || (double)failing < s->least * (double)s->failing ||
        passing * 9 > failing)
        return false;
    return log(tried) + condition_log_choose((double)s->failing, f) +
               condition_log_choose((double)s->passing, p) -
               condition_log_choose((double)s->facts->rows, f + p) <
           log(0.01);
}

/* More failing cases are better; a passing one costs three, a further condition two. */
static double worth(size_t failing, size_t passing, int conditions, int cost)
{
    return (double)failing - 3 * (double)passing - 2 * (conditions - 1) - 0.1 * cost;
}

/* How much more often failing cases have it than passing ones. */
static double lift(const struct search *s, const struct tried *t)
{
    return (double)t->failing / (double)s->failing - (double)t->passing / (double)s->passing;
}

static void put_first(struct search *s)
{
    for (size_t i = 0; i < s->count && i < PAIRED_MAX; i++) {
        for (size_t k = i + 1; k < s->count; k++) {
            if (lift(s, &s->conditions[k]) > lift(s, &s->conditions[i])) {
                const struct tried swap = s->conditions[i];

                s->conditions[i] = s->conditions[k];
                s->conditions[k] = swap;
            }
        }
    }
}

/* The best pattern; one of fewer conditions has some of them twice. */
static bool find(const struct search *s, const struct tried *found[CLAIMS_MAX])
{
    const size_t n = s->count < PAIRED_MAX ? s->count : PAIRED_MAX;
    double best = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) {
            for (size_t k = j; k < (i == j ? j + 1 : n); k++) {
                const struct tried *const t[] = { &s->conditions[i], &s->conditions[j],
                                                  &s->conditions[k] };
                const int conditions = 1 + (j > i) + (k > j);
                const int cost = t[0]->condition.cost + (j > i ? t[1]->condition.cost : 0) +
                                 (k > j ? t[2]->condition.cost : 0);
                size_t failing, passing;

                count(s, t, &failing, &passing);
                if (worth(failing, passing, conditions, cost) <= best ||
                    !is_believed(s, failing, passing, pow((double)s->tried, conditions)))
                    continue;
                best = worth(failing, passing, conditions, cost);
                memcpy(found, t, sizeof t);
            }
        }
    }
    return best > 0;
}

enum status cover_find(struct pattern *p, const struct facts *f, size_t failing, double least,
                       bool **covered, struct arena *arena, struct diag *diag)
{
    struct search s = { .facts = f,
                        .failing = failing,
                        .passing = f->rows - failing,
                        .words = f->rows / 64 + 1,
                        .least = failing > f->rows - failing ? COVER_MOST : least,
                        .arena = arena,
                        .ok = true };
    const struct tried *t[CLAIMS_MAX];
    const struct condition *each[CLAIMS_MAX];
    size_t ignored, passing, different = 0;

    *p = (struct pattern){ .passing = 0 };
    if (failing < COVER_LEAST || s.passing == 0)
        return STATUS_OK;
    s.is_failing = ARENA_NEW(arena, s.words, uint64_t);
    s.conditions = ARENA_NEW(arena, TRIED_MAX, struct tried);
    *covered = ARENA_NEW(arena, failing, bool);
    if (!s.is_failing || !s.conditions || !*covered)
        return diag_fail(diag, STATUS_NO_MEMORY, "pattern of failures: out of memory");
    for (size_t i = 0; i < failing; i++)
        s.is_failing[i / 64] |= UINT64_C(1) << i % 64;
    for (size_t i = 0; i < f->count; i++)
        try_fact(&s, i);
    if (!s.ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "pattern of failures: out of memory");
    put_first(&s);
    if (!find(&s, t))
        return STATUS_OK;
    count(&s, t, &ignored, &passing);
    for (size_t i = 0; i < failing; i++)
        (*covered)[i] =
            (t[0]->rows[i / 64] & t[1]->rows[i / 64] & t[2]->rows[i / 64]) >> i % 64 & 1;
    for (size_t i = 0; i < CLAIMS_MAX; i++)
        if (i == 0 || t[i] != t[i - 1])
            each[different++] = &t[i]->condition;
    pattern_set(p, f, each, different, passing);
    return STATUS_OK;
}
