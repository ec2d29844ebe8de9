/* Device memory in blocks.  Small ones that were given back are kept, a bounded amount, and taken
 * again: allocating from the driver takes it up to a millisecond. */
#ifndef ASSAY_DELEGATE_VULKAN_BLOCKS_H
#define ASSAY_DELEGATE_VULKAN_BLOCKS_H

#include "delegate/base/lock.h"

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

enum { BLOCKS_KEPT = 16 };

struct block {
    VkDeviceMemory memory;
    VkDeviceSize bytes;
    uint32_t type;
    void *mapped; /* NULL: not mapped; else all of it, as long as it lives */
};

struct blocks {
    struct lock lock;
    struct block kept[BLOCKS_KEPT]; /* the one given back first goes first */
    int count;
};

/* At least `bytes` of a memory type, what they hold is anything.  The result is that of the call
 * that failed, whose name is in *call. */
VkResult blocks_take(struct blocks *b, VkDevice device, uint32_t type, VkDeviceSize bytes, bool map,
                     struct block *out, const char **call);
/* Its buffers are destroyed. */
void blocks_give(struct blocks *b, VkDevice device, struct block *block);
/* What the process holds now, on all devices, kept ones too: bytes, and how many blocks. */
uint64_t blocks_held_bytes(void);
uint64_t blocks_held(void);
/* Frees the blocks that are kept. */
void blocks_clear(struct blocks *b, VkDevice device);

void blocks_init(struct blocks *b);
/* Every block has been given back.  device NULL: there never was one. */
void blocks_close(struct blocks *b, VkDevice device);

#endif
