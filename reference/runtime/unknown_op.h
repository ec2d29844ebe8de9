/* The op of nodes that the reference does not have, for interpreters with shapes_only. */
#ifndef ASSAY_REFERENCE_RUNTIME_UNKNOWN_OP_H
#define ASSAY_REFERENCE_RUNTIME_UNKNOWN_OP_H

#include "reference/kernels/op.h"

/* Its outputs keep the shapes that they have; it cannot be run. */
extern const struct ref_op unknown_op;

#endif
