/* Memory shared with other devices and processes: VK_KHR_external_memory_fd. */
#ifndef ASSAY_DELEGATE_VULKAN_EXTERNAL_H
#define ASSAY_DELEGATE_VULKAN_EXTERNAL_H

#include "delegate/vulkan/binding.h"

/* The buffer over memory that the caller's descriptor names, which stays the caller's. */
enum status external_import(struct binding *b, struct device *d,
                            const struct assay_gpu_buffer *given, struct diag *diag);
/* A new buffer of b->bytes, exported unless the kind is ASSAY_GPU_NEW. */
enum status external_make(struct binding *b, struct device *d, struct assay_gpu_buffer *given,
                          struct diag *diag);

#endif
