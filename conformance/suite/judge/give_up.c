#include "conformance/suite/judge/give_up.h"

#include <inttypes.h>
#include <stdio.h>

enum { TIMEOUTS_IN_ALL = 3, LOSSES_IN_ROW = 25 }; /* times the limit */
enum { LINES_IN_ROW = 2 };

void give_up_note(struct give_up *g, uint64_t limit, enum case_status status)
{
    const bool late = status == CASE_TIMEOUT, lost = late || status == CASE_CRASH;

    g->lines_in_row = 0;
    g->timeouts += late;
    g->timeouts_in_row = late ? g->timeouts_in_row + 1 : lost ? g->timeouts_in_row : 0;
    g->losses_in_row = lost ? g->losses_in_row + 1 : 0;
    if (limit == 0 || g->why[0])
        return;
    if (g->timeouts_in_row >= limit)
        snprintf(g->why, sizeof g->why, "%" PRIu64 " timeouts without an answer between them",
                 g->timeouts_in_row);
    else if (g->timeouts >= TIMEOUTS_IN_ALL * limit)
        snprintf(g->why, sizeof g->why, "%" PRIu64 " timeouts", g->timeouts);
    else if (g->losses_in_row >= LOSSES_IN_ROW * limit)
        snprintf(g->why, sizeof g->why, "%" PRIu64 " crashes and timeouts in a row",
                 g->losses_in_row);
}

void give_up_note_lost(struct give_up *g, uint64_t limit)
{
    if (++g->lines_in_row >= LINES_IN_ROW && limit && !g->why[0])
        snprintf(g->why, sizeof g->why, "%" PRIu64 " cases in a row whose line was lost",
                 g->lines_in_row);
}
