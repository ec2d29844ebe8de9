#include "fuzz/kit/mutate.h"

#include "fuzz/kit/random.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/kernels/op.h"

#include <string.h>

/* Of the fuzzer; NULL without one. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

enum { ITEMS_MAX = 64, NUMBERS_MAX = 16, EDITS_MAX = 4 }; /* so that a model stays small */

struct edit {
    struct model *m;
    struct fuzz_random random;
    struct model_subgraph *graph;
};

static size_t below(struct edit *e, size_t n)
{
    return fuzz_below(&e->random, n);
}

static bool chance(struct edit *e, size_t one_in)
{
    return below(e, one_in) == 0;
}

static int32_t number(struct edit *e)
{
    static const int32_t odd[] = { -1,      -2,        -128,          127,       255,
                                   256,     1000,      1 << 15,       65535,     65536,
                                   1 << 24, INT32_MAX, INT32_MAX - 1, INT32_MIN, 1001 };

    return chance(e, 5) ? odd[below(e, sizeof odd / sizeof odd[0])] : (int32_t)below(e, 9);
}

/* ---- lists: copied before they change, for the reader's are const ---- */

/* A copy with room for one item more; NULL: no memory, or too many. */
static void *copy_items(struct edit *e, const void *items, size_t count, size_t size)
{
    unsigned char *const copy =
        count < ITEMS_MAX ? arena_alloc(&e->m->arena, count + 1, size) : NULL;

    if (copy && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

/* Changes, adds, removes or exchanges numbers. */
static void edit_ints(struct edit *e, struct model_ints *v, size_t values)
{
    int32_t *const data = copy_items(e, v->data, v->count, sizeof *data);
    const size_t at = below(e, v->count), other = below(e, v->count);
    const int32_t value = values && !chance(e, 16) ? (int32_t)below(e, values) : number(e);

    if (!data)
        return;
    switch (below(e, 5)) {
    case 0:
        if (v->count < NUMBERS_MAX)
            data[v->count++] = value;
        break;
    case 1: v->count -= v->count > 0; break;
    case 2:
        if (v->count > 0) {
            data[v->count] = data[at]; /* the place behind the last is free */
            data[at] = data[other];
            data[other] = data[v->count];
        }
        break;
    default:
        if (v->count > 0)
            data[at] = value;
        break;
    }
    v->data = data;
}

/* Removes an item, doubles it, or exchanges it with another one. */
static void edit_list(struct edit *e, const void **items, size_t *count, size_t size)
{
    unsigned char *const data = copy_items(e, *items, *count, size);
    const size_t at = below(e, *count), other = below(e, *count);

    if (!data || *count == 0)
        return;
    switch (below(e, 3)) {
    case 0:
        (*count)--;
        memmove(data + at * size, data + (at + 1) * size, (*count - at) * size);
        break;
    case 1:
        memcpy(data + *count * size, data + at * size, size);
        (*count)++;
        break;
    default:
        memcpy(data + *count * size, data + at * size, size);
        memcpy(data + at * size, data + other * size, size);
        memcpy(data + other * size, data + *count * size, size);
        break;
    }
    *items = data;
}

#define EDIT_LIST(e, items, count)                                                                 \
    do {                                                                                           \
        const void *list = (items);                                                                \
        edit_list((e), &list, &(count), sizeof *(items));                                          \
        (items) = list;                                                                            \
    } while (0)

/* ---- tensors ---- */

static struct model_tensor *a_tensor(struct edit *e)
{
    struct model_subgraph *const g = e->graph;

    return g->tensor_count ? (struct model_tensor *)&g->tensors[below(e, g->tensor_count)] : NULL;
}

static void edit_quantization(struct edit *e, struct model_tensor *t)
{
    static const float scales[] = { 1, 0.5f, 1.0f / 128, 0.1f, 1e-30f, 1e30f, 0, -1 };
    static const int64_t zeros[] = { 0, 1, -128, 127, 128, 255, -129, 7 };
    struct model_quantization *const q = &t->quantization;
    const size_t axis = t->shape.count ? below(e, t->shape.count) : 0;
    size_t count = 1;
    float *scale;
    int64_t *zero;

    if (chance(e, 4)) {
        q->present = !q->present;
        return;
    }
    if (q->details_type != DETAILS_NONE && !chance(e, 4)) {
        int32_t *const details[] = { &q->block_scales, &q->block_zero_points, &q->block_size };

        *details[below(e, 3)] =
            chance(e, 2) ? (int32_t)below(e, e->graph->tensor_count) : number(e);
        return;
    }
    if (chance(e, 4))
        q->quantized_dimension = number(e);
    if (chance(e, 2) && t->shape.count && t->shape.data[axis] > 0 &&
        t->shape.data[axis] <= NUMBERS_MAX) {
        count = (size_t)t->shape.data[axis];
        q->quantized_dimension = (int32_t)axis;
    }
    scale = ARENA_NEW(&e->m->arena, count + 1, float);
    zero = ARENA_NEW(&e->m->arena, count + 1, int64_t);
    if (!scale || !zero)
        return;
    for (size_t i = 0; i < count; i++) {
        scale[i] = scales[below(e, chance(e, 4) ? 8 : 4)];
        zero[i] = count == 1 ? zeros[below(e, 8)] : 0;
    }
    *q = (struct model_quantization){ .present = true,
                                      .scale = { scale, count },
                                      .zero_point = { zero, count - chance(e, 16) },
                                      .quantized_dimension = q->quantized_dimension };
}

static void edit_tensor(struct edit *e)
{
    static const int32_t types[] = { TENSOR_FLOAT32, TENSOR_INT8,    TENSOR_UINT8, TENSOR_INT32,
                                     TENSOR_INT16,   TENSOR_FLOAT16, TENSOR_INT64, TENSOR_BOOL };
    struct model_tensor *const t = a_tensor(e), *const other = a_tensor(e);

    if (!t)
        return;
    switch (below(e, 12)) {
    case 0:
    case 1:
    case 2:
        edit_ints(e, &t->shape, 9);
        if (!chance(e, 4))
            t->buffer = 0; /* data of another size are refused at once */
        break;
    case 3: t->shape = other->shape; break;
    case 4: t->type = chance(e, 8) ? number(e) & 31 : types[below(e, 8)]; break;
    case 5: t->type = other->type; break;
    case 6:
    case 7: edit_quantization(e, t); break;
    case 8: t->quantization = other->quantization; break;
    case 9: t->buffer = (uint32_t)below(e, e->m->buffer_count + chance(e, 8)); break;
    case 10: t->is_variable = !t->is_variable; break;
    default: edit_ints(e, &t->shape_signature, 4); break;
    }
}

/* ---- operators ---- */

static void edit_bytes(struct edit *e, struct model_bytes *b)
{
    const size_t count = b->count;
    uint8_t *const bytes = count < 4096 ? arena_alloc(&e->m->arena, count + 1, 1) : NULL;

    if (!bytes)
        return;
    if (count > 0)
        memcpy(bytes, b->data, count);
    bytes[below(e, count)] = (uint8_t)number(e);
    *b = (struct model_bytes){ bytes, chance(e, 4) ? below(e, count + 1) : count + chance(e, 8) };
}

static void edit_options(struct edit *e, struct options *o)
{
    const struct option_table *const table = option_table_find(o->tag);
    const struct option_field *field;
    struct model_bytes bytes;
    struct model_ints ints;

    if (!table || !table->listed || !table->field_count || chance(e, 16)) {
        options_init(o, (uint8_t)below(e, chance(e, 2) ? 1 : OPTIONS_TAG_COUNT));
        return;
    }
    field = &table->fields[below(e, table->field_count)];
    switch (field->kind) {
    case OPTION_F32: options_set_float(o, field->name, (float)number(e) / 4); break;
    case OPTION_BOOL: options_set_int(o, field->name, (int32_t)below(e, 2)); break;
    case OPTION_I8:
    case OPTION_TYPE: options_set_int(o, field->name, (int32_t)below(e, 12)); break;
    case OPTION_I32: options_set_int(o, field->name, number(e)); break;
    case OPTION_INTS:
        ints.data = options_ints(o, field->name, &ints.count);
        edit_ints(e, &ints, 9);
        options_set_ints(o, field->name, ints.data, ints.count);
        break;
    case OPTION_BYTES:
        bytes.data = options_bytes(o, field->name, &bytes.count);
        edit_bytes(e, &bytes);
        options_set_bytes(o, field->name, bytes.data, bytes.count);
        break;
    default: break;
    }
}

/* Another op, with its standard options; the list of operator codes grows. */
static void change_op(struct edit *e, struct model_operator *n)
{
    struct model_opcode *const codes =
        copy_items(e, e->m->opcodes, e->m->opcode_count, sizeof *codes);
    const struct ref_op *op;
    size_t ops = 0;

    while (ref_at(ops))
        ops++;
    op = ref_at(below(e, ops));
    if (!codes || builtin_is_custom_row(op->code))
        return;
    codes[e->m->opcode_count] =
        (struct model_opcode){ .code = op->code,
                               .deprecated_code = op->code > 127 ? 127 : op->code,
                               .builtin_code = op->code,
                               .version = 1 + (int32_t)below(e, (size_t)op->max_version) };
    n->opcode_index = (uint32_t)e->m->opcode_count++;
    e->m->opcodes = codes;
    if (!chance(e, 8))
        options_init(&n->options, op->options_tag);
}

static void edit_operator(struct edit *e)
{
    struct model_subgraph *const g = e->graph;
    struct model_operator *n;

    if (!g->operator_count)
        return;
    n = (struct model_operator *)&g->operators[below(e, g->operator_count)];
    switch (below(e, 10)) {
    case 0:
    case 1: edit_ints(e, &n->inputs, g->tensor_count); break;
    case 2: edit_ints(e, &n->outputs, g->tensor_count); break;
    case 3:
    case 4:
    case 5: edit_options(e, &n->options); break;
    case 6: change_op(e, n); break;
    case 7: edit_bytes(e, &n->custom_options); break;
    case 8: edit_ints(e, &n->intermediates, g->tensor_count); break;
    default: n->opcode_index = (uint32_t)below(e, e->m->opcode_count + chance(e, 8)); break;
    }
}

/* An operator that computes a new tensor of the shape of one that is there. */
static void add_operator(struct edit *e)
{
    struct model_subgraph *const g = e->graph;
    struct model_tensor *const tensors =
        copy_items(e, g->tensors, g->tensor_count, sizeof *tensors);
    struct model_operator *const nodes =
        copy_items(e, g->operators, g->operator_count, sizeof *nodes);
    int32_t *const ends = ARENA_NEW(&e->m->arena, 3, int32_t);

    if (!tensors || !nodes || !ends || !g->tensor_count || !g->operator_count)
        return;
    ends[0] = (int32_t)below(e, g->tensor_count);
    ends[1] = (int32_t)below(e, g->tensor_count);
    ends[2] = (int32_t)g->tensor_count;
    tensors[g->tensor_count] = tensors[ends[0]];
    tensors[g->tensor_count].buffer = 0;
    tensors[g->tensor_count++].is_variable = false;
    nodes[g->operator_count] =
        (struct model_operator){ .inputs = { ends, 1 + below(e, 2) },
                                 .outputs = { ends + 2, 1 },
                                 .debug_metadata_index = nodes[0].debug_metadata_index };
    change_op(e, &nodes[g->operator_count++]);
    g->tensors = tensors;
    g->operators = nodes;
    if (chance(e, 2))
        g->outputs = (struct model_ints){ ends + 2, 1 };
}

/* ---- the rest ---- */

static void edit_buffer(struct edit *e)
{
    struct model_buffer *const b =
        (struct model_buffer *)&e->m->buffers[below(e, e->m->buffer_count)];
    uint8_t *const bytes = (uint8_t *)b->data.data; /* the mutator's own */
    const int32_t value = number(e);
    const float f = (float)value / 2;
    const size_t count = b->data.count;

    if (count >= 4 && chance(e, 2))
        memcpy(bytes + 4 * below(e, count / 4), chance(e, 2) ? (const void *)&value : &f, 4);
    else if (count > 0 && !chance(e, 16))
        bytes[below(e, count)] = (uint8_t)value;
    else if (count > 0)
        b->data.count = below(e, count);
}

static void edit_graph(struct edit *e)
{
    struct model_subgraph *const g = e->graph;

    switch (below(e, 5)) {
    case 0: edit_ints(e, &g->inputs, g->tensor_count); break;
    case 1: edit_ints(e, &g->outputs, g->tensor_count); break;
    case 2: EDIT_LIST(e, g->tensors, g->tensor_count); break;
    default: EDIT_LIST(e, g->operators, g->operator_count); break;
    }
}

static void edit_model(struct edit *e)
{
    struct model *const m = e->m;
    struct model_opcode *code;

    switch (below(e, 6)) {
    case 0: EDIT_LIST(e, m->subgraphs, m->subgraph_count); break;
    case 1: EDIT_LIST(e, m->buffers, m->buffer_count); break;
    case 2: EDIT_LIST(e, m->signatures, m->signature_count); break;
    case 3: EDIT_LIST(e, m->metadata, m->metadata_count); break;
    default:
        if (!m->opcode_count)
            break;
        code = (struct model_opcode *)&m->opcodes[below(e, m->opcode_count)];
        code->version = chance(e, 8) ? number(e) : 1 + (int32_t)below(e, 8);
        break;
    }
}

void fuzz_edit_model(struct model *m, uint64_t seed)
{
    struct edit e = { .m = m, .random = { seed } };

    if (m->subgraph_count == 0)
        return;
    e.graph = (struct model_subgraph *)&m->subgraphs[below(&e, m->subgraph_count)];
    switch (below(&e, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: edit_tensor(&e); break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: edit_operator(&e); break;
    case 10: add_operator(&e); break;
    case 11:
    case 12:
        if (m->buffer_count)
            edit_buffer(&e);
        break;
    case 13:
    case 14: edit_graph(&e); break;
    default: edit_model(&e); break;
    }
}

/* Returns the new size, or 0 where the bytes are no model, or it became too large. */
static size_t mutate_tree(uint8_t *data, size_t size, size_t room, struct fuzz_random *random)
{
    uint8_t *const copy = mem_alloc(size, 1);
    struct tflite_file file = { 0 };
    struct model m = { 0 };
    size_t count = 0;

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (tflite_read_accepting(&m, copy, size, ACCEPT_LEGAL, NULL) == STATUS_OK) {
        const size_t edits = 1 + fuzz_below(random, EDITS_MAX);

        for (size_t i = 0; i < edits; i++)
            fuzz_edit_model(&m, fuzz_next(random));
        if (tflite_write(&m, &file, NULL) == STATUS_OK && file.count <= room) {
            memcpy(data, file.bytes, file.count);
            count = file.count;
        }
        mem_free(file.bytes);
    }
    model_close(&m);
    mem_free(copy);
    return count;
}

size_t fuzz_mutate_model(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct fuzz_random random = { seed };
    const size_t count =
        size > 0 && fuzz_below(&random, 4) > 0 ? mutate_tree(data, size, room, &random) : 0;

    if (count > 0)
        return count;
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, room) : size;
}
