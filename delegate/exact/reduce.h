/* MEAN in integers: the factor from a sum to the mean in steps of the output. */
#ifndef ASSAY_DELEGATE_EXACT_REDUCE_H
#define ASSAY_DELEGATE_EXACT_REDUCE_H

#include "delegate/graph.h"
#include "reference/quant.h"

#include <stdint.h>

/* Of a sum of count elements, at least one. */
struct quant_multiplier reduce_factor(const struct graph_tensor *x, const struct graph_tensor *y,
                                      uint32_t count);

#endif
