/* Notes the nodes that a delegate takes. */
#include "conformance/suite/subject/delegate_watch.h"

#include "reference/base/memory.h"

#include <string.h>

typedef TfLiteStatus replace_fn(TfLiteContext *, TfLiteRegistration, const TfLiteIntArray *,
                                TfLiteDelegate *);

/* What is watched on this thread, and the host's function: the ABI has no user pointer. */
static _Thread_local struct delegate_watch *watching;
static _Thread_local replace_fn *original;

static bool is_declined(const struct delegate_watch *w, int node)
{
    return node >= w->declined_first && node - w->declined_first < w->declined_count;
}

/* Passes on the nodes that are not declined; the host reads the array in the call alone. */
static TfLiteStatus replace_rest(const struct delegate_watch *w, TfLiteContext *context,
                                 TfLiteRegistration registration, const TfLiteIntArray *nodes,
                                 TfLiteDelegate *delegate)
{
    const size_t count = nodes && nodes->size > 0 ? (size_t)nodes->size : 0;
    TfLiteIntArray *const rest = mem_alloc(count + 1, sizeof(int));
    TfLiteStatus status;

    if (!rest)
        return kTfLiteError;
    rest->size = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_declined(w, nodes->data[i]))
            rest->data[rest->size++] = nodes->data[i];
    }
    status = original(context, registration, rest, delegate);
    mem_free(rest);
    return status;
}

static TfLiteStatus note_and_replace(TfLiteContext *context, TfLiteRegistration registration,
                                     const TfLiteIntArray *nodes, TfLiteDelegate *delegate)
{
    struct delegate_watch *const w = watching;
    const size_t more = nodes && nodes->size > 0 ? (size_t)nodes->size : 0;
    int *const all = mem_alloc(w->count + more + 1, sizeof *all);

    if (all) {
        if (w->count > 0)
            memcpy(all, w->nodes, w->count * sizeof *all);
        if (more > 0)
            memcpy(all + w->count, nodes->data, more * sizeof *all);
        mem_free(w->nodes);
        w->nodes = all;
        w->count += more;
    }
    w->failed = w->failed || !all;
    if (w->declined_count > 0)
        return replace_rest(w, context, registration, nodes, delegate);
    return original(context, registration, nodes, delegate);
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct delegate_watch *const w = watching;
    TfLiteStatus status;

    mem_free(w->nodes);
    w->nodes = NULL;
    w->count = 0;
    w->failed = false;
    original = context->ReplaceNodeSubsetsWithDelegateKernels;
    context->ReplaceNodeSubsetsWithDelegateKernels = note_and_replace;
    status = w->prepare(context, delegate);
    context->ReplaceNodeSubsetsWithDelegateKernels = original;
    return status;
}

void delegate_watch_begin(struct delegate_watch *w)
{
    watching = w;
    w->prepare = w->delegate->Prepare;
    w->delegate->Prepare = prepare;
}

void delegate_watch_end(struct delegate_watch *w)
{
    w->delegate->Prepare = w->prepare;
    watching = NULL;
}

void delegate_watch_close(struct delegate_watch *w)
{
    mem_free(w->nodes);
    *w = (struct delegate_watch){ .delegate = NULL };
}

bool delegate_watch_has(const struct delegate_watch *w, int node)
{
    for (size_t i = 0; i < w->count && !is_declined(w, node); i++) {
        if (w->nodes[i] == node)
            return true;
    }
    return false;
}
