/* The rules of one tensor: type, shape, data, quantization. */
#ifndef ASSAY_REFERENCE_FORMAT_VERIFY_TENSOR_H
#define ASSAY_REFERENCE_FORMAT_VERIFY_TENSOR_H

#include "reference/format/rules.h"

/* What a tensor holds before the next operator runs; 0: nothing yet.  HOLDS_EMPTY: it has a buffer
 * without data, and no elements: converters leave out the data of such constants. */
enum { HOLDS_EMPTY = 1, HOLDS_CONSTANT, HOLDS_STATE, HOLDS_INPUT, HOLDS_OUTPUT };

/* Checks tensor t.  *holds becomes HOLDS_EMPTY, HOLDS_CONSTANT or HOLDS_STATE, or stays 0. */
enum status verify_tensor(struct rules *r, struct fb_table t, uint8_t *holds);
/* Checks the scales of tensor t, r->tensor_index, where it is quantized in blocks.  All tensors of
 * the subgraph passed verify_tensor. */
enum status verify_blockwise(struct rules *r, struct fb_table t);

#endif
