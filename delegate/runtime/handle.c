#include "delegate/runtime/handle.h"

#include "delegate/base/lock.h"

#include <limits.h>

static struct lock lock = LOCK_INITIALIZER(LOCK_RANK_HANDLES);
static struct handle_range *ranges; /* of all kernels of the process */
static int next_handle = 1;

void handles_open(struct handle_range *r, struct kernel *kernel, int count)
{
    *r = (struct handle_range){ .kernel = kernel, .count = count };
    lock_acquire(&lock);
    if (next_handle <= INT_MAX - count) {
        r->first = next_handle;
        next_handle += count;
    }
    r->next = ranges;
    ranges = r;
    lock_release(&lock);
}

void handles_close(struct handle_range *r)
{
    struct handle_range **at;

    lock_acquire(&lock);
    for (at = &ranges; *at && *at != r; at = &(*at)->next)
        ;
    if (*at)
        *at = r->next;
    lock_release(&lock);
}

struct kernel *handle_find(int handle, int *output)
{
    struct kernel *found = NULL;

    lock_acquire(&lock);
    for (const struct handle_range *r = ranges; r && !found && handle > 0; r = r->next)
        if (r->first > 0 && handle >= r->first && handle - r->first < r->count) {
            *output = handle - r->first;
            found = r->kernel;
        }
    lock_release(&lock);
    return found;
}

bool handle_assign(const struct handle_range *r, int output, TfLiteTensor *t)
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
