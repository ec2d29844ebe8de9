/* The report of a run as text: a table, what was declined, what failed, totals. */
#include "conformance/report.h"

#include "reference/memory.h"

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

/* The name without op and type. */
static const char *variant(const struct test_case *c)
{
    const char *const first = strchr(c->name, '.');
    const char *const second = first ? strchr(first + 1, '.') : NULL;

    return second ? second + 1 : c->name;
}

static void print_row(const struct report *r, const struct test_case *c, const struct totals *t,
                      FILE *out)
{
    const size_t failed = t->count[CASE_FAIL] + t->count[CASE_CRASH] + t->count[CASE_TIMEOUT] +
                          t->count[CASE_UNEXPECTED_PASS];
    char margin[16];

    print_margin(t, margin, sizeof margin);
    fprintf(out, "%-18.18s %-4.4s %5zu %5zu %5zu %5zu %7s", c->op, report_type_name(c), t->all,
            t->count[CASE_PASS], failed, t->count[CASE_DECLINED], margin);
    if (t->worst != SIZE_MAX && t->margin > 0)
        fprintf(out, "  %.21s", variant(&r->cases[t->worst % r->case_count]));
    fputc('\n', out);
}

/* One line for each op and type, in the order of the cases. */
static void print_table(const struct report *r, size_t subject, FILE *out)
{
    fprintf(out, "%-18s %-4s %5s %5s %5s %5s %7s  %s\n", "op", "type", "cases", "pass", "fail",
            "decl", "margin", "worst case");
    for (size_t i = 0; i < r->case_count; i++) {
        const struct test_case *const c = &r->cases[i];
        struct totals t = { .worst = SIZE_MAX };
        bool first = true;

        for (size_t j = 0; j < r->case_count; j++) {
            const size_t at = subject * r->case_count + j;

            if (r->cases[j].code != c->code || r->cases[j].type != c->type)
                continue;
            first = first && j >= i;
            totals_add(&t, &r->outcome.results[at], at);
        }
        if (first)
            print_row(r, c, &t, out);
    }
}

/* ---- declined ---- */

/* A list of names, wrapped. */
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

/* Each reason once, with the cases that have it. */
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
            fprintf(out, ", output %d at %s:\n    got %.9g, want %.9g, error %.3g, limit %.3g",
                    c->output, c->where, c->got, c->want, c->error, c->limit);
        else if (c->limit > 0)
            fprintf(out, ": error %.3g, limit %.3g", c->error, c->limit);
        fputc('\n', out);
    }
    fputs("    again: ", out);
    report_rerun(r, index, out);
    fputc('\n', out);
}

static void print_failures(const struct report *r, FILE *out)
{
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < r->outcome.count; i++) {
        if (!result_is_bad(&r->outcome.results[i]))
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
        fprintf(out, "... and %zu more; --format=json has them all\n", more);
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
        fprintf(out, "\nsubject %zu: %s (bounds %s)\n", s, r->subjects[s].label,
                report_bounds_name(r->subjects[s].bounds));
        print_table(r, s, out);
        print_declined(r, s, out);
    }
    print_failures(r, out);
    if (r->outcome.broken_ends > 0)
        fprintf(out, "\nfail: %s\n", r->outcome.end);
    if (r->digits) {
        fputc('\n', out);
        digits_print(out, r->digits, r->subjects);
    }
    fputc('\n', out);
    print_totals(r, out);
}
