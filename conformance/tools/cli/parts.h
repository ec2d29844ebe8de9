/* Commands of a second word, such as `golden check`. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_PARTS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_PARTS_H

#include "conformance/tools/cli/commands.h"

/* The run of a command that has parts: runs the part that argv[1] names, or says which there are.
 */
int parts_run(const struct command *self, int argc, char **argv);
/* The part of a command with this second word, "check"; NULL when there is none. */
const struct command *parts_find(const struct command *self, const char *word);

#endif
