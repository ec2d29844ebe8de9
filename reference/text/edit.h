/* Edits of a model, in the words of its text: a statement sets one field of an operator of
 * subgraph 0, or of a tensor that it has.
 *
 *     in1.dims[3]=5  in1.dims=[2,3]      the shape; a constant keeps its values, the last fills the
 *                                        rest
 *     in1.type=i8                        the type; a constant keeps its values
 *     in1.q=(0.5|0.25,0|3,3)  in1.q=()   scales, zero points and their dimension; none
 *     in1.blocks=(@3,32)                 blockwise quantization; tensors by their index
 *     in1.data[2]=7  in1.data=1,2        constants; in1.data=- makes the tensor an input
 *     in1.variable=true
 *     in1=-  in1=in0                     absent; the tensor of another place
 *     op=EXP  version=3                  of an op with another table, fields of the same name stay
 *     options.stride_w=0  options=-
 *     inputs=2  outputs=2                how many; more than there were repeat the first
 *
 * A place is in, out or mid (an intermediate) and a number; op1. before it names another operator
 * than the first. */
#ifndef ASSAY_REFERENCE_TEXT_EDIT_H
#define ASSAY_REFERENCE_TEXT_EDIT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

/* Statements end with ; or the text.  A place or field that the model lacks, and a value that it
 * cannot have, fail with line, column and what was expected; *m may then be edited in part. */
enum status model_text_edit(struct model *m, const char *text, struct diag *diag);

#endif
