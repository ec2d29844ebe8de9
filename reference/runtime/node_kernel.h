/* Kernels that need more than the tensors of their node: those that a user registered, and the ops
 * that run other subgraphs or keep variables.  All others are scalar kernels (kernels/op.h). */
#ifndef ASSAY_REFERENCE_RUNTIME_NODE_KERNEL_H
#define ASSAY_REFERENCE_RUNTIME_NODE_KERNEL_H

#include "reference/base/diag.h"
#include "reference/kernels/op.h"
#include "reference/runtime/state.h"

#include <stdbool.h>

struct node_kernel {
    /* Name, versions, counts and parameters; its prepare and eval are not called. */
    struct ref_op op;
    /* Called once, when the graph is built; close then is called once.  May be NULL. */
    enum status (*open)(struct interpreter *in, struct node *node, struct diag *diag);
    void (*close)(struct interpreter *in, struct node *node);
    /* As prepare of struct ref_op: writes in->shapes.  An output that is dynamic when late is given
     * its shape and memory by run. */
    enum status (*prepare)(struct interpreter *in, struct node *node, bool late, struct diag *diag);
    enum status (*run)(struct interpreter *in, struct node *node, struct diag *diag);
};

#endif
