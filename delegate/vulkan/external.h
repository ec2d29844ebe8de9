/* Buffers whose memory is shared with other devices and processes: VK_KHR_external_memory_fd. */
#ifndef ASSAY_DELEGATE_VULKAN_EXTERNAL_H
#define ASSAY_DELEGATE_VULKAN_EXTERNAL_H

#include "assay_gpu.h"
#include "delegate/vulkan/device.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <vulkan/vulkan.h>

struct external_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    bool foreign; /* another VkDevice uses the memory: needs queue family ownership transfers */
};

/* A buffer of `bytes` bytes over the memory that the caller's file descriptor names.  The
 * descriptor stays the caller's.  After a failure, external_close. */
enum status external_import(struct external_buffer *b, struct device *d,
                            const struct assay_gpu_buffer *given, VkDeviceSize bytes,
                            struct diag *diag);
/* A new buffer of `bytes` bytes; its memory is exported unless the kind is ASSAY_GPU_NEW, and
 * *given gets what an importer needs.  After a failure, external_close. */
enum status external_make(struct external_buffer *b, struct device *d,
                          struct assay_gpu_buffer *given, VkDeviceSize bytes, struct diag *diag);
/* A buffer over `bytes` bytes of host memory, which must stay until the buffer is closed; both are
 * whole pages.  STATUS_UNSUPPORTED: the device cannot import it, or only as memory that is not
 * coherent.  After a failure, external_close. */
enum status external_import_host(struct external_buffer *b, struct device *d, void *memory,
                                 VkDeviceSize bytes, struct diag *diag);
/* The buffer may be half made. */
void external_close(struct external_buffer *b, struct device *d);

#endif
