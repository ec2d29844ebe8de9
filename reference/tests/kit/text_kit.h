/* Models as text, for tests (conformance/doc/MODEL_TEXT.md). */
#ifndef ASSAY_REFERENCE_TESTS_KIT_TEXT_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_TEXT_KIT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

/* The model of a text, whatever else is wrong with it; the test fails where it cannot be read.
 * model_close frees it. */
void kit_text(struct model *m, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
