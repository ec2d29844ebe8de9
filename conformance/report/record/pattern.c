/* Conditions on one fact are tried first, then pairs.
 *
 * How a pattern is believed: F cases fail and P pass; M of the passing ones have the pattern.  Were
 * the F drawn at random among all, they would lie among the F + M that have it with probability
 * C(F+M, F) / C(F+P, F).  Times the number of patterns that were tried, this bounds the probability
 * that chance offers one (Bonferroni). */
#include "conformance/report/record/pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CONDITIONS_MAX = 1024, PAIRED_MAX = 40 };

enum relation { IS, IS_NOT, AT_LEAST, AT_MOST, DIVIDES, DIVIDES_NOT, HAS, LACKS };

struct condition {
    enum relation relation;
    size_t fact;
    double value;
    int cost;      /* of two that explain as much, the cheaper is shown */
    bool *passing; /* which passing cases have it */
    size_t count;  /* how many */
};

struct search {
    const struct facts *facts;
    size_t failing, passing;
    struct condition *conditions; /* that all failing cases have, and not all passing ones */
    size_t count, tried;
    struct arena *arena;
};

static bool holds(const struct condition *c, double x)
{
    switch (c->relation) {
    case IS: return x == c->value;
    case IS_NOT: return !isnan(x) && x != c->value;
    case AT_LEAST: return x >= c->value;
    case AT_MOST: return x <= c->value;
    case DIVIDES: return fmod(x, c->value) == 0;
    case DIVIDES_NOT: return !isnan(x) && fmod(x, c->value) != 0;
    case HAS: return !isnan(x);
    case LACKS: return isnan(x);
    }
    return false;
}

static bool try_condition(struct search *s, struct condition c)
{
    const struct facts *const f = s->facts;

    s->tried++;
    for (size_t i = 0; i < s->failing; i++) {
        if (!holds(&c, f->values[i][c.fact]))
            return true;
    }
    for (size_t i = 0; i < s->passing; i++)
        c.count += holds(&c, f->values[s->failing + i][c.fact]);
    if (c.count == s->passing || s->count == CONDITIONS_MAX)
        return true;
    if (!(c.passing = ARENA_NEW(s->arena, s->passing, bool)))
        return false;
    for (size_t i = 0; i < s->passing; i++)
        c.passing[i] = holds(&c, f->values[s->failing + i][c.fact]);
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
    ok = try_condition(s, (struct condition){ IS, fact, low, cost + 1, NULL, 0 });
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0] && ok; i++)
        ok = try_condition(s, (struct condition){ DIVIDES_NOT, fact, divisors[i], cost + 1 + (int)i,
                                                  NULL, 0 }) &&
             try_condition(
                 s, (struct condition){ DIVIDES, fact, divisors[i], cost + 1 + (int)i, NULL, 0 });
    ok = ok && try_condition(s, (struct condition){ IS_NOT, fact, 1, cost + 2, NULL, 0 });
    ok = ok && try_condition(s, (struct condition){ AT_LEAST, fact, low, cost + 2, NULL, 0 });
    return ok && try_condition(s, (struct condition){ AT_MOST, fact, high, cost + 2, NULL, 0 });
}

static bool try_fact(struct search *s, size_t fact)
{
    switch (s->facts->list[fact].kind) {
    case FACT_SHAPE:
        return try_number(s, fact, strcmp(s->facts->list[fact].name, "elements") == 0 ? 4 : 0);
    case FACT_VERSION: return try_number(s, fact, 2);
    case FACT_NUMBER: return try_number(s, fact, 1);
    case FACT_TYPE:
    case FACT_WORD:
    case FACT_STEM:
        return try_condition(s, (struct condition){ HAS, fact, 0, 1, NULL, 0 }) &&
               try_condition(s, (struct condition){ LACKS, fact, 0, 3, NULL, 0 });
    }
    return true;
}

/* The logarithm of C(n, k). */
static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static bool is_believed(const struct search *s, size_t matching, double tried)
{
    const double f = (double)s->failing;

    if (matching * 9 > s->failing) /* more than a tenth of those that have the pattern */
        return false;
    return log(tried) + log_choose(f + (double)matching, f) -
               log_choose(f + (double)s->passing, f) <
           log(0.01);
}

static void print_condition(const struct search *s, const struct condition *c, char *text,
                            size_t bytes)
{
    const struct fact *const f = &s->facts->list[c->fact];
    const char *const in = f->kind == FACT_NUMBER ? " in the name" : "";
    static const char *const signs[] = {
        [IS] = "==", [IS_NOT] = "!=", [AT_LEAST] = ">=", [AT_MOST] = "<="
    };

    if (f->kind == FACT_TYPE)
        snprintf(text, bytes, "type %s%s", c->relation == LACKS ? "other than " : "", f->name);
    else if (f->kind == FACT_WORD || f->kind == FACT_STEM)
        snprintf(text, bytes, "%s '%s%s' in the name", c->relation == LACKS ? "no" : "word",
                 f->name, f->kind == FACT_STEM ? "*" : "");
    else if (c->relation == DIVIDES || c->relation == DIVIDES_NOT)
        snprintf(text, bytes, "%s %% %.0f %s 0%s", f->name, c->value,
                 c->relation == DIVIDES ? "==" : "!=", in);
    else
        snprintf(text, bytes, "%s %s %.10g%s", f->name, signs[c->relation], c->value, in);
}

/* Whether a pattern of `matching` passing cases is better than the one that was found. */
static bool is_better(size_t matching, int cost, size_t best, int best_cost)
{
    return matching < best || (matching == best && cost < best_cost);
}

static bool find_one(const struct search *s, struct pattern *p)
{
    const struct condition *best = NULL;

    for (size_t i = 0; i < s->count; i++) {
        const struct condition *const c = &s->conditions[i];

        if (is_believed(s, c->count, (double)s->tried) &&
            (!best || is_better(c->count, c->cost, best->count, best->cost)))
            best = c;
    }
    if (!best)
        return false;
    p->passing = best->count;
    print_condition(s, best, p->text, sizeof p->text);
    return true;
}

static size_t count_both(const struct search *s, const struct condition *a,
                         const struct condition *b)
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
            if (is_better(s->conditions[k].count, s->conditions[k].cost, s->conditions[i].count,
                          s->conditions[i].cost)) {
                const struct condition swap = s->conditions[i];

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
    char a[46], b[46];

    put_first(s);
    for (size_t i = 0; i < s->count && i < PAIRED_MAX; i++) {
        for (size_t k = i + 1; k < s->count && k < PAIRED_MAX; k++) {
            const struct condition *const x = &s->conditions[i], *const y = &s->conditions[k];
            const size_t both = count_both(s, x, y);

            if (is_better(both, x->cost + y->cost, best, first ? first->cost + second->cost : -1) &&
                is_believed(s, both, (double)s->tried * (double)s->tried)) {
                best = both;
                first = x->cost <= y->cost ? x : y;
                second = first == x ? y : x;
            }
        }
    }
    if (!first)
        return;
    print_condition(s, first, a, sizeof a);
    print_condition(s, second, b, sizeof b);
    p->passing = best;
    snprintf(p->text, sizeof p->text, "%s and %s", a, b);
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
    ok = (s.conditions = ARENA_NEW(arena, CONDITIONS_MAX, struct condition)) != NULL;
    for (size_t i = 0; i < f->count && ok; i++)
        ok = try_fact(&s, i);
    if (!ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "pattern of failures: out of memory");
    if (!find_one(&s, p) || p->passing > 0)
        find_pair(&s, p);
    return STATUS_OK;
}
