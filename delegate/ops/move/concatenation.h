/* Inputs one behind the other along an axis: CONCATENATION, and PACK, whose axis is new. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_CONCATENATION_H
#define ASSAY_DELEGATE_OPS_MOVE_CONCATENATION_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

/* An input that has elements, and its place on the axis. */
struct concatenation_piece {
    int tensor; /* of the graph */
    int source; /* of the plan; -1: a constant */
    uint32_t first, end;
};

/* What turns positions on the axis into slices. */
struct concatenation_axis {
    uint32_t whole; /* slices of an index of the axis; 0: the axis is the channels */
    uint32_t outer; /* indices outside the axis */
};

/* Input i, constant or not, has this rank and the type of output 0. */
bool concatenation_check_input(struct check *c, int i, int rank);
/* Steps that write all pieces, which lie one behind the other, to plan tensor dst. */
enum status concatenation_plan(struct planner *p, const struct graph_node *n, int dst,
                               const struct concatenation_axis *axis,
                               const struct concatenation_piece *pieces, int count);

#endif
