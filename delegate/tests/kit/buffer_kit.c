#include "delegate/tests/kit/buffer_kit.h"

void kit_find_validated_device(const char *what)
{
    if (!KIT_SANITIZED)
        setenv("ASSAY_VK_VALIDATION", "1", 0);
    kit_find_device(what);
    if (!kit_device) {
        unsetenv("ASSAY_VK_VALIDATION");
        kit_find_device(what);
    }
}

void kit_run(struct interpreter *in)
{
    KIT_OK(interpreter_invoke(in, &err));
}

void kit_read(struct interpreter *in, int tensor)
{
    KIT_OK(interpreter_make_readable(in, tensor, &err));
}

/* ---- a device ---- */

struct kit_vulkan kit_vulkan_of(TfLiteDelegate *d)
{
    struct assay_gpu_vulkan v = { .struct_size = sizeof v };

    assert_int_equal(assay_gpu_get_device(d, &v), 0);
    assert_non_null(v.instance);
    return (struct kit_vulkan){ .physical = v.physical_device,
                                .device = v.device,
                                .queue = v.queue,
                                .family = v.queue_family,
                                .owner = d };
}

bool kit_open_vulkan(struct kit_vulkan *v)
{
    static const char *const extensions[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME };
    const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                    .apiVersion = VK_API_VERSION_1_1 };
    const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &app };
    const float priority = 1;
    TfLiteDelegate *d = kit_delegate(WITH("precision", "fp32"));
    struct assay_gpu_vulkan theirs = { .struct_size = sizeof theirs };
    VkPhysicalDevice all[16];
    uint32_t count = 16;

    *v = (struct kit_vulkan){ 0 };
    assert_int_equal(assay_gpu_get_device(d, &theirs), 0);
    assay_gpu_delegate_destroy(d);
    if (!theirs.external_memory_fd)
        return false;
    assert_int_equal(vkCreateInstance(&info, NULL, &v->instance), VK_SUCCESS);
    assert_true(vkEnumeratePhysicalDevices(v->instance, &count, all) >= VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceIDProperties id = { .sType =
                                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
        VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                          .pNext = &id };

        vkGetPhysicalDeviceProperties2(all[i], &p);
        if (memcmp(id.deviceUUID, theirs.device_uuid, VK_UUID_SIZE) == 0)
            v->physical = all[i];
    }
    assert_non_null(v->physical);
    v->family = theirs.queue_family;
    {
        const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueFamilyIndex = v->family,
                                                .queueCount = 1,
                                                .pQueuePriorities = &priority };
        const VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue,
                                            .enabledExtensionCount = 1,
                                            .ppEnabledExtensionNames = extensions };

        assert_int_equal(vkCreateDevice(v->physical, &device, NULL, &v->device), VK_SUCCESS);
    }
    vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
    return true;
}

void kit_close_vulkan(struct kit_vulkan *v)
{
    if (v->instance) {
        vkDestroyDevice(v->device, NULL);
        vkDestroyInstance(v->instance, NULL);
    }
    *v = (struct kit_vulkan){ 0 };
}

/* ---- buffers ---- */

static uint32_t kit_memory_type(const struct kit_vulkan *v, uint32_t allowed,
                                VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties m;

    vkGetPhysicalDeviceMemoryProperties(v->physical, &m);
    for (uint32_t i = 0; i < m.memoryTypeCount; i++)
        if (allowed & 1u << i && (m.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    fail_msg("no memory type 0x%x", wanted);
    return 0;
}

struct kit_buffer kit_buffer_open(const struct kit_vulkan *v, VkDeviceSize bytes, bool exported,
                                  int imported, VkDeviceSize allocated, uint32_t type)
{
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
    };
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .pNext = exported || imported >= 0 ? &external : NULL,
                                      .size = bytes,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT };
    const VkExportMemoryAllocateInfo export = { .sType =
                                                    VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                .handleTypes =
                                                    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
    const VkImportMemoryFdInfoKHR import = { .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                             .handleType =
                                                 VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                             .fd = imported };
    VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
    struct kit_buffer b = { .bytes = bytes };
    VkMemoryRequirements needs;

    assert_int_equal(vkCreateBuffer(v->device, &info, NULL, &b.handle), VK_SUCCESS);
    vkGetBufferMemoryRequirements(v->device, b.handle, &needs);
    b.allocated = imported >= 0 ? allocated : needs.size;
    b.type = imported >= 0 ? type
                           : kit_memory_type(v, needs.memoryTypeBits,
                                             exported ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                                      : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    allocate.allocationSize = b.allocated;
    allocate.memoryTypeIndex = b.type;
    allocate.pNext = imported >= 0 ? (const void *)&import : exported ? &export : NULL;
    assert_int_equal(vkAllocateMemory(v->device, &allocate, NULL, &b.memory), VK_SUCCESS);
    assert_int_equal(vkBindBufferMemory(v->device, b.handle, b.memory, 0), VK_SUCCESS);
    if (!exported && imported < 0)
        assert_int_equal(vkMapMemory(v->device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map), VK_SUCCESS);
    return b;
}

struct kit_buffer kit_buffer(const struct kit_vulkan *v, VkDeviceSize bytes)
{
    struct kit_buffer b = kit_buffer_open(v, bytes, false, -1, 0, 0);

    memset(b.map, 0x5a, bytes);
    return b;
}

void kit_buffer_close(const struct kit_vulkan *v, struct kit_buffer *b)
{
    vkDestroyBuffer(v->device, b->handle, NULL);
    vkFreeMemory(v->device, b->memory, NULL);
    *b = (struct kit_buffer){ 0 };
}

int kit_export(const struct kit_vulkan *v, const struct kit_buffer *b)
{
    const PFN_vkGetMemoryFdKHR get =
        (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(v->device, "vkGetMemoryFdKHR");
    const VkMemoryGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                        .memory = b->memory,
                                        .handleType =
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
    int fd = -1;

    assert_non_null(get);
    assert_int_equal(get(v->device, &info, &fd), VK_SUCCESS);
    return fd;
}

void kit_copy(const struct kit_vulkan *v, const struct kit_buffer *from,
              const struct kit_buffer *to, VkDeviceSize bytes, bool acquire, bool release)
{
    const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                .queueFamilyIndex = v->family };
    VkCommandBufferAllocateInfo allocate = { .sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1 };
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    VkBufferMemoryBarrier shared = { .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                     .size = VK_WHOLE_SIZE };
    const VkMemoryBarrier all = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT };
    const VkBufferCopy region = { .size = bytes };
    VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1 };
    VkCommandBuffer commands;
    VkCommandPool pool;

    assert_int_equal(vkCreateCommandPool(v->device, &pool_info, NULL, &pool), VK_SUCCESS);
    allocate.commandPool = pool;
    assert_int_equal(vkAllocateCommandBuffers(v->device, &allocate, &commands), VK_SUCCESS);
    assert_int_equal(vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
    if (acquire) {
        shared.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
        shared.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
        shared.dstQueueFamilyIndex = v->family;
        shared.buffer = from->handle;
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 1, &shared, 0, NULL);
    }
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
    vkCmdCopyBuffer(commands, from->handle, to->handle, 1, &region);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
    if (release) {
        shared.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        shared.dstAccessMask = 0;
        shared.srcQueueFamilyIndex = v->family;
        shared.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
        shared.buffer = to->handle;
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 1, &shared, 0, NULL);
    }
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    submit.pCommandBuffers = &commands;
    if (v->owner)
        assay_gpu_lock_queue(v->owner);
    assert_int_equal(vkQueueSubmit(v->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(vkQueueWaitIdle(v->queue), VK_SUCCESS);
    if (v->owner)
        assay_gpu_unlock_queue(v->owner);
    vkDestroyCommandPool(v->device, pool, NULL);
}

/* ---- layouts ---- */

void kit_to_slices(float *to, const float *from, uint32_t rows, uint32_t channels)
{
    const uint32_t pitch = (channels + 3) / 4 * 4;

    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < pitch; c++)
            to[r * pitch + c] = c < channels ? from[r * channels + c] : 1e30f;
}

void kit_from_slices(float *to, const float *from, uint32_t rows, uint32_t channels)
{
    const uint32_t pitch = (channels + 3) / 4 * 4;

    for (uint32_t r = 0; r < rows; r++)
        memcpy(to + (size_t)r * channels, from + (size_t)r * pitch, channels * sizeof *to);
}

int kit_bind(TfLiteDelegate *d, struct assay_gpu_buffer *b, char error[512])
{
    b->struct_size = sizeof *b;
    error[0] = '\0';
    return assay_gpu_bind_buffer_to_tensor(d, b, error, 512);
}

void kit_must_bind(TfLiteDelegate *d, struct assay_gpu_buffer *b)
{
    char error[512];

    if (kit_bind(d, b, error) != 0)
        fail_msg("%s", error);
}

void kit_bind_buffer(TfLiteDelegate *d, const struct kit_vulkan *v, int tensor, int layout,
                     const struct kit_buffer *buffer)
{
    struct assay_gpu_buffer b = { .kind = ASSAY_GPU_VK_BUFFER,
                                  .layout = layout,
                                  .tensor = tensor,
                                  .partition = -1,
                                  .vk_buffer = (uint64_t)(uintptr_t)buffer->handle,
                                  .vk_device = v->device,
                                  .size = buffer->bytes };

    kit_must_bind(d, &b);
}

void kit_unbind(TfLiteDelegate *d, int tensor)
{
    char error[512] = "";

    if (assay_gpu_unbind_tensor(d, tensor, -1, error, sizeof error) != 0)
        fail_msg("%s", error);
}

struct assay_gpu_io kit_io(TfLiteDelegate *d, int tensor)
{
    struct assay_gpu_io e = { .struct_size = sizeof e };

    for (int i = 0; assay_gpu_get_io(d, i, &e) == 0; i++)
        if (e.tensor == tensor)
            return e;
    fail_msg("tensor %d is at no edge", tensor);
    return e;
}

struct assay_gpu_stats kit_stats(TfLiteDelegate *d)
{
    struct assay_gpu_stats s = { .struct_size = sizeof s };

    assert_int_equal(assay_gpu_get_stats(d, &s), 0);
    return s;
}
