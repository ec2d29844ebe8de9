/* Finding and summing what a record holds. */
#include "conformance/report/record/record.h"

#include "conformance/util/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void record_close(struct record *r)
{
    arena_close(&r->arena);
    *r = (struct record){ .case_count = 0 };
}

/* ---- order ---- */

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_results(const void *a, const void *b)
{
    const struct record_result *const x = a, *const y = b;
    const int order = compare_sizes(x->subject, y->subject);

    return order ? order : compare_sizes(x->test_case, y->test_case);
}

static int compare_missing(const void *a, const void *b)
{
    const struct record_missing *const x = a, *const y = b;
    const int order = compare_sizes(x->subject, y->subject);

    return order ? order : compare_sizes(x->test_case, y->test_case);
}

static int compare_names(const void *a, const void *b, void *user)
{
    const struct record *const r = user;

    return strcmp(r->cases[*(const size_t *)a].name, r->cases[*(const size_t *)b].name);
}

static enum status sort_names(struct record *r, struct diag *diag)
{
    size_t *const names = ARENA_NEW(&r->arena, r->case_count, size_t);

    if (!names)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = 0; i < r->case_count; i++)
        names[i] = i;
    qsort_r(names, r->case_count, sizeof *names, compare_names, r);
    for (size_t i = 1; i < r->case_count; i++) {
        if (strcmp(r->cases[names[i - 1]].name, r->cases[names[i]].name) == 0)
            return diag_fail(diag, STATUS_USAGE, "two cases are named %s", r->cases[names[i]].name);
    }
    r->by_name = names;
    return STATUS_OK;
}

enum status record_index(struct record *r, struct diag *diag)
{
    if (r->result_count > 0)
        qsort(r->results, r->result_count, sizeof *r->results, compare_results);
    if (r->missing_count > 0)
        qsort(r->missing, r->missing_count, sizeof *r->missing, compare_missing);
    for (size_t i = 1; i < r->result_count; i++) {
        const struct record_result *const x = &r->results[i];

        if (compare_results(x - 1, x) == 0)
            return diag_fail(diag, STATUS_USAGE, "two results of %s on subject %zu",
                             r->cases[x->test_case].name, x->subject);
    }
    for (size_t i = 0; i < r->missing_count; i++) {
        const struct record_missing *const x = &r->missing[i];

        if ((i > 0 && compare_missing(x - 1, x) == 0) || record_find(r, x->subject, x->test_case))
            return diag_fail(diag, STATUS_USAGE,
                             "%s on subject %zu is missing twice, or missing and has a result",
                             r->cases[x->test_case].name, x->subject);
    }
    return sort_names(r, diag);
}

/* ---- finding ---- */

const struct record_result *record_find(const struct record *r, size_t subject, size_t test_case)
{
    const struct record_result key = { .subject = subject, .test_case = test_case };

    if (r->result_count == 0)
        return NULL;
    return bsearch(&key, r->results, r->result_count, sizeof key, compare_results);
}

void record_subject_results(const struct record *r, size_t subject, size_t *first, size_t *last)
{
    size_t i = 0;

    while (i < r->result_count && r->results[i].subject < subject)
        i++;
    *first = i;
    while (i < r->result_count && r->results[i].subject == subject)
        i++;
    *last = i;
}

size_t record_find_case(const struct record *r, const char *name)
{
    size_t low = 0, high = r->case_count;

    for (size_t i = 0; !r->by_name && i < r->case_count; i++) {
        if (strcmp(r->cases[i].name, name) == 0)
            return i;
    }
    while (r->by_name && low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(r->cases[r->by_name[middle]].name, name);

        if (order == 0)
            return r->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

/* ---- totals ---- */

const char *record_repeats_text(const struct record_result *r, char text[RECORD_REPEATS_BYTES])
{
    const uint64_t runs = r->repeats.runs, wrong = r->repeats.wrong;
    const struct interval of_all = interval_wilson(wrong, runs);
    int used;

    text[0] = '\0';
    if (r->repeats.asked == 0)
        return text;
    used = snprintf(text, RECORD_REPEATS_BYTES,
                    "%llu of %llu runs wrong: %.3g %%, of all runs %.3g to %.3g %% (95 %%)",
                    (unsigned long long)wrong, (unsigned long long)runs,
                    runs ? 100 * (double)wrong / (double)runs : 0.0, 100 * of_all.low,
                    100 * of_all.high);
    if (r->repeats.cut)
        snprintf(text + used, (size_t)(RECORD_REPEATS_BYTES - used), "; cut of %llu by %.40s",
                 (unsigned long long)r->repeats.asked, r->repeats.cut);
    return text;
}

bool record_result_is_bad(const struct record_result *r)
{
    return r->required || r->regression || case_status_fails(r->status) ||
           r->status == CASE_UNEXPECTED_PASS;
}

const char *record_result_why(const struct record_result *r)
{
    return r->what ? r->what : r->reason ? r->reason : "";
}

void record_totals_add(struct record_totals *t, const struct record *r, size_t result)
{
    const struct record_result *const x = &r->results[result];
    const double margin = isnan(x->margin) ? INFINITY : x->margin;

    if (t->all == 0)
        t->worst = SIZE_MAX;
    t->all++;
    t->count[x->status]++;
    t->bad += record_result_is_bad(x);
    t->integers += x->integers;
    t->unequal += x->unequal;
    t->not_judged += x->not_judged;
    if (x->status != CASE_PASS && x->status != CASE_FAIL)
        return;
    if (t->worst == SIZE_MAX || margin > t->margin) {
        t->margin = margin;
        t->worst = result;
    }
}

void record_totals_add_line(struct record_totals *t, const struct record *r,
                            const struct record_line *line, size_t subject)
{
    for (size_t i = 0; i < line->case_count; i++) {
        const struct record_result *const x = record_find(r, subject, line->cases[i]);

        if (x)
            record_totals_add(t, r, (size_t)(x - r->results));
    }
}

struct record_totals record_totals(const struct record *r)
{
    struct record_totals t = { .worst = SIZE_MAX };

    for (size_t i = 0; i < r->result_count; i++)
        record_totals_add(&t, r, i);
    return t;
}

bool record_shows_nothing(const struct record *r)
{
    const struct record_totals t = record_totals(r);
    bool judged = false;

    for (size_t i = 0; i < r->model_count && t.all == 0; i++)
        judged =
            judged || (r->models[i].status != CASE_DECLINED && r->models[i].status != CASE_MISSING);
    return t.all == t.count[CASE_DECLINED] && !judged;
}

bool record_model_is_bad(const struct record_model *m)
{
    return m->status != CASE_PASS && m->status != CASE_DECLINED && m->status != CASE_MISSING;
}

bool record_failed(const struct record *r)
{
    const struct record_totals t = record_totals(r);

    for (size_t i = 0; i < r->model_count; i++) {
        if (record_model_is_bad(&r->models[i]) || r->models[i].status == CASE_MISSING)
            return true;
    }
    return t.bad > 0 || record_shows_nothing(r) || r->broken_ends > 0 || r->ledger_problems > 0 ||
           r->missing_count > 0 || r->run.interrupted;
}

/* ---- lines ---- */

static int compare_texts(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

/* Cases of one line are equal here. */
static int compare_groups(const struct record_case *a, const struct record_case *b)
{
    int order;

    if (a->title || b->title)
        return compare_texts(a->title, b->title);
    order = compare_texts(a->op, b->op);
    return order ? order : compare_texts(a->type, b->type);
}

static int compare_lines(const void *a, const void *b, void *user)
{
    const struct record *const r = user;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int order = compare_groups(&r->cases[x], &r->cases[y]);

    return order ? order : compare_sizes(x, y);
}

static int compare_firsts(const void *a, const void *b)
{
    const struct record_line *const x = a, *const y = b;

    return compare_sizes(x->cases[0], y->cases[0]);
}

enum status record_lines(const struct record *r, struct arena *arena, struct record_line **lines,
                         size_t *count, struct diag *diag)
{
    size_t *const sorted = ARENA_NEW(arena, r->case_count, size_t);
    struct record_line *const all = ARENA_NEW(arena, r->case_count, struct record_line);
    size_t n = 0;

    if (!sorted || !all)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = 0; i < r->case_count; i++)
        sorted[i] = i;
    qsort_r(sorted, r->case_count, sizeof *sorted, compare_lines, (void *)(uintptr_t)r);
    for (size_t i = 0; i < r->case_count; i++) {
        const struct record_case *const c = &r->cases[sorted[i]];

        if (i == 0 || compare_groups(&r->cases[sorted[i - 1]], c) != 0)
            all[n++] = (struct record_line){ .op = c->title ? NULL : c->op,
                                             .type = c->title ? NULL : c->type,
                                             .title = c->title,
                                             .cases = &sorted[i] };
        all[n - 1].case_count++;
    }
    qsort(all, n, sizeof *all, compare_firsts);
    *lines = all;
    *count = n;
    return STATUS_OK;
}
