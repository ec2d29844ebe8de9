#include "delegate/runtime/pending.h"

#include "delegate/runtime/kernel.h"
#include "reference/base/memory.h"

struct pending *pending_make(struct kernel *k)
{
    struct pending *p = mem_alloc(1, sizeof *p);

    if (!p)
        return NULL;
    atomic_init(&p->users, 1);
    lock_init(&p->lock, LOCK_RANK_PENDING, 0);
    p->kernel = k;
    return p;
}

void pending_hold(struct pending *p)
{
    atomic_fetch_add(&p->users, 1);
}

void pending_release(struct pending *p)
{
    if (!p || atomic_fetch_sub(&p->users, 1) > 1)
        return;
    lock_destroy(&p->lock);
    mem_free(p);
}

enum status pending_wait(struct pending *p, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&p->lock);
    if (p->kernel) {
        lock_acquire(&p->kernel->run_lock);
        s = executor_finish(&p->kernel->executor, diag);
        lock_release(&p->kernel->run_lock);
        p->kernel = NULL;
    }
    lock_release(&p->lock);
    return s;
}

bool pending_has_ended(struct pending *p)
{
    bool ended = true;

    lock_acquire(&p->lock);
    if (p->kernel) {
        lock_acquire(&p->kernel->run_lock);
        ended = executor_has_ended(&p->kernel->executor);
        lock_release(&p->kernel->run_lock);
    }
    lock_release(&p->lock);
    return ended;
}
