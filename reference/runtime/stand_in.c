#include "reference/runtime/stand_in.h"

#include "reference/runtime/report.h"

#include <string.h>

bool stand_in_is_given(const struct interpreter *in)
{
    return in->options.stand_in && (!in->caller || !in->options.stand_in->run);
}

static enum status note(struct interpreter *in, struct node *node, const char *why,
                        struct diag *diag)
{
    if (node->reason && strcmp(node->reason, why) == 0)
        return STATUS_OK; /* prepared again */
    node->reason = arena_copy(&in->arena, why, strlen(why) + 1, 1);
    return node->reason ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "no memory for the graph");
}

void stand_in_hide(struct interpreter *in, struct node *node, bool hidden)
{
    const struct model_opcode *const code =
        &in->model->opcodes[in->graph->operators[node->index].opcode_index];
    const bool custom = code->code == BUILTIN_CUSTOM;
    const char *const name = custom ? code->custom_code.text : builtin_name(code->code);

    node->registration.builtin_code = hidden ? BUILTIN_CUSTOM : code->code;
    node->registration.custom_name = hidden && custom ? "custom op that is not prepared"
                                     : hidden         ? name
                                     : custom         ? (name ? name : "")
                                                      : NULL;
}

static bool may_stand_in(const struct interpreter *in, enum status s)
{
    return stand_in_is_given(in) && (s == STATUS_UNSUPPORTED || s == STATUS_INVALID);
}

enum status stand_in_build(struct interpreter *in, struct node *node, const struct diag *why,
                           struct diag *diag)
{
    if (!may_stand_in(in, why->status))
        return diag_fail(diag, why->status, "%s", why->text);
    node->op = &unknown_op;
    node->special = NULL;
    return note(in, node, why->text, diag);
}

static enum status shapes_of_file(struct interpreter *in, struct node *node, struct diag *diag)
{
    for (int i = 0; i < node->out_count; i++) {
        const int t = (int)(node->out[i] - in->tensors);
        const struct model_ints *const dims = &in->graph->tensors[t].shape;

        if (dims->count > REF_MAX_RANK)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "%s: node %d: output %d has rank %zu, expected at most %d",
                             node_name(node), node->index, i, dims->count, REF_MAX_RANK);
        in->shapes[i] = (struct ref_shape){ .rank = (int)dims->count };
        for (size_t d = 0; d < dims->count; d++)
            in->shapes[i].dims[d] = dims->data[d];
    }
    return STATUS_OK;
}

/* The node of a subgraph that this node calls, and that cannot be run; NULL: none. */
static const struct node *find_in_bodies(const struct interpreter *in, const struct node *node,
                                         size_t *graph)
{
    const struct options *const o = &in->graph->operators[node->index].options;
    const struct option_table *const table = option_table_find(o->tag);

    for (size_t f = 0; table && node->bodies && f < table->field_count; f++) {
        for (size_t b = 0;
             strstr(table->fields[f].name, "subgraph_index") && b < in->root->body_count; b++) {
            const struct interpreter *const body = in->root->bodies[b];

            *graph = body->graph_index;
            for (size_t n = 0; (int64_t)*graph == o->value[f].i && n < body->model_nodes; n++) {
                if (body->nodes[n]->reason)
                    return body->nodes[n];
            }
        }
    }
    return NULL;
}

enum status stand_in_prepare(struct interpreter *in, struct node *node, enum status s,
                             const struct diag *why, struct diag *diag)
{
    const struct interpreter_stand_in *const other = in->options.stand_in;
    const struct node *inside;
    struct diag called;
    size_t graph;

    if (s == STATUS_OK && (inside = find_in_bodies(in, node, &graph)) != NULL) {
        s = diag_fail(&called, STATUS_UNSUPPORTED, "node %d: %s calls subgraph %zu: %s",
                      node->index, node_name(node), graph, inside->reason);
        why = &called;
    }
    if (node->op != &unknown_op) {
        if (s == STATUS_OK) {
            if (node->reason)
                stand_in_hide(in, node, false);
            node->reason = NULL;
            return STATUS_OK;
        }
        if (!may_stand_in(in, s))
            return diag_fail(diag, s, "%s", why->text);
        stand_in_hide(in, node, true);
        TRY(note(in, node, why->text, diag));
    }
    TRY(shapes_of_file(in, node, diag));
    return other->prepare
               ? diag_prefix(diag, other->prepare(other->user, in, node->index, in->shapes, diag),
                             "%s: node %d", node_name(node), node->index)
               : STATUS_OK;
}

enum status stand_in_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    const struct interpreter_stand_in *const other = in->options.stand_in;

    if (!other || !other->run)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%s", node->reason);
    return diag_prefix(diag, other->run(other->user, in, node->index, diag), "%s: node %d",
                       node_name(node), node->index);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    for (int i = 0; i < call->out_count; i++) {
        const TfLiteTensor *t = call->out[i];
        struct ref_shape *s = &call->out_shape[i];

        if (ref_rank(t) > REF_MAX_RANK)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "output %d has rank %d, expected at most %d", i, ref_rank(t),
                            REF_MAX_RANK);
        s->rank = ref_rank(t);
        for (int d = 0; d < s->rank; d++)
            s->dims[d] = ref_dim(t, d);
    }
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    return diag_fail(diag, STATUS_UNSUPPORTED, "node %d: the reference does not have the op",
                     call->node);
}

const struct ref_op unknown_op = {
    .max_outputs = -1, .max_inputs = -1, .max_version = INT32_MAX, .prepare = prepare, .eval = eval
};
