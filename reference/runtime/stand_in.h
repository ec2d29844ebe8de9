/* Nodes of the primary graph that the reference cannot run: their op, version or types are unknown
 * to it, or it does not prepare them.  With the option stand_in the file gives the shapes of their
 * outputs, and whoever stands in may run them. */
#ifndef ASSAY_REFERENCE_RUNTIME_STAND_IN_H
#define ASSAY_REFERENCE_RUNTIME_STAND_IN_H

#include "reference/base/diag.h"
#include "reference/kernels/op.h"
#include "reference/runtime/state.h"

/* Whether somebody stands in for nodes of this graph.  Bodies are run by the reference alone: there
 * this is so only where nothing is run. */
bool stand_in_is_given(const struct interpreter *in);

/* A node whose op was not found, or does not go with its tensors and options: fails as why says
 * where nobody stands in, or it was not for an unsupported or invalid node. */
enum status stand_in_build(struct interpreter *in, struct node *node, const struct diag *why,
                           struct diag *diag);
/* Delegates rely on their host to have prepared a node: where it is not, they see a custom op that
 * nobody has. */
void stand_in_hide(struct interpreter *in, struct node *node, bool hidden);
/* Behind prepare, which returned s: writes in->shapes of a node that was not prepared. */
enum status stand_in_prepare(struct interpreter *in, struct node *node, enum status s,
                             const struct diag *why, struct diag *diag);
enum status stand_in_run(struct interpreter *in, struct node *node, struct diag *diag);

/* The op of nodes that the reference does not have, for interpreters with shapes_only. */

/* Its outputs keep the shapes that they have; it cannot be run. */
extern const struct ref_op unknown_op;

#endif
