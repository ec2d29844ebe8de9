/* The ranges that results of quantized nodes have, for the `range` of a suite_member: what is fused
 * behind the op is not part of it.  A range need not hold every result: those of sums and products
 * are where nearly all random results lie, so that some saturate.  Nothing here calls the math
 * library for more than minima, maxima and square roots: models have the same bytes everywhere. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_CASE_RANGE_H
#define ASSAY_CONFORMANCE_SUITE_CASES_CASE_RANGE_H

#include "conformance/suite/cases/case_quant.h"

/* ADD, SUB, MUL of two operands. */
struct case_interval case_range_sum(struct case_node *n);
struct case_interval case_range_difference(struct case_node *n);
struct case_interval case_range_product(struct case_node *n);
/* Sums of products of data and weights (op_facts has their input indices), and a bias. */
struct case_interval case_range_dot(struct case_node *n);
/* RELU, RELU6: in half of the cases the range begins (for RELU6 also ends) at the clamp, in the
 * others the clamp lies inside it. */
struct case_interval case_range_relu(struct case_node *n);
struct case_interval case_range_relu6(struct case_node *n);
struct case_interval case_range_exp(struct case_node *n);
struct case_interval case_range_prelu(struct case_node *n);
/* The mean of n elements, where the input has n times as many elements as the result. */
struct case_interval case_range_mean(struct case_node *n);
/* QUANTIZE: the range of the input's scale, or for f32 that of the data which the row draws. */
struct case_interval case_range_drawn(struct case_node *n);

#endif
