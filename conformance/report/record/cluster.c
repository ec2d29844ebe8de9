/* Sorts all failed and passed results by subject and home, which is an op or a title of the gap
 * suite: wrong values first, then what passed, then what failed for a reason.  Wrong values of one
 * home that say the same are a finding where a pattern sets them apart; the rest is looked at in
 * families of ops.  Reasons are sorted once more, across homes.  Wrong values of graphs come last:
 * those that an op explains alone go to its finding. */
#include "conformance/report/record/cluster.h"

#include "conformance/report/record/cluster_impl.h"
#include "conformance/report/record/how.h"
#include "conformance/report/record/pattern.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting ---- */

static int compare_entries(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;
    int order = cluster_compare_op(a, b);

    if (order == 0 && a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    if (order == 0 && a->outcome == WRONG_VALUES)
        order = cluster_compare_kind(a, b);
    return order ? order : a->result < b->result ? -1 : a->result > b->result;
}

/* Of reasons, whatever their op. */
static int compare_reasons(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;
    const int order = cluster_compare_kind(a, b);

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    return order ? order : a->result < b->result ? -1 : a->result > b->result;
}

/* Of what no real model has, a crash counts as much as a gross error elsewhere. */
static int urgency(const struct finding *f)
{
    return (int)f->severity + (f->exposure == 0 ? 2 : 0);
}

static int compare_findings(const void *x, const void *y)
{
    const struct finding *const a = x, *const b = y;
    const double ea = isnan(a->exposure) ? 0 : a->exposure,
                 eb = isnan(b->exposure) ? 0 : b->exposure;

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    if (urgency(a) != urgency(b))
        return urgency(a) - urgency(b);
    if (ea != eb)
        return ea > eb ? -1 : 1;
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
        cluster_normalize(record_result_why(r), what, sizeof what);
        if (strncmp(what, exact, strlen(exact)) == 0)
            snprintf(what, sizeof what, "over the limit (# of # wrong)");
    }
    *e = (struct entry){ .op = t->title ? NULL : t->op,
                         .title = t->title,
                         .is_graph = explain_is_graph(c->record, r->test_case),
                         .one_step = failed && explain_is_one_step(r),
                         .outcome = !failed                    ? PASSED
                                    : severity_is_of_values(r) ? WRONG_VALUES
                                                               : HAS_REASON,
                         .what = failed ? arena_string(c->arena, what) : NULL,
                         .subject = r->subject,
                         .result = result,
                         .status = r->status };
    if (failed && !e->what)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    c->entry_count++;
    return STATUS_OK;
}

/* ---- kinds ---- */

/* Makes a finding of those that have a pattern, and leaves them out of e; *count is unchanged where
 * there is none. */
static enum status add_cover(struct clusters *c, struct entry *e, size_t *count, double least)
{
    struct entry *const own = ARENA_NEW(c->arena, *count, struct entry);
    struct arena scratch = { .blocks = NULL };
    struct pattern p = { .passing = 0 };
    bool *covered = NULL;
    struct facts facts;
    size_t failing = 0, used = 0, stay = 0;
    enum status s = own ? cluster_gather(c, e, *count, &facts, &failing, &scratch)
                        : diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");

    if (s == STATUS_OK)
        s = cover_find(&p, &facts, failing, least, &covered, &scratch, c->diag);
    for (size_t i = 0; i < *count && s == STATUS_OK && p.text[0]; i++) {
        if (i < failing && covered[i])
            own[used++] = e[i];
        else
            e[stay++] = e[i];
    }
    if (s == STATUS_OK && used > 0) {
        *count = stay;
        s = cluster_add(c, own, used);
    }
    if (s == STATUS_OK && used > 0)
        s = cluster_set_pattern(c, &c->findings[c->count - 1], &p);
    arena_close(&scratch);
    return s;
}

/* The same as often as there is one; of graphs nothing is known. */
static enum status add_covers(struct clusters *c, struct entry *e, size_t *count, double least)
{
    size_t left = *count + 1;

    for (int i = 0; i < COVERS_PER_HOME && *count < left; i++) {
        if (*count == 0 || e->is_graph || c->covers++ >= COVERS_ALL)
            break;
        left = *count;
        TRY(add_cover(c, e, count, least));
    }
    return STATUS_OK;
}

/* Gives the entries of one op or title on one subject their home. */
static void add_home(struct clusters *c, struct entry *e, size_t count)
{
    struct home *const h = &c->homes[c->home_count];

    h->passed = e;
    for (size_t i = 0; i < count; i++) {
        e[i].home = c->home_count;
        h->passed += e[i].outcome == WRONG_VALUES;
        h->count += e[i].outcome == PASSED;
        c->entry_of[e[i].result] = &e[i];
        h->bad += e[i].outcome != PASSED;
        if (e[i].outcome == HAS_REASON)
            c->reasons[c->reason_count++] = e[i];
    }
    for (size_t i = 0; i < count; i++)
        e[i].fails_mostly = h->bad > h->count;
    c->home_count++;
}

/* Whether the last words before a signal only happen to stand there; an abort tells why. */
static bool says_little(const struct entry *e)
{
    return e->status == CASE_CRASH && strncmp(e->what, "SIGABRT", 7) != 0;
}

/* Of a crash whose last words say little the signal and the stage count: "SIGFPE in S#: prepare".
 */
static bool is_one_kind(const struct entry *a, const struct entry *b)
{
    const size_t length = strcspn(a->what, ";");

    if (a->outcome != HAS_REASON || !says_little(a) || !says_little(b))
        return cluster_compare_kind(a, b) == 0;
    return length == strcspn(b->what, ";") && strncmp(a->what, b->what, length) == 0;
}

/* Of such a crash there may be several causes. */
static enum status add_little(struct clusters *c, const struct entry *e, size_t count)
{
    struct entry *const rest = ARENA_NEW(c->arena, count, struct entry);

    if (!rest)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    memcpy(rest, e, count * sizeof *e);
    TRY(add_covers(c, rest, &count, COVER_SOME));
    if (count == 0)
        return STATUS_OK;
    TRY(cluster_add(c, rest, count));
    return count > 1 ? cluster_find_pattern(c, &c->findings[c->count - 1], rest) : STATUS_OK;
}

static bool all_one_step(const struct entry *e, size_t count)
{
    size_t steps = 0;

    while (steps < count && e[steps].one_step)
        steps++;
    return steps == count;
}

/* Entries that are sorted by kind, or by reason: those of one kind are a finding. */
static enum status add_kinds(struct clusters *c, const struct entry *e, size_t count)
{
    size_t end;
    int patterns = 0;

    for (size_t i = 0; i < count; i = end) {
        const struct finding *const f = &c->findings[c->count];

        end = i + 1;
        while (end < count && is_one_kind(&e[i], &e[end]))
            end++;
        if (e[i].outcome == HAS_REASON && says_little(&e[i])) {
            TRY(add_little(c, &e[i], end - i));
            continue;
        }
        TRY(cluster_add(c, &e[i], end - i));
        if (end - i > 1 && patterns++ < PATTERNS_PER_HOME) /* one case has nothing in common */
            TRY(cluster_find_pattern(c, &c->findings[c->count - 1], &e[i]));
        if (f->by_reason || f->status != CASE_FAIL || (f->pattern && !all_one_step(&e[i], end - i)))
            continue;
        c->count--;
        memcpy(c->rest + c->rest_count, &e[i], (end - i) * sizeof *e);
        c->rest_count += end - i;
    }
    return STATUS_OK;
}

/* ---- what is left ---- */

/* Ops that pass more than they fail are looked at with their families, others alone. */
static const char *family_of(const struct entry *e)
{
    return e->op && !e->fails_mostly ? cluster_stem(e->op) : NULL;
}

static int compare_families(const struct entry *a, const struct entry *b)
{
    const char *const x = family_of(a), *const y = family_of(b);

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    return x || y ? cluster_compare_text(x, y) : cluster_compare_op(a, b);
}

static int compare_rest(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;
    int order = compare_families(a, b);

    order = order ? order : cluster_compare_op(a, b);
    return order ? order : a->result < b->result ? -1 : a->result > b->result;
}

/* Moves what is off by one step out of e; returns how many stay. */
static size_t keep_steps(struct clusters *c, struct entry *e, size_t count)
{
    size_t stay = 0;

    for (size_t i = 0; i < count; i++) {
        if (e[i].one_step)
            c->steps[c->step_count++] = e[i];
        else
            e[stay++] = e[i];
    }
    return stay;
}

/* Whether all of an op fail in one way, as those that keep something of frame A do. */
static bool fail_alike(const struct clusters *c, const struct entry *e, size_t count)
{
    size_t results[ALIKE_MAX];

    for (size_t i = 0; i < count && i < ALIKE_MAX; i++)
        results[i] = e[i].result;
    return !e->is_graph &&
           how_is_telling(c->record, results, count < ALIKE_MAX ? count : ALIKE_MAX);
}

/* Of one op or title. */
static enum status add_op_rest(struct clusters *c, struct entry *e, size_t count)
{
    TRY(add_covers(c, e, &count, COVER_MOST));
    count = keep_steps(c, e, count);
    if (count == 0)
        return STATUS_OK;
    TRY(cluster_add(c, e, count));
    return count > 1 ? cluster_find_pattern(c, &c->findings[c->count - 1], e) : STATUS_OK;
}

/* Roundings of one step are one finding in all ops. */
static enum status add_steps(struct clusters *c)
{
    size_t end;

    qsort(c->steps, c->step_count, sizeof *c->steps, compare_reasons);
    for (size_t i = 0; i < c->step_count; i = end) {
        for (end = i; end < c->step_count && c->steps[end].subject == c->steps[i].subject; end++)
            c->steps[end].title = "integers that are off by one step";
        TRY(cluster_add(c, &c->steps[i], end - i));
        c->findings[c->count - 1].name = c->findings[c->count - 1].title = c->steps[i].title;
    }
    return STATUS_OK;
}

/* Ops whose cases all fail in one way are a finding each; leaves them out. */
static enum status add_alike(struct clusters *c)
{
    size_t end, stay = 0;

    for (size_t i = 0; i < c->rest_count; i = end) {
        struct entry *const e = &c->rest[i];

        for (end = i; end < c->rest_count && cluster_compare_op(e, &c->rest[end]) == 0;)
            end++;
        if (fail_alike(c, e, end - i)) {
            TRY(cluster_add(c, e, end - i));
            c->findings[c->count - 1].alike = true;
            TRY(cluster_find_pattern(c, &c->findings[c->count - 1], e));
            continue;
        }
        memmove(&c->rest[stay], e, (end - i) * sizeof *e);
        stay += end - i;
    }
    c->rest_count = stay;
    return STATUS_OK;
}

/* Wrong values that no pattern of their own kind sets apart: what a part of a family's has in
 * common is a finding, and what is left of an op. */
static enum status add_rest(struct clusters *c)
{
    size_t end, next;

    qsort(c->rest, c->rest_count, sizeof *c->rest, compare_rest);
    TRY(add_alike(c));
    for (size_t i = 0; i < c->rest_count; i = end) {
        struct entry *const e = &c->rest[i];
        size_t count;

        for (end = i; end < c->rest_count && compare_families(e, &c->rest[end]) == 0;)
            end++;
        count = end - i;
        TRY(add_covers(c, e, &count, COVER_SOME));
        for (size_t k = 0; k < count; k = next) {
            for (next = k; next < count && cluster_compare_op(&e[k], &e[next]) == 0;)
                next++;
            TRY(add_op_rest(c, &e[k], next - k));
        }
    }
    c->rest_count = 0;
    return STATUS_OK;
}

/* ---- graphs ---- */

/* Whether a result fails in the way of a finding whose cases all do. */
static bool is_like_first(const struct clusters *c, const struct finding *f,
                          const struct record_result *r)
{
    const size_t both[] = { f->results[0], (size_t)(r - c->record->results), f->results[0] };

    return how_is_telling(c->record, both, HOW_LEAST);
}

/* A result of the finding whose pattern a node of the graph has, of its op; else one of an op that
 * a node is like; SIZE_MAX: there is none. */
static size_t explaining(const struct clusters *c, size_t result)
{
    const struct record_result *const r = &c->record->results[result];
    const struct anatomy *const a = &c->record->anatomy[r->test_case];
    const char *const type = c->record->cases[r->test_case].type;

    for (size_t i = 0; i < a->node_count && type; i++)
        for (size_t k = 0; k < c->count && explain_may_be(r, i); k++) {
            const struct finding *const f = &c->findings[k];

            if (f->subject == r->subject && !f->by_reason && !f->title &&
                facts_has_class(f->ops, "", a->nodes[i].op) &&
                (claims_hold(f->claims, f->claim_count, &a->nodes[i], type) ||
                 (f->alike && r->nth_node > 0 && is_like_first(c, f, r))))
                return f->results[0];
        }
    return explain_result(c->explain, result);
}

/* Leaves out the entries of graphs that an op explains alone; returns how many stay. */
static size_t explain(struct clusters *c, struct entry *e, size_t count)
{
    size_t stay = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t by = c->explain ? explaining(c, e[i].result) : SIZE_MAX;

        if (by == SIZE_MAX)
            e[stay++] = e[i];
        else
            c->explained[c->explained_count++] = (struct explained){ e[i].result, by };
    }
    return stay;
}

/* The graphs that a finding explains become the last of its results. */
static enum status add_explained(struct clusters *c)
{
    for (size_t i = 0; i < c->explained_count; i++)
        c->findings[c->of[c->explained[i].by]].graphs++;
    for (size_t i = 0; i < c->count; i++) {
        struct finding *const f = &c->findings[i];
        size_t *const results =
            f->graphs ? ARENA_NEW(c->arena, f->count + f->graphs, size_t) : NULL;

        if (f->graphs == 0)
            continue;
        if (!results)
            return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
        memcpy(results, f->results, f->count * sizeof *results);
        for (size_t k = 0; k < c->explained_count; k++)
            if (c->of[c->explained[k].by] == i)
                results[f->count++] = c->explained[k].graph;
        f->results = results;
    }
    return STATUS_OK;
}

/* ---- all ---- */

/* Adds the wrong values of all homes that are graphs, or are not. */
static enum status add_homes(struct clusters *c, bool graphs)
{
    size_t end;

    for (size_t i = 0; i < c->entry_count; i = end) {
        size_t wrong = 0;

        for (end = i; end < c->entry_count && c->entries[end].home == c->entries[i].home; end++)
            wrong += c->entries[end].outcome == WRONG_VALUES;
        if (c->entries[i].is_graph != graphs)
            continue;
        if (graphs)
            wrong = explain(c, &c->entries[i], wrong);
        TRY(add_kinds(c, &c->entries[i], wrong));
    }
    return STATUS_OK;
}

static enum status add_reasons(struct clusters *c)
{
    size_t end;

    for (size_t i = 0; i < c->reason_count; i = end) {
        for (end = i; end < c->reason_count && c->reasons[end].subject == c->reasons[i].subject;)
            end++;
        TRY(add_kinds(c, &c->reasons[i], end - i));
    }
    return STATUS_OK;
}

static enum status open_clusters(struct clusters *c)
{
    const struct record *const r = c->record;
    size_t end;

    c->entries = ARENA_NEW(c->arena, r->result_count, struct entry);
    c->reasons = ARENA_NEW(c->arena, r->result_count, struct entry);
    c->homes = ARENA_NEW(c->arena, r->result_count, struct home);
    c->findings = ARENA_NEW(c->arena, r->result_count, struct finding);
    c->of = ARENA_NEW(c->arena, r->result_count, size_t);
    c->entry_of = ARENA_NEW(c->arena, r->result_count, const struct entry *);
    c->explained = ARENA_NEW(c->arena, r->result_count, struct explained);
    c->rest = ARENA_NEW(c->arena, r->result_count, struct entry);
    c->steps = ARENA_NEW(c->arena, r->result_count, struct entry);
    if (!c->entries || !c->reasons || !c->homes || !c->findings || !c->of || !c->entry_of ||
        !c->explained || !c->rest || !c->steps)
        return diag_fail(c->diag, STATUS_NO_MEMORY, "findings: out of memory");
    for (size_t i = 0; i < r->result_count; i++)
        TRY(add_entry(c, i));
    qsort(c->entries, c->entry_count, sizeof *c->entries, compare_entries);
    for (size_t i = 0; i < c->entry_count; i = end) {
        end = i + 1;
        while (end < c->entry_count && cluster_compare_op(&c->entries[i], &c->entries[end]) == 0)
            end++;
        add_home(c, &c->entries[i], end - i);
    }
    qsort(c->reasons, c->reason_count, sizeof *c->reasons, compare_reasons);
    return r->anatomy ? explain_open(&c->explain, r, c->arena, c->diag) : STATUS_OK;
}

enum status cluster_findings(const struct record *r, struct arena *arena, struct finding **findings,
                             size_t *count, struct diag *diag)
{
    struct clusters c = { .record = r, .arena = arena, .diag = diag };
    enum status s = open_clusters(&c);

    if (s == STATUS_OK)
        s = add_homes(&c, false);
    if (s == STATUS_OK)
        s = add_rest(&c);
    if (s == STATUS_OK)
        s = add_reasons(&c);
    if (s == STATUS_OK)
        s = cluster_merge(&c);
    if (s == STATUS_OK)
        s = add_homes(&c, true);
    if (s == STATUS_OK)
        s = add_rest(&c);
    if (s == STATUS_OK)
        s = add_steps(&c);
    if (s == STATUS_OK)
        s = add_explained(&c);
    explain_close(c.explain);
    if (c.count > 0) /* else there is no array */
        qsort(c.findings, c.count, sizeof *c.findings, compare_findings);
    *findings = c.findings;
    *count = c.count;
    return s;
}

enum status cluster_by_result(const struct record *r, struct arena *arena,
                              const struct finding *const **of, struct diag *diag)
{
    const struct finding **const list = ARENA_NEW(arena, r->result_count, const struct finding *);
    struct finding *findings;
    size_t count;

    if (!list)
        return diag_fail(diag, STATUS_NO_MEMORY, "findings: out of memory");
    TRY(cluster_findings(r, arena, &findings, &count, diag));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < findings[i].count; k++)
            list[findings[i].results[k]] = &findings[i];
    *of = list;
    return STATUS_OK;
}
