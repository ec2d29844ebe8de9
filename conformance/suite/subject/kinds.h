/* The kinds of subjects that there are. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_KINDS_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_KINDS_H

#include "conformance/suite/subject/subject_kind.h"

#include <stddef.h>

extern const struct subject_kind subject_kind_reference, subject_kind_delegate;

/* All of them, in the order of messages; NULL past the last. */
const struct subject_kind *subject_kind_at(size_t index);

/* ---- litert_kind.c ---- */

/* The kind litert: LiteRT's CompiledModel API on the CPU, a GPU or an NPU. */

extern const struct subject_kind subject_kind_litert;

/* ---- tflite_c.c ---- */

/* Subjects "tflite-c:PATH": the cases in somebody else's TensorFlow Lite, with and without a
 * delegate, by the C API that our own library exports too. */

/* Keys: delegate=PATH, a delegate library whose options are the other keys; threads=N. */
extern const struct subject_kind subject_kind_tflite_c;

#endif
