/* The kind litert: LiteRT's CompiledModel API on the CPU, a GPU or an NPU. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_KIND_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_KIND_H

#include "conformance/suite/subject/subject_kind.h"

extern const struct subject_kind subject_kind_litert;

#endif
