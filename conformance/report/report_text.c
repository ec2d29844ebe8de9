/* The report of a run as text: tables, declined cases, failures, totals. */
#include "conformance/report/report.h"

#include "conformance/cases/suite.h"
#include "conformance/models/digits_report.h"
#include "conformance/report/report_forms.h"
#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 80, FAILURES_SHOWN = 40 };

/* ---- the table ---- */

static void print_margin(const struct totals *t, char *text, size_t bytes)
{
    if (t->worst == SIZE_MAX)
        snprintf(text, bytes, "-");
    else if (!isfinite(t->margin))
        snprintf(text, bytes, "inf");
    else if (t->margin >= 1000)
        snprintf(text, bytes, "%.1e", t->margin);
    else
        snprintf(text, bytes, "%.3f", t->margin);
}

/* The part of a case name behind op and type. */
static const char *variant(const struct test_case *c)
{
    const char *const first = strchr(c->name, '.');
    const char *const second = first ? strchr(first + 1, '.') : NULL;

    return second ? second + 1 : c->name;
}

static size_t failed(const struct totals *t)
{
    return t->count[CASE_FAIL] + t->count[CASE_CRASH] + t->count[CASE_TIMEOUT] +
           t->count[CASE_UNEXPECTED_PASS];
}

static void print_row(const struct report *r, const struct test_case *c, const struct totals *t,
                      FILE *out)
{
    char margin[16];

    print_margin(t, margin, sizeof margin);
    if (c->row->gap) {
        fprintf(out, "%-44.44s %5zu %5zu %5zu %5zu %7s\n", c->row->gap, t->all, t->count[CASE_PASS],
                failed(t), t->count[CASE_DECLINED], margin);
        return;
    }
    fprintf(out, "%-17.17s %-7.7s %5zu %5zu %5zu %5zu %7s", c->op, c->type_name, t->all,
            t->count[CASE_PASS], failed(t), t->count[CASE_DECLINED], margin);
    if (t->worst != SIZE_MAX && t->margin > 0)
        fprintf(out, "  %.19s", variant(&r->cases[t->worst % r->case_count]));
    fputc('\n', out);
}

/* Prints a line for each title of the gap suite, or for each op and type, in the order of the
 * cases; an empty line before them when apart is set.  Returns false when there is none. */
static bool print_table(const struct report *r, size_t subject, bool gaps, bool apart, FILE *out)
{
    bool begun = false;

    for (size_t i = 0; i < r->case_count; i++) {
        struct totals t = { .worst = SIZE_MAX };

        if (!r->cases[i].row->gap == gaps || !report_group_begins(r, i))
            continue;
        report_add_group(r, subject, i, &t);
        if (t.all == 0)
            continue;
        if (!begun && apart)
            fputc('\n', out);
        if (!begun)
            fprintf(out, gaps ? "%-44s %5s %5s %5s %5s %7s\n" : "%-25s %5s %5s %5s %5s %7s  %s\n",
                    gaps ? "gap suite: known faults of delegates" : "op                type",
                    "cases", "pass", "fail", "decl", "margin", "worst case");
        begun = true;
        print_row(r, &r->cases[i], &t, out);
    }
    return begun;
}

/* ---- declined ---- */

/* A list of names, wrapped at the width of the report. */
struct list {
    FILE *out;
    size_t column;
};

static void print_name(struct list *l, const char *name)
{
    const size_t length = strlen(name);

    if (l->column > 0 && l->column + 1 + length > COLUMNS - 1) {
        fputc('\n', l->out);
        l->column = 0;
    }
    fprintf(l->out, "%s%s", l->column == 0 ? "    " : " ", name);
    l->column += length + (l->column == 0 ? 4 : 1);
}

/* Prints a sentence as part of the list, so that it wraps. */
static void print_words(struct list *l, const char *text)
{
    char word[64];

    while (*text) {
        const size_t length = strcspn(text, " ");

        snprintf(word, sizeof word, "%.*s", (int)length, text);
        print_name(l, word);
        text += length + (text[length] == ' ');
    }
}

/* The note of the line that case i begins; NULL when it begins none, or there is no note. */
static const char *group_note(const struct report *r, size_t subject, size_t i)
{
    struct totals t = { .worst = SIZE_MAX };

    if (r->cases[i].row->gap || !report_group_begins(r, i))
        return NULL;
    report_add_group(r, subject, i, &t);
    return report_margin_note(r, subject, &t);
}

/* Prints each note once, behind the ops that it is about. */
static void print_notes(const struct report *r, size_t subject, FILE *out)
{
    const char **const notes = mem_alloc(r->case_count + 1, sizeof *notes);
    bool begun = false;

    for (size_t i = 0; notes && i < r->case_count; i++)
        notes[i] = group_note(r, subject, i);
    for (size_t i = 0; notes && i < r->case_count; i++) {
        const char *const note = notes[i], *op = NULL;
        struct list list = { out, 0 };

        if (!note)
            continue;
        if (!begun)
            fputs("  margins above 0.5, and why:\n", out);
        begun = true;
        for (size_t j = i; j < r->case_count; j++) {
            if (!notes[j] || strcmp(notes[j], note) != 0)
                continue;
            if (!op || strcmp(op, r->cases[j].op) != 0)
                print_name(&list, op = r->cases[j].op);
            notes[j] = NULL;
        }
        print_name(&list, "-");
        print_words(&list, note);
        fputc('\n', out);
    }
    mem_free(notes);
}

/* Prints which share of integers differs from the reference, which in float view is legitimate: it
 * rounds once where the runtime rounds twice. */
static void print_share(const struct report *r, size_t subject, FILE *out)
{
    struct totals all = { .worst = SIZE_MAX };
    const struct test_case *most = NULL;
    double share = 0;

    if (r->subjects[subject].quantized != BOUNDS_FLOAT_VIEW)
        return;
    for (size_t i = 0; i < r->case_count; i++) {
        const size_t at = subject * r->case_count + i;
        const struct case_result *const c = &r->outcome.results[at];

        totals_add(&all, c, at);
        if (c->integers > 0 && (double)c->unequal / (double)c->integers > share) {
            share = (double)c->unequal / (double)c->integers;
            most = &r->cases[i];
        }
    }
    if (all.integers == 0)
        return;
    fprintf(out, "  off by one: %.3f %% of %llu integers",
            100 * (double)all.unequal / (double)all.integers, (unsigned long long)all.integers);
    if (most)
        fprintf(out, ", most in\n    %s: %.1f %%", most->name, 100 * share);
    fputc('\n', out);
}

/* A list of "name count" with commas between. */
static void print_count(struct list *list, const char *name, size_t count, bool *begun)
{
    char word[96];

    if (count == 0)
        return;
    snprintf(word, sizeof word, "%s%s %zu", *begun ? ", " : "", name, count);
    if (*begun)
        fputc(',', list->out);
    print_words(list, word + (*begun ? 2 : 0));
    *begun = true;
}

static const char *line_name(const struct test_case *c)
{
    return c->row->gap ? "gap suite" : c->op;
}

/* Op by op the cases to which the habit applies, and on which the subject does not allow it. */
static void print_left_out(const struct report *r, size_t subject, enum habit habit, FILE *out)
{
    const struct case_result *const results = &r->outcome.results[subject * r->case_count];
    struct list list = { out, 0 };
    bool begun = false;
    size_t count = 0;

    for (size_t i = 0; i < r->case_count; i++) {
        const char *const name = line_name(&r->cases[i]);

        count += (results[i].left_out & ~results[i].habits) >> habit & 1;
        if (i + 1 < r->case_count && strcmp(line_name(&r->cases[i + 1]), name) == 0)
            continue;
        if (count > 0 && !begun) {
            print_name(&list, "not checked:");
            print_words(&list, habit_names[habit]);
            print_name(&list, "-");
        }
        print_count(&list, name, count, &begun);
        count = 0;
    }
    if (begun)
        fputc('\n', out);
}

/* What was checked beside the results, and what applied and could not be: a check that was left out
 * has not passed. */
static void print_habits(const struct report *r, size_t subject, FILE *out)
{
    struct list list = { out, 0 };
    bool begun = false;

    for (int h = 0; h < HABIT_COUNT; h++) {
        size_t count = 0;

        for (size_t i = 0; i < r->case_count; i++)
            count += r->outcome.results[subject * r->case_count + i].habits >> h & 1;
        if (count > 0 && !begun)
            fputs("  checked beside the results, in how many cases:\n", out);
        print_count(&list, habit_names[h], count, &begun);
    }
    if (!begun)
        return;
    fputc('\n', out);
    for (int h = 0; h < HABIT_COUNT; h++)
        print_left_out(r, subject, (enum habit)h, out);
}

/* Prints each reason once, with the cases that were declined for it. */
static void print_declined(const struct report *r, size_t subject, FILE *out)
{
    const struct case_result *const results = &r->outcome.results[subject * r->case_count];

    for (size_t i = 0; i < r->case_count; i++) {
        struct list list = { out, 0 };
        size_t count = 0;
        bool first = true;

        if (results[i].status != CASE_DECLINED)
            continue;
        for (size_t j = 0; j < r->case_count; j++) {
            if (results[j].status != CASE_DECLINED ||
                strcmp(results[j].reason, results[i].reason) != 0)
                continue;
            first = first && j >= i;
            count++;
        }
        if (!first)
            continue;
        fprintf(out, "  %zu declined: %s\n", count, results[i].reason);
        for (size_t j = i; j < r->case_count; j++) {
            if (results[j].status == CASE_DECLINED &&
                strcmp(results[j].reason, results[i].reason) == 0)
                print_name(&list, r->cases[j].name);
        }
        fputc('\n', out);
    }
}

/* ---- failed ---- */

static void print_failure(const struct report *r, size_t index, FILE *out)
{
    const struct case_result *const c = &r->outcome.results[index];
    const size_t subject = index / r->case_count;

    fprintf(out, "%s %s", case_status_name(c->status), r->cases[index % r->case_count].name);
    if (r->subject_count > 1)
        fprintf(out, " (subject %zu: %s)", subject, r->subjects[subject].label);
    if (c->required)
        fputs(": required, but declined", out);
    if (c->regression)
        fputs(": passed in the baseline", out);
    fprintf(out, ": %s\n", c->reason);
    if (c->status == CASE_FAIL && c->has_set) {
        fprintf(out, "    data set %s, seed %llu, frame %c", data_set_name(c->set),
                (unsigned long long)r->seed, c->frame ? c->frame : 'A');
        if (c->has_element)
            fprintf(out, ", output %d at %s:\n    got %.9g, expected %.9g, error %.3g, limit %.3g",
                    c->output, c->where, c->got, c->want, c->error, c->limit);
        else if (c->limit > 0)
            fprintf(out, ": error %.3g, limit %.3g", c->error, c->limit);
        fputc('\n', out);
    }
    fputs("    rerun: ", out);
    report_rerun(r, index, out);
    fputc('\n', out);
    if (report_minimal_text(r, index))
        fputs(report_minimal_text(r, index), out);
}

static void print_failures(const struct report *r, FILE *out)
{
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < r->outcome.count; i++) {
        if (!result_fails_run(&r->outcome.results[i]))
            continue;
        if (shown == 0)
            fputc('\n', out);
        if (shown < FAILURES_SHOWN) {
            print_failure(r, i, out);
            shown++;
        } else {
            more++;
        }
    }
    if (more > 0)
        fprintf(out, "... and %zu more failures; --format=json has them all\n", more);
}

/* ---- planted faults ---- */

static void print_mutants(const struct tsv *m, FILE *out)
{
    size_t caught = 0;

    for (size_t i = 0; i < m->rows; i++)
        caught += strcmp(tsv_cell(m, i, MUTANT_CAUGHT), "yes") == 0;
    fprintf(out, "\nplanted faults: %zu of %zu noticed\n", caught, m->rows);
    for (size_t i = 0; i < m->rows; i++) {
        const bool yes = strcmp(tsv_cell(m, i, MUTANT_CAUGHT), "yes") == 0;

        fprintf(out, "  %-34.34s %s%.41s\n", tsv_cell(m, i, MUTANT_NAME), yes ? "" : "NOT ",
                yes ? tsv_cell(m, i, MUTANT_BY) : "noticed");
    }
}

/* ---- all ---- */

static void print_totals(const struct report *r, FILE *out)
{
    static const struct {
        enum case_status status;
        const char *word;
        bool always;
    } words[] = { { CASE_PASS, "passed", true },
                  { CASE_FAIL, "failed", true },
                  { CASE_DECLINED, "declined", true },
                  { CASE_CRASH, "crashed", false },
                  { CASE_TIMEOUT, "timed out", false },
                  { CASE_WAIVED, "waived", false },
                  { CASE_UNEXPECTED_PASS, "passed unexpectedly", false } };
    const struct totals t = report_totals(r);

    fprintf(out, "conformance: %zu checks:", t.all);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = t.count[words[i].status];

        if (n > 0 || words[i].always)
            fprintf(out, "%s %zu %s", i ? "," : "", n, words[i].word);
    }
    fputc('\n', out);
}

void report_text(const struct report *r, FILE *out)
{
    if (r->device.name[0])
        fprintf(out, "device: %s, %s%s%s\n", r->device.name, r->device.driver,
                r->device.api[0] ? ", Vulkan " : "", r->device.api);
    if (r->shards > 1)
        fprintf(out, "shard %u of %u\n", r->shard, r->shards);
    for (size_t s = 0; s < r->subject_count; s++) {
        char bounds[2 * BOUNDS_TEXT_BYTES];

        fprintf(out, "\nsubject %zu: %s (bounds %s)\n", s, r->subjects[s].label,
                report_bounds(&r->subjects[s], bounds));
        print_table(r, s, false, print_table(r, s, true, false, out), out);
        print_notes(r, s, out);
        print_share(r, s, out);
        print_habits(r, s, out);
        print_declined(r, s, out);
    }
    print_failures(r, out);
    report_forms_text(r, out);
    if (r->outcome.broken_ends > 0)
        fprintf(out, "\nfail: %s\n", r->outcome.end);
    if (r->digits) {
        fputc('\n', out);
        digits_print(out, r->digits, r->subjects);
    }
    if (r->mutants)
        print_mutants(r->mutants, out);
    fputc('\n', out);
    print_totals(r, out);
}
