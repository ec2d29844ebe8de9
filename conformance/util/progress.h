/* One line of progress on stderr, with the time left.
 *
 * It is for work that takes longer than two seconds: nothing is shown before that.  On a terminal
 * the line is rewritten in place, is never wider than the terminal, and is gone at the end.  Where
 * stderr is no terminal, or TERM is dumb, whole lines are written instead, one every ten seconds.
 * With --quiet nothing is. */
#ifndef ASSAY_CONFORMANCE_UTIL_PROGRESS_H
#define ASSAY_CONFORMANCE_UTIL_PROGRESS_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum progress_mode {
    PROGRESS_AUTO,  /* a line on a terminal, whole lines elsewhere */
    PROGRESS_PLAIN, /* whole lines, with or without a terminal */
    PROGRESS_NONE
};
/* Of --progress, for the rest of the program. */
void progress_set_mode(enum progress_mode mode);

/* One piece of work.  Only the process that began it shows it: forked children draw nothing. */
struct progress {
    const char *what;  /* "conformance"; borrowed.  NULL: the text alone is shown, without times */
    double total;      /* in units of any kind; 0: not known, so that the time spent is shown */
    bool quiet, plain; /* plain: whole lines */
    pid_t owner;
    double begun_s, drawn_s; /* by clock_s; drawn_s 0: not yet */
    double rated_s, rated;   /* when the rate was last brought up to date, and what was done then */
    double rate;   /* units per second, smoothed, so that dear units weigh by their time */
    double left_s; /* of progress_expect; negative: by the rate */
};

void progress_begin(struct progress *p, const char *what, double total, bool quiet);
/* Sets the time left where the caller knows better than the rate of units. */
void progress_expect(struct progress *p, double left_s);
/* Shows "what: 2 min 10 s left: text", unless it was shown a moment ago.  done: of total. */
void progress_update(struct progress *p, double done, const char *format, ...) PRINTF_LIKE(3, 4);
/* Removes the line.  Does no harm a second time. */
void progress_end(struct progress *p);

/* Removes the line until the next update, so that something else may be printed. */
void progress_hide(void);

/* Seconds that `done` of the total leave, at the rate so far; negative: not known yet. */
double progress_time_left(const struct progress *p, double done);
/* "8 s", "2 min 10 s", "25 min", "3 h 5 min". */
void progress_describe_time(double seconds, char *text, size_t bytes);

#endif
