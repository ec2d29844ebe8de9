/* Runs a model with its composites. */
#include "conformance/suite/judge/composites.h"

#include "conformance/suite/judge/invariants.h"

#include <math.h>
#include <stdio.h>

/* The operator that writes a tensor, where it comes from a composite; NULL. */
static const struct model_operator *writer_inside(const struct model *m, int tensor)
{
    const struct model_subgraph *const g = &m->subgraphs[0];

    for (size_t i = 0; i < g->operator_count; i++)
        for (size_t o = 0; o < g->operators[i].outputs.count; o++)
            if (g->operators[i].outputs.data[o] == tensor)
                return g->operators[i].composite ? &g->operators[i] : NULL;
    return NULL;
}

/* How far got is from `t` at most, in units of its largest value; infinite where it is no such
 * tensor.  This is no verdict, it only names what failed. */
static double distance(const TfLiteTensor *t, const void *got, size_t bytes)
{
    double largest = 0, off = 0;

    if (t->type != kTfLiteFloat32 || t->bytes != bytes)
        return INFINITY;
    for (size_t i = 0; i < bytes / sizeof(float); i++) {
        const double v = ((const float *)got)[i];

        if (!isfinite(v))
            return INFINITY;
        largest = fmax(largest, fabs((double)t->data.f[i]));
        off = fmax(off, fabs((double)t->data.f[i] - v));
    }
    return off / largest;
}

/* Says it where an output that failed is what comes before the last op of a composite, and nearer
 * to it than to what the op makes of it. */
static void name_design(struct case_run *run, const struct outputs got[2])
{
    struct case_result *const r = run->result;
    const int frame = r->frame == 'B';
    const struct case_run_setup setup = { .model = &run->model };
    const struct model_operator *op;
    struct interpreter *in = NULL;
    struct diag diag;
    double off[2];

    if (!r->has_element || r->output < 0 || (size_t)r->output >= got[frame].count)
        return;
    op = writer_inside(&run->model, got[frame].items[r->output].tensor);
    if (!op || op->inputs.count == 0 || op->inputs.data[0] < 0 ||
        case_run_open_reference(run, &setup, &in, &diag) != STATUS_OK)
        return;
    if (inputs_write(in, &run->instance, frame, &diag) == STATUS_OK &&
        interpreter_invoke(in, &diag) == STATUS_OK) {
        const int tensors[2] = { op->inputs.data[0], got[frame].items[r->output].tensor };

        for (int i = 0; i < 2; i++)
            off[i] = distance(interpreter_tensor(in, tensors[i]), got[frame].items[r->output].data,
                              got[frame].items[r->output].bytes);
        if (off[0] <= 1. / 64 && off[0] < off[1])
            snprintf(r->reason, sizeof r->reason,
                     "computed by name, not by decomposition: composite %.100s",
                     op->composite->name);
    }
    interpreter_close(in);
}

static bool run_frames(struct case_run *run, struct engine *e, struct outputs got[2])
{
    for (int frame = 0; frame < case_instance_frames(&run->instance); frame++) {
        case_run_stage(run, "frame %c with composites", 'A' + frame);
        if (!case_run_reset(run, e) || !case_run_invoke(run, e, &run->instance, frame, &got[frame]))
            return false;
    }
    if (invariants_compare_propagated(run, got))
        return true;
    name_design(run, got);
    return false;
}

/* Whether the subject took a node and passed; *taken: whether it took one. */
static bool run_whole(struct case_run *run, bool *taken)
{
    struct model whole = run->model;
    const struct case_run_setup setup = { .model = &whole,
                                          .poison_word = case_run_poison_words[DELEGATE_PLAIN] };
    struct outputs got[2] = { { .count = 0 } };
    struct engine *e = NULL;
    struct diag diag;
    bool ok = false;

    *taken = false;
    whole.subgraphs = run->composed;
    case_run_stage(run, "prepare with composites");
    if (case_run_open(run, &setup, &e, &diag) != STATUS_OK)
        return result_fail(run->result, "with composites: prepare: %s", diag.text);
    for (int n = 0; n < (int)whole.subgraphs[0].operator_count; n++)
        *taken = *taken || engine_is_taken(e, n);
    if (*taken)
        ok = run_frames(run, e, got);
    outputs_close(&got[0]);
    outputs_close(&got[1]);
    engine_close(e);
    return ok;
}

bool composites_check(struct case_run *run, bool plain)
{
    const struct case_result before = *run->result;
    bool taken, ok;

    if (!run->composed || (!plain && before.status != CASE_DECLINED))
        return plain;
    run->result->status = CASE_PASS;
    run->result->reason[0] = '\0';
    ok = run_whole(run, &taken);
    if (taken || run->result->status == CASE_FAIL)
        return plain && ok;
    *run->result = before;
    return plain;
}
