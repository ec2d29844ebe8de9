/* Sums of products in f16 (precision=fast), in runs of at most 32 products, which are added up in
 * f32: how far a result is off does not grow with the depth (conformance/doc/TOLERANCES.md 13.7).
 */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_HALF_SUMS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_HALF_SUMS_H

#include "delegate/plan/planner.h"

/* Whether the variant "fast" of a shader may sum the products of a node: the options ask for it,
 * the device can, and no sum of any of the products can leave the range of f16.  The
 * weights of the op are [outputs, ...]. */
bool half_sums_fit(const struct planner *p, const struct graph_node *n);

#endif
