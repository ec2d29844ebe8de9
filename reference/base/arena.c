#include "reference/base/arena.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <stdalign.h>
#include <string.h>

enum { BLOCK_BYTES = 16 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t used, size; /* of data[] */
    alignas(max_align_t) unsigned char data[];
};

static struct arena_block *block_with_room(struct arena *a, size_t bytes)
{
    struct arena_block *b = a->blocks;
    size_t size = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
    size_t total;

    if (b && b->size - b->used >= bytes)
        return b;
    if (!checked_add(sizeof *b, size, &total) || !(b = mem_alloc(1, total)))
        return NULL;
    b->size = size;
    if (a->blocks && size == bytes) { /* large: keep filling the block in front */
        b->next = a->blocks->next;
        a->blocks->next = b;
    } else {
        b->next = a->blocks;
        a->blocks = b;
    }
    return b;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    struct arena_block *b;
    size_t bytes;
    void *p;

    if (!checked_mul(count, size, &bytes) ||
        !checked_align(bytes ? bytes : 1, alignof(max_align_t), &bytes) ||
        !(b = block_with_room(a, bytes)))
        return NULL;
    p = b->data + b->used;
    b->used += bytes;
    a->bytes += bytes;
    return p;
}

void *arena_copy(struct arena *a, const void *data, size_t count, size_t size)
{
    void *p = arena_alloc(a, count, size);

    if (p && count != 0 && size != 0)
        memcpy(p, data, count * size);
    return p;
}

char *arena_string(struct arena *a, const char *text)
{
    return arena_copy(a, text, strlen(text) + 1, 1);
}

void arena_close(struct arena *a)
{
    struct arena_block *b = a->blocks;

    while (b) {
        struct arena_block *next = b->next;
        mem_free(b);
        b = next;
    }
    *a = (struct arena){ 0 };
}
