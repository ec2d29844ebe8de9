/* The callbacks of a partition: init plans; the first prepare allocates device memory, makes
 * pipelines and records; invoke copies inputs, submits, waits and copies outputs.  After the first
 * prepare only a change of bound memory (kernel_replan) allocates, and only the copy of a bound
 * output to the host (executor_stage_output) records, and may make one pipeline. */
#include "delegate/runtime/kernel.h"

#include "delegate/base/clock.h"
#include "delegate/plan/memory.h"
#include "delegate/runtime/host_copy.h"
#include "delegate/runtime/partition.h"
#include "delegate/vulkan/selftest.h"
#include "delegate/vulkan/tune.h"
#include "reference/base/memory.h"

static void report(TfLiteContext *context, const struct diag *diag)
{
    context->ReportError(context, "assay delegate: %s", diag->text);
}

static enum status timed_plan(struct kernel *k, const struct plan_request *request,
                              struct diag *diag)
{
    const uint64_t before = clock_ns();
    const enum status s = plan_make(&k->plan, request, diag);

    delegate_add_part(k->owner, &k->owner->time.plan_ns, before);
    return s;
}

/* With serialization a plan without packed constants comes first: its hash is part of the name of
 * the file that may hold them.  Without such a file the plan is made again, with constants. */
static enum status make_plan(struct kernel *k, TfLiteContext *context, struct plan_request *request,
                             struct diag *diag)
{
    struct gpu_delegate *d = k->owner;

    request->unpacked = d->options.serialization_dir != NULL;
    TRY(timed_plan(k, request, diag));
    if (!request->unpacked || serialization_find(&k->serialization, d, context, &k->plan))
        return STATUS_OK;
    plan_close(&k->plan);
    request->unpacked = false;
    return timed_plan(k, request, diag);
}

static bool has_node(const struct plan_request *r, int host_node)
{
    for (int i = 0; i < r->node_count; i++)
        if (r->nodes[i] == host_node)
            return true;
    return false;
}

/* Whether a node outside of the partition reads the tensor. */
static bool is_read_outside(const struct plan_request *r, int tensor)
{
    for (int i = 0; i < r->graph->node_count; i++) {
        const struct graph_node *n = &r->graph->nodes[i];

        for (int j = 0; j < n->input_count; j++)
            if (n->inputs[j] == tensor && !has_node(r, n->host_node))
                return true;
    }
    return false;
}

static enum status open_ios(struct kernel *k, const struct plan_request *r, struct diag *diag)
{
    const struct plan *p = &k->plan;

    k->inputs = mem_alloc((size_t)p->input_count, sizeof *k->inputs);
    k->outputs = mem_alloc((size_t)p->output_count, sizeof *k->outputs);
    if (!k->inputs || !k->outputs)
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    for (int i = 0; i < p->output_count; i++)
        k->outputs[i].unread = i < r->output_count && !p->outputs[i].constant &&
                               !is_read_outside(r, p->outputs[i].tensor);
    return STATUS_OK;
}

static void close_kernel(struct kernel *k)
{
    struct gpu_delegate *const owner = k->owner;

    for (int i = 0; k->inputs && i < k->plan.input_count; i++)
        io_binding_close(&k->inputs[i].bound, owner->device);
    for (int i = 0; k->outputs && i < k->plan.output_count; i++)
        io_binding_close(&k->outputs[i].bound, owner->device);
    mem_free(k->inputs);
    mem_free(k->outputs);
    serialization_close(&k->serialization);
    plan_close(&k->plan);
    lock_destroy(&k->run_lock);
    mem_free(k);
    delegate_release(owner);
}

static enum status plan_partition(struct kernel *k, TfLiteContext *context,
                                  const TfLiteDelegateParams *params, struct diag *diag)
{
    struct gpu_delegate *d = k->owner;
    struct plan_request request = { .graph = d->graph,
                                    .options = &d->options,
                                    .limits = &d->device->limits };
    enum status s;
    int *nodes = NULL;

    if (!d->graph)
        return diag_fail(diag, STATUS_INVALID,
                         "the host initializes a partition while no graph is delegated");
    TRY(partition_request(&request, params, &nodes, diag));
    s = make_plan(k, context, &request, diag);
    if (s == STATUS_OK)
        s = open_ios(k, &request, diag);
    mem_free(nodes);
    return s;
}

static void *kernel_init(TfLiteContext *context, const char *buffer, size_t length)
{
    static atomic_uint_fast64_t serials;
    const TfLiteDelegateParams *params = (const void *)buffer;
    struct diag diag = { 0 };
    struct gpu_delegate *d;
    struct kernel *k;

    (void)length;
    if (!params || !(d = delegate_acquire(params->delegate)))
        return TfLiteKernelInitFailed();
    if (!(k = mem_alloc(1, sizeof *k))) {
        diag_fail(&diag, STATUS_NO_MEMORY, "partition: out of memory");
        report(context, &diag);
        delegate_release(d);
        return TfLiteKernelInitFailed();
    }
    k->owner = d;
    lock_init(&k->run_lock, LOCK_RANK_KERNEL, atomic_fetch_add(&serials, 1) + 1);
    if (plan_partition(k, context, params, &diag) != STATUS_OK) {
        report(context, &diag);
        close_kernel(k);
        return TfLiteKernelInitFailed();
    }
    handles_open(&k->handles, k, k->plan.output_count);
    return k;
}

/* Adds the kernel to its delegate's list, by which the API finds it.  Its plan stays as it is. */
static void publish(struct kernel *k)
{
    lock_acquire(&k->owner->lock);
    k->next = k->owner->kernels;
    k->owner->kernels = k;
    lock_release(&k->owner->lock);
}

/* Removes the handles of a kernel from the host's tensors before it is freed. */
static void revoke_handles(TfLiteContext *context, const struct kernel *k)
{
    for (int i = 0; context && context->tensors && i < k->plan.output_count; i++) {
        const size_t tensor = (size_t)k->plan.outputs[i].tensor;
        TfLiteTensor *t = tensor < context->tensors_size ? &context->tensors[tensor] : NULL;

        if (t && handle_is_of(&k->handles, i, t)) {
            t->buffer_handle = kTfLiteNullBufferHandle;
            t->data_is_stale = false;
        }
    }
}

static void kernel_free(TfLiteContext *context, void *user_data)
{
    struct kernel *k = user_data;
    struct kernel **at;

    if (!k || user_data == TfLiteKernelInitFailed())
        return;
    handles_close(&k->handles);
    revoke_handles(context, k);
    lock_acquire(&k->owner->lock);
    for (at = &k->owner->kernels; *at && *at != k; at = &(*at)->next)
        ;
    if (*at)
        *at = k->next;
    /* The trace shows the last inferences before the interpreter was closed. */
    if (k->owner->trace.file && k->ready)
        trace_write(&k->owner->trace, k->executor.recording.profile, &k->plan);
    lock_release(&k->owner->lock);
    executor_close(&k->executor);
    close_kernel(k);
}

/* Measures workgroup sizes with option tune.  On a device without time stamps it warns, and the
 * sizes of the table (plan/workgroups.c) stay. */
static enum status tune_partition(struct kernel *k, TfLiteContext *context, bool *changed,
                                  struct diag *diag)
{
    uint64_t budget_ns = (uint64_t)k->owner->options.tune_budget_ms * 1000000u, spent_ns;
    struct cache_content *content = &k->serialization.content;
    const uint64_t before = clock_ns();
    enum status s;

    if (!k->owner->options.tune)
        return STATUS_OK;
    /* All partitions of a graph share one budget. */
    lock_acquire(&k->owner->lock);
    spent_ns = k->owner->time.tune_ns - k->owner->tuned_before_ns;
    lock_release(&k->owner->lock);
    budget_ns = spent_ns < budget_ns ? budget_ns - spent_ns : 0;
    s = tune_plan(&k->executor, &k->plan, budget_ns, &content->tuning, &content->tuning_count,
                  changed, diag);
    delegate_add_part(k->owner, &k->owner->time.tune_ns, before);
    if (s != STATUS_NO_DEVICE)
        return s;
    context->ReportError(context, "WARNING: tune=1 does nothing: %s", diag->text);
    diag_clear(diag);
    return STATUS_OK;
}

/* Tests the packed dot product before a plan uses it; when it is wrong, with a warning, pipelines
 * do without it. */
static enum status test_dot(struct kernel *k, struct pipeline_cache *cache, TfLiteContext *context,
                            struct diag *diag)
{
    bool used = false;
    enum status s;

    for (int i = 0; i < k->plan.step_count; i++)
        used |= k->plan.steps[i]->packed_dot;
    if (!used || (s = selftest_dot(k->owner->device, cache, diag)) != STATUS_NO_DEVICE)
        return used ? s : STATUS_OK;
    context->ReportError(context, "WARNING: %s; not used", diag->text);
    diag_clear(diag);
    return STATUS_OK;
}

static enum status open_partition(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    struct gpu_delegate *d = k->owner;
    struct pipeline_cache *cache = serialization_open_pipelines(&k->serialization, d, context);
    bool changed = false;
    uint64_t before;
    enum status s;

    /* A file for this device and driver was written only after the test had passed. */
    if (d->options.precision == PRECISION_FP16 && !k->serialization.found)
        TRY(selftest_half(d->device, cache, diag));
    TRY(test_dot(k, cache, context, diag));
    before = clock_ns();
    s = executor_open(&k->executor, d->device, &k->plan, &d->options, cache, diag);
    delegate_add_part(d, &d->time.upload_ns, before);
    if (s != STATUS_OK)
        return s;
    if ((s = tune_partition(k, context, &changed, diag)) != STATUS_OK ||
        (s = executor_record(&k->executor, diag)) != STATUS_OK) {
        executor_close(&k->executor);
        return s;
    }
    serialization_write(&k->serialization, d, context, &k->plan, changed);
    return STATUS_OK;
}

static TfLiteStatus kernel_prepare(TfLiteContext *context, TfLiteNode *node)
{
    const uint64_t before = clock_ns();
    struct kernel *k = node->user_data;
    struct diag diag = { 0 };

    if (!k)
        return kTfLiteError;
    if (k->ready) /* hosts prepare again when they allocate tensors again */
        return kTfLiteOk;
    k->ready = open_partition(k, context, &diag) == STATUS_OK;
    if (k->ready) {
        serialization_close(&k->serialization);
        plan_drop_constants(&k->plan);
        publish(k);
    } else {
        report(context, &diag);
    }
    delegate_add_time(k->owner, before);
    return k->ready ? kTfLiteOk : kTfLiteError;
}

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

struct kernel *kernel_at(const struct gpu_delegate *d, int i)
{
    struct kernel *k = d->kernels;
    int kernels = 0;

    for (const struct kernel *at = d->kernels; at; at = at->next)
        kernels++;
    if (i >= kernels)
        return NULL;
    for (int skip = kernels - 1 - i; skip > 0; skip--)
        k = k->next;
    return k;
}

enum status kernel_replan(struct kernel *k, struct diag *diag)
{
    k->needs_replan = true;
    TRY(executor_finish(&k->executor, diag));
    TRY(plan_assign_memory(&k->plan, k->owner->options.in_place, diag));
    TRY(executor_rebind(&k->executor, diag));
    k->needs_replan = false;
    return STATUS_OK;
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

    TRY(check_data(io, "output", t, diag));
    if (!io->constant)
        TRY(wait_for_output(k, i, diag));
    host_copy_out(t->data.raw, io->constant ? io->constant : executor_output(&k->executor, i), io);
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
        host_copy_between(executor_input(&k->executor, i),
                          executor_output(&source->executor, output), io);
    lock_release(&source->run_lock);
    return s;
}

static enum status copy_input(struct kernel *k, int i, const TfLiteTensor *t, struct diag *diag)
{
    const struct plan_io *io = &k->plan.inputs[i];

    if (t->data_is_stale && t->buffer_handle != kTfLiteNullBufferHandle) {
        TRY(copy_stale(k, i, t, diag));
    } else {
        TRY(check_data(io, "input", t, diag));
        host_copy_in(executor_input(&k->executor, i), t->data.raw, io);
    }
    count_copy(k, io->bytes);
    return STATUS_OK;
}

/* Hands an output to the host after an inference: one that no node reads, or that is bound to
 * memory of the caller, stays on the device under its handle; others are copied. */
static enum status return_output(TfLiteContext *context, struct kernel *k, int i, struct diag *diag)
{
    const struct plan_io *io = &k->plan.outputs[i];
    TfLiteTensor *t;

    TRY(io_tensor(context, io, "output", &t, diag));
    k->outputs[i].fresh = true;
    if ((k->outputs[i].unread || k->executor.recording.outputs[i].handle) &&
        handle_assign(&k->handles, i, t))
        return STATUS_OK;
    return copy_output(k, i, t, diag);
}

static enum status run(TfLiteContext *context, struct kernel *k, struct diag *diag)
{
    const struct plan *p = &k->plan;
    TfLiteTensor *t;

    TRY(executor_finish(&k->executor, diag)); /* with wait=none the last inference may still run */
    for (int i = 0; i < p->input_count; i++) {
        if (k->executor.recording.inputs[i].handle)
            continue;
        TRY(io_tensor(context, &p->inputs[i], "input", &t, diag));
        TRY(copy_input(k, i, t, diag));
    }
    if (k->needs_replan)
        TRY(kernel_replan(k, diag));
    TRY(executor_start(&k->executor, diag));
    atomic_fetch_add(&k->device_copies, (unsigned)k->executor.recording.copies);
    if (k->owner->options.wait != WAIT_NONE)
        TRY(executor_finish(&k->executor, diag));
    for (int i = 0; i < p->output_count; i++)
        TRY(return_output(context, k, i, diag));
    return STATUS_OK;
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    struct kernel *k = node->user_data;
    const uint64_t before = clock_ns();
    struct diag diag = { 0 };
    enum status s;

    if (!k || !k->ready)
        return kTfLiteError;
    lock_acquire(&k->run_lock);
    s = run(context, k, &diag);
    lock_release(&k->run_lock);
    if (s != STATUS_OK) {
        report(context, &diag);
        return kTfLiteError;
    }
    atomic_fetch_add(&k->invokes, 1);
    atomic_fetch_add(&k->invoke_ns, clock_ns() - before);
    return kTfLiteOk;
}

const TfLiteRegistration kernel_registration = {
    .init = kernel_init,
    .free = kernel_free,
    .prepare = kernel_prepare,
    .invoke = kernel_invoke,
    .custom_name = "AssayVulkanDelegate",
    .version = 1,
};
