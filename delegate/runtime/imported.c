#include "delegate/runtime/imported.h"

#include "delegate/graph/import.h"
#include "reference/base/memory.h"

enum status imported_open(struct imported **out, TfLiteContext *context, struct diag *diag)
{
    struct imported *s = mem_alloc(1, sizeof *s);
    enum status status;

    *out = NULL;
    if (!s)
        return diag_fail(diag, STATUS_NO_MEMORY, "graph: out of memory");
    status = graph_import(&s->graph, context, diag);
    if (status != STATUS_OK) {
        mem_free(s);
        return status;
    }
    atomic_init(&s->users, 1);
    *out = s;
    return STATUS_OK;
}

struct imported *imported_acquire(struct imported *s)
{
    atomic_fetch_add(&s->users, 1);
    return s;
}

void imported_release(struct imported *s)
{
    if (!s || atomic_fetch_sub(&s->users, 1) > 1)
        return;
    graph_close(&s->graph);
    mem_free(s);
}
