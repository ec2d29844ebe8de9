/* A host with kTfLiteDelegateFlagsAllowDynamicTensors does not delegate again after a resize: it
 * calls prepare of the kernels with new shapes of inputs.  The shapes inside of the partition and
 * of its outputs follow from them by gpu_op.shape; then the nodes are checked as in Prepare, since
 * a limit may now be exceeded, and planned as if they were new. */
#include "delegate/runtime/start.h"

#include "delegate/base/clock.h"
#include "delegate/graph/import.h"
#include "delegate/graph/shapes.h"
#include "delegate/ops/values.h"
#include "delegate/runtime/partition.h"
#include "delegate/transform/fold.h"
#include "delegate/vulkan/selftest.h"
#include "delegate/vulkan/tune.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

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
    if (!request->unpacked || serialization_find(&k->serialization, d, context, request, &k->plan))
        return STATUS_OK;
    plan_close(&k->plan);
    request->unpacked = false;
    return timed_plan(k, request, diag);
}

/* By tensor, whether a node outside of the partition reads it.  NULL: out of memory. */
static bool *find_read_outside(const struct plan_request *r)
{
    const struct graph *g = r->graph;
    bool *read = mem_alloc((size_t)g->tensor_count, sizeof *read);
    bool *inside = mem_alloc((size_t)g->node_count, sizeof *inside);

    for (int i = 0; inside && i < r->node_count; i++)
        inside[graph_find_node(g, r->nodes[i]) - g->nodes] = true;
    for (int i = 0; read && inside && i < g->node_count; i++)
        for (int j = 0; j < g->nodes[i].input_count && !inside[i] && !g->nodes[i].known; j++)
            if (g->nodes[i].inputs[j] >= 0)
                read[g->nodes[i].inputs[j]] = true;
    if (!inside) {
        mem_free(read);
        read = NULL;
    }
    mem_free(inside);
    return read;
}

static enum status open_ios(struct kernel *k, const struct plan_request *r, struct diag *diag)
{
    const struct plan *p = &k->plan;

    bool *read = find_read_outside(r);

    k->inputs = mem_alloc((size_t)p->input_count, sizeof *k->inputs);
    k->outputs = mem_alloc((size_t)p->output_count, sizeof *k->outputs);
    if (!k->inputs || !k->outputs || !read) {
        mem_free(read);
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    }
    for (int i = 0; i < p->output_count; i++)
        k->outputs[i].unread =
            i < r->output_count && !p->outputs[i].constant && !read[p->outputs[i].tensor];
    mem_free(read);
    return STATUS_OK;
}

/* Remembers the shapes that the plan is made for. */
static void keep_shapes(struct graph_shape *to, const struct graph *g, const int *tensors,
                        int count)
{
    for (int i = 0; i < count; i++) {
        const struct graph_tensor *t = tensors[i] < 0 ? NULL : &g->tensors[tensors[i]];

        to[i] = (struct graph_shape){ .rank = t ? t->rank : 0 };
        if (t)
            memcpy(to[i].dims, t->dims, sizeof to[i].dims);
    }
}

/* ---- values of shape arithmetic ---- */

static size_t value_bytes(const struct graph_tensor *t)
{
    return t->elements * (runtime_type_bits(t->type) / 8);
}

/* Of the values that nodes on the device read. */
static struct checksum sum_values(const struct kernel *k, const struct graph *g)
{
    struct checksum sum = { { 0 } };

    for (int i = 0; i < k->request.node_count && g->has_values; i++) {
        const struct graph_node *n = graph_find_node(g, k->request.nodes[i]);

        for (int j = 0; j < n->input_count; j++) {
            const struct graph_tensor *t = graph_input(g, n, j);

            if (!t || !t->from_shapes)
                continue;
            checksum_add(&sum, t->dims, sizeof t->dims);
            checksum_add(&sum, t->data, value_bytes(t));
        }
    }
    return sum;
}

static enum status keep_values(struct kernel *k, const struct graph *g, struct diag *diag)
{
    for (int i = 0; i < k->value_count; i++) {
        struct kernel_value *v = &k->values[i];
        const struct graph_tensor *t = &g->tensors[v->tensor];

        if (!t->data)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "'%s': no value follows from the shapes that tensors have now",
                             t->name);
        v->shape = (struct graph_shape){ .rank = t->rank };
        memcpy(v->shape.dims, t->dims, sizeof t->dims);
        v->bytes = value_bytes(t);
        if (!(v->data = mem_alloc(1, v->bytes)))
            return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
        memcpy(v->data, t->data, v->bytes);
    }
    k->read_values = sum_values(k, g);
    k->follows_shapes = k->value_count > 0 || (k->read_values.word[0] | k->read_values.word[1]);
    return STATUS_OK;
}

void start_write_values(const struct kernel *k, TfLiteContext *context)
{
    for (int i = 0; i < k->value_count; i++) {
        const struct kernel_value *v = &k->values[i];
        TfLiteTensor *t = &context->tensors[v->tensor];

        if (t->data.raw && t->bytes == v->bytes)
            memcpy(t->data.raw, v->data, v->bytes);
    }
}

static enum status plan(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    TRY(keep_values(k, k->request.graph, diag));
    TRY(make_plan(k, context, &k->request, diag));
    TRY(open_ios(k, &k->request, diag));
    handles_open(&k->handles, k, k->plan.output_count);
    keep_shapes(k->input_shapes, k->request.graph, k->request.inputs, k->request.input_count);
    keep_shapes(k->output_shapes, k->request.graph, k->request.outputs, k->request.output_count);
    k->planned = true;
    return STATUS_OK;
}

static bool within(const int *tensors, int count, const struct graph *g)
{
    for (int i = 0; i < count; i++)
        if (tensors[i] >= g->tensor_count)
            return false;
    return true;
}

/* The host's lists are valid in init only. */
static enum status keep_lists(struct kernel *k, const struct partition_lists *lists,
                              struct diag *diag)
{
    struct plan_request *r = &k->request;

    k->variables = ARENA_NEW(&k->arena, (size_t)lists->variable_count, const struct graph_node *);
    for (int i = 0; k->variables && i < lists->variable_count; i++)
        k->variables[k->variable_count++] =
            graph_find_node(&k->imported->graph, lists->variables[i]);
    r->nodes = arena_copy(&k->arena, r->nodes, (size_t)r->node_count, sizeof *r->nodes);
    r->inputs = arena_copy(&k->arena, r->inputs, (size_t)r->input_count, sizeof *r->inputs);
    r->outputs = arena_copy(&k->arena, r->outputs, (size_t)r->output_count, sizeof *r->outputs);
    k->input_shapes = ARENA_NEW(&k->arena, (size_t)r->input_count, struct graph_shape);
    k->output_shapes = ARENA_NEW(&k->arena, (size_t)r->output_count, struct graph_shape);
    k->values = ARENA_NEW(&k->arena, (size_t)lists->value_count, struct kernel_value);
    for (int i = 0; k->values && i < lists->value_count; i++)
        k->values[k->value_count++].tensor = lists->values[i];
    if (!r->nodes || !r->inputs || !r->outputs || !k->input_shapes || !k->output_shapes ||
        !k->variables || !k->values)
        return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
    if (!within(r->inputs, r->input_count, r->graph) ||
        !within(r->outputs, r->output_count, r->graph))
        return diag_fail(diag, STATUS_INVALID,
                         "TfLiteDelegateParams: an input or output is no tensor below %d",
                         r->graph->tensor_count);
    return STATUS_OK;
}

/* Whether a node of the partition computes with i8. */
static bool has_int8(const struct graph *g, const TfLiteIntArray *nodes)
{
    for (int i = 0; i < nodes->size; i++) {
        const struct graph_node *n = graph_find_node(g, nodes->data[i]);
        const struct graph_tensor *x = n ? graph_input(g, n, 0) : NULL;

        if (x && x->type == kTfLiteInt8)
            return true;
    }
    return false;
}

/* What a device gets wrong is not used, with a warning. */
static enum status warn(enum status s, TfLiteContext *context, struct diag *diag)
{
    if (s != STATUS_NO_DEVICE)
        return s;
    context->ReportError(context, "WARNING: %s; not used", diag->text);
    diag_clear(diag);
    return STATUS_OK;
}

/* Tests matrix units and f16 sums before the first plan that may use them. */
static enum status test_products(struct kernel *k, TfLiteContext *context,
                                 const TfLiteDelegateParams *params, struct diag *diag)
{
    const struct gpu_options *options = &k->owner->options;
    struct device *d = k->owner->device;

    if (options_half(options) && options_kernel(options, KERNEL_matrix))
        TRY(warn(selftest_matrix(d, diag), context, diag));
    if (options->precision == PRECISION_FAST && options_kernel(options, KERNEL_half_sums))
        TRY(warn(selftest_half_sums(d, diag), context, diag));
    if (d->limits.matrix.bytes && options_kernel(options, KERNEL_matrix_int8) &&
        has_int8(k->owner->graph, params->nodes_to_replace))
        TRY(warn(selftest_matrix_int8(d, diag), context, diag));
    return STATUS_OK;
}

enum status start_plan(struct kernel *k, TfLiteContext *context, const TfLiteDelegateParams *params,
                       struct diag *diag)
{
    struct gpu_delegate *d = k->owner;
    struct partition_lists lists;
    enum status s;

    if (!d->graph)
        return diag_fail(diag, STATUS_INVALID,
                         "the host initializes a partition while no graph is delegated");
    TRY(test_products(k, context, params, diag));
    k->imported = imported_acquire(d->imported);
    k->request = (struct plan_request){ .graph = d->graph,
                                        .options = &d->options,
                                        .limits = &d->device->limits,
                                        .reasons = atomic_load(&d->keeps_reasons) };
    s = partition_request(&k->request, params, &lists, diag);
    if (s == STATUS_OK)
        s = keep_lists(k, &lists, diag);
    mem_free(lists.memory);
    if (s == STATUS_OK)
        s = plan(k, context, diag);
    k->request.graph = NULL; /* it lives as long as Prepare runs */
    return s;
}

/* ---- the device ---- */

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

    for (int i = 0; i < k->plan.step_count; i++)
        used |= k->plan.steps[i]->packed_dot;
    return used ? warn(selftest_dot(k->owner->device, cache, diag), context, diag) : STATUS_OK;
}

static enum status open_partition(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    struct gpu_delegate *d = k->owner;
    struct pipeline_cache *cache = serialization_open_pipelines(&k->serialization, d, context);
    bool changed = false;
    uint64_t before;
    enum status s;

    /* A file for this device and driver was written only after the test had passed. */
    if (options_half(&d->options) && !k->serialization.found)
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

/* Adds the kernel to the list.  Kernels stay in the order of their partitions, the newest first,
 * when one of them starts again. */
static void publish(struct kernel *k)
{
    struct kernel **at;

    lock_acquire(&k->owner->lock);
    for (at = &k->owner->kernels; *at && (*at)->run_lock.serial > k->run_lock.serial;)
        at = &(*at)->next;
    k->next = *at;
    *at = k;
    lock_release(&k->owner->lock);
}

enum status start_open(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    if (!k->empty)
        TRY(open_partition(k, context, diag));
    k->ready = true;
    serialization_close(&k->serialization);
    plan_drop_constants(&k->plan);
    publish(k);
    return STATUS_OK;
}

/* ---- stop ---- */

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

static void close_io(struct kernel_io *io, struct device *d)
{
    io_binding_close(&io->bound, d);
    host_block_release(io->block);
}

static void unpublish(struct kernel *k)
{
    struct kernel **at;

    lock_acquire(&k->owner->lock);
    for (at = &k->owner->kernels; *at && *at != k; at = &(*at)->next)
        ;
    if (*at)
        *at = k->next;
    /* The trace shows the last inferences before the interpreter was closed. */
    if (k->owner->trace.file && k->ready && !k->empty)
        trace_write(&k->owner->trace, k->executor.recording.profile, &k->plan);
    lock_release(&k->owner->lock);
}

void start_stop(struct kernel *k, TfLiteContext *context)
{
    handles_close(&k->handles);
    revoke_handles(context, k);
    unpublish(k);
    executor_close(&k->executor);
    for (int i = 0; k->inputs && i < k->plan.input_count; i++)
        close_io(&k->inputs[i], k->owner->device);
    for (int i = 0; k->outputs && i < k->plan.output_count; i++)
        close_io(&k->outputs[i], k->owner->device);
    for (int i = 0; i < k->value_count; i++) {
        mem_free(k->values[i].data);
        k->values[i].data = NULL;
    }
    mem_free(k->inputs);
    mem_free(k->outputs);
    k->inputs = k->outputs = NULL;
    serialization_close(&k->serialization);
    k->serialization = (struct serialization){ .on = false };
    plan_close(&k->plan);
    k->plan = (struct plan){ .half = false };
    k->planned = k->ready = k->empty = k->needs_replan = false;
}

/* ---- other shapes ---- */

static bool has_dims(const TfLiteTensor *t, const struct graph_shape *s)
{
    return t->dims && t->dims->size == s->rank &&
           (s->rank == 0 ||
            memcmp(t->dims->data, s->dims, (size_t)s->rank * sizeof s->dims[0]) == 0);
}

static bool has_input_shapes(const struct kernel *k, const TfLiteContext *context)
{
    for (int i = 0; i < k->request.input_count; i++) {
        const int t = k->request.inputs[i];

        if (t >= 0 && (size_t)t < context->tensors_size &&
            !has_dims(&context->tensors[t], &k->input_shapes[i]))
            return false;
    }
    return true;
}

/* Of a node of another partition, whose host no longer gives its tensors shapes. */
static enum status infer_outside(struct graph *g, const struct graph_node *n, struct diag *diag)
{
    const enum status s = n->taken && n->op && !n->variable ? shapes_infer(g, n, diag) : STATUS_OK;

    if (s == STATUS_NO_MEMORY)
        return s;
    if (s != STATUS_OK) {
        diag_clear(diag);
        for (int i = 0; i < n->output_count; i++)
            g->tensors[n->outputs[i]].is_dynamic = true;
    }
    return STATUS_OK;
}

/* With shape arithmetic: what follows from shapes before the partition gives shapes in it. */
static enum status infer_all(struct kernel *k, struct graph *g, struct diag *diag)
{
    uint64_t bytes = 0;
    int next = 0;

    for (int i = 0; i < g->node_count; i++) {
        struct graph_node *n = &g->nodes[i];
        const bool inside = next < k->request.node_count && n->host_node == k->request.nodes[next];

        TRY(values_compute(g, n, true, &bytes, diag));
        next += inside;
        if (!n->known)
            TRY(inside ? shapes_infer(g, n, diag) : infer_outside(g, n, diag));
    }
    return STATUS_OK;
}

static enum status infer(struct kernel *k, struct graph *g, struct diag *diag)
{
    size_t elements = 0;

    if (g->has_values)
        TRY(infer_all(k, g, diag));
    for (int i = 0; i < k->request.node_count && !g->has_values; i++)
        TRY(shapes_infer(g, graph_find_node(g, k->request.nodes[i]), diag));
    for (int i = 0; i < k->request.output_count; i++)
        elements |= g->tensors[k->request.outputs[i]].elements;
    k->empty = elements == 0;
    return STATUS_OK;
}

static enum status check_nodes(const struct kernel *k, const struct graph *g, struct diag *diag)
{
    const struct plan_request *r = &k->request;
    struct refusal why;

    for (int i = 0; i < r->node_count; i++)
        if (!decision_of_node(g, graph_find_node(g, r->nodes[i]), r->options, r->limits, &why))
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "node %d (%s): the delegate took it before its inputs were resized, "
                             "and cannot compute it now: %s: %s: expected %s, found %s",
                             why.host_node, why.op, why.rule, why.field, why.limit, why.value);
    return STATUS_OK;
}

static enum status plan_again(struct kernel *k, TfLiteContext *context, struct graph *g,
                              struct diag *diag)
{
    if (k->empty) {
        TRY(keep_values(k, g, diag));
        keep_shapes(k->input_shapes, g, k->request.inputs, k->request.input_count);
        keep_shapes(k->output_shapes, g, k->request.outputs, k->request.output_count);
        k->planned = true;
        return STATUS_OK;
    }
    TRY(fold_constants(g, k->request.options, k->request.limits, diag));
    TRY(check_nodes(k, g, diag));
    k->request.graph = g;
    k->request.again = true;
    return plan(k, context, diag);
}

/* Whether the plan is one for the values that follow from the shapes of the graph. */
static bool has_values(const struct kernel *k, const struct graph *g)
{
    const struct checksum sum = sum_values(k, g);

    if (memcmp(&sum, &k->read_values, sizeof sum) != 0)
        return false;
    for (int i = 0; i < k->value_count; i++) {
        const struct kernel_value *v = &k->values[i];
        const struct graph_tensor *t = &g->tensors[v->tensor];

        if (!t->data || !shapes_are(t, &v->shape) || memcmp(t->data, v->data, v->bytes) != 0)
            return false;
    }
    return true;
}

enum status start_update(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    const bool same = k->planned && has_input_shapes(k, context);
    const struct graph *const imported = &k->imported->graph;
    struct graph g;
    enum status s;

    if (same && !k->follows_shapes)
        return STATUS_OK;
    if (!same)
        start_stop(k, context);
    TRY(graph_import_again(&g, imported, context, diag));
    s = infer(k, &g, diag);
    if (s == STATUS_OK && !(same && has_values(k, &g))) {
        const bool empty = k->empty;

        start_stop(k, context);
        k->empty = empty;
        s = plan_again(k, context, &g, diag);
    }
    k->request.graph = NULL;
    graph_close(&g);
    if (s != STATUS_OK)
        start_stop(k, context);
    return s;
}

enum status start_resize_outputs(const struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    for (int i = 0; i < k->request.output_count + k->value_count; i++) {
        const int value = i - k->request.output_count;
        const struct graph_shape *s = value < 0 ? &k->output_shapes[i] : &k->values[value].shape;
        const int tensor = value < 0 ? k->request.outputs[i] : k->values[value].tensor;
        TfLiteTensor *t = &context->tensors[tensor];
        TfLiteIntArray *dims;

        if (has_dims(t, s))
            continue;
        /* The host owns the array then. */
        if (!(dims = malloc(sizeof *dims + (size_t)s->rank * sizeof dims->data[0])))
            return diag_fail(diag, STATUS_NO_MEMORY, "partition: out of memory");
        dims->size = s->rank;
        memcpy(dims->data, s->dims, (size_t)s->rank * sizeof dims->data[0]);
        if (context->ResizeTensor(context, t, dims) != kTfLiteOk)
            return diag_fail(diag, STATUS_INVALID, "output: tensor %d '%s' cannot be resized",
                             tensor, t->name ? t->name : "");
    }
    start_write_values(k, context);
    return STATUS_OK;
}
