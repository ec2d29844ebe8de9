/* Chooses the sample greedily: first the cases that add most pairs, then those that add fewer, in
 * an order that the seed shuffles. */
#include "conformance/suite/cases/select.h"

#include "conformance/suite/cases/suite.h"
#include "reference/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An op is two levels, in the gap suite and in its own, and so is a type: rows that delegates may
 * refuse show nothing of how an op is computed. */
enum axis { OP, TYPE, VERSION, SUITE, TITLE, KIND, AXES };
enum { PAIRS = AXES * (AXES - 1) / 2, NAMES_MAX = 128, LEVELS_MAX = 2 * NAMES_MAX };

enum kind {
    KIND_PLAIN,
    KIND_EMPTY,
    KIND_REFUSED,
    KIND_LARGE,
    KIND_EVERY_HALF,
    KIND_EVERY_BYTE,
    KIND_VALUES,
    KIND_OVERFLOW,
    KIND_FULL_MANTISSAS
};

/* The names that an axis has met; the index of a name is its level. */
struct names {
    const char *items[NAMES_MAX];
    size_t count;
};

struct candidate {
    uint64_t order;
    size_t index; /* of the case */
    uint8_t level[AXES];
    bool taken;
};

struct sample {
    struct names names[AXES];
    bool seen[AXES][AXES][LEVELS_MAX][LEVELS_MAX]; /* the lower axis first */
};

static enum kind kind_of(const struct op_case *row)
{
    return row->empty                     ? KIND_EMPTY
           : row->refused_by              ? KIND_REFUSED
           : row->every_half              ? KIND_EVERY_HALF
           : row->every_byte              ? KIND_EVERY_BYTE
           : row->period                  ? KIND_LARGE
           : row->values || row->integers ? KIND_VALUES
           : row->overflow                ? KIND_OVERFLOW
           : row->full_mantissas          ? KIND_FULL_MANTISSAS
                                          : KIND_PLAIN;
}

/* STATUS_LIMIT where an axis has too many levels. */
static enum status level_of(struct names *names, const char *name, uint8_t *level,
                            struct diag *diag)
{
    size_t i = 0;

    while (i < names->count && strcmp(names->items[i], name) != 0)
        i++;
    if (i == NAMES_MAX)
        return diag_fail(diag, STATUS_LIMIT, "sample of the cases: more than %d names, with %s",
                         NAMES_MAX, name);
    if (i == names->count)
        names->items[names->count++] = name;
    *level = (uint8_t)i;
    return STATUS_OK;
}

/* FNV-1a of the seed and the name, mixed. */
static uint64_t order_of(uint64_t seed, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u ^ seed;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

static enum status describe(struct sample *s, const struct test_case *c, struct candidate *x,
                            struct diag *diag)
{
    TRY(level_of(&s->names[OP], c->op, &x->level[OP], diag));
    TRY(level_of(&s->names[TYPE], c->type_name, &x->level[TYPE], diag));
    TRY(level_of(&s->names[SUITE], c->suite->stem, &x->level[SUITE], diag));
    TRY(level_of(&s->names[TITLE], c->row->gap ? c->row->gap : "", &x->level[TITLE], diag));
    x->level[OP] = (uint8_t)(2 * x->level[OP] + (c->row->gap != NULL));
    x->level[TYPE] = (uint8_t)(2 * x->level[TYPE] + (c->row->empty || c->row->refused_by));
    x->level[VERSION] = (uint8_t)(c->version % LEVELS_MAX);
    x->level[KIND] = (uint8_t)kind_of(c->row);
    return STATUS_OK;
}

/* Counts the pairs of the case that the sample lacks; adds them to it where take is set. */
static unsigned pairs(struct sample *s, const struct candidate *x, bool take)
{
    unsigned missing = 0;

    for (int a = 0; a < AXES; a++) {
        for (int b = a + 1; b < AXES; b++) {
            bool *const seen = &s->seen[a][b][x->level[a]][x->level[b]];

            missing += !*seen;
            *seen = *seen || take;
        }
    }
    return missing;
}

static int by_order(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;

    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
                                : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static enum status choose(struct sample *s, struct candidate *list, struct test_case *cases,
                          size_t *count, uint64_t seed, struct diag *diag)
{
    const size_t all = *count;

    for (size_t i = 0; i < all; i++) {
        list[i] = (struct candidate){ .order = order_of(seed, cases[i].name), .index = i };
        TRY(describe(s, &cases[i], &list[i], diag));
    }
    qsort(list, all, sizeof *list, by_order);
    for (unsigned least = PAIRS; least > 0; least--) {
        for (size_t i = 0; i < all; i++) {
            if (!list[i].taken && pairs(s, &list[i], false) >= least) {
                pairs(s, &list[i], true);
                list[i].taken = true;
            }
        }
    }
    qsort(list, all, sizeof *list, by_index);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (list[i].taken)
            cases[(*count)++] = cases[i];
    }
    return STATUS_OK;
}

enum status quick_select(struct test_case *cases, size_t *count, uint64_t seed, struct diag *diag)
{
    struct sample *const s = mem_alloc(1, sizeof *s);
    struct candidate *const list = mem_alloc(*count + 1, sizeof *list);
    enum status status;

    status = s && list
                 ? choose(s, list, cases, count, seed, diag)
                 : diag_fail(diag, STATUS_NO_MEMORY, "sample of %zu cases: out of memory", *count);
    mem_free(list);
    mem_free(s);
    return status;
}
