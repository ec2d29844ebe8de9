/* CONCATENATION of u8: inputs with another scale than the output's are brought to it. */
#ifndef ASSAY_DELEGATE_OPS_CONCATENATION_INT8_H
#define ASSAY_DELEGATE_OPS_CONCATENATION_INT8_H

#include "delegate/graph/graph.h"
#include "delegate/ops/int8/packing.h"

#include <stdbool.h>

enum { CONCATENATION_SOURCES = 3 }; /* of a step: all bindings but dst */

/* Of concatenation.comp and concatenation_int8.comp. */
struct concatenation_args {
    uint32_t count;
    uint32_t pitch, begin, slices;
    uint32_t first;
    uint32_t end[CONCATENATION_SOURCES];
    uint32_t pitch_of[CONCATENATION_SOURCES];
};
_Static_assert(sizeof(struct concatenation_args) == 44, "concatenation.comp");

/* What becomes of the bytes of input x; false: nothing, they are moved. */
bool concatenation_table(const struct graph_tensor *x, const struct graph_tensor *y,
                         struct byte_table *table);

#endif
