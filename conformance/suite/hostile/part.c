/* Walks over the tables that the schema describes. */
#include "conformance/suite/hostile/corpus.h"

#include "reference/format/flatbuffer.h"

#include <stdio.h>

enum { PADDING, HEADER, VTABLE, OPTIONS, FIRST_FIELD, HEADER_BYTES = 8 };
enum { PARTS = FIRST_FIELD + SCHEMA_COUNT * SCHEMA_SLOTS_MAX };

const char *part_text(uint16_t part)
{
    static const char *const others[] = { "padding", "header", "vtable", "options" };
    static char texts[PARTS][64];
    const int field = part - FIRST_FIELD;
    const struct schema_table_row *row;

    if (part < FIRST_FIELD)
        return others[part];
    row = schema_row((enum schema_table)(field / SCHEMA_SLOTS_MAX));
    if (!texts[part][0] && row)
        snprintf(texts[part], sizeof texts[part], "%s.%s", row->name,
                 row->fields[field % SCHEMA_SLOTS_MAX].name);
    return texts[part];
}

struct map {
    const struct tflite_file *file;
    uint16_t *parts;
};

static void mark(const struct map *m, size_t at, size_t bytes, unsigned part)
{
    for (size_t i = 0; i < bytes && at + i < m->file->count; i++)
        m->parts[at + i] = (uint16_t)part;
}

static unsigned load_u16(const uint8_t *bytes, size_t at)
{
    return bytes[at] | (unsigned)bytes[at + 1] << 8;
}

static void mark_table(const struct map *m, struct fb_table t);

static void mark_field(const struct map *m, struct fb_table t, unsigned slot, enum fb_kind kind,
                       unsigned part)
{
    const size_t at = fb_find(t, slot);
    struct fb_vector v;

    if (!at)
        return;
    mark(m, at, fb_inline_bytes(kind), part);
    if (kind >= FB_STRING && kind <= FB_DATA) {
        v = fb_vector(t, slot);
        mark(m, v.at - 4, 4 + v.count * fb_element_bytes(kind), part);
    } else if (kind == FB_TABLE || kind == FB_UNION) {
        mark_table(m, fb_sub(t, slot));
    } else if (kind == FB_TABLES) {
        v = fb_vector(t, slot);
        mark(m, v.at - 4, 4 + 4 * v.count, part);
        for (size_t i = 0; i < v.count; i++)
            mark_table(m, fb_item(t, slot, i));
    }
}

static void mark_table(const struct map *m, struct fb_table t)
{
    const struct schema_table_row *const row = schema_row(t.schema);
    const uint8_t *const bytes = m->file->bytes;
    size_t vtable;

    if (!t.at)
        return;
    vtable = t.at - (size_t)(int64_t)fb_load_i32(bytes, t.at);
    mark(m, t.at, load_u16(bytes, vtable + 2), OPTIONS);
    mark(m, t.at, 4, VTABLE);
    mark(m, vtable, load_u16(bytes, vtable), VTABLE);
    for (unsigned slot = 0; row && slot < row->count; slot++)
        if (row->fields[slot].name)
            mark_field(m, t, slot, (enum fb_kind)row->fields[slot].kind,
                       FIRST_FIELD + (unsigned)t.schema * SCHEMA_SLOTS_MAX + slot);
}

void part_map(const struct tflite_file *file, uint16_t *parts)
{
    const struct map m = { file, parts };

    mark(&m, 0, file->count, PADDING);
    mark(&m, 0, HEADER_BYTES, HEADER);
    mark_table(&m, fb_root(file->bytes));
}
