/* Judges each node by itself, on the activations of the reference: an error of one node is not
 * counted against those behind it. */
#include "conformance/tools/diff/nodes.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/tools/diff/part.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

static enum status no_bound(struct diff_node *n, enum status s, const struct diag *diag)
{
    if (s != STATUS_UNSUPPORTED)
        return s;
    n->judged = false;
    n->result = (struct case_result){ .status = CASE_PASS };
    snprintf(n->result.reason, sizeof n->result.reason, "not judged: %.400s", diag->text);
    return STATUS_OK;
}

static void note_culprit(struct diff *d, const struct diff_node *n, struct part *part)
{
    struct diff_culprit *const c = &d->culprit;

    c->first = c->last = n->node;
    c->alone = true;
    c->result = n->result;
    c->instance = part->instance; /* moved */
    part->instance = (struct case_instance){ .input_count = 0 };
}

static enum status judge(struct diff *d, struct diff_node *n, struct diag *diag)
{
    struct part part;
    enum status s = part_open(d, n->node, n->node, true, &part, diag);

    if (s != STATUS_OK)
        return no_bound(n, s, diag);
    n->judged = true;
    s = no_bound(n, part_judge(&d->host, &part.instance, &n->result, diag), diag);
    if (n->result.status == CASE_MISSING)
        n->judged = false;
    if (s == STATUS_OK && diff_node_fails(n) && d->wrong_nodes++ == 0)
        note_culprit(d, n, &part);
    part_close(&part);
    return s;
}

enum status nodes_judge(struct diff *d, struct diag *diag)
{
    const int count = (int)interpreter_node_count(d->reference);
    struct progress progress;
    enum status s = STATUS_OK;

    d->per_node = mem_alloc((size_t)count, sizeof *d->per_node);
    if (!d->per_node)
        return diag_fail(diag, STATUS_NO_MEMORY, "%d nodes: out of memory", count);
    d->per_node_count = (size_t)count;
    progress_begin(&progress, "diff", count, d->request.quiet);
    for (int i = 0; i < count && s == STATUS_OK; i++) {
        struct diff_node *const n = &d->per_node[i];

        n->node = i;
        progress_update(&progress, i, "node %d of %d: %s", i, count, diff_op(d, i));
        if (interrupt_signal())
            n->result.status = CASE_MISSING;
        else if (interpreter_node_reason(d->reference, i))
            snprintf(n->result.reason, sizeof n->result.reason, "not judged: run by the host");
        else if (diff_node_runs(d, i))
            s = diag_prefix(diag, judge(d, n, diag), "node %d", i);
        else
            snprintf(n->result.reason, sizeof n->result.reason, "computed once, from constants");
    }
    progress_end(&progress);
    return s;
}
