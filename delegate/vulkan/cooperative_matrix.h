/* Matrix units, which shaders use by VK_NV_cooperative_matrix or VK_KHR_cooperative_matrix: what a
 * physical device has, and what a device must enable. */
#ifndef ASSAY_DELEGATE_VULKAN_COOPERATIVE_MATRIX_H
#define ASSAY_DELEGATE_VULKAN_COOPERATIVE_MATRIX_H

#include "delegate/base/device_limits.h"

#include <vulkan/vulkan.h>

/* Extensions of the instance need not be enabled.  m->kind is MATRIX_NONE where the device lacks
 * something, or no shader was compiled for its extension. */
void cooperative_matrix_read(struct device_matrix *m, VkInstance instance,
                             VkPhysicalDevice physical, const VkExtensionProperties *extensions,
                             uint32_t count);

/* Features in a chain, and extensions, of vkCreateDevice. */
enum { COOPERATIVE_MATRIX_EXTENSIONS = 3 };
struct cooperative_matrix_features {
    VkPhysicalDeviceCooperativeMatrixFeaturesNV matrix; /* that of Khronos has the same members */
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderFloat16Int8Features float16;
    const char *extensions[COOPERATIVE_MATRIX_EXTENSIONS];
};
/* bytes: shaders multiply i8, too.  next: what the chain goes on with. */
void cooperative_matrix_enable(struct cooperative_matrix_features *f, enum matrix_kind kind,
                               bool bytes, void *next);

#endif
