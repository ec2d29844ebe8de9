/* Which of the physical devices a delegate runs on. */
#ifndef ASSAY_DELEGATE_VULKAN_DEVICE_CHOOSE_H
#define ASSAY_DELEGATE_VULKAN_DEVICE_CHOOSE_H

#include "assay_gpu.h"
#include "delegate/base/device_limits.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

/* A physical device and what it offers. */
struct device_candidate {
    VkPhysicalDevice physical;
    struct assay_gpu_device info;
    struct device_limits limits;
    int family;
};

/* Index of the device that `wanted` names among count: an index, part of a name (case ignored),
 * NULL for the best by type and then the first.  half: it must have 16-bit storage.  -1: none, and
 * diag says what there is and what is missing. */
int device_choose(const struct device_candidate *c, uint32_t count, const char *wanted, bool half,
                  struct diag *diag);

#endif
