/* The wire format, little-endian, is read from its end: the last byte is the width of the root's
 * value, the byte in front of it the root's packed type (type << 2 | log2 of the width of what it
 * points to), in front of them the value itself.  An offset is unsigned, and counts backwards from
 * its own position.  A map points to its element 0; in front of the elements, each of the map's
 * width, lie their number, the width of the keys' vector, and the offset to that vector; behind
 * them the packed type of each. */
#include "reference/format/flexbuffer.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"

#include <string.h>

enum {
    TYPE_NULL,
    TYPE_INT,
    TYPE_UINT,
    TYPE_FLOAT,
    TYPE_INDIRECT_INT = 6,
    TYPE_INDIRECT_UINT = 7,
    TYPE_INDIRECT_FLOAT = 8,
    TYPE_MAP = 9,
    TYPE_BOOL = 26
};

/* ---- reading ---- */

/* The unsigned number of `width` bytes at `at`, which lies inside. */
static uint64_t load_uint(const uint8_t *bytes, size_t at, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)bytes[at + i] << 8 * i;
    return value;
}

static int64_t load_int(const uint8_t *bytes, size_t at, unsigned width)
{
    const uint64_t value = load_uint(bytes, at, width);
    const uint64_t sign = (uint64_t)1 << (8 * width - 1);

    return (int64_t)((value ^ sign) - sign);
}

/* Of 2, 4 or 8 bytes; a float of 1 byte does not exist, and is no number to load_value. */
static double load_float(const uint8_t *bytes, size_t at, unsigned width)
{
    const uint64_t bits = load_uint(bytes, at, width);
    double value;

    if (width == 2)
        return (double)half_to_float((uint16_t)bits);
    if (width == 4) {
        const uint32_t word = (uint32_t)bits;
        float narrow;

        memcpy(&narrow, &word, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool inside(size_t count, size_t at, uint64_t bytes)
{
    return at <= count && bytes <= count - at;
}

/* Follows the offset at `at`; false where it leaves the bytes. */
static bool follow(const uint8_t *bytes, size_t at, unsigned width, size_t *target)
{
    const uint64_t offset = load_uint(bytes, at, width);

    if (offset > at)
        return false;
    *target = at - (size_t)offset;
    return true;
}

static bool is_width(uint64_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

/* The number of a packed type at `at` inside of a vector of this width; FLEX_OTHER for what is no
 * number.  False: it points out of the bytes. */
static bool load_value(const struct flex_map *m, size_t at, unsigned packed, struct flex_value *v)
{
    const unsigned type = packed >> 2;
    unsigned width = m->value_width;

    *v = (struct flex_value){ .kind = FLEX_OTHER };
    if (type >= TYPE_INDIRECT_INT && type <= TYPE_INDIRECT_FLOAT) {
        if (!follow(m->bytes, at, width, &at))
            return false;
        width = 1u << (packed & 3);
        if (!inside(m->count, at, width))
            return false;
    }
    switch (type) {
    case TYPE_NULL: v->kind = FLEX_NULL; break;
    case TYPE_INT:
    case TYPE_INDIRECT_INT:
        v->kind = FLEX_INT;
        v->i = load_int(m->bytes, at, width);
        break;
    case TYPE_UINT:
    case TYPE_INDIRECT_UINT:
        v->kind = FLEX_UINT;
        v->u = load_uint(m->bytes, at, width);
        break;
    case TYPE_FLOAT:
    case TYPE_INDIRECT_FLOAT:
        if (width < 2)
            break;
        v->kind = FLEX_FLOAT;
        v->f = load_float(m->bytes, at, width);
        break;
    case TYPE_BOOL:
        v->kind = FLEX_BOOL;
        v->i = load_uint(m->bytes, at, width) != 0;
        break;
    default: break;
    }
    return true;
}

static enum status fail(struct diag *diag, size_t at, const char *what)
{
    return diag_fail(diag, STATUS_INVALID, "FlexBuffer: offset 0x%zx: %s", at, what);
}

static size_t packed_types(const struct flex_map *m)
{
    return m->values + m->entries * m->value_width;
}

static enum status open_root(struct flex_map *m, struct diag *diag)
{
    unsigned width;
    size_t at;

    if (m->count < 3)
        return diag_fail(diag, STATUS_INVALID, "FlexBuffer: %zu bytes, expected at least 3",
                         m->count);
    width = m->bytes[m->count - 1];
    if (!is_width(width) || width > m->count - 2)
        return diag_fail(diag, STATUS_INVALID,
                         "FlexBuffer: offset 0x%zx: a root of %u bytes, expected 1, 2, 4 or 8 "
                         "inside of %zu",
                         m->count - 1, width, m->count - 2);
    if (m->bytes[m->count - 2] >> 2 != TYPE_MAP)
        return diag_fail(diag, STATUS_INVALID,
                         "FlexBuffer: offset 0x%zx: a root of type %d, expected a map (%d)",
                         m->count - 2, m->bytes[m->count - 2] >> 2, TYPE_MAP);
    at = m->count - 2 - width;
    if (!follow(m->bytes, at, width, &m->values))
        return fail(diag, at, "the root points in front of the bytes");
    m->value_width = 1u << (m->bytes[m->count - 2] & 3);
    return STATUS_OK;
}

static enum status open_vectors(struct flex_map *m, struct diag *diag)
{
    uint64_t entries, key_width;

    if (m->values < 3 * (size_t)m->value_width)
        return fail(diag, m->values, "a map without room for its keys and size in front of it");
    entries = load_uint(m->bytes, m->values - m->value_width, m->value_width);
    /* Each entry has a value, a packed type, and a key of at least a byte. */
    if (entries > m->count || !inside(m->count, m->values, entries * m->value_width + entries))
        return diag_fail(diag, STATUS_INVALID,
                         "FlexBuffer: offset 0x%zx: %llu entries, in %zu bytes", m->values,
                         (unsigned long long)entries, m->count);
    m->entries = (size_t)entries;
    key_width = load_uint(m->bytes, m->values - 2 * (size_t)m->value_width, m->value_width);
    if (!is_width(key_width))
        return fail(diag, m->values, "keys of a width that is not 1, 2, 4 or 8");
    m->key_width = (unsigned)key_width;
    if (!follow(m->bytes, m->values - 3 * (size_t)m->value_width, m->value_width, &m->keys))
        return fail(diag, m->values, "the keys lie in front of the bytes");
    if (m->keys < key_width || !inside(m->count, m->keys, entries * key_width))
        return fail(diag, m->keys, "the keys lie behind the bytes");
    if (load_uint(m->bytes, m->keys - m->key_width, m->key_width) != entries)
        return fail(diag, m->keys, "another number of keys than of values");
    return STATUS_OK;
}

enum status flex_map_open(struct flex_map *m, const void *bytes, size_t count, struct diag *diag)
{
    *m = (struct flex_map){ .bytes = bytes, .count = count };
    TRY(open_root(m, diag));
    TRY(open_vectors(m, diag));
    for (size_t i = 0; i < m->entries; i++) {
        const size_t at = m->keys + i * m->key_width;
        struct flex_value value;
        size_t key = 0;

        if (!follow(m->bytes, at, m->key_width, &key) || !memchr(m->bytes + key, 0, m->count - key))
            return fail(diag, at, "a key that does not end inside of the bytes");
        if (!load_value(m, m->values + i * m->value_width, m->bytes[packed_types(m) + i], &value))
            return fail(diag, m->values + i * m->value_width, "a value outside of the bytes");
    }
    return STATUS_OK;
}

const char *flex_map_key(const struct flex_map *m, size_t index)
{
    size_t key = 0;

    (void)follow(m->bytes, m->keys + index * m->key_width, m->key_width, &key);
    return (const char *)m->bytes + key;
}

/* Keys are sorted in what writers make; a search of all of them needs no order. */
bool flex_map_find(const struct flex_map *m, const char *key, struct flex_value *value)
{
    for (size_t i = 0; i < m->entries; i++)
        if (strcmp(flex_map_key(m, i), key) == 0)
            return load_value(m, m->values + i * m->value_width, m->bytes[packed_types(m) + i],
                              value);
    *value = (struct flex_value){ .kind = FLEX_NULL };
    return false;
}

const char *flex_kind_text(enum flex_kind kind)
{
    switch (kind) {
    case FLEX_NULL: return "nothing";
    case FLEX_INT:
    case FLEX_UINT: return "an integer";
    case FLEX_FLOAT: return "a float";
    case FLEX_BOOL: return "a boolean";
    default: return "a string or vector";
    }
}

/* ---- writing ---- */

static void append(struct flex_writer *w, const char *key, struct flex_value value, bool wide)
{
    if (w->count == FLEX_ENTRIES_MAX) {
        w->full = true;
        return;
    }
    w->entries[w->count++] = (struct flex_entry){ key, value, wide };
}

void flex_write_int(struct flex_writer *w, const char *key, int64_t value)
{
    append(w, key, (struct flex_value){ .kind = FLEX_INT, .i = value }, false);
}

void flex_write_float(struct flex_writer *w, const char *key, float value)
{
    append(w, key, (struct flex_value){ .kind = FLEX_FLOAT, .f = (double)value }, false);
}

void flex_write_double(struct flex_writer *w, const char *key, double value)
{
    append(w, key, (struct flex_value){ .kind = FLEX_FLOAT, .f = value }, true);
}

void flex_write_bool(struct flex_writer *w, const char *key, bool value)
{
    append(w, key, (struct flex_value){ .kind = FLEX_BOOL, .i = value }, false);
}

/* Readers search by bisection, so keys are sorted. */
static enum status sort_entries(struct flex_writer *w, struct diag *diag)
{
    if (w->full)
        return diag_fail(diag, STATUS_INVALID, "FlexBuffer: more than %d keys", FLEX_ENTRIES_MAX);
    for (size_t i = 1; i < w->count; i++) {
        const struct flex_entry entry = w->entries[i];
        size_t at = i;

        while (at > 0 && strcmp(w->entries[at - 1].key, entry.key) > 0) {
            w->entries[at] = w->entries[at - 1];
            at--;
        }
        w->entries[at] = entry;
    }
    for (size_t i = 1; i < w->count; i++)
        if (strcmp(w->entries[i - 1].key, w->entries[i].key) == 0)
            return diag_fail(diag, STATUS_INVALID, "FlexBuffer: key \"%s\" given twice",
                             w->entries[i].key);
    return STATUS_OK;
}

static bool needs_8_bytes(const struct flex_entry *e)
{
    const struct flex_value *const v = &e->value;

    return e->wide || (v->kind == FLEX_INT && (v->i < INT32_MIN || v->i > INT32_MAX));
}

static size_t store(uint8_t *bytes, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        bytes[at + i] = (uint8_t)(value >> 8 * i);
    return at + width;
}

static unsigned type_of(const struct flex_value *v)
{
    return v->kind == FLEX_FLOAT ? TYPE_FLOAT : v->kind == FLEX_BOOL ? TYPE_BOOL : TYPE_INT;
}

static uint64_t bits_of(const struct flex_value *v, unsigned width)
{
    if (v->kind != FLEX_FLOAT)
        return (uint64_t)v->i;
    if (width == 8) {
        uint64_t bits;

        memcpy(&bits, &v->f, sizeof bits);
        return bits;
    } else {
        const float f = (float)v->f;
        uint32_t bits;

        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
}

/* Keys, keys' vector, map, root.  All vectors have one width: 4 bytes hold a float and every offset
 * here, 8 are for large integers and wide floats. */
enum status flex_write_finish(struct flex_writer *w, uint8_t **bytes, size_t *count,
                              struct diag *diag)
{
    size_t at = 0, room = 0, start, keys, values, starts[FLEX_ENTRIES_MAX];
    unsigned width = 4;
    uint8_t *out;

    *bytes = NULL;
    *count = 0;
    TRY(sort_entries(w, diag));
    for (size_t i = 0; i < w->count; i++) {
        room += strlen(w->entries[i].key) + 1;
        if (needs_8_bytes(&w->entries[i]))
            width = 8;
    }
    start = (room + width - 1) & ~(size_t)(width - 1);
    *count = start + width * (2 * w->count + 5) + w->count + 2;
    if (!(out = mem_alloc(*count, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "FlexBuffer: no memory for %zu bytes", *count);
    for (size_t i = 0; i < w->count; i++) {
        starts[i] = at;
        memcpy(out + at, w->entries[i].key, strlen(w->entries[i].key) + 1);
        at += strlen(w->entries[i].key) + 1;
    }
    keys = at = store(out, start, width, w->count);
    for (size_t i = 0; i < w->count; i++)
        at = store(out, at, width, at - starts[i]);
    at = store(out, at, width, at - keys);
    at = store(out, at, width, width);
    values = at = store(out, at, width, w->count);
    for (size_t i = 0; i < w->count; i++)
        at = store(out, at, width, bits_of(&w->entries[i].value, width));
    for (size_t i = 0; i < w->count; i++)
        out[at++] = (uint8_t)(type_of(&w->entries[i].value) << 2 | (width == 8 ? 3 : 2));
    at = store(out, at, width, at - values);
    out[at++] = (uint8_t)(TYPE_MAP << 2 | (width == 8 ? 3 : 2));
    out[at] = (uint8_t)width;
    *bytes = out;
    return STATUS_OK;
}
