/* Manual pages in man(7) and completion for bash, printed from the commands and their flags. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_MANUAL_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_MANUAL_H

#include "conformance/tools/cli/commands.h"

#include <stdio.h>

/* assay-<name>(1) of a command with all its parts; assay(1) for NULL. */
void manual_print(FILE *out, const struct command *command);

/* A table of commands, flags, choices and paths, and the function that reads it.  It needs no
 * package of completions. */
void completion_print_bash(FILE *out);

#endif
