#include "conformance/report/record/accept.h"

#include "conformance/report/record/compare.h"
#include "conformance/report/record/match.h"
#include "conformance/util/json_text.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

enum { SHOWN = 20 }; /* losses of a kind in the text */

static const char *const kind_keys[ACCEPT_KIND_COUNT] = {
#define X(name, key, title) key,
    ACCEPT_KIND_LIST(X)
#undef X
};
static const char *const kind_titles[ACCEPT_KIND_COUNT] = {
#define X(name, key, title) title,
    ACCEPT_KIND_LIST(X)
#undef X
};

/* ---- what is lost ---- */

/* A baseline that lacks results would let them regress. */
static enum status check_complete(const struct record *r, struct diag *diag)
{
    if (r->run.interrupted)
        return diag_fail(diag, STATUS_USAGE,
                         "the new report is of a run that %s ended: %zu results are missing; "
                         "--resume completes it",
                         r->run.interrupted, r->missing_count);
    if (r->missing_count > 0)
        return diag_fail(diag, STATUS_USAGE, "the new report lacks %zu results", r->missing_count);
    if (r->run.merged_count > 0)
        return diag_fail(diag, STATUS_USAGE, "the new report has %zu of %u shards",
                         r->run.merged_count, (unsigned)r->run.shards);
    if (r->result_count == 0)
        return diag_fail(diag, STATUS_USAGE, "the new report has no results");
    return STATUS_OK;
}

static void add(struct acceptance *a, struct accept_loss loss)
{
    a->losses[a->count++] = loss;
    a->by_kind[loss.kind]++;
}

static enum accept_kind kind_of(enum case_status was, enum case_status is)
{
    if (was != CASE_PASS)
        return ACCEPT_WORSE;
    return is == CASE_DECLINED ? ACCEPT_SUPPORT : is == CASE_WAIVED ? ACCEPT_WAIVED : ACCEPT_FAILS;
}

static void add_changes(struct acceptance *a, enum accept_kind kind)
{
    const struct record_comparison *const c = &a->comparison;

    for (size_t i = 0; i < c->change_count; i++) {
        const struct record_result *const was = &c->was->results[c->changes[i].was];
        const struct record_result *const is = &c->is->results[c->changes[i].is];

        if ((compare_kind_is_bad(c->changes[i].kind) || was->status == CASE_PASS) &&
            kind_of(was->status, is->status) == kind)
            add(a, (struct accept_loss){ .kind = kind,
                                         .name = c->is->cases[is->test_case].name,
                                         .subject = c->is->subjects[is->subject].label,
                                         .reason = is->reason });
    }
}

static void add_margins(struct acceptance *a)
{
    const struct record_comparison *const c = &a->comparison;

    for (size_t i = 0; i < c->margin_count; i++) {
        const struct compare_growth *const g = &c->margins[i];
        const struct record_result *const is = &c->is->results[g->is];

        if (g->fails)
            add(a, (struct accept_loss){ .kind = ACCEPT_MARGIN,
                                         .name = c->is->cases[is->test_case].name,
                                         .subject = c->is->subjects[is->subject].label,
                                         .was = g->from,
                                         .is = g->to });
    }
}

/* Cases whose result the old report has and the new one lacks. */
static void add_gone(struct acceptance *a)
{
    const struct record_comparison *const c = &a->comparison;

    for (size_t i = 0; i < c->single_count; i++) {
        const struct record_result *was;

        if (c->singles[i].is != SIZE_MAX || c->singles[i].was == SIZE_MAX)
            continue;
        was = &c->was->results[c->singles[i].was];
        add(a, (struct accept_loss){ .kind = ACCEPT_CASE,
                                     .name = c->was->cases[was->test_case].name,
                                     .subject = c->was->subjects[was->subject].label });
    }
    for (size_t i = 0; i < c->old_only_count; i++)
        add(a, (struct accept_loss){ .kind = ACCEPT_SUBJECT,
                                     .name = c->was->subjects[c->old_only[i]].label });
}

static void add_models(struct acceptance *a)
{
    const struct record_comparison *const c = &a->comparison;

    for (size_t i = 0; i < c->model_count; i++) {
        const struct record_model *const was =
            c->models[i].was == SIZE_MAX ? NULL : &c->was->models[c->models[i].was];
        const struct record_model *const is =
            c->models[i].is == SIZE_MAX ? NULL : &c->is->models[c->models[i].is];

        if (was && was->status == CASE_PASS && (!is || is->status != CASE_PASS))
            add(a, (struct accept_loss){ .kind = ACCEPT_MODEL,
                                         .name = was->name,
                                         .subject = was->is_reference
                                                        ? "reference"
                                                        : c->was->subjects[was->subject].label,
                                         .reason = is ? is->reason : "was not run" });
    }
}

static void add_all(struct acceptance *a)
{
    static const enum accept_kind changes[] = { ACCEPT_FAILS, ACCEPT_SUPPORT, ACCEPT_WAIVED,
                                                ACCEPT_WORSE };

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        add_changes(a, changes[i]);
    add_margins(a);
    add_gone(a);
    add_models(a);
}

/* Marks what the user names.  A glob that names nothing is probably misspelt. */
static enum status give_up(struct acceptance *a, const struct accept_options *options,
                           struct diag *diag)
{
    for (size_t g = 0; g < options->give_up.count; g++) {
        const char *const glob = options->give_up.items[g];
        size_t matched = 0;

        for (size_t i = 0; i < a->count; i++) {
            if (strcmp(glob, a->losses[i].name) != 0 && fnmatch(glob, a->losses[i].name, 0) != 0)
                continue;
            a->losses[i].given_up = true;
            matched++;
        }
        if (matched == 0)
            return diag_fail(diag, STATUS_USAGE,
                             "--give-up=%s names nothing that is given up, which is %zu results",
                             glob, a->count);
    }
    for (size_t i = 0; i < a->count; i++) {
        a->losses[i].given_up = a->losses[i].given_up || options->allow_worse;
        a->refused += !a->losses[i].given_up;
    }
    return STATUS_OK;
}

/* Pairs each subject of OLD with one of NEW; returns how many pairs there are. */
static size_t pair_subjects(const struct record *was, const struct record *is,
                            struct compare_couple *couples)
{
    size_t count = 0;

    for (size_t i = 0; i < was->subject_count; i++) {
        const size_t match = record_match_subject(is, &was->subjects[i]);
        size_t k = 0;

        while (k < count && couples[k].new_subject != match)
            k++;
        if (match != SIZE_MAX && k == count)
            couples[count++] = (struct compare_couple){ i, match };
    }
    return count;
}

static enum status compare_paired(struct acceptance *a, const struct record *was,
                                  const struct record *is, struct diag *diag)
{
    struct compare_limits limits = compare_limits_default();
    struct compare_couple *const couples = mem_alloc(was->subject_count + 1, sizeof *couples);
    size_t count;
    enum status s;

    limits.no_times = limits.no_memory = true;
    if (!couples)
        return diag_fail(diag, STATUS_NO_MEMORY, "comparison: out of memory");
    count = pair_subjects(was, is, couples);
    if (count > 0)
        s = compare_records(&a->comparison, was, is, &limits, couples, count, diag);
    else
        s = diag_fail(diag, STATUS_USAGE,
                      "none of the baseline's %zu subjects (%s%s) has kind and options of one of "
                      "the new report (%s%s): nothing would be compared",
                      was->subject_count, was->subject_count ? was->subjects[0].label : "none",
                      was->subject_count > 1 ? ", ..." : "",
                      is->subject_count ? is->subjects[0].label : "none",
                      is->subject_count > 1 ? ", ..." : "");
    mem_free(couples);
    return s;
}

static enum status compare(struct acceptance *a, const struct record *was, const struct record *is,
                           const struct accept_options *options, struct diag *diag)
{
    const struct record_comparison *const c = &a->comparison;
    size_t room;

    TRY(compare_paired(a, was, is, diag));
    room = c->change_count + c->margin_count + c->single_count + c->old_only_count + c->model_count;
    a->losses = ARENA_NEW(&a->comparison.arena, room + 1, struct accept_loss);
    if (!a->losses)
        return diag_fail(diag, STATUS_NO_MEMORY, "comparison: out of memory");
    add_all(a);
    return give_up(a, options, diag);
}

enum status accept_open(struct acceptance *a, const struct record *was, const struct record *is,
                        const struct accept_options *options, struct diag *diag)
{
    enum status s;

    *a = (struct acceptance){ .count = 0 };
    TRY(check_complete(is, diag));
    s = compare(a, was, is, options, diag);
    if (s != STATUS_OK)
        accept_close(a);
    return s;
}

void accept_close(struct acceptance *a)
{
    compare_close(&a->comparison);
    *a = (struct acceptance){ .count = 0 };
}

/* ---- printing ---- */

static void print_loss(const struct accept_loss *l, FILE *out)
{
    fprintf(out, "  %c ", l->given_up ? ' ' : '!');
    clean_print(out, l->name);
    if (l->subject) {
        fputs(" (", out);
        clean_print(out, l->subject);
        fputc(')', out);
    }
    if (l->kind == ACCEPT_MARGIN) {
        fprintf(out, ": from %.4g to %.4g", l->was, l->is);
    } else if (l->reason && *l->reason) {
        fputs(": ", out);
        clean_print(out, l->reason);
    }
    fputc('\n', out);
}

/* What is not given up yet comes first, as it is what stops. */
static void print_kind(const struct acceptance *a, enum accept_kind kind, FILE *out)
{
    size_t shown = 0;

    fprintf(out, "%s: %zu\n", kind_titles[kind], a->by_kind[kind]);
    for (int given = 0; given < 2; given++) {
        for (size_t i = 0; i < a->count && shown < SHOWN; i++) {
            if (a->losses[i].kind != kind || a->losses[i].given_up != given)
                continue;
            print_loss(&a->losses[i], out);
            shown++;
        }
    }
    if (a->by_kind[kind] > shown)
        fprintf(out, "    and %zu more\n", a->by_kind[kind] - shown);
}

void accept_print(const struct acceptance *a, FILE *out)
{
    for (size_t i = 0; i < a->comparison.note_count; i++) {
        fputs("note: ", out);
        clean_print(out, a->comparison.notes[i]);
        fputc('\n', out);
    }
    for (int k = 0; k < ACCEPT_KIND_COUNT; k++) {
        if (a->by_kind[k] > 0)
            print_kind(a, (enum accept_kind)k, out);
    }
    if (a->count == 0)
        fprintf(out, "accept: nothing is given up\n");
    else if (a->refused == 0)
        fprintf(out, "accept: %zu given up, all of it as asked for\n", a->count);
    else
        fprintf(out,
                "accept: %zu would be given up, %zu of it without being named (!): --give-up=GLOB "
                "names some, --allow-worse all\n",
                a->count, a->refused);
}

static json_t *margin_json(const struct accept_loss *l, double margin)
{
    return l->kind == ACCEPT_MARGIN ? json_real(margin) : json_null();
}

enum status accept_json(const struct acceptance *a, FILE *out, struct diag *diag)
{
    json_t *const losses = json_array();
    json_t *root = NULL;
    bool ok = losses != NULL;

    for (size_t i = 0; ok && i < a->count; i++) {
        const struct accept_loss *const l = &a->losses[i];

        ok = json_array_append_new(
                 losses, json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:b}", "kind", kind_keys[l->kind],
                                   "name", json_text(l->name), "subject", json_text(l->subject),
                                   "reason", json_text(l->reason), "was", margin_json(l, l->was),
                                   "is", margin_json(l, l->is), "given_up", l->given_up)) == 0;
    }
    if (ok)
        root = json_pack("{s:b,s:I,s:I,s:O}", "accepted", a->refused == 0, "given_up",
                         (json_int_t)a->count, "refused", (json_int_t)a->refused, "losses", losses);
    json_decref(losses);
    ok = root && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(root);
    if (!ok)
        return diag_fail(diag, STATUS_NO_MEMORY, "JSON: out of memory");
    fputc('\n', out);
    return STATUS_OK;
}
