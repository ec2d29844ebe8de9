/* The limits of a device that plans depend on, as plain data, so that plans can be tested against
 * recorded devices.  Names follow VkPhysicalDeviceLimits where it has the limit. */
#ifndef ASSAY_DELEGATE_BASE_DEVICE_LIMITS_H
#define ASSAY_DELEGATE_BASE_DEVICE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Devices of which the same is known (device_costs.h): software, integrated, discrete by vendor. */
enum device_class {
    DEVICE_OTHER,
    DEVICE_SOFTWARE,
    DEVICE_INTEGRATED,
    DEVICE_NVIDIA,
    DEVICE_AMD,
    DEVICE_INTEL,
    DEVICE_CLASSES
};

/* The extension by which shaders reach the matrix units of a device. */
enum matrix_kind {
    MATRIX_NONE,
    MATRIX_NV, /* VK_NV_cooperative_matrix */
    MATRIX_KHR /* VK_KHR_cooperative_matrix */
};

enum { MATRIX_TILE_MAX = 16, MATRIX_ELEMENTS_MAX = MATRIX_TILE_MAX * MATRIX_TILE_MAX };

/* Products of f16 matrices with sums of f32, each by the invocations of a subgroup. */
struct device_matrix {
    enum matrix_kind kind;
    uint32_t tile;          /* rows and columns of a matrix */
    uint32_t subgroup_size; /* of every subgroup */
    /* Each invocation holds 8 elements of a second factor: its component 8 * invocation + i is
     * element order[...] = row * tile + column. */
    bool fragments;
    uint8_t order[MATRIX_ELEMENTS_MAX];
    /* Products of i8 with sums of 32 bits too (MATRIX_NV, tile 16, subgroups of 32): factors of
     * tile x 2 * tile and of 2 * tile x tile. */
    bool bytes;
    /* The same of their second factor, of which each invocation holds 16 elements. */
    bool byte_fragments;
    uint16_t byte_order[2 * MATRIX_ELEMENTS_MAX];
};

struct device_limits {
    enum device_class device_class;
    uint64_t max_storage_buffer_range;
    uint64_t storage_buffer_offset_alignment; /* minStorageBufferOffsetAlignment */
    uint64_t max_memory_allocation_bytes;     /* maxMemoryAllocationSize */
    uint64_t memory_bytes; /* available in the largest device-local heap; 0: not known */
    uint32_t max_workgroup_count[3];
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_invocations;
    uint32_t max_shared_memory_bytes;
    uint32_t max_push_constants_bytes;
    uint32_t max_storage_buffers; /* maxPerStageDescriptorStorageBuffers */
    bool storage_16bit;           /* storageBuffer16BitAccess */
    bool shader_float16;          /* shaderFloat16, by VK_KHR_shader_float16_int8 */
    struct device_matrix matrix;
    /* minImportedHostPointerAlignment; 0: the device cannot use memory of the host as it is. */
    uint64_t host_pointer_alignment;
    /* Shaders read inputs from the staging buffer, where the largest device-local heap has a
     * host-visible memory type, and write outputs to it, where one of these is host-cached, too. */
    bool zero_copy_inputs, zero_copy_outputs;
};

/* The limits that Vulkan 1.1 requires of every device. */
extern const struct device_limits device_limits_minimum;

/* type is that of assay_gpu_device; vendor_id is the PCI vendor. */
enum device_class device_class_of(const char *type, uint32_t vendor_id);

#endif
