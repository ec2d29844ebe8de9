/* What libassay_delegate.so exports: the plug-in ABI, the GPU delegate's C API, and its own. */
#include "assay_gpu.h"
#include "delegate/delegate.h"
#include "delegate/pipeline.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(TfLiteGpuDelegateOptionsV2) == 56, "layout of the V2 options");
_Static_assert(offsetof(TfLiteGpuDelegateOptionsV2, experimental_flags) == 24, "V2 options");
_Static_assert(offsetof(TfLiteGpuDelegateOptionsV2, serialization_dir) == 40, "V2 options");

const char *assay_gpu_version(void)
{
    return ASSAY_VERSION;
}

const char *assay_gpu_option_help(void)
{
    return options_help();
}

TfLiteDelegate *assay_gpu_delegate_create(const char *const *keys, const char *const *values,
                                          size_t count, void (*report_error)(const char *))
{
    struct diag diag = { 0 };
    struct gpu_delegate *d;

    if (delegate_create(&d, keys, values, count, &diag) == STATUS_OK)
        return &d->base;
    if (report_error)
        report_error(diag.text);
    return NULL;
}

void assay_gpu_delegate_destroy(TfLiteDelegate *delegate)
{
    if (delegate)
        delegate_destroy(delegate->data_);
}

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *))
{
    /* Python hosts pass a C int: the upper half of the register is anything. */
    return assay_gpu_delegate_create(keys, values, (uint32_t)count, report_error);
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    assay_gpu_delegate_destroy(delegate);
}

TfLiteGpuDelegateOptionsV2 TfLiteGpuDelegateOptionsV2Default(void)
{
    return (TfLiteGpuDelegateOptionsV2){
        .is_precision_loss_allowed = -1,
        .inference_preference = TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER,
        .inference_priority1 = TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION,
        .experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT,
        .max_delegated_partitions = 1
    };
}

static void print_error(const char *text)
{
    fprintf(stderr, "assay delegate: %s\n", text);
}

TfLiteDelegate *TfLiteGpuDelegateV2Create(const TfLiteGpuDelegateOptionsV2 *options)
{
    const TfLiteGpuDelegateOptionsV2 o = options ? *options : TfLiteGpuDelegateOptionsV2Default();
    const bool full = o.is_precision_loss_allowed < 0
                          ? o.inference_priority1 == TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION
                          : o.is_precision_loss_allowed == 0;
    const bool quant = o.experimental_flags & TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT;
    const bool serialize =
        (o.experimental_flags & TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION) != 0 &&
        o.serialization_dir && o.serialization_dir[0];
    char partitions[16];
    const char *keys[5] = { "precision", "enable_quantization", "max_partitions" };
    const char *values[5] = { full ? "fp32" : "fp16", quant ? "1" : "0", partitions };
    size_t count = 3;

    if (serialize) {
        keys[count] = "serialization_dir";
        values[count++] = o.serialization_dir;
    }
    if (serialize && o.model_token && o.model_token[0]) {
        keys[count] = "model_token";
        values[count++] = o.model_token;
    }
    snprintf(partitions, sizeof partitions, "%d",
             o.max_delegated_partitions > 0 ? o.max_delegated_partitions : 0);
    return assay_gpu_delegate_create(keys, values, count, print_error);
}

void TfLiteGpuDelegateV2Delete(TfLiteDelegate *delegate)
{
    assay_gpu_delegate_destroy(delegate);
}

/* A caller's struct may be shorter than ours (older) or longer (newer): the common part is written,
 * but for struct_size, which stays the caller's. */
static int give(void *to, const void *from, size_t size)
{
    size_t theirs;

    if (!to)
        return -1;
    memcpy(&theirs, to, sizeof theirs);
    if (theirs < sizeof theirs)
        return -1;
    memcpy((char *)to + sizeof theirs, (const char *)from + sizeof theirs,
           (theirs < size ? theirs : size) - sizeof theirs);
    return 0;
}

int assay_gpu_devices(struct assay_gpu_device *devices, int room, char *error, size_t error_bytes)
{
    struct assay_gpu_device all[64];
    struct diag diag = { 0 };
    const int count = device_list(all, 64, &diag);

    if (count < 0 && error && error_bytes)
        snprintf(error, error_bytes, "%s", diag.text);
    for (int i = 0; devices && i < count && i < room && i < 64; i++) {
        /* The array's stride is the caller's struct. */
        if (give((char *)devices + (size_t)i * devices->struct_size, &all[i], sizeof all[i]) != 0)
            return -1;
    }
    return count;
}

int assay_gpu_refusal_count(const TfLiteDelegate *delegate)
{
    return delegate ? ((const struct gpu_delegate *)delegate->data_)->decision.refusal_count : 0;
}

int assay_gpu_get_refusal(const TfLiteDelegate *delegate, int i, struct assay_gpu_refusal *refusal)
{
    const struct gpu_delegate *d = delegate ? delegate->data_ : NULL;
    const struct refusal *r;
    struct assay_gpu_refusal mine;

    if (!d || i < 0 || i >= d->decision.refusal_count)
        return -1;
    r = &d->decision.refusals[i];
    mine = (struct assay_gpu_refusal){ .node = r->host_node,
                                       .op = r->op,
                                       .version = r->version,
                                       .rule = r->rule,
                                       .tensor = r->tensor,
                                       .tensor_name = r->tensor_name,
                                       .field = r->field,
                                       .value = r->value,
                                       .limit = r->limit,
                                       .hint = r->hint };
    return give(refusal, &mine, sizeof mine);
}

int assay_gpu_get_stats(const TfLiteDelegate *delegate, struct assay_gpu_stats *stats)
{
    struct gpu_delegate *d = delegate ? delegate->data_ : NULL;
    struct assay_gpu_stats mine = { .pipelines_created = device_pipelines_made() };

    if (!d)
        return -1;
    memcpy(mine.device, d->device->info.name, sizeof mine.device);
    memcpy(mine.driver, d->device->info.driver, sizeof mine.driver);
    mine.api_version = d->device->info.api_version;
    mine.instance_ms = (double)d->cost.instance_ns / 1e6;
    mine.enumerate_ms = (double)d->cost.enumerate_ns / 1e6;
    mine.device_ms = (double)d->cost.device_ns / 1e6;
    mine.pipelines_ms = (double)device_pipelines_ns() / 1e6;
    pthread_mutex_lock(&d->lock);
    mine.init_ms = (double)d->init_ns / 1e6;
    mine.serialized_found = d->serialized.found;
    mine.serialized_written = d->serialized.written;
    mine.serialized_failed = d->serialized.failed;
    mine.serialized_bytes = d->serialized.bytes;
    for (const struct kernel *k = d->kernels; k; k = k->next) {
        mine.partitions++;
        mine.nodes += k->plan.node_count;
        mine.transforms += k->plan.transforms;
        mine.merged += k->plan.merged;
        mine.dispatches += k->plan.step_count;
        mine.barriers += k->executor.barriers;
        mine.constant_bytes += k->plan.constant_bytes;
        mine.activation_bytes += k->plan.arena_bytes;
        mine.activation_bound += k->plan.arena_bound;
        mine.staging_bytes += k->plan.input_bytes + k->plan.output_bytes;
    }
    pthread_mutex_unlock(&d->lock);
    return give(stats, &mine, sizeof mine);
}

int assay_gpu_step_count(const TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate ? delegate->data_ : NULL;
    int count = 0;

    if (!d)
        return 0;
    pthread_mutex_lock(&d->lock);
    for (const struct kernel *k = d->kernels; k; k = k->next)
        count += k->plan.step_count;
    pthread_mutex_unlock(&d->lock);
    return count;
}

static struct assay_gpu_step describe_step(const struct kernel *k, int partition, int i)
{
    const struct plan_step *s = k->plan.steps[i];
    const struct profile *profile = k->executor.profile;
    struct assay_gpu_step mine = { .partition = partition,
                                   .step = i,
                                   .node = s->node,
                                   .shader = s->shader,
                                   .label = s->label,
                                   .source = s->source,
                                   .written_offset = -1 };

    memcpy(mine.workgroup, s->spec, sizeof mine.workgroup);
    memcpy(mine.groups, s->groups, sizeof mine.groups);
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->space == SPACE_CONSTANTS)
            mine.constant_bytes += n->bytes;
        else if (n->space != SPACE_NONE && n->writes)
            mine.written_bytes += n->bytes;
        else if (n->space != SPACE_NONE)
            mine.read_bytes += n->bytes;
        if (n->space == SPACE_ARENA && n->writes && mine.written_offset < 0)
            mine.written_offset = (int64_t)n->offset;
    }
    if (profile && profile->runs > 0) {
        mine.runs = profile->runs;
        mine.mean_us = (double)profile->time[i].sum_ns / (double)profile->runs / 1e3;
        mine.min_us = (double)profile->time[i].min_ns / 1e3;
        mine.last_us = (double)profile->time[i].last_ns / 1e3;
    }
    return mine;
}

/* The newest kernel is in front of the list; partition 0 is the oldest. */
static bool find_step(const struct gpu_delegate *d, int i, struct assay_gpu_step *out)
{
    int kernels = 0;

    for (const struct kernel *k = d->kernels; k; k = k->next)
        kernels++;
    for (int partition = 0; partition < kernels; partition++) {
        const struct kernel *k = d->kernels;

        for (int skip = kernels - 1 - partition; skip > 0; skip--)
            k = k->next;
        if (i < k->plan.step_count) {
            *out = describe_step(k, partition, i);
            return true;
        }
        i -= k->plan.step_count;
    }
    return false;
}

int assay_gpu_get_step(const TfLiteDelegate *delegate, int i, struct assay_gpu_step *step)
{
    struct gpu_delegate *d = delegate ? delegate->data_ : NULL;
    struct assay_gpu_step mine;
    bool found;

    if (!d || i < 0)
        return -1;
    pthread_mutex_lock(&d->lock);
    found = find_step(d, i, &mine);
    pthread_mutex_unlock(&d->lock);
    return found ? give(step, &mine, sizeof mine) : -1;
}
