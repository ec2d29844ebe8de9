/* The rules that have to hold between the tables of a model, in bytes whose wire format
 * (flatbuffer.h) was verified. */
#ifndef ASSAY_REFERENCE_FORMAT_VERIFY_H
#define ASSAY_REFERENCE_FORMAT_VERIFY_H

#include "reference/base/diag.h"
#include "reference/format/rules.h"

#include <stddef.h>
#include <stdint.h>

/* Only the rules of a model, for bytes that fb_verify passed. */
enum status tflite_check_rules(const uint8_t *bytes, size_t count, enum tflite_accept accept,
                               struct diag *diag);

/* ---- verify_tensor.c: the rules of one tensor: type, shape, data, quantization ---- */

/* What a tensor holds before the next operator runs; 0: nothing yet.  HOLDS_EMPTY: it has a buffer
 * without data, and no elements: converters leave out the data of such constants. */
enum { HOLDS_EMPTY = 1, HOLDS_CONSTANT, HOLDS_STATE, HOLDS_INPUT, HOLDS_OUTPUT };

/* Checks tensor t.  *holds becomes HOLDS_EMPTY, HOLDS_CONSTANT or HOLDS_STATE, or stays 0. */
enum status verify_tensor(struct rules *r, struct fb_table t, uint8_t *holds);
/* Checks the scales of tensor t, r->tensor_index, where it is quantized in blocks.  All tensors of
 * the subgraph passed verify_tensor. */
enum status verify_blockwise(struct rules *r, struct fb_table t);

#endif
