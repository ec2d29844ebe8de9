/* Verifies the bytes of a .tflite file: first the wire format (flatbuffer.h), then the rules that
 * have to hold between the tables of a model. */
#ifndef ASSAY_REFERENCE_FORMAT_VERIFY_H
#define ASSAY_REFERENCE_FORMAT_VERIFY_H

#include "reference/base/diag.h"
#include "reference/format/rules.h"

#include <stddef.h>
#include <stdint.h>

/* Verifies all of it: the flatbuffer (offsets, vtables, vectors, strings, nesting, number of
 * tables), then the model (indices, types, sizes of constants, order of operators, quantization).
 * STATUS_INVALID, STATUS_LIMIT (base/limits.def), or STATUS_UNSUPPORTED for what is legal and not
 * supported here (custom and multi-axis quantization, data in other files).  Whether the
 * interpreter knows an op or a type is not checked. */
enum status tflite_verify(const void *bytes, size_t count, struct diag *diag);

/* Only the rules of a model, for bytes that fb_verify passed. */
enum status tflite_check_rules(const uint8_t *bytes, size_t count, enum tflite_accept accept,
                               struct diag *diag);

#endif
