/* Makes pairwise sweeps greedily: a row begins with the first pair of levels that no row has yet,
 * and each further axis takes the level that adds most new pairs to those chosen so far. */
#include "conformance/suite/cases/pairwise.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct state {
    const struct pairwise_axis *axes;
    size_t axis_count;
    /* Which pairs of levels some row has: [axis][axis][level][level], the lower axis first. */
    bool seen[PAIRWISE_AXES_MAX][PAIRWISE_AXES_MAX][PAIRWISE_LEVELS_MAX][PAIRWISE_LEVELS_MAX];
    unsigned used[PAIRWISE_AXES_MAX][PAIRWISE_LEVELS_MAX];
    int chosen[PAIRWISE_AXES_MAX]; /* levels of the row that is being made; -1: not chosen yet */
};

static bool *pair(struct state *s, size_t a, size_t level_a, size_t b, size_t level_b)
{
    return a < b ? &s->seen[a][b][level_a][level_b] : &s->seen[b][a][level_b][level_a];
}

/* Counts the pairs of this level with the levels chosen so far that no row has. */
static unsigned gain(struct state *s, size_t axis, size_t level)
{
    unsigned n = 0;

    for (size_t other = 0; other < s->axis_count; other++)
        n += other != axis && s->chosen[other] >= 0 &&
             !*pair(s, axis, level, other, (size_t)s->chosen[other]);
    return n;
}

/* Chooses the level of an axis with most new pairs; among equals the one that was used least, so
 * that triples are spread evenly, too. */
static void choose(struct state *s, size_t axis)
{
    size_t best = 0;
    unsigned most = gain(s, axis, 0);

    for (size_t level = 1; level < s->axes[axis].count; level++) {
        const unsigned n = gain(s, axis, level);

        if (n > most || (n == most && s->used[axis][level] < s->used[axis][best])) {
            best = level;
            most = n;
        }
    }
    s->chosen[axis] = (int)best;
}

/* Starts a row with the first pair that is missing; false when none is. */
static bool begin_row(struct state *s)
{
    for (size_t i = 0; i < s->axis_count; i++)
        s->chosen[i] = -1;
    for (size_t a = 0; a < s->axis_count; a++) {
        for (size_t b = a + 1; b < s->axis_count; b++) {
            for (size_t i = 0; i < s->axes[a].count; i++) {
                for (size_t j = 0; j < s->axes[b].count; j++) {
                    if (s->seen[a][b][i][j])
                        continue;
                    s->chosen[a] = (int)i;
                    s->chosen[b] = (int)j;
                    return true;
                }
            }
        }
    }
    return false;
}

static void end_row(struct state *s, struct pairwise_row *row)
{
    size_t used = 0;

    row->name[0] = '\0';
    row->axis_count = s->axis_count;
    for (size_t a = 0; a < s->axis_count; a++) {
        const struct pairwise_level *const level = &s->axes[a].levels[s->chosen[a]];

        s->used[a][s->chosen[a]]++;
        for (size_t b = a + 1; b < s->axis_count; b++)
            s->seen[a][b][s->chosen[a]][s->chosen[b]] = true;
        row->level[a] = level;
        if (level->label[0]) {
            const int n = snprintf(row->name + used, sizeof row->name - used, "%s%s",
                                   used ? "_" : "", level->label);
            assert(n > 0 && (size_t)n < sizeof row->name - used);
            used += (size_t)n;
        }
    }
}

size_t pairwise_rows(const struct pairwise_axis *axes, size_t axis_count,
                     struct pairwise_row rows[PAIRWISE_ROWS_MAX])
{
    static struct state s; /* too large for the stack: only one thread may call this */
    size_t count = 0;

    assert(axis_count >= 1 && axis_count <= PAIRWISE_AXES_MAX);
    memset(&s, 0, sizeof s);
    s.axes = axes;
    s.axis_count = axis_count;
    for (size_t a = 0; a < axis_count; a++)
        assert(axes[a].count > 0 && axes[a].count <= PAIRWISE_LEVELS_MAX);
    for (size_t i = 0; axis_count == 1 && i < axes[0].count; i++) {
        s.chosen[0] = (int)i;
        end_row(&s, &rows[count++]);
    }
    while (begin_row(&s)) {
        assert(count < PAIRWISE_ROWS_MAX);
        for (size_t a = 0; a < axis_count; a++) {
            if (s.chosen[a] < 0)
                choose(&s, a);
        }
        end_row(&s, &rows[count++]);
    }
    for (size_t i = 0; i < count; i++)
        rows[i].index = rows[i].position = i;
    return count;
}
