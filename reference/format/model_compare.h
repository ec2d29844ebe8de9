/* Compares two models field by field. */
#ifndef ASSAY_REFERENCE_FORMAT_MODEL_COMPARE_H
#define ASSAY_REFERENCE_FORMAT_MODEL_COMPARE_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

/* STATUS_OK when both say the same: every field of every table, buffers byte for byte (their
 * position in the file does not matter).  Else STATUS_MISMATCH, the first difference in diag. */
enum status model_compare(const struct model *a, const struct model *b, struct diag *diag);

#endif
