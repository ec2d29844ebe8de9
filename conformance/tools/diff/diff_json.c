/* `assay diff` in JSON. */
#include "conformance/tools/diff/diff_print.h"

#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/json_text.h"
#include "reference/kernels/op.h"

static json_t *whole(uint64_t x)
{
    return json_integer((json_int_t)x);
}

static json_t *make_output(const struct diff *d, size_t i)
{
    const struct figures *const o = &d->outputs[i];
    const int *const outputs = interpreter_outputs(d->reference, &(size_t){ 0 });
    const TfLiteTensor *const t = interpreter_tensor(d->reference, outputs[i]);
    json_t *const j = json_object();

    json_object_set_new(j, "name", json_text(t->name ? t->name : ""));
    json_object_set_new(j, "type", json_string(runtime_type_name(t->type)));
    json_object_set_new(j, "shape", json_ints(t->dims->data, (size_t)ref_rank(t)));
    json_object_set_new(j, "unit", json_string(o->quantized ? "steps" : "real"));
    json_object_set_new(j, "avg_error", json_number(o->avg_error));
    json_object_set_new(j, "std_dev", json_number(o->std_dev));
    json_object_set_new(j, "max_abs", json_number(o->max_abs));
    json_object_set_new(j, "mse", json_number(o->mse));
    json_object_set_new(j, "snr_db", json_number(o->snr_db));
    json_object_set_new(j, "cosine", json_number(o->cosine));
    json_object_set_new(j, "elements", whole(o->elements));
    json_object_set_new(j, "unequal", whole(o->unequal));
    if (o->scores)
        json_object_set_new(j, "other_class", whole(o->other_class));
    if (o->max_abs > 0) {
        json_object_set_new(j, "worst_run", whole(o->worst_run));
        json_object_set_new(j, "worst_where", json_text(o->worst_where));
        json_object_set_new(j, "worst_got", json_number(o->worst_got));
        json_object_set_new(j, "worst_expected", json_number(o->worst_want));
    }
    json_object_set_new(j, "conditioned_db",
                        d->has_conditioning ? json_number(d->conditioning[i].snr_db) : json_null());
    json_object_set_new(j, "status", json_string(d->output_reason[i][0] ? "fail" : "pass"));
    json_object_set_new(j, "reason", json_text(d->output_reason[i]));
    return j;
}

static json_t *make_node(const struct diff *d, const struct diff_node *n)
{
    const struct case_result *const r = &n->result;
    json_t *const j = json_object();

    json_object_set_new(j, "index", json_integer(model_use_node(d->request.use, n->node)));
    json_object_set_new(j, "op", json_text(diff_op(d, n->node)));
    json_object_set_new(j, "version",
                        json_integer(interpreter_node_version(d->reference, n->node)));
    json_object_set_new(j, "judged", json_boolean(n->judged));
    json_object_set_new(j, "status",
                        n->judged || r->status == CASE_MISSING
                            ? json_string(case_status_name(r->status))
                            : json_null());
    json_object_set_new(j, "reason", json_text(r->reason));
    if (!n->judged)
        return j;
    json_object_set_new(j, "margin", json_number(r->margin));
    json_object_set_new(j, "max_abs", json_number(r->max_abs));
    if (r->worst.ratio > 0) {
        json_object_set_new(j, "output", json_integer(r->output));
        json_object_set_new(j, "where", json_text(r->worst.where));
        json_object_set_new(j, "got", json_number(r->worst.got));
        json_object_set_new(j, "expected", json_number(r->worst.want));
        json_object_set_new(j, "error", json_number(r->worst.error));
        json_object_set_new(j, "limit", json_number(r->worst.limit));
    }
    return j;
}

static json_t *make_culprit(const struct diff *d)
{
    const struct diff_culprit *const c = &d->culprit;
    json_t *j;

    if (c->first < 0 && c->place_first < 0)
        return json_null();
    j = json_object();
    if (c->place_first >= 0) {
        json_object_set_new(j, "place_first_node", json_integer(c->place_first));
        json_object_set_new(j, "place_last_node", json_integer(c->place_last));
    }
    if (c->first < 0)
        return j;
    json_object_set_new(j, "first_node", json_integer(model_use_node(d->request.use, c->first)));
    json_object_set_new(j, "last_node", json_integer(model_use_node(d->request.use, c->last)));
    json_object_set_new(j, "op", json_text(diff_op(d, c->last)));
    json_object_set_new(j, "alone", json_boolean(c->alone));
    json_object_set_new(j, "reason", json_text(c->result.reason));
    if (c->is_shrunk) {
        json_object_set_new(j, "minimize_steps", whole(c->shrunk.outcome.steps));
        json_object_set_new(j, "reductions", whole(c->shrunk.outcome.accepted));
        json_object_set_new(j, "flaky",
                            json_boolean(c->shrunk.outcome.flaky || c->shrunk.outcome.flaky_end));
        json_object_set_new(j, "minimal_bytes", whole(c->shrunk.instance.file.count));
    }
    return j;
}

static json_t *make_latency(double mean, double std)
{
    json_t *const j = json_object();

    json_object_set_new(j, "mean", json_number(mean));
    json_object_set_new(j, "std", json_number(std));
    return j;
}

json_t *diff_beyond_half_json(const struct diff *d)
{
    const int node = d->beyond_half.node;

    if (node < 0)
        return json_null();
    return json_pack("{s:i, s:o, s:o, s:f, s:s, s:I}", "node", model_use_node(d->request.use, node),
                     "op", json_text(diff_op(d, node)), "output", json_text(diff_output(d, node)),
                     "largest", d->beyond_half.largest, "where", d->beyond_half.where, "nodes",
                     (json_int_t)d->beyond_half.nodes);
}

void diff_print_json(FILE *f, const struct diff *d)
{
    json_t *const j = json_object(), *const outputs = json_array();
    char spec[4096], bounds[BOUNDS_TEXT_BYTES];

    for (size_t i = 0; d->runs > 0 && i < d->output_count; i++)
        json_array_append_new(outputs, make_output(d, i));
    json_object_set_new(j, "model", json_text(d->request.path));
    json_object_set_new(j, "subject",
                        json_text(subject_spec(d->subject, spec, sizeof spec) ? spec : NULL));
    json_object_set_new(j, "bounds", json_string(bounds_text(d->subject->bounds, bounds)));
    json_object_set_new(j, "bounds_quantized",
                        json_string(bounds_text(d->subject->quantized, bounds)));
    json_object_set_new(j, "seed", whole(d->request.seed));
    json_object_set_new(j, "runs", whole(d->runs));
    json_object_set_new(j, "interrupted", json_text(interrupt_name()));
    json_object_set_new(j, "nodes", whole(d->nodes));
    json_object_set_new(j, "taken", whole(d->taken));
    model_use_json(j, d->request.use, &d->model, d->reference);
    json_object_set_new(j, "status", json_string(case_status_name(d->status)));
    json_object_set_new(j, "reason", json_text(d->reason));
    json_object_set_new(j, "open_ms", json_number(d->open_ms));
    json_object_set_new(j, "reference_ms", make_latency(d->reference_ms, d->reference_std_ms));
    json_object_set_new(j, "subject_ms", make_latency(d->subject_ms, d->subject_std_ms));
    json_object_set_new(j, "outputs", outputs);
    json_object_set_new(j, "swaps", whole(d->swaps));
    json_object_set_new(j, "beyond_f16", diff_beyond_half_json(d));
    if (d->per_node_count > 0) {
        json_t *const nodes = json_array();

        for (size_t i = 0; i < d->per_node_count; i++)
            json_array_append_new(nodes, make_node(d, &d->per_node[i]));
        json_object_set_new(j, "per_node", nodes);
        json_object_set_new(j, "cause", make_culprit(d));
    }
    json_dumpf(j, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(j);
}
