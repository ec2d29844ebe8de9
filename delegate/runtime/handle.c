#include "delegate/runtime/handle.h"

#include "delegate/runtime/delegate.h"

#include <limits.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels; /* of all delegates */
static int next_handle = 1;

void handles_open(struct kernel *k)
{
    pthread_mutex_lock(&lock);
    if (next_handle <= INT_MAX - k->plan.output_count) {
        k->first_handle = next_handle;
        next_handle += k->plan.output_count;
    }
    k->next_known = kernels;
    kernels = k;
    pthread_mutex_unlock(&lock);
}

void handles_close(struct kernel *k)
{
    struct kernel **at;

    pthread_mutex_lock(&lock);
    for (at = &kernels; *at && *at != k; at = &(*at)->next_known)
        ;
    if (*at)
        *at = k->next_known;
    pthread_mutex_unlock(&lock);
}

struct kernel *handle_find(int handle, int *output)
{
    struct kernel *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct kernel *k = kernels; k && !found && handle > 0; k = k->next_known)
        if (k->first_handle > 0 && handle >= k->first_handle &&
            handle - k->first_handle < k->plan.output_count) {
            *output = handle - k->first_handle;
            found = k;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

bool handle_give(struct kernel *k, int output, TfLiteTensor *t)
{
    const int handle = k->first_handle + output;

    if (k->first_handle == 0 || !t->delegate ||
        (t->buffer_handle != kTfLiteNullBufferHandle && t->buffer_handle != handle))
        return false;
    t->buffer_handle = handle;
    t->data_is_stale = true;
    return true;
}

TfLiteStatus handle_copy_from(TfLiteContext *context, TfLiteDelegate *delegate, int handle,
                              TfLiteTensor *tensor)
{
    struct diag diag = { 0 };
    struct kernel *k;
    int output;

    (void)delegate;
    if (!tensor)
        return kTfLiteError;
    if (!(k = handle_find(handle, &output))) {
        context->ReportError(context, "assay delegate: buffer handle %d: there is none", handle);
        return kTfLiteError;
    }
    if (kernel_read_output(k, output, tensor, &diag) == STATUS_OK)
        return kTfLiteOk;
    context->ReportError(context, "assay delegate: %s", diag.text);
    return kTfLiteError;
}

/* The memory is the partition's and goes with it. */
void handle_drop(TfLiteContext *context, TfLiteDelegate *delegate, int *handle)
{
    (void)context;
    (void)delegate;
    if (handle)
        *handle = kTfLiteNullBufferHandle;
}
