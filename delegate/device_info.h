/* What a physical device offers: read once, as plain data. */
#ifndef ASSAY_DELEGATE_DEVICE_INFO_H
#define ASSAY_DELEGATE_DEVICE_INFO_H

#include "assay_gpu.h"
#include "delegate/device_limits.h"

#include <stdbool.h>
#include <vulkan/vulkan.h>

/* Fills info (index included) and limits; *family is a queue family with compute, or -1. */
void device_describe(VkPhysicalDevice physical, int index, struct assay_gpu_device *info,
                     struct device_limits *limits, int *family);

#endif
