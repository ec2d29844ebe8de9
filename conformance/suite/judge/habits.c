/* The table of habits, the sample of the cases for each, and their checks. */
#include "conformance/suite/judge/habits.h"

#include "conformance/suite/cases/suite.h"
#include "conformance/suite/judge/habit_run.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_OF_OURS "only our delegate is known to have the options"

const struct habit_row habit_rows[HABIT_COUNT] = {
    [HABIT_GUARDS] = { .lacks = "the memory is the runtime's" },
    [HABIT_POISON] = { .lacks = "the outputs cannot be written to" },
    [HABIT_DEVICE_POISON] = { .lacks = OPTIONS_OF_OURS },
    [HABIT_SPLIT] = { .lacks = "the graph is not the same in parts" },
    [HABIT_RESIZED] = { "each dimension made larger and small again, after the delegate was "
                        "applied",
                        ENGINE_RESIZE_OPEN, false, "it compiles for fixed sizes",
                        habit_check_resized },
    [HABIT_RUNS] = { "64 inferences in a row", 0, false, NULL, habit_check_runs },
    [HABIT_INTERPRETERS] = { "two to five interpreters alive, asked in turns, the first again "
                             "after "
                             "the others are closed",
                             0, false, NULL, habit_check_interpreters },
    [HABIT_THREADS] = { "two interpreters with a delegate each, asked at the same time",
                        ENGINE_LOCAL, false, "an agent does one thing after the other",
                        habit_check_threads },
    [HABIT_ADDRESSES] = { "inputs, outputs and constants at addresses that are aligned to their "
                          "elements and no more",
                          ENGINE_OFFSET, false, "the memory is the runtime's",
                          habit_check_addresses },
    [HABIT_PARTITION] = { "the graph twice, the second behind nodes that are kept from the "
                          "delegate",
                          ENGINE_DECLINE, false,
                          "there is no delegate whose nodes the suite could keep",
                          habit_check_partition },
    [HABIT_OPTIONS] = { "the model prepared by a second delegate, of ours with other options",
                        ENGINE_LOCAL, false, "an agent has one delegate", habit_check_options },
    [HABIT_CACHE] = { "started with a cold cache, a warm one, a warm one with another choice of "
                      "kernels, and one of a model that differs in a constant, scale, zero point "
                      "or option",
                      0, true, OPTIONS_OF_OURS, habit_check_cache },
    [HABIT_WAIT] = { "each other way to wait for the device", 0, true, OPTIONS_OF_OURS,
                     habit_check_wait },
};

/* ---- which ---- */

static uint32_t every_sampled(void)
{
    return ((1u << HABIT_COUNT) - 1) & ~((1u << HABIT_SAMPLED) - 1);
}

static enum status unknown(const char *name, size_t length, struct diag *diag)
{
    char known[256] = "";
    size_t used = 0;

    for (int h = HABIT_SAMPLED; h < HABIT_COUNT; h++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 h > HABIT_SAMPLED ? ", " : "", habit_names[h]);
    return diag_fail(diag, STATUS_USAGE, "--habits: %.*s: expected all, none, or some of %s",
                     (int)length, name, known);
}

enum status habits_parse(const char *text, struct habit_choice *choice, struct diag *diag)
{
    *choice = (struct habit_choice){ .habits = every_sampled() };
    choice->all = text && strcmp(text, "all") == 0;
    if (!text || choice->all)
        return STATUS_OK;
    choice->habits = 0;
    if (strcmp(text, "none") == 0)
        return STATUS_OK;
    while (true) {
        const size_t length = strcspn(text, ",");
        int h = HABIT_SAMPLED;

        while (h < HABIT_COUNT &&
               (strlen(habit_names[h]) != length || memcmp(habit_names[h], text, length) != 0))
            h++;
        if (h == HABIT_COUNT)
            return unknown(text, length, diag);
        choice->habits |= 1u << h;
        if (!text[length])
            return STATUS_OK;
        text += length + 1;
    }
}

/* ---- the sample ---- */

/* The cache takes five starts of a device, so its sample is small. */
enum { OF_EACH_OP = 2, OF_ALL_QUICK = 3, OF_ALL_CACHE = 14 };

struct candidate {
    const char *op; /* NULL: all are one group */
    bool quantized;
    uint64_t order;
    struct test_case *test_case;
};

/* FNV-1a of seed, habit and name, mixed. */
static uint64_t order_of(uint64_t seed, const char *habit, const char *name)
{
    const char *const texts[] = { habit, "/", name };
    uint64_t hash = 0xcbf29ce484222325u ^ seed;

    for (int i = 0; i < 3; i++)
        for (const char *c = texts[i]; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

static int compare_groups(const struct candidate *x, const struct candidate *y)
{
    const int ops = x->op && y->op ? strcmp(x->op, y->op) : 0;

    return ops ? ops : (x->quantized > y->quantized) - (x->quantized < y->quantized);
}

static int by_group(const void *a, const void *b)
{
    const struct candidate *const x = a, *const y = b;
    const int groups = compare_groups(x, y);

    if (groups)
        return groups;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
                                : strcmp(x->test_case->name, y->test_case->name);
}

/* Large rows take long, and rows that a delegate may refuse show nothing. */
static bool is_candidate(const struct op_case *row)
{
    return !row->empty && !row->refused_by && !row->every_half && !row->every_byte &&
           !row->period && !row->one_frame;
}

static void draw_one(struct candidate *list, size_t count, int habit, uint64_t seed, size_t most)
{
    size_t in_group = 0;

    for (size_t i = 0; i < count; i++) {
        list[i].op = most == OF_EACH_OP ? list[i].test_case->op : NULL;
        list[i].order = order_of(seed, habit_names[habit], list[i].test_case->name);
    }
    qsort(list, count, sizeof *list, by_group);
    for (size_t i = 0; i < count; i++) {
        in_group = i > 0 && compare_groups(&list[i - 1], &list[i]) == 0 ? in_group + 1 : 0;
        if (in_group < most || (habit == HABIT_RESIZED && list[i].test_case->row->resized))
            list[i].test_case->habits |= 1u << habit;
    }
}

static size_t most_of(const struct habit_choice *choice, int habit)
{
    return choice->quick ? OF_ALL_QUICK : habit == HABIT_CACHE ? OF_ALL_CACHE : OF_EACH_OP;
}

enum status habits_draw(const struct habit_choice *choice, struct test_case *cases, size_t count,
                        uint64_t seed, struct diag *diag)
{
    struct candidate *const list = mem_alloc(count + 1, sizeof *list);
    size_t candidates = 0;

    if (!list)
        return diag_fail(diag, STATUS_NO_MEMORY, "sample of %zu cases: out of memory", count);
    for (size_t i = 0; i < count; i++) {
        cases[i].habits = choice->all ? choice->habits : 0;
        if (is_candidate(cases[i].row))
            list[candidates++] =
                (struct candidate){ .quantized = cases[i].quantized, .test_case = &cases[i] };
    }
    for (int h = HABIT_SAMPLED; h < HABIT_COUNT && !choice->all; h++) {
        if (choice->habits >> h & 1)
            draw_one(list, candidates, h, seed, most_of(choice, h));
    }
    mem_free(list);
    return STATUS_OK;
}

/* ---- the checks ---- */

/* The reason begins with the habit's name. */
static void name_habit(struct case_result *r, const char *name)
{
    char reason[sizeof r->reason];

    memcpy(reason, r->reason, sizeof reason);
    snprintf(r->reason, sizeof r->reason, "%s: %.*s", name, (int)(sizeof reason - 20), reason);
}

bool habits_check(struct case_run *run)
{
    const unsigned abilities = engine_abilities(run->judge->subject);
    bool ok = true;

    for (int h = HABIT_SAMPLED; h < HABIT_COUNT && ok; h++) {
        const struct habit_row *const row = &habit_rows[h];

        if (!(run->test_case->habits >> h & 1))
            continue;
        run->habit = h;
        if ((row->needs & ~abilities) || (row->ours && !run->judge->ours)) {
            result_note_habit(run->result, (enum habit)h, false);
            continue;
        }
        ok = row->check(run);
        if (!ok)
            name_habit(run->result, habit_names[h]);
    }
    return ok;
}
