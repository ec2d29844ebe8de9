#include "delegate/runtime/kernel.h"

#include "delegate/plan/memory.h"

void delegate_remember_made(struct gpu_delegate *d, struct kernel *k)
{
    struct kernel **at;

    lock_acquire(&d->lock);
    for (at = &d->made; *at; at = &(*at)->next_made)
        ;
    k->next_made = NULL;
    *at = k;
    lock_release(&d->lock);
}

void delegate_forget_made(struct gpu_delegate *d, const struct kernel *k)
{
    struct kernel **at;

    lock_acquire(&d->lock);
    for (at = &d->made; *at && *at != k; at = &(*at)->next_made)
        ;
    if (*at)
        *at = k->next_made;
    lock_release(&d->lock);
}

struct kernel *delegate_next_made(struct gpu_delegate *d)
{
    struct kernel *k;

    lock_acquire(&d->lock);
    if ((k = d->made))
        d->made = k->next_made;
    lock_release(&d->lock);
    return k;
}

struct kernel *kernel_at(const struct gpu_delegate *d, int i)
{
    struct kernel *k = d->kernels;
    int kernels = 0;

    for (const struct kernel *at = d->kernels; at; at = at->next)
        kernels++;
    if (i >= kernels)
        return NULL;
    for (int skip = kernels - 1 - i; skip > 0; skip--)
        k = k->next;
    return k;
}

enum status kernel_replan(struct kernel *k, struct diag *diag)
{
    k->needs_replan = true;
    TRY(executor_finish(&k->executor, diag));
    TRY(plan_assign_memory(&k->plan, k->owner->options.in_place, diag));
    TRY(executor_rebind(&k->executor, diag));
    k->needs_replan = false;
    return STATUS_OK;
}
