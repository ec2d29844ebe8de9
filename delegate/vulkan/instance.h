/* The Vulkan instance, one a process, with the validation layer when asked for. */
#ifndef ASSAY_DELEGATE_VULKAN_INSTANCE_H
#define ASSAY_DELEGATE_VULKAN_INSTANCE_H

#include "reference/base/diag.h"

#include <vulkan/vulkan.h>

/* Made at the first call that can, and kept for the life of the process: with its last instance the
 * loader unloads the drivers, and some can be loaded only so often (NVIDIA's: 30 times, then there
 * is no more static thread-local storage).  So the library is linked never to be unloaded either. A
 * forked process makes its own.  The caller holds the lock of device.c.  STATUS_NO_DEVICE when
 * there is no usable Vulkan. */
enum status instance_get(VkInstance *out, struct diag *diag);

/* Labels round the steps for debuggers and profilers (VK_EXT_debug_utils); nothing where the
 * instance lacks them. */
void instance_label_begin(VkCommandBuffer commands, const char *label);
void instance_label_end(VkCommandBuffer commands);

#endif
