#include "delegate/runtime/handle.h"

#include <limits.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle_range *ranges; /* of all kernels of the process */
static int next_handle = 1;

void handles_open(struct handle_range *r, struct kernel *kernel, int count)
{
    *r = (struct handle_range){ .kernel = kernel, .count = count };
    pthread_mutex_lock(&lock);
    if (next_handle <= INT_MAX - count) {
        r->first = next_handle;
        next_handle += count;
    }
    r->next = ranges;
    ranges = r;
    pthread_mutex_unlock(&lock);
}

void handles_close(struct handle_range *r)
{
    struct handle_range **at;

    pthread_mutex_lock(&lock);
    for (at = &ranges; *at && *at != r; at = &(*at)->next)
        ;
    if (*at)
        *at = r->next;
    pthread_mutex_unlock(&lock);
}

struct kernel *handle_find(int handle, int *output)
{
    struct kernel *found = NULL;

    pthread_mutex_lock(&lock);
    for (const struct handle_range *r = ranges; r && !found && handle > 0; r = r->next)
        if (r->first > 0 && handle >= r->first && handle - r->first < r->count) {
            *output = handle - r->first;
            found = r->kernel;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

bool handle_give(const struct handle_range *r, int output, TfLiteTensor *t)
{
    const int handle = r->first + output;

    if (r->first == 0 || !t->delegate ||
        (t->buffer_handle != kTfLiteNullBufferHandle && t->buffer_handle != handle))
        return false;
    t->buffer_handle = handle;
    t->data_is_stale = true;
    return true;
}

bool handle_is_of(const struct handle_range *r, int output, const TfLiteTensor *t)
{
    return r->first > 0 && t->buffer_handle == r->first + output;
}
