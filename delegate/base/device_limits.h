/* What a plan needs to know of a device, as plain data: plans are tested against recorded devices
 * without one.  Names as in VkPhysicalDeviceLimits where there is such a limit. */
#ifndef ASSAY_DELEGATE_BASE_DEVICE_LIMITS_H
#define ASSAY_DELEGATE_BASE_DEVICE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* What decides which workgroup sizes are quick: software, integrated, discrete by vendor. */
enum device_class {
    DEVICE_OTHER,
    DEVICE_SOFTWARE,
    DEVICE_INTEGRATED,
    DEVICE_NVIDIA,
    DEVICE_AMD,
    DEVICE_INTEL,
};

struct device_limits {
    enum device_class device_class;
    uint64_t max_storage_buffer_range;
    uint64_t storage_buffer_offset_alignment; /* minStorageBufferOffsetAlignment */
    uint64_t max_memory_allocation_bytes;     /* maxMemoryAllocationSize */
    uint64_t memory_bytes; /* what of the largest device-local heap is ours; 0: not known */
    uint32_t max_workgroup_count[3];
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_invocations;
    uint32_t max_shared_memory_bytes;
    uint32_t max_push_constants_bytes;
    bool storage_16bit; /* storageBuffer16BitAccess */
    /* Device-local memory that the host maps; and that it reads through its caches. */
    bool zero_copy_inputs, zero_copy_outputs;
};

/* The least that Vulkan 1.1 promises: what every device has. */
extern const struct device_limits device_limits_minimum;

/* By VkPhysicalDeviceType as assay_gpu_device has it, and the PCI vendor. */
enum device_class device_class_of(const char *type, uint32_t vendor_id);
const char *device_class_name(enum device_class c);

#endif
