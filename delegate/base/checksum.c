#include "delegate/base/checksum.h"

#include <string.h>

#define XXH_INLINE_ALL /* no library is needed at run time */
#include <xxhash.h>

void hash_add(struct hash *h, const void *data, size_t bytes)
{
    const XXH128_hash_t part = XXH3_128bits(bytes ? data : "", bytes);
    const uint64_t all[] = { h->word[0], h->word[1], part.low64, part.high64, bytes };
    const XXH128_hash_t sum = XXH3_128bits(all, sizeof all);

    h->word[0] = sum.low64;
    h->word[1] = sum.high64;
}

void hash_add_text(struct hash *h, const char *text)
{
    hash_add(h, text, strlen(text) + 1);
}

uint64_t hash_of(const void *data, size_t bytes)
{
    return XXH3_64bits(bytes ? data : "", bytes);
}
