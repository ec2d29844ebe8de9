/* Runs models in LiteRT's CompiledModel API. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_ENGINE_LITERT_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_ENGINE_LITERT_H

#include "conformance/suite/subject/engine.h"

/* The subject's runtime is a struct litert. */
extern const struct engine_type engine_litert;

#endif
