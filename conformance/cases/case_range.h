/* The ranges that results of quantized nodes have, for the `range` of a suite_member: what is fused
 * behind the op is not part of it.  A range need not hold every result: those of sums and products
 * are where nearly all random results lie, so that some saturate.  Nothing here calls the math
 * library for more than minima, maxima and square roots: models have the same bytes everywhere. */
#ifndef ASSAY_CONFORMANCE_CASES_CASE_RANGE_H
#define ASSAY_CONFORMANCE_CASES_CASE_RANGE_H

#include "conformance/cases/case_quant.h"

/* Of two operands. */
struct case_interval case_range_sum(struct case_node *n);
struct case_interval case_range_difference(struct case_node *n);
struct case_interval case_range_product(struct case_node *n);
/* Sums of products of data and weights, which op_facts name, and a bias. */
struct case_interval case_range_dot(struct case_node *n);
/* Clamps: half of the results begin (RELU6: end, too) at the clamp, the others have it inside. */
struct case_interval case_range_relu(struct case_node *n);
struct case_interval case_range_relu6(struct case_node *n);
struct case_interval case_range_exp(struct case_node *n);
struct case_interval case_range_prelu(struct case_node *n);
/* Of as many elements as the result is smaller than the input. */
struct case_interval case_range_mean(struct case_node *n);
/* The input itself: its scale's range, or of floats that of the data which the row draws. */
struct case_interval case_range_drawn(struct case_node *n);

#endif
