/* What a device reaches at most in one dispatch, measured: the limits that a profile is compared
 * with.  It takes some tenths of a second and up to half a GiB of device memory, on request. */
#ifndef ASSAY_DELEGATE_VULKAN_PEAKS_H
#define ASSAY_DELEGATE_VULKAN_PEAKS_H

#include "assay_gpu.h"
#include "delegate/vulkan/device.h"

/* STATUS_NO_DEVICE: the device has no time stamps. */
enum status peaks_measure(struct device *d, struct assay_gpu_peaks *peaks, struct diag *diag);

#endif
