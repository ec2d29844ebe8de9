#include "delegate/vulkan/device.h"

#include "delegate/base/clock.h"
#include "delegate/base/lock.h"
#include "delegate/vulkan/cooperative_matrix.h"
#include "delegate/vulkan/device_choose.h"
#include "delegate/vulkan/device_info.h"
#include "delegate/vulkan/instance.h"
#include "delegate/vulkan/llvm_clash.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <string.h>
#include <unistd.h>

enum { DEVICES_MAX = 64 };

/* Guards the list of open devices, and instance.c. */
static struct lock lock = LOCK_INITIALIZER(LOCK_RANK_DEVICES);
static struct device *open_devices;

static enum status enumerate(VkInstance instance, VkPhysicalDevice devices[], uint32_t *count,
                             struct diag *diag)
{
    VkResult r;

    *count = DEVICES_MAX;
    r = vkEnumeratePhysicalDevices(instance, count, devices);
    if (r != VK_SUCCESS && r != VK_INCOMPLETE) {
        result_fail_call(diag, "vkEnumeratePhysicalDevices", r);
        return diag_prefix(diag, STATUS_NO_DEVICE, "no usable Vulkan");
    }
    if (*count == 0)
        return diag_fail(diag, STATUS_NO_DEVICE, "Vulkan reports no physical device");
    return STATUS_OK;
}

int device_list(struct assay_gpu_device *devices, int room, struct diag *diag)
{
    VkPhysicalDevice physical[DEVICES_MAX];
    VkInstance instance;
    uint32_t count = 0;
    enum status s;

    lock_acquire(&lock);
    s = instance_get(&instance, diag);
    if (s == STATUS_OK) {
        s = enumerate(instance, physical, &count, diag);
        for (uint32_t i = 0; i < count && s == STATUS_OK && (int)i < room; i++) {
            struct device_limits limits;
            int family;

            device_describe(instance, physical[i], (int)i, &devices[i], &limits, &family);
        }
    }
    lock_release(&lock);
    return s == STATUS_OK ? (int)count : -1;
}

static void read_identity(struct device *d)
{
    VkPhysicalDeviceIDProperties id = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
    VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                      .pNext = &id };

    vkGetPhysicalDeviceProperties2(d->physical, &p);
    memcpy(d->device_uuid, id.deviceUUID, sizeof d->device_uuid);
    memcpy(d->driver_uuid, id.driverUUID, sizeof d->driver_uuid);
    memcpy(d->pipeline_uuid, p.properties.pipelineCacheUUID, sizeof d->pipeline_uuid);
    d->driver_version = p.properties.driverVersion;
    d->timestamp_ns = d->info.timestamps ? (double)p.properties.limits.timestampPeriod : 0;
}

/* Whether the largest device-local heap has a host-visible memory type. */
static bool host_writes(const VkPhysicalDeviceMemoryProperties *m)
{
    enum { WANTED = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT };
    VkDeviceSize largest = 0;
    uint32_t heap = 0;

    for (uint32_t i = 0; i < m->memoryHeapCount; i++)
        if (m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
            m->memoryHeaps[i].size > largest) {
            largest = m->memoryHeaps[i].size;
            heap = i;
        }
    for (uint32_t i = 0; i < m->memoryTypeCount && largest > 0; i++)
        if (m->memoryTypes[i].heapIndex == heap &&
            (m->memoryTypes[i].propertyFlags & WANTED) == WANTED)
            return true;
    return false;
}

static enum status create_device(struct device *d, struct diag *diag)
{
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueFamilyIndex = d->queue_family,
                                            .queueCount = 1,
                                            .pQueuePriorities = &priority };
    VkPhysicalDevice16BitStorageFeatures storage16 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
        .storageBuffer16BitAccess = d->info.storage_16bit ? VK_TRUE : VK_FALSE
    };
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
        .shaderIntegerDotProduct = VK_TRUE
    };
    VkPhysicalDeviceShaderFloat16Int8Features float16 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
        .shaderFloat16 = VK_TRUE
    };
    struct cooperative_matrix_features matrix;
    const char *extensions[5 + COOPERATIVE_MATRIX_EXTENSIONS];
    VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &storage16,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue,
                                .ppEnabledExtensionNames = extensions };
    VkResult r;

    if (d->info.integer_dot_product) {
        storage16.pNext = &dot;
        extensions[info.enabledExtensionCount++] = VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME;
    }
    if (d->info.external_memory_fd)
        extensions[info.enabledExtensionCount++] = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
    if (d->info.external_memory_dma_buf)
        extensions[info.enabledExtensionCount++] = VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME;
    if (d->limits.host_pointer_alignment > 0)
        extensions[info.enabledExtensionCount++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    if (d->limits.matrix.kind != MATRIX_NONE) {
        cooperative_matrix_enable(&matrix, d->limits.matrix.kind, d->limits.matrix.bytes,
                                  storage16.pNext);
        storage16.pNext = &matrix.matrix;
        for (int i = 0; i < COOPERATIVE_MATRIX_EXTENSIONS; i++)
            extensions[info.enabledExtensionCount++] = matrix.extensions[i];
    }
    if (d->limits.shader_float16 && d->limits.matrix.kind == MATRIX_NONE) { /* which has it, too */
        float16.pNext = storage16.pNext;
        storage16.pNext = &float16;
        extensions[info.enabledExtensionCount++] = VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME;
    }
    r = vkCreateDevice(d->physical, &info, NULL, &d->handle);
    if (r != VK_SUCCESS) {
        d->handle = VK_NULL_HANDLE;
        result_fail_call(diag, "vkCreateDevice", r);
        return diag_prefix(diag, STATUS_NO_DEVICE, "device '%s'", d->info.name);
    }
    vkGetDeviceQueue(d->handle, d->queue_family, 0, &d->queue);
    return STATUS_OK;
}

static void read_device(struct device *d)
{
    vkGetPhysicalDeviceMemoryProperties(d->physical, &d->memory);
    d->host_writes = host_writes(&d->memory);
    read_identity(d);
    d->bindings = d->limits.max_storage_buffers < PLAN_BINDINGS ? d->limits.max_storage_buffers
                                                                : PLAN_BINDINGS;
}

static enum status create_layouts(struct device *d, struct diag *diag)
{
    VkDescriptorSetLayoutBinding bindings[PLAN_BINDINGS];
    const VkPushConstantRange push = { VK_SHADER_STAGE_COMPUTE_BIT, 0, PLAN_PUSH_BYTES };
    VkDescriptorSetLayoutCreateInfo set = { .sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = d->bindings,
                                            .pBindings = bindings };
    VkPipelineLayoutCreateInfo layout = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = 1,
                                          .pSetLayouts = &d->set_layout,
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &push };
    VkResult r;

    for (uint32_t i = 0; i < d->bindings; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){ i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                      VK_SHADER_STAGE_COMPUTE_BIT, NULL };
    r = vkCreateDescriptorSetLayout(d->handle, &set, NULL, &d->set_layout);
    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkCreateDescriptorSetLayout", r);
    r = vkCreatePipelineLayout(d->handle, &layout, NULL, &d->layout);
    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkCreatePipelineLayout", r);
    pipelines_open(&d->pipelines, d->handle, d->layout, d->info.integer_dot_product);
    return STATUS_OK;
}

/* The device may be half opened. */
static void device_close(struct device *d)
{
    pipelines_close(&d->pipelines);
    blocks_close(&d->blocks, d->handle);
    if (d->handle) {
        vkDestroyPipelineLayout(d->handle, d->layout, NULL);
        vkDestroyDescriptorSetLayout(d->handle, d->set_layout, NULL);
        if (!d->given)
            vkDestroyDevice(d->handle, NULL);
    }
    lock_destroy(&d->queue_lock);
    lock_destroy(&d->selftest_lock);
    mem_free(d);
}

static void init_locks(struct device *d)
{
    lock_init(&d->queue_lock, LOCK_RANK_QUEUE, 0);
    blocks_init(&d->blocks);
    pipelines_init(&d->pipelines);
    lock_init(&d->selftest_lock, LOCK_RANK_SELFTEST, 0);
}

static enum status device_open(struct device **out, VkInstance instance,
                               const struct device_candidate *c, struct device_cost *cost,
                               struct diag *diag)
{
    struct device *d = mem_alloc(1, sizeof *d);
    uint64_t before;
    enum status s;

    if (!d)
        return diag_fail(diag, STATUS_NO_MEMORY, "device '%s': out of memory", c->info.name);
    d->process = getpid();
    d->losses = result_lost_count();
    d->instance = instance;
    d->physical = c->physical;
    d->info = c->info;
    d->limits = c->limits;
    d->queue_family = (uint32_t)c->family;
    init_locks(d);
    before = clock_ns();
    s = create_device(d, diag);
    if (s == STATUS_OK)
        read_device(d);
    cost->device_ns = clock_ns() - before;
    if (s != STATUS_OK || (s = create_layouts(d, diag)) != STATUS_OK) {
        device_close(d);
        return s;
    }
    *out = d;
    return STATUS_OK;
}

static enum status acquire(VkInstance instance, struct device **out, const char *wanted, bool half,
                           struct device_cost *cost, struct diag *diag)
{
    VkPhysicalDevice physical[DEVICES_MAX];
    const uint64_t before = clock_ns();
    struct device_candidate *candidates;
    uint32_t count;
    enum status s;
    int i;

    TRY(enumerate(instance, physical, &count, diag));
    if (!(candidates = mem_alloc(count, sizeof *candidates)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%u devices: out of memory", count);
    for (uint32_t j = 0; j < count; j++) {
        candidates[j].physical = physical[j];
        device_describe(instance, physical[j], (int)j, &candidates[j].info, &candidates[j].limits,
                        &candidates[j].family);
    }
    cost->enumerate_ns = clock_ns() - before;
    i = device_choose(candidates, count, wanted, half, diag);
    s = i < 0 ? STATUS_NO_DEVICE : STATUS_OK;
    if (s == STATUS_OK && candidates[i].limits.device_class == DEVICE_SOFTWARE)
        s = llvm_clash_check(candidates[i].info.name, diag);
    for (struct device *d = open_devices; d && s == STATUS_OK && !*out; d = d->next)
        if (d->physical == candidates[i].physical && !d->given && d->process == getpid() &&
            d->losses == result_lost_count())
            *out = d;
    if (s == STATUS_OK && !*out) {
        s = device_open(out, instance, &candidates[i], cost, diag);
        if (s == STATUS_OK) {
            (*out)->next = open_devices;
            open_devices = *out;
        }
    }
    mem_free(candidates);
    return s;
}

enum status device_acquire(struct device **out, const char *wanted, bool half,
                           struct device_cost *cost, struct diag *diag)
{
    VkInstance instance;
    uint64_t before;
    enum status s;

    *out = NULL;
    *cost = (struct device_cost){ 0 };
    diag_clear(diag);
    lock_acquire(&lock);
    before = clock_ns();
    s = instance_get(&instance, diag);
    cost->instance_ns = clock_ns() - before;
    if (s == STATUS_OK)
        s = acquire(instance, out, wanted, half, cost, diag);
    if (s == STATUS_OK)
        (*out)->users++;
    lock_release(&lock);
    return s;
}

/* Features and extensions that the caller did not enable cannot be used, even if the physical
 * device has them. */
static void limit_given(struct device *d, uint32_t enabled)
{
    d->info.storage_16bit &= (enabled & ASSAY_GPU_ENABLED_STORAGE_16BIT) != 0;
    d->info.external_memory_fd &= (enabled & ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_FD) != 0;
    d->info.external_memory_dma_buf &=
        d->info.external_memory_fd && (enabled & ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_DMA_BUF) != 0;
    d->info.integer_dot_product &= (enabled & ASSAY_GPU_ENABLED_INTEGER_DOT_PRODUCT) != 0;
    d->info.shader_float16 &= (enabled & ASSAY_GPU_ENABLED_SHADER_FLOAT16) != 0;
    d->limits.storage_16bit = d->info.storage_16bit;
    d->limits.shader_float16 &= d->info.shader_float16;
    d->limits.host_pointer_alignment = 0;
}

static enum status check_given(const struct device *d, bool half, struct diag *diag)
{
    if (!d->info.usable)
        return diag_fail(diag, STATUS_NO_DEVICE, "device '%s': %s", d->info.name, d->info.why_not);
    if (half && !d->info.storage_16bit)
        return diag_fail(diag, STATUS_NO_DEVICE,
                         "precision=fp16 needs storageBuffer16BitAccess enabled on the given "
                         "device '%s'",
                         d->info.name);
    return STATUS_OK;
}

static enum status adopt(struct device **out, const struct device_given *g, bool half,
                         struct diag *diag)
{
    struct device *d = mem_alloc(1, sizeof *d);
    enum status s;
    int family;

    if (!d)
        return diag_fail(diag, STATUS_NO_MEMORY, "given device: out of memory");
    d->given = true;
    d->process = getpid();
    d->instance = g->instance;
    d->physical = g->physical;
    d->handle = g->device;
    d->queue = g->queue;
    d->queue_family = g->queue_family;
    d->lock_queue = g->lock_queue;
    d->unlock_queue = g->unlock_queue;
    d->lock_user = g->lock_user;
    init_locks(d);
    device_describe(VK_NULL_HANDLE, d->physical, -1, &d->info, &d->limits, &family);
    limit_given(d, g->enabled);
    s = check_given(d, half, diag);
    if (s == STATUS_OK)
        read_device(d);
    if (s != STATUS_OK || (s = create_layouts(d, diag)) != STATUS_OK) {
        device_close(d);
        return s;
    }
    d->next = open_devices;
    open_devices = d;
    *out = d;
    return STATUS_OK;
}

enum status device_adopt(struct device **out, const struct device_given *g, bool half,
                         struct diag *diag)
{
    enum status s = STATUS_OK;

    *out = NULL;
    diag_clear(diag);
    lock_acquire(&lock);
    for (struct device *d = open_devices; d && !*out; d = d->next)
        if (d->given && d->handle == g->device && d->queue == g->queue && d->process == getpid())
            *out = d;
    s = *out ? check_given(*out, half, diag) : adopt(out, g, half, diag);
    if (s == STATUS_OK)
        (*out)->users++;
    else
        *out = NULL;
    lock_release(&lock);
    return s;
}

void device_lock_queue(struct device *d)
{
    lock_acquire(&d->queue_lock);
    if (d->lock_queue)
        d->lock_queue(d->lock_user);
}

void device_unlock_queue(struct device *d)
{
    if (d->unlock_queue)
        d->unlock_queue(d->lock_user);
    lock_release(&d->queue_lock);
}

void device_release(struct device *d)
{
    if (!d || d->process != getpid()) /* belongs to the parent of a fork: not ours to close */
        return;
    lock_acquire(&lock);
    if (--d->users == 0) {
        struct device **at = &open_devices;

        while (*at != d)
            at = &(*at)->next;
        *at = d->next;
        device_close(d);
    }
    lock_release(&lock);
}
