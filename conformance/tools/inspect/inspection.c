/* Opens a model with a delegate; inspection_text.c and inspection_json.c print it. */
#include "conformance/tools/inspect/inspection.h"

#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <string.h>

static const struct model_subgraph *graph(const struct inspection *n)
{
    return &n->session.model.subgraphs[0];
}

static const struct model_opcode *opcode(const struct inspection *n, size_t node)
{
    return &n->session.model.opcodes[graph(n)->operators[node].opcode_index];
}

void inspection_op(const struct inspection *n, size_t node, char *text, size_t bytes)
{
    const struct model_opcode *const o = opcode(n, node);
    const char *const name = builtin_name(o->code);

    if (o->code == BUILTIN_CUSTOM && o->custom_code.text)
        snprintf(text, bytes, "%s", o->custom_code.text);
    else if (name)
        snprintf(text, bytes, "%s", name);
    else
        snprintf(text, bytes, "operator %" PRId32, o->code);
}

int32_t inspection_version(const struct inspection *n, size_t node)
{
    return opcode(n, node)->version;
}

static void mark(unsigned char *ends, size_t tensors, const struct model_ints *list,
                 enum inspection_end end)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->data[i] >= 0 && (size_t)list->data[i] < tensors)
            ends[list->data[i]] |= end;
    }
}

const char *inspection_kind(const struct inspection *n, size_t tensor)
{
    const struct model_tensor *const t = &graph(n)->tensors[tensor];
    size_t bytes;

    if (model_tensor_data(&n->session.model, t, &bytes))
        return "constant";
    if (t->is_variable)
        return "variable";
    if (n->ends[tensor] & INSPECTION_INPUT)
        return "input";
    return n->ends[tensor] & INSPECTION_OUTPUT ? "output" : "activation";
}

size_t inspection_bytes(const struct inspection *n, size_t tensor)
{
    const struct model_tensor *const t = &graph(n)->tensors[tensor];
    size_t bytes, elements;

    if (model_tensor_data(&n->session.model, t, &bytes))
        return bytes;
    if (!checked_elements(t->shape.data, t->shape.count, &elements) ||
        !checked_mul(elements, tensor_type_bits(t->type), &bytes))
        return 0;
    return bytes / 8 + (bytes % 8 != 0);
}

static const char *code_name(const char *field, int32_t value)
{
    static const char *const paddings[] = { "SAME", "VALID" };
    static const char *const activations[] = { "NONE",  "RELU", "RELU_N1_TO_1",
                                               "RELU6", "TANH", "SIGN_BIT" };

    if (strcmp(field, "padding") == 0 && value >= 0 && value < 2)
        return paddings[value];
    if (strcmp(field, "fused_activation_function") == 0 && value >= 0 && value < 6)
        return activations[value];
    return NULL;
}

void inspection_option(const struct options *o, size_t field, char *text, size_t bytes)
{
    const struct option_field *const f = &option_table_find(o->tag)->fields[field];
    const union option_value *const v = &o->value[field];
    const char *name;
    size_t used;

    switch (f->kind) {
    case OPTION_F32: snprintf(text, bytes, "%g", (double)v->f); return;
    case OPTION_BOOL: snprintf(text, bytes, "%s", v->i ? "true" : "false"); return;
    case OPTION_INTS:
        used = (size_t)snprintf(text, bytes, "[");
        for (size_t i = 0; i < v->ints.count && used < bytes; i++)
            used += (size_t)snprintf(text + used, bytes - used, "%s%" PRId32, i ? ", " : "",
                                     v->ints.data[i]);
        if (used < bytes)
            snprintf(text + used, bytes - used, "]");
        return;
    case OPTION_STRING: snprintf(text, bytes, "%s", v->text.data ? v->text.data : ""); return;
    case OPTION_BYTES: snprintf(text, bytes, "%zu bytes", v->bytes.count); return;
    default:
        name = code_name(f->name, v->i);
        if (name)
            snprintf(text, bytes, "%s", name);
        else
            snprintf(text, bytes, "%" PRId32, v->i);
    }
}

void inspection_print_name(FILE *f, const char *name)
{
    clean_print(f, name);
}

/* ---- what the delegate says ---- */

static void note_refusals(struct inspection *n)
{
    const struct session *const s = &n->session;
    const int count = s->subject.extras.refusal_count && s->subject.extras.get_refusal
                          ? s->subject.extras.refusal_count(s->delegate)
                          : 0;

    for (int i = 0; i < count; i++) {
        struct assay_gpu_refusal r = { .struct_size = sizeof r, .tensor = -1 };

        if (s->subject.extras.get_refusal(s->delegate, i, &r) == 0 && r.node >= 0 &&
            (size_t)r.node < n->count) {
            n->notes[r.node].refused = true;
            n->notes[r.node].refusal = r;
        }
    }
}

static void note_nodes(struct inspection *n)
{
    for (size_t i = 0; i < n->count; i++) {
        n->notes[i].partition = interpreter_node_partition(n->session.in, (int)i);
        n->notes[i].state = n->notes[i].partition >= 0 ? NODE_TAKEN : NODE_LEFT;
    }
    note_refusals(n);
    for (size_t i = 0; i < n->count; i++) {
        struct node_note *const note = &n->notes[i];

        if (!note->reason || !note->known || note->state == NODE_TAKEN)
            continue;
        note->state = NODE_UNDECIDED; /* it was hidden from the delegate */
        note->refused = false;
    }
}

static void note_failure(struct inspection *n, const struct diag *diag)
{
    snprintf(n->why_not, sizeof n->why_not, "%s", diag->text);
}

static enum status open_delegate(struct inspection *n, const char *delegate,
                                 const struct string_list *options, bool required,
                                 struct diag *diag)
{
    enum status s = session_subject(&n->session, delegate, options, diag);

    if (s == STATUS_NO_MEMORY || (s != STATUS_OK && required))
        return s;
    if (s != STATUS_OK) {
        note_failure(n, diag);
        return STATUS_OK;
    }
    inspection_keep_reasons(n);
    /* A graph that cannot be prepared can still be shown; without memory nothing is known. */
    if ((s = session_start(&n->session, diag)) == STATUS_NO_MEMORY)
        return s;
    for (size_t i = 0; i < n->count && n->session.in; i++)
        n->notes[i].reason = interpreter_node_reason(n->session.in, (int)i);
    if (s != STATUS_OK)
        note_failure(n, diag);
    else if (n->session.delegate)
        note_nodes(n);
    return STATUS_OK;
}

enum status inspection_open(struct inspection *n, const char *path, const char *delegate,
                            const struct string_list *options, bool required, struct diag *diag)
{
    static const struct interpreter_stand_in nobody = { .user = NULL };

    *n = (struct inspection){ .path = path };
    TRY(session_open(&n->session, path, diag));
    n->session.shapes_only = true;
    n->session.stand_in = &nobody;
    n->session.quiet = true; /* the report has the refusals that the warnings name */
    n->count = graph(n)->operator_count;
    if (!(n->notes = mem_alloc(n->count, sizeof *n->notes)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu nodes: out of memory", n->count);
    if (!(n->ends = mem_alloc(graph(n)->tensor_count, sizeof *n->ends)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu tensors: out of memory",
                         graph(n)->tensor_count);
    mark(n->ends, graph(n)->tensor_count, &graph(n)->inputs, INSPECTION_INPUT);
    mark(n->ends, graph(n)->tensor_count, &graph(n)->outputs, INSPECTION_OUTPUT);
    for (size_t i = 0; i < n->count; i++) {
        n->notes[i].known = interpreter_has_op(opcode(n, i));
        n->notes[i].partition = -1;
    }
    return open_delegate(n, delegate, options, required, diag);
}

void inspection_close(struct inspection *n)
{
    session_close(&n->session);
    mem_free(n->notes);
    mem_free(n->ends);
    *n = (struct inspection){ .path = NULL };
}
