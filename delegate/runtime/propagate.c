/* Kernels of the host may add tensors in their prepare function.  The host's array of tensors may
 * then move, so before it calls such a function itself, the host makes room for SPARES tensors.  It
 * has no function for that which a delegate could call; so the tensors are added before the call
 * here, and handed out during it.  Those that are left keep a name by which the next delegation of
 * the same graph finds them. */
#include "delegate/runtime/propagate.h"

#include "delegate/graph/import.h"
#include "delegate/graph/transforms.h"
#include "delegate/ops/values.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SPARES = 16 };

static const char spare_name[] = "spare";

/* Spares that lie before are no longer looked for: a search from the start at each node would read
 * all tensors as often. */
static _Thread_local size_t spares_from;

/* The first of the spare tensors at the end of the list. */
static size_t first_spare(const TfLiteContext *context)
{
    size_t first = context->tensors_size;

    while (first > 0 && context->tensors[first - 1].name == spare_name)
        first--;
    return first;
}

/* The first of a row of so many spare tensors; -1: there is none. */
static int find_spares(const TfLiteContext *context, int count)
{
    int row = 0;

    for (size_t i = spares_from; i < context->tensors_size; i++) {
        row = context->tensors[i].name == spare_name ? row + 1 : 0;
        if (row == count)
            return (int)i + 1 - count;
    }
    return -1;
}

/* TfLiteContext.AddTensors while a kernel of the host is prepared. */
static TfLiteStatus hand_out(TfLiteContext *context, int count, int *first)
{
    const int found = count > 0 ? find_spares(context, count) : -1;

    if (found < 0)
        return kTfLiteError;
    for (int i = 0; i < count; i++)
        context->tensors[found + i].name = NULL;
    if (first)
        *first = found;
    return kTfLiteOk;
}

/* What the kernels report now the host reports again when it prepares them. */
static void report_nothing(TfLiteContext *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

/* Adds what is missing to the spares at the end. */
static bool add_spares(TfLiteContext *context)
{
    const int found = find_spares(context, SPARES);
    int missing, first;

    spares_from = found >= 0 ? (size_t)found : first_spare(context);
    if (found >= 0)
        return true;
    missing = SPARES - (int)(context->tensors_size - spares_from);
    if (context->AddTensors(context, missing, &first) != kTfLiteOk || first < 0 ||
        (size_t)first + (size_t)missing > context->tensors_size)
        return false;
    for (int i = 0; i < missing; i++)
        context->tensors[first + i].name = spare_name;
    return true;
}

static bool has_dynamic(const TfLiteContext *context, const TfLiteIntArray *tensors,
                        const struct propagated *p)
{
    for (int i = 0; tensors && i < tensors->size; i++) {
        const int t = tensors->data[i];

        if (t >= 0 && (size_t)t < p->count &&
            (p->dynamic[t] || context->tensors[t].allocation_type == kTfLiteDynamic))
            return true;
    }
    return false;
}

static void set_dynamic(const TfLiteContext *context, const TfLiteIntArray *tensors, bool all,
                        struct propagated *p)
{
    for (int i = 0; tensors && i < tensors->size; i++) {
        const int t = tensors->data[i];

        if (t >= 0 && (size_t)t < p->count)
            p->dynamic[t] |= all || context->tensors[t].allocation_type == kTfLiteDynamic;
    }
}

static bool prepare(TfLiteContext *context, TfLiteNode *node, const TfLiteRegistration *r)
{
    void (*const report)(TfLiteContext *, const char *, ...) = context->ReportError;
    TfLiteStatus (*const add)(TfLiteContext *, int, int *) = context->AddTensors;
    TfLiteStatus status;

    if (!r->prepare) /* its outputs have the shapes of the file */
        return true;
    if (!add_spares(context))
        return false;
    context->AddTensors = hand_out;
    context->ReportError = report_nothing;
    status = r->prepare(context, node);
    context->AddTensors = add;
    context->ReportError = report;
    return status == kTfLiteOk;
}

static enum status propagate(TfLiteContext *context, const int *order, int count,
                             struct propagated *out, struct diag *diag)
{
    spares_from = 0;
    for (int i = 0; i < count; i++) {
        TfLiteRegistration *r = NULL;
        TfLiteNode *node = NULL;
        bool all;

        if (context->GetNodeAndRegistration(context, order[i], &node, &r) != kTfLiteOk || !node ||
            !r)
            return diag_fail(diag, STATUS_INVALID,
                             "node %d: TfLiteContext.GetNodeAndRegistration failed", order[i]);
        all = has_dynamic(context, node->inputs, out);
        /* The kernel of another delegate was prepared, or cannot be before the host does it. */
        if (!all && r->builtin_code != BUILTIN_DELEGATE)
            all = !prepare(context, node, r);
        set_dynamic(context, node->outputs, all, out);
    }
    return STATUS_OK;
}

/* ---- behind shape arithmetic ---- */

/* A tensor of the host as it was.  While a kernel is prepared, an input whose value is known looks
 * like a constant of the file; its kernel could not tell it from one that another node computes in
 * invoke. */
struct saved {
    int tensor;
    TfLiteTensor was;
    TfLiteIntArray *dims; /* that the input has meanwhile */
};

static bool any_dynamic(const struct graph *g, const int *tensors, int count)
{
    for (int i = 0; i < count; i++)
        if (tensors[i] >= 0 && g->tensors[tensors[i]].is_dynamic)
            return true;
    return false;
}

static TfLiteIntArray *dims_of(const struct graph_tensor *t)
{
    TfLiteIntArray *dims = malloc(sizeof *dims + (size_t)t->rank * sizeof dims->data[0]);

    if (!dims)
        return NULL;
    dims->size = t->rank;
    memcpy(dims->data, t->dims, (size_t)t->rank * sizeof dims->data[0]);
    return dims;
}

/* false: out of memory. */
static bool show_input(TfLiteContext *context, const struct graph *g, int tensor, struct saved *s)
{
    const struct graph_tensor *known = &g->tensors[tensor];
    TfLiteTensor *t = &context->tensors[tensor];

    *s = (struct saved){ .tensor = tensor, .was = *t };
    t->dims_signature = NULL; /* SLICE takes a -1 in it for a shape that is not known */
    if (!known->data || t->allocation_type == kTfLiteMmapRo)
        return true;
    if (!(s->dims = dims_of(known)))
        return false;
    t->allocation_type = kTfLiteMmapRo;
    t->data.raw_const = known->data;
    t->bytes = known->elements * (runtime_type_bits(known->type) / 8);
    t->dims = s->dims;
    return true;
}

static void hide_input(TfLiteContext *context, struct saved *s)
{
    TfLiteTensor *t = &context->tensors[s->tensor];

    t->dims_signature = s->was.dims_signature;
    if (!s->dims)
        return;
    t->allocation_type = s->was.allocation_type;
    t->data = s->was.data;
    t->bytes = s->was.bytes;
    t->dims = s->was.dims;
    free(s->dims);
}

/* An output that was dynamic is an activation until its kernel has been asked again. */
static void show_output(TfLiteContext *context, int tensor, struct saved *s)
{
    TfLiteTensor *t = &context->tensors[tensor];

    *s = (struct saved){ .tensor = tensor, .was = *t };
    if (t->allocation_type != kTfLiteDynamic)
        return;
    t->allocation_type = kTfLiteArenaRw;
    t->data.raw = NULL;
}

/* Memory that the host has allocated for the output in an inference stays: the host frees it. */
static void hide_output(TfLiteContext *context, const struct saved *s)
{
    TfLiteTensor *t = &context->tensors[s->tensor];
    const bool had_memory = s->was.allocation_type == kTfLiteDynamic && s->was.data.raw;
    TfLiteIntArray *dims;

    if (!had_memory ||
        (t->allocation_type != kTfLiteArenaRw && t->allocation_type != kTfLiteDynamic))
        return;
    t->allocation_type = kTfLiteDynamic;
    t->data = s->was.data;
    t->bytes = s->was.bytes;
    dims = t->dims ? malloc(sizeof *dims + (size_t)t->dims->size * sizeof dims->data[0]) : NULL;
    if (!dims)
        return;
    memcpy(dims, t->dims, sizeof *dims + (size_t)t->dims->size * sizeof dims->data[0]);
    (void)context->ResizeTensor(context, t, dims);
}

/* Asks the kernel of a node for the shapes of its outputs again, now that its inputs are known. */
static enum status prepare_known(TfLiteContext *context, struct graph *g,
                                 const struct graph_node *n, struct propagated *p,
                                 struct diag *diag)
{
    const int count = n->input_count + n->output_count;
    struct saved *saved = mem_alloc((size_t)count, sizeof *saved);
    TfLiteRegistration *r = NULL;
    TfLiteNode *node = NULL;
    bool ok = saved && add_spares(context) &&
              context->GetNodeAndRegistration(context, n->host_node, &node, &r) == kTfLiteOk;
    int shown = 0;

    for (; ok && shown < count; shown++) {
        const int i = shown - n->input_count;
        const int t = i < 0 ? n->inputs[shown] : n->outputs[i];

        if (i < 0 && t < 0)
            saved[shown].tensor = -1;
        else if (i < 0)
            ok = show_input(context, g, t, &saved[shown]);
        else
            show_output(context, t, &saved[shown]);
    }
    ok = ok && prepare(context, node, r);
    for (int i = shown - 1; i >= 0; i--) {
        const int t = saved[i].tensor;

        if (t < 0 || i < n->input_count) {
            if (t >= 0)
                hide_input(context, &saved[i]);
            continue;
        }
        if (ok && context->tensors[t].allocation_type != kTfLiteDynamic) {
            graph_import_shape(&g->tensors[t], &context->tensors[t]);
            g->tensors[t].is_dynamic = p->dynamic[t] = false;
        }
        hide_output(context, &saved[i]);
    }
    mem_free(saved);
    return saved ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "shapes: out of memory");
}

static bool all_known(const struct graph *g, const struct graph_node *n)
{
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && !g->tensors[n->inputs[i]].data)
            return false;
    return true;
}

/* Follows the shapes once more with the values of shape arithmetic. */
static enum status propagate_values(TfLiteContext *context, struct propagated *p, struct diag *diag)
{
    enum status s = STATUS_OK;
    uint64_t bytes = 0;
    struct graph g;

    TRY(graph_import(&g, context, diag));
    spares_from = 0;
    for (int i = 0; i < g.tensor_count && (size_t)i < p->count; i++)
        g.tensors[i].is_dynamic |= p->dynamic[i];
    for (int i = 0; i < g.node_count && s == STATUS_OK; i++) {
        struct graph_node *n = &g.nodes[i];

        if (n->code != BUILTIN_DELEGATE && any_dynamic(&g, n->outputs, n->output_count) &&
            !any_dynamic(&g, n->inputs, n->input_count) && !all_known(&g, n))
            s = prepare_known(context, &g, n, p, diag);
        if (s == STATUS_OK)
            s = values_compute(&g, n, false, &bytes, diag);
    }
    graph_close(&g);
    return s;
}

static bool some_dynamic(const struct propagated *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->dynamic[i])
            return true;
    return false;
}

enum status propagate_shapes(TfLiteContext *context, const struct gpu_options *options,
                             struct propagated *out, struct diag *diag)
{
    TfLiteIntArray *plan = NULL;
    enum status s;
    int *order;

    *out = (struct propagated){ 0 };
    if (context->GetExecutionPlan(context, &plan) != kTfLiteOk || !plan || plan->size < 0)
        return diag_fail(diag, STATUS_INVALID, "TfLiteContext.GetExecutionPlan failed");
    out->count = context->tensors_size;
    out->dynamic = mem_alloc(out->count, sizeof *out->dynamic);
    /* The host reuses its array in later calls of TfLiteContext. */
    order = mem_alloc((size_t)plan->size, sizeof *order);
    if (!out->dynamic || !order) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "graph of %d nodes: out of memory", plan->size);
    } else {
        const int count = plan->size;

        for (int i = 0; i < count; i++)
            order[i] = plan->data[i];
        s = propagate(context, order, count, out, diag);
        if (s == STATUS_OK && !(options->no_transform & 1u << TRANSFORM_fold) && some_dynamic(out))
            s = propagate_values(context, out, diag);
    }
    mem_free(order);
    if (s != STATUS_OK) {
        mem_free(out->dynamic);
        *out = (struct propagated){ 0 };
    }
    return s;
}
