/* Feeds a model from a Vulkan buffer of another VkDevice, such as a camera's, a renderer's or a
 * decoder's.  The buffer's memory is exported as a file descriptor (VK_KHR_external_memory_fd), and
 * the delegate reads the picture there.
 *
 *     feed_fd MODEL.tflite
 *
 * The producer here fills its buffer with one value on its own queue.  Prints the index of the
 * largest output for pictures of zeros and of ones, and how many tensors the host copied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "assay_gpu.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"

/* ---- the producer: it knows nothing of models ---- */

struct producer {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize allocation_bytes;
    uint32_t memory_type;
};

/* Opens the physical device with this UUID: a device imports memory of the same device only. */
static int open_device(struct producer *p, const uint8_t uuid[ASSAY_GPU_UUID_BYTES],
                       uint32_t family)
{
    const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                    .apiVersion = VK_API_VERSION_1_1 };
    const VkInstanceCreateInfo instance = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                            .pApplicationInfo = &app };
    static const char *const extensions[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME };
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                            .queueFamilyIndex = family,
                                            .queueCount = 1,
                                            .pQueuePriorities = &priority };
    const VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                        .queueCreateInfoCount = 1,
                                        .pQueueCreateInfos = &queue,
                                        .enabledExtensionCount = 1,
                                        .ppEnabledExtensionNames = extensions };
    VkPhysicalDevice all[16];
    uint32_t count = 16;

    if (vkCreateInstance(&instance, NULL, &p->instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(p->instance, &count, all) < VK_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceIDProperties id = { .sType =
                                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
        VkPhysicalDeviceProperties2 properties = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id
        };

        vkGetPhysicalDeviceProperties2(all[i], &properties);
        if (memcmp(id.deviceUUID, uuid, VK_UUID_SIZE) == 0)
            p->physical = all[i];
    }
    if (!p->physical || vkCreateDevice(p->physical, &device, NULL, &p->device) != VK_SUCCESS)
        return 0;
    vkGetDeviceQueue(p->device, family, 0, &p->queue);
    return 1;
}

static int open_buffer(struct producer *p, VkDeviceSize bytes)
{
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
    };
    const VkBufferCreateInfo buffer = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                        .pNext = &external,
                                        .size = bytes,
                                        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                 VK_BUFFER_USAGE_TRANSFER_DST_BIT };
    const VkExportMemoryAllocateInfo export = { .sType =
                                                    VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                .handleTypes =
                                                    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
    VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = &export };
    VkPhysicalDeviceMemoryProperties types;
    VkMemoryRequirements needs;

    if (vkCreateBuffer(p->device, &buffer, NULL, &p->buffer) != VK_SUCCESS)
        return 0;
    vkGetBufferMemoryRequirements(p->device, p->buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(p->physical, &types);
    while (
        p->memory_type < types.memoryTypeCount &&
        (!(needs.memoryTypeBits & 1u << p->memory_type) ||
         !(types.memoryTypes[p->memory_type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)))
        p->memory_type++;
    allocate.allocationSize = p->allocation_bytes = needs.size;
    allocate.memoryTypeIndex = p->memory_type;
    return vkAllocateMemory(p->device, &allocate, NULL, &p->memory) == VK_SUCCESS &&
           vkBindBufferMemory(p->device, p->buffer, p->memory, 0) == VK_SUCCESS;
}

static int open_commands(struct producer *p, uint32_t family)
{
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = family };
    VkCommandBufferAllocateInfo commands = { .sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1 };

    if (vkCreateCommandPool(p->device, &pool, NULL, &p->pool) != VK_SUCCESS)
        return 0;
    commands.commandPool = p->pool;
    return vkAllocateCommandBuffers(p->device, &commands, &p->commands) == VK_SUCCESS;
}

/* Fills the buffer, and releases it to VK_QUEUE_FAMILY_EXTERNAL: the delegate acquires it from
 * there. */
static int produce(struct producer *p, uint32_t family, float value)
{
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    const VkBufferMemoryBarrier release = { .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                            .srcQueueFamilyIndex = family,
                                            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
                                            .buffer = p->buffer,
                                            .size = VK_WHOLE_SIZE };
    const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &p->commands };
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (vkBeginCommandBuffer(p->commands, &begin) != VK_SUCCESS)
        return 0;
    vkCmdFillBuffer(p->commands, p->buffer, 0, VK_WHOLE_SIZE, bits);
    vkCmdPipelineBarrier(p->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 1, &release, 0, NULL);
    return vkEndCommandBuffer(p->commands) == VK_SUCCESS &&
           vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueueWaitIdle(p->queue) == VK_SUCCESS;
}

static int export_memory(const struct producer *p)
{
    const VkMemoryGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                        .memory = p->memory,
                                        .handleType =
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
    const PFN_vkGetMemoryFdKHR get =
        (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(p->device, "vkGetMemoryFdKHR");
    int fd = -1;

    return get && get(p->device, &info, &fd) == VK_SUCCESS ? fd : -1;
}

static void close_producer(struct producer *p)
{
    if (p->device) {
        vkDestroyCommandPool(p->device, p->pool, NULL);
        vkDestroyBuffer(p->device, p->buffer, NULL);
        vkFreeMemory(p->device, p->memory, NULL);
        vkDestroyDevice(p->device, NULL);
    }
    if (p->instance)
        vkDestroyInstance(p->instance, NULL);
}

/* ---- the model ---- */

static void print_message(const char *message)
{
    fprintf(stderr, "delegate: %s\n", message);
}

/* Binds the input to the producer's memory.  ASSAY_LAYOUT_DENSE: elements as in the host's tensor,
 * which a step on the device converts to the layout of the shaders. */
static int bind(TfLiteDelegate *gpu, TfLiteInterpreter *interpreter, const struct producer *p,
                const uint8_t uuid[ASSAY_GPU_UUID_BYTES])
{
    const TfLiteTensor *in = TfLiteInterpreterGetInputTensor(interpreter, 0);
    struct assay_gpu_buffer buffer = {
        .struct_size = sizeof buffer,
        .kind = ASSAY_GPU_OPAQUE_FD,
        .layout = ASSAY_LAYOUT_DENSE,
        .tensor = TfLiteInterpreterInputTensorIndices(interpreter)[0],
        .partition = -1,
        .size = TfLiteTensorByteSize(in),
        .fd = export_memory(p),
        .allocation_bytes = p->allocation_bytes,
        .memory_type = p->memory_type,
    };
    char error[512] = "";
    int failed;

    memcpy(buffer.device_uuid, uuid, sizeof buffer.device_uuid);
    failed = assay_gpu_bind_buffer_to_tensor(gpu, &buffer, error, sizeof error);
    if (failed)
        print_message(error);
    if (buffer.fd >= 0)
        close(buffer.fd); /* the delegate has duplicated it */
    return !failed;
}

static int largest(const TfLiteTensor *t)
{
    const float *values = TfLiteTensorData(t);
    size_t best = 0;

    for (size_t i = 1; i < TfLiteTensorByteSize(t) / sizeof *values; i++)
        if (values[i] > values[best])
            best = i;
    return (int)best;
}

static int run(TfLiteDelegate *gpu, TfLiteInterpreter *interpreter, struct producer *p)
{
    struct assay_gpu_vulkan vulkan = { .struct_size = sizeof vulkan };
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    int answers[2];

    if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk ||
        assay_gpu_get_device(gpu, &vulkan) != 0)
        return 0;
    if (!vulkan.external_memory_fd) {
        printf("the device has no VK_KHR_external_memory_fd\n");
        return 1;
    }
    if (!open_device(p, vulkan.device_uuid, vulkan.queue_family) ||
        !open_buffer(p, TfLiteTensorByteSize(TfLiteInterpreterGetInputTensor(interpreter, 0))) ||
        !open_commands(p, vulkan.queue_family) || !bind(gpu, interpreter, p, vulkan.device_uuid))
        return 0;
    for (int i = 0; i < 2; i++) {
        if (!produce(p, vulkan.queue_family, (float)i) ||
            TfLiteInterpreterInvoke(interpreter) != kTfLiteOk)
            return 0;
        answers[i] = largest(TfLiteInterpreterGetOutputTensor(interpreter, 0));
    }
    if (assay_gpu_get_stats(gpu, &stats) != 0)
        return 0;
    printf("largest outputs %d and %d; copied by the host: %d tensors in two inferences, the "
           "outputs\n",
           answers[0], answers[1], (int)stats.host_copies);
    return stats.host_copies == 2;
}

int main(int argc, char **argv)
{
    TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
    TfLiteDelegate *gpu = assay_gpu_delegate_create(NULL, print_message);
    struct producer producer = { 0 };
    TfLiteInterpreter *interpreter = NULL;
    TfLiteModel *model = NULL;
    int ok = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: feed_fd MODEL.tflite\n");
        return 2;
    }
    if (gpu && (model = TfLiteModelCreateFromFile(argv[1]))) {
        TfLiteInterpreterOptionsAddDelegate(options, gpu);
        interpreter = TfLiteInterpreterCreate(model, options);
        ok = run(gpu, interpreter, &producer);
    }
    TfLiteInterpreterDelete(interpreter);
    assay_gpu_delegate_destroy(gpu);
    TfLiteInterpreterOptionsDelete(options);
    TfLiteModelDelete(model);
    close_producer(&producer);
    return !ok;
}
