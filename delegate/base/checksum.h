/* 128-bit hashes (XXH3) that detect damage and identify contents; not cryptographic. */
#ifndef ASSAY_DELEGATE_BASE_CHECKSUM_H
#define ASSAY_DELEGATE_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t word[2];
};

/* Adds bytes to a hash, which begins as {0}.  The same bytes in other portions give another hash.
 */
void hash_add(struct hash *h, const void *data, size_t bytes);
/* Adds a string with its NUL. */
void hash_add_text(struct hash *h, const char *text);

/* A checksum of the bytes. */
uint64_t hash_of(const void *data, size_t bytes);

#endif
