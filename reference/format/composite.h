/* STABLEHLO_COMPOSITE: a node with a name, whose meaning is a subgraph, its decomposition. */
#ifndef ASSAY_REFERENCE_FORMAT_COMPOSITE_H
#define ASSAY_REFERENCE_FORMAT_COMPOSITE_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stdint.h>

enum { COMPOSITE_DEPTH_MAX = 16 };

/* The code of an op is that of a composite. */
bool composite_is(int32_t code);

/* Replaces every composite of a model by the tensors and operators of its decomposition, with every
 * index of a tensor mapped.  Tensors of a subgraph keep their index, those of decompositions
 * follow; operators stand where their composite stood, and say so (model_operator.composite).
 *
 * STATUS_INVALID for a composite whose options, inputs or outputs do not fit its decomposition, or
 * that leads to itself; STATUS_LIMIT where the operators or tensors become too many. */
struct composite_place {
    size_t graph, node; /* the subgraph; with STATUS_INVALID, the composite that does not fit */
};
enum status composite_inline(struct model *m, struct composite_place *place, struct diag *diag);

#endif
