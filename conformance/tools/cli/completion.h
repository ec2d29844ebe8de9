/* Completion of `assay` in shells, printed from the commands and their flags. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_COMPLETION_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_COMPLETION_H

#include <stdio.h>

/* A script for bash: commands, flags, choices, paths.  It needs no package of completions. */
void completion_print_bash(FILE *out);
/* Scripts for fish and zsh, which show the help of each flag, too. */
void completion_print_fish(FILE *out);
void completion_print_zsh(FILE *out);

#endif
