/* The ops that the runtime itself runs: WHILE, IF and CALL_ONCE, VAR_HANDLE, READ_VARIABLE and
 * ASSIGN_VARIABLE. */
#ifndef ASSAY_REFERENCE_RUNTIME_SPECIAL_H
#define ASSAY_REFERENCE_RUNTIME_SPECIAL_H

#include "reference/runtime/node_kernel.h"

/* NULL: a scalar kernel runs the op, or nothing does. */
const struct node_kernel *special_find(int32_t code);

#endif
