/* Speed: all shaders, once a process */
#include "delegate/shaders/unpack.h"

#include "reference/base/memory.h"

#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

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

/* ---- zlib: a gzip file, by inflateBack, which needs neither its checksums nor their tables ----
 */

enum { GZIP_HEADER = 10, GZIP_TRAILER = 8, WINDOW_BITS = 15 };

struct inflated {
    uint8_t *bytes;
    size_t count, limit;
};

static unsigned no_more_input(void *unused, const unsigned char **from)
{
    (void)unused;
    *from = NULL;
    return 0;
}

static int append(void *user, unsigned char *from, unsigned count)
{
    struct inflated *to = user;

    if (count > to->limit - to->count)
        return 1;
    memcpy(to->bytes + to->count, from, count);
    to->count += count;
    return 0;
}

/* A gzip file as `gzip -n` writes it, of exactly this many bytes. */
static bool inflate_file(struct inflated *to, const uint8_t *file, size_t bytes)
{
    z_stream z = { .next_in = file + GZIP_HEADER,
                   .avail_in = (uInt)(bytes - GZIP_HEADER - GZIP_TRAILER),
                   .zalloc = zlib_alloc,
                   .zfree = zlib_free };
    uint8_t *window = mem_alloc(1u << WINDOW_BITS, 1);
    bool done = false;

    if (window && inflateBackInit(&z, WINDOW_BITS, window) == Z_OK) {
        done = inflateBack(&z, no_more_input, NULL, append, to) == Z_STREAM_END &&
               z.avail_in == 0 && to->count == to->limit;
        inflateBackEnd(&z);
    }
    mem_free(window);
    return done;
}

/* ---- the packed form, which spirv.h describes ---- */

/* The operands of one opcode at one position. */
struct operands {
    size_t count;
    size_t next;    /* word that unpack_words reads next */
    bool distances; /* from the id that would be new */
};

struct packed {
    const uint8_t *planes;
    size_t words; /* of each plane a byte */
    struct operands lists[SPIRV_LISTS];
};

static uint32_t packed_word(const struct packed *p, size_t i)
{
    const uint8_t *b = p->planes + i;
    const size_t n = p->words;

    return b[0] | (uint32_t)b[n] << 8 | (uint32_t)b[2 * n] << 16 | (uint32_t)b[3 * n] << 24;
}

/* Finds where each list begins, from the first words of all instructions. */
static bool find_lists(struct packed *p, const struct spirv *shaders, size_t count)
{
    size_t heads = 0, end;

    for (size_t s = 0; s < count; s++) {
        uint32_t left = shaders[s].count;

        if (left < SPIRV_HEADER || p->words - heads < SPIRV_HEADER)
            return false;
        heads += SPIRV_HEADER;
        for (left -= SPIRV_HEADER; left > 0; heads++) {
            const uint32_t head = heads < p->words ? packed_word(p, heads) : 0;

            if (head >> 16 == 0 || head >> 16 > left)
                return false;
            for (uint32_t i = 0; i < (head >> 16) - 1; i++)
                p->lists[spirv_list(head, i)].count++;
            left -= head >> 16;
        }
    }
    end = heads;
    for (size_t i = 0; i < SPIRV_LISTS; i++) {
        struct operands *list = &p->lists[i];

        if (list->count == 0)
            continue;
        list->distances = end < p->words && packed_word(p, end) != 0;
        list->next = end + 1;
        end += 1 + list->count;
    }
    return end == p->words;
}

/* The lists are those that find_lists has counted, so nothing is read past their ends. */
static void unpack_words(uint32_t *out, struct packed *p, const struct spirv *shaders, size_t count)
{
    size_t heads = 0;

    for (size_t s = 0; s < count; s++) {
        const uint32_t *end = out + shaders[s].count;
        uint32_t newest = 0;

        for (int i = 0; i < SPIRV_HEADER; i++)
            *out++ = packed_word(p, heads++);
        while (out < end) {
            const uint32_t head = packed_word(p, heads++);

            *out++ = head;
            for (uint32_t i = 0; i < (head >> 16) - 1; i++) {
                struct operands *list = &p->lists[spirv_list(head, i)];
                uint32_t word = packed_word(p, list->next++);

                if (list->distances)
                    word = newest + 1 - word;
                newest += word == newest + 1;
                *out++ = word;
            }
        }
    }
}

bool spirv_unpack(uint32_t *out, const struct spirv *shaders, size_t count, const uint8_t *file,
                  size_t bytes)
{
    struct inflated inflated = { 0 };
    size_t most = SPIRV_LISTS; /* words of the lists: each may say its form */
    struct packed *p = mem_alloc(1, sizeof *p);
    bool done = false;

    for (size_t s = 0; s < count; s++)
        most += shaders[s].count;
    if (p && bytes >= GZIP_HEADER + GZIP_TRAILER && memcmp(file, "\x1f\x8b\x08", 4) == 0) {
        for (int i = 0; i < 4; i++)
            inflated.limit |= (size_t)file[bytes - 4 + i] << 8 * i;
        p->words = inflated.limit / 4;
        if (inflated.limit % 4 == 0 && p->words <= most)
            inflated.bytes = mem_alloc(p->words, 4);
        done = inflated.bytes && inflate_file(&inflated, file, bytes);
    }
    if (p)
        p->planes = inflated.bytes;
    done = done && find_lists(p, shaders, count);
    if (done)
        unpack_words(out, p, shaders, count);
    mem_free(inflated.bytes);
    mem_free(p);
    return done;
}
