/* Reads a text as a model: statements to the builder, then what the builder does not set. */
#include "reference/text/model_text.h"

#include "reference/base/memory.h"
#include "reference/text/follow.h"
#include "reference/text/statements.h"

#include <string.h>

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
