/* Kernels of the host may add tensors in their prepare function.  The host's array of tensors may
 * then move, so before it calls such a function itself, the host makes room for SPARES tensors.  It
 * has no function for that which a delegate could call; so the tensors are added before the call
 * here, and handed out during it.  Those that are left keep a name by which the next delegation of
 * the same graph finds them. */
#include "delegate/runtime/propagate.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"

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

enum status propagate_shapes(TfLiteContext *context, struct propagated *out, struct diag *diag)
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
    }
    mem_free(order);
    if (s != STATUS_OK) {
        mem_free(out->dynamic);
        *out = (struct propagated){ 0 };
    }
    return s;
}
