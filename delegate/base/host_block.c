#include "delegate/base/host_block.h"

#include "reference/base/memory.h"

#include <stdint.h>
#include <sys/mman.h>

/* A multiple of the pages of all machines, and of minImportedHostPointerAlignment, which Vulkan
 * limits to 64 KiB. */
enum { BLOCK_ALIGN = 65536 };

static const char maker;

struct host_block *host_block_make(size_t bytes)
{
    struct host_block *b;
    uintptr_t begin;
    char *pages;
    size_t whole;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    whole = (bytes / BLOCK_ALIGN + (bytes % BLOCK_ALIGN != 0 || bytes == 0)) * BLOCK_ALIGN;
    if (!(b = mem_alloc(1, sizeof *b)))
        return NULL;
    pages =
        mmap(NULL, whole + BLOCK_ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        mem_free(b);
        return NULL;
    }
    /* The ends that alignment leaves over go back. */
    begin = ((uintptr_t)pages + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    if (begin > (uintptr_t)pages)
        munmap(pages, begin - (uintptr_t)pages);
    if (begin < (uintptr_t)pages + BLOCK_ALIGN)
        munmap((char *)begin + whole, (uintptr_t)pages + BLOCK_ALIGN - begin);
    b->maker = &maker;
    b->data = (void *)begin;
    b->bytes = whole;
    atomic_init(&b->users, 1);
    return b;
}

int host_block_is_ours(const struct host_block *b)
{
    return b && b->maker == &maker;
}

void host_block_hold(struct host_block *b)
{
    atomic_fetch_add(&b->users, 1);
}

void host_block_release(struct host_block *b)
{
    if (!b || atomic_fetch_sub(&b->users, 1) > 1)
        return;
    munmap(b->data, b->bytes);
    mem_free(b);
}
