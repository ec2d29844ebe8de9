/* Versions of drivers, compared number by number: 580.159.04 is newer than 580.82. */
#ifndef ASSAY_CONFORMANCE_UTIL_VERSION_H
#define ASSAY_CONFORMANCE_UTIL_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/* Below, at or above 0 as a is older than b, the same, or newer.  Numbers that one of them lacks
 * are 0: 24.0 is 24.  Reads digits and dots, and stops at anything else. */
int version_compare(const char *a, const char *b);

/* Finds the version in the words of a driver, "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)": the first
 * number with a dot, else the first number that is no part of a word.  False: there is none. */
bool version_find(const char *driver, char *version, size_t bytes);

/* Whether text is a list of comparisons such as ">=24.0,<25": each is one of < <= > >= = != and a
 * version, or a version alone, which stands for =. */
bool version_range_is_valid(const char *text);
/* Whether a version meets all comparisons of a valid range. */
bool version_range_has(const char *range, const char *version);

#endif
