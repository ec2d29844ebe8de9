/* Completion of `assay` in bash, printed from the commands and their flags. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_COMPLETION_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_COMPLETION_H

#include <stdio.h>

/* A table of commands, flags, choices and paths, and the function that reads it.  It needs no
 * package of completions. */
void completion_print_bash(FILE *out);

#endif
