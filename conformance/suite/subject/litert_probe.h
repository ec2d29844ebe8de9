/* Whether LiteRT has a device at all. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_PROBE_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_PROBE_H

#include "conformance/suite/subject/litert_runtime.h"

/* Compiles a model of one RELU, since an accelerator opens its device no sooner.  STATUS_NO_DEVICE
 * with LiteRT's words when it fails to do anything; that the op is not taken is no failure.  The
 * CPU is always there. */
enum status litert_probe(const struct litert *l, struct diag *diag);

#endif
