/* Finds the smallest range of nodes that fails together: the last node first, from the whole
 * model's first node on, then the first one.  Each range is cut out of the model and runs on the
 * activations of the reference; its outputs are screened as those of a whole model. */
#include "conformance/diff/bisect.h"

#include "conformance/cases/case_builder.h"
#include "conformance/diff/part.h"
#include "conformance/util/message.h"

static bool is_loss(enum case_status s)
{
    return s != CASE_PASS && s != CASE_DECLINED;
}

/* Whether nodes first to last fail together; the smallest range that did is kept. */
static enum status try_range(struct diff *d, int first, int last, bool *fails, struct diag *diag)
{
    struct diff_culprit *const c = &d->culprit;
    struct case_result result;
    struct part part;
    enum status s;

    *fails = false;
    c->tried++;
    message_progress(d->request.quiet, "diff: nodes %d to %d", first, last);
    TRY(part_open(d, first, last, false, &part, diag));
    s = part_screen(&d->host, &d->screen, &part.instance, &result, diag);
    *fails = s == STATUS_OK && is_loss(result.status);
    if (*fails) {
        c->first = first;
        c->last = last;
        c->result = result;
        case_instance_close(&c->instance);
        c->instance = part.instance;
        part.instance = (struct case_instance){ .input_count = 0 };
    }
    part_close(&part);
    return s;
}

/* The nearest node from `from` on, in direction `step`, that runs; -1: none. */
static int next_running(struct diff *d, int from, int step)
{
    const int count = (int)interpreter_node_count(d->reference);

    for (int n = from; n >= 0 && n < count; n += step) {
        if (diff_node_runs(d, n))
            return n;
    }
    return -1;
}

/* Bisects between a range that passes and one that fails; the moving end is last or first. */
static enum status bisect_last(struct diff *d, int first, int passes, int fails, struct diag *diag)
{
    while (fails - passes > 1) {
        const int middle = passes + (fails - passes) / 2;
        const int last = next_running(d, middle, -1);
        bool failed = false;

        if (last > passes)
            TRY(try_range(d, first, last, &failed, diag));
        if (failed)
            fails = last;
        else
            passes = middle;
    }
    return STATUS_OK;
}

static enum status bisect_first(struct diff *d, int fails, int passes, int last, struct diag *diag)
{
    while (passes - fails > 1) {
        const int middle = fails + (passes - fails) / 2;
        const int first = next_running(d, middle, 1);
        bool failed = false;

        if (first >= 0 && first < passes)
            TRY(try_range(d, first, last, &failed, diag));
        if (failed)
            fails = first;
        else
            passes = middle;
    }
    return STATUS_OK;
}

enum status bisect_run(struct diff *d, struct diag *diag)
{
    const int first = next_running(d, 0, 1);
    const int last = next_running(d, (int)interpreter_node_count(d->reference) - 1, -1);
    enum status s = STATUS_OK;
    bool fails = false;

    if (first >= 0)
        s = try_range(d, first, last, &fails, diag);
    if (s == STATUS_OK && fails)
        s = bisect_last(d, first, first - 1, last, diag);
    if (s == STATUS_OK && fails)
        s = bisect_first(d, d->culprit.first, d->culprit.last + 1, d->culprit.last, diag);
    message_progress_end();
    return s;
}
