/* A directory with a small model, for tests of `assay bench`. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_BENCH_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_BENCH_KIT_H

#include "conformance/tools/bench/bench_request.h"

#include <stddef.h>

struct bench_kit {
    char directory[64];
    char model[96]; /* of images with so many channels, and of whole numbers; see bench_kit.c */
};

void bench_kit_open(struct bench_kit *k, int channels);
void bench_kit_close(struct bench_kit *k);
/* A path in the directory; valid until the next call but three. */
const char *bench_kit_path(const struct bench_kit *k, const char *name);
void bench_kit_write(const char *path, const void *bytes, size_t count);
/* A short measurement of the model on a mock delegate, NULL: on the reference. */
struct bench_request bench_kit_request(const struct bench_kit *k, const char *delegate);

#endif
