/* The Vulkan instance, one a process, with the validation layer when asked for. */
#ifndef ASSAY_DELEGATE_VULKAN_INSTANCE_H
#define ASSAY_DELEGATE_VULKAN_INSTANCE_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vulkan.h>

/* The instance is made by the first call that succeeds and kept for the life of the process: when
 * its last instance goes, the loader unloads the drivers, and some can be loaded only a few times
 * (NVIDIA's 30 times; then static thread-local storage is used up).  For the same reason the
 * library is linked with -z nodelete.  A forked process makes an instance of its own.  The caller
 * holds the lock of device.c.  STATUS_NO_DEVICE when there is no usable Vulkan. */
enum status instance_get(VkInstance *out, struct diag *diag);

/* Whether the validation layer is asked for (environment variable ASSAY_VK_VALIDATION=1). */
bool instance_validates(void);

/* Number of messages that the validation layer has given in this process, and the last one in text;
 * 0 when the layer is not on. */
long instance_validation_messages(char *text, size_t size);

/* Label the commands in between for debuggers and profilers (VK_EXT_debug_utils); they do nothing
 * when the instance lacks the extension. */
void instance_label_begin(VkCommandBuffer commands, const char *label);
void instance_label_end(VkCommandBuffer commands);

#endif
