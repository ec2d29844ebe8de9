/* Plans the inputs and outputs of a partition: their place in staging memory, and the steps between
 * dense elements and rows of padded channels. */
#ifndef ASSAY_DELEGATE_PLAN_IO_H
#define ASSAY_DELEGATE_PLAN_IO_H

#include "delegate/plan/planner.h"

/* The elements that the caller of the delegate has in a dense tensor of this type. */
enum plan_io_format plan_io_format(const struct graph_tensor *t);

/* The next input (output) of the plan, which *io describes afterwards: a tensor of the graph that
 * is loaded to plan tensor `to` (stored from plan tensor `from`); -1: out of memory. */
enum status plan_input(struct planner *p, int tensor, int to, struct plan_io *io);
enum status plan_output(struct planner *p, int tensor, int from, struct plan_io *io);

#endif
