/* Memory of the caller that an input or output of a partition is bound to. */
#ifndef ASSAY_DELEGATE_VULKAN_BINDING_H
#define ASSAY_DELEGATE_VULKAN_BINDING_H

#include "assay_gpu.h"
#include "delegate/vulkan/device.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <vulkan/vulkan.h>

struct binding {
    bool on;
    int layout; /* enum assay_gpu_layout */
    VkBuffer buffer;
    bool ours; /* the buffer, and its memory */
    VkDeviceMemory memory;
    VkDeviceSize offset, bytes;
    bool foreign; /* of another VkDevice */
};

/* Checks what the caller gives against the need, and makes the buffer where it does not.  What is
 * out is written to *given. */
enum status binding_open(struct binding *b, struct device *d, struct assay_gpu_buffer *given,
                         size_t need, struct diag *diag);
/* Destroys what is ours of it. */
void binding_close(struct binding *b, struct device *d);

#endif
