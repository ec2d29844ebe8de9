/* Allocates buffers, and moves data in and out. */
#include "conformance/suite/subject/litert_io.h"

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/offset_memory.h"
#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <string.h>

/* XNNPACK reads, but does not write, up to 128 bytes past the end of an input. */
enum { GUARD_BYTES = 256 };

/* ---- making ---- */

static enum status measure(struct litert_io *io, struct diag *diag)
{
    const unsigned bits = runtime_type_bits((TfLiteType)io->type.element_type);
    size_t elements = 1;

    if (bits == 0)
        return diag_fail(diag, STATUS_UNSUPPORTED, "elements of type %d",
                         (int)io->type.element_type);
    for (unsigned d = 0; d < io->type.layout.rank; d++) {
        const int32_t dim = d < LITERT_RANK_MAX ? io->type.layout.dimensions[d] : -1;

        if (dim < 0)
            return diag_fail(diag, STATUS_UNSUPPORTED, "dimension %u of %u is not known", d,
                             (unsigned)io->type.layout.rank);
        if (!checked_mul(elements, (size_t)dim, &elements))
            return diag_fail(diag, STATUS_UNSUPPORTED, "more elements than fit into memory");
    }
    if (!checked_mul(elements, bits, &io->bytes))
        return diag_fail(diag, STATUS_UNSUPPORTED, "more elements than fit into memory");
    io->bytes = (io->bytes + 7) / 8;
    return STATUS_OK;
}

static bool lists_host_memory(const struct litert_api *api, struct litert_requirements *need)
{
    int count = 0, type = 0;

    api->get_num_buffer_types(need, &count);
    for (int i = 0; i < count; i++) {
        if (api->get_buffer_type(need, i, &type) == LITERT_OK && type == LITERT_BUFFER_HOST_MEMORY)
            return true;
    }
    return false;
}

/* LiteRT 2.3.0 takes no buffer of a type without elements, so it is told of one of 8 bytes, which
 * nothing may write to. */
static struct litert_tensor_type type_of_buffer(struct litert_io *io)
{
    struct litert_tensor_type type = io->type;

    if (io->bytes == 0)
        type.layout = (struct litert_layout){ .rank = 1, .dimensions = { 1 } };
    return type;
}

/* Where the guard words behind the elements begin: padding up to the room may be written to. */
static size_t guarded_from(const struct litert_io *io)
{
    return io->bytes > 0 ? io->room : 0;
}

void litert_io_set_guards(struct litert_io *io, uint8_t byte)
{
    if (!io->memory)
        return;
    io->guard = byte;
    memset(io->data - GUARD_BYTES, byte, GUARD_BYTES);
    memset(io->data + guarded_from(io), byte, io->room - guarded_from(io) + GUARD_BYTES);
}

static enum status make_host_buffer(const struct litert *l, struct litert_io *io,
                                    struct litert_requirements *need, struct diag *diag)
{
    const struct litert_tensor_type type = type_of_buffer(io);
    size_t alignment = LITERT_HOST_ALIGNMENT, bytes;
    int answer;

    if (l->api.get_alignment(need, &alignment) != LITERT_OK || alignment < LITERT_HOST_ALIGNMENT)
        alignment = LITERT_HOST_ALIGNMENT;
    if (checked_add(io->room, (size_t)2 * GUARD_BYTES, &bytes) &&
        checked_add(bytes, 2 * alignment, &bytes))
        io->memory = mem_alloc(bytes, 1);
    if (!io->memory)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes: out of memory", io->room);
    io->data = (uint8_t *)io->memory + GUARD_BYTES;
    io->data += (alignment - (uintptr_t)io->data % alignment) % alignment;
    io->data += offset_of_type((TfLiteType)io->type.element_type, io->offset_bytes);
    litert_io_set_guards(io, ENGINE_GUARD_NAN);
    answer = l->api.create_host_buffer(&type, io->data, io->room, NULL, &io->buffer);
    if (answer != LITERT_OK) {
        io->buffer = NULL;
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateTensorBufferFromHostMemory", answer);
    }
    return STATUS_OK;
}

enum status litert_io_open(const struct litert *l, struct litert_io *io,
                           struct litert_requirements *need, struct diag *diag)
{
    const enum litert_buffers kind = l->config.buffers;
    int answer;

    TRY(measure(io, diag));
    answer = l->api.get_buffer_size(need, &io->room);
    if (answer != LITERT_OK)
        return litert_fail(diag, STATUS_DEVICE, "LiteRtGetTensorBufferRequirementsBufferSize",
                           answer);
    if (io->room < io->bytes)
        io->room = io->bytes;
    if (io->bytes == 0) {
        io->room = sizeof(int64_t);
        return make_host_buffer(l, io, need, diag);
    }
    if (kind == LITERT_BUFFERS_HOST ||
        (kind == LITERT_BUFFERS_AUTO && lists_host_memory(&l->api, need)))
        return make_host_buffer(l, io, need, diag);
    answer = l->api.create_managed_buffer(l->environment, &io->type, need, &io->buffer);
    if (answer != LITERT_OK) {
        io->buffer = NULL;
        return litert_fail(diag, STATUS_DEVICE, "LiteRtCreateManagedTensorBufferFromRequirements",
                           answer);
    }
    return STATUS_OK;
}

void litert_io_close(const struct litert *l, struct litert_io *io)
{
    if (io->buffer)
        l->api.destroy_buffer(io->buffer);
    mem_free(io->memory);
    *io = (struct litert_io){ .buffer = NULL };
}

/* ---- moving data ---- */

static enum status lock(const struct litert *l, struct litert_io *io, int mode, uint8_t **data,
                        struct diag *diag)
{
    void *memory = NULL;
    int answer;

    *data = io->data;
    if (io->memory)
        return STATUS_OK;
    answer = l->api.lock_buffer(io->buffer, &memory, mode);
    if (answer != LITERT_OK || (!memory && io->bytes > 0))
        return litert_fail(diag, STATUS_DEVICE, "LiteRtLockTensorBuffer", answer);
    *data = memory;
    return STATUS_OK;
}

static enum status unlock(const struct litert *l, struct litert_io *io, struct diag *diag)
{
    const int answer = io->memory ? LITERT_OK : l->api.unlock_buffer(io->buffer);

    return answer == LITERT_OK
               ? STATUS_OK
               : litert_fail(diag, STATUS_DEVICE, "LiteRtUnlockTensorBuffer", answer);
}

enum status litert_io_write(const struct litert *l, struct litert_io *io, const void *from,
                            struct diag *diag)
{
    uint8_t *data;

    TRY(lock(l, io, LITERT_LOCK_WRITE, &data, diag));
    if (io->bytes > 0)
        memcpy(data, from, io->bytes);
    return unlock(l, io, diag);
}

enum status litert_io_read(const struct litert *l, struct litert_io *io, void *to,
                           struct diag *diag)
{
    uint8_t *data;

    TRY(lock(l, io, LITERT_LOCK_READ, &data, diag));
    if (io->bytes > 0)
        memcpy(to, data, io->bytes);
    return unlock(l, io, diag);
}

enum status litert_io_fetch(const struct litert *l, struct litert_io *io, struct diag *diag)
{
    uint8_t *data;

    TRY(lock(l, io, LITERT_LOCK_READ, &data, diag));
    return unlock(l, io, diag);
}

enum status litert_io_fill(const struct litert *l, struct litert_io *io, uint32_t word,
                           struct diag *diag)
{
    uint8_t *data;

    TRY(lock(l, io, LITERT_LOCK_WRITE, &data, diag));
    for (size_t at = 0; at < io->bytes; at += sizeof word)
        memcpy(data + at, &word, io->bytes - at < sizeof word ? io->bytes - at : sizeof word);
    return unlock(l, io, diag);
}

enum status litert_io_check(const struct litert_io *io, const char *what, size_t index,
                            struct diag *diag)
{
    if (!io->memory)
        return STATUS_OK;
    for (size_t at = 1; at <= GUARD_BYTES; at++) {
        if (io->data[-(ptrdiff_t)at] != io->guard)
            return diag_fail(diag, STATUS_MISMATCH,
                             "%s %zu: byte %zu in front of its first was written", what, index, at);
    }
    for (size_t at = 0; at < GUARD_BYTES; at++) {
        if (io->data[guarded_from(io) + at] != io->guard)
            return diag_fail(diag, STATUS_MISMATCH,
                             "%s %zu: byte %zu behind its last was written, it has %zu", what,
                             index, at + 1, guarded_from(io));
    }
    return STATUS_OK;
}
