#include "conformance/suite/judge/node_host.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/trial.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/model_cut.h"
#include "reference/base/memory.h"
#include "reference/format/write.h"

#include <string.h>
#include <unistd.h>

struct node_slot {
    const struct interpreter *in; /* whose node it is; perhaps closed since, and another there */
    int node;
    struct trial_host host;
    struct case_instance instance; /* the node as a model, and what its inputs hold */
    int inputs[CASE_INPUTS_MAX];   /* tensors of the whole model */
    int outputs[OUTPUTS_MAX];
    struct ref_shape shapes[OUTPUTS_MAX]; /* of the outputs */
    size_t output_count;
    bool ran; /* shapes are known, and the process has the model */
};

/* ---- processes ---- */

static void slot_close(struct node_slot *s)
{
    trial_host_close(&s->host);
    case_instance_close(&s->instance);
}

/* What the process that forked this one has started stays its own. */
static void take_over(struct node_host *h)
{
    if (h->pid == getpid())
        return;
    for (size_t i = 0; i < h->count; i++)
        case_instance_close(&h->slots[i].instance);
    mem_free(h->slots);
    h->slots = NULL;
    h->count = 0;
    h->pid = getpid();
}

static enum status find_slot(struct node_host *h, const struct interpreter *in, int node,
                             struct node_slot **out, struct diag *diag)
{
    struct node_slot *grown;

    take_over(h);
    for (size_t i = 0; i < h->count; i++) {
        *out = &h->slots[i];
        if ((*out)->in == in && (*out)->node == node)
            return STATUS_OK;
    }
    if (!(grown = mem_resize(h->slots, h->count + 1, sizeof *grown)))
        return diag_fail(diag, STATUS_NO_MEMORY, "host: out of memory");
    h->slots = grown;
    *out = &grown[h->count];
    memset(*out, 0, sizeof **out);
    (*out)->in = in;
    (*out)->node = node;
    TRY(trial_host_open(&(*out)->host, &h->subject, h->timeout_s, 1, diag));
    h->count++;
    return STATUS_OK;
}

static enum status try_run(struct node_host *h, struct node_slot *s, struct trial *t,
                           struct diag *diag)
{
    TRY(trial_run(&s->host, &s->instance, !s->ran, 1, t, diag));
    if (t->status == CASE_PASS && t->outputs.count == s->output_count)
        return STATUS_OK;
    trial_close(t);
    s->ran = false;
    return diag_fail(diag, STATUS_UNSUPPORTED, "%s: %s: %s", h->subject.label,
                     case_status_name(t->status), t->reason[0] ? t->reason : "other outputs");
}

/* ---- the node as a model ---- */

static enum status cut_node(struct interpreter *in, int node, struct model_cut *cut,
                            struct diag *diag)
{
    const struct model *const m = interpreter_model(in);
    const struct model_subgraph *const g = &m->subgraphs[0];
    bool *const nodes = mem_alloc(g->operator_count, sizeof *nodes);
    struct model_ints *const shapes = mem_alloc(g->tensor_count, sizeof *shapes);
    const struct model_cut_request request = { .model = m, .nodes = nodes, .shapes = shapes };
    enum status s = STATUS_OK;

    if (!nodes || !shapes)
        s = diag_fail(diag, STATUS_NO_MEMORY, "host: out of memory");
    for (size_t t = 0; s == STATUS_OK && t < g->tensor_count; t++) {
        const TfLiteIntArray *const dims = interpreter_tensor(in, (int)t)->dims;

        shapes[t] = (struct model_ints){ dims->data, (size_t)dims->size };
    }
    if (s == STATUS_OK) {
        nodes[node] = true;
        s = model_cut_make(&request, cut, diag);
    }
    mem_free(nodes);
    mem_free(shapes);
    return s;
}

static enum status make_instance(struct node_slot *s, struct interpreter *in,
                                 const struct model_cut *cut, struct tflite_file *file,
                                 struct diag *diag)
{
    const struct model_subgraph *const g = &cut->model.subgraphs[0];
    struct case_instance *const x = &s->instance;

    case_instance_close(x);
    *x = (struct case_instance){ .file = *file };
    *file = (struct tflite_file){ NULL, 0 };
    s->ran = false;
    if (g->inputs.count > CASE_INPUTS_MAX || g->outputs.count > OUTPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "found %zu inputs and %zu outputs, expected at most %d and %d",
                         g->inputs.count, g->outputs.count, CASE_INPUTS_MAX, OUTPUTS_MAX);
    s->output_count = g->outputs.count;
    for (size_t i = 0; i < g->outputs.count; i++)
        s->outputs[i] = cut->tensors[g->outputs.data[i]];
    for (size_t i = 0; i < g->inputs.count; i++) {
        const TfLiteTensor *t;

        s->inputs[i] = cut->tensors[g->inputs.data[i]];
        t = interpreter_tensor(in, s->inputs[i]);
        x->inputs[i].type = t->type;
        x->inputs[i].bytes = t->bytes;
        x->inputs[i].data[0] = mem_alloc(t->bytes ? t->bytes : 1, 1); /* zeros */
        x->input_count = i + 1;
        if (!x->inputs[i].data[0])
            return diag_fail(diag, STATUS_NO_MEMORY, "host: out of memory");
    }
    return STATUS_OK;
}

static enum status read_shapes(struct node_slot *s, const struct outputs *got, struct diag *diag)
{
    for (size_t i = 0; i < s->output_count; i++) {
        s->shapes[i] = (struct ref_shape){ .rank = got->items[i].rank };
        if (got->items[i].rank < 0 || got->items[i].rank > REF_MAX_RANK)
            return diag_fail(diag, STATUS_UNSUPPORTED, "output %zu: rank %d, expected at most %d",
                             i, got->items[i].rank, REF_MAX_RANK);
        for (int d = 0; d < got->items[i].rank; d++)
            s->shapes[i].dims[d] = got->items[i].dims[d];
    }
    return STATUS_OK;
}

/* The slot has the node's model, and knows the shapes of its outputs. */
static enum status ask_shapes(struct node_host *h, struct node_slot *s, struct interpreter *in,
                              const struct model_cut *cut, struct diag *diag)
{
    struct tflite_file file = { NULL, 0 };
    struct trial t;
    enum status status;

    TRY(tflite_write(&cut->model, &file, diag));
    if (s->ran && file.count == s->instance.file.count &&
        memcmp(file.bytes, s->instance.file.bytes, file.count) == 0) {
        mem_free(file.bytes);
        return STATUS_OK;
    }
    status = make_instance(s, in, cut, &file, diag);
    mem_free(file.bytes);
    TRY(status);
    TRY(try_run(h, s, &t, diag));
    status = read_shapes(s, &t.outputs, diag);
    trial_close(&t);
    s->ran = status == STATUS_OK;
    return status;
}

/* ---- standing in ---- */

static enum status prepare(void *user, struct interpreter *in, int node, struct ref_shape *shapes,
                           struct diag *diag)
{
    const struct model_ints *const outputs =
        &interpreter_model(in)->subgraphs[0].operators[node].outputs;
    struct node_host *const h = user;
    struct model_cut cut;
    struct node_slot *s;
    enum status status;

    TRY(find_slot(h, in, node, &s, diag));
    TRY(cut_node(in, node, &cut, diag));
    status = ask_shapes(h, s, in, &cut, diag);
    model_cut_close(&cut);
    TRY(status);
    for (size_t o = 0; o < outputs->count; o++) {
        for (size_t i = 0; i < s->output_count; i++) {
            if (s->outputs[i] == outputs->data[o])
                shapes[o] = s->shapes[i];
        }
    }
    return STATUS_OK;
}

static enum status run(void *user, struct interpreter *in, int node, struct diag *diag)
{
    struct node_host *const h = user;
    struct node_slot *s;
    struct trial t;
    enum status status = STATUS_OK;

    TRY(find_slot(h, in, node, &s, diag));
    if (!s->instance.file.bytes) /* prepared before the process was forked */
        TRY(prepare(user, in, node, (struct ref_shape[OUTPUTS_MAX]){ { 0 } }, diag));
    for (size_t i = 0; i < s->instance.input_count; i++) {
        const TfLiteTensor *const from = interpreter_tensor(in, s->inputs[i]);

        if (from->bytes != s->instance.inputs[i].bytes)
            return diag_fail(diag, STATUS_MISMATCH, "input %zu: %zu bytes, expected %zu", i,
                             from->bytes, s->instance.inputs[i].bytes);
        if (from->bytes > 0)
            memcpy(s->instance.inputs[i].data[0], from->data.raw, from->bytes);
    }
    TRY(try_run(h, s, &t, diag));
    s->ran = true;
    for (size_t i = 0; i < s->output_count && status == STATUS_OK; i++) {
        TfLiteTensor *const to = interpreter_tensor(in, s->outputs[i]);

        if (to->bytes != t.outputs.items[i].bytes)
            status = diag_fail(diag, STATUS_MISMATCH, "output %zu: %zu bytes, expected %zu", i,
                               t.outputs.items[i].bytes, to->bytes);
        else if (to->bytes > 0)
            memcpy(to->data.raw, t.outputs.items[i].data, to->bytes);
    }
    trial_close(&t);
    return status;
}

/* LiteRT's CPU may use all of its kernels: nobody is judged here. */
static enum status allow_all_kernels(struct subject *s, struct diag *diag)
{
    if (strcmp(s->kind->name, "litert") != 0 || !s->what || strcmp(s->what, "cpu") != 0 ||
        subject_option(s, "fallback") || subject_option(s, "kernel_mode"))
        return STATUS_OK;
    return subject_set(s, "fallback", "cpu", diag);
}

enum status node_host_open(struct node_host *h, const char *spec, double timeout_s,
                           struct diag *diag)
{
    *h = (struct node_host){ .timeout_s = timeout_s, .pid = getpid() };
    h->stand_in = (struct interpreter_stand_in){ h, prepare, run };
    TRY(diag_prefix(diag, subject_parse(&h->subject, spec, diag), "--host"));
    if (engine_type_of(&h->subject) == &engine_interpreter)
        return diag_fail(diag, STATUS_USAGE,
                         "--host=%s: expected a runtime of its own, such as litert:cpu or "
                         "tflite-c:PATH",
                         spec);
    return allow_all_kernels(&h->subject, diag);
}

void node_host_close(struct node_host *h)
{
    take_over(h);
    for (size_t i = 0; i < h->count; i++)
        slot_close(&h->slots[i]);
    mem_free(h->slots);
    subject_close(&h->subject);
    *h = (struct node_host){ .pid = 0 };
}
