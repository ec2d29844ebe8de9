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

/* Returns the index of the device that `wanted` names among `count`: by index, or by a part of its
 * name in any case.  NULL chooses by type (discrete, integrated, virtual, other, cpu), and the
 * first of the best type.  half: the device must have 16-bit storage.  -1: there is none, and diag
 * names the devices that there are, or what the device lacks. */
int device_choose(const struct device_candidate *c, uint32_t count, const char *wanted, bool half,
                  struct diag *diag);

#endif
