/* Lines that are said beside results, in a report. */
#ifndef ASSAY_CONFORMANCE_UTIL_NOTES_H
#define ASSAY_CONFORMANCE_UTIL_NOTES_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stddef.h>

/* A list of lines; zeroed it is empty. */
struct notes {
    struct arena arena;
    const char **items;
    size_t count, room;
};

/* Adds a line; without memory for it, it is left out. */
void notes_add(struct notes *n, const char *format, ...) PRINTF_LIKE(2, 3);
void notes_close(struct notes *n);

#endif
