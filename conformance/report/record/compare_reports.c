/* Pairs subjects, then cases by name; conformance/report/record/compare_lines.c looks at figures.
 */

#include "conformance/report/record/compare.h"
#include "conformance/report/record/match.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- notes and failures ---- */

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "comparison: out of memory");
}

enum { SENTENCES_MAX = 256, SENTENCE_BYTES = 640 };

static void add_sentence(struct record_comparison *c, const char **list, size_t *count,
                         const char *format, va_list args)
{
    char text[SENTENCE_BYTES];

    vsnprintf(text, sizeof text, format, args);
    /* Without memory the number of sentences stays right, which decides the exit code. */
    if (*count < SENTENCES_MAX) {
        list[*count] = arena_string(&c->arena, text);
        if (!list[*count])
            list[*count] = "out of memory";
        ++*count;
    }
}

static void add_note(struct record_comparison *c, const char *format, ...) PRINTF_LIKE(2, 3);
static void add_note(struct record_comparison *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_sentence(c, c->notes, &c->note_count, format, args);
    va_end(args);
}

static void add_failure(struct record_comparison *c, const char *format, ...) PRINTF_LIKE(2, 3);
static void add_failure(struct record_comparison *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_sentence(c, c->failures, &c->failure_count, format, args);
    va_end(args);
}

static void note_device(struct record_comparison *c, const struct record_device *was,
                        const struct record_device *is, const char *of)
{
    if (!same_text(was->name, is->name) || !same_text(was->driver, is->driver))
        add_note(c, "%sOLD ran on %s (driver %s), NEW on %s (driver %s)", of,
                 text_or_not_known(was->name), text_or_not_known(was->driver),
                 text_or_not_known(is->name), text_or_not_known(is->driver));
}

static void note_runs(struct record_comparison *c)
{
    const struct record_run *const was = &c->was->run, *const is = &c->is->run;

    if (!same_text(was->version, is->version))
        add_note(c, "OLD is of Assay %s, NEW of %s", text_or_not_known(was->version),
                 text_or_not_known(is->version));
    if (!same_text(was->list_sha256, is->list_sha256))
        add_note(c, "the lists of cases differ: %zu and %zu cases", was->list_count,
                 is->list_count);
    if (was->shards != is->shards || (was->shards > 1 && was->shard != is->shard))
        add_note(c, "OLD is shard %u/%u, NEW %u/%u", was->shard, was->shards ? was->shards : 1,
                 is->shard, is->shards ? is->shards : 1);
    if (was->interrupted || c->was->missing_count > 0)
        add_note(c, "OLD was cut (%s): %zu checks are missing", text_or_not_known(was->interrupted),
                 c->was->missing_count);
    if (!same_text(was->host, is->host))
        add_note(c, "OLD ran on %s, NEW on %s", text_or_not_known(was->host),
                 text_or_not_known(is->host));
    note_device(c, &c->was->device, &c->is->device, "");
    for (size_t i = 0; i < c->is->subject_count; i++) {
        if (c->is->subjects[i].not_run)
            add_note(c, "NEW has no results of %s: %s", text_or_not_known(c->is->subjects[i].label),
                     c->is->subjects[i].not_run);
    }
}

/* ---- subjects ---- */

static enum status add_pair(struct record_comparison *c, size_t was, size_t is)
{
    struct compare_pair *const p = &c->pairs[c->pair_count++];
    const struct record_subject *const a = &c->was->subjects[was], *const b = &c->is->subjects[is];

    *p = (struct compare_pair){
        .old_subject = was, .new_subject = is, .time_factor = NAN, .time_noise = NAN
    };
    p->bounds_differ = !same_text(a->bounds, b->bounds);
    if (p->bounds_differ)
        add_note(c, "%s: held to the bounds %s in OLD and %s in NEW, so margins are not compared",
                 text_or_not_known(b->label), text_or_not_known(a->bounds),
                 text_or_not_known(b->bounds));
    if (a->device.name && b->device.name && c->is->subject_count > 1 &&
        !same_text(a->device.name, b->device.name))
        note_device(c, &a->device, &b->device, "one subject of ");
    return STATUS_OK;
}

static enum status pair_given(struct record_comparison *c, const struct compare_couple *couples,
                              size_t count, struct diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        if (couples[i].old_subject >= c->was->subject_count ||
            couples[i].new_subject >= c->is->subject_count)
            return diag_fail(diag, STATUS_USAGE,
                             "no pair of subjects %zu and %zu: OLD has %zu, NEW %zu, from 0 on",
                             couples[i].old_subject, couples[i].new_subject, c->was->subject_count,
                             c->is->subject_count);
        TRY(add_pair(c, couples[i].old_subject, couples[i].new_subject));
    }
    return STATUS_OK;
}

static bool is_paired(const struct record_comparison *c, size_t subject, bool of_new)
{
    for (size_t i = 0; i < c->pair_count; i++) {
        if ((of_new ? c->pairs[i].new_subject : c->pairs[i].old_subject) == subject)
            return true;
    }
    return false;
}

/* Subjects of the same specification first, so that two that differ in their bounds alone, or in
 * the folder of the library, find each other. */
static enum status pair_equal(struct record_comparison *c)
{
    for (int exact = 1; exact >= 0; exact--) {
        for (size_t n = 0; n < c->is->subject_count; n++) {
            for (size_t o = 0; o < c->was->subject_count && !is_paired(c, n, true); o++) {
                const struct record_subject *const a = &c->was->subjects[o];
                const struct record_subject *const b = &c->is->subjects[n];

                if (!is_paired(c, o, false) && subject_key_equal(a, b) &&
                    (!exact || (same_text(a->spec, b->spec) && same_text(a->bounds, b->bounds))))
                    TRY(add_pair(c, o, n));
            }
        }
    }
    return STATUS_OK;
}

static int compare_pairs(const void *x, const void *y)
{
    const struct compare_pair *const a = x, *const b = y;

    return (a->new_subject > b->new_subject) - (a->new_subject < b->new_subject);
}

/* The labels of all subjects of a report. */
static const char *labels(const struct record *r, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < r->subject_count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s'%s'", i ? ", " : "",
                                 text_or_not_known(r->subjects[i].label));
    return text;
}

static enum status list_unpaired(struct record_comparison *c, struct diag *diag)
{
    size_t *const was = ARENA_NEW(&c->arena, c->was->subject_count, size_t);
    size_t *const is = ARENA_NEW(&c->arena, c->is->subject_count, size_t);

    if (!was || !is)
        return no_memory(diag);
    for (size_t i = 0; i < c->was->subject_count; i++) {
        if (!is_paired(c, i, false))
            was[c->old_only_count++] = i;
    }
    for (size_t i = 0; i < c->is->subject_count; i++) {
        if (!is_paired(c, i, true))
            is[c->new_only_count++] = i;
    }
    c->old_only = was;
    c->new_only = is;
    return STATUS_OK;
}

static enum status pair_subjects(struct record_comparison *c, const struct compare_couple *couples,
                                 size_t count, struct diag *diag)
{
    char was[300], is[300];

    c->pairs = ARENA_NEW(&c->arena, count + c->is->subject_count, struct compare_pair);
    if (!c->pairs)
        return no_memory(diag);
    if (count > 0)
        TRY(pair_given(c, couples, count, diag));
    else
        TRY(pair_equal(c));
    if (c->pair_count == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "no subject of OLD (%s) has the library and the options of one of NEW "
                         "(%s); --pair=OLD:NEW names two by their numbers",
                         labels(c->was, was, sizeof was), labels(c->is, is, sizeof is));
    qsort(c->pairs, c->pair_count, sizeof *c->pairs, compare_pairs);
    TRY(list_unpaired(c, diag));
    for (size_t i = 0; i < c->old_only_count && count == 0; i++)
        add_failure(c, "%s of OLD has no counterpart in NEW",
                    text_or_not_known(c->was->subjects[c->old_only[i]].label));
    return STATUS_OK;
}

/* ---- cases ---- */

static bool passes(enum case_status s)
{
    return s == CASE_PASS || s == CASE_UNEXPECTED_PASS;
}

enum compare_kind compare_kind_of(enum case_status was, enum case_status is)
{
    if (case_status_fails(is) && !case_status_fails(was))
        return COMPARE_NEW_FAILURE;
    if (was == CASE_FAIL && case_status_fails(is))
        return COMPARE_WORSE;
    if (is == CASE_DECLINED && passes(was))
        return COMPARE_LOST;
    if (passes(is) && (case_status_fails(was) || was == CASE_WAIVED))
        return COMPARE_FIXED;
    if (passes(is) && was == CASE_DECLINED)
        return COMPARE_GAINED;
    return COMPARE_OTHER;
}

static size_t find_result(const struct record *r, size_t subject, const char *name)
{
    const size_t at = record_find_case(r, name);
    const struct record_result *const found = at == SIZE_MAX ? NULL : record_find(r, subject, at);

    return found ? (size_t)(found - r->results) : SIZE_MAX;
}

/* By subject and case of NEW: whether NEW was cut before it. */
static bool *map_missing(struct record_comparison *c)
{
    const struct record *const r = c->is;
    bool *const map = arena_alloc(&c->arena, r->subject_count, r->case_count ? r->case_count : 1);

    for (size_t i = 0; map && i < r->missing_count; i++)
        map[r->missing[i].subject * r->case_count + r->missing[i].test_case] = true;
    return map;
}

static void add_change(struct record_comparison *c, size_t pair, size_t was, size_t is)
{
    const enum case_status before = c->was->results[was].status;
    const enum case_status after = c->is->results[is].status;

    c->pairs[pair].common++;
    c->pairs[pair].from_to[before][after]++;
    if (before == after)
        return;
    c->changes[c->change_count] =
        (struct compare_change){ compare_kind_of(before, after), pair, was, is };
    c->kind_count[c->changes[c->change_count++].kind]++;
}

static void compare_new(struct record_comparison *c, size_t pair)
{
    for (size_t i = 0; i < c->is->result_count; i++) {
        const struct record_result *const r = &c->is->results[i];
        size_t was;

        if (r->subject != c->pairs[pair].new_subject)
            continue;
        was = find_result(c->was, c->pairs[pair].old_subject, c->is->cases[r->test_case].name);
        if (was != SIZE_MAX) {
            add_change(c, pair, was, i);
        } else {
            c->pairs[pair].added++;
            c->singles[c->single_count++] = (struct compare_single){ pair, SIZE_MAX, i, false };
        }
    }
}

static void find_gone(struct record_comparison *c, size_t pair, const bool *missing)
{
    const size_t subject = c->pairs[pair].new_subject;

    for (size_t i = 0; i < c->was->result_count; i++) {
        const struct record_result *const r = &c->was->results[i];
        const size_t at = record_find_case(c->is, c->was->cases[r->test_case].name);

        if (r->subject != c->pairs[pair].old_subject ||
            (at != SIZE_MAX && record_find(c->is, subject, at)))
            continue;
        c->pairs[pair].gone++;
        c->singles[c->single_count++] =
            (struct compare_single){ pair, i, SIZE_MAX,
                                     at != SIZE_MAX && missing[subject * c->is->case_count + at] };
    }
}

static int compare_changes(const void *x, const void *y)
{
    const struct compare_change *const a = x, *const b = y;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->pair != b->pair)
        return a->pair < b->pair ? -1 : 1;
    return (a->is > b->is) - (a->is < b->is);
}

static enum status compare_cases(struct record_comparison *c, struct diag *diag)
{
    /* A subject may be part of several pairs. */
    const size_t most = (c->was->result_count + c->is->result_count) * c->pair_count;
    const bool *const missing = map_missing(c);
    size_t common = 0;

    c->changes = ARENA_NEW(&c->arena, most, struct compare_change);
    c->singles = ARENA_NEW(&c->arena, most, struct compare_single);
    if (!c->changes || !c->singles || !missing)
        return no_memory(diag);
    for (size_t p = 0; p < c->pair_count; p++)
        find_gone(c, p, missing);
    for (size_t p = 0; p < c->pair_count; p++) {
        compare_new(c, p);
        common += c->pairs[p].common;
        if (c->pairs[p].common == 0 && !c->was->subjects[c->pairs[p].old_subject].not_run)
            add_failure(c, "%s: no case is in both reports",
                        text_or_not_known(c->is->subjects[c->pairs[p].new_subject].label));
    }
    if (common == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "no case is in both reports: OLD has %zu results, NEW %zu",
                         c->was->result_count, c->is->result_count);
    qsort(c->changes, c->change_count, sizeof *c->changes, compare_changes);
    return STATUS_OK;
}

/* ---- whole models ---- */

static bool same_model(const struct record_comparison *c, const struct record_model *was,
                       const struct record_model *is)
{
    if (was->is_reference != is->is_reference || !same_text(was->name, is->name))
        return false;
    for (size_t p = 0; p < c->pair_count && !is->is_reference; p++) {
        if (c->pairs[p].old_subject == was->subject && c->pairs[p].new_subject == is->subject)
            return true;
    }
    return is->is_reference;
}

static enum status compare_models(struct record_comparison *c, struct diag *diag)
{
    c->models = ARENA_NEW(&c->arena, c->is->model_count, struct compare_model);
    if (!c->models)
        return no_memory(diag);
    for (size_t n = 0; n < c->is->model_count && !c->limits.no_models; n++) {
        for (size_t o = 0; o < c->was->model_count; o++) {
            const enum case_status was = c->was->models[o].status;
            const enum case_status is = c->is->models[n].status;

            if (!same_model(c, &c->was->models[o], &c->is->models[n]))
                continue;
            if (was != is && was != CASE_MISSING && is != CASE_MISSING)
                c->models[c->model_count++] =
                    (struct compare_model){ compare_kind_of(was, is), o, n };
            break;
        }
    }
    return STATUS_OK;
}

/* ---- the verdict ---- */

static void judge_cases(struct record_comparison *c)
{
    size_t gone = 0;

    for (int k = 0; k < COMPARE_KIND_COUNT; k++) {
        if (compare_kind_is_bad((enum compare_kind)k) && c->kind_count[k] > 0 &&
            !(k == COMPARE_LOST && c->limits.no_support))
            add_failure(c, "%s: %zu", compare_kind_title((enum compare_kind)k), c->kind_count[k]);
    }
    for (size_t i = 0; i < c->model_count; i++) {
        if (compare_kind_is_bad(c->models[i].kind))
            add_failure(c, "the model %s: %s, now %s", c->is->models[c->models[i].is].name,
                        case_status_name(c->was->models[c->models[i].was].status),
                        case_status_name(c->is->models[c->models[i].is].status));
    }
    for (size_t p = 0; p < c->pair_count; p++)
        gone += c->pairs[p].gone;
    if (c->limits.same_cases && gone > 0)
        add_failure(c, "cases that are gone: %zu", gone);
    if (c->is->run.interrupted || c->is->missing_count > 0)
        add_failure(c, "NEW was cut (%s): %zu checks are missing",
                    text_or_not_known(c->is->run.interrupted), c->is->missing_count);
    if (c->is->broken_end && !c->was->broken_end)
        add_failure(c, "a worker process of NEW, after its last case: %s", c->is->broken_end);
}

static void judge_figures(struct record_comparison *c)
{
    const struct compare_limits *const limits = &c->limits;
    size_t margins = 0, memory = 0, slower = 0;

    for (size_t i = 0; i < c->margin_count; i++)
        margins += c->margins[i].fails;
    for (size_t i = 0; i < c->memory_count; i++)
        memory += c->memory[i].fails;
    for (size_t i = 0; i < c->line_count; i++)
        slower += c->lines[i].slower;
    if (margins > 0)
        add_failure(c, "margins that grew by more than %g %% and %g: %zu",
                    100 * limits->margin_growth, limits->margin_floor, margins);
    if (memory > 0)
        add_failure(c, "cases that take more than %g %% and %llu bytes more memory: %zu",
                    100 * limits->memory_growth, (unsigned long long)limits->memory_floor, memory);
    if (slower > 0)
        add_failure(c, "ops and types that are slower by more than %g %%: %zu",
                    100 * limits->slowdown, slower);
    for (size_t p = 0; p < c->pair_count; p++) {
        if (c->pairs[p].slower)
            add_failure(c, "%s: the whole run takes %.3g times as long, more than %g %%",
                        text_or_not_known(c->is->subjects[c->pairs[p].new_subject].label),
                        c->pairs[p].time_factor, 100 * limits->run_slowdown);
    }
}

enum status compare_records(struct record_comparison *c, const struct record *was,
                            const struct record *is, const struct compare_limits *limits,
                            const struct compare_couple *couples, size_t couple_count,
                            struct diag *diag)
{
    *c = (struct record_comparison){ .was = was, .is = is, .limits = *limits };
    if (was->run.seed != is->run.seed)
        return diag_fail(diag, STATUS_USAGE,
                         "OLD has seed %llu, NEW %llu: other data, so nothing can be compared",
                         (unsigned long long)was->run.seed, (unsigned long long)is->run.seed);
    c->notes = ARENA_NEW(&c->arena, SENTENCES_MAX, const char *);
    c->failures = ARENA_NEW(&c->arena, SENTENCES_MAX, const char *);
    if (!c->notes || !c->failures)
        return no_memory(diag);
    note_runs(c);
    TRY(pair_subjects(c, couples, couple_count, diag));
    TRY(compare_cases(c, diag));
    TRY(compare_models(c, diag));
    TRY(compare_lines_fill(c, diag));
    judge_cases(c);
    judge_figures(c);
    return STATUS_OK;
}

void compare_close(struct record_comparison *c)
{
    arena_close(&c->arena);
    *c = (struct record_comparison){ .was = NULL };
}
