/* The results of a run, as text and as JSON. */
#ifndef ASSAY_CONFORMANCE_REPORT_REPORT_H
#define ASSAY_CONFORMANCE_REPORT_REPORT_H

#include "conformance/judge/judge.h"
#include "conformance/judge/minimal_forms.h"
#include "conformance/judge/result.h"
#include "conformance/judge/runner.h"
#include "conformance/models/digits.h"
#include "conformance/util/tsv.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The smallest form of a failure, in words. */
struct report_minimal {
    size_t index; /* of the result */
    char *text;
};

struct report {
    const struct subject *subjects;
    size_t subject_count;
    const struct test_case *cases;
    size_t case_count;
    struct run_outcome outcome;
    struct judge_device device; /* of the first subject that names one */
    uint64_t seed;
    uint32_t shard, shards; /* shards 0 or 1: all cases */
    const char *bounds;     /* value of --bounds; NULL when it was not given */
    /* Whole models; NULL when they were not run. */
    const struct digits_report *digits;
    /* Which planted faults the suite noticed: a table with the columns of mutants_columns; NULL
     * when there is none. */
    const struct tsv *mutants;
    struct report_minimal *minimal; /* minimal_graphs.h */
    size_t minimal_count;
    const struct minimal_forms *forms; /* of failures; NULL when they were not asked for */
};

enum { MUTANT_NAME, MUTANT_FILE, MUTANT_CAUGHT, MUTANT_BY, MUTANT_WHAT, MUTANT_COLUMNS };
extern const char *const mutants_columns[MUTANT_COLUMNS];

struct totals {
    size_t count[CASE_STATUS_COUNT];
    size_t all, bad;
    uint64_t integers, unequal; /* quantized elements; those that differ from the reference's */
    double margin;              /* the largest error / bound */
    size_t worst;               /* index of its result; SIZE_MAX when nothing was compared */
};

/* Adds a result to totals; index is its index in outcome.results. */
void totals_add(struct totals *t, const struct case_result *r, size_t index);
struct totals report_totals(const struct report *r);

/* Adds a subject's results of the cases that share a line of a table with case c: gap cases of the
 * same title, or other cases of the same op and type. */
void report_add_group(const struct report *r, size_t subject, size_t c, struct totals *t);
/* Whether case c is the first of its line. */
bool report_group_begins(const struct report *r, size_t c);
/* Why the margin of these totals may be above a half; NULL where it is not above it. */
const char *report_margin_note(const struct report *r, size_t subject, const struct totals *t);

/* The gap suite, then a table for each op and subject, at most 80 columns wide; notes on margins,
 * declined and failed cases, planted faults; totals last. */
void report_text(const struct report *r, FILE *out);
/* One JSON object; STATUS_NO_MEMORY. */
enum status report_json(const struct report *r, FILE *out, struct diag *diag);

/* The smallest form of a result that failed; NULL where none was looked for. */
const char *report_minimal_text(const struct report *r, size_t index);
/* Prints the command that runs the case of one result again. */
void report_rerun(const struct report *r, size_t index, FILE *out);
/* Writes what is wrong with a result, and where, as one line without a line end. */
void report_reason(const struct report *r, size_t index, char *text, size_t bytes);

/* The classes that a subject is held to, "fp32,float_view": of the cases that it runs.  Returns
 * text. */
const char *report_bounds(const struct subject *s, char text[2 * BOUNDS_TEXT_BYTES]);

#endif
