/* The callbacks of TfLiteDelegate.  Prepare lets the host's kernels give all tensors their shapes
 * (propagate.c), imports the graph (graph/import.c), folds constants (transform/fold.c), decides on
 * every node (accept/decide.c), refuses partitions that are too small or too large (partition.c),
 * and lets the host make a kernel of each other. */
#include "delegate/runtime/host.h"

#include "delegate/base/clock.h"
#include "delegate/graph/import.h"
#include "delegate/ops/values.h"
#include "delegate/runtime/handle.h"
#include "delegate/runtime/host_source.h"
#include "delegate/runtime/imported.h"
#include "delegate/runtime/kernel_callbacks.h"
#include "delegate/runtime/kernel_copy.h"
#include "delegate/runtime/partition.h"
#include "delegate/runtime/placement.h"
#include "delegate/runtime/propagate.h"
#include "delegate/runtime/start.h"
#include "delegate/transform/fold.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

/* Gives the standard warning, once for each op code with a refusal that is not an option's. */
static void warn(TfLiteContext *context, const struct decision *d)
{
    bool said[BUILTIN_COUNT + 1] = { false }; /* the last one: of every code that is unknown */

    for (int i = 0; i < d->refusal_count; i++) {
        const int32_t code = d->refusals[i].code;
        bool *const done = &said[code >= 0 && code < BUILTIN_COUNT ? code : BUILTIN_COUNT];

        if (*done || !rule_is_warned(d->refusals[i].id))
            continue;
        *done = true;
        context->ReportError(context, "WARNING: op code #%d cannot be handled by this delegate.",
                             code);
    }
}

static TfLiteStatus fail(TfLiteContext *context, const struct diag *diag)
{
    context->ReportError(context, "assay delegate: %s", diag->text);
    return kTfLiteError;
}

static TfLiteStatus replace_nodes(TfLiteContext *context, TfLiteDelegate *delegate,
                                  struct gpu_delegate *d, const struct decision *decision)
{
    struct diag diag = { 0 };
    TfLiteIntArray *nodes = partition_nodes(d->graph, decision);
    TfLiteStatus status = kTfLiteOk;

    if (!nodes) {
        diag_fail(&diag, STATUS_NO_MEMORY, "nodes: out of memory");
        return fail(context, &diag);
    }
    if (nodes->size > 0)
        status = context->ReplaceNodeSubsetsWithDelegateKernels(context, kernel_registration, nodes,
                                                                delegate);
    mem_free(nodes);
    return status;
}

/* Its memory is the host's to choose; after a first inference it may be the application's. */
static bool is_activation(const TfLiteTensor *t)
{
    return t->allocation_type == kTfLiteArenaRw || t->allocation_type == kTfLiteCustom ||
           t->allocation_type == kTfLiteNonCpu;
}

/* Tells the source of a host where it may keep the tensors that the delegate's nodes read or write,
 * and nobody else. */
static TfLiteStatus announce(TfLiteContext *context, const TfLiteDelegate *delegate,
                             struct host_source *source)
{
    enum { OURS = 1, OTHERS = 2 };
    const size_t count = context->tensors_size;
    unsigned char *users = mem_alloc(count, sizeof *users);
    struct diag diag = { 0 };
    enum status s = STATUS_OK;
    TfLiteIntArray *plan;

    if (!users || context->GetExecutionPlan(context, &plan) != kTfLiteOk) {
        mem_free(users);
        diag_fail(&diag, STATUS_NO_MEMORY, "the execution plan of %zu tensors cannot be read",
                  count);
        return fail(context, &diag);
    }
    for (int i = 0; i < plan->size; i++) {
        TfLiteRegistration *registration;
        TfLiteNode *node;

        if (context->GetNodeAndRegistration(context, plan->data[i], &node, &registration) !=
            kTfLiteOk)
            continue;
        for (int j = 0; j < node->inputs->size + node->outputs->size; j++) {
            const int t = j < node->inputs->size ? node->inputs->data[j]
                                                 : node->outputs->data[j - node->inputs->size];

            if (t >= 0 && (size_t)t < count)
                users[t] |= node->delegate == delegate ? OURS : OTHERS;
        }
    }
    for (size_t t = 0; t < count && s == STATUS_OK; t++)
        if (users[t] == OURS && is_activation(&context->tensors[t]))
            s = source->announce(source, context, &context->tensors[t], &diag);
    mem_free(users);
    return s == STATUS_OK ? kTfLiteOk : fail(context, &diag);
}

/* Starts the partitions that the host has made.  Where one fails, the host restores its plan, so
 * that the program can go on without the delegate; a failure in a kernel's prepare would come too
 * late for that. */
static TfLiteStatus start_kernels(TfLiteContext *context, struct gpu_delegate *d)
{
    struct diag diag = { 0 };
    TfLiteStatus status = kTfLiteOk;
    struct kernel *k;

    while ((k = delegate_next_made(d)))
        if (status == kTfLiteOk && start_open(k, context, &diag) != STATUS_OK)
            status = fail(context, &diag);
    return status;
}

/* The graph in d->imported as a copy that may be folded. */
static enum status import(TfLiteContext *context, struct gpu_delegate *d, struct graph *g,
                          struct diag *diag)
{
    struct propagated shapes;
    enum status s;

    TRY(propagate_shapes(context, &d->options, &shapes, diag));
    s = imported_open(&d->imported, context, diag);
    if (s == STATUS_OK)
        s = graph_import(g, context, diag);
    for (int i = 0; s == STATUS_OK && i < g->tensor_count && (size_t)i < shapes.count; i++)
        if (g->tensors[i].producer >= 0)
            g->tensors[i].is_dynamic = shapes.dynamic[i];
    mem_free(shapes.dynamic);
    if (s == STATUS_OK &&
        ((s = values_find(g, &d->options, diag)) != STATUS_OK ||
         (s = fold_constants(g, &d->options, &d->device->limits, diag)) != STATUS_OK))
        graph_close(g);
    if (s != STATUS_OK) {
        imported_release(d->imported);
        d->imported = NULL;
    }
    return s;
}

static enum status decide(TfLiteContext *context, struct gpu_delegate *d, struct decision *decision,
                          struct diag *diag)
{
    const struct device_limits *limits = &d->device->limits;

    TRY(decision_make(decision, d->graph, &d->options, limits, diag));
    if (decision->refusal_count < d->graph->node_count)
        decision->rates = placement_rates_of(d, context);
    return partition_apply_limits(context, &d->options, limits, d->graph, decision, diag);
}

/* What a resize needs to know: whose nodes give tensors their shapes. */
static void note_taken(struct gpu_delegate *d, const struct decision *decision)
{
    struct graph *const g = &d->imported->graph;

    g->has_values = d->graph->has_values;
    for (int i = 0; i < g->node_count; i++)
        g->nodes[i].taken = decision->take[i];
}

static TfLiteStatus prepare_graph(TfLiteContext *context, TfLiteDelegate *delegate,
                                  struct gpu_delegate *d)
{
    struct diag diag = { 0 };
    struct graph graph;
    struct decision decision = { 0 };
    TfLiteStatus status;

    lock_acquire(&d->lock);
    d->serialized.warned = d->serialized.has_model = false;
    d->tuned_before_ns = d->time.tune_ns;
    lock_release(&d->lock);

    if (import(context, d, &graph, &diag) != STATUS_OK)
        return fail(context, &diag);
    d->graph = &graph;
    if (decide(context, d, &decision, &diag) != STATUS_OK) {
        status = fail(context, &diag);
    } else {
        warn(context, &decision);
        note_taken(d, &decision);
        status = replace_nodes(context, delegate, d, &decision);
        if (status == kTfLiteOk)
            status = start_kernels(context, d);
        if (status == kTfLiteOk && d->source)
            status = announce(context, delegate, d->source);
    }
    while (delegate_next_made(d))
        ;
    imported_release(d->imported);
    d->imported = NULL;
    d->graph = NULL;
    graph_close(&graph);
    lock_acquire(&d->lock);
    decision_close(&d->decision);
    d->decision = decision;
    lock_release(&d->lock);
    return status;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_acquire(delegate);
    TfLiteStatus status;
    uint64_t before;

    if (!d) {
        context->ReportError(context, "assay delegate: the delegate was destroyed");
        return kTfLiteError;
    }
    lock_acquire(&d->prepare_lock);
    before = clock_ns();
    atomic_store(&d->preparing, true);
    status = prepare_graph(context, delegate, d);
    atomic_store(&d->preparing, false);
    delegate_add_time(d, before);
    lock_release(&d->prepare_lock);
    delegate_release(d);
    return status;
}

static TfLiteStatus copy_from_handle(TfLiteContext *context, TfLiteDelegate *delegate, int handle,
                                     TfLiteTensor *tensor)
{
    struct diag diag = { 0 };
    struct kernel *k;
    int output;

    (void)delegate;
    if (!tensor)
        return kTfLiteError;
    if (!(k = handle_find(handle, &output))) {
        context->ReportError(context, "assay delegate: buffer handle %d: no output has it", handle);
        return kTfLiteError;
    }
    if (kernel_read_output(k, output, tensor, &diag) == STATUS_OK)
        return kTfLiteOk;
    return fail(context, &diag);
}

/* Nothing is freed here: the memory belongs to the partition. */
static void free_handle(TfLiteContext *context, TfLiteDelegate *delegate, int *handle)
{
    (void)context;
    (void)delegate;
    if (handle)
        *handle = kTfLiteNullBufferHandle;
}

enum status host_delegate_create(struct gpu_delegate **out, const char *const *keys,
                                 const char *const *values, size_t count,
                                 const struct device_given *given, struct diag *diag)
{
    TRY(delegate_open(out, keys, values, count, given, diag));
    (*out)->base = (TfLiteDelegate){ .data_ = *out,
                                     .Prepare = prepare,
                                     .CopyFromBufferHandle = copy_from_handle,
                                     .FreeBufferHandle = free_handle,
                                     .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    delegate_publish(*out);
    return STATUS_OK;
}
