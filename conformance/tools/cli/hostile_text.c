/* For each subject a table of what became of the models, then what it did wrong: by kind, and in a
 * kind by the part of the file. */
#include "conformance/tools/cli/conformance_setup.h"

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/tools/cli/args.h"
#include "conformance/util/output.h"
#include "conformance/util/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, NAMES_MAX = 4 };

/* Kinds of what is wrong: those of hostile.h, then a crash and a hang. */
enum { CRASHED = HOSTILE_KIND_COUNT, HUNG, KINDS };

struct counts {
    size_t all, refused, ran, missing, bad[KINDS];
};

static const char *kind_name(int kind)
{
    return kind == CRASHED ? "crash"
           : kind == HUNG  ? "hang"
                           : hostile_kind_name((enum hostile_kind)kind);
}

static const char *kind_words(int kind)
{
    return kind == CRASHED ? "the process ends"
           : kind == HUNG  ? "no answer in time"
                           : hostile_kind_words((enum hostile_kind)kind);
}

/* KINDS: nothing is wrong.  A failure of no kind is one of the program, such as an agent's frames.
 */
static int kind_of(const struct case_result *c)
{
    if (c->status == CASE_CRASH)
        return CRASHED;
    if (c->status == CASE_TIMEOUT)
        return HUNG;
    if (c->status != CASE_FAIL)
        return KINDS;
    return hostile_kind_of(c->reason) < HOSTILE_KIND_COUNT ? (int)hostile_kind_of(c->reason)
                                                           : HOSTILE_UNSTABLE;
}

static void count(struct counts *n, const struct case_result *c)
{
    const int kind = kind_of(c);

    n->missing += c->missing;
    if (c->absent)
        return;
    n->all++;
    if (kind < KINDS)
        n->bad[kind]++;
    else if (c->status == CASE_DECLINED)
        n->refused++;
    else
        n->ran++;
}

static void print_counts(FILE *out, const char *name, const struct counts *n)
{
    fprintf(out, "%-24.24s %6zu %7zu %5zu", name, n->all, n->refused, n->ran);
    fprintf(out, " %5zu %4zu %4zu %7zu %5zu\n", n->bad[CRASHED], n->bad[HUNG],
            n->bad[HOSTILE_MEMORY] + n->bad[HOSTILE_TIME],
            n->bad[HOSTILE_WRITTEN] + n->bad[HOSTILE_FOREIGN] + n->bad[HOSTILE_UNSTABLE],
            n->bad[HOSTILE_WRONG] + n->bad[HOSTILE_ACCEPTED]);
}

static void print_table(FILE *out, const struct report *r, const struct case_result *results,
                        struct counts *all)
{
    fprintf(out, "%-24s %6s %7s %5s %5s %4s %4s %7s %5s\n", "models", "all", "refused", "ran",
            "crash", "hang", "over", "foreign", "wrong");
    for (size_t first = 0, next; first < r->case_count; first = next) {
        struct counts n = { .all = 0 };

        for (next = first;
             next < r->case_count && strcmp(r->cases[next].op, r->cases[first].op) == 0; next++) {
            count(&n, &results[next]);
            count(all, &results[next]);
        }
        if (n.all > 0)
            print_counts(out, r->cases[first].op, &n);
    }
    print_counts(out, "all", all);
}

/* The models of a kind whose wrong part is that of the first: "Tensor.shape 3: a, b, c". */
static void print_part(FILE *out, const struct report *r, const struct case_result *results,
                       int kind, size_t first)
{
    const char *const part = r->cases[first].type_name;
    char line[1024];
    size_t n = 0, used;

    for (size_t i = first; i < r->case_count; i++)
        n += !results[i].absent && kind_of(&results[i]) == kind &&
             strcmp(r->cases[i].type_name, part) == 0;
    used = (size_t)snprintf(line, sizeof line, "  %s %zu:", part, n);
    n = 0;
    for (size_t i = first; i < r->case_count && n <= NAMES_MAX; i++) {
        if (results[i].absent || kind_of(&results[i]) != kind ||
            strcmp(r->cases[i].type_name, part) != 0)
            continue;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s", n ? "," : "",
                                 n < NAMES_MAX ? r->cases[i].name : "...");
        n++;
    }
    snprintf(line + used, sizeof line - used, "\n");
    wrap_print(out, line, COLUMNS);
}

static bool seen_before(const struct report *r, const struct case_result *results, int kind,
                        size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!results[i].absent && kind_of(&results[i]) == kind &&
            strcmp(r->cases[i].type_name, r->cases[index].type_name) == 0)
            return true;
    return false;
}

static void print_kind(FILE *out, const struct report *r, const struct case_result *results,
                       int kind, size_t n)
{
    bool begun = false;
    char line[700];

    fprintf(out, "\n%s: %zu model%s: %s\n", kind_name(kind), n, n == 1 ? "" : "s",
            kind_words(kind));
    for (size_t i = 0; i < r->case_count; i++) {
        if (results[i].absent || kind_of(&results[i]) != kind)
            continue;
        if (!begun) {
            snprintf(line, sizeof line, "  such as %s: %.480s\n", r->cases[i].name,
                     results[i].reason);
            wrap_print(out, line, COLUMNS);
        }
        begun = true;
        if (!seen_before(r, results, kind, i))
            print_part(out, r, results, kind, i);
    }
}

static void print_subject(FILE *out, const struct report *r, size_t subject)
{
    const struct case_result *const results = &r->outcome.results[subject * r->case_count];
    struct counts all = { .all = 0 };

    fprintf(out, "\nsubject %zu: %s\n", subject, r->subjects[subject].label);
    if (engine_type_of(&r->subjects[subject])->begin)
        fprintf(out, "behind a line: its memory and processor time are not measured\n");
    print_table(out, r, results, &all);
    for (int kind = KINDS - 1; kind >= 0; kind--)
        if (all.bad[kind] > 0)
            print_kind(out, r, results, kind, all.bad[kind]);
    for (size_t i = 0; i < r->case_count; i++)
        if (!results[i].absent && kind_of(&results[i]) < KINDS) {
            fprintf(out, "\nrerun: ");
            report_rerun(r, subject * r->case_count + i, out);
            fputc('\n', out);
            break;
        }
    if (all.missing > 0)
        fprintf(out, "\ninterrupted: %s: %zu models are missing\n", r->outcome.stopped,
                all.missing);
}

static void print_all(FILE *out, const struct report *r, const struct hostile *h)
{
    size_t bad = 0, n = 0;

    fprintf(out,
            "limits of a model: %llu MiB more at the peak, %g s of the processor, an answer within "
            "%g s\n",
            (unsigned long long)(h->memory_bytes >> 20), h->processor_s, r->run.timeout_s);
    fprintf(out, "limits of Assay's interpreter and delegate: %s\n", getenv("ASSAY_LIMITS"));
    for (size_t s = 0; s < r->subject_count; s++)
        print_subject(out, r, s);
    for (size_t i = 0; i < r->outcome.count; i++) {
        n += !r->outcome.results[i].absent;
        bad += !r->outcome.results[i].absent && kind_of(&r->outcome.results[i]) < KINDS;
    }
    fprintf(out, "\nhostile: %zu model%s, %zu of them with a bad end\n", n, n == 1 ? "" : "s", bad);
}

int hostile_text(const struct report *r, const struct hostile *h, const char *path)
{
    struct output o;

    if (!output_open(&o)) {
        message_error("hostile", "out of memory");
        return EXIT_FAILED;
    }
    print_all(o.file, r, h);
    o.plain = true;
    return output_close(&o, path, false);
}
