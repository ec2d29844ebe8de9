/* Models as text, for tests (conformance/doc/MODEL_TEXT.md). */
#ifndef ASSAY_REFERENCE_TESTS_KIT_TEXT_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_TEXT_KIT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/tests/kit/closed.h"

/* The model of a text, whatever else is wrong with it; the test fails where it cannot be read.
 * model_close frees it. */
void kit_text(struct model *m, const char *format, ...) PRINTF_LIKE(2, 3);

/* A model of this name by its text; it is closed at the end of the block. */
#define MODEL(m, ...) MODEL_BY(m, kit_text(&m, __VA_ARGS__))

/* The model as a file. */
void kit_save(const struct model *m, const char *path);

#endif
