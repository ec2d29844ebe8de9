/* The name that a misspelt word was probably meant to be. */
#ifndef ASSAY_CONFORMANCE_UTIL_NEAREST_H
#define ASSAY_CONFORMANCE_UTIL_NEAREST_H

#include <stddef.h>

/* The name at the smallest edit distance from word; NULL when none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
