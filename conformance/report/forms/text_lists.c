/* Lists below the tables of a subject. */
#include "conformance/report/forms/text_kit.h"
#include "conformance/report/record/classes.h"
#include "conformance/report/record/cluster.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/util/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { DECLINED_BY_NAME = 10 };

/* ---- ops that are not taken ---- */

bool text_is_untaken(const struct record_totals *t)
{
    return t->all > 0 && t->bad == 0 && t->count[CASE_DECLINED] == t->all;
}

/* A line of an op, and whether it is taken in no case. */
struct untaken {
    const struct record_line *line;
    bool is;
};

static int by_op(const void *a, const void *b)
{
    const struct untaken *const x = a, *const y = b;
    const int order = strcmp(x->line->op, y->line->op);

    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* The lines of an op: how many of them are not taken. */
static size_t count_untaken(const struct untaken *lines, size_t count)
{
    size_t none = 0;

    for (size_t i = 0; i < count; i++)
        none += lines[i].is;
    return none;
}

static size_t lines_of_op(const struct untaken *lines, size_t count)
{
    size_t end = 1;

    while (end < count && strcmp(lines[end].line->op, lines[0].line->op) == 0)
        end++;
    return end;
}

/* The ops that are not taken in any type: those that a line has room for. */
static void print_untaken_ops(FILE *out, const struct untaken *lines, size_t count)
{
    size_t ops = 0, shown = 0, column, step;

    for (size_t i = 0; i < count; i += step) {
        step = lines_of_op(&lines[i], count - i);
        ops += count_untaken(&lines[i], step) == step;
    }
    if (ops == 0)
        return;
    column = (size_t)fprintf(out, "  not taken at all, %zu %s:", ops, ops == 1 ? "op" : "ops");
    for (size_t i = 0; i < count; i += step) {
        const char *const op = lines[i].line->op;

        step = lines_of_op(&lines[i], count - i);
        if (count_untaken(&lines[i], step) < step)
            continue;
        if (column + strlen(op) + 1 + (shown + 1 < ops ? 14 : 0) > TEXT_COLUMNS)
            break;
        column += (size_t)fprintf(out, " %s", op);
        shown++;
    }
    if (shown < ops)
        fprintf(out, " and %zu more", ops - shown);
    fputc('\n', out);
}

/* Of an op that is taken in some types the others. */
static void print_untaken_types(struct text_list *list, const struct untaken *lines, size_t count)
{
    const size_t none = count_untaken(lines, count);
    char word[160];
    size_t shown = 0;

    if (none == 0 || none == count)
        return;
    if (list->column == 0)
        text_list_words(list, "types not taken:");
    text_list_word(list, lines[0].line->op);
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].is)
            continue;
        shown++;
        snprintf(word, sizeof word, "%s%.120s%s", shown == 1 ? "(" : "", lines[i].line->type,
                 shown == none ? ")" : "");
        text_list_word(list, word);
    }
}

enum status text_untaken(struct text *x, size_t subject, struct diag *diag)
{
    struct text_list list = { x->out, 0 };
    struct untaken *const lines = ARENA_NEW(&x->arena, x->line_count, struct untaken);
    size_t count = 0, titles = 0, step;

    x->untaken = ARENA_NEW(&x->arena, x->record->case_count, bool);
    if (!lines || !x->untaken)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = 0; i < x->line_count; i++) {
        const struct record_line *const line = &x->lines[i];
        struct record_totals t = { .worst = SIZE_MAX };
        bool is;

        record_totals_add_line(&t, x->record, line, subject);
        is = text_is_untaken(&t);
        titles += is && line->title;
        for (size_t k = 0; is && k < line->case_count; k++)
            x->untaken[line->cases[k]] = true;
        if (!line->title && t.all > 0)
            lines[count++] = (struct untaken){ line, is };
    }
    qsort(lines, count, sizeof *lines, by_op);
    print_untaken_ops(x->out, lines, count);
    for (size_t i = 0; i < count; i += step) {
        step = lines_of_op(&lines[i], count - i);
        print_untaken_types(&list, &lines[i], step);
    }
    if (list.column > 0)
        fputc('\n', x->out);
    if (titles > 0)
        fprintf(x->out, "  no case is taken of %zu known %s of delegates\n", titles,
                titles == 1 ? "fault" : "faults");
    return STATUS_OK;
}

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

        record_totals_add_line(&t, r, &x->lines[i], subject);
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

    for (size_t i = x->first; i < x->last; i++) {
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
static void print_unchecked(struct text *x, enum habit habit, bool refused)
{
    const struct record *const r = x->record;
    struct text_list list = { x->out, 0 };
    bool begun = false;
    size_t count = 0;

    for (size_t i = x->first; i < x->last; i++) {
        const struct record_result *const c = &r->results[i];
        const char *const name = line_name(&r->cases[c->test_case]);

        count += ((refused ? c->refused : c->left_out) & ~c->checked) >> habit & 1;
        if (i + 1 < x->last && strcmp(line_name(&r->cases[c[1].test_case]), name) == 0)
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
static void print_habits(struct text *x)
{
    struct text_list list = { x->out, 0 };
    bool begun = false;

    for (int h = 0; h < HABIT_COUNT; h++) {
        size_t count = 0;

        for (size_t i = x->first; i < x->last; i++)
            count += x->record->results[i].checked >> h & 1;
        if (count > 0 && !begun)
            fputs("  checked beside the results, in how many cases:\n", x->out);
        print_count(&list, habit_names[h], count, &begun);
    }
    if (!begun)
        return;
    fputc('\n', x->out);
    for (int h = 0; h < HABIT_COUNT; h++) {
        print_unchecked(x, (enum habit)h, false);
        print_unchecked(x, (enum habit)h, true);
    }
}

/* ---- designs ---- */

/* How nodes of dynamic range computed, in how many cases. */
static void print_designs(struct text *x)
{
    struct text_list list = { x->out, 0 };
    bool begun = false;

    for (int d = 0; d < DESIGN_COUNT; d++) {
        const char *const name = design_name(1u << d);
        size_t count = 0;

        for (size_t i = x->first; i < x->last; i++) {
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
static void print_repeats(struct text *x)
{
    const struct record *const r = x->record;
    size_t cases = 0, wrong = 0, cut = 0;
    char text[RECORD_REPEATS_BYTES];

    for (size_t i = x->first; i < x->last; i++) {
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
    for (size_t i = x->first; i < x->last; i++) {
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

/* The cases of a few that were declined for a reason, of many the ops; without those of which the
 * subject takes nothing, which are told once. */
static void print_group_of_declined(struct text *x, const struct record_result *results,
                                    const struct text_group *g)
{
    struct text_list list = { x->out, 0 };
    bool begun = false;
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++) {
        const struct record_case *const c = &x->record->cases[results[g->items[i]].test_case];
        const struct record_case *const next =
            i + 1 < g->count ? &x->record->cases[results[g->items[i + 1]].test_case] : NULL;
        const bool told = x->untaken[results[g->items[i]].test_case];

        if (!told && g->count <= DECLINED_BY_NAME)
            text_list_word(&list, c->name);
        count += !told;
        if (g->count <= DECLINED_BY_NAME || (next && strcmp(line_name(next), line_name(c)) == 0))
            continue;
        print_count(&list, line_name(c), count, &begun);
        count = 0;
    }
    if (list.column > 0)
        fputc('\n', x->out);
}

/* Prints each reason once, with the cases that were declined for it.  Reasons that differ in
 * numbers alone, such as scales, are one, for which the first speaks. */
static enum status print_declined(struct text *x, struct diag *diag)
{
    const struct record *const r = x->record;
    const char **reasons;
    struct text_group *groups;
    size_t count;

    reasons = ARENA_NEW(&x->arena, x->last - x->first, const char *);
    if (!reasons)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = x->first; i < x->last; i++) {
        const char *const why = record_result_why(&r->results[i]);

        if (r->results[i].status != CASE_DECLINED)
            continue;
        char *const words = arena_alloc(&x->arena, strlen(why) + 1, 1);

        if (!words)
            return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
        cluster_normalize(why, words, strlen(why) + 1);
        reasons[i - x->first] = words;
    }
    TRY(text_group(&x->arena, reasons, x->last - x->first, &groups, &count, diag));
    for (size_t g = 0; g < count; g++) {
        const char *const why = record_result_why(&r->results[x->first + groups[g].items[0]]);
        const size_t bytes = strlen(why) + 40;
        char *const line = arena_alloc(&x->arena, bytes, 1);

        if (!line)
            return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
        snprintf(line, bytes, "  %zu declined: %s\n", groups[g].count, why);
        wrap_print(x->out, line, TEXT_COLUMNS);
        print_group_of_declined(x, &r->results[x->first], &groups[g]);
    }
    return STATUS_OK;
}

enum status text_subject_lists(struct text *x, size_t subject, struct diag *diag)
{
    struct classes classes = { x, false };

    TRY(print_notes(x, subject, diag));
    print_share(x, subject);
    print_habits(x);
    print_designs(x);
    print_repeats(x);
    TRY(classes_each(x->record, subject, print_group, &classes, diag));
    return print_declined(x, diag);
}
