/* `assay --limits`: what a model may ask for (reference/base/limits.def). */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_LIMITS_LIST_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_LIMITS_LIST_H

/* args: what follows --limits: nothing, or --format=text|json.  Returns the exit code. */
int limits_list(int argc, char **args);

#endif
