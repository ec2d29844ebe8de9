/* Words of shell commands that reports print. */
#ifndef ASSAY_CONFORMANCE_UTIL_SHELL_WORD_H
#define ASSAY_CONFORMANCE_UTIL_SHELL_WORD_H

#include <stdio.h>

/* Prints a word, in quotes where the shell needs them. */
void shell_word_print(const char *word, FILE *out);

#endif
