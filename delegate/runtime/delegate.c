#include "delegate/runtime/delegate.h"

#include "delegate/base/clock.h"
#include "delegate/base/lock.h"
#include "delegate/base/parallel.h"
#include "delegate/runtime/host_source.h"
#include "delegate/shaders/spirv.h"
#include "delegate/vulkan/selftest.h"
#include "reference/base/memory.h"

void delegate_add_time(struct gpu_delegate *d, uint64_t before)
{
    if (atomic_load(&d->preparing))
        return;
    lock_acquire(&d->lock);
    d->init_ns += clock_ns() - before;
    lock_release(&d->lock);
}

void delegate_add_part(struct gpu_delegate *d, uint64_t *part, uint64_t before)
{
    lock_acquire(&d->lock);
    *part += clock_ns() - before;
    lock_release(&d->lock);
}

static struct lock all_lock = LOCK_INITIALIZER(LOCK_RANK_DELEGATES);
static struct gpu_delegate *all; /* all delegates that were not destroyed */

/* The link in the list that points to the delegate, or the last link, which is NULL. */
static struct gpu_delegate **find(const TfLiteDelegate *delegate)
{
    struct gpu_delegate **at = &all;

    while (*at && &(*at)->base != delegate)
        at = &(*at)->next;
    return at;
}

struct gpu_delegate *delegate_acquire(const TfLiteDelegate *delegate)
{
    struct gpu_delegate *d;

    lock_acquire(&all_lock);
    if ((d = *find(delegate)))
        d->users++;
    lock_release(&all_lock);
    return d;
}

/* The delegate may be half made. */
static void close_delegate(struct gpu_delegate *d)
{
    (void)trace_close(&d->trace, NULL); /* a host gives no error callback when it destroys */
    if (d->source)
        d->source->destroy(d->source);
    device_release(d->device);
    options_close(&d->options);
    decision_close(&d->decision);
    lock_destroy(&d->prepare_lock);
    lock_destroy(&d->lock);
    mem_free(d);
}

void delegate_release(struct gpu_delegate *d)
{
    bool last;

    if (!d)
        return;
    lock_acquire(&all_lock);
    last = --d->users == 0;
    lock_release(&all_lock);
    if (last)
        close_delegate(d);
}

void delegate_destroy(const TfLiteDelegate *delegate)
{
    struct gpu_delegate **at, *d;

    lock_acquire(&all_lock);
    at = find(delegate);
    if ((d = *at))
        *at = d->next;
    lock_release(&all_lock);
    delegate_release(d);
}

enum status delegate_open(struct gpu_delegate **out, const char *const *keys,
                          const char *const *values, size_t count, const struct device_given *given,
                          struct diag *diag)
{
    const uint64_t before = clock_ns();
    struct gpu_delegate *d = mem_alloc(1, sizeof *d);
    struct background unpacking;
    enum status s;
    bool half;

    *out = NULL;
    if (!d)
        return diag_fail(diag, STATUS_NO_MEMORY, "delegate: out of memory");
    lock_init(&d->prepare_lock, LOCK_RANK_PREPARE, 0);
    lock_init(&d->lock, LOCK_RANK_DELEGATE, 0);
    d->users = 1;
    s = options_parse(&d->options, keys, values, count, diag);
    half = options_half(&d->options);
    /* Opening a device is the driver's work; shaders are unpacked meanwhile. */
    background_start(&unpacking, s == STATUS_OK && !spirv_is_prepared() ? spirv_prepare : NULL);
    if (s == STATUS_OK && given)
        s = device_adopt(&d->device, given, half, diag);
    else if (s == STATUS_OK)
        s = device_acquire(&d->device, d->options.device, half, &d->cost, diag);
    background_join(&unpacking);
    /* With serialization the test runs later: then its pipelines may come from a file. */
    if (s == STATUS_OK && half && !d->options.serialization_dir)
        s = selftest_half(d->device, NULL, diag);
    if (s == STATUS_OK && d->options.trace)
        s = trace_open(&d->trace, d->options.trace, diag);
    if (s != STATUS_OK) {
        close_delegate(d);
        return s;
    }
    delegate_add_time(d, before);
    *out = d;
    return STATUS_OK;
}

void delegate_publish(struct gpu_delegate *d)
{
    lock_acquire(&all_lock);
    d->next = all;
    all = d;
    lock_release(&all_lock);
}
