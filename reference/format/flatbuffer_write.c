/* The bytes of a flatbuffer.  Layout of a table: its offset to the vtable, then the fields by size,
 * largest first, so that none needs padding; equal vtables are written once. */
#include "reference/format/flatbuffer_write.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 4096, BEHIND_ALIGN = 16, VTABLE_ENTRIES_AT = 4 };

static const size_t flatbuffer_limit = 0x7fffffff;

void fbw_fail(struct fb_writer *w, enum status s, const char *format, ...)
{
    char text[256];
    va_list args;

    if (w->status != STATUS_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->status = diag_fail(w->diag, s, "writing a model: %s", text);
}

/* Room for bytes more, zeroed; NULL after a failure. */
static uint8_t *extend(struct fb_writer *w, size_t bytes)
{
    size_t wanted, room;
    uint8_t *p;

    if (w->status != STATUS_OK)
        return NULL;
    if (!checked_add(w->count, bytes, &wanted) || wanted > w->limit) {
        fbw_fail(w, STATUS_UNSUPPORTED,
                 "%zu bytes and %zu more do not fit into a flatbuffer of at most %zu: mark large "
                 "buffers as such",
                 w->count, bytes, w->limit);
        return NULL;
    }
    if (wanted > w->room) {
        room = w->room > SIZE_MAX / 4 || 2 * w->room < wanted ? wanted : 2 * w->room;
        if (!(p = mem_resize(w->bytes, room, 1))) {
            fbw_fail(w, STATUS_NO_MEMORY, "out of memory");
            return NULL;
        }
        w->bytes = p;
        w->room = room;
    }
    p = memset(w->bytes + w->count, 0, bytes);
    w->count = wanted;
    return p;
}

static void put(struct fb_writer *w, const void *data, size_t bytes)
{
    uint8_t *p = extend(w, bytes);

    if (p && bytes)
        memcpy(p, data, bytes);
}

/* Pads until what comes `ahead` bytes later is aligned. */
static void align(struct fb_writer *w, size_t to, size_t ahead)
{
    extend(w, (to - (w->count + ahead) % to) % to);
}

static void store(struct fb_writer *w, size_t at, uint64_t value, size_t bytes)
{
    if (w->status == STATUS_OK)
        for (size_t i = 0; i < bytes; i++)
            w->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* The offset at `at` leads to what is written next. */
static void link_here(struct fb_writer *w, size_t at)
{
    store(w, at, w->count - at, 4);
}

void fbw_open(struct fb_writer *w, struct diag *diag)
{
    *w = (struct fb_writer){ .limit = flatbuffer_limit, .status = STATUS_OK, .diag = diag };
    if ((w->bytes = mem_alloc(FIRST_ROOM, 1)))
        w->room = FIRST_ROOM;
    put(w, "\0\0\0\0TFL3", 8);
}

void fbw_close(struct fb_writer *w)
{
    mem_free(w->bytes);
    mem_free(w->vtables);
    *w = (struct fb_writer){ 0 };
}

void fbw_field(struct fb_draft *d, unsigned slot, size_t bytes, uint64_t value)
{
    d->fields[slot] =
        (struct fb_draft_field){ .present = true, .bytes = (uint8_t)bytes, .value = value };
}

void fbw_int(struct fb_writer *w, struct fb_draft *d, unsigned slot, int64_t value)
{
    const struct schema_table_row *row = schema_row(d->schema);
    const struct schema_field *field = &row->fields[slot];
    int64_t least = INT32_MIN, most = INT32_MAX;

    switch (field->kind) {
    case FB_U8:
        least = 0;
        most = UINT8_MAX;
        break;
    case FB_I8:
        least = INT8_MIN;
        most = INT8_MAX;
        break;
    case FB_U32:
        least = 0;
        most = UINT32_MAX;
        break;
    default: break;
    }
    if (value < least || value > most)
        fbw_fail(w, STATUS_INVALID, "%s.%s: %lld, not in %lld..%lld", row->name, field->name,
                 (long long)value, (long long)least, (long long)most);
    if (value != field->fallback)
        fbw_field(d, slot, fb_inline_bytes(field->kind), (uint64_t)value);
}

void fbw_u64(struct fb_draft *d, unsigned slot, uint64_t value)
{
    if (value != 0)
        fbw_field(d, slot, 8, value);
}

void fbw_offset(struct fb_draft *d, unsigned slot, bool present)
{
    if (present)
        fbw_field(d, slot, 4, 0);
}

/* The position of an equal vtable, else of this one, which is appended. */
static size_t place_vtable(struct fb_writer *w, const uint8_t *vtable, size_t bytes)
{
    size_t at;

    for (size_t i = 0; w->status == STATUS_OK && i < w->vtable_count; i++)
        if (w->bytes[w->vtables[i]] == vtable[0] && /* its size, below 256 */
            memcmp(w->bytes + w->vtables[i], vtable, bytes) == 0)
            return w->vtables[i];
    if (w->vtable_count == w->vtable_room) {
        const size_t room = w->vtable_room ? 2 * w->vtable_room : 32;
        size_t *vtables = mem_resize(w->vtables, room, sizeof *vtables);

        if (!vtables) {
            fbw_fail(w, STATUS_NO_MEMORY, "out of memory");
            return 0;
        }
        w->vtables = vtables;
        w->vtable_room = room;
    }
    align(w, 2, 0);
    at = w->count;
    put(w, vtable, bytes);
    w->vtables[w->vtable_count++] = at;
    return at;
}

void fbw_table(struct fb_writer *w, size_t link, struct fb_draft *d)
{
    uint8_t vtable[VTABLE_ENTRIES_AT + 2 * SCHEMA_SLOTS_MAX] = { 0 };
    size_t entries = 0, table_bytes = 4, vtable_bytes, vtable_at;
    bool wide = false;

    for (size_t bytes = 8; bytes != 0; bytes /= 2)
        for (size_t slot = 0; slot < SCHEMA_SLOTS_MAX; slot++) {
            const struct fb_draft_field *f = &d->fields[slot];

            if (!f->present || f->bytes != bytes)
                continue;
            vtable[VTABLE_ENTRIES_AT + 2 * slot] = (uint8_t)table_bytes; /* at most 4 + 14 * 8 */
            table_bytes += bytes;
            wide = wide || bytes == 8;
            entries = slot + 1 > entries ? slot + 1 : entries;
        }
    vtable_bytes = VTABLE_ENTRIES_AT + 2 * entries;
    vtable[0] = (uint8_t)vtable_bytes;
    vtable[2] = (uint8_t)table_bytes;

    vtable_at = place_vtable(w, vtable, vtable_bytes);
    align(w, wide ? 8 : 4,
          wide ? 4 : 0); /* fields of 8 bytes come first, behind the 4 of the vtable's offset */
    link_here(w, link);
    for (size_t slot = 0; slot < SCHEMA_SLOTS_MAX; slot++) {
        const size_t entry = vtable[VTABLE_ENTRIES_AT + 2 * slot];

        d->at[slot] = entry && w->status == STATUS_OK ? w->count + entry : 0;
    }
    if (!extend(w, table_bytes))
        return;
    store(w, w->count - table_bytes, w->count - table_bytes - vtable_at, 4);
    for (size_t slot = 0; slot < SCHEMA_SLOTS_MAX; slot++)
        if (d->at[slot])
            store(w, d->at[slot], d->fields[slot].value, d->fields[slot].bytes);
}

void fbw_vector(struct fb_writer *w, size_t link, const void *data, size_t count, size_t size,
                size_t to)
{
    size_t bytes;

    if (!link)
        return;
    if (!checked_mul(count, size, &bytes))
        bytes = SIZE_MAX; /* extend refuses it, as it refuses any count beyond 32 bits */
    align(w, to > 4 ? to : 4, 4);
    link_here(w, link);
    put(w,
        (const uint8_t[4]){ (uint8_t)count, (uint8_t)(count >> 8), (uint8_t)(count >> 16),
                            (uint8_t)(count >> 24) },
        4);
    put(w, data, bytes);
}

void fbw_string(struct fb_writer *w, size_t link, const char *text, size_t count)
{
    fbw_vector(w, link, text, count, 1, 1);
    if (link)
        put(w, "", 1);
}

size_t fbw_tables(struct fb_writer *w, size_t link, size_t count)
{
    size_t first;

    if (!link)
        return 0;
    fbw_vector(w, link, NULL, 0, 4, 4);
    first = w->count;
    store(w, first - 4, count, 4);
    return extend(w, 4 * count) ? first : 0; /* count structs of more than 4 bytes are in memory */
}

void fbw_behind(struct fb_writer *w, size_t at, const void *data, size_t count)
{
    w->limit = SIZE_MAX;
    align(w, BEHIND_ALIGN, 0);
    store(w, at, w->count, 8);
    put(w, data, count);
}
