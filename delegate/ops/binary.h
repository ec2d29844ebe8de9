/* Ops with two operands, broadcast to each other's shape (dims aligned at the last): binary, PRELU.
 * One of the operands may be a constant. */
#ifndef ASSAY_DELEGATE_OPS_BINARY_H
#define ASSAY_DELEGATE_OPS_BINARY_H

#include "delegate/accept/refusal.h"
#include "delegate/ops/binary_grid.args.h"
#include "delegate/plan/planner.h"

struct binary_grid binary_grid(const struct planner *p, const struct graph_node *n, int dst);
/* Operand i has one channel, which is broadcast to those of dst. */
bool binary_broadcasts(const struct planner *p, const struct graph_node *n, int dst, int i);

/* Two inputs, one output of their broadcast shape, ranks 0 to 6. */
bool binary_accept(struct check *c);
/* op: BINARY_ADD to BINARY_PRELU.  activation: fused, 0 to 3. */
enum status binary_plan(struct planner *p, const struct graph_node *n, uint32_t op, int activation);
/* gpu_op.fold: the op is its variant, one of those. */
void binary_fold(const struct graph *g, const struct graph_node *n, float *values);
/* Input i is a constant all of whose elements are this value; of the zeros, this one. */
bool binary_operand_is(const struct graph *g, const struct graph_node *n, int i, float value);

#endif
