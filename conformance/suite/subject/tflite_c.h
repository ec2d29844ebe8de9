/* Subjects "tflite-c:PATH": the cases in somebody else's TensorFlow Lite, with and without a
 * delegate, by the C API that our own library exports too. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_TFLITE_C_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_TFLITE_C_H

#include "conformance/suite/subject/subject_kind.h"

/* Keys: delegate=PATH, a delegate library whose options are the other keys; threads=N. */
extern const struct subject_kind subject_kind_tflite_c;

#endif
