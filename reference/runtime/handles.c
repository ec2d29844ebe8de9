#include "reference/runtime/handles.h"

#include "reference/runtime/report.h"

void handle_free(struct interpreter *in, TfLiteTensor *t)
{
    if (t->buffer_handle != kTfLiteNullBufferHandle && t->delegate && t->delegate->FreeBufferHandle)
        t->delegate->FreeBufferHandle(&in->context, t->delegate, &t->buffer_handle);
    t->buffer_handle = kTfLiteNullBufferHandle;
}

enum status handle_make_readable(struct interpreter *in, int tensor, struct diag *diag)
{
    TfLiteTensor *t = state_tensor(in, tensor);
    TfLiteStatus code;

    if (!t)
        return diag_fail(diag, STATUS_USAGE, "no such tensor: %d", tensor);
    if (!t->data_is_stale)
        return STATUS_OK;
    if (!t->delegate || t->buffer_handle == kTfLiteNullBufferHandle ||
        !t->delegate->CopyFromBufferHandle)
        return diag_fail(
            diag, STATUS_DEVICE,
            "tensor %d (%s): data is stale, and no delegate can copy it from its buffer "
            "handle",
            tensor, t->name ? t->name : "");
    if (!t->data.raw && t->bytes > 0)
        return diag_fail(diag, STATUS_USAGE, "tensor %d (%s) has no memory", tensor,
                         t->name ? t->name : "");
    report_clear(in);
    code = t->delegate->CopyFromBufferHandle(&in->context, t->delegate, t->buffer_handle, t);
    if (code != kTfLiteOk)
        return report_fail_quoting(in, diag, STATUS_DEVICE,
                                   "tensor %d (%s): the delegate failed to copy its buffer "
                                   "(status %d)",
                                   tensor, t->name ? t->name : "", (int)code);
    t->data_is_stale = false;
    return STATUS_OK;
}

enum status handle_set(struct interpreter *in, int tensor, int handle, TfLiteDelegate *delegate,
                       struct diag *diag)
{
    TfLiteTensor *t = state_tensor(in, tensor);

    if (!t || !delegate)
        return diag_fail(diag, STATUS_USAGE, t ? "no delegate given" : "no such tensor: %d",
                         tensor);
    if (t->delegate && t->delegate != delegate)
        return diag_fail(diag, STATUS_USAGE, "tensor %d (%s) belongs to another delegate", tensor,
                         t->name ? t->name : "");
    t->delegate = delegate;
    handle_free(in, t);
    t->buffer_handle = handle;
    return STATUS_OK;
}

enum status handle_set_custom(struct interpreter *in, int tensor, void *data, size_t bytes,
                              bool skip_align, struct diag *diag)
{
    TfLiteTensor *t = state_tensor(in, tensor);
    struct tensor_info *info;

    if (!t || !data)
        return diag_fail(diag, STATUS_USAGE,
                         t ? "no memory given for tensor %d" : "no such tensor: %d", tensor);
    if (t->allocation_type != kTfLiteArenaRw && t->allocation_type != kTfLiteArenaRwPersistent &&
        t->allocation_type != kTfLiteCustom)
        return diag_fail(
            diag, STATUS_USAGE,
            "tensor %d (%s) is constant or dynamic, expected an activation or a variable", tensor,
            t->name ? t->name : "");
    if (!skip_align && (uintptr_t)data % TENSOR_ALIGN != 0)
        return diag_fail(diag, STATUS_USAGE,
                         "tensor %d (%s): memory at an address that is not a multiple of %d",
                         tensor, t->name ? t->name : "", TENSOR_ALIGN);
    /* Before allocate the shape may still change; allocate checks again. */
    if (in->allocated && bytes < t->bytes)
        return diag_fail(diag, STATUS_USAGE,
                         "tensor %d (%s): caller's memory of %zu bytes, expected at least %zu",
                         tensor, t->name ? t->name : "", bytes, t->bytes);
    info = &in->info[tensor];
    info->custom = data;
    info->custom_bytes = bytes;
    info->placed = false;
    t->allocation_type = kTfLiteCustom;
    t->data.data = data;
    return STATUS_OK;
}
