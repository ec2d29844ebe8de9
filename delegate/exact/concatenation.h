/* CONCATENATION of u8: inputs with another scale than the output's are brought to it. */
#ifndef ASSAY_DELEGATE_EXACT_CONCATENATION_H
#define ASSAY_DELEGATE_EXACT_CONCATENATION_H

#include "delegate/exact/bytes.h"
#include "delegate/graph.h"

#include <stdbool.h>

/* What becomes of the bytes of input x; false: nothing, they are moved. */
bool concatenation_table(const struct graph_tensor *x, const struct graph_tensor *y,
                         struct byte_table *table);

#endif
