/* Measures what work costs on a device, for the option placement=cost. */
#ifndef ASSAY_DELEGATE_VULKAN_MEASURE_H
#define ASSAY_DELEGATE_VULKAN_MEASURE_H

#include "delegate/base/device_rates.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/pipeline.h"

/* Measured once for each device that is opened: some tenths of a second, most of them for the
 * pipelines, which go through the cache; it may be NULL. */
enum status measure_rates(struct device *d, struct pipeline_cache *cache,
                          struct device_rates *rates, struct diag *diag);

#endif
