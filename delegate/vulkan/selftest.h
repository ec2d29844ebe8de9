/* Known answers, asked of a device before a feature of it is used. */
#ifndef ASSAY_DELEGATE_VULKAN_SELFTEST_H
#define ASSAY_DELEGATE_VULKAN_SELFTEST_H

#include "delegate/vulkan/device.h"

/* What f16 storage gives back for a value: nearest (ties to even); devices may also round toward
 * zero, and flush denormals to zero. */
bool selftest_half_allowed(float stored, float value);

/* 16-bit storage: values are stored as f16 and read back.  STATUS_NO_DEVICE when an answer is
 * wrong.  Run once a device. */
enum status selftest_half(struct device *d, struct pipeline_cache *cache, struct diag *diag);

/* The packed dot product of bytes, in a convolution.  STATUS_NO_DEVICE when an answer is wrong. */
enum status selftest_dot(struct device *d, struct pipeline_cache *cache, struct diag *diag);

#endif
