/* Lists grow on the heap while the model is built; builder_finish copies them into the arena, which
 * holds everything else and becomes the model's. */
#include "reference/format/builder.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LIST_ROOM = 16 };

static void *list_append(struct builder *b, struct builder_list *list)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room : LIST_ROOM / 2;
        void *items;

        if (!checked_mul(room, 2, &room) || !(items = mem_resize(list->items, room, list->size))) {
            b->status = STATUS_NO_MEMORY;
            return NULL;
        }
        list->items = items;
        list->room = room;
    }
    return memset((char *)list->items + list->size * list->count++, 0, list->size);
}

/* A copy in the arena; NULL only on failure, so that an empty vector is present in the file. */
static const void *keep(struct builder *b, const void *data, size_t count, size_t size)
{
    const void *copy = arena_copy(&b->arena, data, count, size);

    if (!copy)
        b->status = STATUS_NO_MEMORY;
    return copy;
}

static struct model_ints keep_ints(struct builder *b, const int *values, size_t count)
{
    int32_t *copy = ARENA_NEW(&b->arena, count, int32_t);

    if (!copy) {
        b->status = STATUS_NO_MEMORY;
        return (struct model_ints){ 0 };
    }
    for (size_t i = 0; i < count; i++)
        copy[i] = values[i];
    return (struct model_ints){ .data = copy, .count = count };
}

static struct model_string keep_string(struct builder *b, const char *text)
{
    const size_t count = strlen(text);

    return (struct model_string){ .text = keep(b, text, count + 1, 1), .count = count };
}

void builder_init(struct builder *b)
{
    *b = (struct builder){ .status = STATUS_OK };
    b->tensors.size = sizeof(struct model_tensor);
    b->buffers.size = sizeof(struct model_buffer);
    b->operators.size = sizeof(struct model_operator);
    b->opcodes.size = sizeof(struct model_opcode);
    b->graphs.size = sizeof(struct model_subgraph);
    b->signatures.size = sizeof(struct model_signature);
    list_append(b, &b->buffers); /* buffer 0: no data */
}

void builder_close(struct builder *b)
{
    arena_close(&b->arena);
    mem_free(b->tensors.items);
    mem_free(b->buffers.items);
    mem_free(b->operators.items);
    mem_free(b->opcodes.items);
    mem_free(b->graphs.items);
    mem_free(b->signatures.items);
    lookup_close(&b->opcode_of);
    *b = (struct builder){ 0 };
}

static struct model_tensor *tensor_at(struct builder *b, int tensor)
{
    assert(tensor >= 0 && (size_t)tensor < b->tensors.count);
    return (struct model_tensor *)b->tensors.items + tensor;
}

int builder_tensor(struct builder *b, int32_t type, const char *name, size_t rank,
                   const int32_t *dims)
{
    struct model_tensor *t;

    if (b->status != STATUS_OK || !(t = list_append(b, &b->tensors)))
        return -1;
    t->type = type;
    t->has_rank = true;
    t->name = keep_string(b, name);
    t->shape.data = keep(b, dims, rank, sizeof *dims);
    t->shape.count = rank;
    return b->status == STATUS_OK ? (int)(b->tensors.count - 1) : -1;
}

int builder_constant(struct builder *b, int32_t type, const char *name, size_t rank,
                     const int32_t *dims, const void *data, size_t bytes)
{
    const int tensor = builder_tensor(b, type, name, rank, dims);
    struct model_buffer *buffer;

    if (tensor < 0 || !(buffer = list_append(b, &b->buffers)))
        return -1;
    buffer->data.data = keep(b, data, bytes, 1);
    buffer->data.count = bytes;
    tensor_at(b, tensor)->buffer = (uint32_t)(b->buffers.count - 1);
    return b->status == STATUS_OK ? tensor : -1;
}

int builder_again(struct builder *b, int graph, int tensor)
{
    const struct model_subgraph *g;
    struct model_tensor *t;

    if (b->status != STATUS_OK || !(t = list_append(b, &b->tensors)))
        return -1;
    assert(graph >= 0 && (size_t)graph < b->graphs.count);
    g = (const struct model_subgraph *)b->graphs.items + graph;
    assert(tensor >= 0 && (size_t)tensor < g->tensor_count);
    *t = g->tensors[tensor];
    return (int)(b->tensors.count - 1);
}

void builder_variable(struct builder *b, int tensor)
{
    if (b->status == STATUS_OK)
        tensor_at(b, tensor)->is_variable = true;
}

void builder_quantization(struct builder *b, int tensor, size_t count, const float *scale,
                          const int64_t *zero_point, int32_t dimension)
{
    struct model_quantization *q;

    if (b->status != STATUS_OK)
        return;
    q = &tensor_at(b, tensor)->quantization;
    q->present = true;
    q->scale.data = keep(b, scale, count, sizeof *scale);
    q->scale.count = count;
    q->zero_point.data = keep(b, zero_point, count, sizeof *zero_point);
    q->zero_point.count = count;
    q->quantized_dimension = dimension;
}

void builder_blockwise(struct builder *b, int tensor, int scales, int32_t block_size)
{
    struct model_quantization *q;

    if (b->status != STATUS_OK)
        return;
    q = &tensor_at(b, tensor)->quantization;
    q->present = true;
    q->details_type = DETAILS_BLOCKWISE;
    q->block_scales = scales;
    q->block_zero_points = -1;
    q->block_size = block_size;
}

enum status builder_sparse(struct builder *b, int tensor, const struct sparse_form *form,
                           struct sparse_fault *fault)
{
    struct model_tensor *t;
    struct model_buffer *buffer;
    enum status s;

    if (b->status != STATUS_OK)
        return STATUS_OK; /* builder_finish tells */
    t = tensor_at(b, tensor);
    buffer = (struct model_buffer *)b->buffers.items + t->buffer;
    s = sparse_compress(&b->arena, form, t->shape.data, t->shape.count, buffer->data.data,
                        tensor_type_bits(t->type) / 8, &t->sparsity, &buffer->data, fault);
    if (s == STATUS_NO_MEMORY)
        b->status = s;
    return s == STATUS_INVALID || s == STATUS_UNSUPPORTED ? s : STATUS_OK;
}

static int by_code(const void *list, const void *key, size_t item)
{
    const struct model_opcode *const a = key, *const b = &((const struct model_opcode *)list)[item];

    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    if (a->version != b->version)
        return a->version < b->version ? -1 : 1;
    return a->custom_code.text && b->custom_code.text
               ? strcmp(a->custom_code.text, b->custom_code.text)
               : (a->custom_code.text != NULL) - (b->custom_code.text != NULL);
}

/* The index of the operator code (code, name of a custom op, version), appended when it is new.
 * Files older than schema 3a have only the 8-bit field, and old readers look at no other: it holds
 * the code where that fits, else the placeholder. */
static uint32_t opcode_row(struct builder *b, int32_t code, const char *custom, int32_t version)
{
    const struct model_opcode key = { .code = code,
                                      .version = version,
                                      .custom_code.text = custom };
    const size_t known = lookup_find(&b->opcode_of, by_code, b->opcodes.items, &key);
    const int32_t placeholder = BUILTIN_PLACEHOLDER_FOR_GREATER_OP_CODES;
    struct model_opcode *row;

    if (known != SIZE_MAX)
        return (uint32_t)known;
    if ((row = list_append(b, &b->opcodes))) {
        if (custom)
            row->custom_code = keep_string(b, custom);
        row->code = code;
        row->builtin_code = code;
        row->deprecated_code = code >= placeholder ? placeholder
                               : code < INT8_MIN   ? INT8_MIN
                                                   : code;
        row->version = version;
        if (b->status == STATUS_OK &&
            !lookup_add(&b->opcode_of, by_code, b->opcodes.items, &key, b->opcodes.count - 1))
            b->status = STATUS_NO_MEMORY;
    }
    return (uint32_t)(b->opcodes.count - 1);
}

static struct options keep_options(struct builder *b, const struct options *options)
{
    const struct option_table *table = options ? option_table_find(options->tag) : NULL;
    struct options copy = options ? *options : (struct options){ 0 };

    for (size_t i = 0; table && i < table->field_count; i++) {
        union option_value *const value = &copy.value[i];

        if (table->fields[i].kind == OPTION_INTS && value->ints.data)
            value->ints.data =
                keep(b, value->ints.data, value->ints.count, sizeof *value->ints.data);
        else if (table->fields[i].kind == OPTION_STRING && value->text.data)
            value->text.data = keep_string(b, value->text.data).text;
        else if (table->fields[i].kind == OPTION_BYTES && value->bytes.data)
            value->bytes.data = keep(b, value->bytes.data, value->bytes.count, 1);
    }
    return copy;
}

static struct model_operator *append_operator(struct builder *b, size_t input_count,
                                              const int *inputs, size_t output_count,
                                              const int *outputs)
{
    struct model_operator *op;

    if (b->status != STATUS_OK || !(op = list_append(b, &b->operators)))
        return NULL;
    op->inputs = keep_ints(b, inputs, input_count);
    op->outputs = keep_ints(b, outputs, output_count);
    op->debug_metadata_index = -1;
    return op;
}

int builder_op(struct builder *b, int32_t code, int32_t version, const struct options *options,
               size_t input_count, const int *inputs, size_t output_count, const int *outputs)
{
    struct model_operator *op = append_operator(b, input_count, inputs, output_count, outputs);

    if (!op)
        return -1;
    op->opcode_index = builtin_is_custom_row(code)
                           ? opcode_row(b, BUILTIN_CUSTOM, builtin_name(code), version)
                           : opcode_row(b, code, NULL, version);
    op->options = keep_options(b, options);
    return b->status == STATUS_OK ? (int)(b->operators.count - 1) : -1;
}

void builder_intermediates(struct builder *b, int op, size_t count, const int *tensors)
{
    if (b->status == STATUS_OK)
        ((struct model_operator *)b->operators.items)[op].intermediates =
            keep_ints(b, tensors, count);
}

void builder_custom_options(struct builder *b, int op, const void *options, size_t bytes)
{
    if (b->status == STATUS_OK && op >= 0)
        ((struct model_operator *)b->operators.items)[op].custom_options =
            (struct model_bytes){ .data = keep(b, options, bytes, 1), .count = bytes };
}

int builder_custom(struct builder *b, const char *name, int32_t version, const void *options,
                   size_t option_bytes, size_t input_count, const int *inputs, size_t output_count,
                   const int *outputs)
{
    struct model_operator *op = append_operator(b, input_count, inputs, output_count, outputs);

    if (!op)
        return -1;
    op->opcode_index = opcode_row(b, BUILTIN_CUSTOM, name, version);
    if (options)
        builder_custom_options(b, (int)(b->operators.count - 1), options, option_bytes);
    return b->status == STATUS_OK ? (int)(b->operators.count - 1) : -1;
}

void builder_inputs(struct builder *b, size_t count, const int *tensors)
{
    if (b->status == STATUS_OK)
        b->inputs = keep_ints(b, tensors, count);
}

void builder_outputs(struct builder *b, size_t count, const int *tensors)
{
    if (b->status == STATUS_OK)
        b->outputs = keep_ints(b, tensors, count);
}

/* The map from names to tensors, which the graph's inputs or outputs are. */
static const struct model_tensor_map *keep_names(struct builder *b, const char *const *names,
                                                 struct model_ints tensors)
{
    struct model_tensor_map *const map =
        ARENA_NEW(&b->arena, tensors.count, struct model_tensor_map);

    if (!map) {
        b->status = STATUS_NO_MEMORY;
        return NULL;
    }
    for (size_t i = 0; i < tensors.count; i++)
        map[i] = (struct model_tensor_map){ .name = keep_string(b, names[i]),
                                            .tensor_index = (uint32_t)tensors.data[i] };
    return map;
}

void builder_signature(struct builder *b, const char *key, const char *const *inputs,
                       const char *const *outputs)
{
    struct model_signature *s;

    if (b->status != STATUS_OK || !(s = list_append(b, &b->signatures)))
        return;
    s->key = keep_string(b, key);
    s->subgraph_index = (uint32_t)b->graphs.count;
    s->inputs = keep_names(b, inputs, b->inputs);
    s->input_count = b->inputs.count;
    s->outputs = keep_names(b, outputs, b->outputs);
    s->output_count = b->outputs.count;
}

static const void *keep_list(struct builder *b, const struct builder_list *list)
{
    return keep(b, list->items, list->count, list->size);
}

/* Closes the subgraph that is being built. */
static void finish_graph(struct builder *b)
{
    char name[32] = "main";
    struct model_subgraph *const graph = list_append(b, &b->graphs);

    if (!graph)
        return;
    if (b->graphs.count > 1)
        snprintf(name, sizeof name, "subgraph_%zu", b->graphs.count - 1);
    *graph = (struct model_subgraph){
        .tensors = keep_list(b, &b->tensors),
        .tensor_count = b->tensors.count,
        .inputs = b->inputs.data ? b->inputs : keep_ints(b, NULL, 0),
        .outputs = b->outputs.data ? b->outputs : keep_ints(b, NULL, 0),
        .operators = keep_list(b, &b->operators),
        .operator_count = b->operators.count,
        .name = keep_string(b, name),
        .debug_metadata_index = -1,
    };
    b->tensors.count = b->operators.count = 0;
    b->inputs = b->outputs = (struct model_ints){ 0 };
}

int builder_subgraph(struct builder *b)
{
    if (b->status == STATUS_OK)
        finish_graph(b);
    return b->status == STATUS_OK ? (int)b->graphs.count : -1;
}

static void assemble(struct builder *b, struct model *m)
{
    finish_graph(b);
    *m = (struct model){
        .version = 3,
        .description = keep_string(b, "Assay"),
        .opcodes = keep_list(b, &b->opcodes),
        .opcode_count = b->opcodes.count,
        .subgraphs = keep_list(b, &b->graphs),
        .subgraph_count = b->graphs.count,
        .buffers = keep_list(b, &b->buffers),
        .buffer_count = b->buffers.count,
        .signatures = b->signatures.count ? keep_list(b, &b->signatures) : NULL,
        .signature_count = b->signatures.count,
    };
}

enum status builder_finish(struct builder *b, struct model *m, struct diag *diag)
{
    *m = (struct model){ 0 };
    if (b->status == STATUS_OK)
        assemble(b, m);
    if (b->status != STATUS_OK) {
        const enum status s =
            diag_fail(diag, b->status, "building a model: %s", status_text(b->status));

        *m = (struct model){ 0 };
        builder_close(b);
        return s;
    }
    m->arena = b->arena;
    b->arena = (struct arena){ 0 };
    builder_close(b);
    return STATUS_OK;
}
