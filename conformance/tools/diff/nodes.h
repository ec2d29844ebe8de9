/* Each node by itself. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_NODES_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_NODES_H

#include "conformance/tools/diff/diff.h"

/* Judges every node on the activations that the reference holds now; the first one that is out of
 * bounds becomes the culprit. */
enum status nodes_judge(struct diff *d, struct diag *diag);

#endif
