/* 128-bit hashes that find damage and tell things apart; not against an adversary. */
#ifndef ASSAY_DELEGATE_BASE_CHECKSUM_H
#define ASSAY_DELEGATE_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t word[2];
};

/* Folds bytes into a hash; the same bytes in other portions give another hash.  Begins with {0}. */
void hash_add(struct hash *h, const void *data, size_t bytes);
/* As hash_add of a string with its NUL. */
void hash_add_text(struct hash *h, const char *text);

/* A checksum. */
uint64_t hash_of(const void *data, size_t bytes);

#endif
