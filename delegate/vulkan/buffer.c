#include "delegate/vulkan/buffer.h"

#include "delegate/vulkan/result.h"

enum { BUFFER_MIN = 256 };

/* Index of the memory type that has all of `required` and the most of `wanted`; -1: none. */
static int find_type(const struct device *d, uint32_t allowed, VkMemoryPropertyFlags required,
                     VkMemoryPropertyFlags wanted)
{
    int best = -1, best_score = -1;

    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = d->memory.memoryTypes[i].propertyFlags;
        int score = 0;

        if (!(allowed & 1u << i) || (flags & required) != required)
            continue;
        for (VkMemoryPropertyFlags bit = 1; bit != 0 && bit <= wanted; bit <<= 1)
            score += (flags & wanted & bit) != 0;
        if (score > best_score) {
            best = (int)i;
            best_score = score;
        }
    }
    return best;
}

void buffer_close(struct device *d, struct buffer *b)
{
    vkDestroyBuffer(d->handle, b->handle, NULL);
    blocks_give(&d->blocks, d->handle, &b->block);
    *b = (struct buffer){ 0 };
}

enum status buffer_open(struct device *d, struct buffer *b, const char *what, size_t bytes,
                        VkBufferUsageFlags usage, VkMemoryPropertyFlags required,
                        VkMemoryPropertyFlags wanted, struct diag *diag)
{
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = bytes < BUFFER_MIN ? BUFFER_MIN : bytes,
                                      .usage = usage };
    VkMemoryRequirements needs;
    const char *call = "vkCreateBuffer";
    VkResult r;
    int type;

    *b = (struct buffer){ .bytes = info.size };
    if ((r = vkCreateBuffer(d->handle, &info, NULL, &b->handle)) != VK_SUCCESS)
        goto fail;
    vkGetBufferMemoryRequirements(d->handle, b->handle, &needs);
    type = find_type(d, needs.memoryTypeBits, required, wanted);
    if (type < 0) {
        buffer_close(d, b);
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%s: the device has no memory type with VkMemoryPropertyFlags 0x%x", what,
                         required);
    }
    b->coherent = d->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    r = blocks_take(&d->blocks, d->handle, (uint32_t)type, needs.size,
                    (required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0, &b->block, &call);
    if (r != VK_SUCCESS)
        goto fail;
    b->mapped = b->block.mapped;
    call = "vkBindBufferMemory";
    if ((r = vkBindBufferMemory(d->handle, b->handle, b->block.memory, 0)) != VK_SUCCESS)
        goto fail;
    return STATUS_OK;
fail:
    result_fail_call(diag, call, r);
    buffer_close(d, b);
    return diag_prefix(diag, diag ? diag->status : STATUS_DEVICE, "%s: %zu bytes", what, bytes);
}

static VkMappedMemoryRange whole(const struct buffer *b)
{
    return (VkMappedMemoryRange){ .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                  .memory = b->block.memory,
                                  .size = VK_WHOLE_SIZE };
}

enum status buffer_flush(struct device *d, const struct buffer *b, struct diag *diag)
{
    const VkMappedMemoryRange range = whole(b);
    VkResult r;

    if (b->coherent)
        return STATUS_OK;
    r = vkFlushMappedMemoryRanges(d->handle, 1, &range);
    return r == VK_SUCCESS ? STATUS_OK : result_fail_call(diag, "vkFlushMappedMemoryRanges", r);
}

enum status buffer_invalidate(struct device *d, const struct buffer *b, struct diag *diag)
{
    const VkMappedMemoryRange range = whole(b);
    VkResult r;

    if (b->coherent)
        return STATUS_OK;
    r = vkInvalidateMappedMemoryRanges(d->handle, 1, &range);
    return r == VK_SUCCESS ? STATUS_OK
                           : result_fail_call(diag, "vkInvalidateMappedMemoryRanges", r);
}
