/* What PAD, PADV2 and MIRROR_PAD share: constant paddings [rank, 2]. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_PAD_H
#define ASSAY_DELEGATE_OPS_MOVE_PAD_H

#include "delegate/accept/refusal.h"

#include <stdbool.h>

/* Input 1 is constant, at least 0, and gives the shape of the output. */
bool pad_check(struct check *c);
/* gpu_op.shape of the three ops. */
bool pad_shape(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s);

#endif
