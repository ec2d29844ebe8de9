/* Judges nodes, and makes what fails small. */

#include "conformance/tools/diff/part.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/message.h"

/* A part of one node is held to the bound of its op, one of several to the screen. */
static enum status judge_part(void *user, const struct case_instance *x, struct case_result *result,
                              struct diag *diag)
{
    struct diff *const d = user;

    return d->culprit.alone ? part_judge(&d->host, x, result, diag)
                            : part_screen(&d->host, &d->screen, x, result, diag);
}

static void show_steps(void *user, size_t steps, size_t bytes)
{
    const struct diff *const d = user;

    message_progress(d->request.quiet, "diff: minimizing, step %zu, %zu bytes", steps, bytes);
}

static enum status minimize(struct diff *d, struct diag *diag)
{
    struct diff_culprit *const c = &d->culprit;
    const struct shrink_model_request request = {
        .instance = &c->instance,
        .result = &c->result,
        .judge = judge_part,
        .user = d,
        .step_limit = (size_t)d->request.steps,
        .progress = show_steps,
    };
    const enum status s = shrink_model(&request, &c->shrunk, diag);

    message_progress_end();
    c->is_shrunk = s == STATUS_OK;
    return s;
}

static enum status find(struct diff *d, struct diag *diag)
{
    double ms;

    if (!d->request.per_node || d->status == CASE_DECLINED)
        return STATUS_OK;
    if (!interrupt_signal())
        TRY(diff_reference_run(d, d->worst_run, &ms, diag));
    TRY(nodes_judge(d, diag));
    if (d->wrong_nodes == 0 && d->status != CASE_PASS)
        TRY(bisect_run(d, diag));
    if (d->culprit.first >= 0 && d->request.steps > 0)
        TRY(minimize(d, diag));
    return STATUS_OK;
}

enum status cause_find(struct diff *d, struct diag *diag)
{
    TRY(find(d, diag));
    diff_conclude(d);
    return STATUS_OK;
}
