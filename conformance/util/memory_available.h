/* How much memory a program may still take. */
#ifndef ASSAY_CONFORMANCE_UTIL_MEMORY_AVAILABLE_H
#define ASSAY_CONFORMANCE_UTIL_MEMORY_AVAILABLE_H

#include <stdint.h>

/* Bytes that can be had without swapping; 0: the system does not say. */
uint64_t memory_available_bytes(void);

#endif
