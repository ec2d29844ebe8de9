/* Text for a terminal: long lines wrapped, words in colour. */
#ifndef ASSAY_CONFORMANCE_UTIL_WRAP_H
#define ASSAY_CONFORMANCE_UTIL_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WRAP_WIDTH = 80 };

/* Prints text with its long lines wrapped at spaces, else behind one of "/;,|", else anywhere; the
 * rest of a line is indented by four more columns, or as its second column where the line begins
 * with a key and two spaces.  A code point of UTF-8 counts as one column. */
void wrap_print(FILE *out, const char *text, size_t width);

/* Whether a stream shows colours: it is a terminal, TERM is set and not "dumb", and NO_COLOR is not
 * set, or is empty (no-color.org). */
bool colour_is_shown(FILE *out);
/* Prints text, with the statuses that begin a line in colour: fail, crash, timeout,
 * unexpected_pass, and the line of totals, "conformance: ...". */
void colour_print(FILE *out, const char *text);

#endif
