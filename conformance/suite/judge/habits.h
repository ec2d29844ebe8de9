/* Habits of applications that are not the suite's own: sizes that change, many runs, several
 * interpreters, odd addresses, a second partition, other options.
 *
 * A case is run again in each of them on set S0, and has to give what it gave before: of our
 * delegate the same bits, of others the same bits or results within the bounds.  Each runs on a
 * sample of the cases.  What a kind of subject cannot do is counted as left out, what a subject
 * refuses as refused, and neither as passed. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HABITS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HABITS_H

#include "conformance/suite/judge/case_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct habit_row {
    const char *what;  /* it does, as the help says it */
    unsigned needs;    /* abilities of the engine */
    bool ours;         /* it needs options that only our delegate is known to have */
    const char *lacks; /* why a kind of subject cannot; NULL: every kind can */
    /* False when the case failed; NULL: it is no habit of the sample. */
    bool (*check)(struct case_run *run);
};
extern const struct habit_row habit_rows[HABIT_COUNT];

/* Which habits run, on which cases. */
struct habit_choice {
    uint32_t habits; /* bit 1 << HABIT_x */
    bool all;        /* on every case, else on a sample */
    bool quick;      /* the sample is a handful of cases, else two of each op, floats and integers
                        apart; for the cache 20 of each */
};
/* "all", "none", or a list of names; NULL: each on its sample.  STATUS_USAGE names what is known.
 */
enum status habits_parse(const char *text, struct habit_choice *choice, struct diag *diag);
/* Notes in each case which habits run on it.  The order of the draw is the case's own, so a case
 * has the same habits in a shorter list, and maybe more. */
enum status habits_draw(const struct habit_choice *choice, struct test_case *cases, size_t count,
                        uint64_t seed, struct diag *diag);

/* Checks the habits that were drawn for the case. */
bool habits_check(struct case_run *run);

#endif
