#include "delegate/shaders/spirv.h"

#include "delegate/base/lock.h"
#include "reference/base/memory.h"

#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

const struct spirv *spirv_find(const char *name)
{
    for (size_t i = 0; i < spirv_shader_count; i++)
        if (strcmp(spirv_shaders[i].name, name) == 0)
            return &spirv_shaders[i];
    return NULL;
}

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return mem_alloc(count, size);
}

static void zlib_free(void *unused, void *block)
{
    (void)unused;
    mem_free(block);
}

bool spirv_unpack(uint8_t *out, size_t words, const uint8_t *file, size_t bytes)
{
    uint8_t chunk[8192];
    z_stream z = {
        .next_in = file, .avail_in = (uInt)bytes, .zalloc = zlib_alloc, .zfree = zlib_free
    };
    size_t plane = 0, word = 0;
    int result;

    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) /* 16: a gzip header, and a checksum */
        return false;
    do {
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        result = inflate(&z, Z_NO_FLUSH);
        for (const uint8_t *b = chunk; b < z.next_out && plane < 4 && words > 0; b++) {
            out[4 * word + plane] = *b;
            if (++word == words) {
                word = 0;
                plane++;
            }
        }
    } while (result == Z_OK && z.total_out <= 4 * words);
    inflateEnd(&z);
    return result == Z_STREAM_END && z.total_out == 4 * words && z.avail_in == 0;
}

const uint32_t *spirv_code(const struct spirv *s)
{
    static struct lock lock = LOCK_INITIALIZER(LOCK_RANK_SPIRV);
    static bool unpacked;
    bool ready;

    lock_acquire(&lock);
    if (!unpacked)
        unpacked = spirv_unpack((uint8_t *)spirv_words, spirv_word_count, spirv_packed,
                                spirv_packed_bytes);
    ready = unpacked;
    lock_release(&lock);
    return ready ? spirv_words + s->first : NULL;
}
