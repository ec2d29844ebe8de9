/* A run of the suite as the flags of `assay conformance` describe it. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_CONFORMANCE_RUN_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_CONFORMANCE_RUN_H

#include "conformance/tools/cli/conformance_request.h"

/* Runs the suite, writes its reports and returns the exit code. */
int conformance_run(const struct conformance_request *q);

#endif
