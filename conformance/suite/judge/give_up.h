/* When a run stops giving cases to a subject that answers none.
 *
 * A case that times out costs a worker all of its time limit, a crash a process with a delegate of
 * its own.  With the limit N of --give-up=N a subject is given up after
 *     N timeouts in a row, with no answer from any worker between them,
 *     3 N timeouts in all, so that it costs at most 3 N time limits,
 *     25 N crashes and timeouts in a row,
 *     2 cases in a row whose line was lost each time that they were tried. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_GIVE_UP_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_GIVE_UP_H

#include "conformance/suite/judge/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GIVE_UP_DEFAULT = 20 };

/* Of one subject. */
struct give_up {
    uint64_t timeouts_in_row, losses_in_row, timeouts, lines_in_row;
    char why[96]; /* "20 timeouts in a row"; empty: it is not given up */
};

/* Notes a result in the order of their arrival.  limit 0: nobody is given up. */
void give_up_note(struct give_up *g, uint64_t limit, enum case_status status);
/* Notes a case that has no result, as the line to the subject's agent was lost. */
void give_up_note_lost(struct give_up *g, uint64_t limit);

#endif
