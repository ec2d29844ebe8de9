/* Limits of a graph whose intermediates are hidden: what each op may be off by, added up along
 * the graph (TOLERANCES.md 8).
 *
 * A tensor inside the graph is uncertain by its op's own limit.  What an op makes of uncertain
 * inputs is found with the reference itself: for sums of products by the sum of |w| * limit, which
 * is the reference's magnitude with the limits in place of the values; for softmax by its
 * derivative; for all others that are monotone in every element (reference/ops.def), and DIV by an
 * exact divisor, by evaluating at both ends; for an elementwise op that is not by the Lipschitz
 * constant of its bound.  The results of another op have no limit behind inputs that are not seen,
 * nor has what follows: they are not compared here. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_HIDDEN_LIMITS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_HIDDEN_LIMITS_H

#include "conformance/suite/judge/node_compare.h"

/* Compares outputs with the reference's own chain, or, from_outputs, with that which begins anew at
 * each output of the device; *margin: the largest error / summed limit.  A difference fails
 * *result.  in: as for node_compare_outputs; q->repro is not used.  A status other
 * than OK: the reference failed. */
enum status hidden_limits_compare(struct interpreter *in, const struct node_compare_request *q,
                                  const struct outputs *got, double *margin,
                                  struct case_result *result, struct diag *diag);

#endif
