#include "delegate/vulkan/external.h"

#include "delegate/vulkan/result.h"

#include <string.h>
#include <unistd.h>

static VkExternalMemoryHandleTypeFlagBits handle_type(int kind)
{
    switch (kind) {
    case ASSAY_GPU_OPAQUE_FD:
    case ASSAY_GPU_NEW_OPAQUE_FD: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    case ASSAY_GPU_DMA_BUF:
    case ASSAY_GPU_NEW_DMA_BUF: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    default: return 0;
    }
}

static const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/* Whether the device can import (else export) such buffers; *dedicated: only with a dedicated
 * allocation. */
static enum status check_sharing(const struct device *d, VkExternalMemoryHandleTypeFlagBits type,
                                 bool import, bool *dedicated, struct diag *diag)
{
    const bool dma_buf = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    const char *what = dma_buf ? "a dma-buf" : "an opaque fd";
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = usage,
        .handleType = type
    };
    VkExternalBufferProperties p = { .sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES };
    const VkExternalMemoryFeatureFlags wanted = import ? VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT
                                                       : VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;

    if (!d->info.external_memory_fd || (dma_buf && !d->info.external_memory_dma_buf))
        return diag_fail(diag, STATUS_UNSUPPORTED, "device '%s' lacks %s, which %s needs",
                         d->info.name,
                         d->info.external_memory_fd ? "VK_EXT_external_memory_dma_buf"
                                                    : "VK_KHR_external_memory_fd",
                         what);
    vkGetPhysicalDeviceExternalBufferProperties(d->physical, &info, &p);
    if (!(p.externalMemoryProperties.externalMemoryFeatures & wanted))
        return diag_fail(diag, STATUS_UNSUPPORTED, "device '%s' does not %s memory as %s",
                         d->info.name, import ? "import" : "export", what);
    *dedicated = p.externalMemoryProperties.externalMemoryFeatures &
                 VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
    return STATUS_OK;
}

static enum status make_buffer(struct external_buffer *b, struct device *d, VkDeviceSize bytes,
                               VkExternalMemoryHandleTypeFlagBits type, VkMemoryRequirements *needs,
                               struct diag *diag)
{
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = type
    };
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .pNext = type ? &external : NULL,
                                      .size = bytes,
                                      .usage = usage };
    const VkResult r = vkCreateBuffer(d->handle, &info, NULL, &b->buffer);

    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkCreateBuffer", r);
    vkGetBufferMemoryRequirements(d->handle, b->buffer, needs);
    return STATUS_OK;
}

static enum status allocate(struct external_buffer *b, struct device *d,
                            const VkMemoryAllocateInfo *info, struct diag *diag)
{
    VkResult r = vkAllocateMemory(d->handle, info, NULL, &b->memory);

    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkAllocateMemory", r);
    if ((r = vkBindBufferMemory(d->handle, b->buffer, b->memory, 0)) != VK_SUCCESS)
        return result_fail_call(diag, "vkBindBufferMemory", r);
    return STATUS_OK;
}

/* ---- import ---- */

/* The memory types that a dma-buf can be imported as, and its size when the caller gives none. */
static enum status read_dma_buf(struct device *d, int fd, uint32_t *types, VkDeviceSize *bytes,
                                struct diag *diag)
{
    const PFN_vkGetMemoryFdPropertiesKHR look = (PFN_vkGetMemoryFdPropertiesKHR)vkGetDeviceProcAddr(
        d->handle, "vkGetMemoryFdPropertiesKHR");
    VkMemoryFdPropertiesKHR p = { .sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR };
    const off_t end = lseek(fd, 0, SEEK_END);
    VkResult r;

    if (!look)
        return diag_fail(diag, STATUS_UNSUPPORTED, "vkGetMemoryFdPropertiesKHR is missing");
    r = look(d->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, fd, &p);
    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkGetMemoryFdPropertiesKHR", r);
    *types = p.memoryTypeBits;
    if (*bytes == 0 && end > 0)
        *bytes = (VkDeviceSize)end;
    return STATUS_OK;
}

static enum status choose_type(const struct device *d, const struct assay_gpu_buffer *given,
                               uint32_t types, uint32_t *chosen, struct diag *diag)
{
    const bool opaque = given->kind == ASSAY_GPU_OPAQUE_FD;

    for (uint32_t i = opaque ? given->memory_type : 0; i < d->memory.memoryTypeCount; i++)
        if (types & 1u << i) {
            *chosen = i;
            if (opaque && i != given->memory_type)
                break;
            return STATUS_OK;
        }
    return opaque ? diag_fail(
                        diag, STATUS_UNSUPPORTED,
                        "memory_type %u: expected one of the bits 0x%x (the device has %u types)",
                        given->memory_type, types, d->memory.memoryTypeCount)
                  : diag_fail(diag, STATUS_UNSUPPORTED,
                              "the dma-buf and the device's buffers have no memory type in common");
}

enum status external_import(struct external_buffer *b, struct device *d,
                            const struct assay_gpu_buffer *given, VkDeviceSize bytes,
                            struct diag *diag)
{
    const VkExternalMemoryHandleTypeFlagBits type = handle_type(given->kind);
    VkDeviceSize allocated = given->allocation_bytes;
    VkImportMemoryFdInfoKHR import = { .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                       .handleType = type };
    VkMemoryDedicatedAllocateInfo own = { .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                          .pNext = &import };
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &import };
    VkMemoryRequirements needs;
    uint32_t types = ~0u;
    bool dedicated;
    enum status s;

    if (given->fd < 0)
        return diag_fail(diag, STATUS_USAGE, "fd %d is not a file descriptor", given->fd);
    TRY(check_sharing(d, type, true, &dedicated, diag));
    if (given->kind == ASSAY_GPU_DMA_BUF)
        TRY(read_dma_buf(d, given->fd, &types, &allocated, diag));
    if (allocated < bytes)
        return diag_fail(diag, STATUS_USAGE,
                         "the exported memory has %llu bytes (allocation_bytes), offset and size "
                         "end at %llu",
                         (unsigned long long)allocated, (unsigned long long)(bytes));
    TRY(make_buffer(b, d, bytes, type, &needs, diag));
    if (needs.size > allocated)
        return diag_fail(diag, STATUS_USAGE,
                         "the exported memory has %llu bytes, the device needs %llu for a buffer "
                         "of %llu",
                         (unsigned long long)allocated, (unsigned long long)needs.size,
                         (unsigned long long)(bytes));
    TRY(choose_type(d, given, types & needs.memoryTypeBits, &info.memoryTypeIndex, diag));
    info.allocationSize = allocated;
    own.buffer = b->buffer;
    if (dedicated)
        info.pNext = &own;
    /* A successful import takes ownership of the descriptor, so import a duplicate. */
    if ((import.fd = dup(given->fd)) < 0)
        return diag_fail(diag, STATUS_USAGE, "fd %d cannot be duplicated", given->fd);
    s = allocate(b, d, &info, diag);
    if (!b->memory)
        close(import.fd);
    b->foreign = true;
    return diag_prefix(diag, s, "fd %d, %llu bytes", given->fd, (unsigned long long)allocated);
}

/* ---- host memory ---- */

static int coherent_type(const struct device *d, uint32_t types)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++)
        if (types & 1u << i && (d->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return (int)i;
    return -1;
}

/* The memory types that the pointer can be imported as. */
static enum status read_host_pointer(struct device *d, const void *memory, uint32_t *types,
                                     struct diag *diag)
{
    const PFN_vkGetMemoryHostPointerPropertiesEXT look =
        (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(
            d->handle, "vkGetMemoryHostPointerPropertiesEXT");
    VkMemoryHostPointerPropertiesEXT p = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT
    };
    VkResult r;

    if (!look)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "vkGetMemoryHostPointerPropertiesEXT is missing");
    r = look(d->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, memory, &p);
    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkGetMemoryHostPointerPropertiesEXT", r);
    *types = p.memoryTypeBits;
    return STATUS_OK;
}

enum status external_import_host(struct external_buffer *b, struct device *d, void *memory,
                                 VkDeviceSize bytes, struct diag *diag)
{
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = memory
    };
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &import,
                                  .allocationSize = bytes };
    const uint64_t align = d->limits.host_pointer_alignment;
    VkMemoryRequirements needs;
    uint32_t types = 0;
    int type;

    if (align == 0)
        return diag_fail(diag, STATUS_UNSUPPORTED, "device '%s' imports no host memory",
                         d->info.name);
    if ((uintptr_t)memory % align != 0 || bytes % align != 0)
        return diag_fail(diag, STATUS_USAGE,
                         "host memory: expected an address and a size that are multiples of %llu, "
                         "found %p and %llu",
                         (unsigned long long)align, memory, (unsigned long long)bytes);
    TRY(read_host_pointer(d, memory, &types, diag));
    TRY(make_buffer(b, d, bytes, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, &needs,
                    diag));
    type = coherent_type(d, types & needs.memoryTypeBits);
    if (type < 0 || needs.size > bytes)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "device '%s': %llu bytes of host memory cannot be a buffer: it needs %llu "
                         "bytes, and one of the memory types 0x%x",
                         d->info.name, (unsigned long long)bytes, (unsigned long long)needs.size,
                         types & needs.memoryTypeBits);
    info.memoryTypeIndex = (uint32_t)type;
    return allocate(b, d, &info, diag);
}

/* ---- export ---- */

static int local_type(const struct device *d, uint32_t types)
{
    int any = -1;

    for (uint32_t i = 0; i < d->memory.memoryTypeCount; i++) {
        if (!(types & 1u << i))
            continue;
        if (d->memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
            return (int)i;
        if (any < 0)
            any = (int)i;
    }
    return any;
}

static enum status get_fd(struct external_buffer *b, struct device *d,
                          VkExternalMemoryHandleTypeFlagBits type, int *fd, struct diag *diag)
{
    const PFN_vkGetMemoryFdKHR get =
        (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(d->handle, "vkGetMemoryFdKHR");
    const VkMemoryGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                        .memory = b->memory,
                                        .handleType = type };
    VkResult r;

    if (!get)
        return diag_fail(diag, STATUS_UNSUPPORTED, "vkGetMemoryFdKHR is missing");
    r = get(d->handle, &info, fd);
    return r == VK_SUCCESS ? STATUS_OK : result_fail_call(diag, "vkGetMemoryFdKHR", r);
}

enum status external_make(struct external_buffer *b, struct device *d,
                          struct assay_gpu_buffer *given, VkDeviceSize bytes, struct diag *diag)
{
    const VkExternalMemoryHandleTypeFlagBits type = handle_type(given->kind);
    const VkExportMemoryAllocateInfo export = { .sType =
                                                    VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                .handleTypes = type };
    VkMemoryDedicatedAllocateInfo own = { .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                          .pNext = &export };
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = type ? &export : NULL };
    VkMemoryRequirements needs;
    bool dedicated = false;
    int memory_type;

    if (type)
        TRY(check_sharing(d, type, false, &dedicated, diag));
    TRY(make_buffer(b, d, bytes, type, &needs, diag));
    if ((memory_type = local_type(d, needs.memoryTypeBits)) < 0)
        return diag_fail(diag, STATUS_UNSUPPORTED, "the device has no memory type for the buffer");
    info.allocationSize = needs.size;
    info.memoryTypeIndex = (uint32_t)memory_type;
    own.buffer = b->buffer;
    if (dedicated)
        info.pNext = &own;
    TRY(allocate(b, d, &info, diag));
    given->fd = -1;
    if (type)
        TRY(get_fd(b, d, type, &given->fd, diag));
    given->allocation_bytes = needs.size;
    given->memory_type = (uint32_t)memory_type;
    memcpy(given->device_uuid, d->device_uuid, sizeof given->device_uuid);
    b->foreign = type != 0;
    return STATUS_OK;
}

void external_close(struct external_buffer *b, struct device *d)
{
    vkDestroyBuffer(d->handle, b->buffer, NULL);
    vkFreeMemory(d->handle, b->memory, NULL);
    *b = (struct external_buffer){ .foreign = false };
}
