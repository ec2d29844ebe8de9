/* What RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR share: an image, and a constant size. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_RESIZE_H
#define ASSAY_DELEGATE_OPS_MOVE_RESIZE_H

#include "delegate/accept/refusal.h"

#include <stdbool.h>

/* The size is a constant, and that of the output; batch and channels stay.  Types and ranks were
 * checked. */
bool resize_check(struct check *c);
/* gpu_op.shape of both ops. */
bool resize_shape(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s);

#endif
