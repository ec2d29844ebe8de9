/* A small model for tests of `assay bench`. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_BENCH_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_BENCH_KIT_H

#include "conformance/tools/bench/bench_request.h"

/* Its path, and the setup that writes it; of images, and of whole numbers: see bench_kit.c. */
extern const char *bench_kit_model;
int bench_kit_open(void **state);
/* A short measurement of the model on a mock delegate, NULL: on the reference. */
struct bench_request bench_kit_request(const char *delegate);

#endif
