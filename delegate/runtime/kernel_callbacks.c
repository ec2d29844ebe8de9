/* The callbacks of a partition: init plans (start.c); the delegate's Prepare then allocates device
 * memory, makes pipelines and records; prepare does it all again when the shapes of inputs have
 * changed; invoke reads variables, copies inputs, submits, waits, copies outputs and assigns
 * variables.  Between two changes of shapes only a change of bound memory (kernel_replan)
 * allocates, and only the copy of a bound output to the host (executor_stage_output) records, and
 * may make one pipeline. */
/* Speed: each inference */
#include "delegate/runtime/kernel_callbacks.h"

#include "delegate/base/clock.h"
#include "delegate/graph/variables.h"
#include "delegate/runtime/kernel_copy.h"
#include "delegate/runtime/kernel_memory.h"
#include "delegate/runtime/pending.h"
#include "delegate/runtime/start.h"
#include "reference/base/memory.h"

#include <stdlib.h>

static void report(TfLiteContext *context, const struct diag *diag)
{
    context->ReportError(context, "assay delegate: %s", diag->text);
}

/* A kernel that is stopped. */
static void close_kernel(struct kernel *k)
{
    struct gpu_delegate *const owner = k->owner;

    imported_release(k->imported);
    arena_close(&k->arena);
    lock_destroy(&k->run_lock);
    mem_free(k);
    delegate_release(owner);
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
    if (start_plan(k, context, params, &diag) != STATUS_OK) {
        report(context, &diag);
        start_stop(k, context);
        close_kernel(k);
        return TfLiteKernelInitFailed();
    }
    delegate_remember_made(d, k);
    return k;
}

/* Waits for an asynchronous run, and drops the references to the host's events that signal its end.
 */
static void settle(struct kernel *k)
{
    struct pending *const p = k->pending;

    if (!p)
        return;
    (void)pending_wait(p,
                       NULL); /* a failure is in executor.failed, which reading an output checks */
    pending_release(p);
    k->pending = NULL;
}

static void kernel_free(TfLiteContext *context, void *user_data)
{
    struct kernel *k = user_data;

    if (!k || user_data == TfLiteKernelInitFailed())
        return;
    settle(k);
    delegate_forget_made(k->owner, k);
    start_stop(k, context);
    close_kernel(k);
}

static bool has(const TfLiteIntArray *list, int value)
{
    for (int i = 0; list && i < list->size; i++)
        if (list->data[i] == value)
            return true;
    return false;
}

/* Asks the host for memory of the values of variables, which to it are tensors inside of the
 * partition. */
static enum status request_values(const struct kernel *k, TfLiteNode *node, struct diag *diag)
{
    TfLiteIntArray *values;

    if (k->variable_count == 0)
        return STATUS_OK;
    /* The host frees the array. */
    values = malloc(sizeof *values + (size_t)k->variable_count * sizeof values->data[0]);
    if (!values)
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    values->size = 0;
    for (int i = 0; i < k->variable_count; i++) {
        const int t = variable_tensor(k->variables[i]);

        if (!has(node->inputs, t) && !has(node->outputs, t) && !has(values, t))
            values->data[values->size++] = t;
    }
    free(node->temporaries);
    node->temporaries = values;
    return STATUS_OK;
}

/* Lets the host's kernels read, or assign, the variables of the partition.  A kernel that fails has
 * reported why. */
static enum status run_variables(const struct kernel *k, TfLiteContext *context, bool assigns)
{
    for (int i = 0; i < k->variable_count; i++) {
        struct variable_use *const use = k->variables[i]->variable;

        if (use->assigns == assigns && use->registration.invoke(context, &use->node) != kTfLiteOk)
            return STATUS_INVALID;
    }
    return STATUS_OK;
}

/* Hosts prepare again when they allocate tensors again, perhaps with other shapes of inputs. */
static TfLiteStatus kernel_prepare(TfLiteContext *context, TfLiteNode *node)
{
    const uint64_t before = clock_ns();
    struct kernel *k = node->user_data;
    struct diag diag = { 0 };
    enum status s;

    /* Older hosts, such as tflite-runtime 2.14, prepare a kernel whose init failed. */
    if (!k || node->user_data == TfLiteKernelInitFailed())
        return kTfLiteError;
    settle(k);
    s = start_update(k, context, &diag);
    if (s == STATUS_OK && !k->ready)
        s = start_open(k, context, &diag);
    if (s == STATUS_OK)
        s = start_resize_outputs(k, context, &diag);
    if (s == STATUS_OK)
        s = request_values(k, node, &diag);
    if (s != STATUS_OK)
        report(context, &diag);
    delegate_add_time(k->owner, before);
    return s == STATUS_OK ? kTfLiteOk : kTfLiteError;
}

/* Whether the run may end before the inference does: the host asked for that, the device writes all
 * outputs to where the host has them, and the host can be told when they are there. */
static bool defer_outputs(struct kernel *k, TfLiteContext *context)
{
    struct host_source *source = k->owner->source;
    bool deferred = source->is_async(source, context);

    for (int i = 0; i < k->plan.output_count && deferred; i++)
        deferred = k->outputs[i].memory.data && k->outputs[i].block;
    if (!deferred || !(k->pending = pending_make(k)))
        return false;
    for (int i = 0; i < k->plan.output_count && deferred; i++)
        deferred =
            source->defer(source, context, &k->outputs[i].memory, k->pending, NULL) == STATUS_OK;
    return deferred;
}

/* The time, which only a profiled partition asks for. */
static uint64_t stamp(const struct kernel *k)
{
    return k->executor.recording.profile ? clock_ns() : 0;
}

static enum status run(TfLiteContext *context, struct kernel *k, struct diag *diag)
{
    struct profile_host host = { .begin_ns = stamp(k) };
    const struct plan *p = &k->plan;

    TRY(executor_finish(&k->executor, diag)); /* with wait=none the last inference may still run */
    TRY(kernel_memory_bind(k, diag));
    TRY(executor_prefetch(&k->executor, diag));
    for (int i = 0; i < p->input_count; i++)
        if (!k->executor.recording.inputs[i].handle)
            TRY(kernel_copy_input(k, context, i, diag));
    if (k->needs_replan)
        TRY(kernel_replan(k, diag));
    host.copied_in_ns = stamp(k);
    TRY(executor_start(&k->executor, diag));
    host.submitted_ns = stamp(k);
    atomic_fetch_add(&k->device_copies, (unsigned)k->executor.recording.copies);
    if (k->owner->source ? !defer_outputs(k, context) : k->owner->options.wait != WAIT_NONE)
        TRY(executor_finish(&k->executor, diag));
    host.waited_ns = stamp(k);
    for (int i = 0; i < p->output_count; i++)
        TRY(kernel_return_output(k, context, i, diag));
    host.end_ns = stamp(k);
    if (k->executor.recording.profile)
        profile_set_host(k->executor.recording.profile, &host);
    return STATUS_OK;
}

static enum status run_on_device(TfLiteContext *context, struct kernel *k, struct diag *diag)
{
    enum status s = kernel_memory_open(k, context, diag);

    if (s == STATUS_OK) {
        lock_acquire(&k->run_lock);
        s = run(context, k, diag);
        lock_release(&k->run_lock);
    }
    kernel_memory_close(k);
    return s;
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    struct kernel *k = node->user_data;
    const uint64_t before = clock_ns();
    struct diag diag = { 0 };
    enum status s;

    if (!k || !k->ready)
        return kTfLiteError;
    settle(k);
    start_write_values(k, context);
    s = run_variables(k, context, false);
    if (s == STATUS_OK && !k->empty)
        s = run_on_device(context, k, &diag);
    if (s == STATUS_OK)
        s = run_variables(k, context, true);
    if (s != STATUS_OK) {
        if (diag.text[0])
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
