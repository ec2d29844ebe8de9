/* Failures of Vulkan calls, as a status and a message. */
#ifndef ASSAY_DELEGATE_VULKAN_RESULT_H
#define ASSAY_DELEGATE_VULKAN_RESULT_H

#include "reference/base/diag.h"

#include <vulkan/vulkan.h>

/* "VK_ERROR_DEVICE_LOST"; NULL for a result that has no name here. */
const char *result_name(VkResult result);

/* Writes "vkCreateDevice: VK_ERROR_INITIALIZATION_FAILED" to diag.  Returns STATUS_NO_MEMORY when
 * host memory ran out, else STATUS_DEVICE. */
enum status result_fail_call(struct diag *diag, const char *call, VkResult result);

/* How many calls of this process have failed with VK_ERROR_DEVICE_LOST. */
unsigned result_lost_count(void);

#endif
