/* Classes of attributes and shapes that a node belongs to, measured from the model that is run:
 * what a delegate takes or leaves is told by class, so that a part that is lost shows.
 *
 *     rank4          of the first data input; rank0 to rank8
 *     batch          its first of two or more dimensions is more than 1
 *     tail           its last dimension is no multiple of 4
 *     large          a tensor of more than 65,535 elements
 *     empty          one without elements; the node is of no other class then
 *     broadcast      two data inputs of other shapes
 *     unscaled       a data input of 8 bits has no scale
 *     const1         input 1 is a constant; likewise absent2, variable1, i64_1, blocks1
 *                    (blockwise); has9: one of the later inputs of LSTM is there
 *     inputs3        of a list of any length; inputs>4
 *     in3<0, in3>1   a constant that is no data (axes, strides, paddings) has a negative value,
 *                    or one above 1
 *     in1.first      its values, or the axes that they name, are not neutral there: .first,
 *                    .inner, .last
 *     same, relu6    padding and activation of the options
 *     offset         an option that is set, as the schema names it: begin_mask, keep_dims,
 *                    stride_w (above 1), axis.last, axis<0, block_size=2, depth_multiplier>4 */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_CASE_CLASSES_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_CASE_CLASSES_H

#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>

enum { CASE_CLASSES_BYTES = 448, CASE_CLASS_BYTES = 40, CASE_CLASSES_MAX = 48 };

/* Writes the classes of a node of the first graph, each once, with a space between. */
void case_classes_measure(const struct model *m, int node, char text[CASE_CLASSES_BYTES]);
/* Whether nodes of the op can be of this class.  NULL in op: of any op. */
bool case_class_is_known(const char *op, const char *name);
/* The class that a misspelt one was probably meant to be; NULL: none is near. */
const char *case_class_nearest(const char *op, const char *name);

#endif
