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

#endif
