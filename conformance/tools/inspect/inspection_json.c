/* An inspection as JSON. */
#include "conformance/tools/inspect/inspection.h"

#include "conformance/suite/io/model_file.h"
#include "conformance/util/json_text.h"
#include "reference/base/builtin.h"

#include <stdint.h>

static const struct model_subgraph *graph(const struct inspection *n)
{
    return &n->session.model.subgraphs[0];
}

static json_t *json_quantization(const struct model_quantization *q)
{
    json_t *o, *scales, *zeros;

    if (q->scale.count == 0)
        return json_null();
    o = json_object();
    scales = json_array();
    zeros = json_array();
    for (size_t i = 0; i < q->scale.count; i++)
        json_array_append_new(scales, json_number((double)q->scale.data[i]));
    for (size_t i = 0; i < q->zero_point.count; i++)
        json_array_append_new(zeros, json_integer(q->zero_point.data[i]));
    json_object_set_new(o, "scale", scales);
    json_object_set_new(o, "zero_point", zeros);
    json_object_set_new(o, "dimension", json_integer(q->quantized_dimension));
    return o;
}

static json_t *json_tensor(const struct inspection *n, size_t i)
{
    const struct model_tensor *const t = &graph(n)->tensors[i];
    json_t *const o = json_object();

    json_object_set_new(o, "index", json_integer((json_int_t)i));
    json_object_set_new(o, "name", json_text(t->name.text ? t->name.text : ""));
    json_object_set_new(o, "kind", json_string(inspection_kind(n, i)));
    json_object_set_new(o, "type", json_text(tensor_type_name(t->type)));
    json_object_set_new(o, "shape", json_ints(t->shape.data, t->shape.count));
    json_object_set_new(o, "shape_signature",
                        t->shape_signature.count > 0
                            ? json_ints(t->shape_signature.data, t->shape_signature.count)
                            : json_null());
    json_object_set_new(o, "bytes", json_integer((json_int_t)inspection_bytes(n, i)));
    json_object_set_new(o, "quantization", json_quantization(&t->quantization));
    return o;
}

static json_t *json_option(const struct options *o, size_t field)
{
    const struct option_field *const f = &option_table_find(o->tag)->fields[field];
    char text[256];

    switch (f->kind) {
    case OPTION_F32: return json_number((double)o->value[field].f);
    case OPTION_BOOL: return json_boolean(o->value[field].i);
    case OPTION_INTS: return json_ints(o->value[field].ints.data, o->value[field].ints.count);
    case OPTION_STRING: return json_text(o->value[field].text.data);
    case OPTION_BYTES: return json_integer((json_int_t)o->value[field].bytes.count);
    default:
        inspection_option(o, field, text, sizeof text);
        return text[0] >= 'A' ? json_string(text) : json_integer(o->value[field].i);
    }
}

static json_t *json_options(const struct options *options)
{
    const struct option_table *const table = option_table_find(options->tag);
    json_t *const o = json_object();

    for (size_t i = 0; table && i < table->field_count; i++)
        json_object_set_new(o, table->fields[i].name, json_option(options, i));
    return o;
}

static void add_refusal(json_t *o, const struct assay_gpu_refusal *r)
{
    json_object_set_new(o, "rule", json_text(r ? r->rule : NULL));
    json_object_set_new(o, "hint", json_text(r ? r->hint : NULL));
    if (!r)
        return;
    json_object_set_new(o, "tensor", r->tensor >= 0 ? json_integer(r->tensor) : json_null());
    json_object_set_new(o, "tensor_name", json_text(r->tensor >= 0 ? r->tensor_name : NULL));
    json_object_set_new(o, "field", json_text(r->field));
    json_object_set_new(o, "value", json_text(r->value));
    json_object_set_new(o, "limit", json_text(r->limit));
}

/* null: the model lies in no bundle. */
static json_t *json_bundle(void)
{
    size_t chosen;
    const struct bundle *const b = model_file_bundle(&chosen);
    json_t *o, *sections;

    if (!b)
        return json_null();
    o = json_object();
    sections = json_array();
    for (size_t i = 0; i < b->count; i++) {
        const struct bundle_section *const at = &b->sections[i];
        json_t *const section = json_object();

        json_object_set_new(section, "name", json_text(at->name));
        json_object_set_new(section, "kind", json_string(at->kind));
        json_object_set_new(section, "begin", json_integer((json_int_t)at->begin));
        json_object_set_new(section, "bytes", json_integer((json_int_t)at->size));
        json_array_append_new(sections, section);
    }
    json_object_set_new(o, "kind", json_string(b->kind));
    json_object_set_new(o, "section", json_integer((json_int_t)chosen));
    json_object_set_new(o, "sections", sections);
    return o;
}

static json_t *json_node(const struct inspection *n, size_t i)
{
    const struct model_operator *const op = &graph(n)->operators[i];
    const struct node_note *const note = &n->notes[i];
    json_t *const o = json_object();
    char name[256];

    inspection_op(n, i, name, sizeof name);
    json_object_set_new(o, "index", json_integer((json_int_t)i));
    json_object_set_new(o, "op", json_text(name));
    json_object_set_new(o, "version", json_integer(inspection_version(n, i)));
    json_object_set_new(o, "known", json_boolean(note->known));
    json_object_set_new(o, "not_prepared", json_text(note->reason));
    json_object_set_new(o, "inputs", json_ints(op->inputs.data, op->inputs.count));
    json_object_set_new(o, "outputs", json_ints(op->outputs.data, op->outputs.count));
    json_object_set_new(o, "options", json_options(&op->options));
    if (op->composite) {
        json_t *const composite = json_object();

        json_object_set_new(composite, "name", json_text(op->composite->name));
        json_object_set_new(composite, "operator", json_integer(op->composite->node));
        json_object_set_new(o, "composite", composite);
    }
    json_object_set_new(o, "taken",
                        note->state == NODE_UNDECIDED ? json_null()
                                                      : json_boolean(note->state == NODE_TAKEN));
    json_object_set_new(o, "partition",
                        note->partition >= 0 ? json_integer(note->partition) : json_null());
    add_refusal(o, note->refused && note->state != NODE_TAKEN ? &note->refusal : NULL);
    return o;
}

void inspection_print_json(FILE *f, const struct inspection *n)
{
    const struct model *const m = &n->session.model;
    const bool asked = n->session.delegate && !n->why_not[0];
    json_t *const report = json_object(), *const tensors = json_array(),
                  *const nodes = json_array();

    for (size_t i = 0; i < graph(n)->tensor_count; i++)
        json_array_append_new(tensors, json_tensor(n, i));
    for (size_t i = 0; i < n->count; i++)
        json_array_append_new(nodes, json_node(n, i));
    json_object_set_new(report, "model", json_text(n->path));
    json_object_set_new(report, "bytes", json_integer((json_int_t)n->session.file.count));
    json_object_set_new(report, "version", json_integer(m->version));
    json_object_set_new(report, "description", json_text(m->description.text));
    json_object_set_new(report, "subgraphs", json_integer((json_int_t)m->subgraph_count));
    json_object_set_new(report, "bundle", json_bundle());
    model_use_json(report, n->use, m, n->session.in);
    json_object_set_new(report, "subject", asked ? session_json(&n->session) : json_null());
    json_object_set_new(report, "not_run", json_text(n->why_not[0] ? n->why_not : NULL));
    json_object_set_new(report, "tensors", tensors);
    json_object_set_new(report, "nodes", nodes);
    json_object_set_new(report, "partitions",
                        asked ? json_integer(interpreter_partition_count(n->session.in))
                              : json_null());
    if (n->plan)
        json_object_set_new(report, "plan", inspection_json_plan(n));
    json_dumpf(report, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(report);
}
