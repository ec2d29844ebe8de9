/* Error lines and progress on stderr, and the exit code that follows from a failure.
 *
 * An error is one line, "assay: what: why".  Progress is that of util/progress.h. */
#ifndef ASSAY_CONFORMANCE_UTIL_MESSAGE_H
#define ASSAY_CONFORMANCE_UTIL_MESSAGE_H

#include "reference/base/diag.h"

#include <stdbool.h>

enum exit_code {
    EXIT_AS_EXPECTED = 0, /* a declined case alone is no failure */
    EXIT_FAILED = 1,      /* a failed case, or a difference over its limit */
    EXIT_USAGE = 2,       /* wrong usage, or input that cannot be read */
    EXIT_NO_DEVICE = 3    /* no usable device */
};

/* Prints "assay: what: why" as one line, whatever control characters the strings hold.  what NULL:
 * "assay: why". */
void message_error(const char *what, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints the text of a diag the same way, and returns the exit code that fits its status. */
int message_fail(const char *what, const struct diag *diag);

/* Rewrites the line of progress of work whose length is not known; util/progress.h says when it is
 * shown, and has the time left for other work. */
void message_progress(bool quiet, const char *format, ...) PRINTF_LIKE(2, 3);
/* Removes the line of progress. */
void message_progress_end(void);

#endif
