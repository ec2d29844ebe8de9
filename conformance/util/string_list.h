/* A list of strings in the order given: the values of a repeatable flag. */
#ifndef ASSAY_CONFORMANCE_UTIL_STRING_LIST_H
#define ASSAY_CONFORMANCE_UTIL_STRING_LIST_H

#include <stddef.h>

/* Owns neither the array nor the strings. */
struct string_list {
    const char **items;
    size_t count;
};

#endif
