/* Changes copies of shapes, of constants that are shapes, and of options. */
#include "conformance/suite/judge/batch_model.h"

#include "reference/base/builtin.h"
#include "reference/base/op_facts.h"
#include "reference/format/op_options.h"

#include <string.h>

/* A copy whose first element is 1 where it was the batch. */
static const int32_t *with_one(struct arena *arena, const int32_t *data, size_t count,
                               int32_t batch)
{
    int32_t *copy;

    if (count == 0 || data[0] != batch)
        return data;
    copy = arena_copy(arena, data, count, sizeof *data);
    if (copy)
        copy[0] = 1;
    return copy;
}

static bool is_constant(const struct model *m, const struct model_tensor *t)
{
    size_t count;

    return model_tensor_data(m, t, &count) && count > 0;
}

/* Tensors that are no constants; of the inputs those in `resized` alone. */
static bool change_shapes(struct arena *arena, const struct model *source,
                          struct model_tensor *tensors, int32_t batch, const bool *resized)
{
    const struct model_subgraph *const graph = &source->subgraphs[0];
    bool ok = true;

    for (size_t i = 0; i < graph->tensor_count && ok; i++) {
        bool changes = !is_constant(source, &tensors[i]);

        for (size_t k = 0; k < graph->inputs.count; k++)
            changes = changes && (graph->inputs.data[k] != (int32_t)i || resized[k]);
        if (!changes)
            continue;
        tensors[i].shape.data =
            with_one(arena, tensors[i].shape.data, tensors[i].shape.count, batch);
        tensors[i].shape_signature = (struct model_ints){ NULL, 0 };
        ok = tensors[i].shape.data || tensors[i].shape.count == 0;
    }
    return ok;
}

/* Whether ops read the buffer as the shape of their result, and none in another way: axes, sizes,
 * strides may have the same numbers. */
static bool is_shape_alone(const struct model *source, uint32_t buffer)
{
    const struct model_subgraph *const graph = &source->subgraphs[0];
    size_t readers = 0, shapes = 0;

    for (size_t n = 0; n < graph->operator_count; n++) {
        const struct model_operator *const o = &graph->operators[n];
        const struct op_facts *const f =
            op_facts_find(model_opcode_row(&source->opcodes[o->opcode_index]));

        for (size_t i = 0; i < o->inputs.count; i++) {
            const int32_t t = o->inputs.data[i];

            if (t < 0 || graph->tensors[t].buffer != buffer)
                continue;
            readers++;
            shapes += f && f->shape == (int)i;
        }
    }
    return shapes > 0 && shapes == readers;
}

/* Shapes of int32 and rank 1 that begin with the batch.  Bytes of a file may be unaligned. */
static bool change_constants(struct arena *arena, const struct model *source,
                             struct model_buffer *buffers, int32_t batch)
{
    const struct model_subgraph *const graph = &source->subgraphs[0];

    for (size_t i = 0; i < graph->tensor_count; i++) {
        const struct model_tensor *const t = &graph->tensors[i];
        struct model_buffer *const b = &buffers[t->buffer];
        const int32_t one = 1;
        int32_t first;
        uint8_t *copy;

        if (t->type != TENSOR_INT32 || t->shape.count != 1 || b->data.count < sizeof first ||
            !is_shape_alone(source, t->buffer))
            continue;
        memcpy(&first, b->data.data, sizeof first);
        if (first != batch)
            continue;
        copy = arena_copy(arena, b->data.data, b->data.count, 1);
        if (!copy)
            return false;
        memcpy(copy, &one, sizeof one);
        b->data.data = copy;
    }
    return true;
}

static bool change_options(struct arena *arena, struct model_operator *operators, size_t count,
                           int32_t batch)
{
    for (size_t n = 0; n < count; n++) {
        struct options *const o = &operators[n].options;
        const struct option_table *const table = option_table_find(o->tag);

        for (size_t f = 0; table && table->listed && f < table->field_count; f++) {
            if (table->fields[f].kind != OPTION_INTS || o->value[f].ints.count == 0)
                continue;
            o->value[f].ints.data =
                with_one(arena, o->value[f].ints.data, o->value[f].ints.count, batch);
            if (!o->value[f].ints.data)
                return false;
        }
    }
    return true;
}

enum status batch_model_open(struct batch_model *b, const struct model *source, int32_t batch,
                             const bool *resized, struct diag *diag)
{
    const struct model_subgraph *const graph = &source->subgraphs[0];
    struct arena *const arena = &b->arena;
    struct model_subgraph *graphs;
    struct model_tensor *tensors;
    struct model_operator *operators;
    struct model_buffer *buffers;

    *b = (struct batch_model){ .model = *source };
    graphs = arena_copy(arena, source->subgraphs, source->subgraph_count, sizeof *graphs);
    tensors = arena_copy(arena, graph->tensors, graph->tensor_count, sizeof *tensors);
    operators = arena_copy(arena, graph->operators, graph->operator_count, sizeof *operators);
    buffers = arena_copy(arena, source->buffers, source->buffer_count, sizeof *buffers);
    if (!graphs || !tensors || !operators || !buffers ||
        !change_shapes(arena, source, tensors, batch, resized) ||
        !change_constants(arena, source, buffers, batch) ||
        !change_options(arena, operators, graph->operator_count, batch)) {
        batch_model_close(b);
        return diag_fail(diag, STATUS_NO_MEMORY, "a model with batch 1: out of memory");
    }
    graphs[0].tensors = tensors;
    graphs[0].operators = operators;
    b->model.subgraphs = graphs;
    b->model.buffers = buffers;
    return STATUS_OK;
}

void batch_model_close(struct batch_model *b)
{
    arena_close(&b->arena);
    *b = (struct batch_model){ .model = { .version = 0 } };
}
