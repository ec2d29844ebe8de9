/* XXH3 checksums that detect damage and identify contents; not cryptographic. */
#ifndef ASSAY_DELEGATE_BASE_CHECKSUM_H
#define ASSAY_DELEGATE_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct checksum {
    uint64_t word[2];
};

/* Adds bytes to a checksum, which begins as {0}; the order and size of the portions count. */
void checksum_add(struct checksum *c, const void *data, size_t bytes);
/* Adds a string with its NUL. */
void checksum_add_text(struct checksum *c, const char *text);

/* 64 bits of one block. */
uint64_t checksum_of(const void *data, size_t bytes);

#endif
