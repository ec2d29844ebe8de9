/* What a kernel needs to plan its partition again: the host's graph as it was imported, which the
 * kernels of one delegation share. */
#ifndef ASSAY_DELEGATE_RUNTIME_IMPORTED_H
#define ASSAY_DELEGATE_RUNTIME_IMPORTED_H

#include "delegate/graph/graph.h"
#include "reference/base/diag.h"

#include <stdatomic.h>

struct imported {
    atomic_int users;
    struct graph graph; /* neither folded nor rewritten */
};

/* Imports the host's graph; one user. */
enum status imported_open(struct imported **out, TfLiteContext *context, struct diag *diag);
struct imported *imported_acquire(struct imported *s);
void imported_release(struct imported *s); /* takes NULL */

#endif
