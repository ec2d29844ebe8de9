/* Descriptions of a delegate's plans: steps, tensors, rewrites, refusals, and partitions. */
#include "assay_gpu.h"
#include "delegate/api/support.h"
#include "delegate/base/struct_copy.h"
#include "delegate/graph/transforms.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/kernel.h"

#include <string.h>

_Static_assert((int)PLAN_BINDINGS == ASSAY_GPU_BINDINGS &&
                   (int)PLAN_SPEC_MAX == ASSAY_GPU_CONSTANTS &&
                   (int)PLAN_PUSH_BYTES == ASSAY_GPU_PUSH_BYTES,
               "assay_gpu_step");

static int step_count(const struct plan *p)
{
    return p->step_count;
}

static int tensor_count(const struct plan *p)
{
    return p->tensor_count;
}

/* Steps, and tensors, are numbered over all partitions of a delegate.  count_all returns how many
 * there are; find returns the kernel that has the i-th, and changes *i to its index there. */
static int count_all(const TfLiteDelegate *delegate, int (*count)(const struct plan *))
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    int sum = 0;

    if (!d)
        return 0;
    lock_acquire(&d->lock);
    for (const struct kernel *k = d->kernels; k; k = k->next)
        sum += count(&k->plan);
    lock_release(&d->lock);
    delegate_release(d);
    return sum;
}

static const struct kernel *find(const struct gpu_delegate *d, int (*count)(const struct plan *),
                                 int *i, int *partition)
{
    const struct kernel *k;

    for (*partition = 0; *i >= 0 && (k = kernel_at(d, *partition)); ++*partition) {
        if (*i < count(&k->plan))
            return k;
        *i -= count(&k->plan);
    }
    return NULL;
}

static struct assay_gpu_binding describe_binding(const struct plan *p, const struct plan_binding *n)
{
    static const char *const locations[] = { [LOCATION_NONE] = NULL,
                                             [LOCATION_ARENA] = "arena",
                                             [LOCATION_CONSTANTS] = "constants",
                                             [LOCATION_INPUT] = "input",
                                             [LOCATION_OUTPUT] = "output" };

    const struct plan_tensor *owner =
        n->location == LOCATION_ARENA ? &p->tensors[plan_owner(p, n->index)] : NULL;

    return (struct assay_gpu_binding){ .location = locations[owner ? owner->location : n->location],
                                       .tensor = n->location == LOCATION_ARENA ? n->index : -1,
                                       .graph_tensor = n->location == LOCATION_ARENA
                                                           ? p->tensors[n->index].graph_tensor
                                                           : -1,
                                       .offset = n->offset,
                                       .bytes = n->bytes,
                                       .writes = n->writes };
}

/* Whether a buffer is memory of the host, or of the caller. */
static bool is_staging(const struct plan *p, const struct plan_binding *n)
{
    const struct plan_tensor *const owner =
        n->location == LOCATION_ARENA ? &p->tensors[plan_owner(p, n->index)] : NULL;
    const enum plan_location location = owner ? owner->location : n->location;

    return location == LOCATION_INPUT || location == LOCATION_OUTPUT;
}

static int arithmetic_of(const struct plan *p, const struct plan_step *s)
{
    for (int b = 0; b < PLAN_BINDINGS; b++)
        if (s->bindings[b].location == LOCATION_ARENA && !s->bindings[b].writes &&
            p->tensors[s->bindings[b].index].format == FORMAT_BYTES)
            return ASSAY_GPU_I8;
    return p->half ? ASSAY_GPU_F16 : ASSAY_GPU_F32;
}

static struct assay_gpu_step describe_step(const struct kernel *k, int partition, int i)
{
    const struct plan_step *s = k->plan.steps[i];
    struct profile *const profile = k->executor.recording.profile;
    struct profile_time time;
    struct assay_gpu_step mine = { .partition = partition,
                                   .step = i,
                                   .macs = s->macs,
                                   .arithmetic = arithmetic_of(&k->plan, s),
                                   .node = s->node,
                                   .shader = s->shader,
                                   .label = s->label,
                                   .source = s->source,
                                   .written_offset = -1,
                                   .tuned = s->tuned,
                                   .idle = s->idle };

    mine.constant_count = s->spec_count;
    memcpy(mine.constants, s->spec, sizeof mine.constants);
    mine.push_bytes = s->push_bytes;
    memcpy(mine.push, s->push, sizeof mine.push);
    for (int b = 0; b < PLAN_BINDINGS; b++)
        mine.bindings[b] = describe_binding(&k->plan, &s->bindings[b]);
    memcpy(mine.workgroup, s->spec, sizeof mine.workgroup);
    memcpy(mine.groups, s->groups, sizeof mine.groups);
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        const struct plan_binding *n = &s->bindings[b];

        if (n->location != LOCATION_NONE && is_staging(&k->plan, n))
            *(n->writes ? &mine.host_written_bytes : &mine.host_read_bytes) += n->bytes;
        if (n->location == LOCATION_CONSTANTS)
            mine.constant_bytes += n->bytes;
        else if (n->location != LOCATION_NONE && n->writes)
            mine.written_bytes += n->bytes;
        else if (n->location != LOCATION_NONE)
            mine.read_bytes += n->bytes;
        if (n->location == LOCATION_ARENA && n->writes && mine.written_offset < 0 &&
            k->plan.tensors[plan_owner(&k->plan, n->index)].location == LOCATION_ARENA)
            mine.written_offset = (int64_t)n->offset;
    }
    if (profile)
        mine.runs = profile_read(profile, i, &time);
    if (mine.runs > 0) {
        mine.mean_us = (double)time.sum_ns / (double)mine.runs / 1e3;
        mine.min_us = (double)time.min_ns / 1e3;
        mine.last_us = (double)time.last_ns / 1e3;
    }
    return mine;
}

int assay_gpu_step_count(const TfLiteDelegate *delegate)
{
    return count_all(delegate, step_count);
}

int assay_gpu_get_step(const TfLiteDelegate *delegate, int i, struct assay_gpu_step *step)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_step mine = { .step = 0 };
    const struct kernel *k;
    int partition;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    if ((k = find(d, step_count, &i, &partition)))
        mine = describe_step(k, partition, i);
    lock_release(&d->lock);
    delegate_release(d);
    return k ? struct_copy_out(step, &mine, sizeof mine) : -1;
}

int assay_gpu_get_inference(const TfLiteDelegate *delegate, int partition,
                            struct assay_gpu_inference *inference)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_inference mine = { .partition = partition };
    struct profile_host host = { .begin_ns = 0 };
    const struct kernel *k = NULL;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    if (partition >= 0 && (k = kernel_at(d, partition)) && k->executor.recording.profile)
        mine.runs = profile_read_host(k->executor.recording.profile, &host);
    lock_release(&d->lock);
    delegate_release(d);
    mine.begin_ns = host.begin_ns;
    mine.copied_in_ns = host.copied_in_ns;
    mine.submitted_ns = host.submitted_ns;
    mine.waited_ns = host.waited_ns;
    mine.end_ns = host.end_ns;
    return k ? struct_copy_out(inference, &mine, sizeof mine) : -1;
}

static struct assay_gpu_tensor describe_tensor(const struct plan *p, int partition, int i)
{
    const struct plan_tensor *t = &p->tensors[i];
    const struct plan_tensor *owner = &p->tensors[plan_owner(p, i)];

    return (struct assay_gpu_tensor){ .partition = partition,
                                      .tensor = i,
                                      .graph_tensor = t->graph_tensor,
                                      .owner = plan_owner(p, i),
                                      .rows = t->rows,
                                      .channels = t->channels,
                                      .element_bytes = plan_element_bytes(p, t),
                                      .bytes = t->bytes,
                                      .offset =
                                          owner->first_step < 0 || owner->location != LOCATION_ARENA
                                              ? -1
                                              : (int64_t)owner->offset,
                                      .first_step = owner->first_step,
                                      .last_step = owner->last_step };
}

int assay_gpu_tensor_count(const TfLiteDelegate *delegate)
{
    return count_all(delegate, tensor_count);
}

int assay_gpu_get_tensor(const TfLiteDelegate *delegate, int i, struct assay_gpu_tensor *tensor)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_tensor mine = { .tensor = 0 };
    const struct kernel *k;
    int partition;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    if ((k = find(d, tensor_count, &i, &partition)))
        mine = describe_tensor(&k->plan, partition, i);
    lock_release(&d->lock);
    delegate_release(d);
    return k ? struct_copy_out(tensor, &mine, sizeof mine) : -1;
}

int assay_gpu_get_transform(const TfLiteDelegate *delegate, int i,
                            struct assay_gpu_transform *transform)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_transform mine = { .applied = 0 };

    if (!d)
        return -1;
    if (i < 0 || i >= TRANSFORM_COUNT) {
        delegate_release(d);
        return -1;
    }
    mine.name = transform_name((enum transform_id)i);
    mine.meaning = transform_meaning((enum transform_id)i);
    mine.enabled = !(d->options.no_transform & 1u << i);
    lock_acquire(&d->lock);
    for (const struct kernel *k = d->kernels; k; k = k->next)
        mine.applied += k->plan.applied[i];
    lock_release(&d->lock);
    delegate_release(d);
    return struct_copy_out(transform, &mine, sizeof mine);
}

static int reason_count(const struct plan *p)
{
    return p->reasons.count;
}

int assay_gpu_keep_reasons(TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_acquire(delegate);

    if (!d)
        return -1;
    atomic_store(&d->keeps_reasons, true);
    delegate_release(d);
    return 0;
}

int assay_gpu_reason_count(const TfLiteDelegate *delegate)
{
    return count_all(delegate, reason_count);
}

static struct assay_gpu_reason describe_reason(const struct reason *r, int partition)
{
    return (struct assay_gpu_reason){ .partition = partition,
                                      .node = r->node,
                                      .is_kernel = r->kind == REASON_KERNEL,
                                      .name = r->kind == REASON_KERNEL
                                                  ? options_kernel_name((enum kernel_id)r->id)
                                                  : transform_name((enum transform_id)r->id),
                                      .op = r->op,
                                      .text = r->text };
}

int assay_gpu_get_reason(const TfLiteDelegate *delegate, int i, struct assay_gpu_reason *reason)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_reason mine = { .node = -1 };
    const struct kernel *k;
    int partition;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    if ((k = find(d, reason_count, &i, &partition)))
        mine = describe_reason(&k->plan.reasons.list[i], partition);
    lock_release(&d->lock);
    delegate_release(d);
    return k ? struct_copy_out(reason, &mine, sizeof mine) : -1;
}

int assay_gpu_refusal_count(const TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    int count;

    if (!d)
        return 0;
    lock_acquire(&d->lock);
    count = d->decision.refusal_count;
    lock_release(&d->lock);
    delegate_release(d);
    return count;
}

int assay_gpu_get_refusal(const TfLiteDelegate *delegate, int i, struct assay_gpu_refusal *refusal)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_refusal mine;
    bool found;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    found = i >= 0 && i < d->decision.refusal_count;
    if (found)
        mine = refusal_view(&d->decision.refusals[i]);
    lock_release(&d->lock);
    delegate_release(d);
    return found ? struct_copy_out(refusal, &mine, sizeof mine) : -1;
}

int assay_gpu_get_placement(const TfLiteDelegate *delegate, struct assay_gpu_placement *placement)
{
    static const char *const sources[] = {
        [RATES_TABLE] = "table", [RATES_MEASURED] = "measured", [RATES_FILE] = "file"
    };
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_placement mine = { .partitions = 0 };
    struct placement_rates rates;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    rates = d->decision.rates;
    mine.partitions = d->decision.placement_count;
    lock_release(&d->lock);
    mine.order = options_placement_name(d->options.placement);
    mine.rates = sources[rates.source];
    mine.submit_us = rates.device.submit_us;
    mine.step_us = rates.device.step_us;
    mine.bytes_per_us = rates.device.bytes_per_us;
    mine.macs_per_us = rates.device.macs_per_us;
    mine.cpu_macs_per_us = d->options.cpu_rate;
    delegate_release(d);
    return struct_copy_out(placement, &mine, sizeof mine);
}

int assay_gpu_get_partition(const TfLiteDelegate *delegate, int i,
                            struct assay_gpu_partition *partition)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    struct assay_gpu_partition mine = { .taken = 0 };
    bool found;

    if (!d)
        return -1;
    lock_acquire(&d->lock);
    if ((found = i >= 0 && i < d->decision.placement_count)) {
        const struct placement *p = &d->decision.placements[i];

        mine = (struct assay_gpu_partition){ .first_node = p->first_node,
                                             .nodes = p->nodes,
                                             .macs = p->macs,
                                             .elements = p->elements,
                                             .bytes_in = (uint64_t)p->bytes_in,
                                             .bytes_out = (uint64_t)p->bytes_out,
                                             .cpu_us = p->cpu_us,
                                             .device_us = p->device_us,
                                             .taken = p->taken,
                                             .rule = p->taken ? NULL : rule_id(p->rule) };
    }
    lock_release(&d->lock);
    delegate_release(d);
    return found ? struct_copy_out(partition, &mine, sizeof mine) : -1;
}
