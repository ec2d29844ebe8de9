/* Speed: all constants of a model, at each start */
#include "delegate/base/checksum.h"

#include <string.h>

#define XXH_INLINE_ALL /* no library is needed at run time */
#include <xxhash.h>

void checksum_add(struct checksum *c, const void *data, size_t bytes)
{
    const XXH128_hash_t part = XXH3_128bits(bytes ? data : "", bytes);
    const uint64_t all[] = { c->word[0], c->word[1], part.low64, part.high64, bytes };
    const XXH128_hash_t sum = XXH3_128bits(all, sizeof all);

    c->word[0] = sum.low64;
    c->word[1] = sum.high64;
}

void checksum_add_text(struct checksum *c, const char *text)
{
    checksum_add(c, text, strlen(text) + 1);
}

uint64_t checksum_of(const void *data, size_t bytes)
{
    return XXH3_64bits(bytes ? data : "", bytes);
}
