/* An inference whose host has not waited for it: an asynchronous run. */
#ifndef ASSAY_DELEGATE_RUNTIME_PENDING_H
#define ASSAY_DELEGATE_RUNTIME_PENDING_H

#include "delegate/base/lock.h"
#include "reference/base/diag.h"

#include <stdatomic.h>
#include <stdbool.h>

struct kernel;

struct pending {
    atomic_int users;
    struct lock lock;
    struct kernel *kernel; /* NULL: the inference has ended */
};

/* With one reference; NULL: out of memory. */
struct pending *pending_make(struct kernel *k);
void pending_hold(struct pending *p);
/* Takes NULL. */
void pending_release(struct pending *p);
/* Waits for the end of the inference, from any thread; the kernel may be gone.  The caller holds no
 * lock of the delegate's. */
enum status pending_wait(struct pending *p, struct diag *diag);
bool pending_has_ended(struct pending *p);

#endif
