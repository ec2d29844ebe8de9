/* From a failure of the whole model to what it comes from. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_CAUSE_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_CAUSE_H

#include "conformance/tools/diff/diff.h"

/* Where the request asks for it and the subject took some node: judges each node, finds the range
 * of nodes that fails together where none fails alone, and minimizes what was found. */
enum status cause_find(struct diff *d, struct diag *diag);

#endif
