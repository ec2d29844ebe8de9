/* A block for each of the first findings, a line for each of the next, in lines of at most 80
 * columns where their words allow it. */
#include "conformance/report/forms/text_kit.h"

#include "conformance/report/record/cluster.h"

#include <math.h>
#include <string.h>

/* The first ones whole, so that they fit a screen; of the others a line. */
enum { FINDINGS_WHOLE = 10, FINDINGS_SHOWN = 40, WIDTH = 80, INDENT = 5 };

/* Prints text in lines that begin at `indent`; the first one begins with `head`. */
static void print_wrapped(FILE *out, int indent, const char *head, const char *text)
{
    int column = fprintf(out, "%*s%s", indent, "", head);

    while (*text) {
        const int length = (int)strcspn(text, " \n");

        if (column > indent && column + length > WIDTH)
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

    if (f->count - f->graphs < 2)
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
    print_wrapped(out, INDENT, head, f->pattern);
}

/* "116 of 1500 cases, as 3.2 % of real nodes"; graphs that fail alike are told apart. */
static void share_text(const struct finding *f, char text[96])
{
    int used = snprintf(text, 96, "%zu of %zu %s", f->count - f->graphs, f->judged,
                        f->judged == 1 ? "case" : "cases");

    if (f->exposure > 0)
        snprintf(text + used, 96 - (size_t)used, ", as %.2g %% of real nodes", 100 * f->exposure);
    else if (f->exposure == 0)
        snprintf(text + used, 96 - (size_t)used, ", as no real node");
}

/* How bad it is; of crashes whether it hangs. */
static const char *word_of(const struct finding *f)
{
    return f->status == CASE_TIMEOUT ? "timeout" : severity_name(f->severity);
}

/* What it is called, how bad it is, how many cases have it. */
static void print_name(FILE *out, const struct finding *f, size_t number)
{
    char text[640], head[48];

    snprintf(head, sizeof head, "%3zu. ", number);
    snprintf(text, sizeof text, "%s: %.560s", word_of(f), f->name);
    print_wrapped(out, 0, head, text);
}

/* A line, whose name is cut to what the rest leaves. */
static void print_brief(FILE *out, const struct finding *f, size_t number)
{
    const char *const word = word_of(f);
    char share[96];
    int room;

    share_text(f, share);
    room = WIDTH - (int)(strlen(word) + strlen(share)) - 9;
    if ((int)strlen(f->name) <= room)
        fprintf(out, "%3zu. %s: %s, %s\n", number, word, f->name, share);
    else
        fprintf(out, "%3zu. %s: %.*s..., %s\n", number, word, room > 3 ? room - 3 : 0, f->name,
                share);
}

/* The first ops, in one line. */
static void print_ops(FILE *out, const struct finding *f)
{
    int column = fprintf(out, "%*s%zu ops:", INDENT, "", f->op_count);
    size_t shown = 0;

    for (const char *at = f->ops; *at; shown++) {
        const int length = (int)strcspn(at, " ");

        if (column + length + 16 > WIDTH)
            break;
        column += fprintf(out, " %.*s", length, at);
        at += length + (at[length] == ' ');
    }
    if (shown < f->op_count)
        fprintf(out, " and %zu more", f->op_count - shown);
    fputc('\n', out);
}

/* What the smallest case got, where values were judged; else its reason, which says which runs
 * differ, too, unless the finding is called by it. */
static void print_got(FILE *out, const struct finding *f, const struct record_result *r)
{
    char text[256], margin[48] = "";

    if (!r->where || f->by_reason || severity_is_of_bits(r)) {
        if (r->reason && !f->by_reason)
            print_wrapped(out, INDENT, "", r->reason);
        return;
    }
    if (isfinite(f->margin))
        snprintf(margin, sizeof margin, "; at worst %.3g x the limit", f->margin);
    snprintf(text, sizeof text, "%.9g, expected %.9g, limit %.3g, at %.60s%s", r->got, r->want,
             r->limit, r->where, margin);
    print_wrapped(out, INDENT, "got ", text);
}

static void print_finding(FILE *out, const struct record *r, const struct finding *f, size_t number)
{
    const struct record_result *const smallest = &r->results[f->smallest];
    char share[96];

    print_name(out, f, number);
    share_text(f, share);
    fprintf(out, "%*s%s\n", INDENT, "", share);
    if (f->graphs > 0)
        fprintf(out, "%*sand %zu %s it\n", INDENT, "", f->graphs,
                f->graphs == 1 ? "graph that has" : "graphs that have");
    if (r->subject_count > 1)
        print_wrapped(out, INDENT, "on ", r->subjects[f->subject].label);
    if (f->op_count > 1)
        print_ops(out, f);
    print_pattern(out, f);
    if (f->how)
        print_wrapped(out, INDENT, "", f->how);
    print_got(out, f, smallest);
    if (smallest->rerun)
        fprintf(out, "%*srerun: %s\n", INDENT, "", smallest->rerun);
    else
        fprintf(out, "%*s%s: %s\n", INDENT, "", f->count > 1 ? "smallest" : "case",
                r->cases[smallest->test_case].name);
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
    fprintf(out, "findings: %zu failed %s, %zu %s of failure, what to fix first at the top\n",
            checks, checks == 1 ? "check" : "checks", count, count == 1 ? "kind" : "kinds");
    for (size_t i = 0; i < count && i < FINDINGS_SHOWN; i++) {
        if (i < FINDINGS_WHOLE)
            print_finding(out, r, &findings[i], i + 1);
        else
            print_brief(out, &findings[i], i + 1);
    }
    if (count > FINDINGS_SHOWN)
        fprintf(out, "  and %zu more kinds; JSON and HTML have all\n", count - FINDINGS_SHOWN);
done:
    arena_close(&arena);
    return s;
}
