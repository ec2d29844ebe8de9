/* The kinds of subjects that there are. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_KINDS_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_KINDS_H

#include "conformance/suite/subject/subject_kind.h"

#include <stddef.h>

extern const struct subject_kind subject_kind_reference, subject_kind_delegate;

/* All of them, in the order of messages; NULL past the last. */
const struct subject_kind *subject_kind_at(size_t index);

#endif
