/* The elements of the one long array of a report, each of which is parsed alone, so that reading
 * takes memory for one element, not for all. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_SLICES_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_SLICES_H

#include "reference/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct record_slice {
    const char *text;
    size_t bytes;
};

struct record_slices {
    struct record_slice *items;
    size_t count;
    /* The JSON text without the elements. */
    char *rest;
    size_t rest_bytes;
};

/* Finds the elements of the array under this key of the root, which are objects.  Returns false
 * where the text does not look so, or memory is short: then it has to be parsed as a whole, which
 * also says what is wrong with it. */
bool record_slices_find(struct record_slices *s, struct arena *arena, const char *text,
                        size_t bytes, const char *key);

#endif
