/* Ops whose result takes each element from the source at an index that every dimension gives for
 * itself, such as a resize to the nearest pixel: the host packs the indices, one shader moves. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_TAKE_H
#define ASSAY_DELEGATE_OPS_MOVE_TAKE_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

/* The index in dimension d of input 0 for index i of that dimension of output 0; below 0: the
 * element is the fill value. */
typedef int32_t take_index(const struct graph *g, const struct graph_node *n, int d, int32_t i);

/* The packed indices of a node whose output is accepted fit one storage buffer. */
bool take_check(struct check *c);
/* Plans the step of a node whose input 0 and output 0 have one rank.  fill: a constant tensor of
 * one element, of the output's type; -1: no index is below 0. */
enum status take_plan(struct planner *p, const struct graph_node *n, take_index *index, int fill);

#endif
