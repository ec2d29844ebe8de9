/* Tensors and nodes of an interpreter, made from subgraph 0 of its model and checked. */
#ifndef ASSAY_REFERENCE_RUNTIME_BUILD_H
#define ASSAY_REFERENCE_RUNTIME_BUILD_H

#include "reference/base/diag.h"
#include "reference/runtime/state.h"

/* STATUS_UNSUPPORTED with op, version and node for an op that is not known; STATUS_INVALID for a
 * model that breaks a rule; STATUS_NO_MEMORY.  What was built is closed with the interpreter. */
enum status build_graph(struct interpreter *in, struct diag *diag);

#endif
