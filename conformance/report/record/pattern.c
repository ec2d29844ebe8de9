/* Conditions on one fact are tried first, then pairs.
 *
 * How a pattern is believed: F cases fail and P pass; M of the passing ones have the pattern.  Were
 * the F drawn at random among all, they would lie among the F + M that have it with probability
 * C(F+M, F) / C(F+P, F).  Times the number of patterns that were tried, this bounds the probability
 * that chance offers one (Bonferroni). */
#include "conformance/report/record/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONDITIONS_MAX = 1024, PAIRED_MAX = 40 };

void pattern_set(struct pattern *p, const struct facts *f,
                 const struct condition *const conditions[], size_t count, size_t passing)
{
    size_t used = 0;

    *p = (struct pattern){ .passing = passing, .claim_count = count };
    for (size_t i = 0; i < count && used < sizeof p->text; i++) {
        char text[64];

        p->claims[i] = condition_claim(conditions[i], f);
        condition_print(conditions[i], f, text, sizeof text);
        used += (size_t)snprintf(p->text + used, sizeof p->text - used, "%s%s",
                                 i > 0 ? " and " : "", text);
    }
}

struct tried {
    struct condition condition;
    bool *passing; /* which passing cases have it */
    size_t count;  /* how many */
};

struct search {
    const struct facts *facts;
    size_t failing, passing;
    struct tried *conditions; /* that all failing cases have, and not all passing ones */
    size_t count, tried;
    struct arena *arena;
};

static bool try_condition(struct search *s, enum relation relation, size_t fact, double value,
                          int cost)
{
    const struct facts *const f = s->facts;
    struct tried c = { .condition = { relation, fact, value, cost } };

    s->tried++;
    for (size_t i = 0; i < s->failing; i++) {
        if (!condition_holds(&c.condition, f->values[i]))
            return true;
    }
    for (size_t i = 0; i < s->passing; i++)
        c.count += condition_holds(&c.condition, f->values[s->failing + i]);
    if (c.count == s->passing || s->count == CONDITIONS_MAX)
        return true;
    if (!(c.passing = ARENA_NEW(s->arena, s->passing, bool)))
        return false;
    for (size_t i = 0; i < s->passing; i++)
        c.passing[i] = condition_holds(&c.condition, f->values[s->failing + i]);
    s->conditions[s->count++] = c;
    return true;
}

/* Conditions whose values come from the failing cases themselves: the only ones they can all have.
 */
static bool try_number(struct search *s, size_t fact, int cost)
{
    static const double divisors[] = { 4, 2, 8, 16 };
    double low = INFINITY, high = -INFINITY;
    bool ok = true;

    for (size_t i = 0; i < s->failing; i++) {
        const double x = s->facts->values[i][fact];

        if (isnan(x)) /* a case without the number has no condition on it */
            return true;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    ok = try_condition(s, IS, fact, low, cost + 1);
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0] && ok; i++)
        ok = try_condition(s, DIVIDES_NOT, fact, divisors[i], cost + 1 + (int)i) &&
             try_condition(s, DIVIDES, fact, divisors[i], cost + 1 + (int)i);
    return ok && try_condition(s, IS_NOT, fact, 1, cost + 2) &&
           try_condition(s, AT_LEAST, fact, low, cost + 2) &&
           try_condition(s, AT_MOST, fact, high, cost + 2);
}

static bool try_fact(struct search *s, size_t fact)
{
    const bool kind = facts_class_is_kind(s->facts->list[fact].name);

    switch (s->facts->list[fact].kind) {
    case FACT_SHAPE:
        return try_number(s, fact, strcmp(s->facts->list[fact].name, "elements") == 0 ? 4 : 0);
    case FACT_VERSION: return try_number(s, fact, 2);
    case FACT_NUMBER: return try_number(s, fact, 3);
    case FACT_CLASS:
    case FACT_TYPE:
        return try_condition(s, HAS, fact, 0, kind ? 0 : 1) && try_condition(s, LACKS, fact, 0, 3);
    case FACT_WORD: /* names say less than models do */
    case FACT_STEM: return try_condition(s, HAS, fact, 0, 3) && try_condition(s, LACKS, fact, 0, 5);
    }
    return true;
}

static bool is_believed(const struct search *s, size_t matching, double tried)
{
    const double f = (double)s->failing;

    if (matching * 9 > s->failing) /* more than a tenth of those that have the pattern */
        return false;
    return log(tried) + condition_log_choose(f + (double)matching, f) -
               condition_log_choose(f + (double)s->passing, f) <
           log(0.01);
}

/* Whether a pattern of `matching` passing cases is better than the one that was found. */
static bool is_better(size_t matching, int cost, size_t best, int best_cost)
{
    return matching < best || (matching == best && cost < best_cost);
}

static bool find_one(const struct search *s, struct pattern *p)
{
    const struct tried *best = NULL;

    for (size_t i = 0; i < s->count; i++) {
        const struct tried *const c = &s->conditions[i];

        if (is_believed(s, c->count, (double)s->tried) &&
            (!best || is_better(c->count, c->condition.cost, best->count, best->condition.cost)))
            best = c;
    }
    if (best)
        pattern_set(p, s->facts, (const struct condition *const[]){ &best->condition }, 1,
                    best->count);
    return best != NULL;
}

static size_t count_both(const struct search *s, const struct tried *a, const struct tried *b)
{
    size_t count = 0;

    for (size_t i = 0; i < s->passing; i++)
        count += a->passing[i] && b->passing[i];
    return count;
}

/* The conditions that fewest passing cases have come first; all are too many for pairs. */
static void put_first(struct search *s)
{
    for (size_t i = 0; i < s->count && i < PAIRED_MAX; i++) {
        for (size_t k = i + 1; k < s->count; k++) {
            if (is_better(s->conditions[k].count, s->conditions[k].condition.cost,
                          s->conditions[i].count, s->conditions[i].condition.cost)) {
                const struct tried swap = s->conditions[i];

                s->conditions[i] = s->conditions[k];
                s->conditions[k] = swap;
            }
        }
    }
}

/* A pair is worth its length only where it leaves fewer passing cases than the pattern p. */
static void find_pair(struct search *s, struct pattern *p)
{
    size_t best = p->text[0] ? p->passing : SIZE_MAX;
    const struct condition *first = NULL, *second = NULL;

    put_first(s);
    for (size_t i = 0; i < s->count && i < PAIRED_MAX; i++) {
        for (size_t k = i + 1; k < s->count && k < PAIRED_MAX; k++) {
            const struct condition *const x = &s->conditions[i].condition;
            const struct condition *const y = &s->conditions[k].condition;
            const size_t both = count_both(s, &s->conditions[i], &s->conditions[k]);

            if (is_better(both, x->cost + y->cost, best, first ? first->cost + second->cost : -1) &&
                is_believed(s, both, (double)s->tried * (double)s->tried)) {
                best = both;
                first = x->cost <= y->cost ? x : y;
                second = first == x ? y : x;
            }
        }
    }
    if (first)
        pattern_set(p, s->facts, (const struct condition *const[]){ first, second }, 2, best);
}

enum status pattern_find(struct pattern *p, const struct facts *f, size_t failing,
                         struct arena *arena, struct diag *diag)
{
    struct search s = {
        .facts = f, .failing = failing, .passing = f->rows - failing, .arena = arena
    };
    bool ok;

    *p = (struct pattern){ .passing = 0 };
    if (failing == 0 || s.passing == 0)
        return STATUS_OK;
    ok = (s.conditions = ARENA_NEW(arena, CONDITIONS_MAX, struct tried)) != NULL;
    for (size_t i = 0; i < f->count && ok; i++)
        ok = try_fact(&s, i);
    if (!ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "pattern of failures: out of memory");
    if (!find_one(&s, p) || p->passing > 0)
        find_pair(&s, p);
    return STATUS_OK;
}
