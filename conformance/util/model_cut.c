/* Cuts nodes out of a graph, and numbers anew what they use. */
#include "conformance/util/model_cut.h"

/* What is known of a tensor of the source. */
struct use {
    int32_t maker;    /* the operator that computes it; -1: none */
    bool constant;    /* it has data, or is computed from constants alone */
    bool used;        /* the part reads or makes it */
    bool made;        /* the part makes it */
    bool read_inside; /* an operator of the part reads it, one outside of the part does */
    bool read_outside;
    bool is_input; /* of the whole graph, and an output of it */
    bool is_output;
    int32_t number; /* in the part */
};

struct cutter {
    const struct model_cut_request *q;
    const struct model_subgraph *graph;
    struct model_cut *out;
    struct arena *arena; /* of the part */
    struct use *uses;
    bool *inside;               /* of each operator: it is in the part */
    bool *carried;              /* ... because another one needs its constant result */
    int32_t *buffers, *opcodes; /* numbers in the part; 0 and -1: not used yet */
    struct diag *diag;
};

static enum status no_memory(const struct cutter *c)
{
    return diag_fail(c->diag, STATUS_NO_MEMORY, "cut: out of memory");
}

static enum status check_indices(const struct cutter *c, const char *what,
                                 const struct model_ints *tensors, int32_t lowest)
{
    for (size_t i = 0; i < tensors->count; i++) {
        if (tensors->data[i] < lowest || tensors->data[i] >= (int64_t)c->graph->tensor_count)
            return diag_fail(c->diag, STATUS_INVALID, "%s %zu: no such tensor: %d", what, i,
                             tensors->data[i]);
    }
    return STATUS_OK;
}

static enum status check_graph(const struct cutter *c)
{
    bool any = false;

    TRY(check_indices(c, "graph input", &c->graph->inputs, 0));
    TRY(check_indices(c, "graph output", &c->graph->outputs, 0));
    for (size_t n = 0; n < c->graph->operator_count; n++) {
        const struct model_operator *const op = &c->graph->operators[n];

        TRY(diag_prefix(c->diag, check_indices(c, "input", &op->inputs, -1), "node %zu", n));
        TRY(diag_prefix(c->diag, check_indices(c, "output", &op->outputs, 0), "node %zu", n));
        if (op->opcode_index >= c->q->model->opcode_count)
            return diag_fail(c->diag, STATUS_INVALID, "node %zu: no such operator code: %u", n,
                             op->opcode_index);
        any = any || c->q->nodes[n];
    }
    return any ? STATUS_OK
               : diag_fail(c->diag, STATUS_INVALID, "cut: expected at least one node of %zu",
                           c->graph->operator_count);
}

/* ---- what belongs to the part ---- */

static bool reads_constants_alone(const struct cutter *c, const struct model_operator *op)
{
    size_t count = 0;

    for (size_t i = 0; i < op->inputs.count; i++) {
        const int32_t t = op->inputs.data[i];

        if (t < 0)
            continue;
        if (!c->uses[t].constant)
            return false;
        count++;
    }
    return count > 0;
}

static void find_constants(struct cutter *c)
{
    for (size_t t = 0; t < c->graph->tensor_count; t++) {
        size_t bytes;

        c->uses[t].maker = -1;
        c->uses[t].constant = model_tensor_data(c->q->model, &c->graph->tensors[t], &bytes) != NULL;
    }
    for (size_t i = 0; i < c->graph->inputs.count; i++)
        c->uses[c->graph->inputs.data[i]].is_input = true;
    for (size_t i = 0; i < c->graph->outputs.count; i++)
        c->uses[c->graph->outputs.data[i]].is_output = true;
    for (size_t n = 0; n < c->graph->operator_count; n++) {
        const struct model_operator *const op = &c->graph->operators[n];
        const bool constant = (!c->q->exact || c->q->nodes[n]) && reads_constants_alone(c, op);

        for (size_t o = 0; o < op->outputs.count; o++) {
            c->uses[op->outputs.data[o]].maker = (int32_t)n;
            c->uses[op->outputs.data[o]].constant = constant;
        }
    }
}

/* From the last operator to the first, so that one that comes along brings its own makers. */
static void carry_makers(struct cutter *c)
{
    for (size_t n = c->graph->operator_count; n-- > 0;) {
        const struct model_operator *const op = &c->graph->operators[n];

        c->inside[n] = c->carried[n] || c->q->nodes[n];
        c->carried[n] = c->carried[n] && !c->q->nodes[n];
        for (size_t i = 0; c->inside[n] && i < op->inputs.count; i++) {
            const struct use *const u =
                op->inputs.data[i] < 0 ? NULL : &c->uses[op->inputs.data[i]];

            if (u && u->constant && u->maker >= 0)
                c->carried[u->maker] = true;
        }
    }
}

static void find_uses(struct cutter *c)
{
    for (size_t i = 0; c->q->exact && i < c->graph->inputs.count; i++)
        c->uses[c->graph->inputs.data[i]].used = true;
    for (size_t n = 0; n < c->graph->operator_count; n++) {
        const struct model_operator *const op = &c->graph->operators[n];

        for (size_t i = 0; i < op->inputs.count; i++) {
            struct use *const u = op->inputs.data[i] < 0 ? NULL : &c->uses[op->inputs.data[i]];

            if (u && c->inside[n])
                u->used = u->read_inside = true;
            else if (u)
                u->read_outside = true;
        }
        for (size_t o = 0; c->inside[n] && o < op->outputs.count; o++)
            c->uses[op->outputs.data[o]].used = c->uses[op->outputs.data[o]].made = true;
    }
}

/* The scales of blocks, which are constants, come along with the weights. */
static void find_scales(struct cutter *c)
{
    for (size_t t = 0; t < c->graph->tensor_count; t++) {
        const struct model_quantization *const q = &c->graph->tensors[t].quantization;

        if (c->uses[t].used && q->details_type == DETAILS_BLOCKWISE && q->block_scales >= 0 &&
            q->block_scales < (int64_t)c->graph->tensor_count)
            c->uses[q->block_scales].used = true;
    }
}

/* ---- the part ---- */

static bool becomes_input(const struct cutter *c, int32_t tensor)
{
    const struct use *const u = &c->uses[tensor];

    if (c->q->exact && u->is_input)
        return true;
    if (!u->read_inside || u->made || u->constant)
        return false;
    return u->is_input || (u->maker >= 0 && !c->graph->tensors[tensor].is_variable);
}

static enum status number_inputs(struct cutter *c, struct model_ints *inputs)
{
    int32_t *const list = ARENA_NEW(c->arena, c->graph->tensor_count, int32_t);
    bool *const listed = ARENA_NEW(c->arena, c->graph->tensor_count, bool);

    if (!list || !listed)
        return no_memory(c);
    inputs->data = list;
    for (size_t i = 0; i < c->graph->inputs.count; i++) { /* in the order of the graph */
        const int32_t t = c->graph->inputs.data[i];

        if (becomes_input(c, t) && !listed[t])
            list[inputs->count++] = c->uses[t].number;
        listed[t] = true;
    }
    for (size_t n = 0; n < c->graph->operator_count; n++) {
        const struct model_operator *const op = &c->graph->operators[n];

        for (size_t i = 0; c->inside[n] && i < op->inputs.count; i++) {
            const int32_t t = op->inputs.data[i];

            if (t < 0 || listed[t] || !becomes_input(c, t))
                continue;
            list[inputs->count++] = c->uses[t].number;
            listed[t] = true;
        }
    }
    return STATUS_OK;
}

/* Results that only others read; where there is none, those that nobody reads. */
static enum status number_outputs(struct cutter *c, struct model_ints *outputs)
{
    int32_t *const list = ARENA_NEW(c->arena, c->graph->tensor_count, int32_t);

    if (!list)
        return no_memory(c);
    outputs->data = list;
    for (int pass = 0; pass < 2 && outputs->count == 0; pass++) {
        for (size_t n = 0; n < c->graph->operator_count; n++) {
            const struct model_operator *const op = &c->graph->operators[n];

            for (size_t o = 0; c->inside[n] && !c->carried[n] && o < op->outputs.count; o++) {
                const struct use *const u = &c->uses[op->outputs.data[o]];

                if (pass == 0 ? u->read_outside || u->is_output : !u->read_inside)
                    list[outputs->count++] = u->number;
            }
        }
    }
    return STATUS_OK;
}

static enum status copy_ints(struct cutter *c, struct model_ints *out, const struct model_ints *in)
{
    int32_t *list;

    *out = *in;
    if (!in->data)
        return STATUS_OK;
    if (!(list = ARENA_NEW(c->arena, in->count, int32_t)))
        return no_memory(c);
    for (size_t i = 0; i < in->count; i++)
        list[i] = in->data[i] < 0 ? -1 : c->uses[in->data[i]].number;
    out->data = list;
    return STATUS_OK;
}

static enum status cut_tensors(struct cutter *c, struct model_subgraph *part)
{
    const size_t count = c->graph->tensor_count;
    struct model_tensor *const tensors = ARENA_NEW(c->arena, count, struct model_tensor);
    int32_t *const sources = ARENA_NEW(c->arena, count, int32_t);
    struct model_buffer *const buffers =
        ARENA_NEW(c->arena, c->q->model->buffer_count + 1, struct model_buffer);

    if (!tensors || !sources || !buffers)
        return no_memory(c);
    c->out->model.buffer_count = 1; /* buffer 0: no data */
    for (size_t t = 0; t < count; t++) {
        struct model_tensor *const made = &tensors[part->tensor_count];
        size_t bytes;

        if (!c->uses[t].used)
            continue;
        *made = c->graph->tensors[t];
        if (model_tensor_data(c->q->model, made, &bytes)) {
            if (c->buffers[made->buffer] == 0) {
                c->buffers[made->buffer] = (int32_t)c->out->model.buffer_count;
                buffers[c->out->model.buffer_count++] = c->q->model->buffers[made->buffer];
            }
            made->buffer = (uint32_t)c->buffers[made->buffer];
        } else {
            made->buffer = 0;
            if (c->q->shapes) {
                made->shape = c->q->shapes[t];
                made->shape_signature = (struct model_ints){ NULL, 0 };
            }
        }
        sources[part->tensor_count] = (int32_t)t;
        c->uses[t].number = (int32_t)part->tensor_count++;
    }
    for (size_t t = 0; t < part->tensor_count; t++) {
        struct model_quantization *const q = &tensors[t].quantization;

        if (q->details_type == DETAILS_BLOCKWISE && q->block_scales >= 0 &&
            q->block_scales < (int64_t)count)
            q->block_scales = c->uses[q->block_scales].number;
    }
    part->tensors = tensors;
    c->out->tensors = sources;
    c->out->model.buffers = buffers;
    return STATUS_OK;
}

static enum status cut_operators(struct cutter *c, struct model_subgraph *part)
{
    const struct model *const m = c->q->model;
    struct model_operator *const operators =
        ARENA_NEW(c->arena, c->graph->operator_count, struct model_operator);
    struct model_opcode *const opcodes = ARENA_NEW(c->arena, m->opcode_count, struct model_opcode);
    int32_t *const sources = ARENA_NEW(c->arena, c->graph->operator_count, int32_t);

    if (!operators || !opcodes || !sources)
        return no_memory(c);
    for (size_t n = 0; n < c->graph->operator_count; n++) {
        const struct model_operator *const op = &c->graph->operators[n];
        struct model_operator *const made = &operators[part->operator_count];

        if (!c->inside[n])
            continue;
        *made = *op;
        if (c->opcodes[op->opcode_index] < 0) {
            c->opcodes[op->opcode_index] = (int32_t)c->out->model.opcode_count;
            opcodes[c->out->model.opcode_count++] = m->opcodes[op->opcode_index];
        }
        made->opcode_index = (uint32_t)c->opcodes[op->opcode_index];
        made->debug_metadata_index = -1;
        TRY(copy_ints(c, &made->inputs, &op->inputs));
        TRY(copy_ints(c, &made->outputs, &op->outputs));
        made->intermediates = (struct model_ints){ NULL, 0 };
        sources[part->operator_count++] = (int32_t)n;
    }
    part->operators = operators;
    c->out->nodes = sources;
    c->out->model.opcodes = opcodes;
    return STATUS_OK;
}

/* Numbers of buffers and operator codes stay those of the source. */
static enum status keep_bodies(struct cutter *c, const struct model_subgraph *part)
{
    const struct model *const m = c->q->model;
    struct model_subgraph *const graphs =
        arena_copy(c->arena, m->subgraphs, m->subgraph_count, sizeof *graphs);

    if (!graphs)
        return no_memory(c);
    graphs[0] = *part;
    c->out->model.subgraphs = graphs;
    c->out->model.subgraph_count = m->subgraph_count;
    c->out->model.buffers = m->buffers;
    c->out->model.buffer_count = m->buffer_count;
    c->out->model.opcodes = m->opcodes;
    c->out->model.opcode_count = m->opcode_count;
    return STATUS_OK;
}

static enum status cut(struct cutter *c)
{
    const struct model *const m = c->q->model;
    struct model_subgraph *const part = ARENA_NEW(c->arena, 1, struct model_subgraph);

    c->uses = ARENA_NEW(c->arena, c->graph->tensor_count, struct use);
    c->inside = ARENA_NEW(c->arena, c->graph->operator_count, bool);
    c->carried = ARENA_NEW(c->arena, c->graph->operator_count, bool);
    c->buffers = ARENA_NEW(c->arena, m->buffer_count, int32_t);
    c->opcodes = ARENA_NEW(c->arena, m->opcode_count, int32_t);
    if (!part || !c->uses || !c->inside || !c->carried || !c->buffers || !c->opcodes)
        return no_memory(c);
    for (size_t i = 0; i < m->opcode_count; i++)
        c->opcodes[i] = c->q->exact ? (int32_t)i : -1;
    for (size_t i = 0; c->q->exact && i < m->buffer_count; i++)
        c->buffers[i] = (int32_t)i;
    TRY(check_graph(c));
    find_constants(c);
    carry_makers(c);
    find_uses(c);
    find_scales(c);
    TRY(cut_tensors(c, part));
    TRY(cut_operators(c, part));
    TRY(number_inputs(c, &part->inputs));
    TRY(number_outputs(c, &part->outputs));
    part->debug_metadata_index = -1;
    c->out->model.version = m->version;
    c->out->model.external_groups = m->external_groups;
    c->out->model.external_group_count = m->external_group_count;
    c->out->model.external_buffers = m->external_buffers;
    c->out->model.external_buffer_count = m->external_buffer_count;
    c->out->model.subgraphs = part;
    c->out->model.subgraph_count = 1;
    return c->q->exact ? keep_bodies(c, part) : STATUS_OK;
}

enum status model_cut_make(const struct model_cut_request *request, struct model_cut *out,
                           struct diag *diag)
{
    struct cutter c = { .q = request, .out = out, .arena = &out->model.arena, .diag = diag };
    enum status s;

    *out = (struct model_cut){ .tensors = NULL };
    if (request->model->subgraph_count == 0)
        return diag_fail(diag, STATUS_INVALID, "cut: the model has no graph");
    c.graph = &request->model->subgraphs[0];
    s = cut(&c);
    if (s != STATUS_OK)
        model_cut_close(out);
    return s;
}

void model_cut_close(struct model_cut *cut)
{
    model_close(&cut->model);
    *cut = (struct model_cut){ .tensors = NULL };
}
