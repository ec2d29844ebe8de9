/* One block for each finding, in lines of at most 80 columns where their words allow it. */
#include "conformance/report/forms/findings_text.h"

#include "conformance/report/record/cluster.h"

#include <string.h>

enum { FINDINGS_SHOWN = 40, WIDTH = 80, INDENT = 5 };

/* Prints text in lines that begin at INDENT; the first one begins with `head`. */
static void print_wrapped(FILE *out, const char *head, const char *text)
{
    int column = fprintf(out, "%*s%s", INDENT, "", head);

    while (*text) {
        const int length = (int)strcspn(text, " \n");

        if (column > INDENT && column + length > WIDTH)
            column = fprintf(out, "\n%*s", INDENT + 2, "") - 1;
        column += fprintf(out, "%.*s", length, text);
        text += length + strspn(text + length, " \n");
        if (*text && column + 1 + (int)strcspn(text, " \n") <= WIDTH)
            column += fprintf(out, " ");
        else
            column = WIDTH; /* the next word begins a line */
    }
    fputc('\n', out);
}

static void print_pattern(FILE *out, const struct finding *f)
{
    char head[96];

    if (f->count < 2)
        return;
    if (f->passing == 0)
        fprintf(out, "%*s%s\n", INDENT, "", "no case of it passes");
    if (!f->pattern)
        return;
    if (f->passing_with == 0)
        snprintf(head, sizeof head, "all of them, and none of the %zu that pass: ", f->passing);
    else
        snprintf(head, sizeof head, "all of them, and %zu of the %zu that pass: ", f->passing_with,
                 f->passing);
    print_wrapped(out, head, f->pattern);
}

static void print_finding(FILE *out, const struct record *r, const struct finding *f, size_t number)
{
    const struct record_result *const smallest = &r->results[f->smallest];

    fprintf(out, "%3zu. %s%s%s: %s, %zu %s\n", number, f->title ? f->title : f->op,
            f->title ? "" : " ", f->title ? "" : f->types, case_status_name(f->status), f->count,
            f->count == 1 ? "case" : "cases");
    if (r->subject_count > 1)
        print_wrapped(out, "on ", r->subjects[f->subject].label);
    print_pattern(out, f);
    fprintf(out, "%*s%s: %s\n", INDENT, "", f->count > 1 ? "smallest" : "case",
            r->cases[smallest->test_case].name);
    if (smallest->reason)
        print_wrapped(out, "", smallest->reason);
    if (smallest->rerun)
        fprintf(out, "%*srerun: %s\n", INDENT, "", smallest->rerun);
}

enum status findings_text(const struct record *r, FILE *out, struct diag *diag)
{
    struct arena arena = { .blocks = NULL };
    struct finding *findings;
    size_t count, checks = 0;
    const enum status s = cluster_findings(r, &arena, &findings, &count, diag);

    if (s != STATUS_OK || count == 0)
        goto done;
    for (size_t i = 0; i < count; i++)
        checks += findings[i].count;
    fprintf(out, "findings: %zu failed %s, %zu %s of failure\n", checks,
            checks == 1 ? "check" : "checks", count, count == 1 ? "kind" : "kinds");
    for (size_t i = 0; i < count && i < FINDINGS_SHOWN; i++)
        print_finding(out, r, &findings[i], i + 1);
    if (count > FINDINGS_SHOWN)
        fprintf(out, "  and %zu more kinds; JSON and HTML have all\n", count - FINDINGS_SHOWN);
done:
    arena_close(&arena);
    return s;
}
