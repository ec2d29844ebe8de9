/* Ops with two operands, broadcast to each other's shape (dims aligned at the last): binary, PRELU,
 * arithmetic, compare, logical.  One of the operands may be a constant. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_H

#include "delegate/accept/refusal.h"
#include "delegate/ops/elementwise/binary_grid.args.h"
#include "delegate/plan/planner.h"

struct binary_grid binary_grid(const struct planner *p, const struct graph_node *n, int dst);
/* Operand i has one channel, which is broadcast to those of dst. */
bool binary_broadcasts(const struct planner *p, const struct graph_node *n, int dst, int i);

/* Two inputs, one output of their broadcast shape, ranks 0 to 6, all of the node's float or 8-bit
 * type. */
bool binary_accept(struct check *c);
/* The same where types (CHECK_VALUES, ...) of the operands, which agree, and of the result are
 * these. */
bool binary_accept_types(struct check *c, unsigned of_operands, unsigned of_result);
/* gpu_op.shape: the broadcast shape. */
bool binary_shape(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s);
/* op: BINARY_ADD to BINARY_ATAN2.  activation: fused, 0 to 3.  Operands are floats or i32. */
enum status binary_plan(struct planner *p, const struct graph_node *n, uint32_t op, int activation);
/* gpu_op.fold: the op is its variant, one of those. */
void binary_fold(const struct graph *g, const struct graph_node *n, float *values);
/* Input i is a constant all of whose elements are this value; of the zeros, this one. */
bool binary_operand_is(const struct graph *g, const struct graph_node *n, int i, float value);

/* Binds operand i of bool, i32 or 8 bits to binding i + 1, packed where it is a constant. */
enum status binary_bind_integers(struct planner *p, struct plan_step *s, const struct graph_node *n,
                                 int i);
/* The specialization constants that all shaders with binary.glsl have. */
void binary_spec(const struct planner *p, struct plan_step *s, const struct graph_node *n, int dst,
                 uint32_t op);

#endif
