/* The wire format: verifies that every offset, vtable, vector and string of a file stays inside it,
 * and reads fields of what was verified.
 *
 * Positions are size_t and compared by subtraction from the file's size, before they are added: no
 * sum wraps, in 32 bits either.  Offsets go forward only, which excludes cycles but not
 * tables and vectors that many others share; limits keep the work of all readers in proportion
 * to the file: the fields of the tables that are visited, and the bytes of all vectors, as often as
 * they are used. */
#include "reference/format/flatbuffer.h"

#include "reference/base/limits.h"
#include "reference/format/op_options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    PATH_MAX_DEPTH = 8,
    FIELD_BYTES = 16 /* about what a reader keeps of a field, absent or not */
};

struct wire {
    const uint8_t *bytes;
    size_t count;
    struct diag *diag;
    size_t tables;
    uint64_t used; /* bytes of all vectors, as often as they are used */
    uint64_t read; /* bytes that a reader keeps of all tables, as often as they are used */
    struct {
        const char *field;
        size_t index; /* SIZE_MAX: not an element of a vector */
    } path[PATH_MAX_DEPTH];
    size_t depth;
};

/* A table whose vtable was checked. */
struct frame {
    const char *name;
    size_t at, vtable, vtable_bytes, table_bytes;
};

static uint16_t load_u16(const uint8_t *bytes, size_t at)
{
    uint16_t v;

    memcpy(&v, bytes + at, sizeof v);
    return v;
}

static uint32_t load_u32(const uint8_t *bytes, size_t at)
{
    uint32_t v;

    memcpy(&v, bytes + at, sizeof v);
    return v;
}

int32_t fb_load_i32(const uint8_t *bytes, size_t at)
{
    int32_t v;

    memcpy(&v, bytes + at, sizeof v);
    return v;
}

int64_t fb_load_i64(const uint8_t *bytes, size_t at)
{
    int64_t v;

    memcpy(&v, bytes + at, sizeof v);
    return v;
}

float fb_load_f32(const uint8_t *bytes, size_t at)
{
    float v;

    memcpy(&v, bytes + at, sizeof v);
    return v;
}

/* "offset 0x1f4: Tensor.shape: <message> (at subgraphs[0].tensors[3])" */
static enum status fail(struct wire *w, size_t offset, const char *table, const char *field,
                        const char *format, ...) PRINTF_LIKE(5, 6);

static enum status fail(struct wire *w, size_t offset, const char *table, const char *field,
                        const char *format, ...)
{
    char path[256] = "", message[256];
    size_t n = 0;
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    for (size_t i = 0; i < w->depth && n < sizeof path; i++) {
        const char *dot = i ? "." : " (at ";

        if (w->path[i].index == SIZE_MAX)
            n += (size_t)snprintf(path + n, sizeof path - n, "%s%s", dot, w->path[i].field);
        else
            n += (size_t)snprintf(path + n, sizeof path - n, "%s%s[%zu]", dot, w->path[i].field,
                                  w->path[i].index);
    }
    return diag_fail(w->diag, STATUS_INVALID, "offset 0x%zx: %s%s%s: %s%s%s", offset, table,
                     field ? "." : "", field ? field : "", message, path, w->depth ? ")" : "");
}

static enum status verify_header(struct wire *w)
{
    uint32_t root;

    if (w->count < 8)
        return fail(w, 0, "file", NULL, "%zu bytes, a header has 8", w->count);
    if (memcmp(w->bytes + 4, "TFL3", 4) != 0)
        return fail(w, 4, "file", "identifier", "%02x %02x %02x %02x, not 'TFL3'", w->bytes[4],
                    w->bytes[5], w->bytes[6], w->bytes[7]);
    root = load_u32(w->bytes, 0);
    if (root < 8 || root % 4 != 0 || w->count - 4 < root)
        return fail(w, 0, "file", "root", "0x%x, not a table's place in a file of 0x%zx bytes",
                    root, w->count);
    return STATUS_OK;
}

static enum status too_many_tables(struct wire *w, size_t at, const char *name)
{
    fail(w, at, name, NULL,
         "table number %zu, at most %" PRIu64 " (limit tables; --limit=tables=VALUE raises it)",
         w->tables, limit_of(LIMIT_TABLES));
    if (w->diag)
        w->diag->status = STATUS_LIMIT;
    return STATUS_LIMIT;
}

/* fields: how many the schema has.  `at` is a multiple of 4 with 4 bytes of the file behind it: the
 * header's root and every offset that is followed are checked for that. */
static enum status open_table(struct wire *w, size_t at, const char *name, size_t fields,
                              struct frame *f)
{
    int64_t vtable;

    *f = (struct frame){ .name = name, .at = at };
    if (++w->tables > limit_of(LIMIT_TABLES))
        return too_many_tables(w, at, name);
    w->read += (fields + 1) * FIELD_BYTES;
    if (fb_shared_too_often(w->read, w->count))
        return fail(w, at, name, NULL,
                    "%llu bytes in tables so far, in a file of %zu: shared too often",
                    (unsigned long long)w->read, w->count);
    vtable = (int64_t)at - fb_load_i32(w->bytes, at);
    if (vtable < 0 || vtable % 2 != 0 || vtable > (int64_t)w->count - 4)
        return fail(w, at, name, "vtable", "at %lld, unaligned or outside of the file of %zu bytes",
                    (long long)vtable, w->count);
    f->vtable = (size_t)vtable;
    f->vtable_bytes = load_u16(w->bytes, f->vtable);
    f->table_bytes = load_u16(w->bytes, f->vtable + 2);
    if (f->vtable_bytes < 4 || f->vtable_bytes % 2 != 0 || w->count - f->vtable < f->vtable_bytes)
        return fail(w, f->vtable, name, "vtable", "size %zu, of a vtable in a file of %zu bytes",
                    f->vtable_bytes, w->count);
    if (f->table_bytes < 4 || w->count - at < f->table_bytes)
        return fail(w, f->vtable + 2, name, "vtable",
                    "size %zu of the table at 0x%zx in a file of %zu bytes", f->table_bytes, at,
                    w->count);
    return STATUS_OK;
}

/* *at: position of the field, 0 when the table lacks it. */
static enum status find(struct wire *w, const struct frame *f, unsigned slot, const char *field,
                        size_t bytes, size_t *at)
{
    const size_t place = 4 + 2 * (size_t)slot;
    size_t entry;

    *at = 0;
    if (place + 2 > f->vtable_bytes || !(entry = load_u16(w->bytes, f->vtable + place)))
        return STATUS_OK;
    if (entry < 4 || entry > f->table_bytes || f->table_bytes - entry < bytes)
        return fail(w, f->vtable + place, f->name, field, "at byte %zu of the table, which has %zu",
                    entry, f->table_bytes);
    *at = f->at + entry;
    if (*at % bytes != 0)
        return fail(w, *at, f->name, field, "not aligned to its %zu bytes", bytes);
    return STATUS_OK;
}

/* Follows the offset at `at`; the target has at least 4 bytes. */
static enum status follow(struct wire *w, const struct frame *f, const char *field, size_t at,
                          size_t *target)
{
    const uint32_t offset = load_u32(w->bytes, at);

    if (offset == 0 || w->count - at < offset || w->count - at - offset < 4)
        return fail(w, at, f->name, field, "offset %u, in a file of 0x%zx bytes", offset, w->count);
    *target = at + offset;
    if (*target % 4 != 0)
        return fail(w, at, f->name, field, "offset %u leads to 0x%zx, which is not aligned", offset,
                    *target);
    return STATUS_OK;
}

static enum status verify_vector(struct wire *w, const struct frame *f, const char *field,
                                 enum fb_kind kind, size_t target)
{
    const uint32_t count = load_u32(w->bytes, target);
    const size_t element = fb_element_bytes(kind), room = w->count - target - 4;
    const uint64_t bytes = (uint64_t)count * element;

    if (bytes > room)
        return fail(w, target, f->name, field,
                    "%u elements of %zu bytes, %zu bytes are left in the file", count, element,
                    room);
    if (kind == FB_STRING && (room == bytes || w->bytes[target + 4 + bytes] != 0))
        return fail(w, target, f->name, field, "a string of %u bytes without its NUL", count);
    w->used += 4 + bytes;
    if (fb_shared_too_often(w->used, w->count))
        return fail(w, target, f->name, field,
                    "%llu bytes in vectors so far, in a file of %zu: shared too often",
                    (unsigned long long)w->used, w->count);
    return STATUS_OK;
}

static enum status verify_table(struct wire *w, size_t at, enum schema_table table);

static enum status verify_tables(struct wire *w, const struct frame *f,
                                 const struct schema_field *field, size_t target)
{
    const size_t count = load_u32(w->bytes, target);

    w->depth++;
    for (size_t i = 0; i < count; i++) {
        size_t at;

        w->path[w->depth - 1].field = field->name;
        w->path[w->depth - 1].index = i;
        TRY(follow(w, f, field->name, target + 4 + 4 * i, &at));
        TRY(verify_table(w, at, field->of));
    }
    w->depth--;
    return STATUS_OK;
}

static enum status verify_field(struct wire *w, const struct frame *f, unsigned slot,
                                const struct schema_field *field);

static enum status verify_options(struct wire *w, size_t at, const struct option_table *table)
{
    static const uint8_t kinds[] = {
        [OPTION_I8] = FB_I8,         [OPTION_TYPE] = FB_I8,    [OPTION_I32] = FB_I32,
        [OPTION_BOOL] = FB_U8,       [OPTION_F32] = FB_I32,    [OPTION_INTS] = FB_INTS,
        [OPTION_STRING] = FB_STRING, [OPTION_BYTES] = FB_BYTES
    };
    struct frame f;

    TRY(open_table(w, at, table ? table->name : "options", table ? table->field_count : 0, &f));
    for (size_t i = 0; table && i < table->field_count; i++) {
        const struct schema_field field = { .name = table->fields[i].name,
                                            .kind = kinds[table->fields[i].kind] };

        TRY(verify_field(w, &f, table->fields[i].slot, &field));
    }
    return STATUS_OK;
}

/* The tag is in the slot before; whether the tag is known is checked by the rules (verify.c). */
static enum status verify_union(struct wire *w, const struct frame *f, unsigned slot,
                                const struct schema_field *field, size_t at)
{
    enum schema_table member;
    size_t tag_at, target;
    unsigned tag;

    TRY(find(w, f, slot - 1, field->name, 1, &tag_at));
    tag = tag_at ? w->bytes[tag_at] : 0;
    if (tag == 0 && at != 0)
        return fail(w, at, f->name, field->name, "a value, and the union's tag is 0");
    if (tag != 0 && at == 0)
        return fail(w, f->at, f->name, field->name, "no value, and the union's tag is %u", tag);
    if (tag == 0)
        return STATUS_OK;
    TRY(follow(w, f, field->name, at, &target));
    if (field->of == SCHEMA_BuiltinOptions)
        return verify_options(w, target,
                              tag <= OPTIONS_1_TAG_MAX ? option_table_find((uint8_t)tag) : NULL);
    if (field->of == SCHEMA_BuiltinOptions2)
        return verify_options(w, target, option_table_find(options_tag_of_2(tag)));
    member = schema_member(field->of, tag);
    return member == SCHEMA_NONE ? verify_options(w, target, NULL)
                                 : verify_table(w, target, member);
}

static enum status verify_field(struct wire *w, const struct frame *f, unsigned slot,
                                const struct schema_field *field)
{
    enum status s;
    size_t at, target;

    TRY(find(w, f, slot, field->name, fb_inline_bytes(field->kind), &at));
    if (field->kind < FB_STRING || (at == 0 && field->kind != FB_UNION))
        return STATUS_OK;
    if (field->kind == FB_UNION) {
        w->path[w->depth].field = field->name;
        w->path[w->depth++].index = SIZE_MAX;
        s = verify_union(w, f, slot, field, at);
        w->depth--;
        return s;
    }
    TRY(follow(w, f, field->name, at, &target));
    if (field->kind == FB_TABLE) {
        w->path[w->depth].field = field->name;
        w->path[w->depth++].index = SIZE_MAX;
        s = verify_table(w, target, field->of);
        w->depth--;
        return s;
    }
    TRY(verify_vector(w, f, field->name, field->kind, target));
    return field->kind == FB_TABLES ? verify_tables(w, f, field, target) : STATUS_OK;
}

static enum status verify_table(struct wire *w, size_t at, enum schema_table table)
{
    const struct schema_table_row *row = schema_row(table);
    struct frame f;

    TRY(open_table(w, at, row->name, row->count, &f));
    for (size_t slot = 0; slot < row->count; slot++)
        TRY(verify_field(w, &f, (unsigned)slot, &row->fields[slot]));
    return STATUS_OK;
}

enum status fb_verify(const uint8_t *bytes, size_t count, struct diag *diag)
{
    struct wire w = { .bytes = bytes, .count = count, .diag = diag };

    TRY(verify_header(&w));
    return verify_table(&w, load_u32(bytes, 0), SCHEMA_Model);
}

struct fb_table fb_root(const uint8_t *bytes)
{
    return (struct fb_table){ .bytes = bytes, .at = load_u32(bytes, 0), .schema = SCHEMA_Model };
}

size_t fb_find(struct fb_table t, unsigned slot)
{
    const size_t vtable = t.at - (size_t)(int64_t)fb_load_i32(t.bytes, t.at);
    const size_t place = 4 + 2 * (size_t)slot;
    size_t entry;

    if (place + 2 > load_u16(t.bytes, vtable) || !(entry = load_u16(t.bytes, vtable + place)))
        return 0;
    return t.at + entry;
}

int64_t fb_int(struct fb_table t, unsigned slot)
{
    const struct schema_field *field = &schema_row(t.schema)->fields[slot];
    const size_t at = fb_find(t, slot);

    if (!at)
        return field->fallback;
    switch (field->kind) {
    case FB_U8: return t.bytes[at];
    case FB_I8: return (int8_t)t.bytes[at];
    case FB_U32: return load_u32(t.bytes, at);
    default: return fb_load_i32(t.bytes, at);
    }
}

uint64_t fb_u64(struct fb_table t, unsigned slot)
{
    const size_t at = fb_find(t, slot);

    return at ? (uint64_t)fb_load_i64(t.bytes, at) : 0;
}

struct fb_vector fb_vector(struct fb_table t, unsigned slot)
{
    const size_t at = fb_find(t, slot);
    size_t target;

    if (!at)
        return (struct fb_vector){ 0 };
    target = at + load_u32(t.bytes, at);
    return (struct fb_vector){ .at = target + 4, .count = load_u32(t.bytes, target) };
}

struct fb_table fb_sub(struct fb_table t, unsigned slot)
{
    const struct schema_field *field = &schema_row(t.schema)->fields[slot];
    const size_t at = fb_find(t, slot);
    struct fb_table sub = { .bytes = t.bytes, .schema = SCHEMA_NONE };

    if (!at)
        return sub;
    sub.at = at + load_u32(t.bytes, at);
    sub.schema = field->kind == FB_UNION ? schema_member(field->of, (unsigned)fb_int(t, slot - 1))
                                         : (enum schema_table)field->of;
    return sub;
}

struct fb_table fb_item(struct fb_table t, unsigned slot, size_t index)
{
    const size_t at = fb_vector(t, slot).at + 4 * index;

    return (struct fb_table){ .bytes = t.bytes,
                              .at = at + load_u32(t.bytes, at),
                              .schema = schema_row(t.schema)->fields[slot].of };
}
