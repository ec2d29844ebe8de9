/* Lists below the tables of a subject. */
#include "conformance/report/forms/text_kit.h"
#include "conformance/report/record/classes.h"
#include "conformance/suite/judge/habits.h"

#include <math.h>
#include <string.h>

/* ---- notes on margins ---- */

/* Prints each note once, behind the ops that it is about. */
static enum status print_notes(struct text *x, size_t subject, struct diag *diag)
{
    const struct record *const r = x->record;
    const char **const notes = ARENA_NEW(&x->arena, x->line_count, const char *);
    struct text_group *groups;
    size_t count;

    if (!notes)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = 0; i < x->line_count; i++) {
        struct record_totals t = { .worst = SIZE_MAX };

        text_add_line(r, &x->lines[i], subject, &t);
        if (!x->lines[i].title && t.worst != SIZE_MAX)
            notes[i] = r->results[t.worst].note;
    }
    TRY(text_group(&x->arena, notes, x->line_count, &groups, &count, diag));
    if (count > 0)
        fputs("  margins above 0.5, and why:\n", x->out);
    for (size_t g = 0; g < count; g++) {
        struct text_list list = { x->out, 0 };
        const char *op = NULL;

        for (size_t i = 0; i < groups[g].count; i++) {
            const struct record_line *const line = &x->lines[groups[g].items[i]];

            if (!op || strcmp(op, line->op) != 0)
                text_list_word(&list, op = line->op);
        }
        text_list_word(&list, "-");
        text_list_words(&list, groups[g].text);
        fputc('\n', x->out);
    }
    return STATUS_OK;
}

/* ---- integers that differ ---- */

/* Prints how many elements had no limit, and which share of integers differs from the reference,
 * which in float view is legitimate: it rounds once where the runtime rounds twice. */
static void print_share(struct text *x, size_t subject)
{
    const struct record *const r = x->record;
    struct record_totals all = { .worst = SIZE_MAX };
    const struct record_case *most = NULL;
    double share = 0;
    size_t first, last;

    text_subject_results(r, subject, &first, &last);
    for (size_t i = first; i < last; i++) {
        const struct record_result *const c = &r->results[i];

        record_totals_add(&all, r, i);
        if (c->integers > 0 && (double)c->unequal / (double)c->integers > share) {
            share = (double)c->unequal / (double)c->integers;
            most = &r->cases[c->test_case];
        }
    }
    if (all.not_judged > 0)
        fprintf(x->out, "  not judged: %llu elements without a limit\n",
                (unsigned long long)all.not_judged);
    if (all.integers == 0 || !r->subjects[subject].bounds ||
        !strstr(r->subjects[subject].bounds, "float_view"))
        return;
    fprintf(x->out, "  off by one: %.3f %% of %llu integers",
            100 * (double)all.unequal / (double)all.integers, (unsigned long long)all.integers);
    if (most)
        fprintf(x->out, ", most in\n    %s: %.1f %%", most->name, 100 * share);
    fputc('\n', x->out);
}

/* ---- habits ---- */

/* A list of "name count" with commas between. */
static void print_count(struct text_list *list, const char *name, size_t count, bool *begun)
{
    char word[160];

    if (count == 0)
        return;
    snprintf(word, sizeof word, "%.120s %zu", name, count);
    if (*begun) {
        fputc(',', list->out);
        list->column++;
    }
    text_list_words(list, word);
    *begun = true;
}

static const char *line_name(const struct record_case *c)
{
    return c->title ? "gap suite" : c->op;
}

/* Op by op the cases to which the habit applies, and on which the kind of subject does not allow
 * it, or the subject refused it. */
static void print_unchecked(struct text *x, size_t first, size_t last, enum habit habit,
                            bool refused)
{
    const struct record *const r = x->record;
    struct text_list list = { x->out, 0 };
    bool begun = false;
    size_t count = 0;

    for (size_t i = first; i < last; i++) {
        const struct record_result *const c = &r->results[i];
        const char *const name = line_name(&r->cases[c->test_case]);

        count += ((refused ? c->refused : c->left_out) & ~c->checked) >> habit & 1;
        if (i + 1 < last && strcmp(line_name(&r->cases[c[1].test_case]), name) == 0)
            continue;
        if (count > 0 && !begun) {
            text_list_word(&list, refused ? "refused:" : "not checked:");
            text_list_words(&list, habit_names[habit]);
            if (!refused && habit_rows[habit].lacks) {
                fputs(",", x->out);
                list.column++;
                text_list_words(&list, habit_rows[habit].lacks);
            }
            text_list_word(&list, "-");
        }
        print_count(&list, name, count, &begun);
        count = 0;
    }
    if (begun)
        fputc('\n', x->out);
}

/* What was checked beside the results, and what applied and could not be: a check that was left out
 * has not passed. */
static void print_habits(struct text *x, size_t subject)
{
    struct text_list list = { x->out, 0 };
    bool begun = false;
    size_t first, last;

    text_subject_results(x->record, subject, &first, &last);
    for (int h = 0; h < HABIT_COUNT; h++) {
        size_t count = 0;

        for (size_t i = first; i < last; i++)
            count += x->record->results[i].checked >> h & 1;
        if (count > 0 && !begun)
            fputs("  checked beside the results, in how many cases:\n", x->out);
        print_count(&list, habit_names[h], count, &begun);
    }
    if (!begun)
        return;
    fputc('\n', x->out);
    for (int h = 0; h < HABIT_COUNT; h++) {
        print_unchecked(x, first, last, (enum habit)h, false);
        print_unchecked(x, first, last, (enum habit)h, true);
    }
}

/* ---- designs ---- */

/* How nodes of dynamic range computed, in how many cases. */
static void print_designs(struct text *x, size_t subject)
{
    struct text_list list = { x->out, 0 };
    bool begun = false;
    size_t first, last;

    text_subject_results(x->record, subject, &first, &last);
    for (int d = 0; d < DESIGN_COUNT; d++) {
        const char *const name = design_name(1u << d);
        size_t count = 0;

        for (size_t i = first; i < last; i++) {
            const char *const design = x->record->results[i].design;

            count += design && strcmp(design, name) == 0;
        }
        if (count > 0 && !begun)
            fputs("  dynamic range was computed by design:\n", x->out);
        print_count(&list, name, count, &begun);
    }
    if (begun)
        fputc('\n', x->out);
}

/* ---- repeats ---- */

/* How often cases were wrong when they were run again: those with wrong or cut runs, with
 * --statistics all. */
static void print_repeats(struct text *x, size_t subject)
{
    const struct record *const r = x->record;
    size_t first, last, cases = 0, wrong = 0, cut = 0;
    char text[RECORD_REPEATS_BYTES];

    text_subject_results(r, subject, &first, &last);
    for (size_t i = first; i < last; i++) {
        cases += r->results[i].repeats.asked > 0;
        wrong += r->results[i].repeats.wrong > 0;
        cut += r->results[i].repeats.cut != NULL;
    }
    if (cases == 0)
        return;
    fprintf(x->out,
            "  repeated: %zu cases, %llu runs of each: wrong runs in %zu, cut before the last run: "
            "%zu\n",
            cases, (unsigned long long)r->run.repeat, wrong, cut);
    for (size_t i = first; i < last; i++) {
        const struct record_result *const c = &r->results[i];
        struct text_list list = { x->out, 0 };

        if (c->repeats.asked == 0 || !(r->run.statistics || c->repeats.wrong || c->repeats.cut))
            continue;
        text_list_word(&list, r->cases[c->test_case].name);
        text_list_words(&list, record_repeats_text(c, text));
        fputc('\n', x->out);
    }
}

/* ---- classes ---- */

struct classes {
    struct text *text;
    bool begun;
};

/* Tensors without elements are left to the CPU by nearly all, op by op; the lists below have them.
 */
static bool is_lost(const struct class_group *g, size_t i)
{
    return g->of[i][i].taken == 0 && strcmp(g->names[i], "empty") != 0;
}

/* The classes of one op in one type that are wholly declined.  What is declined in every class is
 * no part: the table above says so. */
static void print_group(const struct class_group *g, void *user)
{
    struct classes *const x = user;
    struct text_list list = { x->text->out, 0 };
    size_t taken = 0, lost = 0;

    for (size_t i = 0; i < g->count; i++) {
        taken += g->of[i][i].taken > 0;
        lost += is_lost(g, i);
    }
    if (taken == 0 || lost == 0)
        return;
    if (!x->begun)
        fputs("  classes of attributes and shapes that are taken in no case:\n", list.out);
    x->begun = true;
    text_list_word(&list, g->op);
    text_list_word(&list, g->type);
    text_list_word(&list, "-");
    for (size_t i = 0; i < g->count; i++)
        if (is_lost(g, i))
            text_list_word(&list, g->names[i]);
    fputc('\n', list.out);
}

/* ---- declined ---- */

/* Why a case was declined, without what was expected of it. */
static const char *declined_for(const struct record_result *c)
{
    return c->what ? c->what : c->reason ? c->reason : "";
}

/* Prints each reason once, with the cases that were declined for it. */
static enum status print_declined(struct text *x, size_t subject, struct diag *diag)
{
    const struct record *const r = x->record;
    const char **reasons;
    struct text_group *groups;
    size_t first, last, count;

    text_subject_results(r, subject, &first, &last);
    reasons = ARENA_NEW(&x->arena, last - first, const char *);
    if (!reasons)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = first; i < last; i++) {
        if (r->results[i].status == CASE_DECLINED)
            reasons[i - first] = declined_for(&r->results[i]);
    }
    TRY(text_group(&x->arena, reasons, last - first, &groups, &count, diag));
    for (size_t g = 0; g < count; g++) {
        struct text_list list = { x->out, 0 };

        fprintf(x->out, "  %zu declined: %s\n", groups[g].count, groups[g].text);
        for (size_t i = 0; i < groups[g].count; i++)
            text_list_word(&list, r->cases[r->results[first + groups[g].items[i]].test_case].name);
        fputc('\n', x->out);
    }
    return STATUS_OK;
}

enum status text_subject_lists(struct text *x, size_t subject, struct diag *diag)
{
    struct classes classes = { x, false };

    TRY(print_notes(x, subject, diag));
    print_share(x, subject);
    print_habits(x, subject);
    print_designs(x, subject);
    print_repeats(x, subject);
    TRY(classes_each(x->record, subject, print_group, &classes, diag));
    return print_declined(x, subject, diag);
}
