#include "conformance/report/record/baseline.h"

#include "conformance/report/record/match.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status baseline_open(struct baseline *b, const char *path, struct diag *diag)
{
    *b = (struct baseline){ .path = path };
    TRY(record_read(&b->record, path, diag));
    b->is_open = true;
    if (b->record.subject_count > 0)
        return STATUS_OK;
    baseline_close(b);
    return diag_fail(diag, STATUS_USAGE, "--baseline=%s: expected a report with subjects", path);
}

void baseline_close(struct baseline *b)
{
    if (b->is_open)
        record_close(&b->record);
    *b = (struct baseline){ .is_open = false };
}

/* ---- subjects ---- */

/* The baseline's subject that is the same as one of this run. */
static size_t find_subject(const struct baseline *b, const struct subject *s)
{
    struct record_option options[SUBJECT_OPTIONS_MAX];
    char spec[4096], bounds[2 * BOUNDS_TEXT_BYTES];
    const struct record_subject wanted = {
        .spec = subject_spec(s, spec, sizeof spec) ? spec : NULL,
        .label = s->label,
        .path = s->path,
        .bounds = report_bounds(s, bounds),
        .options = options,
        .option_count = s->option_count,
    };

    for (size_t i = 0; i < s->option_count; i++)
        options[i] = (struct record_option){ s->options[i].key, s->options[i].value };
    return record_match_subject(&b->record, &wanted);
}

enum status baseline_check_subjects(const struct baseline *b, const struct subject *subjects,
                                    size_t count, struct diag *diag)
{
    if (!b->is_open)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (find_subject(b, &subjects[i]) != SIZE_MAX)
            return STATUS_OK;
    }
    return diag_fail(diag, STATUS_USAGE,
                     "--baseline=%s: none of its %zu subjects (%s%s) has kind and options of one "
                     "of this run (%s%s): nothing would be compared",
                     b->path, b->record.subject_count, b->record.subjects[0].label,
                     b->record.subject_count > 1 ? ", ..." : "",
                     count > 0 ? subjects[0].label : "none", count > 1 ? ", ..." : "");
}

/* ---- the list of cases ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void baseline_check_cases(const struct baseline *b, const struct test_case *all, size_t count,
                          struct notes *notes)
{
    const char **const names = b->is_open ? mem_alloc(count + 1, sizeof *names) : NULL;
    const char *first = NULL;
    size_t gone = 0;

    for (size_t i = 0; names && i < count; i++)
        names[i] = all[i].name;
    if (names)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; names && i < b->record.case_count; i++) {
        const char *const name = b->record.cases[i].name;

        if (strncmp(name, "graph.", 6) == 0 ||
            bsearch(&name, names, count, sizeof *names, compare_names))
            continue;
        first = first ? first : name;
        gone++;
    }
    if (gone > 0)
        notes_add(notes, "%s: %zu of its %zu cases do not exist any more: %s%s", b->path, gone,
                  b->record.case_count, first, gone > 1 ? ", ..." : "");
    mem_free(names);
}

/* ---- results ---- */

/* What came of the comparison with one subject. */
struct tally {
    size_t unknown; /* cases that the baseline has no result of */
    const char *first_unknown;
    size_t grown; /* margins that grew, where that is no regression */
};

static void compare_result(const struct record_result *then, bool same_bits,
                           struct case_result *now, struct tally *t)
{
    if (then->status != CASE_PASS)
        return;
    if (now->status != CASE_PASS) {
        now->regression = now->status != CASE_WAIVED && now->status != CASE_UNEXPECTED_PASS;
    } else if (record_margin_grew(then->margin, now->margin)) {
        t->grown += !same_bits;
        now->regression = same_bits;
        if (same_bits)
            snprintf(now->reason, sizeof now->reason,
                     "the margin grew from %.4g to %.4g of the bound", then->margin, now->margin);
    }
}

/* Whether results have to be equal in all bits, and so margins can be held to the earlier ones. */
static bool bits_are_comparable(const struct baseline *b, const struct report *r, size_t subject,
                                size_t then)
{
    const struct record_subject *const s = &b->record.subjects[then];
    const struct judge_device *const now = report_device(r, subject);
    const struct record_device device = {
        .name = now->name[0] ? now->name : NULL,
        .driver = now->driver[0] ? now->driver : NULL,
    };
    char bounds[2 * BOUNDS_TEXT_BYTES];

    return record_device_is_same(s->device.name ? &s->device : &b->record.device, &device) &&
           b->record.run.seed == r->seed && s->bounds &&
           strcmp(s->bounds, report_bounds(&r->subjects[subject], bounds)) == 0;
}

static void note_tally(const struct baseline *b, const char *label, const struct tally *t,
                       struct notes *notes)
{
    if (t->unknown > 0)
        notes_add(notes, "%s: %s: it has no result of %zu cases of this run: %s%s", b->path, label,
                  t->unknown, t->first_unknown, t->unknown > 1 ? ", ..." : "");
    if (t->grown > 0)
        notes_add(notes,
                  "%s: %s: %zu margins are larger, which is no failure with another device, "
                  "driver, seed or bounds",
                  b->path, label, t->grown);
}

static void compare_subject(const struct baseline *b, struct report *r, size_t subject,
                            struct notes *notes)
{
    const char *const label = r->subjects[subject].label;
    const size_t then = find_subject(b, &r->subjects[subject]);
    struct tally t = { .unknown = 0 };
    bool same_bits;

    if (then == SIZE_MAX) {
        notes_add(notes, "%s: %s: it has no subject of this kind with these options; not compared",
                  b->path, label);
        return;
    }
    if (b->record.subjects[then].label && strcmp(b->record.subjects[then].label, label) != 0)
        notes_add(notes, "%s: %s: compared with its %s", b->path, label,
                  b->record.subjects[then].label);
    same_bits = bits_are_comparable(b, r, subject, then);
    for (size_t c = 0; c < r->case_count; c++) {
        struct case_result *const now = &r->outcome.results[subject * r->case_count + c];
        const size_t index =
            now->absent ? SIZE_MAX : record_find_case(&b->record, r->cases[c].name);
        const struct record_result *const before =
            index == SIZE_MAX ? NULL : record_find(&b->record, then, index);

        if (before) {
            compare_result(before, same_bits, now, &t);
        } else if (!now->absent) {
            t.first_unknown = t.first_unknown ? t.first_unknown : r->cases[c].name;
            t.unknown++;
        }
    }
    note_tally(b, label, &t, notes);
}

/* How the earlier run was made otherwise. */
static void note_run(const struct baseline *b, const struct report *r, struct notes *notes)
{
    const struct record_run *const run = &b->record.run;
    const struct record_device *const device = &b->record.device;

    if (run->version && strcmp(run->version, ASSAY_VERSION) != 0)
        notes_add(notes, "%s: it was made by Assay %s, this is %s", b->path, run->version,
                  ASSAY_VERSION);
    if (run->seed != r->seed)
        notes_add(notes, "%s: it has seed %" PRIu64 ", this run %" PRIu64 ": other data", b->path,
                  run->seed, r->seed);
    if (device->name && r->device.name[0] &&
        (strcmp(device->name, r->device.name) != 0 ||
         strcmp(device->driver ? device->driver : "", r->device.driver) != 0))
        notes_add(notes, "%s: it is of %s, %s; this run of %s, %s", b->path, device->name,
                  device->driver ? device->driver : "no driver", r->device.name, r->device.driver);
    if (run->interrupted)
        notes_add(notes, "%s: its run was ended by %s: %zu results are missing", b->path,
                  run->interrupted, b->record.missing_count);
}

void baseline_apply(const struct baseline *b, struct report *report, struct notes *notes)
{
    if (!b->is_open)
        return;
    note_run(b, report, notes);
    for (size_t s = 0; s < report->subject_count; s++)
        compare_subject(b, report, s, notes);
}
