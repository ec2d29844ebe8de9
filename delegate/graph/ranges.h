/* How large the elements of tensors can be, where the ops that compute them bound it whatever the
 * inputs of the graph are: so f16 sums of their products are known not to overflow. */
#ifndef ASSAY_DELEGATE_GRAPH_RANGES_H
#define ASSAY_DELEGATE_GRAPH_RANGES_H

#include "delegate/graph/graph.h"

/* magnitude[t]: no element of tensor t has a larger one; infinity: it is not known.  The nodes were
 * accepted and are in execution order.  NaN is of no magnitude: a product with it is NaN in f16,
 * too. */
void ranges_find(const struct graph *g, float *magnitude);

/* Of constant weights [outputs, ...] the largest sum of magnitudes of an output; NaN if one of them
 * is. */
double ranges_largest_sum(const struct graph *g, int weights);

#endif
