/* Nodes that fail together. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_BISECT_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_BISECT_H

#include "conformance/tools/diff/diff.h"

/* Finds the smallest range of nodes that fails together, where no node fails by itself. */
enum status bisect_run(struct diff *d, struct diag *diag);

#endif
