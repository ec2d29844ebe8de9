/* Models of several subgraphs, and of custom ops with options, for tests of the interpreter. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_SUBGRAPH_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_SUBGRAPH_KIT_H

#include "reference/tests/kit/graph_kit.h"

#include "reference/format/flexbuffer.h"

/* i, v = 0, x; while (i < steps) i, v = i + 1, v + v;  x [2], outputs i and v.  grows: the body
 * joins v and v instead.  Subgraph 1 is the condition, 2 the body. */
void kit_loop(struct model *m, int steps, bool grows);
/* A loop whose condition is always true. */
void kit_endless_loop(struct model *m);
/* y = relu(c ? x + x : x), c [1] bool, x [1,2]; with wide, else joins x and x to [1,4].  Subgraph 1
 * is then, 2 else. */
void kit_branches(struct model *m, bool wide);
/* Subgraph i is an IF whose branches are both subgraph i + 1; the last one is x + x. */
void kit_chain(struct model *m, int length);
/* The same, but the last one's branches are subgraph `to`. */
void kit_ring(struct model *m, int length, int to);
/* CALL_ONCE of subgraph 1 sets the variable to { 10, 10 }; y = variable, variable = x + y,
 * z = variable; x [2], outputs y and z.  Without assigns, subgraph 1 does nothing. */
void kit_variables(struct model *m, bool assigns);

/* Options of TFLite_Detection_PostProcess: 3 detections, 2 classes, thresholds 0.25 and 0.5, scales
 * 1; one class each.  Keys may be added. */
void kit_detection_options(struct flex_writer *w);
/* Boxes [1,boxes,4], scores [1,boxes,columns] and anchors [boxes,4] of a type; u8 in quarters.
 * options of `count` bytes, or NULL. */
void kit_detection(struct model *m, int boxes, int columns, int32_t type, const void *options,
                   size_t count);

#endif
