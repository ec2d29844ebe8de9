/* Allocates more than is needed, and begins where no vector would. */
#include "conformance/suite/subject/offset_memory.h"

#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <string.h>

enum { ALIGN = 64, GUARD_BYTES = 64, GUARD_BYTE = 0xff };

static size_t element_size(TfLiteType type)
{
    const size_t bytes = runtime_type_bits(type) / 8;

    return bytes ? bytes : 1;
}

size_t offset_of_type(TfLiteType type, size_t offset_bytes)
{
    return offset_bytes / element_size(type) * element_size(type);
}

static uint8_t *aligned(void *block)
{
    return (uint8_t *)block + (ALIGN - (uintptr_t)block % ALIGN) % ALIGN;
}

/* ---- tensors ---- */

enum status offset_memory_open(struct offset_memory *m, int tensor, size_t bytes, size_t offset,
                               struct diag *diag)
{
    size_t all;

    *m = (struct offset_memory){ .tensor = tensor, .bytes = bytes };
    if (checked_add(bytes, 2 * GUARD_BYTES + 2 * ALIGN, &all))
        m->block = mem_alloc(all, 1);
    if (!m->block)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes: out of memory", bytes);
    m->data = aligned(m->block) + GUARD_BYTES + offset;
    memset(m->data - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
    memset(m->data + bytes, GUARD_BYTE, GUARD_BYTES);
    return STATUS_OK;
}

void offset_memory_close(struct offset_memory *m)
{
    mem_free(m->block);
    *m = (struct offset_memory){ .block = NULL };
}

enum status offset_memory_check(const struct offset_memory *m, struct diag *diag)
{
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        const bool behind = m->data[m->bytes + i] != GUARD_BYTE;

        if (behind || *(m->data - 1 - i) != GUARD_BYTE)
            return diag_fail(diag, STATUS_MISMATCH,
                             "tensor %d: a byte %s its %zu bytes was overwritten", m->tensor,
                             behind ? "behind" : "in front of", m->bytes);
    }
    return STATUS_OK;
}

/* ---- constants ---- */

enum status offset_file_open(void **block, const uint8_t **bytes, const struct tflite_file *file,
                             size_t offset_bytes, struct diag *diag)
{
    const size_t offset = offset_of_type(kTfLiteInt64, offset_bytes);
    size_t all;

    *block = checked_add(file->count, 2 * ALIGN, &all) ? mem_alloc(all, 1) : NULL;
    if (!*block)
        return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
    memcpy(aligned(*block) + offset, file->bytes, file->count);
    *bytes = aligned(*block) + offset;
    return STATUS_OK;
}

/* The largest of the elements that tensors have in the buffer, so that it is aligned for each of
 * them. 0: no tensor has its data there. */
static size_t element_of_buffer(const struct model *m, size_t buffer)
{
    size_t most = 0;

    for (size_t g = 0; g < m->subgraph_count; g++) {
        for (size_t i = 0; i < m->subgraphs[g].tensor_count; i++) {
            const struct model_tensor *const t = &m->subgraphs[g].tensors[i];
            const size_t size = element_size(tensor_type_runtime(t->type));

            if (t->buffer == buffer && size > most)
                most = size;
        }
    }
    return most;
}

static enum status copy_buffers(struct offset_model *o, const struct model *source,
                                size_t offset_bytes, struct diag *diag)
{
    size_t all = ALIGN, at = 0;

    for (size_t i = 0; i < source->buffer_count; i++) {
        if (!checked_add(all, 2 * ALIGN, &all) ||
            !checked_add(all, source->buffers[i].data.count, &all))
            return diag_fail(diag, STATUS_NO_MEMORY, "constants: more than can be counted");
    }
    o->block = mem_alloc(all, 1);
    if (!o->block)
        return diag_fail(diag, STATUS_NO_MEMORY, "constants: no memory for %zu bytes", all);
    for (size_t i = 0; i < source->buffer_count; i++) {
        const struct model_bytes *const from = &source->buffers[i].data;
        const size_t element = element_of_buffer(source, i);
        size_t offset;

        if (from->count == 0 || element == 0)
            continue;
        offset = offset_bytes / element * element;
        memcpy(aligned(o->block) + at + offset, from->data, from->count);
        o->buffers[i].data.data = aligned(o->block) + at + offset;
        at += (offset + from->count + ALIGN - 1) / ALIGN * ALIGN;
    }
    return STATUS_OK;
}

enum status offset_model_open(struct offset_model *o, const struct model *source,
                              size_t offset_bytes, struct diag *diag)
{
    enum status s;

    *o = (struct offset_model){ .model = *source };
    o->buffers = mem_alloc(source->buffer_count + 1, sizeof *o->buffers);
    if (!o->buffers)
        return diag_fail(diag, STATUS_NO_MEMORY, "constants: out of memory");
    memcpy(o->buffers, source->buffers, source->buffer_count * sizeof *o->buffers);
    o->model.buffers = o->buffers;
    s = copy_buffers(o, source, offset_bytes, diag);
    if (s != STATUS_OK)
        offset_model_close(o);
    return s;
}

void offset_model_close(struct offset_model *o)
{
    mem_free(o->buffers);
    mem_free(o->block);
    *o = (struct offset_model){ .buffers = NULL };
}
