/* `assay diff` in text. */
#include "conformance/tools/diff/diff_print.h"

#include "conformance/suite/io/array.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/util/interrupt.h"
#include "reference/kernels/op.h"

#include <inttypes.h>

static void print_conditioning(FILE *f, const struct diff *d, size_t i)
{
    const struct screen s = diff_screen(d, i);
    bool conditioned;
    const double least = figures_least_snr(&d->outputs[i], &s, &conditioned);

    if (conditioned)
        fprintf(
            f,
            "  ill-conditioned: %.1f dB are left where each op of the reference errs within its "
            "bound; expected at least %.1f\n",
            s.conditioning->snr_db, least);
}

static void print_output(FILE *f, const struct diff *d, size_t i)
{
    const struct figures *const o = &d->outputs[i];
    const int *const outputs = interpreter_outputs(d->reference, &(size_t){ 0 });
    const TfLiteTensor *const t = interpreter_tensor(d->reference, outputs[i]);
    char shape[128];

    array_shape_text(shape, sizeof shape, (size_t)ref_rank(t), t->dims->data);
    fprintf(f, "output %zu  %s  %s %s%s\n", i, t->name ? t->name : "", runtime_type_name(t->type),
            shape, o->quantized ? ", errors in steps" : "");
    fprintf(f, "  max abs %.6g", o->max_abs);
    if (o->max_abs > 0)
        fprintf(f, " (run %" PRIu64 ", %s: got %.9g, expected %.9g)", o->worst_run, o->worst_where,
                o->worst_got, o->worst_want);
    fprintf(f,
            "\n  mean abs %.6g  mse %.6g  SNR %.1f dB  cosine %.9f  unequal %" PRIu64 " of %" PRIu64
            "\n",
            o->avg_error, o->mse, o->snr_db, o->cosine, o->unequal, o->elements);
    if (o->scores)
        fprintf(f, "  best class differs in %" PRIu64 " of %" PRIu64 " runs\n", o->other_class,
                o->runs);
    print_conditioning(f, d, i);
    fprintf(f, "  %s%s%s\n", d->output_reason[i][0] ? "FAIL" : "pass",
            d->output_reason[i][0] ? ": " : "", d->output_reason[i]);
}

static void print_field_figures(FILE *f, const struct diff *d)
{
    fprintf(f, "Num evaluation runs: %" PRIu64 "\n", d->runs);
    fprintf(f, "Reference run latency: avg=%.1f(us), std_dev=%.1f(us)\n", d->reference_ms * 1e3,
            d->reference_std_ms * 1e3);
    fprintf(f, "Test run latency: avg=%.1f(us), std_dev=%.1f(us)\n", d->subject_ms * 1e3,
            d->subject_std_ms * 1e3);
    for (size_t i = 0; d->runs > 0 && i < d->output_count; i++)
        fprintf(f, "OutputDiff[%zu]: avg_error=%g, std_dev=%g\n", i, d->outputs[i].avg_error,
                d->outputs[i].std_dev);
}

static void print_worst(FILE *f, const struct case_result *r)
{
    if (r->worst.ratio > 0)
        fprintf(
            f,
            "  worst element: output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g\n",
            r->output, r->worst.where, r->worst.got, r->worst.want, r->worst.error, r->worst.limit);
}

static void print_nodes(FILE *f, const struct diff *d)
{
    fprintf(f, "\n%5s  %-24s %-8s %9s %11s\n", "node", "op", "status", "margin", "max abs");
    for (size_t i = 0; i < d->per_node_count; i++) {
        const struct diff_node *const n = &d->per_node[i];
        const struct case_result *const r = &n->result;

        fprintf(f, "%5d  %-24s ", model_use_node(d->request.use, n->node), diff_op(d, n->node));
        if (n->judged && r->status == CASE_PASS)
            fprintf(f, "%-8s %9.3f %11.3g\n", "pass", r->margin, r->max_abs);
        else
            fprintf(f, "%-8s %s\n",
                    n->judged || r->status == CASE_MISSING ? case_status_name(r->status) : "-",
                    r->reason);
    }
}

static void print_culprit(FILE *f, const struct diff *d)
{
    const struct diff_culprit *const c = &d->culprit;

    fprintf(f, "\n");
    if (c->place_first >= 0)
        fprintf(f,
                "in their place in the model, nodes %d to %d are enough to fail: %s with "
                "first_node=%d last_node=%d\n",
                c->place_first, c->place_last, diff_op(d, c->place_last), c->place_first,
                c->place_last);
    if (c->first < 0 && interrupt_signal())
        return;
    if (c->first < 0) {
        fprintf(f, diff_failed(d) && d->status != CASE_MISSING
                       ? "no node is out of bounds alone, and the model cut out as a whole passes\n"
                       : "no node is out of bounds\n");
        return;
    }
    if (c->alone) {
        fprintf(f, "first node out of bounds: node %d, %s version %d: %s\n",
                model_use_node(d->request.use, c->first), diff_op(d, c->first),
                interpreter_node_version(d->reference, c->first), c->result.reason);
        print_worst(f, &c->result);
        if (d->wrong_nodes > 1)
            fprintf(f, "  %zu nodes are out of bounds\n", d->wrong_nodes);
    } else {
        fprintf(f, "no node is out of bounds alone; nodes %d to %d fail together (",
                model_use_node(d->request.use, c->first), model_use_node(d->request.use, c->last));
        for (int n = c->first; n <= c->last; n++)
            fprintf(f, "%s%s", n > c->first ? ", " : "", diff_op(d, n));
        fprintf(f, "): %s\n  %zu ranges were tried\n", c->result.reason, c->tried);
    }
    if (c->is_shrunk)
        shrunk_print(f, &c->shrunk, NULL);
}

void diff_print_text(FILE *f, const struct diff *d)
{
    char floats[BOUNDS_TEXT_BYTES], integers[BOUNDS_TEXT_BYTES];

    fprintf(f, "model      %s\n", d->request.path);
    fprintf(f, "subject    %s (bounds %s, in 8 bits %s)\n", d->subject->label,
            bounds_text(d->subject->bounds, floats), bounds_text(d->subject->quantized, integers));
    fprintf(f, "taken      %" PRIu64 " of %" PRIu64 " nodes\n", d->taken, d->nodes);
    fprintf(f, "inputs     %zu from files, the others random, seed %" PRIu64 "\n",
            d->request.inputs.count, d->request.seed);
    model_use_print(f, d->request.use, &d->model, d->reference, 11);
    print_field_figures(f, d);
    for (size_t i = 0; d->runs > 0 && i < d->output_count; i++)
        print_output(f, d, i);
    if (d->swaps > 0)
        fprintf(f,
                "%zu detections changed places with others of nearly their score: compared in "
                "the order of the reference\n",
                d->swaps);
    if (d->beyond_half.node >= 0)
        fprintf(f, "beyond f16: node %d, %s, gives %.9g at %s, f16 holds 65504 (%zu node%s)\n",
                model_use_node(d->request.use, d->beyond_half.node),
                diff_op(d, d->beyond_half.node), d->beyond_half.largest, d->beyond_half.where,
                d->beyond_half.nodes, d->beyond_half.nodes == 1 ? "" : "s");
    if (d->per_node_count > 0) {
        print_nodes(f, d);
        print_culprit(f, d);
    }
    if (interrupt_signal())
        fprintf(f, "\ninterrupted: %s: %" PRIu64 " of %" PRIu64 " runs were made\n",
                interrupt_name(), d->runs, d->request.runs);
    fprintf(f, "\ndiff: %s%s%s\n", case_status_name(d->status), d->reason[0] ? ": " : "",
            d->reason);
}
