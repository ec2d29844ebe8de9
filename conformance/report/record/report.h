/* The results of a run, from which from_run.h makes its report. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_REPORT_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_REPORT_H

#include "conformance/report/record/record.h"
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/models/digits.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/util/notes.h"
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
    struct judge_device device;         /* of the first subject that names one */
    const struct judge_device *devices; /* of each subject; NULL: not known */
    struct record_run run;              /* how it was made; seed and shard stand below */
    const size_t *indices; /* of the cases, in the list before sharding; NULL: their own */
    uint64_t seed;
    uint32_t shard, shards; /* shards 0 or 1: all cases */
    const char *bounds;     /* value of --bounds; NULL when it was not given */
    /* Whole models; NULL when they were not run. */
    const struct digits_report *digits;
    /* Which planted faults the suite noticed: a table with the columns of mutants_columns; NULL
     * when there is none. */
    const struct tsv *mutants;
    const struct notes *notes;      /* what is to be said beside the results; NULL: nothing */
    struct report_minimal *minimal; /* shrunk_graphs.h */
    size_t minimal_count;
    const struct shrunk_forms *forms; /* of failures; NULL when they were not asked for */
    size_t ledger_problems;
};

enum { MUTANT_NAME, MUTANT_FILE, MUTANT_CAUGHT, MUTANT_BY, MUTANT_WHAT, MUTANT_COLUMNS };
extern const char *const mutants_columns[MUTANT_COLUMNS];

/* Why the margin of a result may be above a half; NULL where it is not above it. */
const char *report_margin_note(const struct report *r, size_t index);

/* The smallest form of a result that failed; NULL where none was looked for. */
const char *report_minimal_text(const struct report *r, size_t index);
/* Prints the command that runs the case of one result again. */
void report_rerun(const struct report *r, size_t index, FILE *out);
/* Writes what is wrong with a result, and where, as one line without a line end. */
void report_reason(const struct report *r, size_t index, char *text, size_t bytes);

/* The device of a subject; where its own is not known, that of the run. */
const struct judge_device *report_device(const struct report *r, size_t subject);

/* The classes that a subject is held to, "fp32,float_view": of the cases that it runs.  Returns
 * text. */
const char *report_bounds(const struct subject *s, char text[2 * BOUNDS_TEXT_BYTES]);

#endif
