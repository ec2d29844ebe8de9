/* Strings of files that are not trusted, for a terminal. */
#ifndef ASSAY_CONFORMANCE_UTIL_CLEAN_H
#define ASSAY_CONFORMANCE_UTIL_CLEAN_H

#include <stdio.h>

/* Prints text as a part of one line: control characters, which a terminal would obey, line ends,
 * marks of the direction of writing, and what is no UTF-8 become a question mark.  NULL prints
 * nothing. */
void clean_print(FILE *out, const char *text);

#endif
