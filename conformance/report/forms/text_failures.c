/* What failed, with the command that runs it again, and minimal forms. */
#include "conformance/report/forms/text_kit.h"

/* More failures than these are shown as findings, those of one kind together. */
enum { FAILURES_ALONE = 10 };

/* The element that is wrong, or the figure of the whole tensor. */
static void print_where(const struct record *r, const struct record_result *c, FILE *out)
{
    fprintf(out, "    data set %s, seed %llu, frame %c", c->set, (unsigned long long)r->run.seed,
            c->frame ? c->frame : 'A');
    if (c->where)
        fprintf(out, ", output %d at %s:\n    got %.9g, expected %.9g, error %.3g, limit %.3g",
                c->output, c->where, c->got, c->want, c->error, c->limit);
    else if (c->limit > 0)
        fprintf(out, ": error %.3g, limit %.3g", c->error, c->limit);
    fputc('\n', out);
}

static void print_failure(const struct record *r, const struct record_result *c, FILE *out)
{
    char repeats[RECORD_REPEATS_BYTES];

    fprintf(out, "%s %s", case_status_name(c->status), r->cases[c->test_case].name);
    if (r->subject_count > 1)
        fprintf(out, " (subject %zu: %s)", c->subject, r->subjects[c->subject].label);
    if (c->what && c->required)
        fputs(": required, but declined", out);
    if (c->what && c->regression)
        fputs(": passed in the baseline", out);
    fprintf(out, ": %s\n", record_result_why(c));
    if (c->status == CASE_FAIL && c->set)
        print_where(r, c, out);
    if (c->repeats.asked > 0)
        fprintf(out, "    %s\n", record_repeats_text(c, repeats));
    if (c->rerun)
        fprintf(out, "    rerun: %s\n", c->rerun);
    if (c->minimal)
        fputs(c->minimal, out);
}

static void print_minimal(const struct record *r, const struct record_minimal *m, FILE *out)
{
    fprintf(out, "\nminimal: %s on %s", r->cases[m->test_case].name, r->subjects[m->subject].label);
    if (m->similar > 0)
        fprintf(out, ", for %zu more that fail alike", m->similar);
    fprintf(out, "\n%s", m->text ? m->text : "");
}

/* Of many failures, those of random graphs have been made smaller for a few. */
static enum status print_findings(const struct record *r, FILE *out, struct diag *diag)
{
    TRY(findings_text(r, out, diag));
    fputs("--format=json has every failure\n", out);
    for (size_t i = 0; i < r->result_count; i++) {
        if (record_result_is_bad(&r->results[i]) && r->results[i].minimal)
            print_failure(r, &r->results[i], out);
    }
    return STATUS_OK;
}

enum status text_failures(struct text *x, struct diag *diag)
{
    const struct record *const r = x->record;
    const size_t bad = record_totals(r).bad;

    if (bad > 0)
        fputc('\n', x->out);
    if (bad > FAILURES_ALONE)
        TRY(print_findings(r, x->out, diag));
    for (size_t i = 0; i < r->result_count && bad <= FAILURES_ALONE; i++) {
        if (record_result_is_bad(&r->results[i]))
            print_failure(r, &r->results[i], x->out);
    }
    for (size_t i = 0; i < r->minimal_count; i++)
        print_minimal(r, &r->minimal[i], x->out);
    if (r->minimal_left_out > 0)
        fprintf(x->out, "\n%zu failures of other kinds were not minimized\n", r->minimal_left_out);
    return STATUS_OK;
}
