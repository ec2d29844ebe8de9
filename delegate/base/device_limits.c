#include "delegate/base/device_limits.h"

#include <string.h>

const struct device_limits device_limits_minimum = {
    .max_storage_buffer_range = 1u << 27,
    .storage_buffer_offset_alignment = 256,
    .max_memory_allocation_bytes = 1u << 30,
    .max_workgroup_count = { 65535, 65535, 65535 },
    .max_workgroup_size = { 128, 128, 64 },
    .max_workgroup_invocations = 128,
    .max_shared_memory_bytes = 16384,
    .max_push_constants_bytes = 128,
    .max_storage_buffers = 4,
    .storage_16bit = false,
    .shader_float16 = false,
};

enum device_class device_class_of(const char *type, uint32_t vendor_id)
{
    if (strcmp(type, "cpu") == 0)
        return DEVICE_SOFTWARE;
    if (strcmp(type, "integrated") == 0)
        return DEVICE_INTEGRATED;
    switch (vendor_id) { /* a virtual GPU has the class of the discrete GPU behind it */
    case 0x10de: return DEVICE_NVIDIA;
    case 0x1002: return DEVICE_AMD;
    case 0x8086: return DEVICE_INTEL;
    default: return DEVICE_OTHER;
    }
}
