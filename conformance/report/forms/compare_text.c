/* A comparison as text: for each pair of subjects what changed, then figures, notes, the verdict.
 */
#include "conformance/report/forms/forms.h"
#include "conformance/report/record/times.h"

#include <math.h>
#include <string.h>

enum { ROWS_SHOWN = 20 };

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_run(FILE *out, const char *name, const struct record *r)
{
    fprintf(out, "%s: Assay %s", name, text_or_not_known(r->run.version));
    if (r->run.git)
        fprintf(out, ", git %s", r->run.git);
    if (r->run.started)
        fprintf(out, ", %s", r->run.started);
    if (r->device.name)
        fprintf(out, ", %s", r->device.name);
    fputc('\n', out);
}

/* ---- cases ---- */

static bool same_line(const struct record *r, size_t a, size_t b)
{
    const struct record_case *const x = &r->cases[r->results[a].test_case];
    const struct record_case *const y = &r->cases[r->results[b].test_case];

    if (x->title || y->title)
        return same_text(x->title, y->title);
    return same_text(x->op, y->op) && same_text(x->type, y->type);
}

static void print_line_name(FILE *out, const char *title, const char *op, const char *type)
{
    if (title)
        fprintf(out, "%s", title);
    else
        fprintf(out, "%s %s", text_or_not_known(op), text_or_not_known(type));
}

/* Changes of one kind in one op and type: how many, and the first one whole. */
static void print_changes(FILE *out, const struct record_comparison *c,
                          const struct compare_change *first, size_t count)
{
    const struct record_result *const r = &c->is->results[first->is];
    const struct record_case *const t = &c->is->cases[r->test_case];

    fprintf(out, "    ");
    print_line_name(out, t->title, t->op, t->type);
    fprintf(out, ": %zu\n      %s: %s, now %s%s%s\n", count, t->name,
            case_status_name(c->was->results[first->was].status), case_status_name(r->status),
            r->reason ? ": " : "", r->reason ? r->reason : "");
    if (r->rerun && compare_kind_is_bad(first->kind))
        fprintf(out, "      rerun: %s\n", r->rerun);
}

static void print_kind(FILE *out, const struct record_comparison *c, size_t pair,
                       enum compare_kind kind)
{
    size_t all = 0, rows = 0, end;

    for (size_t i = 0; i < c->change_count; i++)
        all += c->changes[i].kind == kind && c->changes[i].pair == pair;
    if (all == 0)
        return;
    fprintf(out, "  %s: %zu\n", compare_kind_title(kind), all);
    for (size_t i = 0; i < c->change_count; i = end) {
        const struct compare_change *const first = &c->changes[i];

        end = i + 1;
        if (first->kind != kind || first->pair != pair)
            continue;
        while (end < c->change_count && c->changes[end].kind == kind &&
               c->changes[end].pair == pair && same_line(c->is, first->is, c->changes[end].is))
            end++;
        if (rows++ < ROWS_SHOWN)
            print_changes(out, c, first, end - i);
    }
    if (rows > ROWS_SHOWN)
        fprintf(out, "    and %zu more ops and types; JSON has every case\n", rows - ROWS_SHOWN);
}

/* Cases that one report lacks: how many, and the first ones. */
static void print_singles(FILE *out, const struct record_comparison *c, size_t pair, bool gone)
{
    const size_t all = gone ? c->pairs[pair].gone : c->pairs[pair].added;
    size_t rows = 0;

    if (all == 0)
        return;
    fprintf(out, "  cases in %s alone: %zu\n", gone ? "OLD" : "NEW", all);
    for (size_t i = 0; i < c->single_count && rows < 3; i++) {
        const struct compare_single *const s = &c->singles[i];
        const struct record *const r = gone ? c->was : c->is;
        const struct record_result *x;

        if (s->pair != pair || (s->is == SIZE_MAX) != gone)
            continue;
        x = &r->results[gone ? s->was : s->is];
        fprintf(out, "    %s: %s%s\n", r->cases[x->test_case].name, case_status_name(x->status),
                s->not_reached ? ", not reached by NEW" : "");
        rows++;
    }
    if (all > rows)
        fprintf(out, "    and %zu more\n", all - rows);
}

/* ---- figures ---- */

static void print_growths(FILE *out, const struct record_comparison *c, size_t pair,
                          const struct compare_growth *list, size_t count, const char *what,
                          const char *limit, const char *format)
{
    size_t grown = 0, shrunk = 0, rows = 0;

    for (size_t i = 0; i < count; i++) {
        grown += list[i].pair == pair && list[i].fails;
        shrunk += list[i].pair == pair && !list[i].fails;
    }
    if (grown + shrunk == 0)
        return;
    fprintf(out, "  %s, by more than %s: %zu grew, %zu shrank\n", what, limit, grown, shrunk);
    for (size_t i = 0; i < count && rows < ROWS_SHOWN; i++) {
        const struct compare_growth *const g = &list[i];

        if (g->pair != pair)
            continue;
        fprintf(out, "    %-42s ", c->is->cases[c->is->results[g->is].test_case].name);
        fprintf(out, format, g->from, g->to);
        if (g->from > 0)
            fprintf(out, "  %+.1f %%", 100 * (g->to / g->from - 1));
        fputc('\n', out);
        rows++;
    }
    if (grown + shrunk > rows)
        fprintf(out, "    and %zu more\n", grown + shrunk - rows);
}

/* The smallest slowdown that would have been told from the scatter of as many lines. */
static double least_visible(const struct record_comparison *c, size_t pair)
{
    size_t lines = 0;
    double t = 0;

    for (size_t i = 0; i < c->line_count; i++)
        lines += c->lines[i].pair == pair && !isnan(c->lines[i].p);
    while (times_student(t) * 2 * (double)lines >= TIMES_ALPHA)
        t += 0.01;
    return exp(t * c->pairs[pair].time_noise);
}

static void print_times(FILE *out, const struct record_comparison *c, size_t pair)
{
    const struct compare_pair *const p = &c->pairs[pair];

    if (p->timed == 0)
        return;
    fprintf(out, "  times: the whole run takes %.3f times as long (median of %zu cases)\n",
            p->time_factor, p->timed);
    if (isnan(p->time_noise)) {
        fprintf(out,
                "    fewer than %d ops and types have %d timed cases: which became slower cannot "
                "be said\n",
                TIMES_LINES, TIMES_CASES);
        return;
    }
    fprintf(out,
            "    ops scatter by %.1f %% round it: one that takes %.2f times as long would show\n",
            100 * expm1(p->time_noise), least_visible(c, pair));
    for (size_t i = 0; i < c->line_count; i++) {
        const struct compare_line *const l = &c->lines[i];

        if (l->pair != pair || (!l->slower && !l->faster))
            continue;
        fprintf(out, "    %s: ", l->slower ? "slower" : "faster");
        print_line_name(out, l->title, l->op, l->type);
        fprintf(out, ": %.3f times as long (%zu cases, p = %.2g)\n", l->factor, l->timed, l->p);
    }
}

static void print_pair(FILE *out, const struct record_comparison *c, size_t pair)
{
    const struct compare_pair *const p = &c->pairs[pair];
    const char *const was = text_or_not_known(c->was->subjects[p->old_subject].label);
    const char *const is = text_or_not_known(c->is->subjects[p->new_subject].label);
    char limit[64];

    fprintf(out, "\nsubject %s", is);
    if (strcmp(was, is) != 0)
        fprintf(out, " (in OLD %s)", was);
    fprintf(out, ": %zu case%s in both\n", p->common, plural(p->common));
    for (int k = 0; k < COMPARE_KIND_COUNT; k++)
        print_kind(out, c, pair, (enum compare_kind)k);
    print_singles(out, c, pair, true);
    print_singles(out, c, pair, false);
    snprintf(limit, sizeof limit, "%g %% and %g", 100 * c->limits.margin_growth,
             c->limits.margin_floor);
    print_growths(out, c, pair, c->margins, c->margin_count, "margins", limit, "%8.3g %8.3g");
    snprintf(limit, sizeof limit, "%g %% and %llu bytes", 100 * c->limits.memory_growth,
             (unsigned long long)c->limits.memory_floor);
    print_growths(out, c, pair, c->memory, c->memory_count, "memory", limit, "%11.0f %11.0f");
    print_times(out, c, pair);
}

static void print_subjects_left(FILE *out, const struct record_comparison *c)
{
    for (size_t i = 0; i < c->old_only_count; i++)
        fprintf(out, "subject %s: in OLD alone\n",
                text_or_not_known(c->was->subjects[c->old_only[i]].label));
    for (size_t i = 0; i < c->new_only_count; i++)
        fprintf(out, "subject %s: in NEW alone, not compared\n",
                text_or_not_known(c->is->subjects[c->new_only[i]].label));
}

static void print_models(FILE *out, const struct record_comparison *c)
{
    if (c->model_count > 0)
        fprintf(out, "\nmodels:\n");
    for (size_t i = 0; i < c->model_count; i++) {
        const struct record_model *const m = &c->is->models[c->models[i].is];

        fprintf(out, "  %s on %s: %s, now %s\n", m->name,
                m->is_reference ? "the reference"
                                : text_or_not_known(c->is->subjects[m->subject].label),
                case_status_name(c->was->models[c->models[i].was].status),
                case_status_name(m->status));
    }
}

enum status compare_text(const struct record_comparison *c, FILE *out, struct diag *diag)
{
    size_t common = 0;

    (void)diag;
    print_run(out, "OLD", c->was);
    print_run(out, "NEW", c->is);
    for (size_t p = 0; p < c->pair_count; p++) {
        print_pair(out, c, p);
        common += c->pairs[p].common;
    }
    if (c->old_only_count + c->new_only_count > 0)
        fputc('\n', out);
    print_subjects_left(out, c);
    print_models(out, c);
    if (c->note_count > 0)
        fprintf(out, "\nnotes:\n");
    for (size_t i = 0; i < c->note_count; i++)
        fprintf(out, "  %s\n", c->notes[i]);
    if (c->failure_count > 0)
        fprintf(out, "\nworse than before:\n");
    for (size_t i = 0; i < c->failure_count; i++)
        fprintf(out, "  %s\n", c->failures[i]);
    fprintf(out, "\ncompare: %zu check%s in both:", common, plural(common));
    for (int k = 0; k < COMPARE_KIND_COUNT; k++) {
        if (c->kind_count[k] > 0 || k == COMPARE_NEW_FAILURE || k == COMPARE_LOST ||
            k == COMPARE_FIXED)
            fprintf(out, "%s %zu %s", k ? "," : "", c->kind_count[k],
                    compare_kind_title((enum compare_kind)k));
    }
    fputc('\n', out);
    return STATUS_OK;
}
