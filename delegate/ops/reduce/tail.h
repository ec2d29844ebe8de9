/* Kernel tail: the SOFTMAX of a product of few rows, by the last workgroup of the product's step in
 * place of a step of its own (tail.glsl).
 *
 * The step of the product is planned when its node is, and its arguments are changed when the
 * SOFTMAX is: what reads its result from a view (RESHAPE, SQUEEZE) has no step between them. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_TAIL_H
#define ASSAY_DELEGATE_OPS_REDUCE_TAIL_H

#include "delegate/ops/reduce/tail.args.h"
#include "delegate/plan/planner.h"

/* The step of this shader, with its result at binding 0 and constant weights at binding 2, that
 * makes what the SOFTMAX alone reads.  NULL, with the reason: there is none, or two steps are
 * better.  more_words: behind the rows. */
struct plan_step *tail_product(const struct planner *p, const struct graph_node *softmax,
                               const char *shader, uint32_t more_words);

/* Gives the step memory for its result behind its weights, and the result of the SOFTMAX at binding
 * 0.  *more: what is behind the rows, zeroed. */
enum status tail_plan(struct planner *p, const struct graph_node *softmax,
                      struct plan_step *product, uint32_t more_words, struct tail_args *args,
                      struct packed *more);

#endif
