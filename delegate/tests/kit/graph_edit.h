/* Changes of the graph that the delegate imported, which no file and no interpreter of ours makes:
 * hosts may.  Text as that of reference/text/edit.h, of node 0 or, after node1., of another.
 *
 *     in1.dims[3]=5  in1.dims=[2,3]
 *     in1.rank=3                       leading dims are dropped, or are 1; -1: not known
 *     in1.type=9                       a TfLiteType
 *     in1.computed  in1.dynamic  in1.prepared  in1.sparse   in1.bytes=3   in1.producer=2
 *     in1.scales=5  in1.zero_point=128  in1.quantized_dimension=3
 *     in1=-  in1=in0  in1=node2.in0
 *     inputs=2  outputs=0  params=-  code=51  version=9 */
#ifndef ASSAY_DELEGATE_TESTS_KIT_GRAPH_EDIT_H
#define ASSAY_DELEGATE_TESTS_KIT_GRAPH_EDIT_H

#include "delegate/graph/graph.h"

/* The test ends where the graph lacks what is edited. */
void graph_edit(struct graph *g, const char *text);

#endif
