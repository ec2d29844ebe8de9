/* Binds the inputs and outputs of partitions to memory of the caller. */
#include "delegate/base/struct_copy.h"
#include "delegate/plan/memory.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/kernel.h"
#include "delegate/runtime/kernel_memory.h"
#include "delegate/vulkan/io_binding.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- inputs and outputs ---- */

struct io_ref {
    struct kernel *kernel;
    int partition;
    bool output;
    int index;
};

/* The inputs and outputs of a kernel are numbered, inputs first. */
static int io_count(const struct kernel *k)
{
    return k->plan.input_count + k->plan.output_count;
}

static struct io_ref io_at(struct kernel *k, int partition, int i)
{
    const bool output = i >= k->plan.input_count;

    return (struct io_ref){ k, partition, output, output ? i - k->plan.input_count : i };
}

static struct plan_io *plan_io_of(const struct io_ref *r)
{
    return r->output ? &r->kernel->plan.outputs[r->index] : &r->kernel->plan.inputs[r->index];
}

static struct kernel_io *kernel_io_of(const struct io_ref *r)
{
    return r->output ? &r->kernel->outputs[r->index] : &r->kernel->inputs[r->index];
}

/* The caller holds d->lock. */
static enum status find_io(struct gpu_delegate *d, int tensor, int partition, struct io_ref *found,
                           struct diag *diag)
{
    struct kernel *k;
    int count = 0, partitions = 0;

    for (; (k = kernel_at(d, partitions)); partitions++)
        for (int i = 0; (partition < 0 || partitions == partition) && i < io_count(k); i++) {
            const struct io_ref r = io_at(k, partitions, i);

            if (plan_io_of(&r)->tensor != tensor)
                continue;
            /* A variable tensor is an input and an output of one partition: it cannot be bound. */
            if (count > 0 && found->kernel == k)
                return diag_fail(diag, STATUS_UNSUPPORTED,
                                 "tensor %d is a variable of partition %d", tensor, partitions);
            if (count++ > 0)
                return diag_fail(
                    diag, STATUS_USAGE,
                    "tensor %d is an input or output of partitions %d and %d: set partition",
                    tensor, found->partition, partitions);
            *found = r;
        }
    if (partitions == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "tensor %d: the delegate runs no partition: modify the graph first",
                         tensor);
    if (partition >= partitions)
        return diag_fail(diag, STATUS_USAGE, "tensor %d: expected a partition below %d, found %d",
                         tensor, partitions, partition);
    if (count == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "tensor %d is not an input or output of the delegate's %d partitions",
                         tensor, partitions);
    if (!found->kernel->ready)
        return diag_fail(diag, STATUS_USAGE,
                         "tensor %d: partition %d: its tensors are not allocated yet", tensor,
                         found->partition);
    return STATUS_OK;
}

/* ---- binding ---- */

/* An input and an output as slices at the same place, of which one is the other's update. */
static bool is_update(const struct io_ref *a, const struct io_binding *at,
                      enum plan_backing backing, const struct io_ref *b)
{
    const struct io_binding *const o = &kernel_io_of(b)->bound;
    const struct plan *const plan = &a->kernel->plan;

    return a->output != b->output && at->offset == o->offset && backing == BACKING_SLICES &&
           plan_io_of(b)->backing == BACKING_SLICES &&
           plan_updates_input(plan, a->output ? b->index : a->index,
                              a->output ? a->index : b->index);
}

/* Memory that an inference writes must not be bound twice: steps would race. */
static enum status check_overlap(const struct io_ref *r, const struct io_binding *b,
                                 enum plan_backing backing, struct diag *diag)
{
    for (int i = 0; i < io_count(r->kernel); i++) {
        const struct io_ref other = io_at(r->kernel, r->partition, i);
        const struct io_binding *o = &kernel_io_of(&other)->bound;

        if (o->on && o->external.buffer == b->external.buffer && (r->output || other.output) &&
            b->offset < o->offset + o->bytes && o->offset < b->offset + b->bytes &&
            !is_update(r, b, backing, &other))
            return diag_fail(diag, STATUS_USAGE,
                             "bytes %llu to %llu of the buffer overlap those of tensor %d, %llu to "
                             "%llu",
                             (unsigned long long)b->offset,
                             (unsigned long long)(b->offset + b->bytes), plan_io_of(&other)->tensor,
                             (unsigned long long)o->offset,
                             (unsigned long long)(o->offset + o->bytes));
    }
    return STATUS_OK;
}

/* Binds an input or output to other memory.  After a failure the former binding holds. */
static enum status change_binding(const struct io_ref *r, struct io_binding *b, struct diag *diag)
{
    struct kernel *k = r->kernel;
    struct io_binding *at = &kernel_io_of(r)->bound, old = *at;
    enum status s;

    *at = *b;
    kernel_set_backing(k, r->output, r->index);
    s = kernel_replan(k, diag);
    if (s != STATUS_OK) {
        *at = old;
        kernel_set_backing(k, r->output, r->index);
        (void)kernel_replan(k, NULL); /* if it fails, the next inference tries again */
        return s;
    }
    io_binding_close(&old, k->owner->device);
    /* Bound outputs have not been written yet at their new place. */
    for (int i = 0; i < k->plan.output_count; i++)
        if (k->executor.recording.outputs[i].handle || (r->output && r->index == i))
            k->outputs[i].fresh = false;
    return STATUS_OK;
}

static enum status bind_io(const struct io_ref *r, struct assay_gpu_buffer *given,
                           struct diag *diag)
{
    struct device *d = r->kernel->owner->device;
    const struct plan_io *io = plan_io_of(r);
    const struct io_binding *old = &kernel_io_of(r)->bound;
    const enum plan_backing backing =
        given->layout == ASSAY_LAYOUT_C4 ? BACKING_SLICES : BACKING_DENSE;
    /* Shaders access dense elements of less than 4 bytes as words. */
    const size_t need = (plan_io_bytes(&r->kernel->plan, io, backing) + 3) / 4 * 4;
    struct io_binding b;
    enum status s;

    if (given->layout != ASSAY_LAYOUT_DENSE && given->layout != ASSAY_LAYOUT_C4)
        return diag_fail(diag, STATUS_USAGE, "layout %d: expected %d or %d", given->layout,
                         ASSAY_LAYOUT_DENSE, ASSAY_LAYOUT_C4);
    if (io->plan_tensor < 0)
        return diag_fail(diag, STATUS_UNSUPPORTED, "its value is a constant");
    if (old->on)
        return diag_fail(diag, STATUS_USAGE,
                         "it is bound already, to %llu bytes at offset %llu of buffer 0x%llx: "
                         "unbind it first",
                         (unsigned long long)old->bytes, (unsigned long long)old->offset,
                         (unsigned long long)(uintptr_t)old->external.buffer);
    TRY(io_binding_open(&b, d, given, need, diag));
    if ((s = check_overlap(r, &b, backing, diag)) == STATUS_OK)
        s = change_binding(r, &b, diag);
    if (s != STATUS_OK) {
        if (given->kind == ASSAY_GPU_NEW_OPAQUE_FD || given->kind == ASSAY_GPU_NEW_DMA_BUF)
            close(given->fd);
        io_binding_close(&b, d);
    }
    return s;
}

static enum status unbind_io(const struct io_ref *r, struct diag *diag)
{
    struct io_binding none = { .on = false };

    if (!kernel_io_of(r)->bound.on)
        return diag_fail(diag, STATUS_USAGE, "it is not bound");
    return change_binding(r, &none, diag);
}

static int answer(enum status s, const struct diag *diag, char *error, size_t error_bytes)
{
    if (s == STATUS_OK)
        return 0;
    if (error && error_bytes > 0)
        snprintf(error, error_bytes, "%s", diag->text);
    return -1;
}

static enum status no_delegate(struct diag *diag)
{
    return diag_fail(diag, STATUS_USAGE, "not a delegate of this library, or it was destroyed");
}

/* buffer NULL: unbinds. */
static enum status bind_or_unbind(const TfLiteDelegate *delegate, int tensor, int partition,
                                  struct assay_gpu_buffer *buffer, struct diag *diag)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct io_ref r = { 0 };
    enum status s;

    if (!d)
        return no_delegate(diag);
    lock_acquire(&d->lock);
    s = find_io(d, tensor, partition, &r, diag);
    if (s == STATUS_OK) {
        lock_acquire(&r.kernel->run_lock);
        s = buffer ? bind_io(&r, buffer, diag) : unbind_io(&r, diag);
        if (s != STATUS_OK)
            diag_prefix(diag, s, "tensor %d, %s %d of partition %d", tensor,
                        r.output ? "output" : "input", r.index, r.partition);
        lock_release(&r.kernel->run_lock);
    }
    lock_release(&d->lock);
    delegate_release(d);
    return s;
}

int assay_gpu_bind_buffer_to_tensor(TfLiteDelegate *delegate, struct assay_gpu_buffer *buffer,
                                    char *error, size_t error_bytes)
{
    struct assay_gpu_buffer mine = { .fd = -1 };
    struct diag diag = { 0 };
    enum status s;

    if (!buffer)
        return answer(diag_fail(&diag, STATUS_USAGE, "no buffer given"), &diag, error, error_bytes);
    if (buffer->struct_size < sizeof mine)
        return answer(diag_fail(&diag, STATUS_USAGE,
                                "assay_gpu_buffer.struct_size: expected at least %zu, found %zu",
                                sizeof mine, buffer->struct_size),
                      &diag, error, error_bytes);
    mine = *buffer;
    s = bind_or_unbind(delegate, mine.tensor, mine.partition, &mine, &diag);
    if (s == STATUS_OK)
        struct_copy_out(buffer, &mine, sizeof mine);
    return answer(s, &diag, error, error_bytes);
}

int assay_gpu_unbind_tensor(TfLiteDelegate *delegate, int tensor, int partition, char *error,
                            size_t error_bytes)
{
    struct diag diag = { 0 };
    const enum status s = bind_or_unbind(delegate, tensor, partition, NULL, &diag);

    return answer(s, &diag, error, error_bytes);
}

int assay_gpu_wait(TfLiteDelegate *delegate, char *error, size_t error_bytes)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    enum status s = STATUS_OK;
    struct diag diag = { 0 };

    if (!d)
        return answer(no_delegate(&diag), &diag, error, error_bytes);
    lock_acquire(&d->lock);
    for (struct kernel *k = d->kernels; k && s == STATUS_OK; k = k->next) {
        lock_acquire(&k->run_lock);
        s = executor_finish(&k->executor, &diag);
        lock_release(&k->run_lock);
    }
    lock_release(&d->lock);
    delegate_release(d);
    return answer(s, &diag, error, error_bytes);
}

/* ---- descriptions ---- */

int assay_gpu_io_count(const TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    int count = 0;

    if (!d)
        return 0;
    lock_acquire(&d->lock);
    for (const struct kernel *k = d->kernels; k; k = k->next)
        count += io_count(k);
    lock_release(&d->lock);
    delegate_release(d);
    return count;
}

static struct assay_gpu_io describe(const struct io_ref *r)
{
    const struct kernel *k = r->kernel;
    const struct plan_io *io = plan_io_of(r);
    const struct io_binding *b = &kernel_io_of(r)->bound;
    const struct plan_tensor *t = io->plan_tensor >= 0 ? &k->plan.tensors[io->plan_tensor] : NULL;

    return (struct assay_gpu_io){
        .partition = r->partition,
        .tensor = io->tensor,
        .output = r->output,
        .bound = b->on ? b->layout : -1,
        .dense_bytes = (plan_io_bytes(&k->plan, io, BACKING_DENSE) + 3) / 4 * 4,
        .c4_bytes = plan_io_bytes(&k->plan, io, BACKING_SLICES),
        .offset_alignment = (uint32_t)k->owner->device->limits.storage_buffer_offset_alignment,
        .rows = t ? t->rows : 0,
        .channels = t ? t->channels : 0,
        .element_bytes = t ? plan_element_bytes(&k->plan, t) : 0,
        .device_copies = t && !io->zero_copy,
        .host_copies = !b->on,
    };
}

int assay_gpu_get_io(const TfLiteDelegate *delegate, int i, struct assay_gpu_io *io)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_io mine = { .tensor = -1 };
    struct kernel *k;
    bool found = false;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    for (int partition = 0; i >= 0 && !found && (k = kernel_at(d, partition)); partition++) {
        found = i < io_count(k);
        if (found) {
            const struct io_ref r = io_at(k, partition, i);

            lock_acquire(&k->run_lock);
            mine = describe(&r);
            lock_release(&k->run_lock);
        }
        i -= io_count(k);
    }
    lock_release(&d->lock);
    delegate_release(d);
    return found ? struct_copy_out(io, &mine, sizeof mine) : -1;
}
