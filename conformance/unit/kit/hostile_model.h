/* Models as text, for tables: statements with ';' between them.
 *
 *     CONV_2D:2 Conv2DOptions{stride_w=1 padding=1} x:f32[1,4,4,4] f32[2,3,3,4]=0 - ->
 * y:f32[1,2,2,2]
 *
 * An operator is its name (or code:199, or CUSTOM(name) with its options: x:0102, far:0102 behind
 * the flatbuffer, or flex(key=1.5)), its version if not 1, its option table with the fields that
 * are not as omitted, its inputs, ->, its outputs.  A tensor is a type and dims, behind a name if
 * it is used again:
 *
 *     =1,2        a constant; the last value fills the rest
 *     #6          a constant of so many zero bytes, whatever its shape
 *     q(s|s,z|z,d)  scales, zero points, quantized dimension
 *     ~[-1,4]     shape signature
 *     !           a variable
 *     ^           data that lie behind the flatbuffer
 *     %           sparse: of 4 rows, row i stores element i
 *
 * "-" is an absent tensor, "@9" the index 9.  "graph" begins the next subgraph; "inputs" and
 * "outputs" list those of the subgraph, which otherwise are the activations that no operator writes
 * or reads.  "signed" gives the model a signature of subgraph 1, from tensor 0 to 1,
 * and metadata in buffer 1.  "sample" and "base" are the models of sample_model.h and hostile.h. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_HOSTILE_MODEL_H
#define ASSAY_CONFORMANCE_UNIT_KIT_HOSTILE_MODEL_H

#include "reference/format/write.h"

/* The bytes of the text's model; the caller frees them with mem_free.  STATUS_INVALID with the
 * place in the text. */
enum status hostile_model_write(const char *text, struct tflite_file *file, struct diag *diag);

#endif
