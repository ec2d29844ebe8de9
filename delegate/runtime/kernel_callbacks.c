/* The callbacks of a partition: init plans; the first prepare allocates device memory, makes
 * pipelines and records; invoke copies inputs, submits, waits and copies outputs.  After the first
 * prepare only a change of bound memory (kernel_replan) allocates, and only the copy of a bound
 * output to the host (executor_stage_output) records, and may make one pipeline. */
#include "delegate/runtime/kernel_callbacks.h"

#include "delegate/base/clock.h"
#include "delegate/runtime/kernel_copy.h"
#include "delegate/runtime/kernel_memory.h"
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

static void close_io(struct kernel_io *io, struct device *d)
{
    io_binding_close(&io->bound, d);
    host_block_release(io->block);
}

static void close_kernel(struct kernel *k)
{
    struct gpu_delegate *const owner = k->owner;

    for (int i = 0; k->inputs && i < k->plan.input_count; i++)
        close_io(&k->inputs[i], owner->device);
    for (int i = 0; k->outputs && i < k->plan.output_count; i++)
        close_io(&k->outputs[i], owner->device);
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

static enum status run(TfLiteContext *context, struct kernel *k, struct diag *diag)
{
    const struct plan *p = &k->plan;

    TRY(executor_finish(&k->executor, diag)); /* with wait=none the last inference may still run */
    TRY(kernel_memory_open(k, context, diag));
    for (int i = 0; i < p->input_count; i++)
        if (!k->executor.recording.inputs[i].handle)
            TRY(kernel_copy_input(k, context, i, diag));
    if (k->needs_replan)
        TRY(kernel_replan(k, diag));
    TRY(executor_start(&k->executor, diag));
    atomic_fetch_add(&k->device_copies, (unsigned)k->executor.recording.copies);
    if (k->owner->options.wait != WAIT_NONE || k->owner->source)
        TRY(executor_finish(&k->executor, diag));
    for (int i = 0; i < p->output_count; i++)
        TRY(kernel_return_output(k, context, i, diag));
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
    kernel_memory_close(k);
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
