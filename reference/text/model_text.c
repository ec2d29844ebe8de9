/* Reads a text as a model: statements to the builder, then what the builder does not set. */
#include "reference/text/model_text.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"
#include "reference/text/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- statements of a text ---- */

static const struct parse_producer none = { .type = -1 };

static enum status begin_graph(struct parse *p)
{
    struct parse_graph *const g = parse_append(p, &p->graphs);

    if (!g)
        return STATUS_NO_MEMORY;
    *g = (struct parse_graph){ .first_tensor = p->tensors.count, .first_op = p->ops.count };
    names_close(&p->names);
    return STATUS_OK;
}

/* Inputs that no statement lists are what operators read and none writes; outputs, what none
 * reads. */
static enum status end_graph(struct parse *p)
{
    for (int side = 0; side < 2; side++) {
        struct parse_list *const list = &p->listed[side];

        for (size_t i = 0; !p->is_listed[side] && i < parse_tensor_count(p); i++) {
            const struct parse_tensor *const k = parse_tensor_at(p, i);
            int *tensor;

            if (side == 0 ? k->written || !k->read || k->constant : !k->written || k->read)
                continue;
            if (!(tensor = parse_append(p, list)))
                return STATUS_NO_MEMORY;
            *tensor = (int)i;
        }
        (side ? builder_outputs : builder_inputs)(&p->b, list->count, list->items);
        list->count = 0;
        p->is_listed[side] = false;
    }
    return STATUS_OK;
}

static enum status next_graph(struct parse *p)
{
    TRY(end_graph(p));
    if (builder_subgraph(&p->b) < 0)
        return parse_no_memory(p);
    return begin_graph(p);
}

static enum status list_side(struct parse *p, int side)
{
    p->listed[side].count = 0;
    p->is_listed[side] = true;
    return parse_tensors(p, &none, &p->listed[side]);
}

static enum status declare_tensors(struct parse *p)
{
    struct parse_list list = { .items = NULL };
    const enum status s = parse_tensors(p, &none, &list);

    mem_free(list.items);
    return s;
}

/* "name=tensor ..." up to "->" or the end. */
static enum status read_map(struct parse *p, const struct model_tensor_map **map, size_t *count)
{
    struct parse_list list = { .size = sizeof(struct model_tensor_map) };
    enum status s = STATUS_OK;

    for (scan_blanks(&p->t); s == STATUS_OK && !scan_is_end(&p->t) && !scan_take(&p->t, "->");
         scan_blanks(&p->t)) {
        struct model_tensor_map *const row = parse_append(p, &list);
        const char *name;
        int tensor = -1;

        s = row ? scan_name(&p->t, "a name of the signature", &name) : STATUS_NO_MEMORY;
        if (s == STATUS_OK && !scan_take(&p->t, "="))
            s = scan_expected(&p->t, "= and a tensor");
        if (s == STATUS_OK)
            s = parse_tensor(p, &none, &tensor);
        if (s == STATUS_OK)
            *row = (struct model_tensor_map){ { name, strlen(name) }, (uint32_t)tensor };
    }
    *map = arena_copy(p->t.arena, list.items, list.count, sizeof **map);
    *count = list.count;
    mem_free(list.items);
    return s != STATUS_OK ? s : *map ? STATUS_OK : parse_no_memory(p);
}

static enum status read_signature(struct parse *p)
{
    struct model_signature *const row = parse_append(p, &p->signatures);
    const char *key;

    if (!row)
        return STATUS_NO_MEMORY;
    TRY(scan_name(&p->t, "the key of a signature", &key));
    row->key = (struct model_string){ key, strlen(key) };
    row->subgraph_index = (uint32_t)(p->graphs.count - 1);
    TRY(read_map(p, &row->inputs, &row->input_count));
    return read_map(p, &row->outputs, &row->output_count);
}

static enum status read_metadata(struct parse *p)
{
    struct model_metadata *const row = parse_append(p, &p->metadata);
    struct model_buffer *buffer;
    const uint8_t *bytes;
    const char *name;
    size_t count = SIZE_MAX;

    if (!row)
        return STATUS_NO_MEMORY;
    TRY(scan_name(&p->t, "a name of metadata", &name));
    row->name = (struct model_string){ name, strlen(name) };
    scan_blanks(&p->t);
    if (!scan_take(&p->t, "="))
        return scan_expected(&p->t, "= and its bytes");
    TRY(parse_raw(p, &bytes, &count, &row->buffer));
    if (row->buffer != 0)
        return STATUS_OK;
    if (!(buffer = parse_append(p, &p->extra_buffers)) ||
        !(buffer->data.data = arena_copy(p->t.arena, bytes, count, 1)))
        return parse_no_memory(p);
    buffer->data.count = count;
    /* Their place behind those of all constants is known at the end: a number over all of them. */
    row->buffer = UINT32_MAX - (uint32_t)p->extra_buffers.count;
    return STATUS_OK;
}

/* The file beside the text: a name without folders. */
static enum status read_data(struct parse *p)
{
    const char *const at = p->t.at;
    struct diag diag = { .status = STATUS_OK };
    char path[4096];
    const char *name;
    enum status s;

    TRY(scan_name(&p->t, "the name of a file", &name));
    if (!p->folder)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "a text that is no file has no file beside it, expected x: and bytes");
    if (p->data.bytes || strchr(name, '/') || name[0] == '.' ||
        snprintf(path, sizeof path, "%s/%s", p->folder, name) >= (int)sizeof path)
        return scan_fail(&p->t, at, STATUS_INVALID,
                         "expected one file beside the text, without folders, found '%.80s'", name);
    s = file_model_open(path, &p->data, &diag);
    return s == STATUS_OK ? s : scan_fail(&p->t, at, s, "%s", diag.text);
}

static enum status read_text(struct parse *p, const char **text)
{
    TRY(scan_name(&p->t, "a name, or bytes in quotes", text));
    return STATUS_OK;
}

static enum status read_statement(struct parse *p)
{
    const char *name;

    if (scan_take(&p->t, "graph"))
        return next_graph(p);
    if (scan_take(&p->t, "inputs"))
        return list_side(p, 0);
    if (scan_take(&p->t, "outputs"))
        return list_side(p, 1);
    if (scan_take(&p->t, "tensors"))
        return declare_tensors(p);
    scan_blanks(&p->t);
    if (scan_take(&p->t, "name")) {
        scan_blanks(&p->t);
        TRY(read_text(p, &name));
        return parse_set_late(p, LATE_NAME, 0, name, strlen(name));
    }
    if (scan_take(&p->t, "description")) {
        scan_blanks(&p->t);
        return read_text(p, &p->description);
    }
    if (scan_take(&p->t, "signature")) {
        scan_blanks(&p->t);
        return read_signature(p);
    }
    if (scan_take(&p->t, "metadata")) {
        scan_blanks(&p->t);
        return read_metadata(p);
    }
    if (scan_take(&p->t, "data")) {
        scan_blanks(&p->t);
        return read_data(p);
    }
    return parse_op(p);
}

/* All of them, up to the end of the text. */
static enum status statements_read(struct parse *p)
{
    bool any = false;

    TRY(begin_graph(p));
    for (;;) {
        scan_blanks(&p->t);
        if (!scan_is_end(&p->t)) {
            TRY(read_statement(p));
            scan_blanks(&p->t);
            any = true;
        }
        if (!scan_is_end(&p->t))
            return scan_expected(&p->t, "the end of the statement");
        if (*p->t.at == '\0')
            break;
        p->t.at++;
    }
    if (!any)
        return scan_expected(&p->t, "a statement");
    return end_graph(p);
}

/* Shapes that follow from the inputs of an operator, and what is wrong with the model. */

static const struct interpreter_options options = { .num_threads = -1,
                                                    .shapes_only = true,
                                                    .report = report_nothing };

/* The number behind a word of a message; -1: it has none. */
static long number_behind(const char *text, const char *word)
{
    const char *const at = strstr(text, word);
    long number;

    return at && sscanf(at + strlen(word), "%ld", &number) == 1 ? number : -1;
}

/* Where the part of a model stands in the text that a message of the verifier or the interpreter
 * names: "operator 3" or "node 3", else "tensor 3"; the beginning where it names none. */
static const char *place_of(const struct parse *p, size_t graph, const char *text)
{
    const struct parse_graph *const graphs = p->graphs.items;
    const struct parse_graph end = { p->tensors.count, p->ops.count, false };
    const long named = number_behind(text, "(subgraph ");
    const struct parse_graph *g, *next;
    long op, tensor;

    if (named >= 0 && (size_t)named < p->graphs.count)
        graph = (size_t)named;
    g = &graphs[graph];
    next = graph + 1 < p->graphs.count ? g + 1 : &end;
    if ((op = number_behind(text, "node ")) < 0)
        op = number_behind(text, "operator ");
    tensor = number_behind(text, "tensor ");
    if (op >= 0 && (size_t)op < next->first_op - g->first_op)
        return p->t.start + ((const size_t *)p->ops.items)[g->first_op + (size_t)op];
    if (tensor >= 0 && (size_t)tensor < next->first_tensor - g->first_tensor)
        return p->t.start +
               ((const struct parse_tensor *)p->tensors.items)[g->first_tensor + (size_t)tensor].at;
    return p->t.start;
}

static enum status fail_at_place(const struct parse *p, size_t graph, enum status s,
                                 const struct diag *why)
{
    return scan_fail(&p->t, place_of(p, graph, why->text), s, "%s", why->text);
}

static enum status take_shape(const struct parse *p, struct model *m, size_t graph, size_t tensor,
                              struct interpreter *in)
{
    const struct parse_graph *const place = (const struct parse_graph *)p->graphs.items + graph;
    const struct parse_tensor *const row =
        (const struct parse_tensor *)p->tensors.items + place->first_tensor + tensor;
    const struct model_subgraph *const g = &m->subgraphs[0]; /* it has taken that place */
    struct model_tensor *const t = (struct model_tensor *)g->tensors + tensor;
    const TfLiteTensor *const prepared = interpreter_tensor(in, (int)tensor);
    int32_t *dims;

    if (!interpreter_has_op(&m->opcodes[g->operators[row->op].opcode_index]))
        return scan_fail(&p->t, p->t.start + row->at, STATUS_UNSUPPORTED,
                         "expected a type and dims, as the shape that this op gives is not known");
    if (prepared->allocation_type == kTfLiteDynamic)
        return scan_fail(&p->t, p->t.start + row->at, STATUS_UNSUPPORTED,
                         "expected a type and dims, as the shape depends on values");
    dims = ARENA_NEW(&m->arena, (size_t)prepared->dims->size, int32_t);
    if (!dims)
        return diag_fail(p->t.diag, STATUS_NO_MEMORY, "out of memory");
    for (int i = 0; i < prepared->dims->size; i++)
        dims[i] = prepared->dims->data[i];
    t->shape = (struct model_ints){ dims, (size_t)prepared->dims->size };
    return STATUS_OK;
}

static enum status follow_graph(const struct parse *p, struct model *m, size_t graph)
{
    const struct parse_graph *const place = (const struct parse_graph *)p->graphs.items + graph;
    struct diag why = { .status = STATUS_OK };
    struct interpreter *in = NULL;
    enum status s = interpreter_open(&in, m, &options, &why);

    if (s == STATUS_OK)
        s = interpreter_allocate(in, &why);
    if (s != STATUS_OK)
        s = fail_at_place(p, graph, s, &why);
    for (size_t t = 0; s == STATUS_OK && t < m->subgraphs[0].tensor_count; t++)
        if (((const struct parse_tensor *)p->tensors.items)[place->first_tensor + t].follows)
            s = take_shape(p, m, graph, t, in);
    interpreter_close(in);
    return s;
}

/* The interpreter prepares subgraph 0: each takes its place in turn. */
static void swap_first(struct model *m, size_t graph)
{
    struct model_subgraph *const graphs = (struct model_subgraph *)m->subgraphs;
    const struct model_subgraph first = graphs[0];

    graphs[0] = graphs[graph];
    graphs[graph] = first;
}

/* The runtime is only given what the verifier passed. */
static enum status verify(const struct parse *p, const struct model *m)
{
    struct diag why = { .status = STATUS_OK };
    struct tflite_file file;
    enum status s;

    TRY(tflite_write(m, &file, p->t.diag));
    s = tflite_verify(file.bytes, file.count, &why);
    mem_free(file.bytes);
    return s == STATUS_OK ? s : fail_at_place(p, 0, s, &why);
}

/* Gives tensors the shapes that follow. */
static enum status follow_shapes(const struct parse *p, struct model *m)
{
    const struct parse_graph *const graphs = p->graphs.items;
    enum status s = STATUS_OK;
    bool verified = false;

    for (size_t g = p->graphs.count; g-- > 0 && s == STATUS_OK;) {
        if (!graphs[g].follows)
            continue;
        if (!verified)
            TRY(verify(p, m));
        verified = true;
        swap_first(m, g);
        s = follow_graph(p, m, g);
        swap_first(m, g);
    }
    return s;
}

/* Passes what the verifier passes and the interpreter prepares; ops that it does not know pass. */
static enum status follow_check(const struct parse *p, const struct model *m)
{
    struct diag why = { .status = STATUS_OK };
    struct interpreter *in = NULL;
    enum status s;

    TRY(verify(p, m));
    s = interpreter_open(&in, m, &options, &why);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, &why);
    interpreter_close(in);
    return s == STATUS_OK ? s : fail_at_place(p, 0, s, &why);
}

/* Rows of four elements, of which row i stores element i. */
static const struct model_dimension sparse_rows[] = {
    { .format = 0, .dense_size = 4 },
    { .format = 1,
      .segments_type = 1,
      .indices_type = 1,
      .segments = { .data = (const int32_t[]){ 0, 1, 2, 3, 4 }, .count = 5 },
      .indices = { .data = (const int32_t[]){ 0, 1, 2, 3 }, .count = 4 } },
};
static const struct model_sparsity sparsity = {
    .present = true,
    .traversal_order = { .data = (const int32_t[]){ 0, 1 }, .count = 2 },
    .block_map = { .data = (const int32_t[]){ 0 }, .count = 0 },
    .dimensions = sparse_rows,
    .dimension_count = 2,
};

static void set_late(const struct parse_late *l, struct model *m)
{
    struct model_subgraph *const g = (struct model_subgraph *)m->subgraphs + l->graph;
    struct model_tensor *const tensor = (struct model_tensor *)g->tensors + l->index;

    switch (l->kind) {
    case LATE_SIGNATURE: tensor->shape_signature = (struct model_ints){ l->data, l->count }; break;
    case LATE_SPARSE: tensor->sparsity = sparsity; break;
    case LATE_RANGE:
        tensor->quantization.present = true;
        tensor->quantization.min = (struct model_floats){ l->data, l->count };
        tensor->quantization.max =
            (struct model_floats){ (const float *)l->data + l->count, l->count };
        break;
    case LATE_BUFFER: tensor->buffer = (uint32_t)l->count; break;
    case LATE_LARGE_DATA: ((struct model_buffer *)m->buffers)[tensor->buffer].large = true; break;
    case LATE_LARGE_OPTIONS:
        ((struct model_operator *)g->operators)[l->index].custom_options_large = true;
        break;
    case LATE_NAME: g->name = (struct model_string){ l->data, l->count }; break;
    }
}

/* Appends the buffers of metadata. */
static bool set_metadata(const struct parse *p, struct model *m)
{
    const size_t extra = p->extra_buffers.count, count = m->buffer_count;
    struct model_metadata *const rows =
        arena_copy(&m->arena, p->metadata.items, p->metadata.count, sizeof *rows);
    struct model_buffer *const buffers = ARENA_NEW(&m->arena, count + extra, struct model_buffer);

    if (!rows || !buffers)
        return false;
    memcpy(buffers, m->buffers, count * sizeof *buffers);
    if (extra)
        memcpy(buffers + count, p->extra_buffers.items, extra * sizeof *buffers);
    for (size_t i = 0; i < p->metadata.count; i++)
        if (rows[i].buffer >= UINT32_MAX - extra)
            rows[i].buffer = (uint32_t)(count + (UINT32_MAX - rows[i].buffer) - 1);
    m->metadata = rows;
    m->metadata_count = p->metadata.count;
    m->buffers = buffers;
    m->buffer_count = count + extra;
    return true;
}

static enum status finish(struct parse *p, bool as_written, struct model *m)
{
    TRY(builder_finish(&p->b, m, p->t.diag));
    if (p->description)
        m->description = (struct model_string){ p->description, strlen(p->description) };
    if (p->signatures.count > 0 &&
        !(m->signatures = arena_copy(&m->arena, p->signatures.items, p->signatures.count,
                                     sizeof *m->signatures)))
        return parse_no_memory(p);
    m->signature_count = p->signatures.count;
    if (p->metadata.count > 0 && !set_metadata(p, m))
        return parse_no_memory(p);
    for (size_t i = 0; i < p->late.count; i++)
        set_late((const struct parse_late *)p->late.items + i, m);
    TRY(follow_shapes(p, m));
    return as_written ? STATUS_OK : follow_check(p, m);
}

enum status model_text_build(const struct model_text *source, struct model *m, struct diag *diag)
{
    struct parse p;
    enum status s;

    *m = (struct model){ .version = 0 };
    s = parse_open(&p, source->text, source->count, source->folder, diag);
    if (s == STATUS_OK)
        s = statements_read(&p);
    if (s == STATUS_OK)
        s = finish(&p, source->as_written, m);
    parse_close(&p);
    if (s != STATUS_OK)
        model_close(m);
    return s;
}

enum status model_text_read(const struct model_text *source, struct tflite_file *file,
                            struct diag *diag)
{
    struct model m;
    enum status s;

    *file = (struct tflite_file){ .bytes = NULL };
    TRY(model_text_build(source, &m, diag));
    s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}
