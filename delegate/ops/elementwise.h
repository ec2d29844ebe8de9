/* Ops with two operands, broadcast to each other's shape (dims aligned at the last): binary, PRELU.
 * One of the operands may be a constant. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

/* As in binary.comp. */
enum elementwise_op {
    ELEMENTWISE_ADD,
    ELEMENTWISE_MUL,
    ELEMENTWISE_SUB,
    ELEMENTWISE_MAXIMUM,
    ELEMENTWISE_MINIMUM,
    ELEMENTWISE_PRELU /* a >= 0 ? a : a * b */
};

/* How rows of dst find theirs of the operands: dims but the last, outermost first, and the stride
 * of each operand in slices (0: broadcast).  The first push constants of binary.comp and
 * binary_int8.comp. */
enum { ELEMENTWISE_OUTER = 5 };
struct elementwise_grid {
    uint32_t count, slices;
    uint32_t size[ELEMENTWISE_OUTER], stride_a[ELEMENTWISE_OUTER], stride_b[ELEMENTWISE_OUTER];
};
_Static_assert(sizeof(struct elementwise_grid) == 68, "binary.comp");

struct elementwise_grid elementwise_grid(const struct planner *p, const struct graph_node *n,
                                         int dst);
/* Operand i has one channel, which is spread over those of dst. */
bool elementwise_spreads(const struct planner *p, const struct graph_node *n, int dst, int i);

/* Two inputs, one output of their broadcast shape, ranks 0 to 6. */
bool elementwise_accept(struct check *c);
/* activation: fused, 0 to 3. */
enum status elementwise_plan(struct planner *p, const struct graph_node *n, enum elementwise_op op,
                             int activation);

#endif
