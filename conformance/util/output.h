/* Files that a command writes: whole or not at all. */
#ifndef ASSAY_CONFORMANCE_UTIL_OUTPUT_H
#define ASSAY_CONFORMANCE_UTIL_OUTPUT_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A report that is collected in memory and written once it is complete: to stdout, or to the file
 * of --out, which is replaced by renaming, so that it never holds half a report. */
struct output {
    FILE *file; /* the report is printed here */
    char *text;
    size_t bytes;
    /* Set by the caller.  plain: a text for people, in which control characters are escaped, as
     * names in models and messages of delegates may hold any bytes (clean.h).  fold: such a
     * text, with lines wrapped at WRAP_WIDTH columns (util/wrap.h). */
    bool plain, fold;
};

/* Returns false when out of memory. */
bool output_open(struct output *o);
/* Writes the report to path, or to stdout where path is NULL, unless discard is set, and frees it.
 * On a terminal that shows colours, statuses have one.  Returns 0, or the exit code after a message
 * on stderr. */
int output_close(struct output *o, const char *path, bool discard);

/* Replaces a regular file by renaming; writes into a pipe or a device, which cannot be replaced. */
enum status output_write_file(const char *path, const void *bytes, size_t count, struct diag *diag);

#endif
