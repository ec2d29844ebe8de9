/* What a library prints to stderr during a call: often the only place where it says why it fails.
 *
 * In a worker process stderr is a log file that the parent reads after a crash, so the text stays
 * there and is read back; elsewhere stderr is an unnamed file for the time of the call. */
#ifndef ASSAY_CONFORMANCE_UTIL_STDERR_TEXT_H
#define ASSAY_CONFORMANCE_UTIL_STDERR_TEXT_H

#include <stddef.h>
#include <sys/types.h>

struct stderr_text {
    int saved;  /* the stderr that was replaced; -1: it is a log file, or nothing is captured */
    int file;   /* where the text goes; -1: nowhere that it can be read */
    off_t from; /* where in the file it begins */
};

void stderr_text_begin(struct stderr_text *t);
/* Ends it.  text: the last `bytes` - 1 bytes of what was printed; empty where nothing was. */
void stderr_text_end(struct stderr_text *t, char *text, size_t bytes);

#endif
