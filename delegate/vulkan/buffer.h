/* VkBuffers of the delegate, each with a block of device memory. */
#ifndef ASSAY_DELEGATE_VULKAN_BUFFER_H
#define ASSAY_DELEGATE_VULKAN_BUFFER_H

#include "delegate/vulkan/blocks.h"
#include "delegate/vulkan/device.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vulkan.h>

struct buffer {
    VkBuffer handle;
    struct block block;
    void *mapped; /* NULL: not host-visible */
    bool coherent;
    VkDeviceSize bytes;
};

/* Makes a buffer of at least `bytes` bytes of a memory type that has all of `required`, and as many
 * of `wanted` as any has.  `what` names the buffer in messages.  On failure *b is closed. */
enum status buffer_open(struct device *d, struct buffer *b, const char *what, size_t bytes,
                        VkBufferUsageFlags usage, VkMemoryPropertyFlags required,
                        VkMemoryPropertyFlags wanted, struct diag *diag);
/* May be called again for a closed buffer. */
void buffer_close(struct device *d, struct buffer *b);

/* To call after the host has written, and before it reads.  Both do nothing for coherent memory. */
enum status buffer_flush(struct device *d, const struct buffer *b, struct diag *diag);
enum status buffer_invalidate(struct device *d, const struct buffer *b, struct diag *diag);

#endif
