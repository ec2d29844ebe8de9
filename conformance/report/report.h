/* What a run came to, for people and for programs. */
#ifndef ASSAY_CONFORMANCE_REPORT_REPORT_H
#define ASSAY_CONFORMANCE_REPORT_REPORT_H

#include "conformance/judge/judge.h"
#include "conformance/judge/result.h"
#include "conformance/judge/runner.h"
#include "conformance/models/digits.h"
#include "conformance/util/tsv.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct report {
    const struct subject *subjects;
    size_t subject_count;
    const struct test_case *cases;
    size_t case_count;
    struct run_outcome outcome;
    struct judge_device device; /* of the first subject that says */
    uint64_t seed;
    uint32_t shard, shards; /* shards 0 or 1: all */
    const char *bounds;     /* as --bounds was given; NULL: not */
    /* Whole models; NULL: not run. */
    const struct digits_report *digits;
    /* What the suite noticed of planted faults: a table with the columns of mutants_columns; NULL:
     * not known. */
    const struct tsv *mutants;
};

enum { MUTANT_NAME, MUTANT_FILE, MUTANT_CAUGHT, MUTANT_BY, MUTANT_WHAT, MUTANT_COLUMNS };
extern const char *const mutants_columns[MUTANT_COLUMNS];

struct totals {
    size_t count[CASE_STATUS_COUNT];
    size_t all, bad;
    uint64_t integers, unequal; /* quantized elements; those that are not the reference's */
    double margin;              /* the largest of those that were compared */
    size_t worst;               /* its result; SIZE_MAX: none */
};

/* Adds a result to totals; index is its place in outcome.results. */
void totals_add(struct totals *t, const struct case_result *r, size_t index);
struct totals report_totals(const struct report *r);

/* "fp32", "fp16", "exact", "float_view" */
const char *report_bounds_name(enum bounds bounds);

/* Adds a subject's results of all cases that are in one line of a table with case c: the gap cases
 * with its title, or the others with its op and type. */
void report_add_group(const struct report *r, size_t subject, size_t c, struct totals *t);
/* No case before c is in one line with it. */
bool report_group_begins(const struct report *r, size_t c);
/* Why the margin of these totals is above a half; NULL where it is not. */
const char *report_margin_note(const struct report *r, size_t subject, const struct totals *t);

/* The gap suite, then a table for each op and subject, at most 80 columns wide; notes on margins,
 * declined and failed cases, planted faults; totals last. */
void report_text(const struct report *r, FILE *out);
/* One JSON object; STATUS_NO_MEMORY. */
enum status report_json(const struct report *r, FILE *out, struct diag *diag);

/* The command that runs one result again. */
void report_rerun(const struct report *r, size_t index, FILE *out);
/* What is wrong, where, in one line without its end: for both kinds of report. */
void report_reason(const struct report *r, size_t index, char *text, size_t bytes);

#endif
