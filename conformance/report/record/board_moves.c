#include "conformance/report/record/board.h"

#include "conformance/report/record/compare.h"

#include <stdlib.h>
#include <string.h>

struct moves {
    struct arena *arena;
    struct board_move *items;
    size_t count;
    struct diag *diag;
};

/* The status of case i, by its letter. */
static enum case_status status_at(const struct board_line *l, size_t i)
{
    return (enum case_status)(strchr(summary_letters, l->status[i]) - summary_letters);
}

/* Adds a case to the moves of a line, which begin at `first`. */
static enum status add(struct moves *m, size_t first, const struct board_line *line, size_t most,
                       enum compare_kind kind, bool loose, const char *name)
{
    size_t at = first;

    while (at < m->count && m->items[at].kind != kind)
        at++;
    if (at == m->count)
        m->items[m->count++] = (struct board_move){ line, kind, loose, 0, NULL };
    if (name && !m->items[at].names &&
        !(m->items[at].names = ARENA_NEW(m->arena, most, const char *)))
        return diag_fail(m->diag, STATUS_NO_MEMORY, "out of memory");
    if (name)
        m->items[at].names[m->items[at].count] = name;
    m->items[at].count++;
    return STATUS_OK;
}

/* Lines of one list, case by case. */
static enum status compare_same(struct moves *m, const struct board_line *was,
                                const struct board_line *is)
{
    const size_t first = m->count;
    size_t w = 0, n = 0;

    for (size_t i = 0; i < is->cases; i++) {
        const enum case_status before = status_at(was, i), after = status_at(is, i);
        const char *const old_name = summary_names(before) ? was->bad[w++] : NULL;
        const char *const new_name = summary_names(after) ? is->bad[n++] : NULL;

        if (before != after)
            TRY(add(m, first, is, was->bad_count + is->bad_count, compare_kind_of(before, after),
                    false, new_name ? new_name : old_name));
    }
    return STATUS_OK;
}

/* Lines of other lists: which names fail is all that is known of both. */
static enum status compare_names(struct moves *m, const struct board_line *was,
                                 const struct board_line *is)
{
    const size_t first = m->count;
    size_t w = 0, n = 0;

    while (w < was->bad_count || n < is->bad_count) {
        const int order = w == was->bad_count  ? 1
                          : n == is->bad_count ? -1
                                               : strcmp(was->bad[w], is->bad[n]);

        if (order > 0)
            TRY(add(m, first, is, is->bad_count, COMPARE_NEW_FAILURE, true, is->bad[n]));
        else if (order < 0)
            TRY(add(m, first, is, was->bad_count, COMPARE_FIXED, true, was->bad[w]));
        w += order <= 0;
        n += order >= 0;
    }
    return STATUS_OK;
}

static int compare_moves(const void *x, const void *y)
{
    const struct board_move *const a = x, *const b = y;

    if (a->loose != b->loose)
        return a->loose - b->loose;
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
                              : board_compare_lines(a->line, b->line);
}

enum status board_moves(const struct board_run *was, const struct board_run *is,
                        struct arena *arena, struct board_move **moves, size_t *count,
                        struct diag *diag)
{
    struct moves m = { .arena = arena, .diag = diag };

    m.items = ARENA_NEW(arena, is->line_count * COMPARE_KIND_COUNT, struct board_move);
    if (!m.items)
        return diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
    for (size_t w = 0, n = 0; w < was->line_count && n < is->line_count;) {
        const struct board_line *const a = &was->lines[w], *const b = &is->lines[n];
        const int order = board_compare_lines(a, b);

        if (order == 0 && a->cases == b->cases && strcmp(a->x.list, b->x.list) == 0)
            TRY(compare_same(&m, a, b));
        else if (order == 0)
            TRY(compare_names(&m, a, b));
        w += order <= 0;
        n += order >= 0;
    }
    qsort(m.items, m.count, sizeof *m.items, compare_moves);
    *moves = m.items;
    *count = m.count;
    return STATUS_OK;
}
