#include "delegate/vulkan/blocks.h"

#include <stdatomic.h>
#include <string.h>

/* Larger blocks are freed at once, so that other users of the device can have the memory. */
#define KEPT_BYTES_MAX ((VkDeviceSize)1 << 20)
#define ROUND          ((VkDeviceSize)1 << 16)

static atomic_ullong held_bytes, held;

uint64_t blocks_held_bytes(void)
{
    return atomic_load(&held_bytes);
}

uint64_t blocks_held(void)
{
    return atomic_load(&held);
}

static void drop(VkDevice device, struct block *block)
{
    if (block->memory != VK_NULL_HANDLE) {
        atomic_fetch_sub(&held_bytes, block->bytes);
        atomic_fetch_sub(&held, 1);
    }
    vkFreeMemory(device, block->memory, NULL); /* it unmaps, too */
    *block = (struct block){ 0 };
}

static void remove_at(struct blocks *b, int i)
{
    b->count--;
    memmove(&b->kept[i], &b->kept[i + 1], (size_t)(b->count - i) * sizeof b->kept[0]);
}

static bool take_kept(struct blocks *b, uint32_t type, VkDeviceSize bytes, bool map,
                      struct block *out)
{
    bool found = false;

    lock_acquire(&b->lock);
    for (int i = 0; i < b->count && !found; i++) {
        const struct block *k = &b->kept[i];

        found = k->type == type && k->bytes == bytes && (k->mapped != NULL) == map;
        if (found) {
            *out = *k;
            remove_at(b, i);
        }
    }
    lock_release(&b->lock);
    return found;
}

VkResult blocks_take(struct blocks *b, VkDevice device, uint32_t type, VkDeviceSize bytes, bool map,
                     struct block *out, const char **call)
{
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .memoryTypeIndex = type };
    VkResult r;

    if (bytes <= KEPT_BYTES_MAX) /* round up: then a kept block fits more requests */
        bytes = (bytes + ROUND - 1) / ROUND * ROUND;
    if (bytes <= KEPT_BYTES_MAX && take_kept(b, type, bytes, map, out))
        return VK_SUCCESS;
    *out = (struct block){ .bytes = bytes, .type = type };
    info.allocationSize = bytes;
    *call = "vkAllocateMemory";
    r = vkAllocateMemory(device, &info, NULL, &out->memory);
    if (r == VK_ERROR_OUT_OF_DEVICE_MEMORY || r == VK_ERROR_OUT_OF_HOST_MEMORY) {
        blocks_clear(b, device);
        r = vkAllocateMemory(device, &info, NULL, &out->memory);
    }
    if (r == VK_SUCCESS) {
        atomic_fetch_add(&held_bytes, bytes);
        atomic_fetch_add(&held, 1);
    } else {
        out->memory = VK_NULL_HANDLE;
    }
    if (r == VK_SUCCESS && map) {
        *call = "vkMapMemory";
        r = vkMapMemory(device, out->memory, 0, VK_WHOLE_SIZE, 0, &out->mapped);
    }
    if (r != VK_SUCCESS)
        drop(device, out);
    return r;
}

void blocks_give(struct blocks *b, VkDevice device, struct block *block)
{
    if (block->bytes <= KEPT_BYTES_MAX && block->memory != VK_NULL_HANDLE) {
        lock_acquire(&b->lock);
        if (b->count == BLOCKS_KEPT) {
            drop(device, &b->kept[0]);
            remove_at(b, 0);
        }
        b->kept[b->count++] = *block;
        *block = (struct block){ 0 };
        lock_release(&b->lock);
    }
    drop(device, block);
}

void blocks_clear(struct blocks *b, VkDevice device)
{
    lock_acquire(&b->lock);
    while (b->count > 0)
        drop(device, &b->kept[--b->count]);
    lock_release(&b->lock);
}

void blocks_init(struct blocks *b)
{
    b->count = 0;
    lock_init(&b->lock, LOCK_RANK_BLOCKS, 0);
}

void blocks_close(struct blocks *b, VkDevice device)
{
    if (device)
        blocks_clear(b, device);
    lock_destroy(&b->lock);
}
