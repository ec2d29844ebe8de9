/* The device's measured limits, for whoever compares a profile with them. */
#include "delegate/vulkan/peaks.h"
#include "assay_gpu.h"
#include "delegate/base/struct_copy.h"
#include "delegate/runtime/delegate.h"

#include <stdio.h>

int assay_gpu_measure_peaks(TfLiteDelegate *delegate, struct assay_gpu_peaks *peaks, char *error,
                            size_t error_bytes)
{
    struct gpu_delegate *const d = delegate_acquire(delegate);
    struct assay_gpu_peaks mine = { .floor_us = 0 };
    struct diag diag = { .status = STATUS_OK };

    if (!d)
        diag_fail(&diag, STATUS_USAGE, "not a delegate of this library");
    else
        peaks_measure(d->device, &mine, &diag);
    if (error && error_bytes > 0)
        snprintf(error, error_bytes, "%s", diag.status == STATUS_OK ? "" : diag.text);
    if (d)
        delegate_release(d);
    return diag.status == STATUS_OK ? struct_copy_out(peaks, &mine, sizeof mine) : -1;
}
