#include "conformance/report/record/exposure.h"

#include "conformance/report/record/anatomy.h"
#include "conformance/suite/census/census.h"
#include "conformance/suite/census/real_nodes.h"

#include <math.h>
#include <string.h>

/* "f32 [2, 0, 5]": no model of an application has that. */
static bool has_empty_input(const struct record_case *c)
{
    static const char *const sizes[] = { "[0,", "[0]", ", 0,", ", 0]" };

    for (size_t i = 0; c->inputs && i < sizeof sizes / sizeof sizes[0]; i++)
        if (strstr(c->inputs, sizes[i]))
            return true;
    return false;
}

static bool is_judged(const struct record_result *r)
{
    return r->status == CASE_PASS || record_result_is_bad(r);
}

/* Real nodes by op, operands and options, and by op and operands, unsorted. */
struct real {
    struct census exact, rough;
};

static enum status real_open(struct real *real, struct arena *arena, struct diag *diag)
{
    const struct census_kind *k;

    for (size_t i = 0; (k = real_nodes_at(i)) != NULL; i++) {
        struct census_kind part = *k;
        char *const text = arena_string(arena, k->text);

        if (!text)
            return diag_fail(diag, STATUS_NO_MEMORY, "exposure: out of memory");
        text[census_prefix(text, CENSUS_OPERANDS + 1)] = '\0';
        part.text = text;
        TRY(census_add(&real->exact, k, diag));
        TRY(census_add(&real->rough, &part, diag));
    }
    return STATUS_OK;
}

static int rough_kind(const struct real *real, const char *kind)
{
    char text[512];
    size_t at;

    snprintf(text, sizeof text, "%.*s", (int)census_prefix(kind, CENSUS_OPERANDS + 1), kind);
    at = census_find(&real->rough, text);
    return at == SIZE_MAX ? EXPOSURE_NO_NODE : (int)(real->exact.count + at);
}

static void find_kinds(struct exposure *e, const struct record *r, const struct real *real)
{
    for (size_t i = 0; i < r->case_count; i++) {
        const char *const kind = r->anatomy[i].kind;
        const size_t at = kind ? census_find(&real->exact, kind) : SIZE_MAX;

        if (!kind)
            e->kinds[i] = EXPOSURE_NOT_KNOWN;
        else if (has_empty_input(&r->cases[i]))
            e->kinds[i] = EXPOSURE_NO_NODE;
        else
            e->kinds[i] = at == SIZE_MAX ? rough_kind(real, kind) : (int)at;
    }
}

/* A node is of its exact kind where a case is of that, else of its rough kind. */
static enum status count_nodes(struct exposure *e, const struct record *r, const struct real *real,
                               struct arena *arena, struct diag *diag)
{
    bool *has_case;

    e->kind_count = (int)(real->exact.count + real->rough.count);
    e->all_nodes = real->exact.nodes;
    e->nodes = ARENA_NEW(arena, (size_t)e->kind_count, uint64_t);
    has_case = ARENA_NEW(arena, (size_t)e->kind_count, bool);
    if (!e->nodes || !has_case)
        return diag_fail(diag, STATUS_NO_MEMORY, "exposure: out of memory");
    for (size_t i = 0; i < r->case_count; i++)
        if (e->kinds[i] >= 0)
            has_case[e->kinds[i]] = true;
    for (size_t i = 0; i < real->exact.count; i++) {
        const int rough = rough_kind(real, real->exact.kinds[i].text);

        e->nodes[has_case[i] || rough < 0 ? (int)i : rough] += real->exact.kinds[i].nodes;
    }
    return STATUS_OK;
}

/* Counts the results of each kind on each subject. */
static enum status count_judged(struct exposure *e, const struct record *r, struct arena *arena,
                                struct diag *diag)
{
    e->judged = ARENA_NEW(arena, r->subject_count * (size_t)e->kind_count, uint32_t);
    if (!e->judged)
        return diag_fail(diag, STATUS_NO_MEMORY, "exposure: out of memory");
    for (size_t i = 0; i < r->result_count; i++) {
        const struct record_result *const x = &r->results[i];
        const int kind = e->kinds[x->test_case];

        if (kind >= 0 && is_judged(x))
            e->judged[x->subject * (size_t)e->kind_count + (size_t)kind]++;
    }
    return STATUS_OK;
}

enum status exposure_open(struct exposure *e, struct record *r, struct arena *arena,
                          struct diag *diag)
{
    struct real real = { .exact = { .count = 0 } };
    struct anatomy *anatomy;
    enum status s;

    TRY(anatomy_open(&anatomy, r, arena, diag));
    r->anatomy = anatomy;
    r->exposure = e;

    *e = (struct exposure){ .kinds = ARENA_NEW(arena, r->case_count, int) };
    s = e->kinds ? real_open(&real, arena, diag)
                 : diag_fail(diag, STATUS_NO_MEMORY, "exposure: out of memory");
    if (s == STATUS_OK) {
        find_kinds(e, r, &real);
        s = count_nodes(e, r, &real, arena, diag);
    }
    if (s == STATUS_OK)
        s = count_judged(e, r, arena, diag);
    census_close(&real.exact);
    census_close(&real.rough);
    return s;
}

double exposure_of(const struct record *r, const size_t *results, size_t count)
{
    const struct exposure *const e = r->exposure;
    double nodes = 0;
    bool known = false;

    for (size_t i = 0; e && i < count; i++) {
        const struct record_result *const x = &r->results[results[i]];
        const int kind = e->kinds[x->test_case];

        known |= kind != EXPOSURE_NOT_KNOWN;
        if (kind >= 0)
            nodes += (double)e->nodes[kind] /
                     e->judged[x->subject * (size_t)e->kind_count + (size_t)kind];
    }
    return known ? nodes / (double)e->all_nodes : NAN;
}
