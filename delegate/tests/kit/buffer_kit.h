/* A Vulkan device of the test beside the delegate's, and buffers on either, as in a program that
 * binds its own buffers to the delegate. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_BUFFER_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_BUFFER_KIT_H

#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"

#include "assay_gpu.h"

#include <stdlib.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

/* kit_find_device under the validation layer where that is installed: it fails whatever it has a
 * message about.  Its own leaks would be taken for ours under a sanitizer. */
void kit_find_validated_device(const char *what);

void kit_run(struct interpreter *in);
void kit_read(struct interpreter *in, int tensor);

/* ---- a device ---- */

struct kit_vulkan {
    VkInstance instance; /* of our own; VK_NULL_HANDLE: it is the delegate's device */
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    TfLiteDelegate *owner; /* the delegate, whose queue is locked */
};

struct kit_vulkan kit_vulkan_of(TfLiteDelegate *d);
/* The physical device that the delegate would take, with the extensions; false where it lacks
 * them. */
bool kit_open_vulkan(struct kit_vulkan *v);
void kit_close_vulkan(struct kit_vulkan *v);

/* ---- buffers ---- */

struct kit_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceSize bytes, allocated;
    uint32_t type;
    void *map; /* NULL: not host-visible */
};

/* imported: a descriptor, which goes to Vulkan, of `allocated` bytes; -1: host-visible memory, but
 * exported: device-local. */
struct kit_buffer kit_buffer_open(const struct kit_vulkan *v, VkDeviceSize bytes, bool exported,
                                  int imported, VkDeviceSize allocated, uint32_t type);
/* Host-visible. */
struct kit_buffer kit_buffer(const struct kit_vulkan *v, VkDeviceSize bytes);
void kit_buffer_close(const struct kit_vulkan *v, struct kit_buffer *b);
int kit_export(const struct kit_vulkan *v, const struct kit_buffer *b);
/* A copy on the device's queue.  acquire, release: the buffers that another device has, before and
 * after. */
void kit_copy(const struct kit_vulkan *v, const struct kit_buffer *from,
              const struct kit_buffer *to, VkDeviceSize bytes, bool acquire, bool release);

/* ---- layouts ---- */

/* Rows of channels as slices of 4 floats, and back; padding is junk that must not matter. */
void kit_to_slices(float *to, const float *from, uint32_t rows, uint32_t channels);
void kit_from_slices(float *to, const float *from, uint32_t rows, uint32_t channels);
/* Binds; error is empty when it went well. */
int kit_bind(TfLiteDelegate *d, struct assay_gpu_buffer *b, char error[512]);
void kit_must_bind(TfLiteDelegate *d, struct assay_gpu_buffer *b);
void kit_bind_buffer(TfLiteDelegate *d, const struct kit_vulkan *v, int tensor, int layout,
                     const struct kit_buffer *buffer);
void kit_unbind(TfLiteDelegate *d, int tensor);
struct assay_gpu_io kit_io(TfLiteDelegate *d, int tensor);
struct assay_gpu_stats kit_stats(TfLiteDelegate *d);

#endif
