/* CONCATENATION of u8: inputs of another scale than the output's are requantized to it. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_CONCATENATION_INT8_H
#define ASSAY_DELEGATE_OPS_MOVE_CONCATENATION_INT8_H

#include "delegate/graph/graph.h"
#include "delegate/ops/int8/packing.h"

#include <stdbool.h>

/* The output's bytes for those of input x; false: they are the same. */
bool concatenation_table(const struct graph_tensor *x, const struct graph_tensor *y,
                         struct byte_table *table);

#endif
