/* The verifier that FlatBuffers itself has, with a schema of our own (model.fbs). */
#ifndef ASSAY_FUZZ_OFFICIAL_VERIFY_H
#define ASSAY_FUZZ_OFFICIAL_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1: the bytes are a model. */
int official_verify(const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
