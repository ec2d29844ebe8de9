/* A model that has every table and every field of the schema that struct model knows, legal but
 * partly unsupported (sparse tensors, quantization details, data in other files).  For tests of the
 * reader, the writer and the comparison. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_SAMPLE_MODEL_H
#define ASSAY_REFERENCE_TESTS_KIT_SAMPLE_MODEL_H

#include "reference/base/builtin.h"
#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>

extern const struct model sample_model;

#endif
