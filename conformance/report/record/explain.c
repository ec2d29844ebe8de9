#include "conformance/report/record/explain.h"

#include "conformance/report/record/facts.h"
#include "conformance/report/record/severity.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Classes are numbered, up to a number that all ops together do not reach.  Nodes that differ in
 * more than so many classes are not near. */
enum { CLASSES = 256, NEAR = 2 };

struct class_set {
    uint64_t bits[CLASSES / 64];
};

/* A result of an op alone whose values were judged. */
struct row {
    size_t subject, result;
    const char *op, *type;
    struct class_set classes;
    double rank; /* of the first data input */
    bool fails, one_step;
};

struct explain {
    const struct record *record;
    struct row *rows; /* sorted */
    size_t count;
    json_t *numbers; /* of classes */
};

bool explain_may_be(const struct record_result *r, size_t node)
{
    return r->nth_node == 0 || (size_t)r->nth_node == node + 1;
}

bool explain_is_graph(const struct record *r, size_t test_case)
{
    const struct record_case *const c = &r->cases[test_case];

    return c->title || c->nodes > 0 || (r->anatomy && r->anatomy[test_case].is_whole);
}

/* A result that lies between two integers is up to one and a half from the next but one. */
bool explain_is_one_step(const struct record_result *r)
{
    static const char nearest[] = "not the integer nearest";
    const double error = r->worst.where ? r->worst.error : r->error;

    return strncmp(record_result_why(r), nearest, strlen(nearest)) == 0 && error <= 1.5;
}

/* ---- sets ---- */

/* A class that is new gets a number where `add` is set; without one, it counts as another. */
static struct class_set classes_of(const struct explain *e, const char *text, bool add,
                                   int *unknown)
{
    struct class_set set = { { 0 } };

    for (const char *at = text ? text : ""; *at;) {
        const size_t length = strcspn(at, " "), next = json_object_size(e->numbers);
        const json_t *number = json_object_getn(e->numbers, at, length);

        if (!number && add && next < CLASSES &&
            json_object_setn_new_nocheck(e->numbers, at, length, json_integer((json_int_t)next)) ==
                0)
            number = json_object_getn(e->numbers, at, length);
        if (number)
            set.bits[json_integer_value(number) / 64] |= UINT64_C(1)
                                                         << json_integer_value(number) % 64;
        *unknown += !number;
        at += length + (at[length] == ' ');
    }
    return set;
}

static int distance(const struct class_set *a, const struct class_set *b)
{
    int count = 0;

    for (size_t i = 0; i < CLASSES / 64; i++)
        for (uint64_t x = a->bits[i] ^ b->bits[i]; x; x &= x - 1)
            count++;
    return count;
}

static double rank_of(const struct anatomy_node *node)
{
    const double rank = facts_number(node->numbers, "rank");

    return isnan(rank) ? 0 : rank;
}

/* ---- rows ---- */

/* Of one subject, op and type rows are equal here. */
static int compare_groups(const void *x, const void *y)
{
    const struct row *const a = x, *const b = y;
    const int op = strcmp(a->op, b->op);

    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    return op ? op : strcmp(a->type, b->type);
}

static int compare_rows(const void *x, const void *y)
{
    const struct row *const a = x, *const b = y;
    const int order = compare_groups(x, y);

    return order ? order : (a->result > b->result) - (a->result < b->result);
}

enum status explain_open(struct explain **out, const struct record *r, struct arena *arena,
                         struct diag *diag)
{
    struct explain *const e = ARENA_NEW(arena, 1, struct explain);
    int unknown = 0;

    if (!e || !(e->rows = ARENA_NEW(arena, r->result_count, struct row)) ||
        !(e->numbers = json_object()))
        return diag_fail(diag, STATUS_NO_MEMORY, "findings: out of memory");
    e->record = r;
    for (size_t i = 0; i < r->result_count; i++) {
        const struct record_result *const x = &r->results[i];
        const struct anatomy_node *const node = &r->anatomy[x->test_case].judged;
        const bool fails = record_result_is_bad(x);

        if (node->op && !explain_is_graph(r, x->test_case) && r->cases[x->test_case].type &&
            (fails || x->status == CASE_PASS) && severity_is_of_values(x))
            e->rows[e->count++] =
                (struct row){ .subject = x->subject,
                              .result = i,
                              .op = node->op,
                              .type = r->cases[x->test_case].type,
                              .classes = classes_of(e, node->classes, true, &unknown),
                              .rank = rank_of(node),
                              .fails = fails,
                              .one_step = fails && explain_is_one_step(x) };
    }
    qsort(e->rows, e->count, sizeof *e->rows, compare_rows);
    *out = e;
    return STATUS_OK;
}

void explain_close(struct explain *e)
{
    if (e)
        json_decref(e->numbers);
}

/* ---- graphs ---- */

static size_t like(const struct explain *e, const struct row *key, const struct anatomy_node *node)
{
    const struct row *at = bsearch(key, e->rows, e->count, sizeof *key, compare_groups);
    const bool one_step = explain_is_one_step(&e->record->results[key->result]);
    size_t failing = 0, passing = 0, result = SIZE_MAX;
    int nearest = NEAR, unknown = 0;
    bool fails;
    const struct class_set classes = classes_of(e, node->classes, false, &unknown);

    while (at && at > e->rows && compare_groups(at - 1, key) == 0)
        at--;
    for (; at && at < e->rows + e->count && compare_groups(at, key) == 0; at++) {
        const int d = unknown + distance(&at->classes, &classes) + (at->rank != rank_of(node));

        if (d > nearest)
            continue;
        if (d < nearest) {
            failing = passing = 0;
            result = SIZE_MAX;
        }
        nearest = d;
        fails = at->fails && (one_step || !at->one_step);
        failing += fails;
        passing += !fails;
        if (fails && result == SIZE_MAX)
            result = at->result;
    }
    return 3 * failing >= passing ? result : SIZE_MAX;
}

size_t explain_result(const struct explain *e, size_t graph)
{
    const struct record_result *const x = &e->record->results[graph];
    const struct anatomy *const a = &e->record->anatomy[x->test_case];
    struct row key = { .subject = x->subject,
                       .result = graph,
                       .type = e->record->cases[x->test_case].type };
    size_t result = SIZE_MAX;

    for (size_t i = 0; i < a->node_count && result == SIZE_MAX && key.type && e->count > 0; i++) {
        if (!explain_may_be(x, i))
            continue;
        key.op = a->nodes[i].op;
        key.type = e->record->cases[x->test_case].type;
        result = like(e, &key, &a->nodes[i]);
        /* An op that has no weights has no scales of channels. */
        if (result == SIZE_MAX && strcmp(key.type, "i8pc") == 0) {
            key.type = "i8";
            result = like(e, &key, &a->nodes[i]);
        }
    }
    return result;
}
