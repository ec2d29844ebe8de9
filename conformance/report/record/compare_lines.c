/* Goes through the lines of NEW on each pair of subjects.  Figures are compared where the case
 * passes in both reports: what fails is a finding of its own. */
#include "conformance/report/record/compare.h"

#include "conformance/report/record/times.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>

struct work {
    struct record_comparison *c;
    struct times_line *times; /* for each of c->lines */
    double *logs;             /* their memory */
    size_t log_count;
};

static void add_margin(struct record_comparison *c, struct compare_line *l, size_t was, size_t is)
{
    const double from = c->was->results[was].margin, to = c->is->results[is].margin;
    const double most = 1 + c->limits.margin_growth;
    const bool grown = to > from * most && to - from > c->limits.margin_floor;
    const bool shrunk = from > to * most && from - to > c->limits.margin_floor;

    if (c->limits.no_margins || c->pairs[l->pair].bounds_differ || !isfinite(from) || !isfinite(to))
        return;
    l->margin_was = l->margin_was >= from ? l->margin_was : from;
    l->margin_is = l->margin_is >= to ? l->margin_is : to;
    l->margins_grown += grown;
    if (grown || shrunk)
        c->margins[c->margin_count++] =
            (struct compare_growth){ l->pair, was, is, from, to, grown };
}

static void add_memory(struct record_comparison *c, struct compare_line *l, size_t was, size_t is)
{
    const uint64_t from = c->was->results[was].bytes, to = c->is->results[is].bytes;
    const uint64_t step = to > from ? to - from : from - to;
    const double least = (double)(from < to ? from : to), most = (double)(from < to ? to : from);
    const bool moved =
        step > c->limits.memory_floor && most > least * (1 + c->limits.memory_growth);

    if (c->limits.no_memory || from == 0 || to == 0) /* one was not measured */
        return;
    l->bytes_was += from;
    l->bytes_is += to;
    l->memory_grown += moved && to > from;
    if (moved)
        c->memory[c->memory_count++] =
            (struct compare_growth){ l->pair, was, is, (double)from, (double)to, to > from };
}

static void add_time(struct work *w, struct compare_line *l, size_t was, size_t is)
{
    const double from = w->c->was->results[was].ms, to = w->c->is->results[is].ms;

    if (w->c->limits.no_times || !(from > 0) || !(to > 0) || !isfinite(from) || !isfinite(to))
        return;
    l->timed++;
    l->ms_was += from;
    l->ms_is += to;
    w->c->pairs[l->pair].timed++;
    w->logs[w->log_count++] = log(to / from);
}

/* The line of NEW on a pair; a line without a case that both have is left out. */
static void add_line(struct work *w, const struct record_line *line, size_t pair)
{
    struct record_comparison *const c = w->c;
    const struct compare_pair *const p = &c->pairs[pair];
    struct compare_line l = { .op = line->op,
                              .type = line->type,
                              .title = line->title,
                              .pair = pair,
                              .margin_was = NAN,
                              .margin_is = NAN,
                              .factor = NAN,
                              .p = NAN };
    const size_t first = w->log_count;

    for (size_t i = 0; i < line->case_count; i++) {
        const struct record_result *const is = record_find(c->is, p->new_subject, line->cases[i]);
        const size_t at = record_find_case(c->was, c->is->cases[line->cases[i]].name);
        const struct record_result *const was =
            at == SIZE_MAX ? NULL : record_find(c->was, p->old_subject, at);

        if (!was || !is)
            continue;
        l.common++;
        if (was->status != CASE_PASS || is->status != CASE_PASS)
            continue;
        add_margin(c, &l, (size_t)(was - c->was->results), (size_t)(is - c->is->results));
        add_memory(c, &l, (size_t)(was - c->was->results), (size_t)(is - c->is->results));
        add_time(w, &l, (size_t)(was - c->was->results), (size_t)(is - c->is->results));
    }
    if (l.common == 0)
        return;
    w->times[c->line_count] =
        (struct times_line){ w->logs + first, w->log_count - first, NAN, NAN };
    c->lines[c->line_count++] = l;
}

/* The lines from `first` on are those of the pair. */
static enum status judge_times(struct work *w, size_t pair, size_t first, struct diag *diag)
{
    struct record_comparison *const c = w->c;
    struct compare_pair *const p = &c->pairs[pair];
    struct times_run run;

    TRY(times_judge(w->times + first, c->line_count - first, &run, diag));
    p->time_factor = exp(run.common);
    p->time_noise = run.noise;
    p->slower = p->time_factor > 1 + c->limits.run_slowdown;
    for (size_t i = first; i < c->line_count; i++) {
        const struct times_line *const t = &w->times[i];
        const bool sure = t->p < TIMES_ALPHA; /* false where p is NaN */

        c->lines[i].factor = exp(t->shift);
        c->lines[i].p = t->p;
        c->lines[i].slower = sure && t->shift > log1p(c->limits.slowdown);
        c->lines[i].faster = sure && -t->shift > log1p(c->limits.slowdown);
    }
    return STATUS_OK;
}

static double growth_of(const struct compare_growth *g)
{
    return g->from > 0 ? g->to / g->from : INFINITY;
}

/* The largest growth first; of margins that grew from 0, the largest. */
static int compare_growths(const void *x, const void *y)
{
    const struct compare_growth *const a = x, *const b = y;
    const double ga = growth_of(a), gb = growth_of(b);

    if (a->fails != b->fails)
        return a->fails ? -1 : 1;
    if (ga != gb)
        return ga > gb ? -1 : 1;
    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return (a->is > b->is) - (a->is < b->is);
}

static enum status fill(struct work *w, struct diag *diag)
{
    struct record_comparison *const c = w->c;
    const size_t most = c->is->result_count * c->pair_count;
    struct record_line *lines;
    size_t count;

    TRY(record_lines(c->is, &c->arena, &lines, &count, diag));
    c->lines = ARENA_NEW(&c->arena, count * c->pair_count, struct compare_line);
    c->margins = ARENA_NEW(&c->arena, most, struct compare_growth);
    c->memory = ARENA_NEW(&c->arena, most, struct compare_growth);
    w->times = mem_alloc(count * c->pair_count + 1, sizeof *w->times);
    w->logs = mem_alloc(most + 1, sizeof *w->logs);
    if (!c->lines || !c->margins || !c->memory || !w->times || !w->logs)
        return diag_fail(diag, STATUS_NO_MEMORY, "comparison: out of memory");
    for (size_t p = 0; p < c->pair_count; p++) {
        const size_t first = c->line_count;

        for (size_t i = 0; i < count; i++)
            add_line(w, &lines[i], p);
        TRY(judge_times(w, p, first, diag));
    }
    qsort(c->margins, c->margin_count, sizeof *c->margins, compare_growths);
    qsort(c->memory, c->memory_count, sizeof *c->memory, compare_growths);
    return STATUS_OK;
}

enum status compare_lines_fill(struct record_comparison *c, struct diag *diag)
{
    struct work w = { .c = c };
    const enum status s = fill(&w, diag);

    mem_free(w.times);
    mem_free(w.logs);
    return s;
}
