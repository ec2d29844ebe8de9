/* CONCATENATION of u8: inputs with another scale than the output's are brought to it. */
#ifndef ASSAY_DELEGATE_OPS_CONCATENATION_INT8_H
#define ASSAY_DELEGATE_OPS_CONCATENATION_INT8_H

#include "delegate/graph/graph.h"
#include "delegate/ops/int8/packing.h"

#include <stdbool.h>

/* What becomes of the bytes of input x; false: nothing, they are moved. */
bool concatenation_table(const struct graph_tensor *x, const struct graph_tensor *y,
                         struct byte_table *table);

#endif
