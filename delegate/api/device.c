/* Devices: those that there are, and the one that a delegate uses. */
#include "delegate/vulkan/device.h"

#include "assay_gpu.h"
#include "delegate/base/struct_copy.h"
#include "delegate/runtime/delegate.h"

#include <stdio.h>
#include <string.h>

int assay_gpu_devices(struct assay_gpu_device *devices, int room, char *error, size_t error_bytes)
{
    struct assay_gpu_device all[64];
    struct diag diag = { 0 };
    const int count = device_list(all, 64, &diag);

    if (count < 0 && error && error_bytes)
        snprintf(error, error_bytes, "%s", diag.text);
    for (int i = 0; devices && i < count && i < room && i < 64; i++) {
        /* The array's stride is the caller's struct. */
        if (struct_copy_out((char *)devices + (size_t)i * devices->struct_size, &all[i],
                            sizeof all[i]) != 0)
            return -1;
    }
    return count;
}

int assay_gpu_get_device(const TfLiteDelegate *delegate, struct assay_gpu_vulkan *vulkan)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_vulkan mine;

    if (!d)
        return -1;
    mine = (struct assay_gpu_vulkan){ .instance = (void *)d->device->instance,
                                      .physical_device = (void *)d->device->physical,
                                      .device = (void *)d->device->handle,
                                      .queue = (void *)d->device->queue,
                                      .queue_family = d->device->queue_family,
                                      .external_memory_fd = d->device->info.external_memory_fd,
                                      .external_memory_dma_buf =
                                          d->device->info.external_memory_dma_buf };
    memcpy(mine.device_uuid, d->device->device_uuid, sizeof mine.device_uuid);
    memcpy(mine.driver_uuid, d->device->driver_uuid, sizeof mine.driver_uuid);
    delegate_release(d);
    return struct_copy_out(vulkan, &mine, sizeof mine);
}

void assay_gpu_lock_queue(TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_acquire(delegate);

    if (d)
        device_lock_queue(d->device);
    delegate_release(d);
}

void assay_gpu_unlock_queue(TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_acquire(delegate);

    if (d)
        device_unlock_queue(d->device);
    delegate_release(d);
}
