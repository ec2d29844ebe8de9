/* Strings of files that are not trusted, for a terminal. */
#ifndef ASSAY_REFERENCE_BASE_CLEAN_H
#define ASSAY_REFERENCE_BASE_CLEAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The code point of utf8_decode is one of those below. */
bool clean_is_control(uint32_t code);

/* Prints text as a part of one line: of control characters, which a terminal would obey, line ends,
 * marks of the direction of writing, and what is no UTF-8, each byte becomes \xNN.  NULL prints
 * nothing. */
void clean_print(FILE *out, const char *text);
/* The same of a text of lines: line feeds stay. */
void clean_print_lines(FILE *out, const char *text);

/* A line on standard error for a library whose host takes no messages: `before` as it is, text
 * cleaned. */
void clean_message(const char *before, const char *text);

#endif
