#include "delegate/runtime/delegate.h"

#include "delegate/base/clock.h"
#include "delegate/runtime/handle.h"
#include "delegate/runtime/partition.h"
#include "delegate/transform/fold.h"
#include "delegate/vulkan/selftest.h"
#include "reference/base/memory.h"

/* One line for each op code that is refused for what it is. */
static void warn(TfLiteContext *context, const struct decision *d)
{
    for (int i = 0; i < d->refusal_count; i++) {
        bool said = !rule_is_warned(d->refusals[i].id);

        for (int j = 0; j < i && !said; j++)
            said = d->refusals[j].code == d->refusals[i].code && rule_is_warned(d->refusals[j].id);
        if (!said)
            context->ReportError(context,
                                 "WARNING: op code #%d cannot be handled by this delegate.",
                                 d->refusals[i].code);
    }
}

static TfLiteStatus fail(TfLiteContext *context, const struct diag *diag)
{
    context->ReportError(context, "assay delegate: %s", diag->text);
    return kTfLiteError;
}

static TfLiteStatus replace(TfLiteContext *context, TfLiteDelegate *delegate,
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

static TfLiteStatus prepare_graph(TfLiteContext *context, TfLiteDelegate *delegate,
                                  struct gpu_delegate *d)
{
    struct diag diag = { 0 };
    struct graph graph;
    struct decision decision = { 0 };
    TfLiteStatus status;

    pthread_mutex_lock(&d->lock);
    d->serialized.warned = d->serialized.has_model = false;
    d->tuned_before_ns = d->time.tune_ns;
    pthread_mutex_unlock(&d->lock);

    if (graph_import(&graph, context, &diag) != STATUS_OK)
        return fail(context, &diag);
    if (fold_constants(&graph, &d->options, &d->device->limits, &diag) != STATUS_OK) {
        graph_close(&graph);
        return fail(context, &diag);
    }
    d->graph = &graph;
    if (decide(&decision, &graph, &d->options, &d->device->limits, &diag) != STATUS_OK ||
        partition_limit(context, &d->options, &d->device->limits, &graph, &decision, &diag) !=
            STATUS_OK) {
        status = fail(context, &diag);
    } else {
        warn(context, &decision);
        status = replace(context, delegate, d, &decision);
    }
    d->graph = NULL;
    graph_close(&graph);
    pthread_mutex_lock(&d->lock);
    decision_close(&d->decision);
    d->decision = decision;
    pthread_mutex_unlock(&d->lock);
    return status;
}

static TfLiteStatus delegate_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct gpu_delegate *d = delegate_hold(delegate);
    TfLiteStatus status;
    uint64_t before;

    if (!d) {
        context->ReportError(context, "assay delegate: there is no such delegate any more");
        return kTfLiteError;
    }
    pthread_mutex_lock(&d->prepare_lock);
    before = clock_ns();
    atomic_store(&d->preparing, true);
    status = prepare_graph(context, delegate, d);
    atomic_store(&d->preparing, false);
    delegate_add_time(d, before);
    pthread_mutex_unlock(&d->prepare_lock);
    delegate_drop(d);
    return status;
}

void delegate_add_time(struct gpu_delegate *d, uint64_t before)
{
    if (atomic_load(&d->preparing))
        return;
    pthread_mutex_lock(&d->lock);
    d->init_ns += clock_ns() - before;
    pthread_mutex_unlock(&d->lock);
}

void delegate_add_part(struct gpu_delegate *d, uint64_t *part, uint64_t before)
{
    pthread_mutex_lock(&d->lock);
    *part += clock_ns() - before;
    pthread_mutex_unlock(&d->lock);
}

/* ---- which there are ---- */

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu_delegate *all; /* that were not destroyed */

/* The place of the delegate's pointer in the list, or of the list's end. */
static struct gpu_delegate **find(const TfLiteDelegate *delegate)
{
    struct gpu_delegate **at = &all;

    while (*at && &(*at)->base != delegate)
        at = &(*at)->next;
    return at;
}

struct gpu_delegate *delegate_hold(const TfLiteDelegate *delegate)
{
    struct gpu_delegate *d;

    pthread_mutex_lock(&all_lock);
    if ((d = *find(delegate)))
        d->users++;
    pthread_mutex_unlock(&all_lock);
    return d;
}

/* Takes any half-made one. */
static void close_delegate(struct gpu_delegate *d)
{
    trace_close(&d->trace, NULL); /* nobody is there to be told of a failure */
    device_release(d->device);
    options_close(&d->options);
    decision_close(&d->decision);
    pthread_mutex_destroy(&d->prepare_lock);
    pthread_mutex_destroy(&d->lock);
    mem_free(d);
}

void delegate_drop(struct gpu_delegate *d)
{
    bool last;

    if (!d)
        return;
    pthread_mutex_lock(&all_lock);
    last = --d->users == 0;
    pthread_mutex_unlock(&all_lock);
    if (last)
        close_delegate(d);
}

void delegate_destroy(const TfLiteDelegate *delegate)
{
    struct gpu_delegate **at, *d;

    pthread_mutex_lock(&all_lock);
    at = find(delegate);
    if ((d = *at))
        *at = d->next;
    pthread_mutex_unlock(&all_lock);
    delegate_drop(d);
}

enum status delegate_create(struct gpu_delegate **out, const char *const *keys,
                            const char *const *values, size_t count,
                            const struct device_given *given, struct diag *diag)
{
    const uint64_t before = clock_ns();
    struct gpu_delegate *d = mem_alloc(1, sizeof *d);
    enum status s;

    *out = NULL;
    if (!d)
        return diag_fail(diag, STATUS_NO_MEMORY, "delegate: out of memory");
    pthread_mutex_init(&d->prepare_lock, NULL);
    pthread_mutex_init(&d->lock, NULL);
    s = options_parse(&d->options, keys, values, count, diag);
    if (s == STATUS_OK && given)
        s = device_adopt(&d->device, given, d->options.precision == PRECISION_FP16, diag);
    else if (s == STATUS_OK)
        s = device_acquire(&d->device, d->options.device, d->options.precision == PRECISION_FP16,
                           &d->cost, diag);
    /* With serialization later, when its pipelines may be known already. */
    if (s == STATUS_OK && d->options.precision == PRECISION_FP16 && !d->options.serialization_dir)
        s = selftest_half(d->device, NULL, diag);
    if (s == STATUS_OK && d->options.trace)
        s = trace_open(&d->trace, d->options.trace, diag);
    if (s != STATUS_OK) {
        close_delegate(d);
        return s;
    }
    d->base = (TfLiteDelegate){ .data_ = d,
                                .Prepare = delegate_prepare,
                                .CopyFromBufferHandle = handle_copy_from,
                                .FreeBufferHandle = handle_drop };
    delegate_add_time(d, before);
    d->users = 1;
    pthread_mutex_lock(&all_lock);
    d->next = all;
    all = d;
    pthread_mutex_unlock(&all_lock);
    *out = d;
    return STATUS_OK;
}
