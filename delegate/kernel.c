/* A partition as the host sees it: init plans, the first prepare brings it to the device, invoke
 * runs it.  Nothing is allocated and no pipeline is made after the first prepare. */
#include "delegate/clock.h"
#include "delegate/delegate.h"
#include "delegate/partition.h"
#include "delegate/tune.h"
#include "reference/memory.h"

#include <math.h>
#include <string.h>

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

/* With serialization the plan is made without the work of packing, which tells what file to look
 * for, and again when there is none. */
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
        return diag_fail(diag, STATUS_INVALID, "the host gives a partition without a graph");
    TRY(partition_request(&request, params, &nodes, diag));
    s = make_plan(k, context, &request, diag);
    mem_free(nodes);
    return s;
}

static void *kernel_init(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteDelegateParams *params = (const void *)buffer;
    struct diag diag = { 0 };
    struct gpu_delegate *d;
    struct kernel *k;

    (void)length;
    if (!params || !(d = delegate_hold(params->delegate)))
        return TfLiteKernelInitFailed();
    if (!(k = mem_alloc(1, sizeof *k))) {
        diag_fail(&diag, STATUS_NO_MEMORY, "partition: out of memory");
        report(context, &diag);
        delegate_drop(d);
        return TfLiteKernelInitFailed();
    }
    k->owner = d;
    if (plan_partition(k, context, params, &diag) != STATUS_OK) {
        report(context, &diag);
        serialization_close(&k->serialization);
        mem_free(k);
        delegate_drop(d);
        return TfLiteKernelInitFailed();
    }
    return k;
}

/* From now on it is seen by those who ask what the delegate runs: it does not change any more. */
static void publish(struct kernel *k)
{
    pthread_mutex_lock(&k->owner->lock);
    k->next = k->owner->kernels;
    k->owner->kernels = k;
    pthread_mutex_unlock(&k->owner->lock);
}

static void kernel_free(TfLiteContext *context, void *user_data)
{
    struct kernel *k = user_data;
    struct kernel **at;

    (void)context;
    if (!k || user_data == TfLiteKernelInitFailed())
        return;
    pthread_mutex_lock(&k->owner->lock);
    for (at = &k->owner->kernels; *at && *at != k; at = &(*at)->next)
        ;
    if (*at)
        *at = k->next;
    /* The trace is of the inferences that have run when the model goes. */
    if (k->owner->trace.file && k->ready)
        trace_write(&k->owner->trace, k->executor.profile, &k->plan);
    pthread_mutex_unlock(&k->owner->lock);
    executor_close(&k->executor);
    serialization_close(&k->serialization);
    plan_close(&k->plan);
    delegate_drop(k->owner);
    mem_free(k);
}

/* A device that cannot tell the time keeps the sizes of the table. */
static enum status tune_partition(struct kernel *k, TfLiteContext *context, bool *changed,
                                  struct diag *diag)
{
    uint64_t budget_ns = (uint64_t)k->owner->options.tune_budget_ms * 1000000u, spent_ns;
    struct cache_content *content = &k->serialization.content;
    const uint64_t before = clock_ns();
    enum status s;

    if (!k->owner->options.tune)
        return STATUS_OK;
    /* The budget is the graph's, for all its partitions. */
    pthread_mutex_lock(&k->owner->lock);
    spent_ns = k->owner->time.tune_ns - k->owner->tuned_before_ns;
    pthread_mutex_unlock(&k->owner->lock);
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

/* Where the packed dot product is wrong, sums are made without. */
static enum status test_dot(struct kernel *k, struct pipeline_cache *cache, TfLiteContext *context,
                            struct diag *diag)
{
    bool used = false;
    enum status s;

    for (int i = 0; i < k->plan.step_count; i++)
        used |= k->plan.steps[i]->packed_dot;
    if (!used || (s = device_test_dot(k->owner->device, cache, diag)) != STATUS_NO_DEVICE)
        return used ? s : STATUS_OK;
    context->ReportError(context, "WARNING: %s; not used", diag->text);
    diag_clear(diag);
    return STATUS_OK;
}

static enum status open_partition(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    struct gpu_delegate *d = k->owner;
    struct pipeline_cache *cache = serialization_pipelines(&k->serialization, d, context);
    bool changed = false;
    uint64_t before;
    enum status s;

    if (d->options.precision == PRECISION_FP16)
        TRY(device_test_half(d->device, cache, diag));
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
    serialization_keep(&k->serialization, d, context, &k->plan, changed);
    return STATUS_OK;
}

static TfLiteStatus kernel_prepare(TfLiteContext *context, TfLiteNode *node)
{
    const uint64_t before = clock_ns();
    struct kernel *k = node->user_data;
    struct diag diag = { 0 };

    if (!k)
        return kTfLiteError;
    if (k->ready) /* hosts prepare more than once */
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

/* The host's memory of a tensor at the edge, checked against what was planned. */
static enum status edge_data(TfLiteContext *context, const struct plan_io *io, const char *what,
                             void **data, struct diag *diag)
{
    const TfLiteTensor *t;

    if ((size_t)io->tensor >= context->tensors_size)
        return diag_fail(diag, STATUS_INVALID, "%s: tensor %d of %zu", what, io->tensor,
                         context->tensors_size);
    t = &context->tensors[io->tensor];
    if (!t->data.raw || t->bytes != io->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: tensor %d '%s' has %zu bytes%s, planned were %zu", what, io->tensor,
                         t->name ? t->name : "", t->bytes, t->data.raw ? "" : " and no data",
                         io->bytes);
    *data = t->data.raw;
    return STATUS_OK;
}

/* The host's 8-bit elements as the floats that they mean, and back to the nearest. */
static void dequantize(float *to, const void *from, const struct plan_io *io)
{
    const int8_t *i8 = from;
    const uint8_t *u8 = from;

    for (size_t i = 0; i < io->bytes; i++)
        to[i] = io->view.scale *
                (float)((io->view.type == kTfLiteInt8 ? i8[i] : u8[i]) - io->view.zero_point);
}

static void quantize(void *to, const float *from, const struct plan_io *io)
{
    const bool is_signed = io->view.type == kTfLiteInt8;
    const float low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    uint8_t *bytes = to;

    for (size_t i = 0; i < io->bytes; i++) {
        const float q = roundf(from[i] / io->view.scale) + (float)io->view.zero_point;

        /* NaN fails both comparisons, and becomes the lowest. */
        bytes[i] = (uint8_t)(int)(q >= low ? q <= high ? q : high : low);
    }
}

static void copy_in(void *to, const void *from, const struct plan_io *io)
{
    if (io->view.type != kTfLiteNoType)
        dequantize(to, from, io);
    else
        memcpy(to, from, io->bytes);
}

static void copy_out(void *to, const void *from, const struct plan_io *io)
{
    if (io->view.type != kTfLiteNoType)
        quantize(to, from, io);
    else
        memcpy(to, from, io->bytes);
}

static enum status run(TfLiteContext *context, struct kernel *k, struct diag *diag)
{
    const struct plan *p = &k->plan;
    void *data;

    for (int i = 0; i < p->input_count; i++) {
        TRY(edge_data(context, &p->inputs[i], "input", &data, diag));
        copy_in(executor_input(&k->executor, i), data, &p->inputs[i]);
    }
    TRY(executor_run(&k->executor, diag));
    for (int i = 0; i < p->output_count; i++) {
        const struct plan_io *io = &p->outputs[i];

        TRY(edge_data(context, io, "output", &data, diag));
        copy_out(data, io->constant ? io->constant : executor_output(&k->executor, i), io);
    }
    return STATUS_OK;
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    struct kernel *k = node->user_data;
    const uint64_t before = clock_ns();
    struct diag diag = { 0 };

    if (!k || !k->ready)
        return kTfLiteError;
    if (run(context, k, &diag) != STATUS_OK) {
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
