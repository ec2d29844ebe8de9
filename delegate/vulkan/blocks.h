/* Device memory in blocks.  A bounded number of small blocks is kept for the next request when they
 * are given back, because vkAllocateMemory takes some drivers up to a millisecond. */
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
    void *mapped; /* the whole block, for all its life; NULL: not mapped */
};

struct blocks {
    struct lock lock;
    struct block kept[BLOCKS_KEPT]; /* in the order in which they were given back */
    int count;
};

/* A block of at least `bytes` bytes of a memory type, with undefined contents.  On failure returns
 * the result of the Vulkan call that failed, whose name is in *call. */
VkResult blocks_take(struct blocks *b, VkDevice device, uint32_t type, VkDeviceSize bytes, bool map,
                     struct block *out, const char **call);
/* Gives a block back.  The buffers that were bound to it have been destroyed. */
void blocks_give(struct blocks *b, VkDevice device, struct block *block);
/* Bytes and number of the blocks that the process holds on all devices, kept ones included. */
uint64_t blocks_held_bytes(void);
uint64_t blocks_held(void);
/* Frees the blocks that are kept. */
void blocks_clear(struct blocks *b, VkDevice device);

void blocks_init(struct blocks *b);
/* The caller has given back every block.  device NULL: none was ever taken. */
void blocks_close(struct blocks *b, VkDevice device);

#endif
