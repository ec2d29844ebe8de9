/* Properties, features and limits of a physical device, read once as plain data. */
#ifndef ASSAY_DELEGATE_VULKAN_DEVICE_INFO_H
#define ASSAY_DELEGATE_VULKAN_DEVICE_INFO_H

#include "assay_gpu.h"
#include "delegate/base/device_limits.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <vulkan/vulkan.h>

/* Fills info (index included) and limits; *family is a queue family with compute, or -1. */
void device_describe(VkInstance instance, VkPhysicalDevice physical, int index,
                     struct assay_gpu_device *info, struct device_limits *limits, int *family);

/* Bytes that the process now uses of the largest device-local heap (VK_EXT_memory_budget); 0: the
 * driver does not say. */
uint64_t device_used_bytes(VkPhysicalDevice physical, bool has_memory_budget);

#endif
