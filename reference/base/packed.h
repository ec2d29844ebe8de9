/* Elements of fewer than 8 bits (i4, i2, u4): those of the whole tensor lie one after the other,
 * without padding between rows, the first in the low bits of a byte.  Integers with a sign are in
 * two's complement. */
#ifndef ASSAY_REFERENCE_BASE_PACKED_H
#define ASSAY_REFERENCE_BASE_PACKED_H

#include "tensorflow/lite/c/c_api_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of an element; 0: the type is not packed. */
static inline unsigned packed_bits(TfLiteType type)
{
    return type == kTfLiteInt2 ? 2 : type == kTfLiteInt4 || type == kTfLiteUInt4 ? 4 : 0;
}

/* Of elements of so many bits each; the last byte may be filled in part. */
static inline size_t packed_bytes(size_t elements, unsigned bits)
{
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

static inline int32_t packed_load(const void *data, TfLiteType type, size_t i)
{
    const unsigned bits = packed_bits(type);
    const uint64_t at = (uint64_t)i * bits;
    const int32_t value = ((const uint8_t *)data)[at / 8] >> at % 8 & ((1 << bits) - 1);
    const int32_t sign = type == kTfLiteUInt4 ? 0 : 1 << (bits - 1);

    return (value ^ sign) - sign;
}

/* The low bits of value; the other elements of the byte stay. */
static inline void packed_store(void *data, TfLiteType type, size_t i, int64_t value)
{
    const unsigned bits = packed_bits(type), mask = (1u << bits) - 1;
    const uint64_t at = (uint64_t)i * bits;
    uint8_t *const byte = (uint8_t *)data + at / 8;

    *byte = (uint8_t)((*byte & ~(mask << at % 8)) | ((unsigned)value & mask) << at % 8);
}

#endif
