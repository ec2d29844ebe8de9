#include "delegate/vulkan/device_info.h"

#include "delegate/vulkan/cooperative_matrix.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

static const char *type_name(VkPhysicalDeviceType type)
{
    static const char *const names[] = {
        [VK_PHYSICAL_DEVICE_TYPE_OTHER] = "other",
        [VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU] = "integrated",
        [VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU] = "discrete",
        [VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU] = "virtual",
        [VK_PHYSICAL_DEVICE_TYPE_CPU] = "cpu",
    };

    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "other";
}

static bool has_extension(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            return true;
    return false;
}

static int find_family(VkPhysicalDevice physical, bool *timestamps)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    int best = -1;

    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0)
            continue;
        /* The first family with compute; on GPUs it is the graphics one, for which drivers raise
         * clocks the soonest. */
        if (best < 0)
            best = (int)i;
    }
    *timestamps = best >= 0 && families[best].timestampValidBits != 0;
    return best;
}

static void read_features(VkPhysicalDevice physical, uint32_t api,
                          const VkExtensionProperties *extensions, uint32_t count,
                          struct assay_gpu_device *info)
{
    VkPhysicalDevice16BitStorageFeatures storage16 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES
    };
    VkPhysicalDevice8BitStorageFeatures storage8 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES
    };
    VkPhysicalDeviceShaderFloat16Int8Features float16 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES
    };
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES
    };
    VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                           .pNext = &storage16 };
    void **tail = &storage16.pNext;

    /* A feature struct may be chained only where the device has its extension, or the version of
     * Vulkan that includes it. */
    if (api >= VK_API_VERSION_1_2 ||
        has_extension(extensions, count, VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) {
        *tail = &storage8;
        tail = &storage8.pNext;
    }
    if (api >= VK_API_VERSION_1_2 ||
        has_extension(extensions, count, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) {
        *tail = &float16;
        tail = &float16.pNext;
    }
    /* The struct is chained for the extension, even where Vulkan 1.3 includes it: the instance is
     * made for 1.1. */
    if (has_extension(extensions, count, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME))
        *tail = &dot;
    vkGetPhysicalDeviceFeatures2(physical, &features);
    info->storage_16bit = storage16.storageBuffer16BitAccess;
    info->storage_8bit = storage8.storageBuffer8BitAccess;
    info->shader_float16 = float16.shaderFloat16;
    info->shader_int8 = float16.shaderInt8;
    info->integer_dot_product = dot.shaderIntegerDotProduct;
    info->cooperative_matrix = has_extension(extensions, count, "VK_KHR_cooperative_matrix") ||
                               has_extension(extensions, count, "VK_NV_cooperative_matrix");
    info->external_memory_fd =
        has_extension(extensions, count, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    info->external_memory_dma_buf =
        info->external_memory_fd &&
        has_extension(extensions, count, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
    info->memory_budget = has_extension(extensions, count, "VK_EXT_memory_budget");
}

/* See struct device_limits. */
static uint64_t host_pointer_alignment(VkPhysicalDevice physical,
                                       const VkExtensionProperties *extensions, uint32_t count)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT
    };
    VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                      .pNext = &host };

    if (!has_extension(extensions, count, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
        return 0;
    vkGetPhysicalDeviceProperties2(physical, &p);
    return host.minImportedHostPointerAlignment;
}

static void read_properties(VkPhysicalDevice physical, const VkPhysicalDeviceProperties *p,
                            struct assay_gpu_device *info, struct device_limits *limits)
{
    VkPhysicalDeviceMaintenance3Properties maintenance = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES
    };
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &maintenance
    };
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES
    };
    VkPhysicalDeviceProperties2 more = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &subgroup };

    if (p->apiVersion >= VK_API_VERSION_1_2)
        maintenance.pNext = &driver;
    vkGetPhysicalDeviceProperties2(physical, &more);
    if (p->apiVersion >= VK_API_VERSION_1_2)
        snprintf(info->driver, sizeof info->driver, "%.120s %.120s", driver.driverName,
                 driver.driverInfo);
    else
        snprintf(info->driver, sizeof info->driver, "version 0x%x", p->driverVersion);
    info->subgroup_size = subgroup.subgroupSize;
    limits->max_memory_allocation_bytes = maintenance.maxMemoryAllocationSize;
}

/* Whether a heap has a memory type that is device-local, host-visible and of this kind. */
static bool maps(const VkPhysicalDeviceMemoryProperties *m, uint32_t heap,
                 VkMemoryPropertyFlags kind)
{
    const VkMemoryPropertyFlags wanted =
        kind | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;

    for (uint32_t i = 0; i < m->memoryTypeCount; i++)
        if (m->memoryTypes[i].heapIndex == heap &&
            (m->memoryTypes[i].propertyFlags & wanted) == wanted)
            return true;
    return false;
}

/* Index of the largest device-local heap; -1: none. */
static int largest_heap(const VkPhysicalDeviceMemoryProperties *m)
{
    int best = -1;

    for (uint32_t i = 0; i < m->memoryHeapCount; i++)
        if (m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
            (best < 0 || m->memoryHeaps[i].size > m->memoryHeaps[best].size))
            best = (int)i;
    return best;
}

static int ask_memory(VkPhysicalDevice physical, bool has_budget,
                      VkPhysicalDeviceMemoryProperties *m,
                      VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = has_budget ? budget : NULL
    };

    *budget = (VkPhysicalDeviceMemoryBudgetPropertiesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT
    };
    vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
    *m = memory.memoryProperties;
    return largest_heap(m);
}

/* The size of the largest device-local heap, and how much of it the driver says is available. */
static void read_memory(VkPhysicalDevice physical, struct assay_gpu_device *info,
                        struct device_limits *limits)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
    VkPhysicalDeviceMemoryProperties m;
    const int heap = ask_memory(physical, info->memory_budget, &m, &budget);

    if (heap < 0)
        return;
    info->memory_bytes = m.memoryHeaps[heap].size;
    limits->memory_bytes = info->memory_budget && budget.heapBudget[heap] > 0
                               ? budget.heapBudget[heap]
                               : info->memory_bytes;
    limits->zero_copy_inputs = maps(&m, (uint32_t)heap, 0);
    limits->zero_copy_outputs = maps(&m, (uint32_t)heap, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    info->host_writes = limits->zero_copy_inputs;
    info->host_reads = limits->zero_copy_outputs;
}

uint64_t device_used_bytes(VkPhysicalDevice physical, bool has_memory_budget)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
    VkPhysicalDeviceMemoryProperties m;
    const int heap = ask_memory(physical, has_memory_budget, &m, &budget);

    return has_memory_budget && heap >= 0 ? budget.heapUsage[heap] : 0;
}

void device_describe(VkInstance instance, VkPhysicalDevice physical, int index,
                     struct assay_gpu_device *info, struct device_limits *limits, int *family)
{
    VkPhysicalDeviceProperties p;
    VkExtensionProperties *extensions = NULL;
    uint32_t count = 0;
    bool timestamps;

    vkGetPhysicalDeviceProperties(physical, &p);
    *info = (struct assay_gpu_device){ .struct_size = sizeof *info,
                                       .index = index,
                                       .api_version = p.apiVersion,
                                       .vendor_id = p.vendorID,
                                       .device_id = p.deviceID };
    snprintf(info->name, sizeof info->name, "%s", p.deviceName);
    snprintf(info->type, sizeof info->type, "%s", type_name(p.deviceType));
    *limits = (struct device_limits){
        .max_storage_buffer_range = p.limits.maxStorageBufferRange,
        .storage_buffer_offset_alignment = p.limits.minStorageBufferOffsetAlignment,
        .max_memory_allocation_bytes = UINT64_MAX,
        .max_workgroup_invocations = p.limits.maxComputeWorkGroupInvocations,
        .max_shared_memory_bytes = p.limits.maxComputeSharedMemorySize,
        .max_push_constants_bytes = p.limits.maxPushConstantsSize,
        .max_storage_buffers = p.limits.maxPerStageDescriptorStorageBuffers,
    };
    memcpy(limits->max_workgroup_count, p.limits.maxComputeWorkGroupCount,
           sizeof limits->max_workgroup_count);
    memcpy(limits->max_workgroup_size, p.limits.maxComputeWorkGroupSize,
           sizeof limits->max_workgroup_size);
    info->max_storage_buffer_range = limits->max_storage_buffer_range;
    memcpy(info->max_workgroup_count, limits->max_workgroup_count,
           sizeof info->max_workgroup_count);
    memcpy(info->max_workgroup_size, limits->max_workgroup_size, sizeof info->max_workgroup_size);
    info->max_workgroup_invocations = limits->max_workgroup_invocations;
    info->max_shared_memory_bytes = limits->max_shared_memory_bytes;

    *family = find_family(physical, &timestamps);
    info->timestamps = timestamps;
    if (p.apiVersion < VK_API_VERSION_1_1) {
        snprintf(info->why_not, sizeof info->why_not, "expected Vulkan 1.1 or later, found %u.%u",
                 VK_API_VERSION_MAJOR(p.apiVersion), VK_API_VERSION_MINOR(p.apiVersion));
        return;
    }
    read_properties(physical, &p, info, limits);
    if (vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) == VK_SUCCESS &&
        (extensions = mem_alloc(count, sizeof *extensions)) != NULL &&
        vkEnumerateDeviceExtensionProperties(physical, NULL, &count, extensions) < VK_SUCCESS)
        count = 0;
    read_features(physical, p.apiVersion, extensions, extensions ? count : 0, info);
    limits->host_pointer_alignment =
        host_pointer_alignment(physical, extensions, extensions ? count : 0);
    cooperative_matrix_read(&limits->matrix, instance, physical, extensions,
                            extensions ? count : 0);
    limits->shader_float16 =
        info->shader_float16 && has_extension(extensions, extensions ? count : 0,
                                              VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
    mem_free(extensions);
    limits->storage_16bit = info->storage_16bit;
    limits->device_class = device_class_of(info->type, info->vendor_id);

    read_memory(physical, info, limits);
    info->max_memory_allocation_bytes = limits->max_memory_allocation_bytes;
    info->memory_budget_bytes = limits->memory_bytes;
    info->storage_buffer_offset_alignment = (uint32_t)limits->storage_buffer_offset_alignment;
    info->max_push_constants_bytes = limits->max_push_constants_bytes;
    if (*family < 0)
        snprintf(info->why_not, sizeof info->why_not, "no compute queue");
    else if (limits->max_workgroup_invocations < device_limits_minimum.max_workgroup_invocations)
        snprintf(info->why_not, sizeof info->why_not,
                 "expected workgroups of 128 invocations, found at most %u",
                 limits->max_workgroup_invocations);
    else
        info->usable = 1;
}
