/* The Vulkan instance, one a process, with the validation layer when asked for. */
#ifndef ASSAY_DELEGATE_INSTANCE_H
#define ASSAY_DELEGATE_INSTANCE_H

#include "reference/diag.h"

#include <stddef.h>
#include <vulkan/vulkan.h>

/* Counted: every acquire that succeeds needs a release.  The caller holds the lock of device.c.
 * STATUS_NO_DEVICE when there is no usable Vulkan. */
enum status instance_acquire(VkInstance *out, struct diag *diag);
void instance_release(void);

/* Labels round the steps for debuggers and profilers (VK_EXT_debug_utils); nothing where the
 * instance lacks them. */
void instance_label_begin(VkCommandBuffer commands, const char *label);
void instance_label_end(VkCommandBuffer commands);

#endif
