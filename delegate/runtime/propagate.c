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

struct spares {
    size_t first, count;
    TfLiteStatus (*add)(TfLiteContext *, int, int *);
};

/* The host's functions have no argument for data of ours. */
static _Thread_local struct spares *spares;

static bool is_spare(const TfLiteContext *context, size_t tensor)
{
    return context->tensors[tensor].name == spare_name;
}

static TfLiteStatus hand_out(TfLiteContext *context, int count, int *first)
{
    if (count < 0 || (size_t)count > spares->count)
        return kTfLiteError;
    if (first)
        *first = (int)spares->first;
    for (int i = 0; i < count; i++)
        context->tensors[spares->first + (size_t)i].name = NULL;
    spares->first += (size_t)count;
    spares->count -= (size_t)count;
    return kTfLiteOk;
}

/* What the kernels report now the host reports again when it prepares them. */
static void report_nothing(TfLiteContext *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

/* The first row of enough spares that an earlier delegation left. */
static void find_spares(const TfLiteContext *context, struct spares *s)
{
    for (size_t i = 0; i < context->tensors_size && s->count < SPARES; i++) {
        if (!is_spare(context, i))
            s->count = 0;
        else if (s->count++ == 0)
            s->first = i;
    }
    if (s->count < SPARES)
        s->count = 0;
}

static bool add_spares(TfLiteContext *context, struct spares *s)
{
    const int room = SPARES - (int)s->count;
    int first;

    if (room <= 0)
        return true;
    if (s->add(context, room, &first) != kTfLiteOk || first < 0 ||
        (size_t)first + (size_t)room > context->tensors_size)
        return false;
    if (s->count == 0 || s->first + s->count != (size_t)first) {
        s->first = (size_t)first;
        s->count = 0;
    }
    for (int i = 0; i < room; i++, s->count++)
        context->tensors[first + i].name = spare_name;
    return s->count == SPARES || add_spares(context, s);
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

static bool prepare(TfLiteContext *context, TfLiteNode *node, const TfLiteRegistration *r,
                    struct spares *s)
{
    void (*const report)(TfLiteContext *, const char *, ...) = context->ReportError;
    TfLiteStatus status;

    if (!r->prepare) /* its outputs have the shapes of the file */
        return true;
    if (!add_spares(context, s))
        return false;
    spares = s;
    context->AddTensors = hand_out;
    context->ReportError = report_nothing;
    status = r->prepare(context, node);
    context->AddTensors = s->add;
    context->ReportError = report;
    spares = NULL;
    return status == kTfLiteOk;
}

static enum status propagate(TfLiteContext *context, const int *order, int count,
                             struct propagated *out, struct diag *diag)
{
    struct spares s = { .add = context->AddTensors };

    find_spares(context, &s);
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
            all = !prepare(context, node, r, &s);
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
