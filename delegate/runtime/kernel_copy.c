/* Copies between the tensors of the host and the staging buffers, at each inference. */
/* Speed: each inference */
#include "delegate/runtime/kernel_copy.h"

#include "delegate/base/clock.h"
#include "delegate/runtime/host_copy.h"

/* The host's tensor of an input or output, checked against what was planned. */
static enum status io_tensor(TfLiteContext *context, const struct plan_io *io, const char *what,
                             TfLiteTensor **t, struct diag *diag)
{
    if ((size_t)io->tensor >= context->tensors_size)
        return diag_fail(diag, STATUS_INVALID, "%s: expected a tensor below %zu, found %d", what,
                         context->tensors_size, io->tensor);
    *t = &context->tensors[io->tensor];
    if ((*t)->bytes != io->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: tensor %d '%s': expected %zu bytes as planned, found %zu", what,
                         io->tensor, (*t)->name ? (*t)->name : "", io->bytes, (*t)->bytes);
    return STATUS_OK;
}

static enum status check_data(const struct plan_io *io, const char *what, const TfLiteTensor *t,
                              struct diag *diag)
{
    if (!t->data.raw)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: tensor %d '%s': expected %zu bytes of data, found NULL", what,
                         io->tensor, t->name ? t->name : "", io->bytes);
    return STATUS_OK;
}

static void count_copy(struct kernel *k, size_t bytes)
{
    atomic_fetch_add(&k->host_copies, 1);
    atomic_fetch_add(&k->host_copied_bytes, bytes);
}

/* Waits until the staging buffer holds the dense bytes of an output.  The caller holds run_lock. */
static enum status wait_for_output(struct kernel *k, int i, struct diag *diag)
{
    const struct plan_io *io = &k->plan.outputs[i];

    TRY(executor_finish(&k->executor, diag));
    if (k->executor.failed)
        return diag_fail(diag, STATUS_DEVICE, "output: tensor %d: the inference failed",
                         io->tensor);
    if (!k->outputs[i].fresh)
        return diag_fail(diag, STATUS_USAGE,
                         "output: tensor %d was bound to other memory since the last inference",
                         io->tensor);
    if (!k->executor.recording.outputs[i].handle)
        return STATUS_OK;
    atomic_fetch_add(&k->device_copies, 1);
    return executor_stage_output(&k->executor, i, diag);
}

static enum status copy_output(struct kernel *k, int i, TfLiteTensor *t, struct diag *diag)
{
    const struct plan_io *io = &k->plan.outputs[i];
    void *to = k->outputs[i].memory.data;

    if (!to) {
        TRY(check_data(io, "output", t, diag));
        to = t->data.raw;
    }
    if (!io->constant)
        TRY(wait_for_output(k, i, diag));
    host_copy_out(to, io->constant ? io->constant : executor_output(&k->executor, i), io);
    count_copy(k, io->bytes);
    t->data_is_stale = false;
    return STATUS_OK;
}

enum status kernel_read_output(struct kernel *k, int i, TfLiteTensor *t, struct diag *diag)
{
    const struct plan_io *io = &k->plan.outputs[i];
    uint64_t before;
    enum status s;

    if (t->bytes != io->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "output: tensor %d: expected %zu bytes as planned, found %zu", io->tensor,
                         io->bytes, t->bytes);
    before = clock_ns();
    lock_acquire(&k->run_lock);
    s = k->ready
            ? copy_output(k, i, t, diag)
            : diag_fail(diag, STATUS_USAGE, "output: tensor %d: no inference has run", io->tensor);
    lock_release(&k->run_lock);
    atomic_fetch_add(&k->invoke_ns, clock_ns() - before);
    return s;
}

/* Acquires the lock of the kernel that k reads from; the caller holds the lock of k.  locks.def has
 * the newer kernel first.  Hosts make the kernel of a producer before that of its consumer, so k is
 * the newer one; if it is not, both locks are acquired in that order, and what k is bound to may
 * change in between. */
static void lock_source(struct kernel *k, struct kernel *source)
{
    if (source->run_lock.serial < k->run_lock.serial) {
        lock_acquire(&source->run_lock);
        return;
    }
    lock_release(&k->run_lock);
    lock_acquire(&source->run_lock);
    lock_acquire(&k->run_lock);
}

/* Copies an input that is an output of another partition, and was left on the device. */
static enum status copy_stale(struct kernel *k, int i, const TfLiteTensor *t, struct diag *diag)
{
    const struct plan_io *io = &k->plan.inputs[i];
    const struct plan_io *from;
    struct kernel *source;
    enum status s;
    int output;

    source = handle_find(t->buffer_handle, &output);
    if (!source || source == k)
        return diag_fail(diag, STATUS_INVALID,
                         "input: tensor %d '%s': buffer handle %d is not of an output of another "
                         "partition",
                         io->tensor, t->name ? t->name : "", t->buffer_handle);
    from = &source->plan.outputs[output];
    if (from->bytes != io->bytes || from->dense_bytes != io->dense_bytes)
        return diag_fail(
            diag, STATUS_INVALID,
            "input: tensor %d '%s': buffer handle %d: expected an output of %zu bytes, "
            "found %zu",
            io->tensor, t->name ? t->name : "", t->buffer_handle, io->bytes, from->bytes);
    lock_source(k, source);
    s = wait_for_output(source, output, diag);
    if (s == STATUS_OK)
        host_copy_between(executor_input(&k->executor, i), io,
                          executor_output(&source->executor, output), from->half);
    lock_release(&source->run_lock);
    return s;
}

enum status kernel_copy_input(struct kernel *k, TfLiteContext *context, int i, struct diag *diag)
{
    const struct plan_io *io = &k->plan.inputs[i];
    const void *from = k->inputs[i].memory.data;
    TfLiteTensor *t = NULL;

    TRY(io_tensor(context, io, "input", &t, diag));
    if (from) {
        host_copy_in(executor_input(&k->executor, i), from, io);
    } else if (t->data_is_stale && t->buffer_handle != kTfLiteNullBufferHandle) {
        TRY(copy_stale(k, i, t, diag));
    } else {
        TRY(check_data(io, "input", t, diag));
        host_copy_in(executor_input(&k->executor, i), t->data.raw, io);
    }
    count_copy(k, io->bytes);
    return STATUS_OK;
}

enum status kernel_return_output(struct kernel *k, TfLiteContext *context, int i, struct diag *diag)
{
    const struct plan_io *io = &k->plan.outputs[i];
    TfLiteTensor *t = NULL;

    TRY(io_tensor(context, io, "output", &t, diag));
    k->outputs[i].fresh = true;
    if (k->outputs[i].memory.data) {
        t->data_is_stale = false;
        return k->outputs[i].block ? STATUS_OK : copy_output(k, i, t, diag);
    }
    if ((k->outputs[i].unread || k->executor.recording.outputs[i].handle) &&
        handle_assign(&k->handles, i, t))
        return STATUS_OK;
    return copy_output(k, i, t, diag);
}
