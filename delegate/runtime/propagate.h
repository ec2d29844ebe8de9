/* Shapes of the host's graph before the nodes are decided on. */
#ifndef ASSAY_DELEGATE_RUNTIME_PROPAGATE_H
#define ASSAY_DELEGATE_RUNTIME_PROPAGATE_H

#include "delegate/graph/options.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>

/* Tensors whose shapes are known in invoke only, by the host's index; the caller frees `dynamic`
 * with mem_free. */
struct propagated {
    bool *dynamic;
    size_t count;
};

/* Calls the prepare function of the host's nodes in execution order, which gives every tensor of
 * the host its shape, and marks what they make dynamic with all that depends on it.  A host does
 * the same for a delegate without kTfLiteDelegateFlagsAllowDynamicTensors, and nothing for one with
 * it: tensors then have the shapes of the file, or those of before a resize.  A node that cannot be
 * prepared makes its outputs dynamic; the host reports it later.  A tensor that is dynamic because
 * of shape arithmetic alone (ops/values.h) gets the shape that it will have in invoke; the host may
 * still make it dynamic.  Only in TfLiteDelegate.Prepare. */
enum status propagate_shapes(TfLiteContext *context, const struct gpu_options *options,
                             struct propagated *out, struct diag *diag);

#endif
