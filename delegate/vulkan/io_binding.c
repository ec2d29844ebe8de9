#include "delegate/vulkan/io_binding.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

_Static_assert(ASSAY_GPU_UUID_BYTES == VK_UUID_SIZE, "assay_gpu_buffer");

static void print_uuid(char text[2 * VK_UUID_SIZE + 1], const uint8_t *uuid)
{
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
}

static enum status check_device(const struct device *d, const struct assay_gpu_buffer *given,
                                struct diag *diag)
{
    static const uint8_t none[VK_UUID_SIZE];
    char theirs[2 * VK_UUID_SIZE + 1], ours[2 * VK_UUID_SIZE + 1];

    if (given->kind == ASSAY_GPU_VK_BUFFER) {
        if (given->vk_device == (void *)d->handle)
            return STATUS_OK;
        return diag_fail(diag, STATUS_USAGE,
                         "vk_device: expected the delegate's VkDevice %p, found %p",
                         (void *)d->handle, given->vk_device);
    }
    if (memcmp(given->device_uuid, none, sizeof none) == 0 ||
        memcmp(given->device_uuid, d->device_uuid, sizeof none) == 0)
        return STATUS_OK;
    print_uuid(theirs, given->device_uuid);
    print_uuid(ours, d->device_uuid);
    return diag_fail(diag, STATUS_USAGE, "the memory is of device %s, the delegate's is %s", theirs,
                     ours);
}

static enum status check_range(const struct device *d, const struct assay_gpu_buffer *given,
                               size_t need, struct diag *diag)
{
    const uint64_t align = d->limits.storage_buffer_offset_alignment;

    if (given->size < need)
        return diag_fail(diag, STATUS_USAGE, "size: expected at least %zu bytes, found %llu", need,
                         (unsigned long long)given->size);
    if (align > 0 && given->offset % align != 0)
        return diag_fail(diag, STATUS_USAGE, "offset: expected a multiple of %llu, found %llu",
                         (unsigned long long)align, (unsigned long long)given->offset);
    if (given->offset > UINT64_MAX - given->size)
        return diag_fail(diag, STATUS_USAGE, "offset %llu and size %llu do not fit 64 bits",
                         (unsigned long long)given->offset, (unsigned long long)given->size);
    return STATUS_OK;
}

/* Vulkan does not tell the size of a buffer.  Its memory requirements are at least that. */
static enum status take_buffer(struct io_binding *b, const struct device *d,
                               const struct assay_gpu_buffer *given, struct diag *diag)
{
    const VkBuffer buffer = (VkBuffer)(uintptr_t)given->vk_buffer;
    VkMemoryRequirements has;

    if (!buffer)
        return diag_fail(diag, STATUS_USAGE, "vk_buffer is VK_NULL_HANDLE");
    vkGetBufferMemoryRequirements(d->handle, buffer, &has);
    if (given->offset + given->size > has.size)
        return diag_fail(
            diag, STATUS_USAGE, "offset and size end at %llu, the buffer has at most %llu bytes",
            (unsigned long long)(given->offset + given->size), (unsigned long long)has.size);
    b->external.buffer = buffer;
    return STATUS_OK;
}

/* A buffer that the caller has not made as a VkBuffer of this device. */
static enum status open_external(struct io_binding *b, struct device *d,
                                 struct assay_gpu_buffer *given, size_t need, struct diag *diag)
{
    enum status s;

    b->owned = true;
    if (given->kind == ASSAY_GPU_OPAQUE_FD || given->kind == ASSAY_GPU_DMA_BUF) {
        TRY(check_device(d, given, diag));
        TRY(check_range(d, given, need, diag));
        return external_import(&b->external, d, given, given->offset + given->size, diag);
    }
    if (given->offset != 0)
        return diag_fail(diag, STATUS_USAGE, "offset %llu of a new buffer: expected 0",
                         (unsigned long long)given->offset);
    b->bytes = given->size > need ? given->size : need;
    s = external_make(&b->external, d, given, b->bytes, diag);
    given->size = b->bytes;
    return s;
}

static enum status open_given(struct io_binding *b, struct device *d,
                              struct assay_gpu_buffer *given, size_t need, struct diag *diag)
{
    if (given->kind < ASSAY_GPU_VK_BUFFER || given->kind > ASSAY_GPU_NEW_DMA_BUF)
        return diag_fail(diag, STATUS_USAGE, "kind %d: expected 0 to %d", given->kind,
                         ASSAY_GPU_NEW_DMA_BUF);
    if (given->kind != ASSAY_GPU_VK_BUFFER)
        return open_external(b, d, given, need, diag);
    TRY(check_device(d, given, diag));
    TRY(check_range(d, given, need, diag));
    return take_buffer(b, d, given, diag);
}

enum status io_binding_open(struct io_binding *b, struct device *d, struct assay_gpu_buffer *given,
                            size_t need, struct diag *diag)
{
    enum status s;

    *b = (struct io_binding){
        .on = true, .layout = given->layout, .offset = given->offset, .bytes = given->size
    };
    s = open_given(b, d, given, need, diag);
    if (s != STATUS_OK)
        io_binding_close(b, d);
    else
        given->vk_buffer = (uint64_t)(uintptr_t)b->external.buffer;
    return s;
}

void io_binding_close(struct io_binding *b, struct device *d)
{
    if (b->owned)
        external_close(&b->external, d);
    *b = (struct io_binding){ .on = false };
}
