/* Shapes that follow from shapes: what a host does for its own kernels when an input is resized. */
#ifndef ASSAY_DELEGATE_GRAPH_SHAPES_H
#define ASSAY_DELEGATE_GRAPH_SHAPES_H

#include "delegate/graph/graph.h"
#include "reference/base/diag.h"
#include "reference/base/status.h"

/* gpu_op.shape of a node that was accepted, for output i.  Dims may be negative or too large. */
bool shapes_of_output(const struct graph *g, const struct graph_node *n, int i,
                      struct graph_shape *s);
/* The tensor has this shape. */
bool shapes_are(const struct graph_tensor *t, const struct graph_shape *s);
/* Gives the outputs of a node that was accepted the shapes that follow from those of its inputs. */
enum status shapes_infer(struct graph *g, const struct graph_node *n, struct diag *diag);

#endif
