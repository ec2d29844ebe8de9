#include "conformance/report/report.h"

#include "conformance/cases/random_cases.h"
#include "conformance/cases/suite.h"
#include "conformance/subject/subject_find.h"
#include "conformance/subject/subject_kind.h"
#include "conformance/subject/subject_spec.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void totals_add(struct totals *t, const struct case_result *r, size_t index)
{
    if (r->absent)
        return;
    if (t->all == 0)
        t->worst = SIZE_MAX;
    t->all++;
    t->count[r->status]++;
    t->bad += result_fails_run(r);
    t->integers += r->integers;
    t->unequal += r->unequal;
    if (r->status != CASE_PASS && r->status != CASE_FAIL)
        return;
    if (t->worst == SIZE_MAX || r->margin > t->margin) {
        t->margin = r->margin;
        t->worst = index;
    }
}

struct totals report_totals(const struct report *r)
{
    struct totals t = { .worst = SIZE_MAX };

    for (size_t i = 0; i < r->outcome.count; i++)
        totals_add(&t, &r->outcome.results[i], i);
    return t;
}

const char *const mutants_columns[MUTANT_COLUMNS] = { "name", "file", "caught", "by", "what" };

/* Whether two cases share a line of a table. */
static bool same_line(const struct test_case *a, const struct test_case *b)
{
    if (a->row->gap || b->row->gap)
        return a->row->gap && b->row->gap && strcmp(a->row->gap, b->row->gap) == 0;
    return a->code == b->code && strcmp(a->type_name, b->type_name) == 0;
}

void report_add_group(const struct report *r, size_t subject, size_t c, struct totals *t)
{
    for (size_t i = 0; i < r->case_count; i++) {
        const size_t at = subject * r->case_count + i;

        if (same_line(&r->cases[i], &r->cases[c]))
            totals_add(t, &r->outcome.results[at], at);
    }
}

bool report_group_begins(const struct report *r, size_t c)
{
    for (size_t i = 0; i < c; i++) {
        if (same_line(&r->cases[i], &r->cases[c]))
            return false;
    }
    return true;
}

const char *report_margin_note(const struct report *r, size_t subject, const struct totals *t)
{
    const struct suite_member *member;
    const struct test_case *worst;

    if (t->worst == SIZE_MAX || !(t->margin > 0.5))
        return NULL;
    worst = &r->cases[t->worst % r->case_count];
    if (worst->quantized)
        return "float view: a float error reached a rounding tie";
    member = suite_find_member(worst->code);
    return member
               ? bound_note(&member->bound, worst->half ? BOUNDS_FP16 : r->subjects[subject].bounds)
               : NULL;
}

/* Prints a word of a shell command, in quotes where the shell needs them. */
static void print_word(const char *word, FILE *out)
{
    const size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_./=,:+@%-");

    if (word[plain] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    }
    fputc('\'', out);
}

static void print_rest(const struct report *r, FILE *out)
{
    if (r->bounds)
        fprintf(out, " --bounds=%s", r->bounds);
    fprintf(out, " --seed=%llu", (unsigned long long)r->seed);
}

const char *report_minimal_text(const struct report *r, size_t index)
{
    for (size_t i = 0; i < r->minimal_count; i++) {
        if (r->minimal[i].index == index)
            return r->minimal[i].text;
    }
    return NULL;
}

void report_rerun(const struct report *r, size_t index, FILE *out)
{
    const struct subject *const s = &r->subjects[index / r->case_count];
    const struct test_case *const c = &r->cases[index % r->case_count];
    char spec[4096];

    fprintf(out, "assay conformance --filter=%s", c->name);
    if (random_is_graph(c))
        fprintf(out, " --graphs=%" PRIu32, random_index(c) + 1);
    if (s->kind->shown && s->path && subject_spec(s, spec, sizeof spec)) {
        fputs(" --subject=", out);
        print_word(spec, out);
        print_rest(r, out);
        return;
    }
    if (!s->path)
        fputs(" --delegate=none", out);
    else if (!subject_is_default(s)) {
        fputs(" --delegate=", out);
        print_word(s->path, out);
    }
    for (size_t i = 0; i < s->option_count; i++) {
        fputs(" --delegate-option=", out);
        print_word(s->options[i].key, out);
        fputc('=', out);
        print_word(s->options[i].value, out);
    }
    print_rest(r, out);
}

void report_reason(const struct report *r, size_t index, char *text, size_t bytes)
{
    const struct case_result *const c = &r->outcome.results[index];
    size_t used = 0;

    text[0] = '\0';
    if (c->status == CASE_PASS && !c->regression)
        return;
    if (c->required)
        used += (size_t)snprintf(text, bytes, "required, but declined: ");
    else if (c->regression)
        used += (size_t)snprintf(text, bytes, "passed in the baseline: ");
    used += (size_t)snprintf(text + used, bytes - used, "%s", c->reason);
    if (c->status != CASE_FAIL || !c->has_set || used >= bytes)
        return;
    used += (size_t)snprintf(text + used, bytes - used, "; %s frame %c", data_set_name(c->set),
                             c->frame ? c->frame : 'A');
    if (c->has_element && used < bytes)
        snprintf(text + used, bytes - used,
                 " output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g", c->output,
                 c->where, c->got, c->want, c->error, c->limit);
    else if (c->limit > 0 && used < bytes)
        snprintf(text + used, bytes - used, ": error %.3g, limit %.3g", c->error, c->limit);
}

const char *report_bounds(const struct subject *s, char text[2 * BOUNDS_TEXT_BYTES])
{
    char floats[BOUNDS_TEXT_BYTES], integers[BOUNDS_TEXT_BYTES];

    snprintf(text, 2 * BOUNDS_TEXT_BYTES, "%s%s%s",
             s->skips_floats ? "" : bounds_text(s->bounds, floats),
             s->skips_floats || s->skips_quantized ? "" : ",",
             s->skips_quantized ? "" : bounds_text(s->quantized, integers));
    return text;
}
