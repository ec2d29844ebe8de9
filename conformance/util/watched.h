/* Work in a process of its own that prints as this one would, and whose end another sees: what
 * crashes, hangs or leaves there is a result here. */
#ifndef ASSAY_CONFORMANCE_UTIL_WATCHED_H
#define ASSAY_CONFORMANCE_UTIL_WATCHED_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct watched_end {
    bool ended, late; /* ended: no code came; late: since nothing moved */
    int code;         /* what the work returned */
    char reason[256]; /* "SIGABRT in inference 2" */
};

/* Runs work(user) in a child with the standard streams of this process, and waits.  It may take as
 * long as it wants, but not `still_s` seconds without a step (below).  Signals that
 * util/interrupt.h notes are passed on.  A status other than OK: there is no child. */
enum status watched_run(int (*work)(void *user), void *user, double still_s,
                        struct watched_end *end, struct diag *diag);

/* In the child, or one of its own: what it does from here on, a string literal, and each time that
 * it does so once more.  Elsewhere they do nothing. */
void watched_stage(const char *what);
void watched_step(void);
/* With what it does so, such as the name of an op; by one thread.  "": with nothing in particular.
 */
void watched_about(const char *name);

/* What the child and its own did last, "inference 2"; for those that see a child of theirs end. */
void watched_now(char *text, size_t bytes);

#endif
