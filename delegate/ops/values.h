/* Shape arithmetic: what follows from shapes and constants is computed here, on the host.
 *
 * Converters that do not know the batch compute shapes when the model runs: SHAPE, STRIDED_SLICE,
 * PACK, and a RESHAPE that reads the result.  All of it is known as soon as the shape of the tensor
 * behind SHAPE is.  Such nodes never run on the device: their readers find a constant, and a
 * partition may hold them, so that they do not cut it in two. */
#ifndef ASSAY_DELEGATE_OPS_VALUES_H
#define ASSAY_DELEGATE_OPS_VALUES_H

#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "reference/base/diag.h"
#include "reference/base/status.h"

#include <stdint.h>

/* Of one tensor: shapes, states that are filled by them, and the indices of overlapping frames. */
enum { VALUES_MAX_ELEMENTS = 1048576 };

/* Computes the outputs of node n, if it is shape arithmetic whose inputs are known: sets the data
 * of the outputs, in the arena of the graph, and n->known; else clears it.  All nodes before n have
 * been asked, and the shapes of their outputs are known.  again: after a resize, the outputs get
 * the shapes that follow; else a node whose outputs have others is not known.  *bytes: of all such
 * data of the graph, and of outputs that were begun in vain, against the limit of folded
 * constants. */
enum status values_compute(struct graph *g, struct graph_node *n, bool again, uint64_t *bytes,
                           struct diag *diag);

/* The same of all nodes, whose tensors have their shapes; nothing with no_transform=fold. */
enum status values_find(struct graph *g, const struct gpu_options *options, struct diag *diag);

#endif
