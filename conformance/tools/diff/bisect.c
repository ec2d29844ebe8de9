/* Judges each node by itself, and finds the smallest range of nodes that fails together: the last
 * node first, from the whole model's first node on, then the first one.  A range is either cut out
 * of the model and runs on the activations of the reference, or the whole model runs and the
 * delegate's options first_node and last_node leave the other nodes to the reference.  Outputs are
 * screened as those of a whole model. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/diff/part.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/message.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"

#include <stdio.h>

static bool is_loss(enum case_status s)
{
    return s != CASE_PASS && s != CASE_DECLINED && s != CASE_MISSING;
}

/* A search of one kind. */
struct search {
    struct diff *d;
    /* Whether nodes first to last fail. */
    enum status (*try)(struct search *s, int first, int last, bool *fails, struct diag *diag);
    int first, last; /* the smallest range that failed; -1: none did */
    size_t tried;
    bool refused; /* in place: the subject does not know the options, or does not heed them */
};

/* ---- cut out ---- */

static enum status try_cut(struct search *s, int first, int last, bool *fails, struct diag *diag)
{
    struct diff *const d = s->d;
    struct diff_culprit *const c = &d->culprit;
    struct case_result result;
    struct part part;
    enum status status;

    TRY(part_open(d, first, last, false, &part, diag));
    status = part_screen(&d->host, &d->screen, &part.instance, &result, diag);
    *fails = status == STATUS_OK && is_loss(result.status);
    if (*fails) {
        c->first = first;
        c->last = last;
        c->result = result;
        case_instance_close(&c->instance);
        c->instance = part.instance;
        part.instance = (struct case_instance){ .input_count = 0 };
    }
    part_close(&part);
    return status;
}

/* ---- in place ---- */

/* The subject of the run with two more options. */
static enum status open_ranged(const struct diff *d, int first, int last, struct subject *s,
                               struct diag *diag)
{
    char spec[8192], value[16];
    enum status status;

    if (!subject_spec(d->subject, spec, sizeof spec))
        return diag_fail(diag, STATUS_UNSUPPORTED, "the options of the subject are too long");
    TRY(subject_parse(s, spec, diag));
    snprintf(value, sizeof value, "%d", first);
    status = subject_set(s, "first_node", value, diag);
    snprintf(value, sizeof value, "%d", last);
    if (status == STATUS_OK)
        status = subject_set(s, "last_node", value, diag);
    s->bounds = d->subject->bounds;
    s->quantized = d->subject->quantized;
    if (status != STATUS_OK)
        subject_close(s);
    return status;
}

/* Runs the whole model with some nodes on the subject.  A subject that takes more nodes than it was
 * told does not know the options. */
static enum status run_in_place(struct search *s, struct subject *subject, int first, int last,
                                bool *fails, struct diag *diag)
{
    struct diff *const d = s->d;
    struct trial_host host;
    struct case_result result = { 0 };
    struct trial t;
    enum status status;

    TRY(trial_host_open(&host, subject, d->request.timeout_s, d->request.seed, diag));
    host.stand_in = d->request.stand_in;
    status = trial_run(&host, &d->instance, true, 1, &t, diag);
    s->refused = status != STATUS_OK || t.status == CASE_DECLINED ||
                 (t.status == CASE_PASS && t.taken > (uint64_t)last - (uint64_t)first + 1);
    if (!s->refused && t.status == CASE_PASS)
        status = part_screen(&host, &d->screen, &d->instance, &result, diag);
    else if (!s->refused)
        result.status = t.status;
    *fails = status == STATUS_OK && !s->refused && is_loss(result.status);
    trial_close(&t);
    trial_host_close(&host);
    return s->refused ? STATUS_OK : status;
}

static enum status try_in_place(struct search *s, int first, int last, bool *fails,
                                struct diag *diag)
{
    struct subject subject;
    enum status status;

    if (s->refused)
        return STATUS_OK;
    TRY(open_ranged(s->d, first, last, &subject, diag));
    status = run_in_place(s, &subject, first, last, fails, diag);
    subject_close(&subject);
    return status;
}

/* ---- searching ---- */

static enum status try_range(struct search *s, int first, int last, bool *fails, struct diag *diag)
{
    *fails = false;
    if (interrupt_signal())
        return STATUS_OK;
    s->tried++;
    message_progress(s->d->request.quiet, "diff: nodes %d to %d", first, last);
    TRY(s->try(s, first, last, fails, diag));
    if (*fails) {
        s->first = first;
        s->last = last;
    }
    return STATUS_OK;
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
static enum status bisect_last(struct search *s, int first, int passes, int fails,
                               struct diag *diag)
{
    while (fails - passes > 1) {
        const int middle = passes + (fails - passes) / 2;
        const int last = next_running(s->d, middle, -1);
        bool failed = false;

        if (last > passes)
            TRY(try_range(s, first, last, &failed, diag));
        if (failed)
            fails = last;
        else
            passes = middle;
    }
    return STATUS_OK;
}

static enum status bisect_first(struct search *s, int fails, int passes, int last,
                                struct diag *diag)
{
    while (passes - fails > 1) {
        const int middle = fails + (passes - fails) / 2;
        const int first = next_running(s->d, middle, 1);
        bool failed = false;

        if (first >= 0 && first < passes)
            TRY(try_range(s, first, last, &failed, diag));
        if (failed)
            fails = first;
        else
            passes = middle;
    }
    return STATUS_OK;
}

static enum status search(struct search *s, struct diag *diag)
{
    const int first = next_running(s->d, 0, 1);
    const int last = next_running(s->d, (int)interpreter_node_count(s->d->reference) - 1, -1);
    bool fails = false;

    s->first = s->last = -1;
    if (first >= 0)
        TRY(try_range(s, first, last, &fails, diag));
    if (!fails)
        return STATUS_OK;
    TRY(bisect_last(s, first, first - 1, last, diag));
    return bisect_first(s, s->first, s->last + 1, s->last, diag);
}

enum status bisect_run(struct diff *d, struct diag *diag)
{
    struct search cut = { .d = d, .try = try_cut }, in_place = { .d = d, .try = try_in_place };
    struct diff_culprit *const c = &d->culprit;
    enum status s = search(&cut, diag);

    c->tried = cut.tried;
    if (s == STATUS_OK && (cut.first < 0 || cut.last > cut.first) && d->subject->plugin) {
        s = search(&in_place, diag);
        c->tried += in_place.tried;
        if (in_place.first >= 0 && !in_place.refused) {
            c->place_first = in_place.first;
            c->place_last = in_place.last;
        }
    }
    message_progress_end();
    return s;
}

/* ---- one node, on the activations of the reference: errors of those before do not count ---- */

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
