/* Which nodes a delegate would take, without a delegate or a device: assay_gpu_query_support. */
#include "delegate/api/support.h"

#include "delegate/accept/decide.h"
#include "delegate/base/device_costs.h"
#include "delegate/graph/import.h"
#include "delegate/ops/values.h"
#include "delegate/runtime/partition.h"
#include "delegate/transform/fold.h"

#include <stdio.h>
#include <string.h>

struct assay_gpu_refusal refusal_view(const struct refusal *r)
{
    return (struct assay_gpu_refusal){ .struct_size = sizeof(struct assay_gpu_refusal),
                                       .node = r->host_node,
                                       .op = r->op,
                                       .version = r->version,
                                       .rule = r->rule,
                                       .tensor = r->tensor,
                                       .tensor_name = r->tensor_name,
                                       .field = r->field,
                                       .value = r->value,
                                       .limit = r->limit,
                                       .hint = r->hint };
}

int assay_gpu_rule(int i, const char **id, const char **meaning)
{
    if (i < 0 || i >= RULE_COUNT)
        return -1;
    if (id)
        *id = rule_id((enum rule)i);
    if (meaning)
        *meaning = rule_meaning((enum rule)i);
    return 0;
}

/* Of the table, since there is no device to measure. */
static struct device_rates rates_of(const struct assay_gpu_device *device)
{
    enum { VENDOR_END = offsetof(struct assay_gpu_device, device_id) };
    const struct device_limits l = { .device_class =
                                         device && device->struct_size >= VENDOR_END
                                             ? device_class_of(device->type, device->vendor_id)
                                             : DEVICE_OTHER };

    return device_costs_of(&l)->rates;
}

#define GIVEN(to, from)                                                                            \
    do {                                                                                           \
        if (from)                                                                                  \
            (to) = (from);                                                                         \
    } while (0)

/* Members that the caller's struct is too short to have count as not given. */
static struct device_limits limits_of(const struct assay_gpu_device *device)
{
    struct device_limits l = device_limits_minimum;
    struct assay_gpu_device d = { 0 };

    if (!device)
        return l;
    memcpy(&d, device, device->struct_size < sizeof d ? device->struct_size : sizeof d);
    GIVEN(l.max_storage_buffer_range, d.max_storage_buffer_range);
    GIVEN(l.storage_buffer_offset_alignment, d.storage_buffer_offset_alignment);
    GIVEN(l.max_memory_allocation_bytes, d.max_memory_allocation_bytes);
    GIVEN(l.memory_bytes, d.memory_bytes);
    GIVEN(l.memory_bytes, d.memory_budget_bytes);
    for (int i = 0; i < 3; i++) {
        GIVEN(l.max_workgroup_count[i], d.max_workgroup_count[i]);
        GIVEN(l.max_workgroup_size[i], d.max_workgroup_size[i]);
    }
    GIVEN(l.max_workgroup_invocations, d.max_workgroup_invocations);
    l.zero_copy_inputs = d.host_writes;
    l.zero_copy_outputs = d.host_reads;
    GIVEN(l.max_shared_memory_bytes, d.max_shared_memory_bytes);
    GIVEN(l.max_push_constants_bytes, d.max_push_constants_bytes);
    l.storage_16bit = d.storage_16bit != 0;
    l.shader_float16 = d.shader_float16 != 0;
    return l;
}

static void answer(struct assay_gpu_support_query *q, const struct graph *g,
                   const struct decision *d, const struct partition_sums *sums)
{
    q->nodes = g->node_count;
    q->taken = g->node_count - d->refusal_count;
    q->partitions = sums->count;
    q->constant_bytes = sums->constant_bytes;
    q->activation_bytes = sums->activation_bytes;
    q->activation_bound = sums->activation_bound;
    q->staging_bytes = sums->staging_bytes;
    for (int i = 0; i < d->refusal_count && q->refused; i++) {
        const struct assay_gpu_refusal r = refusal_view(&d->refusals[i]);

        q->refused(q->user, &r);
    }
}

static enum status query_graph(TfLiteContext *context, struct assay_gpu_support_query *q,
                               const struct gpu_options *o, struct graph *g, struct diag *diag)
{
    const struct device_limits limits = limits_of(q->device);
    struct partition_sums sums;
    struct decision d;
    enum status s;

    /* As in Prepare: an op may accept a node only because one before it is folded. */
    TRY(values_find(g, o, diag));
    TRY(fold_constants(g, o, &limits, diag));
    TRY(decision_make(&d, g, o, &limits, diag));
    d.rates.device = rates_of(q->device);
    if ((s = partition_apply_limits(context, o, &limits, g, &d, diag)) == STATUS_OK &&
        (s = partition_sum_memory(context, o, &limits, g, &d, &sums, diag)) == STATUS_OK)
        answer(q, g, &d, &sums);
    decision_close(&d);
    return s;
}

static enum status query_support(TfLiteContext *context, struct assay_gpu_support_query *q,
                                 struct diag *diag)
{
    struct gpu_options o;
    struct graph g;
    enum status s;

    TRY(options_parse(&o, q->keys, q->values, q->count, diag));
    if ((s = graph_import(&g, context, diag)) == STATUS_OK) {
        s = query_graph(context, q, &o, &g, diag);
        graph_close(&g);
    }
    options_close(&o);
    return s;
}

int assay_gpu_query_support(TfLiteContext *context, struct assay_gpu_support_query *q)
{
    struct diag diag = { 0 };

    if (!context || !q || q->struct_size < sizeof *q)
        return -1;
    q->error[0] = '\0';
    if (query_support(context, q, &diag) == STATUS_OK)
        return 0;
    snprintf(q->error, sizeof q->error, "%.*s", (int)sizeof q->error - 1, diag.text);
    return -1;
}
