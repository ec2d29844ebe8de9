/* An accelerator library that the caller hands in to LiteRT: accelerator=PATH. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_ACCELERATOR_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_ACCELERATOR_H

#include "conformance/suite/subject/litert_api.h"

/* Loads the library and finds its LiteRtAcceleratorImpl.  STATUS_IO: dlopen refuses it, the symbol
 * is missing, or the struct has another size or version than LiteRT 2.3.0 knows: then LiteRT would
 * leave it aside in silence and take another accelerator. */
enum status litert_accelerator_open(const char *path, void **library,
                                    const struct litert_accelerator_def **def, struct diag *diag);

#endif
