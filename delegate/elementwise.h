/* Ops with two operands, broadcast to each other's shape (dims aligned at the last): binary, PRELU.
 * One of the operands may be a constant. */
#ifndef ASSAY_DELEGATE_ELEMENTWISE_H
#define ASSAY_DELEGATE_ELEMENTWISE_H

#include "delegate/plan.h"
#include "delegate/refusal.h"

/* As in binary.comp. */
enum elementwise_op {
    ELEMENTWISE_ADD,
    ELEMENTWISE_MUL,
    ELEMENTWISE_SUB,
    ELEMENTWISE_MAXIMUM,
    ELEMENTWISE_MINIMUM,
    ELEMENTWISE_PRELU /* a >= 0 ? a : a * b */
};

/* Two inputs, one output of their broadcast shape, ranks 0 to 6. */
bool elementwise_accept(struct check *c);
/* activation: fused, 0 to 3. */
enum status elementwise_plan(struct planner *p, const struct graph_node *n, enum elementwise_op op,
                             int activation);

#endif
